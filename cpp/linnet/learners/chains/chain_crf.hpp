// The objective of a conditional random field on first-order chains (Lafferty, McCallum & Pereira
// 2001): P(u) = ½ l2 ‖u‖² + Σ_i c_i (log Z_i − score of the gold labels), with weights for the
// (feature, label) pairs and transitions seen in training, or for all. Missing labels are summed
// out: the second term is then log Z over the sequences that agree with the labels that are known.
// If asked for, every label has a weight for standing first and one for standing last.
//
// Value and gradient are one pass: scores of tokens, forward–backward, and marginals minus gold
// back the same way. Sentences are cut into shards that do not depend on the number of threads;
// each adds up in the precision of Real, their sums in double, in order. As many shards at a time
// as there are threads, so that one thread needs the memory of one.
#pragma once
#include <atomic>
#include <memory>
#include <utility>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/thread_pool.hpp"
#include "linnet/data/sentences.hpp"
#include "linnet/learners/chains/pair_tables.hpp"
#include "linnet/optimisers/objective.hpp"
#include "linnet/optimisers/vectors.hpp"

namespace linnet {

// Weights of first and last labels [2][labels], or none: they are added to the scores of the first
// and the last token, so that whatever holds of those scores holds of them.
template <class Real, class Ends>
void add_ends(const Ends& ends, Id labels, Index length, Id stride, Real* theta) {
  if (ends.empty()) return;
  Real* const last = theta + (length - 1) * stride;
  for (Id y = 0; y < labels; ++y) theta[y] += static_cast<Real>(ends[y]);
  for (Id y = 0; y < labels; ++y) last[y] += static_cast<Real>(ends[labels + y]);
}

// Passes over all sentences, in the precision of Real.
template <class Real>
class CrfPass {
 public:
  CrfPass(const SeenPairs& pairs, const Sentences& data, int threads)
      : pairs_(pairs),
        data_(data),
        stride_(chain_stride<Real>(data.num_labels)),
        w_(pairs, stride_),
        count_(std::clamp<Index>(data.size(), 1, kShards)) {
    for (Index s = 0; s < std::min<Index>(threads, count_); ++s)
      shards_.emplace_back(pairs, stride_, static_cast<std::size_t>(data.num_labels * stride_));
  }

  // transitions: labels × labels; ends: 2 × labels, or none
  void set(std::span<const double> u, std::span<const double> transitions,
           std::span<const double> ends) {
    ends_ = ends;
    w_.set(pairs_, stride_, u);
    transitions_.set(data_.num_labels, transitions.data(), static_cast<const double*>(nullptr),
                     static_cast<const double*>(nullptr), true);
  }

  // Σ c_i loss_i, and its gradient by coordinates, by transitions and by ends.
  double run(int threads, std::span<double> gradient, std::span<double> of_transitions,
             std::span<double> of_ends, std::atomic<bool>& stopped) {
    const Index n = data_.size(), at_once = std::ssize(shards_);
    for (std::span<double> sum : {gradient, of_transitions, of_ends})
      std::fill(sum.begin(), sum.end(), 0.0);
    double loss = 0;
    for (Index from = 0; from < count_; from += at_once) {
      const Index now = std::min(at_once, count_ - from);
      parallel_for(now, threads, [&](Index k) {
        Shard& shard = shards_[k];
        shard.clear();
        shard.ends.assign(ends_.size(), 0.0);
        for (Index i = n * (from + k) / count_; i < n * (from + k + 1) / count_; ++i) {
          if (stopped.load(std::memory_order_relaxed)) break;
          if (data_.length(i) > 0) add_sentence(shard, i);
          if (shard.stop()) stopped = true, shard.stop = {};
        }
      });
      for (Index k = 0; k < now; ++k)
        loss += take_over(shards_[k], gradient, of_transitions, of_ends);
    }
    return loss;
  }

  // Σ c_i loss_i alone.
  double loss(std::atomic<bool>& stopped) {
    Shard& shard = shards_.front();
    shard.clear();
    double sum = 0;
    for (Index i = 0; i < data_.size() && !stopped; ++i) {
      if (data_.length(i) > 0) sum += data_.weight(i) * solve(shard, i);
      if (shard.stop()) stopped = true, shard.stop = {};
    }
    return sum;
  }

  // The marginals of the labels of every token [tokens][labels], and the loss of every sentence.
  void marginals(std::span<double> out, std::span<double> losses) {
    Shard& shard = shards_.front();
    shard.clear();
    for (Index i = 0; i < data_.size(); ++i) {
      losses[i] = data_.length(i) > 0 ? solve(shard, i) : 0;
      for (Index t = 0; t < data_.length(i); ++t)
        for (Id y = 0; y < data_.num_labels; ++y)
          out[(data_.begin(i) + t) * data_.num_labels + y] =
              static_cast<double>(shard.mu[t * stride_ + y]);
    }
  }

 private:
  struct Shard {
    PairTables<Real> sums;
    Buffer<double> transitions, expected;  // [labels][stride]; of the shard, of one sentence
    std::vector<double> ends{};            // [2][labels]
    Buffer<Real> theta, mu, target;        // [tokens][stride]
    ChainScratch<Real> work{};
    double loss = 0;
    StopCheck stop{};  // lives as long as we do, or short calls would never ask

    Shard(const SeenPairs& pairs, Id stride, std::size_t squares)
        : sums(pairs, stride), transitions(squares), expected(squares) {}
    void clear() {
      sums.clear();
      std::fill(transitions.begin(), transitions.end(), 0.0);
      loss = 0;
    }
    void fit(std::size_t size) {
      for (Buffer<Real>* b : {&theta, &mu, &target})
        if (b->size() < size) b->resize(size);
    }
  };

  void add_sentence(Shard& shard, Index i) const {
    const double weight = data_.weight(i);
    shard.loss += weight * solve(shard, i);
    Real* const delta = shard.mu.data();
    const Index length = data_.length(i), size = length * stride_;
    if (data_.partial(i)) {
      for (Index k = 0; k < size; ++k) delta[k] -= shard.target[k];
    } else {
      const auto gold = data_.gold(i);
      for (Index t = 0; t < length; ++t) delta[t * stride_ + gold[t]] -= 1;
    }
    if (weight != 1)
      for (Index k = 0; k < size; ++k) delta[k] *= static_cast<Real>(weight);
    scatter_tokens(pairs_, delta, data_.begin(i), length, stride_, shard.sums);
    if (shard.ends.empty()) return;
    for (Id y = 0; y < data_.num_labels; ++y) {
      shard.ends[y] += static_cast<double>(delta[y]);
      shard.ends[data_.num_labels + y] += static_cast<double>(delta[(length - 1) * stride_ + y]);
    }
  }

  // The loss of sentence i; leaves the marginals in mu and, where labels are missing, those given
  // the known ones in target. Adds what the sentence adds to the gradient by transitions.
  double solve(Shard& shard, Index i) const {
    const Index length = data_.length(i);
    shard.fit(static_cast<std::size_t>(length * stride_));
    Real* const theta = shard.theta.data();
    score_tokens(pairs_, w_, data_.begin(i), length, stride_, theta);
    add_ends(ends_, data_.num_labels, length, stride_, theta);
    const double log_z = marginals(shard, length, data_.weight(i), shard.mu.data());
    const auto gold = data_.gold(i);
    if (data_.partial(i)) {
      for (Index t = 0; t < length; ++t)
        for (Id y = 0; gold[t] >= 0 && y < data_.num_labels; ++y)
          if (y != gold[t]) theta[t * stride_ + y] = static_cast<Real>(-kInf);
      return log_z - marginals(shard, length, -data_.weight(i), shard.target.data());
    }
    double score = 0;
    for (Index t = 0; t < length; ++t) {
      score += static_cast<double>(theta[t * stride_ + gold[t]]);
      if (t == 0) continue;
      const Index k = static_cast<Index>(gold[t - 1]) * stride_ + gold[t];
      score += static_cast<double>(transitions_.score[k]);
      shard.transitions[k] -= data_.weight(i);
    }
    return log_z - score;
  }
  double marginals(Shard& shard, Index length, double weight, Real* mu) const {
    std::fill(shard.expected.begin(), shard.expected.end(), 0.0);
    const double log_z = chain_marginals(transitions_, shard.theta.data(), static_cast<Id>(length),
                                         mu, shard.expected.data(), shard.work);
    add_scaled(weight, shard.expected, shard.transitions);
    return log_z;
  }

  double take_over(Shard& shard, std::span<double> gradient, std::span<double> of_transitions,
                   std::span<double> of_ends) {
    const Id labels = data_.num_labels;
    shard.sums.each(pairs_, stride_, [&](Real sum, Index j, double scale) {
      gradient[j] += scale * static_cast<double>(sum);
    });
    for (Id a = 0; a < labels; ++a)
      for (Id b = 0; b < labels; ++b)
        of_transitions[static_cast<Index>(a) * labels + b] +=
            shard.transitions[static_cast<Index>(a) * stride_ + b];
    add_scaled(1, shard.ends, of_ends);
    return shard.loss;
  }

  static constexpr Index kShards = 8;

  const SeenPairs& pairs_;
  const Sentences& data_;
  Id stride_;
  PairTables<Real> w_;
  ChainTransitions<Real> transitions_;
  std::span<const double> ends_{};
  Index count_;                // of shards
  std::vector<Shard> shards_;  // those in work
};

class ChainCrf final : public Objective {
 public:
  // The caller keeps the arrays of `data` alive; the rows are copied. `precise`: all in double
  // precision, for tolerances below 1e-6; twice the time.
  ChainCrf(const Rows& rows, const Sentences& data, double l2, bool all_pairs, bool all_transitions,
           bool ends, bool precise, int threads)
      : data_(data),
        pairs_(rows, data.labels, data.num_labels, all_pairs),
        l2_(l2),
        ends_(ends ? 2 * data.num_labels : 0),
        precise_(precise),
        threads_(threads) {
    if (!(l2 >= 0 && l2 < kInf)) throw std::invalid_argument("l2 must be finite and not negative");
    if (threads < 1) throw std::invalid_argument("threads must be at least 1");
    data.check(rows.size());
    complete_ = std::find(data.labels.begin(), data.labels.end(), -1) == data.labels.end();
    see_transitions(all_transitions);
    of_transitions_.resize(table_.size());
  }

  const SeenPairs& pairs() const { return pairs_; }
  const Sentences& data() const { return data_; }
  // The transitions that have weights, from·labels + to, in the order of their coordinates, which
  // come after those of pairs.
  std::span<const Id> transitions() const { return seen_; }
  // Where the coordinates of first and last labels begin, and how many there are: 2 · labels or 0.
  Index first_end() const { return pairs_.dim() + static_cast<Index>(seen_.size()); }
  Id ends() const { return ends_; }
  double l2() const { return l2_; }
  bool precise() const { return precise_; }
  void set_precise(bool precise) { precise_ = precise; }
  Index dim() const override { return first_end() + ends_; }
  bool interrupted() const override { return stopped_; }
  double strong_convexity() const override { return complete_ ? l2_ : 0; }
  int threads() const override { return threads_; }

  double evaluate(std::span<const double> u, std::span<double> gradient) override {
    const auto features = static_cast<std::size_t>(pairs_.dim());
    stopped_ = false;
    const double loss = with_pass(u, [&](auto& pass) {
      return pass.run(threads_, gradient.first(features), of_transitions_,
                      gradient.last(static_cast<std::size_t>(ends_)), stopped_);
    });
    for (std::size_t k = 0; k < seen_.size(); ++k)
      gradient[features + k] = of_transitions_[seen_[k]];
    long_add(l2_, u, gradient, threads_);
    return l2_ / 2 * long_dot(u, u, threads_) + loss;
  }

  // P in double precision, without its gradient.
  double exact_value(std::span<const double> u) {
    const bool before = std::exchange(precise_, true);
    stopped_ = false;
    const double loss = with_pass(u, [&](auto& pass) { return pass.loss(stopped_); });
    precise_ = before;
    return l2_ / 2 * dot(u, u) + loss;
  }
  // The same, and ‖∇P‖².
  std::pair<double, double> exact_slope(std::span<const double> u) {
    const bool before = std::exchange(precise_, true);
    Vector gradient(static_cast<std::size_t>(dim()));
    const double value = evaluate(u, gradient);
    precise_ = before;
    return {value, dot(gradient, gradient)};
  }

  void marginals(std::span<const double> u, std::span<double> out, std::span<double> losses) {
    with_pass(u, [&](auto& pass) { return pass.marginals(out, losses), 0.0; });
  }

 private:
  template <class Visit>
  double with_pass(std::span<const double> u, Visit&& visit) {
    const auto features = static_cast<std::size_t>(pairs_.dim());
    for (std::size_t k = 0; k < seen_.size(); ++k) table_[seen_[k]] = u[features + k];
    const auto run = [&](auto& pass) {
      using Pass = typename std::remove_reference_t<decltype(pass)>::element_type;
      if (!pass) pass = std::make_unique<Pass>(pairs_, data_, threads_);
      pass->set(u, table_, u.last(static_cast<std::size_t>(ends_)));
      return visit(*pass);
    };
    return precise_ ? run(in_double_) : run(in_single_);
  }
  void see_transitions(bool all) {
    const auto labels = static_cast<std::size_t>(data_.num_labels);
    std::vector<bool> seen(labels * labels, all);
    for (Index i = 0; i < data_.size(); ++i) {
      const auto gold = data_.gold(i);
      for (std::size_t t = 1; t < gold.size(); ++t)
        if (gold[t - 1] >= 0 && gold[t] >= 0)
          seen[static_cast<std::size_t>(gold[t - 1]) * labels + static_cast<std::size_t>(gold[t])] =
              true;
    }
    for (std::size_t k = 0; k < seen.size(); ++k)
      if (seen[k]) seen_.push_back(static_cast<Id>(k));
    table_.resize(seen.size());
  }

  Sentences data_;
  SeenPairs pairs_;
  double l2_;
  bool complete_ = true;  // no label is missing
  Id ends_;
  bool precise_;
  int threads_;
  std::vector<Id> seen_;
  Vector table_, of_transitions_;  // labels × labels: weights, gradient
  std::unique_ptr<CrfPass<float>> in_single_;
  std::unique_ptr<CrfPass<double>> in_double_;
  std::atomic<bool> stopped_{false};
};

// The weights of all transitions, [from][to], 0 where there is none, and of ends, from the tables
// of a pass.
template <class Real>
std::vector<double> tied_weights(const ChainCrf& crf, const ChainTransitions<Real>& transitions,
                                 std::span<const Real> ends) {
  const Id labels = crf.data().num_labels;
  std::vector<double> w(static_cast<std::size_t>(labels) * static_cast<std::size_t>(labels));
  for (Id k : crf.transitions())
    w[k] = static_cast<double>(
        transitions.score[static_cast<Index>(k / labels) * transitions.stride + k % labels]);
  w.insert(w.end(), ends.begin(), ends.end());
  return w;
}

}  // namespace linnet
