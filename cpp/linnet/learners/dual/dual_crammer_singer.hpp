// The block of one instance for the multiclass SVM of Crammer and Singer (2001):
// ℓ(s) = max_k (s_k + [k ≠ y]) − s_y. With z_k = s_k + [k ≠ y] the conjugate is linear on the
// simplex, so that the gap of a block is Σ_k α_k (max z − z_k), and the best block given all the
// others is a Euclidean projection: α' = Π_simplex(α + z / B), B = c ‖x‖².
#pragma once
#include <algorithm>
#include <limits>

#include "linnet/base/lanes.hpp"
#include "linnet/base/types.hpp"
#include "linnet/learners/dual/label_rows.hpp"

namespace linnet {

// α' = max(0, q − θ) with q = α + z / B and θ such that Σ_k α'_k = 1. Newton's method on θ, exact
// after a few rounds because the sum is piecewise linear (Michelot 1986). It only rises from where
// the mean of any set of labels puts θ; the labels that have mass already are nearly the right set.
// `size` is a multiple of 8; max z = 0, and padding is very negative.
LINNET_CLONES inline void project_on_simplex(const float* z, const float* alpha, float inverse,
                                             Index size, float* q) {
  const Lanes zero = all_lanes(0), scale = all_lanes(inverse);
  Lanes sum = zero, count = zero;
  for (Index k = 0; k < size; k += 8) {
    const Lanes now = load_lanes(alpha + k), value = now + load_lanes(z + k) * scale;
    const Lanes has_mass = exceeds(now, zero);
    store_lanes(q + k, value);
    sum = sum + has_mass * value;
    count = count + has_mass;
  }
  float threshold = std::max((sum_of(sum) - 1) / sum_of(count), -1.f);  // max q >= 0
  for (;;) {
    const Lanes level = all_lanes(threshold);
    Lanes excess = zero;
    count = zero;
    for (Index k = 0; k < size; k += 8) {
      const Lanes value = load_lanes(q + k);
      excess = excess + larger(value - level, zero);
      count = count + exceeds(value, level);
    }
    const float next = threshold + (sum_of(excess) - 1) / sum_of(count);
    if (!(next > threshold)) break;
    threshold = next;
  }
  for (Index k = 0; k < size; k += 8)
    store_lanes(q + k, larger(load_lanes(q + k) - all_lanes(threshold), zero));
}

// Turns scores into z − max z, and gives max z − z_y and Σ_k α_k (max z − z_k).
template <class Real>
LINNET_INLINE BlockState<Real> hinge_state(Real* z, const Real* alpha, Id gold, Index size) {
  constexpr Index kLanes = 32 / sizeof(Real);
  const Real gold_score = z[gold];
  z[gold] -= 1;  // the common + 1 of all labels drops out
  const Real largest = largest_of(z, size);
  const bool wrong = mistaken(largest, z, gold_score, gold);
  const auto best = everywhere(largest);
  auto sum = everywhere(Real(0));
  for (Index k = 0; k < size; k += kLanes) {
    const auto behind = load_lanes(z + k) - best;
    store_lanes(z + k, behind);
    sum = sum - load_lanes(alpha + k) * behind;
  }
  return {-z[gold], sum_of(sum), wrong};
}
LINNET_CLONES inline BlockState<float> look_hinge(float* z, const float* alpha, Id gold,
                                                  Index size) {
  return hinge_state(z, alpha, gold, size);
}
LINNET_CLONES inline BlockState<double> look_hinge(double* z, const double* alpha, Id gold,
                                                   Index size) {
  return hinge_state(z, alpha, gold, size);
}

class CrammerSingerBlock {
 public:
  explicit CrammerSingerBlock(Id width) : width_(width) {}

  // Loss and gap at these scores; leaves z − max z in `scores`.
  BlockState<float> look(float* scores, const float* alpha, Id gold, Index size) const {
    return look_hinge(scores, alpha, gold, size);
  }

  // The best α' for this block, given `scores` as `look` left them.
  void best(const float* scores, const float* alpha, double curvature, Index size,
            float* next) const {
    const float inverse = static_cast<float>(1 / curvature);
    if (inverse > kFlat) {  // a linear problem: all mass on the best vertex
      std::fill(next, next + size, 0.f);
      next[std::max_element(scores, scores + width_) - scores] = 1;
      return;
    }
    project_on_simplex(scores, alpha, inverse, size, next);
  }

  // Loss and gap at exact scores; `alpha` sums to one.
  BlockState<double> certify(double* scores, const double* alpha, Id gold, Index size) const {
    return look_hinge(scores, alpha, gold, size);
  }

 private:
  static constexpr float kFlat = 1e7f;
  Id width_;
};

}  // namespace linnet
