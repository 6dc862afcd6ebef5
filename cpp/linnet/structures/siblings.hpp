// Projective trees of second order: an arc is seen together with the sibling before it (McDonald
// and Pereira 2006).
#pragma once
#include "linnet/base/interrupt.hpp"
#include "linnet/structures/projective.hpp"

namespace linnet {

// Parts: those of the arcs; then for each arc h → m, in order, one for "m is the first modifier on
// this side of h" and one for each word s between h and m, ascending, that h may govern: "s is the
// modifier of h before m", counted away from h.
class SiblingFactors {
 public:
  static constexpr Id kJoined = 0, kUnderRight = 1, kUnderLeft = 2, kKinds = 3;

  explicit SiblingFactors(ArcParts parts) : parts_(std::move(parts)) {
    const Arcs& arcs = parts_.arcs;
    Index next = parts_.size(), before = next;
    Steps steps;
    first_.reserve(static_cast<std::size_t>(arcs.size()) + 1);
    for (Id m = 1; m <= arcs.words(); ++m)
      for (Id a = arcs.begin(m); a < arcs.end(m); ++a) {
        steps(next - before);
        before = next;
        first_.push_back(static_cast<Id>(next));
        if (arcs.head(a) == m) continue;
        ++next;
        if (arcs.pruned())
          arcs.between(arcs.head(a), m, [&](Id) { ++next; });
        else
          next += std::abs(arcs.head(a) - m) - 1;
        if (next > std::numeric_limits<Id>::max())
          throw std::invalid_argument("the tree is too large: it has more than 2^31 siblings");
      }
    first_.push_back(static_cast<Id>(next));
  }
  const ArcParts& arc_parts() const { return parts_; }
  Id num_parts() const { return first_.back(); }

  // The part of an arc without a sibling before it, and f(sibling, part) for all it may have.
  Id alone(Id arc) const { return first_[arc]; }
  template <class F>
  void each(Id arc, Id head, Id modifier, F&& f) const {
    Id part = first_[arc];
    parts_.arcs.between(head, modifier, [&](Id s) { f(s, ++part); });
  }
  // That of the arc in a tree: heads[m - 1] is the head of m.
  Id part(Id arc, Id head, Id modifier, const Id* heads) const {
    Id nearest = alone(arc);
    bool found = false;
    each(arc, head, modifier, [&](Id s, Id p) {
      if (heads[s - 1] != head || (found && head > modifier)) return;
      nearest = p;
      found = true;
    });
    return nearest;
  }

  template <class Trees, class Edge>
  void edges(const Trees& trees, Id kind, Id i, Id j, Edge&& edge) const {
    if (kind == kJoined) return trees.halves(i, j, edge);
    const bool right = kind == kUnderRight;
    const Id head = right ? i : j, modifier = right ? j : i;
    if (modifier == 0) return;
    const Id a = parts_.arcs.find(head, modifier);
    if (a < 0) return;
    edge(ids(alone(a)), ids(right ? trees.span(Trees::kCompleteLeft, i + 1, j)
                                  : trees.span(Trees::kCompleteRight, i, j - 1)));
    if (head == 0 && trees.single_root) return;
    each(a, head, modifier, [&](Id s, Id part) {
      const Id before = right ? trees.span(Trees::kRight, i, s) : trees.span(Trees::kLeft, s, j);
      const auto [low, high] = std::minmax(s, modifier);
      edge(ids(part), ids(before, trees.span(Trees::kUnder + kJoined, low, high)));
    });
  }
  // Every word has one head and one sibling part, and those of a word are neighbours.
  template <class F>
  void shifts(F&& f) const {
    const Arcs& arcs = parts_.arcs;
    parts_.shifts(f);
    for (Id m = 1; m <= arcs.words(); ++m) f(alone(arcs.begin(m)), alone(arcs.end(m)), 1);
  }

 private:
  ArcParts parts_;
  std::vector<Id> first_;  // sibling part of each arc
};
using Siblings = ProjectiveOf<SiblingFactors>;

}  // namespace linnet
