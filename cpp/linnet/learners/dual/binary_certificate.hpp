// The duality gap of a binary problem (binary_descent.hpp), P(w, b) − D(a), in double precision.
//
// P is that of the weights as they are handed out, from the margins they give. It may be had for
// other weights than w: for a multiple t (w, b), and for another intercept. D is that of a point
// that is feasible: with a free intercept it bounds the optimum only where Σ a y = 0, so the side
// that weighs more is scaled down. Its weights w(a) are summed up anew, since those that followed a
// step by step have drifted away from it.
#pragma once
#include <algorithm>
#include <cmath>

#include "linnet/features/packed_rows.hpp"
#include "linnet/learners/dual/binary_problem.hpp"
#include "linnet/learners/dual/label_rows.hpp"

namespace linnet {

template <class Loss>
class BinaryCertificate {
 public:
  double objective = 0;
  double scale = 1, shift = 0;  // weights t w and t (b + shift) have this objective

  BinaryCertificate(std::span<const BinarySlot> slots, double penalty)
      : slots_(slots), penalty_(penalty) {
    double losses = 0;
    for (const BinarySlot& s : slots_) {
      hard_ |= s.c == kInf;
      losses += s.c < kInf ? s.c * Loss::value(s.margin) : 0;
    }
    objective = hard_ ? kInf : penalty_ + losses;
  }

  // What all instances lack of Fenchel and Young's equality: the gap, if w is w(a).
  double lacking() const {
    double sum = 0;
    for (const BinarySlot& s : slots_)
      if (s.c < kInf)
        sum += s.c * Loss::value(s.margin) - Loss::dual(s.alpha, s.c) + s.alpha * s.margin;
    return sum;
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
  double penalty_;
  bool hard_ = false;
};

// D of a feasible point near a, and the weights of that point.
template <class Loss>
class BinaryDual {
 public:
  double value = 0;
  Buffer<double> w;  // Σ a y x, the constant feature first

  // `row(slot)` is its PackedRow; what has a free intercept has no penalty on the constant feature.
  template <class RowOf>
  BinaryDual(std::span<const BinarySlot> slots, Index features, bool free, RowOf&& row)
      : w(static_cast<std::size_t>(features) + 1, 0.0) {
    double sums[2] = {0, 0}, keep[2] = {1, 1};
    for (const BinarySlot& s : slots) sums[s.sign > 0] += s.alpha;
    const bool heavy = sums[1] > sums[0];
    if (free && sums[heavy] > 0) keep[heavy] = sums[!heavy] / sums[heavy];
    for (const BinarySlot& s : slots) {
      const double a = keep[s.sign > 0] * s.alpha;
      if (a == 0) continue;
      value += Loss::dual(a, s.c);
      row(s).add(a * static_cast<double>(s.sign), w.data());
    }
    value -= 0.5 * squared_norm(w.data() + free, static_cast<Index>(w.size()) - free);
  }
};

}  // namespace linnet
