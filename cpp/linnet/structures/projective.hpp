// Projective dependency trees by Eisner's algorithm: the nodes that all orders share, and the
// arc-factored order.
#pragma once
#include "linnet/structures/arc_parts.hpp"

namespace linnet {

// Nodes are spans [i, j] of words, complete or not (then an arc joins i and j), and facing right
// (headed by i) or left (headed by j); what lies under an arc is up to the order. If there are
// several relations, a node for each arc takes one of them.
template <class Factors>
struct ProjectiveOf {
  Factors factors;
  bool single_root = true;
  enum Kind : Id { kCompleteRight, kCompleteLeft, kRight, kLeft, kUnder };
  static constexpr Id kKinds = kUnder + Factors::kKinds;

  ProjectiveOf(Arcs all, Id relations, bool one_root)
      : factors(ArcParts(std::move(all), relations)), single_root(one_root) {
    if (kKinds * static_cast<double>(width()) * width() + arcs().size() >
        std::numeric_limits<Id>::max())
      throw std::invalid_argument("the tree is too large: its chart has more than 2^31 nodes");
  }
  const ArcParts& arc_parts() const { return factors.arc_parts(); }
  const Arcs& arcs() const { return arc_parts().arcs; }
  Id words() const { return arcs().words(); }
  Id width() const { return words() + 1; }
  Id spans() const { return kKinds * width() * width(); }
  Id num_nodes() const { return spans() + (labelled() ? arcs().size() : 0); }
  Id num_parts() const { return factors.num_parts(); }
  Id root() const { return span(kCompleteRight, 0, words()); }
  Id span(Id kind, Id i, Id j) const { return (kind * width() + i) * width() + j; }

  template <class Edge>
  void edges(Id node, Edge&& edge) const {
    if (node >= spans()) return relations(node - spans(), edge);
    const auto n = static_cast<std::uint32_t>(node), size = static_cast<std::uint32_t>(width());
    edges(static_cast<Id>(n / size / size), static_cast<Id>(n / size % size),
          static_cast<Id>(n % size), edge);
  }
  template <class Edge>
  void edges(Id kind, Id i, Id j, Edge&& edge) const {
    if (i == j) return edge(ids(), ids());
    switch (kind) {
      case kRight:
        return attach(i, j, span(kUnder + Factors::kUnderRight, i, j), edge);
      case kLeft:
        return attach(j, i, span(kUnder + Factors::kUnderLeft, i, j), edge);
      case kCompleteRight:
        for (Id k = i + 1; k <= j; ++k)
          edge(ids(), ids(span(kRight, i, k), span(kCompleteRight, k, j)));
        return;
      case kCompleteLeft:
        for (Id k = i; k < j; ++k) edge(ids(), ids(span(kCompleteLeft, i, k), span(kLeft, k, j)));
        return;
      default:
        factors.edges(*this, kind - kUnder, i, j, edge);
    }
  }
  template <Order O, class Visit>
  void sweep(Visit&& visit) const {
    const auto labels = [&] {
      for (Id a = 0; labelled() && a < arcs().size(); ++a)
        visit(spans() + a, [&](auto&& edge) { relations(a, edge); });
    };
    // From what lies under an arc to what it completes.
    static constexpr Id kUpwards[] = {kRight, kLeft, kCompleteRight, kCompleteLeft};
    const auto kind_of = [](Id step) {
      return step < Factors::kKinds ? kUnder + step : kUpwards[step - Factors::kKinds];
    };
    if constexpr (O == Order::up) labels();
    range<O>(0, width(), [&](Id length) {
      for (Id i = 0; i + length <= words(); ++i)
        range<O>(0, kKinds, [&](Id step) {
          const Id kind = kind_of(step);
          const bool complete = kind == kCompleteRight || kind == kCompleteLeft;
          if (length == 0 && !complete) return;
          if (i == 0 && (kind == kLeft || kind == kCompleteLeft)) return;  // the root has no head
          visit(span(kind, i, i + length), [&](auto&& edge) { edges(kind, i, i + length, edge); });
        });
    });
    if constexpr (O == Order::down) labels();
  }
  template <class F>
  void shifts(F&& f) const {
    factors.shifts(f);
  }
  // Arcs carry the cost, other parts none.
  void add_cost(Gold gold, double scale, std::span<double> theta) const {
    arc_parts().add_cost(gold, scale, theta);
  }
  // The halves under an arc, each with its own head.
  template <class Edge>
  void halves(Id i, Id j, Edge&& edge) const {
    for (Id k = i; k < j; ++k)
      edge(ids(), ids(span(kCompleteRight, i, k), span(kCompleteLeft, k + 1, j)));
  }

 private:
  bool labelled() const { return arc_parts().relations > 1; }
  template <class Edge>
  void attach(Id head, Id modifier, Id under, Edge&& edge) const {
    const Id a = arcs().find(head, modifier);
    if (a < 0) return;
    if (labelled())
      edge(ids(), ids(under, spans() + a));
    else
      edge(ids(a), ids(under));
  }
  template <class Edge>
  void relations(Id arc, Edge&& edge) const {
    const Id count = arc_parts().relations;
    for (Id r = 0; r < count; ++r) edge(ids(arc * count + r), ids());
  }
};

// First order: an arc sees nothing of what is under it.
struct ArcFactors {
  ArcParts parts;
  static constexpr Id kJoined = 0, kUnderRight = kJoined, kUnderLeft = kJoined, kKinds = 1;

  explicit ArcFactors(ArcParts p) : parts(std::move(p)) {}
  const ArcParts& arc_parts() const { return parts; }
  Id num_parts() const { return parts.size(); }
  template <class Trees, class Edge>
  void edges(const Trees& trees, Id, Id i, Id j, Edge&& edge) const {
    // A single root has no other modifier to the left of its only one.
    if (i == 0 && trees.single_root)
      edge(ids(),
           ids(trees.span(Trees::kCompleteRight, 0, 0), trees.span(Trees::kCompleteLeft, 1, j)));
    else
      trees.halves(i, j, edge);
  }
  template <class F>
  void shifts(F&& f) const {
    parts.shifts(f);
  }
};
using Projective = ProjectiveOf<ArcFactors>;

}  // namespace linnet
