// The duality gap of a binary problem, from the margins of its instances (binary_descent.hpp):
//
//   P(w, b) − D(a) = Σ [c ℓ(m) − dual(a, c) + a m] + ½‖w − w(a)‖² − b r,   r = Σ a y.
//
// With a free intercept D bounds the optimum only where r = 0. The side that weighs more is scaled
// down, a + δ, and D is then at least
//
//   Σ dual(a + δ, c) − ½‖w‖² − Σ δ (m − y b) − ½ (Σ |δ| ‖x‖)².
//
// P may be had for other weights than w: for a multiple t (w, b), and for another intercept.
#pragma once
#include <algorithm>
#include <cmath>

#include "linnet/learners/dual/binary_problem.hpp"

namespace linnet {

template <class Loss>
class BinaryCertificate {
 public:
  double objective = 0, dual = 0;
  double scale = 1, shift = 0;  // weights t w and t (b + shift) have this objective

  // `error` bounds ½‖w − w(a)‖².
  BinaryCertificate(std::span<const BinarySlot> slots, double penalty, double error)
      : slots_(slots), penalty_(penalty), error_(error) {}

  void measure() {
    double losses = 0, lacking = 0, taken = 0;
    for (const BinarySlot& s : slots_) {
      const double part = Loss::dual(s.alpha, s.c);
      taken += part;
      hard_ |= s.c == kInf;
      if (s.c == kInf) continue;
      const double loss = s.c * Loss::value(s.margin);
      losses += loss;
      lacking += loss - part + s.alpha * s.margin;
    }
    objective = penalty_ + losses;
    dual = objective - lacking - error_;
    if (hard_) {  // (then w is w(a), in double)
      dual = taken - penalty_;
      objective = kInf;
    }
  }
  // The same for a free intercept b, while the constant feature has the value `bias`.
  void measure_free(double b, double bias) {
    measure();
    double sums[2] = {0, 0};
    for (const BinarySlot& s : slots_) sums[s.sign > 0] += s.alpha;
    if (!hard_) dual += b * (sums[1] - sums[0]);
    const bool heavy = sums[1] > sums[0];
    const double keep = sums[heavy] > 0 ? sums[!heavy] / sums[heavy] : 1;
    double change = 0, moved = 0;
    for (const BinarySlot& s : slots_) {
      if ((s.sign > 0) != heavy || s.alpha == 0) continue;
      const double y = static_cast<double>(s.sign), step = (keep - 1) * s.alpha;
      change +=
          Loss::dual(keep * s.alpha, s.c) - Loss::dual(s.alpha, s.c) - step * (s.margin - y * b);
      moved -= step * std::sqrt(std::max(s.square - bias * bias, 0.0));
    }
    dual += change - (0.5 * moved + std::sqrt(2 * error_)) * moved;
  }

  // Looks for the best multiple, and before it for the best intercept if it is free.
  void improve(bool free) {
    if (free) shift = best_shift();
    const double first = least_multiple();
    if (first == kInf) {
      shift = 0;
      return;
    }
    scale = best_scale(first);
    double losses = 0;
    for (const BinarySlot& s : slots_)
      if (s.c < kInf) losses += s.c * Loss::value(scale * margin(s));
    objective = scale * scale * penalty_ + losses;
  }

 private:
  static constexpr double kFar = 1e9;

  double margin(const BinarySlot& s) const {
    return s.margin + static_cast<double>(s.sign) * shift;
  }
  // Where a slope that only rises passes zero.
  template <class Slope>
  static double zero_between(double low, double high, Slope&& slope) {
    for (int halving = 0; halving < 60; ++halving) {
      const double middle = 0.5 * (low + high);
      (slope(middle) < 0 ? low : high) = middle;
    }
    return high;
  }
  double best_shift() const {
    const auto slope = [this](double t) { return slope_of_shift(t); };
    double reach = 1;
    while ((slope(-reach) > 0 || slope(reach) < 0) && reach < kFar) reach *= 2;
    const double best = zero_between(-reach, reach, slope);
    // What hard margins allow; if there is no such place, the middle of where they meet.
    double low = -kInf, high = kInf;
    for (const BinarySlot& s : slots_)
      if (s.c == kInf && s.sign > 0)
        low = std::max(low, 1 - s.margin);
      else if (s.c == kInf)
        high = std::min(high, s.margin - 1);
    return low <= high ? std::clamp(best, low, high) : 0.5 * (low + high);
  }
  double best_scale(double least) const {
    const auto slope = [this](double t) { return slope_of_scale(t); };
    if (slope(least) >= 0) return least;
    double high = std::max(2 * least, 2.0);
    while (slope(high) < 0 && high < kFar) high *= 2;
    return zero_between(least, high, slope);
  }
  double slope_of_shift(double t) const {
    double sum = 0;
    for (const BinarySlot& s : slots_) {
      const double y = static_cast<double>(s.sign);
      if (s.c < kInf) sum += s.c * y * Loss::slope(s.margin + y * t);
    }
    return sum;
  }
  double slope_of_scale(double t) const {
    double sum = 2 * t * penalty_;
    for (const BinarySlot& s : slots_)
      if (s.c < kInf) sum += s.c * margin(s) * Loss::slope(t * margin(s));
    return sum;
  }
  // The least multiple that satisfies all hard margins; soft ones are not given up for smaller
  // weights.
  double least_multiple() const {
    double found = 0;
    for (const BinarySlot& s : slots_)
      if (s.c == kInf) found = std::max(found, margin(s) > 0 ? 1 / margin(s) : kInf);
    return found > 0 ? found : 1;
  }

  std::span<const BinarySlot> slots_;
  double penalty_, error_;
  bool hard_ = false;
};

}  // namespace linnet
