// Parsers by steps over sentences, on weights of hashed templates. Of a sentence whose best tree ŷ,
// with a cost for each wrong head, is not the gold one y, the weights move by τ (f(y) − f(ŷ)):
//   perceptron  τ = 1
//   PA, MIRA    τ = min(C, ℓ / ‖f(y) − f(ŷ)‖²),  ℓ = score(ŷ) + cost(ŷ) − score(y)
// (Collins 2002; McDonald, Crammer and Pereira 2005). The same steps as the generic online learners
// take over TreeData, without rows in between. Where heads are missing, y is the best tree that
// agrees with those that are known. With joint relations, trees have relations as well, which have
// features of their own, and a wrong one costs as much as a wrong head.
#pragma once
#include <numeric>

#include "linnet/arcs/arc_rows.hpp"
#include "linnet/arcs/arc_weights.hpp"
#include "linnet/base/pass.hpp"
#include "linnet/learners/parsers/joint_relations.hpp"

namespace linnet {

struct ParserSettings {
  bool perceptron = false;
  double C = kInf, cost = 1;
  bool average = true, shuffle = true;
  std::uint64_t seed = 0;
};

class ParserTrainer {
 public:
  // heads: gold, -1 where missing; those that are known must be candidates. With `before`, the
  // training of it goes on over these sentences: it has no weights any more.
  ParserTrainer(const ArcTokens& tokens, const CandidateArcs& arcs, std::span<const Id> heads,
                TreeShape shape, ParserSettings settings,
                std::optional<JointRelations> joint = std::nullopt, ParserTrainer* before = nullptr)
      : offsets_(tokens.sentences().offsets()),
        heads_(heads),
        settings_(settings),
        search_(tokens, arcs, shape),
        rng_(before ? before->rng_ : Rng(settings.seed)),
        joint_(std::move(joint)),
        features_(tokens.templates().features()),
        weights_(before ? 0 : features_ + (joint_ ? joint_->size() : 0), settings.average),
        delta_(before ? 0 : static_cast<std::size_t>(features_ + (joint_ ? joint_->size() : 0))) {
    check_arcs(arcs, offsets_);
    if (before && std::ssize(before->delta_) != features_ + (joint_ ? joint_->size() : 0))
      throw std::invalid_argument("the training before has other weights");
    if (std::ssize(heads) != offsets_.back())
      throw std::invalid_argument("there must be one head for each token");
    if (!(settings.C > 0)) throw std::invalid_argument("C must be positive");
    if (!(settings.cost >= 0 && settings.cost < kInf))
      throw std::invalid_argument("the cost of a wrong head must be finite and not negative");
    if (!before) return;
    weights_ = std::move(before->weights_);
    delta_ = std::move(before->delta_);
    pass_ = std::move(before->pass_);
  }

  // One pass over the sentences.
  EpochStats epoch() {
    const auto order = pass_.order(rng_, [&](std::vector<Index>& all, Rng& rng) {
      all.resize(offsets_.size() - 1);
      std::iota(all.begin(), all.end(), Index{0});
      if (settings_.shuffle) rng.shuffle(std::span(all));
    });
    const auto visit = [&](std::size_t t, EpochStats& so_far) {
      if (offsets_[order[t] + 1] > offsets_[order[t]]) step(order[t], so_far);
    };
    EpochStats start;
    start.objective = 0;
    EpochStats stats = pass_.over(order.size(), visit, start);
    stats.converged = stats.updates == 0 && !stats.interrupted && !stats.paused;
    return stats;
  }

  // The constant feature, which has no weight, then one for each feature, then those of relations.
  void weights_into(float* out, bool average) const {
    out[0] = 0;
    weights_.copy_to(out + 1, average);
  }
  // Weights to begin with, in the same order.
  void start_at(std::span<const float> given) {
    if (std::ssize(given) != size())
      throw std::invalid_argument("there must be as many weights to start from as there are");
    weights_.start_at(given.subspan(1));
  }
  Index size() const { return std::ssize(delta_) + 1; }
  void state(Archive& a) { a(rng_, weights_, pass_); }
  Pass& pass() { return pass_; }

 private:
  void step(Index i, EpochStats& stats) {
    search_.enter(i);
    weights_.next_step();
    search_.score(weights_.data());
    if (joint_) joint_->join(i, weights_.data() + features_, search_);
    const Id words = search_.words();
    gold_.assign(heads_.begin() + offsets_[i], heads_.begin() + offsets_[i + 1]);
    best_.resize(gold_.size());
    if (std::find(gold_.begin(), gold_.end(), -1) != gold_.end()) complete();
    double gold = search_.value(gold_.data());
    if (joint_) gold += joint_->add_costs(gold_.data(), search_);
    for (Id m = 1; m <= words; ++m)
      for (Id a = search_.begin(m); a < search_.end(m); ++a)
        if (heads_[static_cast<std::size_t>(offsets_[i] + m - 1)] >= 0 &&
            search_.head(a) != gold_[static_cast<std::size_t>(m - 1)])
          search_.theta()[a] += settings_.cost;
    search_.best(best_.data());
    Index mistakes = 0;
    for (Id m = 1; m <= words; ++m) mistakes += !is_right(m);
    if (mistakes == 0) return;
    stats.mistakes += mistakes;
    const double loss = search_.value(best_.data()) - gold;
    if (loss <= 0 && !settings_.perceptron) return;
    stats.objective += std::max(loss, 0.0);
    move(loss, stats);
  }
  bool is_right(Id m) const {
    const auto at = static_cast<std::size_t>(m - 1);
    return best_[at] == gold_[at] && (!joint_ || joint_->found(search_, best_.data(), m) ==
                                                     joint_->right(search_, gold_.data(), m));
  }
  // The gold tree: the best one that agrees with what is known of it.
  void complete() {
    theta_.assign(search_.theta().begin(), search_.theta().end());
    search_.clamp_to(gold_.data());
    if (search_.best(best_.data()) == -kInf)
      throw std::invalid_argument("the known heads of a sentence are in no tree");
    std::copy(theta_.begin(), theta_.end(), search_.theta().begin());
    gold_ = best_;
  }

  void move(double loss, EpochStats& stats) {
    squared_norm_ = 0;
    touched_.clear();
    for (Id m = 1; m <= search_.words(); ++m) {
      const Id right = gold_[static_cast<std::size_t>(m - 1)],
               wrong = best_[static_cast<std::size_t>(m - 1)];
      if (right != wrong) {
        add(right, m, -1, 1);
        add(wrong, m, -1, -1);
      }
      if (joint_ && !is_right(m)) {
        add_relation(right, m, joint_->right(search_, gold_.data(), m), 1);
        add_relation(wrong, m, joint_->found(search_, best_.data(), m), -1);
      }
      if (!search_.second_order()) continue;
      const Id s = TreeSearch::sibling(gold_.data(), m), t = TreeSearch::sibling(best_.data(), m);
      if (right == wrong && s == t) continue;
      add(right, m, s, 1);
      add(wrong, m, t, -1);
    }
    if (squared_norm_ > 0) ++stats.updates;
    const double tau =
        settings_.perceptron ? 1 : std::min(settings_.C, loss / static_cast<double>(squared_norm_));
    for (const Id f : touched_) {
      float& delta = delta_[static_cast<std::size_t>(f)];
      if (delta != 0) weights_.add(f, tau * static_cast<double>(delta));
      delta = 0;
    }
  }
  // delta += sign × features of a part.
  void add(Id head, Id modifier, Id sibling, int sign) {
    search_.each_feature(head, modifier, sibling, [&](Id f) { add(f, sign); });
  }
  void add_relation(Id head, Id modifier, Id relation, int sign) {
    joint_->each_weight(head, modifier, relation,
                        [&](Id place) { add(static_cast<Id>(features_) + place, sign); });
  }
  void add(Id weight, int sign) {
    float& delta = delta_[static_cast<std::size_t>(weight)];
    if (delta == 0) touched_.push_back(weight);
    squared_norm_ += 1 + 2 * sign * static_cast<Index>(delta);
    delta += static_cast<float>(sign);
  }

  std::span<const Index> offsets_;
  std::span<const Id> heads_;
  ParserSettings settings_;
  TreeSearch search_;
  Rng rng_;
  std::optional<JointRelations> joint_;
  Index features_;       // of arcs
  ArcWeights weights_;   // of them, then of relations
  Buffer<float> delta_;  // f(y) − f(ŷ), zero between steps
  std::vector<Id> touched_;
  Index squared_norm_ = 0;
  std::vector<Id> gold_, best_;
  std::vector<double> theta_;
  Pass pass_;
};

}  // namespace linnet
