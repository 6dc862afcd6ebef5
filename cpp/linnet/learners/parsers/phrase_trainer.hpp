// Parsers of phrases by steps over sentences, on weights of hashed templates of spans. Of a
// sentence whose best tree ŷ, with a cost for each bracket that is wrong or missing, is not the
// gold one y, the weights move by τ (f(y) − f(ŷ)):
//   perceptron  τ = 1
//   PA, MIRA    τ = min(C, ℓ / ‖f(y) − f(ŷ)‖²),  ℓ = score(ŷ) + cost(ŷ) − score(y)
// the same steps as the online learners take over BracketData; or down the gradient of
//   softmax-margin, logistic  ℓ = log Σ exp (score + cost) − score(y)
// by AdaGrad, where parts whose gradient is tiny are passed over. Of a partial tree, y is the best
// tree that has all that is known.
#pragma once
#include <numeric>

#include "linnet/base/exp_sums.hpp"
#include "linnet/base/pass.hpp"
#include "linnet/phrases/gold_brackets.hpp"
#include "linnet/phrases/moving_weights.hpp"
#include "linnet/phrases/span_scores.hpp"
#include "linnet/structures/brackets/bracket_chart.hpp"

namespace linnet {

enum class PhraseStep { perceptron, pa, adagrad };

struct PhraseTraining {
  PhraseStep step = PhraseStep::pa;
  double C = kInf, cost = 1, rate = 0.1;
  bool average = true, shuffle = true;
  std::uint64_t seed = 0;
};

class PhraseTrainer {
 public:
  // The caller keeps all of them alive.
  PhraseTrainer(const PhraseTokens& tokens, const SpanTemplates& templates,
                const GoldBrackets& gold, bool whole, PhraseTraining settings)
      : offsets_(tokens.offsets()),
        gold_(gold),
        whole_(whole),
        settings_(settings),
        scores_(tokens, templates, gold.labels()),
        rng_(settings.seed),
        weights_(scores_.size(), settings.step == PhraseStep::adagrad ? settings.rate : 0,
                 settings.average),
        delta_(static_cast<std::size_t>(scores_.size())) {
    gold.check(offsets_);
    if (!(settings.C > 0)) throw std::invalid_argument("C must be positive");
    if (!(settings.cost >= 0 && settings.cost < kInf))
      throw std::invalid_argument("the cost of a wrong bracket must be finite and not negative");
    if (!(settings.rate > 0)) throw std::invalid_argument("the rate must be positive");
  }

  // One pass over the sentences.
  EpochStats epoch() {
    const auto order = pass_.order(rng_, [&](std::vector<Index>& all, Rng& rng) {
      all.resize(offsets_.size() - 1);
      std::iota(all.begin(), all.end(), Index{0});
      if (settings_.shuffle) rng.shuffle(std::span(all));
    });
    EpochStats start;
    start.objective = 0;
    EpochStats stats = pass_.over(
        order.size(),
        [&](std::size_t t, EpochStats& so_far) {
          if (offsets_[order[t] + 1] > offsets_[order[t]]) step(order[t], so_far);
        },
        start);
    stats.converged = stats.updates == 0 && !stats.interrupted && !stats.paused;
    return stats;
  }
  // The constant feature, which has no weight, then [features][stride].
  void weights_into(float* out) const {
    std::fill_n(out, scores_.stride(), 0.f);
    weights_.copy_to(out + scores_.stride());
  }
  // Weights to begin with, in the same order.
  void start_at(std::span<const float> given) {
    if (std::ssize(given) != size())
      throw std::invalid_argument("there must be as many weights to start from as there are");
    weights_.start_at(given.subspan(static_cast<std::size_t>(scores_.stride())));
  }
  Index size() const { return scores_.size() + scores_.stride(); }
  void state(Archive& a) { a(rng_, weights_, pass_); }
  Pass& pass() { return pass_; }

 private:
  struct Labelled {
    Id i, j, label;
  };
  std::size_t number(Id i, Id j) const { return static_cast<std::size_t>(trees_.span(i, j)); }

  void step(Index sentence, EpochStats& stats) {
    weights_.next_step();
    scores_.enter(sentence);
    trees_ = Bracketing{scores_.words(), scores_.labels(), whole_, {}};
    chart_.enter(trees_);
    gold_.find(sentence, trees_, known_);
    complete_ = gold_.complete(sentence);
    theta_.resize(static_cast<std::size_t>(trees_.spans()) *
                  static_cast<std::size_t>(scores_.stride()));
    scores_.score(weights_.data(), [&](Id i, Id j, std::span<float> of_labels) {
      std::copy(of_labels.begin(), of_labels.end(), at(number(i, j)));
    });
    find_gold(sentence);
    if (settings_.step == PhraseStep::adagrad)
      descend(stats);
    else
      compare(stats);
  }
  float* at(std::size_t span) {
    return theta_.data() + span * static_cast<std::size_t>(scores_.stride());
  }

  // right_: the label of each bracket of the gold tree; its score, with what its brackets cost.
  void find_gold(Index sentence) {
    right_.assign(known_.begin(), known_.end());
    if (!complete_) complete(sentence);
    gold_value_ = 0;
    for (std::size_t span = 0; span < right_.size(); ++span) {
      float* score = at(span);
      add_costs(span, score);
      if (right_[span] >= 0) gold_value_ += static_cast<double>(score[right_[span]]);
    }
  }
  // Brackets that contradict what is known cost, those that are known pay.
  void add_costs(std::size_t span, float* score) const {
    const auto cost = static_cast<float>(settings_.cost);
    if (!complete_ && known_[span] == GoldBrackets::kUnknown) return;
    for (Id y = 0; y < scores_.labels(); ++y) score[y] += cost;
    if (known_[span] >= 0) score[known_[span]] -= 2 * cost;
  }
  // The best tree that has what is known.
  void complete(Index sentence) {
    const Bracketing open{trees_.length, trees_.labels, whole_, gold_.demands(sentence, trees_)};
    chart_.enter(open);
    join([&](std::size_t span, const float* score) {
      return known_[span] >= 0
                 ? known_[span]
                 : static_cast<Id>(std::max_element(score, score + scores_.labels()) - score);
    });
    if (chart_.best() == -kInf)
      throw std::invalid_argument("the known brackets of a sentence are in no tree");
    right_.assign(right_.size(), -1);
    chart_.walk([&](Id i, Id j) { right_[number(i, j)] = top_[number(i, j)]; });
    chart_.enter(trees_);
  }
  // Sets the label of each span, and the score of its bracket.
  template <class Choose>
  void join(Choose&& choose) {
    top_.resize(right_.size());
    for (Id i = 0; i < trees_.length; ++i)
      for (Id j = i + 1; j <= trees_.length; ++j) {
        const std::size_t span = number(i, j);
        top_[span] = choose(span, at(span));
        chart_.label(i, j) = static_cast<double>(at(span)[top_[span]]);
      }
  }

  // Perceptron and passive-aggressive steps.
  void compare(EpochStats& stats) {
    join([&](std::size_t, const float* score) {
      return static_cast<Id>(std::max_element(score, score + scores_.labels()) - score);
    });
    const double loss = chart_.best() - gold_value_;
    found_.assign(right_.size(), -1);
    chart_.walk([&](Id i, Id j) { found_[number(i, j)] = top_[number(i, j)]; });
    if (found_ == right_) return;
    ++stats.mistakes;
    if (loss <= 0 && settings_.step == PhraseStep::pa) return;
    stats.objective += std::max(loss, 0.0);
    squared_norm_ = 0;
    each_span([&](Id i, Id j, std::size_t span) {
      if (found_[span] == right_[span]) return;
      if (right_[span] >= 0) add(i, j, right_[span], 1);
      if (found_[span] >= 0) add(i, j, found_[span], -1);
    });
    if (squared_norm_ > 0) ++stats.updates;
    const double tau = settings_.step == PhraseStep::perceptron
                           ? 1
                           : std::min(settings_.C, loss / static_cast<double>(squared_norm_));
    for (const Index place : touched_) {
      float& delta = delta_[static_cast<std::size_t>(place)];
      if (delta != 0)
        weights_.add(static_cast<std::size_t>(place), tau * static_cast<double>(delta));
      delta = 0;
    }
    touched_.clear();
  }
  // A step along the gradient of the log-sum.
  void descend(EpochStats& stats) {
    joined_.resize(right_.size());
    each_span([&](Id i, Id j, std::size_t span) {
      chart_.label(i, j) = joined_[span] = log_sum(at(span), scores_.labels());
    });
    const double loss = chart_.sum() - gold_value_;
    stats.objective += std::max(loss, 0.0);
    share_.assign(right_.size(), 0.0);
    chart_.flow([&](Id i, Id j, double share) { share_[number(i, j)] = share; });
    each_span([&](Id i, Id j, std::size_t span) {
      if (share_[span] <= kTiny && right_[span] < 0) return;
      const float* score = at(span);
      for (Id y = 0; y < scores_.labels(); ++y) {
        const double mu = share_[span] * exp(static_cast<double>(score[y]) - joined_[span]);
        const double slope = mu - (y == right_[span]);
        if (std::abs(slope) > kTiny) add_slope(i, j, y, slope);
      }
    });
    if (!touched_.empty()) ++stats.updates;
    for (const Index place : touched_) {
      float& delta = delta_[static_cast<std::size_t>(place)];
      weights_.descend(static_cast<std::size_t>(place), static_cast<double>(delta));
      delta = 0;
    }
    touched_.clear();
  }
  template <class Visit>
  void each_span(Visit&& visit) const {
    for (Id i = 0; i < trees_.length; ++i)
      for (Id j = i + 1; j <= trees_.length; ++j) visit(i, j, number(i, j));
  }
  static double log_sum(const float* score, Id count) {
    const auto top = static_cast<double>(*std::max_element(score, score + count));
    return top + std::log(detail::sum_of_exp(score, top, count));
  }
  // delta += sign × features of a bracket.
  void add(Id i, Id j, Id label, int sign) {
    scores_.each_weight(i, j, label, [&](Index place) {
      float& delta = delta_[static_cast<std::size_t>(place)];
      if (delta == 0) touched_.push_back(place);
      squared_norm_ += 1 + 2 * sign * static_cast<Index>(delta);
      delta += static_cast<float>(sign);
    });
  }
  void add_slope(Id i, Id j, Id label, double slope) {
    scores_.each_weight(i, j, label, [&](Index place) {
      float& delta = delta_[static_cast<std::size_t>(place)];
      if (delta == 0) touched_.push_back(place);
      delta += static_cast<float>(slope);
    });
  }

  static constexpr double kTiny = 1e-3;

  std::span<const Index> offsets_;
  const GoldBrackets& gold_;
  bool whole_;
  PhraseTraining settings_;
  SpanScores scores_;
  Rng rng_;
  MovingWeights weights_;
  Buffer<float> delta_;  // f(y) − f(ŷ), or the gradient; zero between steps
  Bracketing trees_{1, 1};
  BracketChart chart_;
  Buffer<float> theta_;            // [spans][stride]
  std::vector<Id> known_, right_;  // by span: what is said of it; the gold label, -1 for none
  std::vector<Id> found_, top_;
  std::vector<double> joined_, share_;
  std::vector<Index> touched_;
  Index squared_norm_ = 0;
  bool complete_ = true;
  double gold_value_ = 0;
  Pass pass_;
};

}  // namespace linnet
