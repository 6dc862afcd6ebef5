// Intercepts that are not penalised, in dual descent. The dual then has a constraint for each: the
// multipliers that pull at it add up to r = 0. An intercept is penalised by its distance from a
// centre instead, ½(b − centre)² / τ: a constant feature of value √τ, whose weight is √τ r; and the
// centre follows (the method of multipliers). At the end r = 0, and so is the penalty.
//
// A constant feature couples all instances and slows descent down, so τ is small: about as much as
// a hundred instances have in common. The centre moves once a pass by a multiple of τ r that grows
// while r keeps its sign and shrinks when it changes.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "linnet/base/archive.hpp"

namespace linnet {

class FreeIntercepts {
 public:
  explicit FreeIntercepts(Id labels = 0)
      : centre_(static_cast<std::size_t>(labels), 0.0),
        rate_(centre_.size(), 1.0),
        last_(centre_.size(), 0.0) {}

  // √τ, for so many instances of that mean square.
  static float constant_feature(double mean_square, double instances) {
    const double tau = std::min(1.0, kTogether / std::max(instances, 1.0)) * mean_square;
    return tau > 0 ? static_cast<float>(std::sqrt(tau)) : 1.f;
  }

  double centre(std::size_t k) const { return centre_[k]; }
  // b, where w are the weights of the constant feature.
  template <class Real>
  double value(std::size_t k, const Real* w, float root) const {
    return centre_[k] + static_cast<double>(root) * static_cast<double>(w[k]);
  }
  template <class Real>
  void put(std::size_t k, double b, const Real* w, float root) {
    centre_[k] = b - static_cast<double>(root) * static_cast<double>(w[k]);
  }
  // After a pass.
  template <class Real>
  void follow(const Real* w, float root) {
    for (std::size_t k = 0; k < centre_.size(); ++k) {
      const auto now = static_cast<double>(w[k]);
      if (now * last_[k] > 0) rate_[k] = std::min(1.5 * rate_[k], 100.0);
      if (now * last_[k] < 0) rate_[k] = std::max(0.5 * rate_[k], 0.02);
      last_[k] = now;
      centre_[k] += rate_[k] * static_cast<double>(root) * now;
    }
  }
  void state(Archive& a) { a(centre_, rate_, last_); }

 private:
  static constexpr double kTogether = 100;
  std::vector<double> centre_, rate_, last_;  // by label
};

}  // namespace linnet
