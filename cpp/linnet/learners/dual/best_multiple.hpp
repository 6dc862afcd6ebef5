// The objective of a joint hinge loss, for margins m_i = s_y − max_{k ≠ y} s_k:
//
//   P(W, b) = ½‖W‖² + Σ c_i max(0, 1 − m_i).
//
// As in margin_programme.hpp hard margins are instances with c = ∞. What a multiple t of the
// weights is worth depends on the margins alone, so the best multiple is taken: where c is large it
// makes up for margins that are a little too narrow. Hard margins must not be too narrow at all.
#pragma once
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "linnet/base/types.hpp"

namespace linnet {

class JointMargins {
 public:
  explicit JointMargins(Id width) : width_(static_cast<std::size_t>(width)) {}

  // An instance and its scores.
  void see(double cost, bool hard, Id gold, const double* scores) {
    const auto y = static_cast<std::size_t>(gold);
    double rival = -kInf;
    for (std::size_t k = 0; k < width_; ++k)
      if (k != y) rival = std::max(rival, scores[k]);
    margins_.push_back({scores[y] - rival, hard ? kInf : cost});
  }

  // The best multiple of W and b, and P of it; infinite if none satisfies the hard margins.
  std::pair<double, double> best_multiple(double penalty) const {
    const double least = least_multiple();
    if (least == kInf) return {1, kInf};
    double low = least, high = std::max(2 * least, 2.0);
    while (slope(high, penalty) < 0 && high < 1e6) high *= 2;
    if (!(slope(low, penalty) < 0)) high = low;
    for (int halving = 0; halving < 60 && low < high; ++halving) {
      const double middle = 0.5 * (low + high);
      (slope(middle, penalty) < 0 ? low : high) = middle;
    }
    return {high, value(high, penalty)};
  }

 private:
  struct Margin {
    double margin, cost;
  };

  // The least multiple that satisfies all hard margins; soft ones are not given up for smaller
  // weights.
  double least_multiple() const {
    double least = 0;
    for (const Margin& m : margins_)
      if (m.cost == kInf) least = std::max(least, m.margin > 0 ? 1 / m.margin : kInf);
    return least > 0 ? least : 1;
  }
  double value(double t, double penalty) const {
    double sum = 0;
    for (const Margin& m : margins_)
      if (m.cost < kInf) sum += m.cost * std::max(0.0, 1 - t * m.margin);
    return t * t * penalty + sum;
  }
  double slope(double t, double penalty) const {
    double sum = 2 * t * penalty;
    for (const Margin& m : margins_)
      if (m.cost < kInf && t * m.margin < 1) sum -= m.cost * m.margin;
    return sum;
  }

  std::size_t width_;
  std::vector<Margin> margins_;
};

}  // namespace linnet
