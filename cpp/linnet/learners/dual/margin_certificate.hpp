// The duality gap of a joint hinge loss, for margins m_i = s_y − max_{k ≠ y} s_k:
//
//   P(W, b) = ½‖W‖² + Σ c_i max(0, 1 − m_i),    D(α) = Σ_i c_i (1 − α_iy) − ½‖W(α)‖².
//
// As in margin_programme.hpp hard margins are instances with c = ∞. What a multiple t of the
// weights is worth depends on the margins alone, so the best multiple is taken: where c is large it
// makes up for margins that are a little too narrow. Hard margins must not be too narrow at all.
//
// Free intercepts b make D a bound only for α that leave every label as much mass as it has gold,
// r_k = Σ_i c_i ([k = y_i] − α_ik) = 0. So labels with too much of it give the surplus to those
// with too little, every instance in proportion: α + δ, and
//
//   D(α + δ) >= D(α) + Σ_i c_i δ_i · z_i − ½ (Σ_i c_i ‖δ_i‖ ‖x_i‖)²,   z_k = s_k − b_k + [k ≠ y].
#pragma once
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "linnet/base/types.hpp"

namespace linnet {

class MarginCertificate {
 public:
  explicit MarginCertificate(Id width, bool free)
      : width_(static_cast<std::size_t>(width)), free_(free), mass_(width_), lacks_(width_) {}

  // First, if there are free intercepts: every instance, then `balance`.
  void count(double cost, Id gold, const double* alpha) {
    for (std::size_t k = 0; k < width_; ++k) {
      mass_[k] += cost * std::max(alpha[k], 0.0);
      lacks_[k] -= cost * alpha[k];
    }
    lacks_[static_cast<std::size_t>(gold)] += cost;
  }
  void balance() {
    wanted_ = 0;
    for (double r : lacks_) wanted_ += std::max(r, 0.0);
  }
  // r
  const std::vector<double>& lacks() const { return lacks_; }

  // Then every instance: its scores, of which `intercept` is a part, its α, and ‖x‖.
  void see(double cost, bool hard, Id gold, double norm, const double* scores,
           const double* intercept, const double* alpha) {
    const auto y = static_cast<std::size_t>(gold);
    double rival = -kInf;
    for (std::size_t k = 0; k < width_; ++k)
      if (k != y) rival = std::max(rival, scores[k]);
    margins_.push_back({scores[y] - rival, hard ? kInf : cost});
    taken_ += cost * (1 - alpha[y]);
    if (free_) repair(cost, y, norm, scores, intercept, alpha);
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
  // Σ c (1 − α_y)
  double taken() const { return taken_; }
  // By how much D of the repaired point may be lower, if the weights are off by `error`.
  double repair_cost(double error) const { return (0.5 * moved_ + error) * moved_ - change_; }

 private:
  struct Margin {
    double margin, cost;
  };

  void repair(double cost, std::size_t y, double norm, const double* scores,
              const double* intercept, const double* alpha) {
    double removed = 0, square = 0;
    const auto worth = [&](std::size_t k) { return scores[k] - intercept[k] + (k == y ? 0 : 1); };
    for (std::size_t k = 0; k < width_; ++k) {
      if (lacks_[k] >= 0 || alpha[k] <= 0) continue;
      const double d = alpha[k] * (-lacks_[k] / mass_[k]);
      removed += d;
      square += d * d;
      change_ -= cost * d * worth(k);
    }
    for (std::size_t k = 0; k < width_ && removed > 0; ++k) {
      if (lacks_[k] <= 0) continue;
      const double d = removed * (lacks_[k] / wanted_);
      square += d * d;
      change_ += cost * d * worth(k);
    }
    moved_ += cost * std::sqrt(square) * norm;
  }

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
  bool free_;
  std::vector<double> mass_, lacks_;  // of labels
  double wanted_ = 0;                 // Σ of what labels lack
  std::vector<Margin> margins_;
  double taken_ = 0, change_ = 0, moved_ = 0;
};

}  // namespace linnet
