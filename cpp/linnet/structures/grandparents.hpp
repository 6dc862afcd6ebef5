// Projective trees of second order in both directions: an arc is seen together with the sibling
// before it and with the head of its head (after Koo and Collins 2010, with parts of two arcs
// only). Spans know the head of their head, which is affordable over candidates: with c heads a
// word there are c² n² edges, and without pruning n⁴.
#pragma once
#include "linnet/structures/siblings.hpp"

namespace linnet {

// Parts: those of Siblings; then for each arc h → m from a word, in order, one for each arc g → h,
// in order (g = m never occurs, and its place stays empty, as does that of h itself).
//
// A context is the arc into a word, g → h, or none for the root. Nodes are, by context and word e:
// complete spans from h to e; incomplete ones, with an arc h → e; and what is under that arc. Two
// siblings s, m of one head have a node for the words between them.
class Grandparents {
 public:
  SiblingFactors factors;
  bool single_root = true;

  Grandparents(Arcs all, Id relations, bool one_root)
      : factors(ArcParts(std::move(all), relations)), single_root(one_root) {
    const double spans = 3.0 * (arcs().size() + 1.0) * (words() + 1.0);
    double parts = factors.num_parts();
    first_.reserve(static_cast<std::size_t>(arcs().size()) + 1);
    for (Id m = 1; m <= words(); ++m)
      for (Id b = arcs().begin(m); b < arcs().end(m); ++b) {
        const Id h = arcs().head(b);
        first_.push_back(static_cast<Id>(std::min(parts, 2147483647.0)));
        modifier_.push_back(m);
        if (h != 0 && h != m) parts += arcs().end(h) - arcs().begin(h);
      }
    if (std::max(parts, spans + parts) > std::numeric_limits<Id>::max())
      throw std::invalid_argument(
          "the tree is too large for grandparents: prune its arcs, or use siblings");
    first_.push_back(static_cast<Id>(parts));
    list_siblings();
  }
  const ArcParts& arc_parts() const { return factors.arc_parts(); }
  const Arcs& arcs() const { return arc_parts().arcs; }
  Id words() const { return arcs().words(); }
  Id num_parts() const { return first_.back(); }
  // "The head h of the arc h → m has head g", by the arcs; requires h != 0.
  Id grand(Id arc, Id above) const { return first_[arc] + above - arcs().begin(modifier_[above]); }

  Id num_nodes() const { return labels() + (labelled() ? arcs().size() : 0); }
  Id root() const { return span(kComplete, arcs().size(), words()); }
  template <class Edge>
  void edges(Id node, Edge&& edge) const {
    if (node >= labels()) return relations(node - labels(), edge);
    if (node >= pairs()) return between(joined_[place_[node - pairs()]], edge);
    const Id width = words() + 1, x = node / width % contexts();
    edges(node / width / contexts(), x, node % width, edge);
  }
  template <Order O, class Visit>
  void sweep(Visit&& visit) const {
    const auto relation_nodes = [&] {
      for (Id a = 0; labelled() && a < arcs().size(); ++a)
        visit(labels() + a, [&](auto&& edge) { relations(a, edge); });
    };
    const auto spans_of = [&](Id kind, Id length) {
      for (Id x = 0; x < contexts(); ++x)
        for (const Id e : {head_of(x) - length, head_of(x) + length}) {
          const Id h = head_of(x);
          if (e < (h > 0 ? 1 : 0) || e > words() || (length == 0 && e != h) || covers(x, e))
            continue;
          visit(span(kind, x, e), [&](auto&& edge) { edges(kind, x, e, edge); });
          if (length == 0) break;
        }
    };
    if constexpr (O == Order::up) relation_nodes();
    range<O>(0, words() + 1, [&](Id length) {
      range<O>(0, 4, [&](Id step) {
        if (step == 0)
          for (Id p = begin_[length]; p < begin_[length + 1]; ++p)
            visit(pairs() + joined_[p].pair, [&](auto&& edge) { between(joined_[p], edge); });
        else if (step == 3 || length > 0)
          spans_of(step == 1 ? kUnder : step == 2 ? kArc : kComplete, length);
      });
    });
    if constexpr (O == Order::down) relation_nodes();
  }
  // Not every word has a grandparent: those parts have no shift.
  template <class F>
  void shifts(F&& f) const {
    factors.shifts(f);
  }
  void other_holdings(std::vector<Holding>& found) const {
    for (Id m = 1; m <= words(); ++m)
      found.push_back({first_[arcs().begin(m)], first_[arcs().end(m)], 0, 1});
  }
  void add_cost(Gold gold, double scale, std::span<double> theta) const {
    arc_parts().add_cost(gold, scale, theta);
  }

 private:
  enum Kind : Id { kComplete, kArc, kUnder, kKinds };
  struct Joined {
    Id pair;         // counted like the parts of siblings
    Id left, right;  // arcs to the two
  };

  bool labelled() const { return arc_parts().relations > 1; }
  Id contexts() const { return arcs().size() + 1; }
  Id head_of(Id context) const { return context == arcs().size() ? 0 : modifier_[context]; }
  Id span(Id kind, Id x, Id e) const { return (kind * contexts() + x) * (words() + 1) + e; }
  Id pairs() const { return kKinds * contexts() * (words() + 1); }
  Id labels() const { return pairs() + factors.num_parts() - arc_parts().size(); }
  // No word governs a span that its own head is in.
  bool covers(Id x, Id e) const {
    if (x == arcs().size()) return false;
    const Id g = arcs().head(x), h = modifier_[x];
    return g == h || (std::min(h, e) <= g && g <= std::max(h, e));
  }

  // Pairs of siblings, by their distance.
  void list_siblings() {
    const Id first = arc_parts().size();
    std::vector<std::vector<Joined>> by_length(static_cast<std::size_t>(words()) + 1);
    arc_parts().each([&](Id m, Id h, Id b) {
      factors.each(b, h, m, [&](Id s, Id part) {
        const Id other = arcs().find(h, s);
        by_length[static_cast<std::size_t>(std::abs(m - s))].push_back(
            {part - first, s < m ? other : b, s < m ? b : other});
      });
    });
    place_.assign(static_cast<std::size_t>(factors.num_parts() - first), -1);
    for (const std::vector<Joined>& of_length : by_length) {
      begin_.push_back(static_cast<Id>(joined_.size()));
      for (const Joined& j : of_length) {
        place_[j.pair] = static_cast<Id>(joined_.size());
        joined_.push_back(j);
      }
    }
    begin_.push_back(static_cast<Id>(joined_.size()));
  }

  template <class Edge>
  void between(const Joined& j, Edge&& edge) const {
    for (Id k = modifier_[j.left]; k < modifier_[j.right]; ++k)
      edge(ids(), ids(span(kComplete, j.left, k), span(kComplete, j.right, k + 1)));
  }
  template <class Edge>
  void edges(Id kind, Id x, Id e, Edge&& edge) const {
    const Id h = head_of(x);
    if (kind == kComplete) {
      if (h == e) return edge(ids(), ids());
      const auto by = [&](Id k) {
        if (const Id b = arcs().find(h, k); b >= 0)
          edge(ids(), ids(span(kArc, x, k), span(kComplete, b, e)));
      };
      if (e < h) by(e);
      arcs().between(h, e, by);
      if (h < e) by(e);
      return;
    }
    const Id b = arcs().find(h, e);
    if (b < 0) return;
    if (kind == kArc) {
      if (labelled())
        edge(ids(), ids(span(kUnder, x, e), labels() + b));
      else
        edge(ids(b), ids(span(kUnder, x, e)));
      return;
    }
    const Id nearest = span(kComplete, b, h < e ? h + 1 : h - 1), first = arc_parts().size();
    if (h == 0) {
      edge(ids(factors.alone(b)), ids(nearest));
      if (single_root) return;
      factors.each(b, h, e, [&](Id s, Id part) {
        edge(ids(part), ids(span(kArc, x, s), pairs() + part - first));
      });
      return;
    }
    edge(ids(factors.alone(b), grand(b, x)), ids(nearest));
    factors.each(b, h, e, [&](Id s, Id part) {
      edge(ids(part, grand(b, x)), ids(span(kArc, x, s), pairs() + part - first));
    });
  }
  template <class Edge>
  void relations(Id arc, Edge&& edge) const {
    const Id count = arc_parts().relations;
    for (Id r = 0; r < count; ++r) edge(ids(arc * count + r), ids());
  }

  std::vector<Id> first_, modifier_;  // grandparents' part, and modifier, of each arc
  std::vector<Joined> joined_;        // by length
  std::vector<Id> begin_, place_;     // of each length, of each pair
};

}  // namespace linnet
