// Perceptron and passive–aggressive steps of tokens by themselves, each label of which may have a
// weight for each feature: what ChainPerceptron does with chains of one token, all pairs and no
// transitions, to the bit. Weights are there once a step has moved them, so that time and memory go
// by the mistakes and not by features times labels.
#pragma once
#include <cmath>
#include <numeric>

#include "linnet/base/pass.hpp"
#include "linnet/features/label_weights.hpp"
#include "linnet/features/merged_features.hpp"
#include "linnet/learners/chains/chain_perceptron.hpp"
#include "linnet/learners/chains/growing_weights.hpp"

namespace linnet {

class TokenSteps {
 public:
  // labels and weights: one per token; a token without weight is left out.
  TokenSteps(const Rows& rows, std::span<const Id> labels, Id num_labels,
             std::span<const double> weights, ChainStep rule, double C, bool average, bool shuffle,
             std::uint64_t seed, double cost)
      : rows_(rows),
        labels_(labels.begin(), labels.end()),
        weights_(weights.begin(), weights.end()),
        num_labels_(num_labels),
        rule_(rule),
        C_(C),
        cost_(cost),
        average_(average),
        shuffle_(shuffle),
        rng_(seed),
        w_(rows_.groups(), num_labels),
        theta_(static_cast<std::size_t>(w_.stride())) {
    if (!(C > 0)) throw std::invalid_argument("C must be positive");
    if (!(cost >= 0 && cost < kInf))
      throw std::invalid_argument("the margin must be finite and not negative");
    if (std::ssize(labels_) != rows_.size() || std::ssize(weights_) != rows_.size())
      throw std::invalid_argument("there must be a label and a weight for each token");
    for (Id y : labels_)
      if (y < 0 || y >= num_labels) throw std::invalid_argument("a label id is out of range");
  }

  TokenSteps(const TokenSteps&) = delete;

  // One pass over the tokens.
  EpochStats epoch() {
    const auto order = pass_.order(rng_, [&](std::vector<Index>& all, Rng& rng) {
      all.resize(labels_.size());
      std::iota(all.begin(), all.end(), Index{0});
      if (shuffle_) rng.shuffle(std::span(all));
    });
    EpochStats stats = pass_.over(order.size(), [&](std::size_t t, EpochStats& so_far) {
      if (weights_[order[t]] > 0) step(order[t], so_far);
      ++steps_;
    });
    stats.converged = stats.updates == 0 && !stats.interrupted && !stats.paused;
    return stats;
  }

  void state(Archive& a) { a(rng_, w_, steps_, pass_); }
  Pass& pass() { return pass_; }

  // What was learnt, averaged if so asked.
  LabelRows label_rows(double smallest) const {
    LabelRows made(num_labels_, static_cast<float>(smallest));
    for (Id group : rows_.group()) {
      if (group >= 0)
        w_.each(group, [&](Id label, float weight, float late) {
          if (weight == 0 && late == 0) return;
          const double copies = static_cast<double>(rows_.copies(group));
          made.put(label, static_cast<float>(learnt(weight, late) / copies));
        });
      made.close();
    }
    return made;
  }

 private:
  double learnt(float w, float late) const {
    if (!average_ || steps_ == 0) return static_cast<double>(w);
    return static_cast<double>(w) - static_cast<double>(late) / static_cast<double>(steps_);
  }

  void step(Index t, EpochStats& stats) {
    const Id right = labels_[t];
    const auto row = rows_.row(t);
    const auto values = rows_.values(t);
    score_growing(w_, row, values, num_labels_, theta_.data());
    const Id wrong = best(right, cost_);
    if (wrong == right) return;
    ++stats.updates;
    double top = static_cast<double>(theta_[wrong]);
    double square = 0;
    for (std::size_t j = 0; j < row.size(); ++j) {  // ‖δ‖²: a feature's right and wrong label
      const float x = values.empty() ? 1.f : values[j];
      const double one = static_cast<double>(rows_.copies(row[j]) * x * x);
      square += one;
      square += one;
    }
    const double gold = static_cast<double>(theta_[right]), weight = weights_[t];
    if (cost_ == 0) {
      ++stats.mistakes;
      return apply(t, right, wrong, weight * rate(top + 1 - gold, C_, square));
    }
    stats.mistakes += best(right, -cost_) != right;  // what is predicted
    const double loss = std::max(0.0, top - gold);
    apply(t, right, wrong,
          rule_ == ChainStep::perceptron ? weight : rate(loss, C_ * weight, square));
  }
  // The best label once `cost` is added to the scores of wrong ones; of equal ones the first.
  Id best(Id right, double cost) {
    const auto more = static_cast<float>(cost);
    for (Id y = 0; cost != 0 && y < num_labels_; ++y)
      if (y != right) theta_[y] += more;
    return static_cast<Id>(std::max_element(theta_.begin(), theta_.begin() + num_labels_) -
                           theta_.begin());
  }
  double rate(double loss, double C, double square) const {
    if (rule_ == ChainStep::perceptron) return 1;
    if (rule_ == ChainStep::pa2) return loss / (square + 1 / (2 * C));
    const double tau = square > 0 ? loss / square : 0;
    return rule_ == ChainStep::pa1 ? std::min(C, tau) : tau;
  }
  void apply(Index t, Id right, Id wrong, double tau) {
    const auto now = static_cast<double>(steps_);
    const auto row = rows_.row(t);
    const auto values = rows_.values(t);
    for (std::size_t j = 0; j < row.size(); ++j) {
      const float x = values.empty() ? 1.f : values[j];
      const double change = tau * static_cast<double>(x * rows_.copies(row[j]));
      const auto moved = static_cast<float>(change), late = static_cast<float>(now * change);
      w_.add(row[j], right, moved, late);
      w_.add(row[j], wrong, -moved, -late);
    }
  }

  MergedRows rows_;
  std::vector<Id> labels_;
  std::vector<double> weights_;
  Id num_labels_;
  ChainStep rule_;
  double C_, cost_;
  bool average_, shuffle_;
  Rng rng_;
  GrowingWeights w_;
  Buffer<float> theta_;
  Index steps_ = 0;
  Pass pass_;
};

}  // namespace linnet
