// First-order chains: one label per token, scores for labels and for pairs of neighbours.
#pragma once
#include "linnet/structures/flat.hpp"

namespace linnet {

// Parts: label y at token t, then tied transitions from label a to label b. Nodes: best prefix
// ending with label y at token t, then the root.
struct Chain {
  Id length, labels;
  Id num_nodes() const { return length * labels + 1; }
  Id num_parts() const { return length * labels + labels * labels; }
  Id root() const { return length * labels; }
  Id at(Id t, Id y) const { return t * labels + y; }
  Id transition(Id a, Id b) const { return length * labels + a * labels + b; }

  template <Order O, class Visit>
  void sweep(Visit&& visit) const {
    const auto tokens = [&] {
      range<O>(0, length, [&](Id t) {
        for (Id y = 0; y < labels; ++y)
          visit(at(t, y), [&](auto&& edge) {
            if (t == 0) return edge(ids(at(0, y)), ids());
            for (Id p = 0; p < labels; ++p)
              edge(ids(at(t, y), transition(p, y)), ids(at(t - 1, p)));
          });
      });
    };
    const auto end = [&] {
      visit(root(), [&](auto&& edge) {
        for (Id y = 0; y < labels; ++y) edge(ids(), ids(at(length - 1, y)));
      });
    };
    if constexpr (O == Order::up) {
      tokens();
      end();
    } else {
      end();
      tokens();
    }
  }
  template <class F>
  void shifts(F&& f) const {
    for (Id t = 0; t < length; ++t) f(at(t, 0), at(t, 0) + labels, 1);
    f(length * labels, num_parts(), length - 1);
  }
  void add_cost(Gold gold, double scale, std::span<double> theta) const {
    add_hamming(0, length * labels, gold, scale, theta);
  }
};

}  // namespace linnet
