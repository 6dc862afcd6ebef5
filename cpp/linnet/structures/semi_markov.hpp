// Semi-Markov chains (Sarawagi and Cohen 2004): the tokens are cut into labelled segments of at
// most `longest` tokens, with scores for segments and for pairs of neighbouring segments.
#pragma once
#include "linnet/structures/flat.hpp"

namespace linnet {

// Parts: segment of d tokens (d = 1 ..) from token i with label y, then tied transitions from label
// a to label b. Nodes: best prefix of i tokens (i = 1 ..) whose last segment has label y, then the
// root.
struct SemiMarkov {
  Id length, labels, longest;
  Id num_nodes() const { return length * labels + 1; }
  Id num_parts() const { return transition(labels, 0); }
  Id root() const { return length * labels; }
  Id prefix(Id i, Id y) const { return (i - 1) * labels + y; }
  Id segment(Id i, Id d, Id y) const { return (i * longest + d - 1) * labels + y; }
  Id transition(Id a, Id b) const { return (length * longest + a) * labels + b; }

  template <class Edge>
  void edges(Id node, Edge&& edge) const {
    if (node == root()) {
      for (Id y = 0; y < labels; ++y) edge(ids(), ids(prefix(length, y)));
      return;
    }
    const Id end = node / labels + 1, y = node % labels;
    for (Id d = 1; d <= std::min(longest, end); ++d) {
      const Id begin = end - d, part = segment(begin, d, y);
      if (begin == 0)
        edge(ids(part), ids());
      else
        for (Id p = 0; p < labels; ++p) edge(ids(part, transition(p, y)), ids(prefix(begin, p)));
    }
  }
  template <Order O, class Visit>
  void sweep(Visit&& visit) const {
    range<O>(0, num_nodes(),
             [&](Id node) { visit(node, [&](auto&& edge) { edges(node, edge); }); });
  }
  template <class F>
  void shifts(F&&) const {}  // outputs differ in the number of their segments
  // Every token that no gold segment covers costs `scale`.
  void add_cost(Gold gold, double scale, std::span<double> theta) const {
    const auto tokens = [&](Id part) { return part / labels % longest + 1; };
    for (Id p = 0; p < transition(0, 0); ++p) theta[p] += scale * tokens(p);
    for (const auto& [p, count] : gold)
      if (p < transition(0, 0)) theta[p] -= scale * tokens(p) * count;
  }
};

}  // namespace linnet
