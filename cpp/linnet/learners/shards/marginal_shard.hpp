// A shard of a conditional random field, of any structure whose sums are exact. The dual point of
// instance i is a distribution a_i over its outputs, known by what enters the weights and the dual
// objective: μ_i, the expected parts, and h_i <= H(a_i), a bound of its entropy.
//
//   w = Σ_i c_i X_iᵀ(gold_i − μ_i),   D = Σ_i c_i h_i − ½‖w‖²
//
// A visit moves a_i towards p, the distribution of the model: with μ its marginals and d = μ − μ_i,
//
//   μ_i += γ d,   h_i += γ (H(p) − h_i),   γ = min(1, gap_i / (σ c_i ‖X_iᵀd‖²)).
//
// The entropy of a mixture is at least the mixture of entropies, so h_i stays a bound and D a lower
// bound of the optimum. gap_i = log Z − θ·μ_i − h_i is the distance of the two, never negative, and
// γ is what raises D most (Shalev-Shwartz & Zhang 2013; for CRFs Le Priol et al. 2018).
#pragma once
#include "linnet/data/dataset.hpp"
#include "linnet/learners/dual/local_weights.hpp"
#include "linnet/learners/shards/shard_dual.hpp"

namespace linnet {

class MarginalShard final : public ShardDual {
 public:
  explicit MarginalShard(const Dataset& data) : data_(data) {
    if (data.partial())
      throw std::invalid_argument("with missing labels the loss is not convex and has no dual");
    for (Index i = 0; i < data.size(); ++i) {
      const Instance x = data.read(i, buffer_);
      if (!(x.weight >= 0 && x.weight < kInf))
        throw std::invalid_argument("costs must be finite and not negative");
      begin_.push_back(begin_.back() + x.oracle->parts() + 1);
      if (x.weight > 0) order_.push_back(i);
    }
  }

  Index dim() const override { return data_.dim(); }
  void check(std::span<const double> alpha) const override {
    require(static_cast<Index>(alpha.size()) == begin_.back());
  }
  Point start() const override {
    Point alpha(static_cast<std::size_t>(begin_.back()), 0.0);
    InstanceBuffer buffer;
    for (Index i = 0; i < data_.size(); ++i)
      for (const auto& [p, count] : data_.read(i, buffer).gold) alpha[begin_[i] + p] += count;
    return alpha;
  }
  Sums value(std::span<const double> w, std::span<const double> alpha) override {
    Sums sums;
    StopCheck stop;
    for (Index i : order_) {
      if (stop()) throw Interrupted();
      const Instance x = data_.read(i, buffer_);
      score_instance(x, w.data(), buffer_);
      double loss = x.oracle->solve(Ring::log, buffer_.theta, {}, buffer_.work);
      for (const auto& [p, count] : x.gold) loss -= count * buffer_.theta[p];
      sums.loss += x.weight * loss;
      sums.dual += x.weight * alpha[begin_[i + 1] - 1];
    }
    return sums;
  }
  void weights(std::span<const double> alpha, std::span<double> sum) override {
    std::fill(sum.begin(), sum.end(), 0.0);
    for (Index i : order_) {
      const Instance x = data_.read(i, buffer_);
      const auto mu = alpha.subspan(begin_[i], x.oracle->parts());
      buffer_.delta.assign(mu.begin(), mu.end());
      for (const auto& [p, count] : x.gold) buffer_.delta[p] -= count;
      scatter(x.sites, buffer_.delta, -x.weight, sum.data(), buffer_.site);
    }
  }
  Point steps(std::span<const double> w, std::span<const double> alpha, double sigma, int passes,
              std::uint64_t seed) override {
    Buffer<double> v(w.begin(), w.end());  // w, and σ times what the shard has moved it
    Point next(alpha.begin(), alpha.end());
    walk(order_, passes, seed, [&](Index i) {
      visit(i, std::span(next).subspan(begin_[i], begin_[i + 1] - begin_[i]), sigma, v.data());
    });
    return next;
  }

 private:
  void visit(Index i, std::span<double> point, double sigma, double* v) {
    const Instance x = data_.read(i, buffer_);
    const std::span<double> mu = point.first(point.size() - 1);
    double& entropy = point.back();
    local_.open(x.sites, v, buffer_.site.row);
    std::vector<double>&theta = buffer_.theta, &d = buffer_.delta;
    theta.resize(mu.size());
    d.resize(mu.size());
    score(local_.sites(), local_.values().data(), std::span<double>(theta), buffer_.site);
    const double log_z = x.oracle->solve(Ring::log, theta, d, buffer_.work);
    double expected = 0, held = 0;  // θ·μ, θ·μ_i
    for (std::size_t p = 0; p < mu.size(); ++p) {
      expected += theta[p] * d[p];
      held += theta[p] * mu[p];
      d[p] -= mu[p];
    }
    const double gap = std::max(log_z - held - entropy, 0.0);
    change_.assign(local_.values().size(), 0.0);
    scatter(local_.sites(), d, 1, change_.data(), buffer_.site);
    double square = 0;
    for (double c : change_) square += c * c;
    const double bend = sigma * x.weight * square;
    const double gamma = gap < bend ? gap / bend : 1;
    for (std::size_t p = 0; p < mu.size(); ++p) mu[p] += gamma * d[p];
    entropy += gamma * (log_z - expected - entropy);
    for (std::size_t j = 0; j < change_.size(); ++j)
      local_.values()[j] -= sigma * x.weight * gamma * change_[j];
    local_.write(x.sites, v);
  }

  const Dataset& data_;
  std::vector<Index> begin_{0};  // of the μ_i of each instance; its h_i is the last before the next
  std::vector<Index> order_;
  InstanceBuffer buffer_;
  LocalWeights local_;
  std::vector<double> change_;
};

}  // namespace linnet
