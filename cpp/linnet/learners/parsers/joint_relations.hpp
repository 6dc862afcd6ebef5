// Heads and relations learnt together: an arc of the search gets the score of its best relation,
//   s(h, m) + max_r s(h, m, r),
// and a wrong relation its cost, so that the tree that is found has relations, too.
#pragma once
#include "linnet/arcs/relation_scores.hpp"
#include "linnet/decoding/tree_search.hpp"

namespace linnet {

class JointRelations {
 public:
  // gold: the relation of each token to its head, -1 where it is missing. Both are kept alive by
  // the caller.
  JointRelations(const ArcTokens& tokens, std::span<const Id> gold, Id width, double cost)
      : scores_(tokens, width), gold_(gold), cost_(cost) {
    if (std::ssize(gold) != tokens.sentences().offsets().back())
      throw std::invalid_argument("there must be one relation, or -1, for each token");
    for (const Id r : gold)
      if (r < -1 || r >= width) throw std::invalid_argument("there is no such relation");
  }
  Index size() const { return scores_.size(); }  // of weights

  // Raises the arcs of a sentence by their best relations.
  void join(Index sentence, const float* w, TreeSearch& search) {
    scores_.enter(sentence, w);
    token_ = search.first_token();
    arcs_.resize(static_cast<std::size_t>(search.num_arcs()));
    for (Id m = 1; m <= search.words(); ++m)
      for (Id a = search.begin(m); a < search.end(m); ++a) {
        arcs_[static_cast<std::size_t>(a)] = best(scores_.score(search.head(a), m), gold(m));
        search.theta()[a] += arcs_[static_cast<std::size_t>(a)].score;
      }
  }
  // Now with costs of wrong relations. Tells what those of the gold tree score less than the best.
  double add_costs(const Id* heads, TreeSearch& search) {
    double less = 0;
    for (Id m = 1; m <= search.words(); ++m) less += arc(search, heads, m).gold_less;
    for (Id a = 0; a < search.num_arcs(); ++a)
      search.theta()[a] += arcs_[static_cast<std::size_t>(a)].cost_more;
    return less;
  }
  // The relation of a word in the gold tree, and in one that was found.
  Id right(const TreeSearch& search, const Id* heads, Id m) const {
    return gold(m) >= 0 ? gold(m) : arc(search, heads, m).relation;
  }
  Id found(const TreeSearch& search, const Id* heads, Id m) const {
    return arc(search, heads, m).costly;
  }
  template <class Visit>
  void each_weight(Id head, Id modifier, Id relation, Visit&& visit) const {
    scores_.each_weight(head, modifier, relation, visit);
  }

 private:
  struct Arc {
    Id relation, costly;  // the best, and the best with costs
    double score;
    double cost_more, gold_less;  // what the latter and the gold relation score beside it
  };
  Id gold(Id m) const { return gold_[static_cast<std::size_t>(token_ + m - 1)]; }
  const Arc& arc(const TreeSearch& search, const Id* heads, Id m) const {
    return arcs_[static_cast<std::size_t>(search.find(heads[m - 1], m))];
  }
  Arc best(std::span<const float> scores, Id gold) const {
    const auto score = [&](Id r) {
      return static_cast<double>(scores[static_cast<std::size_t>(r)]);
    };
    const auto first_best = [&](Id begin, Id end) {
      return static_cast<Id>(std::max_element(scores.begin() + begin, scores.begin() + end) -
                             scores.begin());
    };
    const auto width = static_cast<Id>(scores.size());
    const Id top = first_best(0, width);
    Arc arc{top, top, score(top), 0, 0};
    if (gold < 0) return arc;
    Id wrong = top;  // the best one that is
    if (top == gold) {
      const Id before = first_best(0, gold), after = first_best(gold + 1, width);
      wrong = before == gold || (after < width && score(after) > score(before)) ? after : before;
    }
    if (wrong < width) {
      const double ahead = score(wrong) + cost_ - score(gold);
      arc.costly = ahead > 0 || (ahead == 0 && wrong < gold) ? wrong : gold;
    }
    arc.cost_more = score(arc.costly) + (arc.costly == gold ? 0 : cost_) - arc.score;
    arc.gold_less = score(gold) - arc.score;
    return arc;
  }

  RelationScores scores_;
  std::span<const Id> gold_;
  double cost_;
  Index token_ = 0;
  std::vector<Arc> arcs_;
};

}  // namespace linnet
