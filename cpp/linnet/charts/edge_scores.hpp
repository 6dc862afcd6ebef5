// Trees whose every step is likely: the product of the posteriors of all rules where they stand
// (max-rule-product, Petrov and Klein 2007). A forest whose edges are parts of their own.
#pragma once
#include "linnet/charts/chart_forest.hpp"
#include "linnet/inference/kbest.hpp"

namespace linnet {

struct EdgeForest {
  const ChartForest& forest;

  Id num_nodes() const { return forest.num_nodes(); }
  Id num_parts() const { return static_cast<Id>(forest.num_edges()); }
  Id root() const { return forest.root(); }
  template <class Use>
  void edges(Id node, Use&& use) const {
    Id number = static_cast<Id>(forest.first_edge(node));
    forest.edges(node, [&](auto, std::span<const Id> tails) { use(ids(number++), tails); });
  }
  template <Order O, class Visit>
  void sweep(Visit&& visit) const {
    range<O>(0, num_nodes(), [&](Id node) { visit(node, [&](auto&& use) { edges(node, use); }); });
  }
};

// The parts of that tree, as k-best lists have them, and the logarithm of the product; false: there
// is no tree.
inline bool max_rule_product(const ChartForest& forest, std::span<const double> theta,
                             Output& found) {
  const EdgeForest edges{forest};
  std::vector<double> score(static_cast<std::size_t>(edges.num_parts())), mu(score.size());
  const auto each = [&](auto&& use) {
    for (Id node = 0; node < edges.num_nodes(); ++node) {
      auto e = static_cast<std::size_t>(forest.first_edge(node));
      forest.edges(node, [&](std::span<const Id> parts, auto) { use(e++, parts); });
    }
  };
  each([&](std::size_t e, std::span<const Id> parts) {
    for (const Id p : parts) score[e] += theta[p];
  });
  Workspace<double> work;
  const double log_z =
      solve<Log>(edges, std::span<const double>(score), std::span<double>(mu), work);
  if (log_z == -kInf) return false;
  each([&](std::size_t e, std::span<const Id> parts) {
    mu[e] = parts.empty() ? 0 : std::log(mu[e]);
  });
  KBest<EdgeForest> best(edges, mu);
  Output output;
  if (!best.output(0, output)) return false;
  found.score = output.score;
  found.parts.clear();
  std::vector<std::span<const Id>> parts_of(score.size());
  each([&](std::size_t e, std::span<const Id> parts) { parts_of[e] = parts; });
  for (const Id e : output.parts)
    found.parts.insert(found.parts.end(), parts_of[e].begin(), parts_of[e].end());
  return true;
}

}  // namespace linnet
