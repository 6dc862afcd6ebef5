// Flat structures: one of K labels, or yes/no with a single part.
#pragma once
#include "linnet/inference/oracle.hpp"

namespace linnet {

using Gold = PartCounts;

struct Multiclass {
  Id labels;
  Id num_nodes() const { return 1; }
  Id num_parts() const { return labels; }
  Id root() const { return 0; }
  template <class Edge>
  void edges(Id, Edge&& edge) const {
    for (Id y = 0; y < labels; ++y) edge(ids(y), ids());
  }
  template <Order, class Visit>
  void sweep(Visit&& visit) const {
    visit(0, [&](auto&& edge) { edges(0, edge); });
  }
  template <class F>
  void shifts(F&& f) const {
    f(0, labels, 1);
  }
  void add_cost(Gold gold, double scale, std::span<double> theta) const {
    add_hamming(0, labels, gold, scale, theta);
  }
};

// Two outputs: without the part (label 0, score 0) and with it (label 1). One weight per feature.
struct Binary {
  Id num_nodes() const { return 1; }
  Id num_parts() const { return 1; }
  Id root() const { return 0; }
  template <class Edge>
  void edges(Id, Edge&& edge) const {
    edge(ids(), ids());
    edge(ids(0), ids());
  }
  template <Order, class Visit>
  void sweep(Visit&& visit) const {
    visit(0, [&](auto&& edge) { edges(0, edge); });
  }
  template <class F>
  void shifts(F&&) const {}
  void other_holdings(std::vector<Holding>& found) const { found.push_back({0, 1, 0, 1}); }
  // |y - gold| = gold + y (1 - 2 gold), and the first term is the constant
  void add_cost(Gold gold, double scale, std::span<double> theta) const {
    const double g = gold.empty() ? 0 : gold[0].second;
    theta[0] += scale * (1 - 2 * g);
  }
};

// The flat oracles without the sweep's bookkeeping: they sit in the hot loop of every online and
// batch learner. Tested equal to OracleOf<Multiclass> and OracleOf<Binary>.
class MulticlassOracle final : public Oracle {
 public:
  explicit MulticlassOracle(Id labels) : labels_(labels) {
    if (labels < 1) throw std::invalid_argument("there must be at least one label");
  }
  Id parts() const override { return labels_; }

  double solve(Ring ring, std::span<const double> theta, std::span<double> mu,
               OracleWork&) const override {
    Id best = 0;
    for (Id y = 1; y < labels_; ++y)
      if (theta[y] > theta[best]) best = y;
    const double top = theta[best];
    if (ring == Ring::max || top == -kInf) {
      std::fill(mu.begin(), mu.end(), 0.0);
      if (!mu.empty()) mu[best] = 1;
      return top;
    }
    double z = 0;
    if (mu.empty()) {
      for (Id y = 0; y < labels_; ++y) z += exp(theta[y] - top);
      return top + std::log(z);
    }
    softmax(theta.data(), top, labels_, mu.data());
    for (Id y = 0; y < labels_; ++y) z += mu[y];
    for (Id y = 0; y < labels_; ++y) mu[y] /= z;
    return top + std::log(z);
  }

  // d mu = mu * (t - mu . t)
  void marginals_along(std::span<const double> theta, std::span<const double> tangent,
                       std::span<double> derivative, OracleWork& work) const override {
    solve(Ring::log, theta, derivative, work);
    double mean = 0;
    for (Id y = 0; y < labels_; ++y) mean += derivative[y] * tangent[y];
    for (Id y = 0; y < labels_; ++y) derivative[y] *= tangent[y] - mean;
  }

  void add_cost(Gold gold, double scale, std::span<double> theta) const override {
    Multiclass{labels_}.add_cost(gold, scale, theta);
  }
  std::optional<double> best_other(std::span<const double> theta, Gold gold,
                                   OracleWork&) const override {
    if (labels_ == 1) return {};
    double best = -kInf;
    for (Id y = 0; y < labels_; ++y)
      if (y != gold[0].first) best = std::max(best, theta[y]);
    return best;
  }
  void holdings(std::vector<Holding>& found) const override { found.push_back({0, labels_, 1, 1}); }

 private:
  LINNET_CLONES static void softmax(const double* theta, double top, Id n, double* mu) {
    for (Id y = 0; y < n; ++y) mu[y] = exp(theta[y] - top);
  }
  Id labels_;
};

class BinaryOracle final : public Oracle {
 public:
  Id parts() const override { return 1; }
  double solve(Ring ring, std::span<const double> theta, std::span<double> mu,
               OracleWork&) const override {
    const double s = theta[0];
    if (!mu.empty()) mu[0] = ring == Ring::max ? (s > 0 ? 1 : 0) : sigmoid(s);
    return ring == Ring::max ? std::max(s, 0.0) : log1p_exp(s);
  }
  void marginals_along(std::span<const double> theta, std::span<const double> tangent,
                       std::span<double> derivative, OracleWork&) const override {
    const double p = sigmoid(theta[0]);
    derivative[0] = p * (1 - p) * tangent[0];
  }
  void add_cost(Gold gold, double scale, std::span<double> theta) const override {
    Binary{}.add_cost(gold, scale, theta);
  }
  std::optional<double> best_other(std::span<const double> theta, Gold gold,
                                   OracleWork&) const override {
    const bool yes = !gold.empty() && gold[0].second > 0;
    return yes ? 0.0 : theta[0];
  }
  void holdings(std::vector<Holding>& found) const override { Binary{}.other_holdings(found); }
};

}  // namespace linnet
