// How far weights in float can have drifted away from Σ a y x, which they follow step by step.
//
// A step w + s x rounds s, s x and the sum, so that it is off by at most u (‖w′‖ + 2 |s| ‖x‖) with
// u = 2⁻²⁴, and T steps by u (T X + 2 S), where X is the largest ‖w‖ on the way and S = Σ |s| ‖x‖,
// at most √(T Σ s² ‖x‖²). The norm is followed by ‖w + s x‖² = ‖w‖² + s (2 w·x + s ‖x‖²): dot
// products of floats, in eight running sums, are off by at most γ ‖w‖ ‖x‖, γ = (n / 8 + 12) u for
// rows of n entries, and a step is off as said. So with N the largest square that was followed,
//
//   X² <= N + γ Σ s² ‖x‖² + 2 X ((γ + 2u) S + u T X).
#pragma once
#include <algorithm>
#include <cmath>

#include "linnet/base/types.hpp"

namespace linnet {

class FloatDrift {
 public:
  // w += s x, where w·x was `dot` and ‖x‖² is `square`.
  void step(double s, double dot, double square) {
    const double part = s * s * square;
    steps_ += s != 0;
    path_ += part;
    norm_ += 2 * s * dot + part;
    largest_ = std::max(largest_, norm_);
  }
  // From here on nothing is known.
  void lose_track() { largest_ = kInf; }

  // ½‖w − Σ a y x‖² is at most this.
  double bound(Id longest_row) const {
    constexpr double u = 0x1p-24;
    const double gamma = (static_cast<double>(longest_row) / 8 + 12) * u;
    const double left = 1 - 2 * u * steps_, S = std::sqrt(steps_ * path_);
    if (!(left > 0.5 && largest_ < kInf)) return kInf;
    const double b = (gamma + 2 * u) * S, N = largest_ + gamma * path_;
    const double X = (b + std::sqrt(b * b + N * left)) / left;
    const double off = 1.001 * u * (steps_ * X + 2 * S);
    return 0.5 * off * off;
  }

 private:
  double steps_ = 0, path_ = 0;       // T, Σ s² ‖x‖²
  double norm_ = 0, largest_ = 1e-30;  // ‖w‖² now, and on the way
};

}  // namespace linnet
