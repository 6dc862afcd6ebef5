// First-order chains: one label per token, scores for labels and for pairs of neighbours.
#pragma once
#include "linnet/structures/flat.hpp"

namespace linnet {

// Parts: label y at token t; tied transitions from label a to label b; with `ends` the tied first
// and last label; with `observed` the transition at each pair of neighbours, which sees them.
// Nodes: best prefix ending with label y at token t, then the root.
struct Chain {
  Id length, labels;
  bool ends = false, observed = false;
  Id num_nodes() const { return length * labels + 1; }
  Id num_parts() const { return pair(length - 1, 0, 0); }
  Id root() const { return length * labels; }
  Id at(Id t, Id y) const { return t * labels + y; }
  Id transition(Id a, Id b) const { return length * labels + a * labels + b; }
  Id start(Id y) const { return transition(labels, y); }
  Id stop(Id y) const { return transition(labels + 1, y); }
  // From a at token t to b at t + 1.
  Id pair(Id t, Id a, Id b) const {
    const Id tied = transition(labels + (ends ? 2 : 0), 0);
    return observed ? tied + (t * labels + a) * labels + b : tied;
  }

  template <class Edge>
  void edges(Id node, Edge&& edge) const {
    if (node == root())
      edges_of_root(edge);
    else
      edges(node / labels, node % labels, edge);
  }
  template <Order O, class Visit>
  void sweep(Visit&& visit) const {
    const auto end = [&] { visit(root(), [&](auto&& edge) { edges_of_root(edge); }); };
    if constexpr (O == Order::down) end();
    range<O>(0, length, [&](Id t) {
      for (Id y = 0; y < labels; ++y) visit(at(t, y), [&](auto&& edge) { edges(t, y, edge); });
    });
    if constexpr (O == Order::up) end();
  }
  template <class Edge>
  void edges(Id t, Id y, Edge&& edge) const {
    if (t == 0) return ends ? edge(ids(at(0, y), start(y)), ids()) : edge(ids(at(0, y)), ids());
    for (Id p = 0; p < labels; ++p)
      if (observed)
        edge(ids(at(t, y), transition(p, y), pair(t - 1, p, y)), ids(at(t - 1, p)));
      else
        edge(ids(at(t, y), transition(p, y)), ids(at(t - 1, p)));
  }
  template <class Edge>
  void edges_of_root(Edge&& edge) const {
    for (Id y = 0; y < labels; ++y)
      if (ends)
        edge(ids(stop(y)), ids(at(length - 1, y)));
      else
        edge(ids(), ids(at(length - 1, y)));
  }
  template <class F>
  void shifts(F&& f) const {
    for (Id t = 0; t < length; ++t) f(at(t, 0), at(t, 0) + labels, 1);
    f(transition(0, 0), transition(labels, 0), length - 1);
    if (ends) f(start(0), start(0) + labels, 1), f(stop(0), stop(0) + labels, 1);
    for (Id t = 0; observed && t + 1 < length; ++t) f(pair(t, 0, 0), pair(t + 1, 0, 0), 1);
  }
  void add_cost(Gold gold, double scale, std::span<double> theta) const {
    add_hamming(0, length * labels, gold, scale, theta);
  }
};

}  // namespace linnet
