// One loop for every online learner: take an instance, score it, ask the oracle, let the rule step.
// A rule sees the weights, the rows of the instance and (delta, loss); never the structure.
#pragma once
#include <numeric>

#include "linnet/base/pass.hpp"
#include "linnet/learners/online/hypotheses.hpp"
#include "linnet/learners/online/mini_batch.hpp"

namespace linnet {

// What Python drives: the same object goes on over later data (partial_fit, streams).
class OnlineLearner {
 public:
  virtual ~OnlineLearner() = default;
  // One pass, in the given order or shuffled by the learner's own generator; or what is left of one
  // that was paused, over the same data.
  virtual EpochStats epoch(const Dataset& data, bool shuffle) = 0;
  // The weights to predict with: averaged if averaging, every lazy penalty settled.
  virtual void weights_into(std::span<float> out, bool average = true) = 0;
  // Starts from given weights (warm start); what has been averaged so far is kept.
  virtual void set_weights(std::span<const float> w) = 0;
  virtual Index dim() const = 0;
  virtual void grow(Index dim) = 0;
  // New labels need wider rows of weights, new features of chains other places for transitions.
  virtual void remap(const Remap& to) = 0;
  virtual void state(Archive& a) = 0;
  virtual Pass& pass() = 0;
  // Those it went through, if they are kept: then it steps on mistakes alone.
  virtual Hypotheses& hypotheses() = 0;
};

// A rule has settle(weights, instance, buffer), which brings the weights the instance will read up
// to date, step(weights, instance, buffer, outcome), called when delta is not zero, and
// finish(weights), which settles all of them. grow(dim) follows the weights. It may also have
// check(data), which throws where it asks something of the data; can_average();
// regularise(weights), called at every step between scoring and stepping; and restart(weights),
// after they were set. remap(weights, to) lets it take new labels: what it keeps per weight follows
// weights that were settled and have just been laid out anew. A rule with step_along(weights,
// gradient) may step from several instances at once. What it remembers from step to step is listed
// by state(archive).
template <class Rule>
class OnlineOf final : public OnlineLearner {
 public:
  OnlineOf(Rule rule, const Loss& loss, Index dim, bool averaging, std::uint64_t seed)
      : rule_(std::move(rule)), loss_(loss), weights_(dim, averaging), rng_(seed) {
    if constexpr (requires { rule_.can_average(); })
      if (averaging && !rule_.can_average())
        throw std::invalid_argument("averaging is not possible with this penalty");
    rule_.grow(dim);
  }
  Rule& rule() { return rule_; }
  // Later steps are made from `size` instances each, see MiniBatch.
  void set_batches(Index size, int threads)
    requires TakesGradients<Rule>
  {
    batch_ = MiniBatch(size, threads);
  }
  OnlineWeights& weights() { return weights_; }
  Index dim() const override { return weights_.dim(); }
  void grow(Index dim) override {
    if (dim < weights_.dim()) throw std::invalid_argument("weights can only become more");
    weights_.grow(dim);
    rule_.grow(dim);
  }
  void remap(const Remap& to) override {
    to.check(dim());
    if constexpr (requires { rule_.remap(weights_, to); }) {
      rule_.finish(weights_);
      weights_.remap(to);
      rule_.remap(weights_, to);
    } else {
      throw std::invalid_argument("this learner cannot take new labels");
    }
  }
  void set_weights(std::span<const float> w) override {
    if (static_cast<Index>(w.size()) > dim()) grow(static_cast<Index>(w.size()));
    rule_.finish(weights_);
    for (std::size_t i = 0; i < w.size(); ++i)
      weights_.set(static_cast<Index>(i), static_cast<double>(w[i]));
    if constexpr (requires { rule_.restart(weights_); }) rule_.restart(weights_);
  }
  void state(Archive& a) override {
    Index dim = this->dim();
    a.size(dim, sizeof(float));
    Archive::require(dim >= this->dim(), "there are fewer weights");
    if (a.reading()) grow(dim);
    a(weights_, rng_, pass_, hypotheses_);
    if constexpr (requires { rule_.state(a); }) rule_.state(a);
  }
  Pass& pass() override { return pass_; }
  Hypotheses& hypotheses() override { return hypotheses_; }
  void weights_into(std::span<float> out, bool average) override {
    rule_.finish(weights_);
    if (average && hypotheses_.keeps_survivor() && hypotheses_.survivor_into(weights_, out)) return;
    weights_.average_into(out, average);
  }

  EpochStats epoch(const Dataset& data, bool shuffle) override {
    if constexpr (requires { rule_.check(data); }) rule_.check(data);
    hypotheses_.check(data);
    if (data.dim() > weights_.dim()) grow(data.dim());
    const auto arrange = [&](std::vector<Index>& order, Rng& rng) {
      order.resize(data.size());
      std::iota(order.begin(), order.end(), Index{0});
      if (shuffle) rng.shuffle(std::span<Index>(order), data.together());
      if (batch_.size() > 1)
        std::erase_if(order, [&](Index i) { return data.read(i, buffer_).weight == 0; });
    };
    const std::span<const Index> order = pass_.order(rng_, arrange);
    EpochStats start;
    start.objective = 0;
    if constexpr (TakesGradients<Rule>)
      if (batch_.size() > 1) return step_in_batches(data, order, start);
    return pass_.over(
        order.size(), [&](std::size_t t, EpochStats& stats) { visit(data, order[t], stats); },
        start);
  }

 private:
  void visit(const Dataset& data, Index i, EpochStats& stats) {
    const Instance x = data.read(i, buffer_);
    if (x.weight == 0) return;
    weights_.next_step();
    rule_.settle(weights_, x, buffer_);
    const auto [outcome, mistake] = judge(loss_, x, weights_, buffer_);
    stats.mistakes += mistake;
    stats.objective += x.weight * outcome.loss;
    if (hypotheses_.conservative()) {
      if (!mistake) return hypotheses_.survives();
      hypotheses_.dies(weights_, x, buffer_, [&] { rule_.finish(weights_); });
    }
    if constexpr (requires { rule_.regularise(weights_); }) rule_.regularise(weights_);
    if (!outcome.moved) return;
    ++stats.updates;
    try {
      rule_.step(weights_, x, buffer_, outcome);
      if (hypotheses_.conservative()) hypotheses_.steps(weights_, x, buffer_);
    } catch (const std::overflow_error& error) {
      throw std::invalid_argument("row " + std::to_string(i) + ": " + error.what());
    }
  }
  // One step for each `size` instances that weigh something, and one for those that are left.
  EpochStats step_in_batches(const Dataset& data, std::span<const Index> order, EpochStats start)
    requires TakesGradients<Rule>
  {
    const auto size = static_cast<std::size_t>(batch_.size());
    const auto each = static_cast<unsigned>(std::max<std::size_t>(64 / size, 1));
    const auto take = [&](std::size_t t, EpochStats& stats) {
      const auto left = order.subspan(t * size);
      weights_.next_step();
      if (!batch_.read(data, left.first(std::min(left.size(), size)), loss_, rule_, weights_, stats,
                       pass_.stop())) {
        stats.interrupted = true;
        return;
      }
      if constexpr (requires { rule_.regularise(weights_); }) rule_.regularise(weights_);
      if (batch_.moved()) rule_.step_along(weights_, batch_.gradient());
    };
    return pass_.over((order.size() + size - 1) / size, take, start, 0, each);
  }

  Rule rule_;
  Loss loss_;
  OnlineWeights weights_;
  Rng rng_;
  Pass pass_;
  Hypotheses hypotheses_;
  InstanceBuffer buffer_;
  MiniBatch batch_{1, 1};
};

}  // namespace linnet
