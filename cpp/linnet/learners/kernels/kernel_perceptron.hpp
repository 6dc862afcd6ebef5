// The perceptron in the dual: w = Σ_t [f(x_t, y_t) − f(x_t, y'_t)] over its mistakes t, so that the
// score of a label is a sum of kernel values, α counts mistakes, and every decision is that of
// `learners/online/perceptron.hpp` with the same kernel written out. Width 1: two labels, one part,
// whose score is positive for label 1.
//
// Averaged: each update counts as long as it was there. With a budget the oldest update is
// forgotten when there is one too many.
#pragma once
#include <cmath>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/rng.hpp"
#include "linnet/learners/kernels/kernel_crammer_singer.hpp"

namespace linnet {

// All updates: the example, the label whose score rose and the one whose score fell (−1: none), by
// how much the latter was ahead, and how many instances each hypothesis, that of no update first,
// survived.
struct PerceptronHistory {
  std::vector<Index> example;
  std::vector<Id> up, down;
  std::vector<double> loss;
  std::vector<Index> survived{0};
};

// The first label with the best score, as everywhere; `scores` is strided.
inline Id best_of(const double* scores, Id width, Index stride) {
  if (width == 1) return scores[0] > 0 ? 1 : 0;
  Id best = 0;
  for (Id k = 1; k < width; ++k)
    if (scores[k * stride] > scores[best * stride]) best = k;
  return best;
}

class KernelPerceptron {
 public:
  KernelPerceptron(GramCache& cache, std::span<const Id> labels, Id width, double constant,
                   Index budget, std::uint64_t seed)
      : cache_(cache),
        labels_(labels.begin(), labels.end()),
        n_(cache.size()),
        width_(width),
        constant_(constant),
        budget_(budget),
        rng_(seed) {
    if (width < 1 || static_cast<Index>(labels.size()) != n_)
      throw std::invalid_argument("one label for each example");
    for (Id label : labels)
      if (label < 0 || label >= std::max(width, 2))
        throw std::invalid_argument("a label is out of range");
    scores_.assign(static_cast<std::size_t>(n_ * width_), 0.0);
    alpha_.assign(scores_.size(), 0.0);
    total_.assign(scores_.size(), 0.0);
  }

  // Shuffled are all passes from the `shuffled`-th on. False: interrupted.
  bool train(Index epochs, Index shuffled) {
    StopCheck stop;
    std::vector<Index> order(static_cast<std::size_t>(n_));
    for (Index epoch = 0; epoch < epochs; ++epoch) {
      std::iota(order.begin(), order.end(), Index{0});
      if (epoch >= shuffled) rng_.shuffle(std::span<Index>(order));
      mistakes_.push_back(0);
      for (std::size_t t = 0; t < order.size(); ++t) {
        if (stop()) return false;
        visit(std::span<const Index>(order).subspan(t));
      }
      if (mistakes_.back() == 0) break;
    }
    return true;
  }

  const PerceptronHistory& history() const { return history_; }
  const std::vector<Index>& mistakes() const { return mistakes_; }
  // [examples][width]; of the average every update has the share of the steps that it was there
  // for.
  std::vector<double> coefficients(bool average) const {
    std::vector<double> out(alpha_.size());
    const auto steps = static_cast<double>(std::max<Index>(steps_, 1));
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] = average ? ((steps + 1) * alpha_[k] - total_[k]) / steps : alpha_[k];
    return out;
  }

 private:
  // The first of `order`; those after it come next.
  void visit(std::span<const Index> order) {
    const Index i = order[0];
    ++steps_;
    const Id found = best_of(scores_.data() + i, width_, n_), gold = labels_[i];
    if (found == gold) {
      ++history_.survived.back();
      return;
    }
    ++mistakes_.back();
    const Id up = width_ > 1 ? gold : gold == 1 ? 0 : -1;
    const Id down = width_ > 1 ? found : gold == 1 ? -1 : 0;
    history_.example.push_back(i);
    history_.up.push_back(up);
    history_.down.push_back(down);
    history_.loss.push_back(width_ > 1 ? scores_[found * n_ + i] - scores_[gold * n_ + i]
                                       : std::abs(scores_[i]));
    history_.survived.push_back(1);
    move(i, up, down, 1, order.subspan(1));
    if (budget_ > 0 && static_cast<Index>(history_.example.size()) - forgotten_ > budget_) {
      const auto oldest = static_cast<std::size_t>(forgotten_++);
      move(history_.example[oldest], history_.up[oldest], history_.down[oldest], -1, {});
    }
  }
  void move(Index i, Id up, Id down, double by, std::span<const Index> next) {
    const float* const row = cache_.get(i, [&](Index most, std::vector<Index>& wanted) {
      // Only mistakes are asked for: those that would be one now are the likeliest.
      for (Index j : next) {
        if (static_cast<Index>(wanted.size()) > most) break;
        if (!cache_.has(j) && best_of(scores_.data() + j, width_, n_) != labels_[j])
          wanted.push_back(j);
      }
    });
    for (const auto& [label, step] : {std::pair{up, by}, std::pair{down, -by}}) {
      if (label < 0) continue;
      double* const scores = scores_.data() + label * n_;
      add_row(scores, row, step, n_);
      if (constant_ != 0)
        for (Index j = 0; j < n_; ++j) scores[j] += step * constant_;
      alpha_[i * width_ + label] += step;
      total_[i * width_ + label] += step * static_cast<double>(steps_);
    }
  }

  GramCache& cache_;
  std::vector<Id> labels_;
  Index n_;
  Id width_;
  double constant_;
  Index budget_, forgotten_ = 0, steps_ = 0;
  Rng rng_;
  std::vector<double> scores_;         // [labels][examples]
  std::vector<double> alpha_, total_;  // [examples][labels]; total: update times step
  PerceptronHistory history_;
  std::vector<Index> mistakes_;
};

// out[label] += survivals of the hypotheses that choose it; values[s] = K(x, support vector s).
inline void count_votes(const double* values, double constant, std::span<const Index> example,
                        std::span<const Id> up, std::span<const Id> down,
                        std::span<const Index> survived, Id width, double* out) {
  std::vector<double> scores(static_cast<std::size_t>(width), 0.0);
  for (std::size_t t = 0;; ++t) {
    out[best_of(scores.data(), width, 1)] += static_cast<double>(survived[t]);
    if (t == example.size()) break;
    const double value = values[example[t]] + constant;
    if (up[t] >= 0) scores[up[t]] += value;
    if (down[t] >= 0) scores[down[t]] -= value;
  }
}

}  // namespace linnet
