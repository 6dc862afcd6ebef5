// Max-marginals: for every part the score of the best output that holds it, and that output. One
// sweep up, one down: where solve<Max> follows the best edges only, all are followed here.
#pragma once
#include "linnet/base/interrupt.hpp"
#include "linnet/inference/solve.hpp"

namespace linnet {

template <Structure S>
class BestThrough {
 public:
  // The caller keeps structure and theta alive.
  BestThrough(const S& structure, std::span<const double> theta)
      : structure_(structure), theta_(theta) {
    value_ = solve<Max>(structure_, theta_, std::span<double>(), work_);
    outside_.assign(work_.inside.size(), -kInf);
    above_.resize(work_.inside.size());
    score_.assign(theta.size(), -kInf);
    edge_.resize(theta.size());
    outside_[structure_.root()] = 0;
    Steps steps;
    structure_.template sweep<Order::down>([&](Id node, auto&& edges) {
      if (outside_[node] == -kInf) return;
      Id number = 0;
      edges([&](const auto& parts, const auto& tails) {
        const Edge edge{node, number++};
        double score = outside_[node];
        for (Id p : parts) score += theta_[p];
        for (Id t : tails) {
          double others = score;
          for (Id other : tails)
            if (other != t) others += work_.inside[other];
          if (others > outside_[t]) outside_[t] = others, above_[t] = edge;
        }
        for (Id t : tails) score += work_.inside[t];
        for (Id p : parts)
          if (score > score_[p]) score_[p] = score, edge_[p] = edge;
      });
      steps(8 * Index{number});
    });
  }

  double value() const { return value_; }               // of the best output of all
  double score(Id part) const { return score_[part]; }  // -inf: no output has it
  std::span<const double> scores() const { return score_; }

  // The parts of the best output that holds this one, tied ones as often as they are used.
  void output(Id part, std::vector<Id>& found) {
    if (score_[part] == -kInf) throw std::invalid_argument("no output holds this part");
    found.clear();
    Id below = -1;  // whose derivation is there already
    for (Edge edge = edge_[part];; edge = above_[below]) {
      take(edge, below, found);
      below = edge.node;
      if (below == structure_.root()) break;
    }
    while (!stack_.empty()) {
      const Id node = stack_.back();
      stack_.pop_back();
      take({node, work_.choice[node]}, -1, found);
    }
  }

 private:
  struct Edge {
    Id node = -1, number = 0;
  };
  void take(Edge edge, Id below, std::vector<Id>& found) {
    Id number = 0;
    steps_(16);
    structure_.edges(edge.node, [&](const auto& parts, const auto& tails) {
      if (number++ != edge.number) return;
      found.insert(found.end(), parts.begin(), parts.end());
      for (Id t : tails)
        if (t != below) stack_.push_back(t);
    });
    steps_(2 * Index{number});
  }

  const S& structure_;
  std::span<const double> theta_;
  Workspace<double> work_;
  double value_;
  std::vector<double> outside_, score_;  // by node, by part
  std::vector<Edge> above_, edge_;       // the best edge into a node, the best that holds a part
  std::vector<Id> stack_;
  Steps steps_;
};

}  // namespace linnet
