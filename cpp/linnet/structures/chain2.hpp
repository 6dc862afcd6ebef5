// Second-order chains: scores for labels, for pairs and for triples of neighbours.
#pragma once
#include <string>

#include "linnet/structures/flat.hpp"

namespace linnet {

// Parts: label y at token t; tied pairs a b; with `ends` the tied first and last label; tied
// triples a b c. Nodes: best prefix ending with labels a b at tokens t - 1, t (t = 0: label b),
// then the root.
struct Chain2 {
  Id length, labels;
  bool ends = false;
  Id num_nodes() const { return length * labels * labels + 1; }
  Id num_parts() const { return triple(labels, 0, 0); }
  Id root() const { return length * labels * labels; }
  Id prefix(Id t, Id a, Id b) const { return (t * labels + a) * labels + b; }
  Id at(Id t, Id y) const { return t * labels + y; }
  Id transition(Id a, Id b) const { return length * labels + a * labels + b; }
  Id start(Id y) const { return transition(labels, y); }
  Id stop(Id y) const { return transition(labels + 1, y); }
  Id triple(Id a, Id b, Id c) const {
    return transition(labels + (ends ? 2 : 0), 0) + (a * labels + b) * labels + c;
  }

  // Refuses what would not fit: nodes and parts, each a few doubles while solving.
  void check_size() const {
    const double T = length, L = labels, bytes = 20 * T * L * L + 32 * (T * L + L * L + L * L * L);
    if (bytes > 4e9)
      throw std::invalid_argument("a second-order chain of " + std::to_string(length) +
                                  " tokens and " + std::to_string(labels) +
                                  " labels would need about " +
                                  std::to_string(static_cast<Index>(bytes / 1e9) + 1) +
                                  " GB: use order 1, fewer labels or shorter sentences");
  }

  template <class Edge>
  void edges(Id node, Edge&& edge) const {
    if (node == root()) {
      for (Id a = 0; a < (length > 1 ? labels : 1); ++a)
        for (Id b = 0; b < labels; ++b)
          if (ends)
            edge(ids(stop(b)), ids(prefix(length - 1, a, b)));
          else
            edge(ids(), ids(prefix(length - 1, a, b)));
      return;
    }
    const Id t = node / labels / labels, b = node / labels % labels, c = node % labels;
    if (t == 0) {
      if (b > 0) return;  // there is one first token, not one for each label before it
      return ends ? edge(ids(at(0, c), start(c)), ids()) : edge(ids(at(0, c)), ids());
    }
    if (t == 1) return edge(ids(at(1, c), transition(b, c)), ids(prefix(0, 0, b)));
    for (Id a = 0; a < labels; ++a)
      edge(ids(at(t, c), transition(b, c), triple(a, b, c)), ids(prefix(t - 1, a, b)));
  }
  template <Order O, class Visit>
  void sweep(Visit&& visit) const {
    range<O>(0, num_nodes(),
             [&](Id node) { visit(node, [&](auto&& edge) { edges(node, edge); }); });
  }
  template <class F>
  void shifts(F&& f) const {
    for (Id t = 0; t < length; ++t) f(at(t, 0), at(t, 0) + labels, 1);
    f(transition(0, 0), transition(labels, 0), length - 1);
    if (ends) f(start(0), start(0) + labels, 1), f(stop(0), stop(0) + labels, 1);
    f(triple(0, 0, 0), num_parts(), std::max(length - 2, 0));
  }
  void add_cost(Gold gold, double scale, std::span<double> theta) const {
    add_hamming(0, length * labels, gold, scale, theta);
  }
};

}  // namespace linnet
