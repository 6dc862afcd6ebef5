// Joint multiclass problems as margin programmes: the instance i and a wrong label k ask for
// s_y − s_k >= 1, a row d = (e_y − e_k) ⊗ x_i, and all labels of an instance share its slack. The
// multiplier of a row is c_i α_ik.
#pragma once
#include <algorithm>
#include <tuple>

#include "linnet/learners/dual/best_multiple.hpp"
#include "linnet/learners/dual/joint_point.hpp"
#include "linnet/optimisers/margin_programme.hpp"

namespace linnet {

struct JointPair {
  Index instance;
  Id label;
};

inline std::vector<JointPair> all_pairs(const JointPoint<double>& point) {
  std::vector<JointPair> pairs;
  for (Index i = 0; i < point.rows().size(); ++i)
    for (Id k = 0; k < point.width() && point.cost(i) > 0; ++k)
      if (k != point.gold(i)) pairs.push_back({i, k});
  return pairs;
}

// The pairs whose multipliers moved most, by instance.
inline std::vector<JointPair> most_moved(const JointPoint<double>& point,
                                         const Buffer<double>& before, std::size_t most) {
  std::vector<std::pair<double, JointPair>> moved;
  for (const JointPair& p : all_pairs(point)) {
    const std::size_t at = static_cast<std::size_t>(p.instance * point.lanes() + p.label);
    const double cost = point.cost(p.instance), step = point.duals()[at] - before[at];
    if (step != 0) moved.push_back({std::abs(step) * (cost < kInf ? cost : 1), p});
  }
  const auto earlier = [](const JointPair& a, const JointPair& b) {
    return std::tie(a.instance, a.label) < std::tie(b.instance, b.label);
  };
  if (moved.size() > most) {
    std::nth_element(moved.begin(), moved.begin() + static_cast<std::ptrdiff_t>(most), moved.end(),
                     [&](const auto& a, const auto& b) {
                       return a.first != b.first ? a.first > b.first : earlier(a.second, b.second);
                     });
    moved.resize(most);
  }
  std::vector<JointPair> pairs;
  for (const auto& [by, p] : moved) pairs.push_back(p);
  std::sort(pairs.begin(), pairs.end(), earlier);
  return pairs;
}

// Calls visit(i, row, begin, end) for the pairs [begin, end) of each instance i.
template <class Visit>
void each_instance(const JointPoint<double>& point, const std::vector<JointPair>& pairs,
                   Visit&& visit) {
  RowBuffer buffer;
  for (std::size_t begin = 0, end = 0; begin < pairs.size(); begin = end) {
    const Index i = pairs[begin].instance;
    while (end < pairs.size() && pairs[end].instance == i) ++end;
    visit(i, point.rows().row(i, buffer), begin, end);
  }
}
inline void add_difference(MarginProgramme& programme, const JointPoint<double>& point,
                           const Row& row, double bias, Id gold, Id label) {
  const auto put = [&](Index feature, double x) {
    programme.add(feature * point.stride() + gold, x);
    programme.add(feature * point.stride() + label, -x);
  };
  if (bias != 0) put(0, bias);
  for (Id j = 0; j < row.size; ++j)
    if (row.value[j] != 0) put(row.index[j] + Index{1}, static_cast<double>(row.value[j]));
}

// These pairs and nothing else. Free intercepts are those of all labels but the first, whose is 0.
inline MarginProgramme whole_programme(const JointPoint<double>& point,
                                       const std::vector<JointPair>& pairs) {
  const bool free = point.free();
  MarginProgramme programme(free ? point.width() - 1 : 0);
  const double bias = free ? 0 : static_cast<double>(point.rows().bias());
  std::vector<double> e(programme.free());
  each_instance(point, pairs, [&](Index i, const Row& row, std::size_t begin, std::size_t end) {
    const Id gold = point.gold(i);
    for (std::size_t p = begin; p < end; ++p) {
      const Id label = pairs[p].label;
      add_difference(programme, point, row, bias, gold, label);
      std::fill(e.begin(), e.end(), 0.0);
      if (free && gold > 0) e[static_cast<std::size_t>(gold) - 1] = 1;
      if (free && label > 0) e[static_cast<std::size_t>(label) - 1] = -1;
      programme.end_row(1, e);
    }
    programme.end_group(point.cost(i));
  });
  return programme;
}
// These pairs, which have no mass, given all others as they are.
inline MarginProgramme part_programme(const JointPoint<double>& point,
                                      const std::vector<JointPair>& pairs) {
  MarginProgramme programme;
  Buffer<double> scores(static_cast<std::size_t>(point.lanes()));
  each_instance(point, pairs, [&](Index i, const Row& row, std::size_t begin, std::size_t end) {
    const Id gold = point.gold(i);
    point.score(i, scores.data());
    for (std::size_t p = begin; p < end; ++p) {
      const Id label = pairs[p].label;
      add_difference(programme, point, row, static_cast<double>(point.bias()), gold, label);
      programme.end_row(1 - (scores[gold] - scores[label]));
    }
    const double cost = point.cost(i);
    programme.end_group(cost < kInf ? cost * std::max(point.alpha(i)[gold], 1e-12) : kInf);
  });
  return programme;
}

// α when these pairs give their mass back to the right label.
inline Buffer<double> without(const JointPoint<double>& point,
                              const std::vector<JointPair>& pairs) {
  Buffer<double> alpha(point.duals().begin(), point.duals().end());
  for (const JointPair& p : pairs) {
    double* const a = alpha.data() + p.instance * point.lanes();
    a[point.gold(p.instance)] += std::exchange(a[p.label], 0.0);
  }
  return alpha;
}
// Gives them the mass of a solution.
inline void put_back(const JointPoint<double>& point, const std::vector<JointPair>& pairs,
                     const MarginProgramme& programme, const MarginSolution& solution,
                     Buffer<double>& alpha) {
  for (std::size_t g = 0; g < programme.prices.size(); ++g) {
    const std::size_t begin = programme.groups[g], end = programme.groups[g + 1];
    const Index i = pairs[begin].instance;
    const double cost = point.cost(i);
    double* const a = alpha.data() + i * point.lanes();
    double& gold = a[point.gold(i)];
    double mass = 0;
    for (std::size_t p = begin; p < end; ++p)
      if (solution.tight(programme, g, p))
        mass += a[pairs[p].label] = solution.a[p] / (cost < kInf ? cost : 1);
    const bool full = cost < kInf && mass > 0 && (mass > gold || solution.full(programme, g));
    for (std::size_t p = begin; full && p < end; ++p) a[pairs[p].label] *= gold / mass;
    gold = full ? 0 : gold - mass;
  }
}

// P of the best multiple of these weights, [features + 1][stride], which becomes them.
inline double scale_up(const JointPoint<double>& point, std::vector<double>& weights) {
  const Rows& rows = point.rows();
  JointMargins margins(point.width());
  Buffer<double> scores(static_cast<std::size_t>(point.lanes()));
  RowBuffer buffer;
  for (Index i = 0; i < rows.size(); ++i) {
    const double cost = point.cost(i);
    if (cost == 0) continue;
    score_row(rows.row(i, buffer), rows.bias(), weights.data(), point.stride(), scores.data());
    margins.see(cost, cost == kInf, point.gold(i), scores.data());
  }
  const auto first = static_cast<std::ptrdiff_t>(point.free() ? point.stride() : 0);
  const double square =
      std::inner_product(weights.begin() + first, weights.end(), weights.begin() + first, 0.0);
  const auto [scale, objective] = margins.best_multiple(0.5 * square);
  for (double& w : weights) w *= scale;
  return objective;
}

}  // namespace linnet
