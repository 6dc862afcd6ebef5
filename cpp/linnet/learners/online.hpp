// One loop for every online learner: take an instance, score it, ask the oracle, let the rule step.
// A rule sees the weights, the rows of the instance and (delta, loss); never the structure.
#pragma once
#include <numeric>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/rng.hpp"
#include "linnet/data/dataset.hpp"

namespace linnet {

// float32 weights with, if wanted, the average of all their past values kept lazily: a change D
// made at step t is missing from the first t - 1 of T values, so average = w - (1/T) sum (t - 1) D
// and a step costs only its active features (Daume 2006, figure 2.3).
class OnlineWeights {
 public:
  OnlineWeights(Index dim, bool averaging) : w_(dim), drift_(averaging ? dim : 0) {}

  float* data() { return w_.data(); }
  const float* data() const { return w_.data(); }
  Index dim() const { return static_cast<Index>(w_.size()); }
  bool averaging() const { return !drift_.empty(); }
  Index steps() const { return steps_; }
  void next_step() { ++steps_; }

  // w[offset ..] += scale * d, at the current step.
  void add(Index offset, const double* d, Id width, double scale) {
    for (Id y = 0; y < width; ++y) add(offset + y, scale * d[y]);
  }
  void add(Index at, double change) {
    w_[at] += static_cast<float>(change);
    if (averaging()) drift_[at] += static_cast<double>(std::max<Index>(steps_ - 1, 0)) * change;
  }
  // w[at] = value, without the rounding of a difference.
  void set(Index at, double value) {
    if (averaging())
      drift_[at] += static_cast<double>(std::max<Index>(steps_ - 1, 0)) * (value - w_[at]);
    w_[at] = static_cast<float>(value);
  }
  // New features append rows; a wider stride is laid out anew by the caller.
  void grow(Index dim) {
    w_.resize(dim);
    if (averaging()) drift_.resize(dim);
  }
  void average_into(std::span<float> out) const {
    for (std::size_t i = 0; i < w_.size(); ++i)
      out[i] = averaging() && steps_ > 0
                   ? static_cast<float>(w_[i] - drift_[i] / static_cast<double>(steps_))
                   : w_[i];
  }

 private:
  Buffer<float> w_;
  Buffer<double> drift_;
  Index steps_ = 0;
};

// What Python drives: the same object goes on over later data (partial_fit, streams).
class OnlineLearner {
 public:
  virtual ~OnlineLearner() = default;
  // One pass, in the given order or shuffled by the learner's own generator.
  virtual EpochStats epoch(const Dataset& data, bool shuffle) = 0;
  // The weights to predict with: averaged if averaging, every lazy penalty settled.
  virtual void weights_into(std::span<float> out) = 0;
  // Starts from given weights (warm start); what has been averaged so far is kept.
  virtual void set_weights(std::span<const float> w) = 0;
  virtual Index dim() const = 0;
  virtual void grow(Index dim) = 0;
};

// A rule has settle(weights, instance, buffer), which brings the weights the instance will read up
// to date, step(weights, instance, buffer, outcome), called when delta is not zero, and
// finish(weights), which settles all of them. grow(dim) follows the weights. A rule that asks
// something of the data also has check(data), which throws.
template <class Rule>
class OnlineOf final : public OnlineLearner {
 public:
  OnlineOf(Rule rule, const Loss& loss, Index dim, bool averaging, std::uint64_t seed)
      : rule_(std::move(rule)), loss_(loss), weights_(dim, averaging), rng_(seed) {
    rule_.grow(dim);
  }
  Rule& rule() { return rule_; }
  OnlineWeights& weights() { return weights_; }
  Index dim() const override { return weights_.dim(); }
  void grow(Index dim) override {
    weights_.grow(dim);
    rule_.grow(dim);
  }
  void set_weights(std::span<const float> w) override {
    if (static_cast<Index>(w.size()) > dim()) grow(static_cast<Index>(w.size()));
    rule_.finish(weights_);
    for (std::size_t i = 0; i < w.size(); ++i)
      weights_.add(static_cast<Index>(i), static_cast<double>(w[i]) - weights_.data()[i]);
  }
  void weights_into(std::span<float> out) override {
    rule_.finish(weights_);
    weights_.average_into(out);
  }

  EpochStats epoch(const Dataset& data, bool shuffle) override {
    if constexpr (requires { rule_.check(data); }) rule_.check(data);
    if (data.dim() > weights_.dim()) grow(data.dim());
    order_.resize(data.size());
    std::iota(order_.begin(), order_.end(), Index{0});
    if (shuffle) rng_.shuffle(std::span<Index>(order_));
    EpochStats stats;
    StopCheck stop;
    double total = 0;
    for (Index i : order_) {
      const Instance x = data.read(i, buffer_);
      if (x.weight == 0) continue;
      weights_.next_step();
      rule_.settle(weights_, x, buffer_);
      score_instance(x, weights_.data(), buffer_);
      stats.mistakes += is_mistake(x, buffer_);
      const Outcome outcome = evaluate(loss_, x, buffer_);
      total += x.weight * outcome.loss;
      if (outcome.moved) {
        ++stats.updates;
        rule_.step(weights_, x, buffer_, outcome);
      }
      if (stop()) {
        stats.interrupted = true;
        break;
      }
    }
    stats.objective = total;
    return stats;
  }

 private:
  Rule rule_;
  Loss loss_;
  OnlineWeights weights_;
  Rng rng_;
  std::vector<Index> order_;
  InstanceBuffer buffer_;
};

}  // namespace linnet
