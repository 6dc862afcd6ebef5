// How far weights in float can have drifted away from the sum that they follow step by step.
//
// A step W + δ xᵀ rounds δ, its products and the sum, so that it is off by at most
// u (‖W′‖ + 4 ‖δ‖ ‖x‖) with u = 2⁻²⁴, and T steps by u (T X + 4 S), where X is the largest ‖W‖ on
// the way and S = Σ ‖δ‖ ‖x‖, at most √(T Σ ‖δ‖² ‖x‖²). The norm is followed by
// ‖W + δ xᵀ‖² = ‖W‖² + 2 δ·Wx + ‖δ‖² ‖x‖². Sums of n products of floats are off by at most
// γ ‖W‖ ‖x‖, γ = (n + 24) u, and a step is off as said. So with N the largest square that was
// followed,
//
//   X² <= N + γ Σ ‖δ‖² ‖x‖² + 2 X ((γ + 4u) S + u T X).
#pragma once
#include <algorithm>
#include <cmath>

#include "linnet/base/archive.hpp"

namespace linnet {

class FloatDrift {
 public:
  // A step for which δ·Wx was `gain`, and ‖δ‖² ‖x‖² is `square`.
  void step(double gain, double square) {
    steps_ += square != 0;
    path_ += square;
    norm_ += 2 * gain + square;
    largest_ = std::max(largest_, norm_);
  }
  // From here on nothing is known.
  void lose_track() { largest_ = kInf; }

  // How far the weights can be from the sum, if none of the sums has more than n products.
  double bound(double n) const {
    const double gamma = (n + 24) * u, left = 1 - 2 * u * steps_, S = std::sqrt(steps_ * path_);
    if (!(left > 0.5 && largest_ < kInf)) return kInf;
    const double b = (gamma + 4 * u) * S, N = largest_ + gamma * path_;
    const double X = (b + std::sqrt(b * b + N * left)) / left;
    return 1.001 * u * (steps_ * X + 4 * S);
  }
  void state(Archive& a) { a(steps_, path_, norm_, largest_); }

 private:
  static constexpr double u = 0x1p-24;
  double steps_ = 0, path_ = 0;    // T, Σ ‖δ‖² ‖x‖²
  double norm_ = 0, largest_ = 0;  // ‖W‖² now, and on the way
};

}  // namespace linnet
