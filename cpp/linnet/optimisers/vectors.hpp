// Dense vector arithmetic of the optimisers. Sums run over eight fixed lanes, so that they use
// vector registers and yet have one order of addition, hence the same bits everywhere.
#pragma once
#include <cmath>
#include <span>

#include "linnet/base/types.hpp"

namespace linnet {

using Vector = Buffer<double>;

inline double dot(std::span<const double> a, std::span<const double> b) {
  constexpr std::size_t kLanes = 8;
  double lane[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= a.size(); i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) lane[k] += a[i + k] * b[i + k];
  for (std::size_t k = 0; i < a.size(); ++i, ++k) lane[k] += a[i] * b[i];
  return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}

inline double norm(std::span<const double> a) { return std::sqrt(dot(a, a)); }

// y += a x
inline void add_scaled(double a, std::span<const double> x, std::span<double> y) {
  for (std::size_t i = 0; i < x.size(); ++i) y[i] += a * x[i];
}

// out = x + a y
inline void sum_scaled(std::span<const double> x, double a, std::span<const double> y,
                       std::span<double> out) {
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = x[i] + a * y[i];
}

inline void scale(double a, std::span<double> x) {
  for (double& v : x) v *= a;
}

}  // namespace linnet
