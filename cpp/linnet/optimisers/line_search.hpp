// Searches along a ray, φ(t) = f(w + t d). A sample whose value is +inf (the objective could not be
// evaluated there) counts as too high, so that both searches step back from it.
#pragma once
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "linnet/base/types.hpp"

namespace linnet {

struct Sample {
  double step, value, slope;  // t, φ(t), φ′(t)
};

// Sufficient decrease: φ(t) ≤ φ(0) + decrease·t φ′(0). Curvature: |φ′(t)| ≤ curvature·|φ′(0)|.
struct Wolfe {
  double decrease = 1e-4;
  double curvature = 0.9;
  int evaluations = 40;
};

namespace line_search {

// Where rounding hides the decrease of φ, its slopes still show it (Hager & Zhang 2005, §4).
inline constexpr double kRounding = 1e-14;

inline bool low_enough(const Sample& s, const Sample& origin, const Wolfe& c) {
  if (s.value <= origin.value + c.decrease * s.step * origin.slope) return true;
  return std::abs(s.value - origin.value) <= kRounding * std::abs(origin.value) &&
         s.slope <= (2 * c.decrease - 1) * origin.slope;
}

// The minimiser of the cubic through two samples, kept a tenth of the interval from either end.
inline double between(const Sample& a, const Sample& b) {
  const double width = b.step - a.step;
  if (!std::isfinite(b.value) || !std::isfinite(b.slope)) return a.step + 0.1 * width;
  const double d1 = a.slope + b.slope - 3 * (b.value - a.value) / width;
  const double d2 = std::copysign(std::sqrt(std::max(0.0, d1 * d1 - a.slope * b.slope)), width);
  const double share = 1 - (b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2);
  return a.step + width * (share >= 0.1 && share <= 0.9 ? share
                           : share > 0.9                ? 0.9
                           : share < 0.1                ? 0.1
                                                        : 0.5);
}

// Where the line through the slopes of two samples crosses zero, 1.5 to 10 times as far as b.
inline double beyond(const Sample& a, const Sample& b) {
  const double secant = b.step - b.slope * (b.step - a.step) / (b.slope - a.slope);
  return b.slope > a.slope ? std::clamp(secant, 1.5 * b.step, 10 * b.step) : 10 * b.step;
}

}  // namespace line_search

// A step that satisfies the strong Wolfe conditions (Nocedal & Wright, algorithms 3.5 and 3.6 as
// one loop: until a step is bracketed, the far end of the interval stands at infinity). `phi(t)`
// returns a Sample. Failing that, the lowest step seen with sufficient decrease; none if there is
// none. The step returned is the last one that phi was called with. Requires origin.slope < 0,
// first > 0.
template <class Phi>
std::optional<Sample> strong_wolfe(Phi&& phi, const Sample& origin, double first,
                                   const Wolfe& c = {}) {
  Sample low = origin;  // the lowest so far
  Sample high{kInf, kInf, kInf};
  double step = first;
  for (int evaluation = 0; evaluation < c.evaluations; ++evaluation) {
    const Sample now = phi(step);
    const bool fine = line_search::low_enough(now, origin, c);
    if (fine && std::abs(now.slope) <= -c.curvature * origin.slope) return now;
    if (!fine || now.value >= low.value) {
      high = now;
    } else {
      if (now.slope * (high.step - low.step) >= 0) high = low;
      const Sample before = std::exchange(low, now);
      if (high.step == kInf) {
        step = line_search::beyond(before, now);
        continue;
      }
    }
    step = line_search::between(low, high);
    // What is left to gain is below rounding.
    if (std::abs(low.slope * (high.step - low.step)) < 1e-17 * std::abs(low.value)) break;
  }
  if (low.step == 0) return std::nullopt;
  return phi(low.step);
}

// A point tried by `backtrack`: its value, and what the linear model at the origin promised for it.
struct Trial {
  double value, linear;
};

// Halves the step until φ(t) ≤ φ(0) + decrease·(linear model), and returns it; 0 if there is none.
// `trial(t)` moves to the step t, in any way (OWL-QN projects), and is last called with the result.
template <class Try>
double backtrack(Try&& trial, double value, double first, double decrease = 1e-4) {
  double step = first;
  for (int halvings = 0; halvings < 60; ++halvings, step /= 2) {
    const Trial now = trial(step);
    if (now.linear < 0 && now.value <= value + decrease * now.linear) return step;
    if (std::abs(now.linear) < 1e-17 * std::abs(value)) break;
  }
  return 0;
}

}  // namespace linnet
