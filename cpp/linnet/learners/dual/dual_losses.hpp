// What dual coordinate descent needs of a binary loss ℓ with slack weight c, for margins m = y w·x:
//   value(m), slope(m)  ℓ(m), ℓ′(m)
//   dual(a, c)        its part of the dual objective, −c ℓ*(−a/c); a is the dual variable
//   step(a, m, q, c)  the a that maximises the dual with all others fixed, ‖x‖² = q
//   gap(a, m, c)      about c ℓ(m) − dual(a, c) + a m, this instance's part of the duality gap
//   settled(a, m, c, slack)  is a at a bound and would stay there if m moved by slack?
//   first(m, q, c, r) the first step, a = 0, when 1/r of the data have been seen: margins are taken
//                     to be on their way to r^e m. The exponents are those that save most on text
#pragma once
#include <algorithm>
#include <cmath>

#include "linnet/base/math.hpp"

namespace linnet {

enum class DualLoss { hinge, squared_hinge, logistic };

// ℓ = max(0, 1 − m); 0 <= a <= c.
struct DualHinge {
  static double value(double m) { return std::max(0.0, 1 - m); }
  static double slope(double m) { return m < 1 ? -1 : 0; }
  static double dual(double a, double) { return a; }
  static double step(double a, double m, double q, double c) {
    if (q == 0) return c;  // an empty row: m is 0 whatever a is
    return std::clamp(a + (1 - m) / q, 0.0, c);
  }
  static double first(double m, double q, double c, double r) {
    return step(0, m * std::sqrt(r), q * std::sqrt(r), c);
  }
  static double gap(double a, double m, double c) { return c * value(m) - a * (1 - m); }
  static bool settled(double a, double m, double c, double slack) {
    return (a == 0 && m > 1 + slack) || (a == c && m < 1 - slack);
  }
};

// ℓ = max(0, 1 − m)²; 0 <= a, dual a − a²/4c.
struct DualSquaredHinge {
  static double value(double m) { return m < 1 ? (1 - m) * (1 - m) : 0; }
  static double slope(double m) { return m < 1 ? 2 * (m - 1) : 0; }
  static double dual(double a, double c) { return a - a * a / (4 * c); }
  static double step(double a, double m, double q, double c) {
    return std::max(0.0, a + (1 - m - a / (2 * c)) / (q + 1 / (2 * c)));
  }
  static double first(double m, double q, double c, double r) {
    return step(0, m * std::sqrt(r), q * std::sqrt(r), c);
  }
  static double gap(double a, double m, double c) { return c * value(m) - dual(a, c) + a * m; }
  static bool settled(double a, double m, double, double slack) { return a == 0 && m > 1 + slack; }
};

// ℓ = log(1 + e^−m); 0 < a < c, dual c H(a/c) with the entropy H.
struct DualLogistic {
  static double value(double m) { return log1p_exp(-m); }
  static double slope(double m) { return -sigmoid(-m); }
  static double dual(double a, double c) {
    const double p = a / c;
    return -a_log(a, c) - (a < c / 2 ? (c - a) * std::log1p(-p) : a_log(c - a, c));
  }
  // At the optimum a = c σ(−M) where M = m + q (a − a₀) is the margin after the step: a root in M
  // of a function that increases with slope between 1 and 1 + qc/4, found by Newton's method within
  // a bracket. (Yu, Huang and Lin 2011 solve the same equation in a, near whose bounds it is
  // steep.)
  static double step(double a, double m, double q, double c) {
    const double base = m - q * a;
    double low = base, high = base + q * c;
    double M =
        a > 0 ? m : std::clamp((m + q * c / 2) / (1 + q * c / 4), low, high);  // σ by its tangent
    for (int i = 0; i < 60; ++i) {
      const double p = sigmoid(-M), f = M - base - q * c * p;
      (f > 0 ? high : low) = M;
      const double last = M;
      double next = M - f / (1 + q * c * p * (1 - p));
      if (next == M) return c * p;  // exact: the middle of the bracket would be far away
      // Strictly inside: far out on both sides the slope is 1, and steps lead from end to end.
      if (!(next > low && next < high)) next = low + (high - low) / 2;
      const double moved = std::abs(next - M);
      M = next;
      // Quadratic: the error is now about a twentieth of its square. Late visits move M little, so
      // that it vanishes as the dual converges. σ(−M) follows to first order.
      if (moved <= 1e-2) return c * p * (1 - (1 - p) * (M - last));
    }
    return c * sigmoid(-M);
  }
  static double first(double m, double q, double c, double r) {
    const double root = std::sqrt(r), fourth = std::sqrt(root);
    return step(0, m * root * fourth, q * fourth, c);
  }
  // The gap is c KL(a/c ‖ σ(−m)); this is its quadratic approximation.
  static double gap(double a, double m, double c) {
    const double p = sigmoid(-m), d = a / c - p;
    return 0.5 * c * d * d / std::max(p * (1 - p), 1e-9);
  }
  static bool settled(double, double, double, double) { return false; }

 private:
  static double a_log(double a, double c) { return a > 0 ? a * std::log(a / c) : 0; }
};

// Calls f with the loss as a type.
template <class F>
auto with_loss(DualLoss loss, F f) {
  switch (loss) {
    case DualLoss::hinge:
      return f(DualHinge{});
    case DualLoss::squared_hinge:
      return f(DualSquaredHinge{});
    default:
      return f(DualLogistic{});
  }
}

}  // namespace linnet
