// Projective dependency trees by Eisner's algorithm, arc-factored.
#pragma once
#include "linnet/structures/flat.hpp"

namespace linnet {

// Word 0 is the artificial root, words 1..n-1 the sentence; part (m, h): word m has head h, stored
// by modifier because every modifier has exactly one head. Nodes are spans [i, j] of four kinds:
// complete and incomplete, headed at the left end (facing right) or at the right end (facing left).
struct Projective {
  Id words;  // including the root
  bool single_root = false;
  enum Kind : Id { kCompleteRight, kCompleteLeft, kIncompleteRight, kIncompleteLeft };
  Id num_nodes() const { return 4 * words * words; }
  Id num_parts() const { return words * words; }
  Id root() const { return span(kCompleteRight, 0, words - 1); }
  Id span(Id kind, Id i, Id j) const { return (kind * words + i) * words + j; }
  Id arc(Id head, Id modifier) const { return modifier * words + head; }

  template <class Edge>
  void edges(Id node, Edge&& edge) const {
    const auto n = static_cast<std::uint32_t>(node), size = static_cast<std::uint32_t>(words);
    edges(static_cast<Id>(n / size / size), static_cast<Id>(n / size % size),
          static_cast<Id>(n % size), edge);
  }
  template <class Edge>
  void edges(Id kind, Id i, Id j, Edge&& edge) const {
    const auto join = [&](Id part) {
      for (Id k = i; k < j; ++k)
        edge(ids(part), ids(span(kCompleteRight, i, k), span(kCompleteLeft, k + 1, j)));
    };
    if (i == j) return edge(ids(), ids());
    switch (kind) {
      case kIncompleteRight:
        // The only arc of a single root starts its only incomplete span: nothing to its left.
        if (i == 0 && single_root)
          return edge(ids(arc(0, j)), ids(span(kCompleteRight, 0, 0), span(kCompleteLeft, 1, j)));
        return join(arc(i, j));
      case kIncompleteLeft:
        return join(arc(j, i));
      case kCompleteRight:
        for (Id k = i; k < j; ++k)
          edge(ids(), ids(span(kIncompleteRight, i, k + 1), span(kCompleteRight, k + 1, j)));
        return;
      default:
        for (Id k = i; k < j; ++k)
          edge(ids(), ids(span(kCompleteLeft, i, k), span(kIncompleteLeft, k, j)));
    }
  }
  template <Order O, class Visit>
  void sweep(Visit&& visit) const {
    const auto each = [&](Id kind, Id i, Id j) {
      visit(span(kind, i, j), [&](auto&& edge) { edges(kind, i, j, edge); });
    };
    range<O>(0, words, [&](Id width) {
      for (Id i = 0; i + width < words; ++i) {
        const Id j = i + width;
        const auto incomplete = [&] {
          if (width == 0) return;
          each(kIncompleteRight, i, j);
          if (i > 0) each(kIncompleteLeft, i, j);
        };
        if constexpr (O == Order::up) incomplete();
        each(kCompleteRight, i, j);
        if (i > 0 || width == 0) each(kCompleteLeft, i, j);  // the root is nobody's modifier
        if constexpr (O == Order::down) incomplete();
      }
    });
  }
  template <class F>
  void shifts(F&& f) const {
    for (Id m = 1; m < words; ++m) f(arc(0, m), arc(0, m) + words, 1);
  }
  void add_cost(Gold gold, double scale, std::span<double> theta) const {
    add_hamming(words, num_parts(), gold, scale, theta);
  }
};

}  // namespace linnet
