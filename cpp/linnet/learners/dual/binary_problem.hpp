// What a binary problem in the dual is made of: settings, and a slot for each instance.
#pragma once
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "linnet/base/types.hpp"
#include "linnet/learners/dual/dual_losses.hpp"

namespace linnet {

struct DualSettings {
  DualLoss loss = DualLoss::hinge;
  double tol = 1e-3;  // converged when gap <= tol · P
  std::uint64_t seed = 0;
  bool shuffle = true;
  bool shrink = true;
  double min_margin = 1e-4;  // hard margin: a smaller one, relative to max ‖x‖, counts as none
  bool free_intercept = false;
};

struct alignas(64) BinarySlot {  // one cache line
  double alpha, c;
  double square;  // ‖x‖²
  double margin;  // after its last visit
  Index instance;
  float sign;  // y
  bool active = true;
};

// positive[i] > 0 marks the positive label; c[i] >= 0; `alpha`, if any, is where to start from. An
// instance without weight takes no part, and has no slot.
inline std::vector<BinarySlot> make_slots(std::size_t n, std::span<const std::int32_t> positive,
                                          std::span<const double> c, std::span<const double> alpha,
                                          DualLoss loss) {
  if (n > std::numeric_limits<std::uint32_t>::max())
    throw std::invalid_argument("more than 2^32 rows");
  if (positive.size() != n || c.size() != n || (!alpha.empty() && alpha.size() != n))
    throw std::invalid_argument("labels, c and alpha must have one entry per row");
  std::vector<BinarySlot> slots;
  for (std::size_t i = 0; i < n; ++i) {
    if (!(c[i] >= 0) || (loss == DualLoss::logistic && c[i] == kInf))
      throw std::invalid_argument("c must not be negative or NaN, nor infinite for logistic loss");
    if (c[i] == 0) continue;
    const double a = alpha.empty() ? 0 : alpha[i];
    const double bound = loss == DualLoss::squared_hinge ? kInf : c[i];
    if (!(a >= 0 && a <= bound && a < kInf))
      throw std::invalid_argument("alpha must lie between 0 and c");
    slots.push_back({a, c[i], 0, kNaN, static_cast<Index>(i), positive[i] > 0 ? 1.f : -1.f});
  }
  return slots;
}

}  // namespace linnet
