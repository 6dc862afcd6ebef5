// MIRA (Crammer and Singer 2003) against all K - 1 wrong outputs at once, or, where outputs cannot
// be listed, against the k best of them with their cost (McDonald, Crammer and Pereira 2005):
//   min 1/2 |w - w_t|^2 + C xi    s.t. s(y) - s(y') >= cost - xi  for all y' != y,  xi >= 0.
// Its dual weights a are found exactly; w <- w - sum over y' of a_y' (f(x, y') - f(x, y)).
#pragma once
#include <functional>

#include "linnet/features/sparse_gradient.hpp"
#include "linnet/learners/online/online.hpp"
#include "linnet/learners/online/small_qp.hpp"

namespace linnet {

class MiraRule {
 public:
  MiraRule(const Loss& loss, double C, Id k) : C_(C), k_(k) {
    if (!(C > 0)) throw std::invalid_argument("C must be positive");
    if (k < 1) throw std::invalid_argument("k must be at least 1");
    if (loss.ring != Ring::max || loss.link != Link::identity || loss.cost == 0)
      throw std::invalid_argument(
          "MIRA asks for a margin over every wrong output: its loss is 'hinge', not '" +
          std::string(loss.name) + "'");
  }

  void check(const Dataset& data) { listed_ = data.listed(); }
  void grow(Index) {}
  void remap(const OnlineWeights&, const Remap&) {}
  void settle(OnlineWeights&, const Instance&, InstanceBuffer&) {}

  // buffer.theta holds the scores with the cost added to every wrong output, as the loss left them:
  // theta[y'] - theta[y] is how far the constraint of y' is violated.
  void step(OnlineWeights& w, const Instance& x, InstanceBuffer& buffer, const Outcome& outcome) {
    if (outcome.before_link == 0) return;
    if (!listed_)
      step_best(w, x, buffer);
    else if (x.sites[0].count > 1)
      step_joint(w, x, buffer);
    else
      step_block(w, x, buffer, outcome);
  }
  void finish(OnlineWeights&) {}

 private:
  // Block features: the vectors of two constraints have product |x|^2 (1 + [same]), so that
  // a_y' = (l_y' / |x|^2 - kappa)_+ with kappa = sum a, or more if that would pass C: kappa is
  // found by sorting. Two labels with one weight per feature have only one constraint.
  void step_block(OnlineWeights& w, const Instance& x, InstanceBuffer& buffer,
                  const Outcome& outcome) {
    const Group& site = x.sites[0];
    const Row row = site.rows->row(site.first, buffer.site.row);
    const double norm = squared_norm(row, site.rows->bias()), C = C_ * x.weight;
    if (norm == 0) return;
    if (site.width == 1) {
      for (double& d : buffer.delta) d *= std::min(C, outcome.before_link / norm);
    } else {
      const auto gold = static_cast<std::size_t>(x.gold[0].first);
      violation_.clear();
      for (std::size_t y = 0; y < buffer.theta.size(); ++y) {
        buffer.delta[y] = (buffer.theta[y] - buffer.theta[gold]) / norm;
        if (y != gold && buffer.delta[y] > 0) violation_.push_back(buffer.delta[y]);
      }
      std::sort(violation_.begin(), violation_.end(), std::greater<>());
      double kappa = threshold(0.0, 1.0);
      if (kappa > C) kappa = threshold(C, 0.0);
      double sum = 0;
      for (double& d : buffer.delta) sum += d = std::max(d - kappa, 0.0);
      buffer.delta[gold] = -sum;  // it was 0: kappa > 0
    }
    for_each_weight_row(x.sites, buffer.delta, buffer.site,
                        [&](Index offset, double value, const double* delta, const Group& g) {
                          w.add(offset, delta, g.width, -value);
                        });
  }
  // kappa with sum over y' of (violation_y' - kappa)_+ = total + share * kappa.
  double threshold(double total, double share) const {
    double sum = 0, kappa = 0, count = 0;
    for (double v : violation_) {
      if (count > 0 && v <= kappa) break;
      sum += v;
      count += 1;
      kappa = (sum - total) / (count + share);
    }
    return kappa;
  }

  // Joint features: any products, hence a small quadratic program over the candidates.
  void step_joint(OnlineWeights& w, const Instance& x, InstanceBuffer& buffer) {
    const auto gold = static_cast<std::size_t>(x.gold[0].first), count = buffer.theta.size();
    const std::size_t n = count - 1;
    vectors_.resize(std::max(vectors_.size(), n));
    violation_.clear();
    for (std::size_t y = 0; y < count; ++y) {
      if (y == gold) continue;
      std::fill(buffer.delta.begin(), buffer.delta.end(), 0.0);
      buffer.delta[y] = 1;
      buffer.delta[gold] = -1;
      vectors_[violation_.size()].collect(x.sites, buffer.delta, buffer.site);
      violation_.push_back(buffer.theta[y] - buffer.theta[gold]);
    }
    solve_constraints(x.weight);
    double sum = 0;
    for (std::size_t y = 0, i = 0; y < count; ++y)
      if (y != gold) sum += buffer.delta[y] = a_[i++];
    buffer.delta[gold] = -sum;
    total_.collect(x.sites, buffer.delta, buffer.site);
    for (const auto& [at, value] : total_) w.add(at, -value);
  }

  // Structures: the constraints of the k best outputs. Of partial labels, the best output that
  // agrees with them is the gold one, as in the loss.
  void step_best(OnlineWeights& w, const Instance& x, InstanceBuffer& buffer) {
    gold_.assign(buffer.theta.size(), 0.0);
    if (x.consistent.empty())
      for (const auto& [p, times] : x.gold) gold_[p] += times;
    else
      gold_.assign(buffer.work.partial_mu.begin(), buffer.work.partial_mu.end());
    violation_.clear();
    std::size_t n = 0;
    for (const Output& output : x.oracle->best_outputs(buffer.theta, k_)) {
      for (std::size_t p = 0; p < gold_.size(); ++p) buffer.delta[p] = -gold_[p];
      for (Id p : output.parts) buffer.delta[p] += 1;
      if (std::all_of(buffer.delta.begin(), buffer.delta.end(), [](double d) { return d == 0; }))
        continue;  // the gold output itself
      double violation = 0;
      for (std::size_t p = 0; p < gold_.size(); ++p)
        if (buffer.delta[p] != 0) violation += buffer.delta[p] * buffer.theta[p];
      vectors_.resize(std::max(vectors_.size(), n + 1));
      vectors_[n++].collect(x.sites, buffer.delta, buffer.site);
      violation_.push_back(violation);
    }
    solve_constraints(x.weight);
    for (std::size_t i = 0; i < n; ++i)
      if (a_[i] != 0)
        for (const auto& [at, value] : vectors_[i]) w.add(at, -a_[i] * value);
  }

  // a = the dual weights of the constraints whose vectors and violations stand ready.
  void solve_constraints(double weight) {
    const std::size_t n = violation_.size();
    products_.resize(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        products_[i * n + j] = products_[j * n + i] = vectors_[i].dot(vectors_[j]);
    a_.resize(n);
    solve_small_qp(products_, violation_, C_ * weight, a_);
  }

  double C_;
  Id k_;
  bool listed_ = true;                   // the dataset lists its outputs
  std::vector<SparseGradient> vectors_;  // f(x, y') - f(x, y)
  SparseGradient total_;                 // sum over y' of a_y' times that
  std::vector<double> violation_, products_, a_, gold_;
};

}  // namespace linnet
