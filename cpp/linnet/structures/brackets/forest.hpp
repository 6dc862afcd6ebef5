// A packed forest: outputs that somebody has listed as nodes and the ways to build them. Nodes
// stand in an order in which what they are built of comes before them; the last one is the root.
#pragma once
#include "linnet/structures/flat.hpp"

namespace linnet {

// At most two of each, -1 for none.
struct ForestEdge {
  Id tails[2];
  Id parts[2];
};

struct Forest {
  std::vector<Id> starts{0};  // edges of node v are [starts[v], starts[v + 1])
  std::vector<ForestEdge> all_edges;
  Id parts = 0;

  // Edges are added to the node at hand; close() ends it and gives its number.
  void add(const ForestEdge& edge) { all_edges.push_back(edge); }
  Id close() {
    starts.push_back(static_cast<Id>(all_edges.size()));
    return num_nodes() - 1;
  }
  Id num_nodes() const { return static_cast<Id>(starts.size()) - 1; }
  Id num_parts() const { return parts; }
  Id root() const { return num_nodes() - 1; }

  template <class Edge>
  void edges(Id node, Edge&& edge) const {
    const auto at = static_cast<std::size_t>(node);
    for (Id e = starts[at]; e < starts[at + 1]; ++e) {
      const ForestEdge& each = all_edges[static_cast<std::size_t>(e)];
      edge(known(each.parts), known(each.tails));
    }
  }
  template <Order O, class Visit>
  void sweep(Visit&& visit) const {
    range<O>(0, num_nodes(),
             [&](Id node) { visit(node, [&](auto&& edge) { edges(node, edge); }); });
  }
  template <class F>
  void shifts(F&&) const {}
  void other_holdings(std::vector<Holding>& found) const {
    found.push_back({0, parts, 0, std::numeric_limits<Id>::max()});
  }
  void add_cost(Gold gold, double scale, std::span<double> theta) const {
    add_hamming(0, parts, gold, scale, theta);
  }

 private:
  static std::span<const Id> known(const Id (&ids)[2]) {
    const std::size_t first = ids[0] < 0;
    return std::span(ids).subspan(first, (ids[1] < 0 ? 1 : 2) - first);
  }
};

}  // namespace linnet
