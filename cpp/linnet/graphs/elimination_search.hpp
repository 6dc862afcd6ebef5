// The best of several elimination orders, found in less time than its tables will take.
#pragma once
#include <queue>

#include "linnet/graphs/elimination.hpp"

namespace linnet {

// Tables would be too large: how large, and over which variables the largest is.
struct TooLarge {
  double entries, largest;
  std::vector<Id> blamed;
};

namespace detail {

// Variables as they are joined by factors: sorted lists of neighbours.
inline std::vector<std::vector<Id>> neighbour_lists(const Scopes& scopes,
                                                    std::span<const Id> observed) {
  std::vector<std::vector<Id>> lists(scopes.sizes.size());
  std::vector<Id> free;
  for (Index f = 0; f < scopes.factors(); ++f) {
    free.clear();
    for (Id v : scopes.of(f))
      if (observed.empty() || observed[v] < 0) free.push_back(v);
    for (Id u : free)
      for (Id v : free)
        if (u != v) lists[u].push_back(v);
  }
  for (auto& list : lists) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return lists;
}

// Takes out variables with at most one neighbour as long as there are any: no order does better,
// and of a tree nothing is left, in linear time.
inline Elimination strip_leaves(std::vector<std::vector<Id>>& lists, std::span<const Id> sizes,
                                std::vector<char>& gone) {
  Elimination found;
  found.total = 0;
  found.rule = "leaves first";
  std::vector<Id> degree(lists.size()), leaves;
  for (std::size_t v = 0; v < lists.size(); ++v) {
    degree[v] = static_cast<Id>(lists[v].size());
    if (!gone[v] && degree[v] <= 1) leaves.push_back(static_cast<Id>(v));
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Id v = leaves[i];
    std::vector<Id> clique{v};
    double size = sizes[v];
    for (Id u : lists[v]) {
      if (gone[u]) continue;
      clique.push_back(u);
      size *= sizes[u];
      if (--degree[u] == 1) leaves.push_back(u);
    }
    gone[v] = 1;
    found.total += size;
    if (size > found.largest) found.largest = size, found.blamed = clique;
    found.order.push_back(v);
    found.cliques.push_back(std::move(clique));
  }
  return found;
}

// Least weight first over lists of neighbours, for graphs that are too large for rows of bits.
inline Elimination lists_order(std::vector<std::vector<Id>> lists, std::span<const Id> sizes,
                               double bound) {
  Elimination found;
  found.total = 0;
  found.rule = name_of(OrderRule::weight);
  const auto n = static_cast<Id>(lists.size());
  const auto weight = [&](Id v) {
    double size = sizes[v];
    for (Id u : lists[v]) size *= sizes[u];
    return size;
  };
  using Entry = std::pair<double, Id>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  std::vector<double> weights(lists.size());
  for (Id v = 0; v < n; ++v) queue.emplace(weights[v] = weight(v), v);
  std::vector<char> gone(lists.size(), 0);
  std::vector<Id> merged;
  Steps steps;
  while (!queue.empty()) {
    const auto [size, v] = queue.top();
    queue.pop();
    if (gone[v] || size != weights[v]) continue;
    gone[v] = 1;
    const std::vector<Id> around = std::move(lists[v]);
    found.total += size;
    std::vector<Id> clique{v};
    clique.insert(clique.end(), around.begin(), around.end());
    if (size > found.largest) found.largest = size, found.blamed = clique;
    found.order.push_back(v);
    found.cliques.push_back(std::move(clique));
    if (found.total > bound) {
      found.reached = std::exchange(found.total, kInf);
      return found;
    }
    for (Id u : around) {
      merged.clear();
      std::set_union(lists[u].begin(), lists[u].end(), around.begin(), around.end(),
                     std::back_inserter(merged));
      std::erase_if(merged, [&](Id t) { return t == u || t == v; });
      lists[u].swap(merged);
      queue.emplace(weights[u] = weight(u), u);
      steps(8 * std::ssize(lists[u]));
    }
  }
  return found;
}

}  // namespace detail

// Throws TooLarge if all tables together would have more than `limit` entries. The search takes at
// most about a tenth of the time that the tables will; its random numbers are always the same.
inline Elimination best_order(const Scopes& scopes, std::span<const Id> observed, double limit) {
  auto lists = detail::neighbour_lists(scopes, observed);
  std::vector<char> gone(lists.size(), 0);
  for (std::size_t v = 0; v < observed.size(); ++v) gone[v] = observed[v] >= 0;
  Elimination found = detail::strip_leaves(lists, scopes.sizes, gone);
  std::vector<Id> core, number(lists.size(), -1), sizes;
  for (Id v = 0; v < scopes.variables(); ++v)
    if (!gone[v]) number[v] = static_cast<Id>(core.size()), core.push_back(v);
  if (!core.empty()) {
    for (Id v : core) sizes.push_back(scopes.sizes[v]);
    Elimination best;
    constexpr std::size_t kBits = 8192;
    if (core.size() > kBits) {
      std::vector<std::vector<Id>> left(core.size());
      for (std::size_t k = 0; k < core.size(); ++k)
        for (Id u : lists[core[k]])
          if (number[u] >= 0) left[k].push_back(number[u]);
      best = detail::lists_order(std::move(left), sizes, limit);
    } else {
      BitGraph graph(static_cast<Id>(core.size()), sizes);
      for (Id v : core)
        for (Id u : lists[v])
          if (u < v && number[u] >= 0) graph.join(number[u], number[v]);
      Rng rng(0);
      Index steps = 0;
      // What leaves the limit is given up on the way, and not tried for long.
      const auto attempt = [&](OrderRule rule, double noise) {
        Elimination next =
            greedy_order(graph, rule, noise, rng, std::min(best.total, limit), steps);
        if (next.total < best.total || best.order.empty()) best = std::move(next);
      };
      const auto worth = [&] {
        return static_cast<double>(steps) < (best.total == kInf ? 2e7 : 0.2 * best.total);
      };
      attempt(OrderRule::weight, 0);
      if (worth()) attempt(OrderRule::weighted_fill, 0);
      if (worth()) attempt(OrderRule::fill, 0);
      for (int k = 0; worth() && k < 300; ++k)
        attempt(k % 2 ? OrderRule::fill : OrderRule::weighted_fill, k % 4 < 2 ? 1.0 : 0.3);
      // Nothing fits: an order that is not given up tells how much would be needed, and for what.
      if (best.total == kInf) {
        best = greedy_order(graph, OrderRule::weight, 0, rng, kInf, steps);
        best.reached = std::exchange(best.total, kInf);
      }
    }
    if (best.total == kInf || found.total + best.total > limit) {
      for (Id& v : best.blamed) v = core[v];
      throw TooLarge{found.total + std::min(best.total, best.reached), best.largest, best.blamed};
    }
    for (std::size_t i = 0; i < best.order.size(); ++i) {
      for (Id& v : best.cliques[i]) v = core[v];
      found.order.push_back(core[best.order[i]]);
      found.cliques.push_back(std::move(best.cliques[i]));
    }
    found.rule = best.rule;
    found.total += best.total;
    found.largest = std::max(found.largest, best.largest);
  } else if (found.total > limit) {
    throw TooLarge{found.total, found.largest, found.blamed};
  }
  return found;
}

}  // namespace linnet
