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

  template <Order O, class Visit>
  void sweep(Visit&& visit) const {
    range<O>(0, words, [&](Id width) {
      for (Id i = 0; i + width < words; ++i) {
        const Id j = i + width;
        if (width == 0) {
          visit(span(kCompleteRight, i, i), [&](auto&& edge) { edge(ids(), ids()); });
          visit(span(kCompleteLeft, i, i), [&](auto&& edge) { edge(ids(), ids()); });
        } else if constexpr (O == Order::up) {
          incomplete(i, j, visit);
          complete(i, j, visit);
        } else {
          complete(i, j, visit);
          incomplete(i, j, visit);
        }
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

 private:
  template <class Visit>
  void incomplete(Id i, Id j, Visit&& visit) const {
    const auto join = [&](Id kind, Id part) {
      visit(span(kind, i, j), [&](auto&& edge) {
        for (Id k = i; k < j; ++k)
          edge(ids(part), ids(span(kCompleteRight, i, k), span(kCompleteLeft, k + 1, j)));
      });
    };
    // With a single root, the root's only arc starts its only incomplete span: nothing to its left.
    if (i == 0 && single_root)
      visit(span(kIncompleteRight, 0, j), [&](auto&& edge) {
        edge(ids(arc(0, j)), ids(span(kCompleteRight, 0, 0), span(kCompleteLeft, 1, j)));
      });
    else
      join(kIncompleteRight, arc(i, j));
    if (i > 0) join(kIncompleteLeft, arc(j, i));
  }
  template <class Visit>
  void complete(Id i, Id j, Visit&& visit) const {
    visit(span(kCompleteRight, i, j), [&](auto&& edge) {
      for (Id k = i + 1; k <= j; ++k)
        edge(ids(), ids(span(kIncompleteRight, i, k), span(kCompleteRight, k, j)));
    });
    if (i == 0) return;  // the root is nobody's modifier
    visit(span(kCompleteLeft, i, j), [&](auto&& edge) {
      for (Id k = i; k < j; ++k)
        edge(ids(), ids(span(kCompleteLeft, i, k), span(kIncompleteLeft, k, j)));
    });
  }
};

}  // namespace linnet
