// Trees of labelled brackets without a grammar: every span may have a label, and the score of a
// tree is the sum over its brackets. Phrases have any number of children: an item is a word or a
// bracket; a row is an item, or an item and a row; a bracket is a label over an item and a row. So
// each tree is derived once, and sums are over trees. A bracket over one word stands on the word
// itself, and never two over the same words: their labels are one label.
#pragma once
#include "linnet/structures/brackets/span_demands.hpp"
#include "linnet/structures/flat.hpp"

namespace linnet {

// Parts: label l over span [i, j), spans in the order of their ends within that of their begins.
struct Bracketing {
  Id length, labels;
  bool whole = true;  // all words together are a bracket
  SpanDemands demands{};

  Id span(Id i, Id j) const { return i * length - i * (i - 1) / 2 + (j - i - 1); }
  Id spans() const { return length * (length + 1) / 2; }
  Id part(Id i, Id j, Id label) const { return span(i, j) * labels + label; }
  Id num_parts() const { return spans() * labels; }
  Id num_nodes() const { return 3 * spans() + 1; }
  Id inner(Id i, Id j) const { return 3 * span(i, j); }  // an item and a row
  Id item(Id i, Id j) const { return 3 * span(i, j) + 1; }
  Id row(Id i, Id j) const { return 3 * span(i, j) + 2; }
  Id root() const { return 3 * spans(); }
  // Nodes and parts are numbered by Id.
  static bool fits(double length, double labels) {
    return length * (length + 1) / 2 * std::max(labels, 3.0) + 1 < std::numeric_limits<Id>::max();
  }
  bool must(Id i, Id j) const { return (whole && j - i == length) || demands.must(i, j); }
  // The span of a number, and the first word of it.
  std::pair<Id, Id> bounds(Id number) const {
    const double n = length + 0.5;
    Id i = static_cast<Id>(n - std::sqrt(std::max(0.0, n * n - 2.0 * number)));
    while (i > 0 && span(i, i + 1) > number) --i;
    while (i + 1 < length && span(i + 1, i + 2) <= number) ++i;
    return {i, i + 1 + number - span(i, i + 1)};
  }

  template <class Edge>
  void edges_of(Id i, Id j, Id kind, Edge&& edge) const {
    const bool word = j - i == 1;
    if (kind == 0) {
      for (Id k = demands.first_split(i, j); k < j; ++k) edge(ids(), ids(item(i, k), row(k, j)));
    } else if (kind == 1) {
      if (word && !must(i, j)) edge(ids(), ids());  // the word without a bracket
      for (Id l = 0; l < labels && !demands.crossed(i, j); ++l) {
        if (word)
          edge(ids(part(i, j, l)), ids());
        else
          edge(ids(part(i, j, l)), ids(inner(i, j)));
      }
    } else {
      edge(ids(), ids(item(i, j)));
      if (!word && !must(i, j)) edge(ids(), ids(inner(i, j)));
    }
  }
  template <class Edge>
  void edges(Id node, Edge&& edge) const {
    if (node == root()) return edge(ids(), ids(row(0, length)));
    const auto [i, j] = bounds(node / 3);
    edges_of(i, j, node % 3, edge);
  }
  template <Order O, class Visit>
  void sweep(Visit&& visit) const {
    const auto top = [&] { visit(root(), [&](auto&& edge) { edges(root(), edge); }); };
    if constexpr (O == Order::down) top();
    range<O>(1, length + 1, [&](Id width) {
      for (Id i = 0; i + width <= length; ++i)
        range<O>(0, 3, [&](Id kind) {
          visit(3 * span(i, i + width) + kind,
                [&](auto&& edge) { edges_of(i, i + width, kind, edge); });
        });
    });
    if constexpr (O == Order::up) top();
  }
  // One label over all words, if they are a bracket; how many others there are varies.
  template <class F>
  void shifts(F&& f) const {
    if (whole) f(part(0, length, 0), part(0, length, 0) + labels, 1);
  }
  void other_holdings(std::vector<Holding>& found) const {
    const Id top = part(0, length, 0);
    if (top > 0) found.push_back({0, top, 0, 2 * length - 2});
    if (!whole) found.push_back({top, top + labels, 0, 1});
    if (top + labels < num_parts()) found.push_back({top + labels, num_parts(), 0, 2 * length - 2});
  }
  // Brackets that are not gold cost so much, and so do gold ones that are missing.
  void add_cost(Gold gold, double scale, std::span<double> theta) const {
    add_hamming(0, num_parts(), gold, scale, theta);
    for (const auto& [p, count] : gold) theta[p] -= scale * count;
  }
};

}  // namespace linnet
