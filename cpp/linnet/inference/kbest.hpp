// The k best outputs of any structure, in order and lazily (Huang and Chiang 2005, algorithm 3). A
// derivation of a node is an edge and the rank of each tail's own derivation. Inside values give
// the best one of every node; the next best is asked of a node only when someone needs it, and is
// then the best of a heap that holds, for each edge, what may come next.
#pragma once
#include <algorithm>

#include "linnet/base/interrupt.hpp"
#include "linnet/inference/solve.hpp"

namespace linnet {

struct Output {
  double score;
  std::vector<Id> parts;  // tied ones as often as they are used
};

template <Structure S>
class KBest {
 public:
  // The caller keeps structure and theta alive.
  KBest(const S& structure, std::span<const double> theta) : structure_(structure), theta_(theta) {
    solve<Max>(structure_, theta_, std::span<double>(), work_);
    place_.assign(static_cast<std::size_t>(structure_.num_nodes()), -1);
  }

  // The output of this rank, 0 the best; false if there are not so many.
  bool output(Id rank, Output& result) {
    if (!derive(structure_.root(), rank)) return false;
    result.score = state(structure_.root()).best[rank].score;
    result.parts.clear();
    std::vector<Wanted> stack{{structure_.root(), rank}};
    while (!stack.empty()) {
      const auto [node, r] = stack.back();
      stack.pop_back();
      derive(node, r);
      const Derivation d = state(node).best[r];
      steps_(16 + 2 * std::ssize(state(node).ways));
      Id edge = 0;
      structure_.edges(node, [&](const auto& parts, const auto& tails) {
        if (edge++ != d.edge) return;
        result.parts.insert(result.parts.end(), parts.begin(), parts.end());
        for (std::size_t i = 0; i < tails.size(); ++i) stack.push_back({tails[i], d.rank[i]});
      });
    }
    return true;
  }

 private:
  struct Derivation {
    double score;
    Id edge;
    Id rank[2];
  };
  struct Way {
    double score;  // of the edge's parts
    Id tails[2];   // -1: none
  };
  struct State {
    std::vector<Way> ways;
    std::vector<Derivation> best, heap;  // found, in order; what may come next
    bool followed = true;                // are the successors of the last one found in the heap?
  };
  struct Wanted {
    Id node, rank;
  };

  State& state(Id node) {
    if (place_[node] < 0) {
      place_[node] = static_cast<Id>(states_.size());
      states_.emplace_back();
      State& fresh = states_.back();
      structure_.edges(node, [&](const auto& parts, const auto& tails) {
        Way way{0, {-1, -1}};
        for (Id p : parts) way.score += theta_[p];
        std::copy(tails.begin(), tails.end(), way.tails);
        Derivation first{way.score, static_cast<Id>(fresh.ways.size()), {0, 0}};
        for (Id t : tails) first.score += work_.inside[t];
        fresh.ways.push_back(way);
        if (first.score > -kInf) fresh.heap.push_back(first);
      });
      steps_(16 * std::ssize(fresh.ways));
      std::make_heap(fresh.heap.begin(), fresh.heap.end(), worse);
    }
    return states_[static_cast<std::size_t>(place_[node])];
  }

  // Finds the derivations of a node up to this rank, if there are so many. What they need of other
  // nodes waits on a stack of our own: chains are long.
  bool derive(Id root, Id rank) {
    std::vector<Wanted> stack{{root, rank}};
    while (!stack.empty()) {
      const auto [node, r] = stack.back();
      steps_(32);
      if (!open(state(node), r)) {
        stack.pop_back();
        continue;
      }
      Wanted needed{-1, 0};
      if (!state(node).followed && needs(node, needed)) {
        stack.push_back(needed);
        continue;
      }
      State& s = state(node);
      if (!s.followed) follow(s);
      if (s.heap.empty()) continue;  // no more: closed now
      std::pop_heap(s.heap.begin(), s.heap.end(), worse);
      s.best.push_back(s.heap.back());
      s.heap.pop_back();
      s.followed = false;
    }
    return known(root) > rank;
  }
  // May another derivation be found, and is it asked for?
  static bool open(const State& s, Id rank) {
    return static_cast<Id>(s.best.size()) <= rank && !(s.heap.empty() && s.followed);
  }

  // A successor of a derivation is one rank further in one tail. Each comes from one predecessor
  // only: the second rank grows while the first is 0, the first always.
  static bool grows(const Way& way, const Derivation& d, int i) {
    return way.tails[i] >= 0 && (i == 0 || d.rank[0] == 0);
  }
  // Whether the successors of the last derivation wait for one of a tail, and for which.
  bool needs(Id node, Wanted& needed) {
    const Derivation d = state(node).best.back();
    const Way way = state(node).ways[d.edge];  // copies: a new state may move the others
    for (int i = 0; i < 2; ++i)
      if (grows(way, d, i) && open(state(way.tails[i]), d.rank[i] + 1)) {
        needed = {way.tails[i], d.rank[i] + 1};
        return true;
      }
    return false;
  }
  void follow(State& s) {
    s.followed = true;
    const Derivation d = s.best.back();
    const Way& way = s.ways[d.edge];
    for (int i = 0; i < 2; ++i) {
      if (!grows(way, d, i) || known(way.tails[i]) <= d.rank[i] + 1) continue;  // it has no more
      Derivation next = d;
      ++next.rank[i];
      next.score = way.score;
      for (int k = 0; k < 2; ++k)
        if (way.tails[k] >= 0) next.score += score_of(way.tails[k], next.rank[k]);
      s.heap.push_back(next);
      std::push_heap(s.heap.begin(), s.heap.end(), worse);
    }
  }
  Id known(Id node) { return static_cast<Id>(state(node).best.size()); }
  double score_of(Id node, Id rank) const {
    if (rank == 0) return work_.inside[node];
    return states_[static_cast<std::size_t>(place_[node])].best[rank].score;
  }
  // Equal scores go to the earlier edge, then to the better ranks.
  static bool worse(const Derivation& a, const Derivation& b) {
    if (a.score != b.score) return a.score < b.score;
    if (a.edge != b.edge) return a.edge > b.edge;
    return a.rank[0] != b.rank[0] ? a.rank[0] > b.rank[0] : a.rank[1] > b.rank[1];
  }

  const S& structure_;
  std::span<const double> theta_;
  Workspace<double> work_;
  std::vector<Id> place_;  // of a node's state, -1 before it is asked for
  std::vector<State> states_;
  Steps steps_;
};

}  // namespace linnet
