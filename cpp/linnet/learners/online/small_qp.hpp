// The dual of a step against many constraints:
//   max  l . a - 1/2 a^T H a    s.t. a >= 0, sum a <= C,
// H the products of the constraints' vectors, l how far each is violated. Coordinate ascent
// (Hildreth 1957) on the pair that violates optimality most; what is left of C is a coordinate of
// its own, `slack`, with l = 0 and H = 0, so that C = inf is not a special case.
#pragma once
#include <algorithm>
#include <span>
#include <stdexcept>
#include <vector>

#include "linnet/base/types.hpp"

namespace linnet {

// H is row-major, n x n, positive semidefinite. Optimal is where no coordinate can gain, by taking
// from another that is above 0, at a slope steeper than `tolerance`; returns whether that was
// reached. Constraints without slack (C = inf) may contradict each other, and a would grow for
// ever: it stops after `max_steps`, with the last constraints looked at satisfied.
inline bool solve_small_qp(std::span<const double> H, std::span<const double> l, double C,
                           std::span<double> a, double tolerance = 1e-10, Index max_steps = 10000) {
  const std::size_t n = l.size();
  if (H.size() != n * n || a.size() != n) throw std::invalid_argument("H must be n x n");
  std::vector<double> slope(l.begin(), l.end());  // l - H a
  std::fill(a.begin(), a.end(), 0.0);
  double slack = C;
  const std::size_t kSlack = n;
  const auto product = [&](std::size_t i, std::size_t j) {
    return i == kSlack || j == kSlack ? 0.0 : H[i * n + j];
  };
  for (Index step = 0; step < max_steps; ++step) {
    std::size_t up = kSlack, down = kSlack;
    double most = 0, least = slack > 0 ? 0 : kInf;
    for (std::size_t i = 0; i < n; ++i) {
      // A vector of zero cannot move anything: without slack, its constraint cannot be met.
      if (C == kInf && H[i * n + i] == 0) continue;
      if (slope[i] > most) most = slope[i], up = i;
      if (a[i] > 0 && slope[i] < least) least = slope[i], down = i;
    }
    const double gain = most - least;
    if (gain <= tolerance || up == down) return true;
    const double curve = product(up, up) + product(down, down) - 2 * product(up, down);
    const double room = down == kSlack ? slack : a[down];
    const double move = curve > 0 ? std::min(gain / curve, room) : room;
    if (up != kSlack) a[up] += move;
    if (down != kSlack) a[down] = move == room ? 0 : a[down] - move;
    if (up == kSlack) slack += move;
    if (down == kSlack) slack = move == room ? 0 : slack - move;
    for (std::size_t i = 0; i < n; ++i) slope[i] -= move * (product(i, up) - product(i, down));
  }
  return false;
}

}  // namespace linnet
