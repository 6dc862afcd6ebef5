// The second look of parsers of phrases, learnt by steps over sentences down the gradient of
//   ℓ = log Σ exp (score + cost) − score(y),  over the trees of a sentence's candidates,
// where cost 0 is the logistic loss and others softmax-margin: each bracket that is wrong or
// missing costs so much. Steps are AdaGrad's, weights are averaged. Of each sentence some features
// are not seen (Srivastava et al. 2014: dropout, here by features and not by places, so that what
// always stands together does not hide behind each other), since candidates of training sentences
// are few enough to be learnt by heart.
#pragma once
#include <numeric>

#include "linnet/base/pass.hpp"
#include "linnet/phrases/gold_brackets.hpp"
#include "linnet/phrases/moving_weights.hpp"
#include "linnet/phrases/phrase_forest.hpp"

namespace linnet {

struct ForestTraining {
  double cost = 0, rate = 0.1, dropout = 0.5;
  double floor = 0;  // log of the probability of gold brackets that are no candidates
  bool average = true, shuffle = true;
  std::uint64_t seed = 0;
};

class ForestTrainer {
 public:
  // The caller keeps all of them alive. Gold brackets are always candidates.
  ForestTrainer(const PhraseTokens& tokens, const BracketCandidates& candidates,
                const GoldBrackets& gold, const ForestTemplates& templates, const HeadRules& heads,
                const LabelCodes& labels, ForestTraining settings)
      : tokens_(tokens),
        candidates_(candidates),
        gold_(gold),
        templates_(templates),
        settings_(settings),
        forest_(templates, heads, labels),
        rng_(settings.seed),
        weights_(templates.weights(), settings.rate, settings.average),
        delta_(static_cast<std::size_t>(templates.weights())) {
    gold.check(tokens.offsets());
    if (gold.any_partial()) throw std::invalid_argument("the second look learns from whole trees");
    if (candidates.sentences() != tokens.sentences())
      throw std::invalid_argument("there must be candidates for each sentence");
    if (!(settings.cost >= 0 && settings.cost < kInf))
      throw std::invalid_argument("the cost of a wrong bracket must be finite and not negative");
    if (!(settings.rate > 0 && settings.rate < kInf))
      throw std::invalid_argument("the rate must be positive");
    if (!(settings.dropout >= 0 && settings.dropout < 1))
      throw std::invalid_argument("dropout must be 0 or more, and below 1");
    if (!(settings.floor <= 0))
      throw std::invalid_argument("floor must be the log of a probability");
  }

  // One pass over the sentences.
  EpochStats epoch() {
    const auto order = pass_.order(rng_, [&](std::vector<Index>& all, Rng& rng) {
      all.resize(static_cast<std::size_t>(tokens_.sentences()));
      std::iota(all.begin(), all.end(), Index{0});
      if (settings_.shuffle) rng.shuffle(std::span(all));
    });
    EpochStats start;
    start.objective = 0;
    return pass_.over(
        order.size(),
        [&](std::size_t t, EpochStats& so_far) {
          if (tokens_.words(order[t]) > 0) step(order[t], so_far);
        },
        start);
  }
  void weights_into(float* out) const { weights_.copy_to(out); }
  void start_at(std::span<const float> given) { weights_.start_at(given); }
  Index size() const { return weights_.size(); }
  void state(Archive& a) { a(rng_, weights_, pass_); }
  Pass& pass() { return pass_; }

 private:
  void step(Index sentence, EpochStats& stats) {
    weights_.next_step();
    salt_ = rng_.next();
    enter(sentence);
    const Forest& trees = forest_.trees();
    if (trees.starts.back() == 0) return;
    theta_.resize(static_cast<std::size_t>(trees.parts));
    mu_.resize(theta_.size());
    const double scale = 1 / (1 - settings_.dropout);
    for (Id p = 0; p < trees.parts; ++p) {
      double sum = 0;
      for (const Id f : forest_.features(p))
        if (seen(f)) sum += static_cast<double>(weights_.data()[f]);
      theta_[static_cast<std::size_t>(p)] = sum * scale;
    }
    for (Id q = 0; q < items_.phrases(); ++q)
      theta_[static_cast<std::size_t>(forest_.phrase_part(q))] +=
          in_gold_[static_cast<std::size_t>(q)] ? -settings_.cost : settings_.cost;
    double gold = 0;
    forest_.parts_of(in_gold_, [&](Id p) { gold += theta_[static_cast<std::size_t>(p)]; });
    const double log_z = solve<Log>(trees, theta_, mu_, work_);
    const double loss = std::max(log_z - gold, 0.0);
    stats.objective += loss;
    stats.mistakes += loss > std::log(2.0);  // the gold tree has less than half of the probability
    forest_.parts_of(in_gold_, [&](Id p) { mu_[static_cast<std::size_t>(p)] -= 1; });
    descend();
    ++stats.updates;
  }
  void enter(Index sentence) {
    seen_.enter(tokens_, sentence);
    candidates_.find(sentence, seen_.words(), list_);
    const auto is = [](const Candidate& c, Id i, Id j, Id label) {
      return c.begin == i && c.end == j && c.label == label;
    };
    const auto found = list_.size();
    gold_.each(sentence, [&](Id i, Id j, Id label) {
      const auto end = list_.begin() + static_cast<std::ptrdiff_t>(found);
      if (std::none_of(list_.begin(), end, [&](const auto& c) { return is(c, i, j, label); }))
        list_.push_back({i, j, label, static_cast<float>(settings_.floor)});
    });
    BracketCandidates::in_order(list_);
    in_gold_.assign(list_.size(), 0);
    gold_.each(sentence, [&](Id i, Id j, Id label) {
      for (std::size_t q = 0; q < list_.size(); ++q)
        if (is(list_[q], i, j, label)) in_gold_[q] = 1;
    });
    items_.enter(seen_.words(), list_);
    forest_.enter(seen_, items_, weights_.data());
  }
  bool seen(Id feature) const {
    if (settings_.dropout == 0) return true;
    const std::uint64_t hash = combine(salt_, static_cast<std::uint64_t>(feature));
    return static_cast<double>(hash >> 11) * 0x1p-53 >= settings_.dropout;
  }
  void descend() {
    for (std::size_t p = 0; p < mu_.size(); ++p) {
      if (std::abs(mu_[p]) < kTiny) continue;
      for (const Id f : forest_.features(static_cast<Id>(p))) {
        if (!seen(f)) continue;
        float& delta = delta_[static_cast<std::size_t>(f)];
        if (delta == 0) touched_.push_back(f);
        delta += static_cast<float>(mu_[p]);
      }
    }
    for (const Id f : touched_) {
      float& delta = delta_[static_cast<std::size_t>(f)];
      if (delta != 0) weights_.descend(static_cast<std::size_t>(f), static_cast<double>(delta));
      delta = 0;
    }
    touched_.clear();
  }

  static constexpr double kTiny = 1e-3;

  const PhraseTokens& tokens_;
  const BracketCandidates& candidates_;
  const GoldBrackets& gold_;
  const ForestTemplates& templates_;
  ForestTraining settings_;
  PhraseForest forest_;
  Rng rng_;
  MovingWeights weights_;
  Buffer<float> delta_;  // the gradient; zero between steps
  std::vector<Id> touched_;
  PhraseSentence seen_;
  PhraseItems items_;
  std::vector<Candidate> list_;
  std::vector<std::uint8_t> in_gold_;  // by candidate
  std::vector<double> theta_, mu_;
  Workspace<double> work_;
  std::uint64_t salt_ = 0;
  Pass pass_;
};

}  // namespace linnet
