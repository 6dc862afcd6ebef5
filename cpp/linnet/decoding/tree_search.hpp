// Trees over the candidate arcs of one sentence after the other: scores of their parts by
// templates, and the best tree of them.
#pragma once
#include <memory>
#include <optional>

#include "linnet/arcs/arc_sentence.hpp"
#include "linnet/base/interrupt.hpp"
#include "linnet/structures/tree_shape.hpp"

namespace linnet {

class TreeSearch {
 public:
  // The caller keeps tokens and arcs alive.
  TreeSearch(const ArcTokens& tokens, const CandidateArcs& arcs, TreeShape shape)
      : tokens_(tokens), all_(arcs), shape_(shape) {
    shape.check();
    if (tokens.templates().needs_tree())
      throw std::invalid_argument("templates of arcs to be chosen cannot look at the tree");
  }

  void enter(Index sentence) {
    sentence_.enter(tokens_, sentence);
    token_ = tokens_.sentences().offsets()[sentence];
    first_ = all_.starts[token_];
    begin_.assign(1, 0);
    for (Id m = 1; m <= words(); ++m)
      begin_.push_back(static_cast<Id>(all_.starts[token_ + m] - first_));
    if (shape_.order == 2) {
      siblings_.emplace(arcs(), 1, shape_.single_root);
      if (siblings_->arcs().size() != num_arcs())
        throw std::invalid_argument("the word before is not among the candidates of a word");
    }
  }
  Id words() const { return sentence_.words(); }
  Index first_token() const { return token_; }
  Index first_arc() const { return first_; }  // of all sentences
  Id num_arcs() const { return begin_.back(); }
  Id head(Id arc) const { return all_.heads[first_ + arc]; }
  Id begin(Id modifier) const { return begin_[static_cast<std::size_t>(modifier - 1)]; }
  Id end(Id modifier) const { return begin_[static_cast<std::size_t>(modifier)]; }
  Id modifier(Id arc) const {
    return static_cast<Id>(std::upper_bound(begin_.begin(), begin_.end(), arc) - begin_.begin());
  }
  // The number of an arc in its sentence, or -1.
  Id find(Id head, Id modifier) const {
    const Id* from = all_.heads.data() + first_;
    const Id* at = std::lower_bound(from + begin(modifier), from + end(modifier), head);
    return at != from + end(modifier) && *at == head ? static_cast<Id>(at - from) : -1;
  }
  bool second_order() const { return shape_.order == 2; }
  std::unique_ptr<Oracle> oracle() const { return tree_oracle(shape_, arcs()); }
  const TreeShape& shape() const { return shape_; }
  // The candidates of this sentence.
  Arcs arcs() const {
    return Arcs(begin_, all_.heads.subspan(static_cast<std::size_t>(first_),
                                           static_cast<std::size_t>(num_arcs())));
  }

  // Scores of all parts: arcs, then siblings.
  void score(const float* w, float constant = 0) {
    resize_in_steps(theta_,
                    static_cast<std::size_t>(siblings_ ? siblings_->num_parts() : num_arcs()));
    sentence_.score_alone(w);
    Id a = 0;
    for (Id m = 1; m <= words(); ++m)
      for (; a < end(m); ++a) {
        steps_(arc_steps(head(a), m));
        theta_[a] = static_cast<double>(sentence_.score(head(a), m, w) + constant);
        if (siblings_) score_siblings(a, head(a), m, w);
      }
  }
  std::span<double> theta() { return theta_; }
  std::span<const double> theta() const { return theta_; }
  // Forbids all arcs that do not agree with given heads (-1: not given).
  void clamp_to(const Id* given) {
    for (Id m = 1; m <= words(); ++m) {
      const Id h = given[m - 1];
      if (h < 0) continue;
      if (find(h, m) < 0)
        throw std::invalid_argument("the given head " + std::to_string(h) + " of word " +
                                    std::to_string(m) + " is no candidate");
      for (Id a = begin(m); a < end(m); ++a)
        if (head(a) != h) theta_[a] = -kInf;
    }
  }

  // The best tree by theta, and its score; -inf: none is allowed.
  double best(Id* heads) {
    if (siblings_)
      return BestSiblings(*siblings_, theta_.data(), theta_.data(), chart2_).solve(heads);
    const Id n = words();
    score_.assign(static_cast<std::size_t>(n) * static_cast<std::size_t>(n + 1),
                  static_cast<float>(-kInf));
    steps_(static_cast<Index>(n) * n);
    for (Id m = 1; m <= n; ++m)
      for (Id a = begin(m); a < end(m); ++a)
        score_[static_cast<Index>(m - 1) * (n + 1) + head(a)] = static_cast<float>(theta_[a]);
    if (shape_.projective)
      return eisner_viterbi(score_.data(), n, shape_.single_root, heads, chart_);
    return tree_.best(score_.data(), n, shape_.single_root, heads);
  }

  // The sibling of a word in a tree: the modifier of its head before it, counted away from the
  // head; 0: none.
  static Id sibling(const Id* heads, Id modifier) {
    const Id h = heads[modifier - 1], step = h < modifier ? -1 : 1;
    for (Id s = modifier + step; s != h; s += step)
      if (heads[s - 1] == h) return s;
    return 0;
  }
  // The parts of a tree: visit(number, head, modifier, sibling or -1 if it is an arc).
  template <class Visit>
  void each_part(const Id* heads, Visit&& visit) const {
    for (Id m = 1; m <= words(); ++m) {
      const Id h = heads[m - 1], a = find(h, m);
      visit(a, h, m, Id{-1});
      if (siblings_) visit(siblings_->factors.part(a, h, m, heads), h, m, sibling(heads, m));
    }
  }
  double value(const Id* heads) const {
    double sum = 0;
    each_part(heads, [&](Id part, Id, Id, Id) { sum += theta_[part]; });
    return sum;
  }
  // All features of a part.
  template <class Visit>
  void each_feature(Id head, Id modifier, Id sibling, Visit&& visit) const {
    if (sibling < 0)
      sentence_.each_feature(head, modifier, visit);
    else
      sentence_.each_sibling_feature(head, modifier, sibling, visit);
  }

 private:
  void score_siblings(Id arc, Id head, Id modifier, const float* w) {
    sentence_.enter_arc(head, modifier);
    const SiblingFactors& factors = siblings_->factors;
    theta_[factors.alone(arc)] = static_cast<double>(sentence_.sibling_score(head, modifier, 0, w));
    factors.each(arc, head, modifier, [&](Id s, Id part) {
      theta_[part] = static_cast<double>(sentence_.sibling_score(head, modifier, s, w));
      steps_(32);
    });
  }

  const ArcTokens& tokens_;
  CandidateArcs all_;
  TreeShape shape_;
  ArcSentence sentence_;
  Index token_ = 0, first_ = 0;
  std::vector<Id> begin_;  // of arcs, by modifier
  std::vector<double> theta_;
  std::vector<float> score_;
  std::optional<Siblings> siblings_;
  EisnerChart<float> chart_;
  SiblingChart chart2_;
  SpanningTree tree_;
  Steps steps_;
};

}  // namespace linnet
