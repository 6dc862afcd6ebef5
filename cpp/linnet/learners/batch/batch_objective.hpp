// The objective of batch learning, P(w) = ½ l2 ‖w‖² + Σ_i c_i loss_i(w), over any dataset and loss;
// c_i are the weights of the instances. The intercept (row 0 of the weights) is penalised like any
// other feature unless it is set free.
//
// Instances are cut into shards, each with a gradient of its own; these are summed in order. The
// shards do not depend on the number of threads, hence neither does a bit of the result.
#pragma once
#include <atomic>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/thread_pool.hpp"
#include "linnet/data/targets.hpp"
#include "linnet/learners/batch/curvature.hpp"
#include "linnet/optimisers/objective.hpp"
#include "linnet/optimisers/vectors.hpp"

namespace linnet {

class BatchObjective final : public Objective {
 public:
  // The caller keeps the dataset alive.
  BatchObjective(const Dataset& data, const Loss& loss, double l2, bool penalise_intercept,
                 int threads)
      : data_(data),
        loss_(loss),
        l2_(l2),
        first_penalised_(penalise_intercept ? 0 : data.stride()),
        threads_(threads),
        shards_(static_cast<std::size_t>(num_shards(data))) {
    if (!(l2 >= 0 && l2 < kInf)) throw std::invalid_argument("l2 must be finite and not negative");
    if (threads < 1) throw std::invalid_argument("threads must be at least 1");
    const Index n = data.size(), count = static_cast<Index>(shards_.size());
    for (Index s = 0; s < count; ++s) {
      Shard& shard = shards_[s];
      shard.begin = n * s / count;
      shard.end = n * (s + 1) / count;
      if (s > 0) shard.partial.resize(static_cast<std::size_t>(data.dim()));
    }
  }

  const Dataset& data() const { return data_; }
  const Loss& loss() const { return loss_; }
  double l2(Index j) const { return j < first_penalised_ ? 0 : l2_; }
  Index dim() const override { return data_.dim(); }
  bool interrupted() const override { return stopped_; }
  int threads() const override { return threads_; }
  // (A free intercept has no curvature of its own; but where it has a say the data give it more.)
  double strong_convexity() const override {
    return loss_.link == Link::complement || data_.partial() ? 0 : l2_;
  }

  // gradient = l2 w + Σ_i c_i X_iᵀ delta_i
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    scores_complete_ = false;
    if (!keep_scores_) last_w_.assign(w.begin(), w.end());
    const double loss = over_instances(gradient, [&](Index i, Shard& shard, double* out) {
      InstanceBuffer& b = shard.buffer;
      const Instance x = data_.read(i, b);
      score_instance(x, w.data(), b);
      const Outcome outcome = loss_of(loss_, x, b);  // adds the cost to theta
      if (keep_scores_) shard.keep(i, b.theta);
      scatter(x.sites, b.delta, x.weight, out, b.site);
      return x.weight * outcome.loss;
    });
    scores_complete_ = keep_scores_ && !stopped_;
    const auto penalised = w.subspan(static_cast<std::size_t>(first_penalised_));
    long_add(l2_, penalised, gradient.subspan(static_cast<std::size_t>(first_penalised_)),
             threads_);
    return l2_ / 2 * long_dot(penalised, penalised, threads_) + loss;
  }

  bool has_hessian() const override { return has_curvature(loss_) && !data_.partial(); }

  // out = l2 v + Σ_i c_i X_iᵀ (∂² loss_i / ∂theta²) X_i v
  void hessian_times(std::span<const double> v, std::span<double> out) override {
    if (!need_scores()) return;
    over_instances(out, [&](Index i, Shard& shard, double* sum) {
      InstanceBuffer& b = shard.buffer;
      const Instance x = data_.read(i, b);
      const Curvature c = shard.curvature(i, loss_, x);
      if (c.zero()) return 0.0;  // most instances, for a squared hinge
      score_instance(x, v.data(), b);
      curvature_times(c, *x.oracle, shard.kept(i), shard.difference, b.theta, b.delta, b.work);
      scatter(x.sites, b.delta, x.weight, sum, b.site);
      return 0.0;
    });
    for (Index j = first_penalised_; j < dim(); ++j) out[j] += l2_ * v[j];
  }

  bool hessian_diagonal(std::span<double> out) override {
    if (!has_hessian() || !need_scores()) return false;
    over_instances(out, [&](Index i, Shard& shard, double* sum) {
      InstanceBuffer& b = shard.buffer;
      const Instance x = data_.read(i, b);
      const Curvature c = shard.curvature(i, loss_, x);
      if (c.zero()) return 0.0;
      b.delta.resize(shard.difference.size());
      curvature_diagonal(c, *x.oracle, shard.kept(i), shard.difference, b.delta, b.work);
      for_each_weight_row(x.sites, b.delta, b.site,
                          [&](Index offset, double value, const double* d, const Group& g) {
                            detail::add_row(sum + offset, d, g.width, x.weight * value * value);
                          });
      return 0.0;
    });
    for (Index j = first_penalised_; j < dim(); ++j) out[j] += l2_;
    return true;
  }

 private:
  struct Shard {
    Index begin = 0, end = 0;
    double loss = 0;
    Vector partial;  // the gradient of its instances; the first shard uses the result itself
    StopCheck stop;  // lives as long as we do, or short calls would never ask
    InstanceBuffer buffer;
    std::vector<double> difference;  // mu - gold, for curvature
    std::vector<double> theta;       // scores, with cost, at the last point evaluated
    std::vector<Index> starts{};     // where those of each instance start

    void keep(Index i, std::span<const double> scores) {
      if (i == begin) theta.clear(), starts.assign(1, 0);
      theta.insert(theta.end(), scores.begin(), scores.end());
      starts.push_back(static_cast<Index>(theta.size()));
    }
    std::span<const double> kept(Index i) const {
      const Index from = starts[i - begin], to = starts[i - begin + 1];
      return {theta.data() + from, static_cast<std::size_t>(to - from)};
    }
    Curvature curvature(Index i, const Loss& loss, const Instance& x) {
      difference.resize(kept(i).size());
      return linnet::curvature(loss, *x.oracle, x.gold, kept(i), difference, buffer.work);
    }
  };

  // Two to eight: so many that clearing and adding their gradients costs about an eighth of a pass
  // over the features, and takes no more than 256 MB.
  static Index num_shards(const Dataset& data) {
    Index touched = 0;  // weights touched in one pass
    InstanceBuffer b;
    RowBuffer row;
    for (Index i = 0; i < data.size(); ++i)
      for (const Group& g : data.read(i, b).sites)
        touched += g.width * g.rows->entries(g.first, g.count, row);
    const Index dim = std::max<Index>(data.dim(), 1);
    const Index fitting = std::min(touched / 4, Index{1} << 25) / dim;
    return std::clamp<Index>(data.size(), 1, std::clamp<Index>(fitting, 2, 8));
  }

  // sum = Σ over shards of what visit(i, shard, sum) adds for each instance; returns the sum of
  // what it returns. Stops early, with `stopped_` set, when the user asks to.
  template <class Visit>
  double over_instances(std::span<double> sum, Visit&& visit) {
    stopped_ = false;
    parallel_for(static_cast<Index>(shards_.size()), threads_, [&](Index s) {
      Shard& shard = shards_[s];
      const std::span<double> out = s == 0 ? sum : std::span<double>(shard.partial);
      std::fill(out.begin(), out.end(), 0.0);
      shard.loss = 0;
      for (Index i = shard.begin; i < shard.end && !stopped_.load(std::memory_order_relaxed); ++i) {
        shard.loss += visit(i, shard, out.data());
        if (shard.stop()) stopped_ = true, shard.stop = {};
      }
    });
    constexpr Index kBlock = 1 << 14;
    parallel_for((dim() + kBlock - 1) / kBlock, threads_, [&](Index block) {
      const auto from = static_cast<std::size_t>(block * kBlock);
      const std::size_t size = std::min<std::size_t>(kBlock, sum.size() - from);
      for (std::size_t s = 1; s < shards_.size(); ++s)
        add_scaled(1, std::span<const double>(shards_[s].partial).subspan(from, size),
                   sum.subspan(from, size));
    });
    double loss = 0;
    for (const Shard& shard : shards_) loss += shard.loss;
    return loss;
  }

  // Scores are kept from the first time that someone asks for curvature. False: interrupted.
  bool need_scores() {
    if (!keep_scores_) {
      if (last_w_.empty()) throw std::logic_error("evaluate the objective before its Hessian");
      keep_scores_ = true;
      Vector gradient(last_w_.size());
      evaluate(last_w_, gradient);
      last_w_ = {};
    }
    return scores_complete_;
  }

  const Dataset& data_;
  Loss loss_;
  double l2_;
  Index first_penalised_;
  int threads_;
  std::vector<Shard> shards_;
  std::atomic<bool> stopped_{false};
  bool keep_scores_ = false, scores_complete_ = false;
  Vector last_w_;
};

}  // namespace linnet
