// Losses of a margin m = y w·x that have a slope everywhere, each with its first two derivatives
// and its concave dual term: min_w sum c l(m) + penalty(w) has the dual max_a sum c dual(a_i) -
// penalty*(sum c a_i y_i x_i), where a = pull(m) at the optimum.
#pragma once
#include <algorithm>
#include <cmath>

#include "linnet/base/math.hpp"

namespace linnet {

struct MarginPoint {
  double value;      // l(m)
  double pull;       // -l'(m)
  double curvature;  // l''(m); a little more where it all but vanishes, for sane Newton steps
};

struct LogisticMargin {
  static constexpr bool pulls_forward_only = true;  // pull >= 0
  static constexpr double strongest_pull = 1;       // at any margin
  static constexpr bool pull_is_bounded = true;
  static MarginPoint at(double m) {
    const double e = exp(-std::abs(m)), small = e / (1 + e);
    return {std::max(0.0, -m) + std::log1p(e), m >= 0 ? small : 1 - small,
            std::max(small * (1 - small), 1e-6)};
  }
  static double dual(double a) { return entropy(a) + entropy(1 - a); }

 private:
  static double entropy(double p) { return p > 0 ? -p * std::log(p) : 0; }
};

struct SquaredHingeMargin {
  static constexpr bool pulls_forward_only = true;
  static constexpr double strongest_pull = 8;  // a first guess: 2 at m = 0, about 6 on real data
  static constexpr bool pull_is_bounded = false;
  static MarginPoint at(double m) {
    const double h = std::max(0.0, 1 - m);
    return {h * h, 2 * h, h > 0 ? 2.0 : 0.0};
  }
  static double dual(double a) { return a - a * a / 4; }
};

// 1/2 (w·x - y)^2 = 1/2 (1 - m)^2, as y is 1 or -1.
struct SquaredMargin {
  static constexpr bool pulls_forward_only = false;
  static constexpr double strongest_pull = 2;  // a first guess
  static constexpr bool pull_is_bounded = false;
  static MarginPoint at(double m) { return {0.5 * (1 - m) * (1 - m), 1 - m, 1}; }
  static double dual(double a) { return a - a * a / 2; }
};

}  // namespace linnet
