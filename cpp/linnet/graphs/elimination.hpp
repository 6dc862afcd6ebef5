// Elimination orders. To eliminate a variable is to join its neighbours; the variable and they are
// a clique, whose table has as many entries as they have values together. The best order is hard to
// find; greedy ones are good: least fill (fewest pairs joined), least weight (smallest table),
// least weighted fill, and all of these again with some noise.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/rng.hpp"
#include "linnet/graphs/scopes.hpp"

namespace linnet {

struct Elimination {
  std::vector<Id> order;
  std::vector<std::vector<Id>> cliques;  // of each step: the variable, then its neighbours
  double total = kInf;                   // entries of all maximal cliques
  double reached = kInf;                 // how many there were where it was given up
  double largest = 0;                    // of the largest
  std::vector<Id> blamed;                // its variables
  const char* rule = "";
};

enum class OrderRule { fill, weight, weighted_fill };
inline const char* name_of(OrderRule rule) {
  return rule == OrderRule::fill     ? "min-fill"
         : rule == OrderRule::weight ? "min-weight"
                                     : "weighted min-fill";
}

// A graph that is being eliminated, as rows of bits; for at most a few thousand variables.
class BitGraph {
 public:
  BitGraph(Id variables, std::span<const Id> sizes)
      : n_(variables), words_((variables + 63) / 64), sizes_(sizes.begin(), sizes.end()) {
    bits_.assign(static_cast<std::size_t>(n_) * words_, 0);
    for (Id size : sizes) logs_.push_back(std::log2(static_cast<double>(size)));
  }
  void join(Id u, Id v) {
    row(u)[v >> 6] |= std::uint64_t{1} << (v & 63);
    row(v)[u >> 6] |= std::uint64_t{1} << (u & 63);
  }
  bool joined(Id u, Id v) const { return row(u)[v >> 6] >> (v & 63) & 1; }
  Id size() const { return n_; }

  template <class F>
  void neighbours(Id v, F&& f) const {
    const std::uint64_t* r = row(v);
    for (Id w = 0; w < words_; ++w)
      for (std::uint64_t left = r[w]; left; left &= left - 1)
        f(static_cast<Id>(w * 64 + std::countr_zero(left)));
  }
  // What a rule wants to be small; for fills the pairs of neighbours that are not joined yet.
  double score(Id v, OrderRule rule, Index& steps) const {
    double found = 0;
    if (rule == OrderRule::weight) {
      found = logs_[v];
      neighbours(v, [&](Id u) { found += logs_[u]; });
      steps += words_;
      return std::exp2(found);
    }
    const std::uint64_t* mine = row(v);
    neighbours(v, [&](Id u) {
      const std::uint64_t* theirs = row(u);
      steps += words_;
      for (Id w = 0; w < words_; ++w) {
        std::uint64_t missing = mine[w] & ~theirs[w];
        if (rule == OrderRule::fill) {
          found += std::popcount(missing);
        } else {
          for (; missing; missing &= missing - 1) {
            const auto t = static_cast<Id>(w * 64 + std::countr_zero(missing));
            if (t != u) found += 1.0 * sizes_[u] * sizes_[t];
          }
        }
      }
      if (rule == OrderRule::fill) found -= 1;  // u is not its own neighbour
    });
    return found / 2;
  }
  // Joins the neighbours of v and takes it out.
  void eliminate(Id v) {
    neighbours(v, [&](Id u) {
      std::uint64_t *r = row(u), *mine = row(v);
      for (Id w = 0; w < words_; ++w) r[w] |= mine[w];
      r[u >> 6] &= ~(std::uint64_t{1} << (u & 63));
      r[v >> 6] &= ~(std::uint64_t{1} << (v & 63));
    });
  }
  double log_weight(Id v) const {
    double found = logs_[v];
    neighbours(v, [&](Id u) { found += logs_[u]; });
    return found;
  }

 private:
  std::uint64_t* row(Id v) { return bits_.data() + static_cast<std::size_t>(v) * words_; }
  const std::uint64_t* row(Id v) const {
    return bits_.data() + static_cast<std::size_t>(v) * words_;
  }
  Id n_, words_;
  std::vector<Id> sizes_;
  std::vector<double> logs_;
  std::vector<std::uint64_t> bits_;
};

// Greedy by a rule, each score times 1 to 1 + noise. Stops with total = inf where the sum so far is
// worse than `bound`.
inline Elimination greedy_order(BitGraph graph, OrderRule rule, double noise, Rng& rng,
                                double bound, Index& steps) {
  Elimination found;
  found.rule = name_of(rule);
  found.total = 0;
  const Id n = graph.size();
  std::vector<Id> left(static_cast<std::size_t>(n)), touched;
  std::iota(left.begin(), left.end(), 0);
  std::vector<double> scores(static_cast<std::size_t>(n)), weights(scores);
  const auto rate = [&](Id v) {
    scores[v] = graph.score(v, rule, steps);
    if (noise > 0) scores[v] = (scores[v] + 0.1) * (1 + noise * rng.uniform());
    weights[v] = graph.log_weight(v);
  };
  for (Id v = 0; v < n; ++v) rate(v);
  std::vector<char> mark(static_cast<std::size_t>(n), 0);
  Steps interrupt;
  while (!left.empty()) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < left.size(); ++i) {
      const Id a = left[i], b = left[best];
      if (scores[a] < scores[b] || (scores[a] == scores[b] && weights[a] < weights[b])) best = i;
    }
    const Index before = steps;
    steps += std::ssize(left);
    const Id v = left[best];
    left[best] = left.back();
    left.pop_back();
    std::vector<Id> clique{v};
    graph.neighbours(v, [&](Id u) { clique.push_back(u); });
    const double size = std::exp2(weights[v]);
    found.total += size;
    if (size > found.largest) found.largest = size, found.blamed = clique;
    const bool fills = clique.size() > 2;
    graph.eliminate(v);
    // Those whose neighbourhood has changed: the neighbours, and for fills theirs.
    touched.clear();
    for (std::size_t i = 1; i < clique.size(); ++i) {
      if (!mark[clique[i]]) mark[clique[i]] = 1, touched.push_back(clique[i]);
      if (fills && rule != OrderRule::weight)
        graph.neighbours(clique[i], [&](Id u) {
          if (!mark[u]) mark[u] = 1, touched.push_back(u);
        });
    }
    for (Id u : touched) mark[u] = 0, rate(u);
    found.order.push_back(v);
    found.cliques.push_back(std::move(clique));
    interrupt(steps - before);
    if (found.total > bound) {
      found.reached = std::exchange(found.total, kInf);
      return found;
    }
  }
  return found;
}

}  // namespace linnet
