// The block of one instance for the multiclass SVM of Crammer and Singer (2001):
// ℓ(s) = max_k (s_k + [k ≠ y]) − s_y. With z_k = s_k + [k ≠ y] the conjugate is linear on the
// simplex, so that the gap of a block is Σ_k α_k (max z − z_k), and the best block given all the
// others is a Euclidean projection: α' = Π_simplex(α + z / B), B = c ‖x‖².
//
// A hard margin, c = ∞, has no bound on the mass that wrong labels take from the right one: α_y may
// be negative, and c stands for 1.
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
template <class Real>
LINNET_INLINE void find_projection(const Real* z, const Real* alpha, Real inverse, Index size,
                                   Real* q) {
  constexpr Index kLanes = kLanesOf<Real>;
  const auto zero = everywhere(Real(0)), scale = everywhere(inverse);
  auto sum = zero, count = zero;
  for (Index k = 0; k < size; k += kLanes) {
    const auto now = load_lanes(alpha + k), value = now + load_lanes(z + k) * scale;
    const auto has_mass = exceeds(now, zero);
    store_lanes(q + k, value);
    sum = sum + has_mass * value;
    count = count + has_mass;
  }
  Real threshold = std::max((sum_of(sum) - 1) / sum_of(count), Real(-1));  // max q >= 0
  for (;;) {
    const auto level = everywhere(threshold);
    auto excess = zero;
    count = zero;
    for (Index k = 0; k < size; k += kLanes) {
      const auto value = load_lanes(q + k);
      excess = excess + larger(value - level, zero);
      count = count + exceeds(value, level);
    }
    const Real next = threshold + (sum_of(excess) - 1) / sum_of(count);
    if (!(next > threshold)) break;
    threshold = next;
  }
  for (Index k = 0; k < size; k += kLanes)
    store_lanes(q + k, larger(load_lanes(q + k) - everywhere(threshold), zero));
}
LINNET_CLONES inline void project_on_simplex(const float* z, const float* alpha, float inverse,
                                             Index size, float* q) {
  find_projection(z, alpha, inverse, size, q);
}
LINNET_CLONES inline void project_on_simplex(const double* z, const double* alpha, double inverse,
                                             Index size, double* q) {
  find_projection(z, alpha, inverse, size, q);
}

// The same where the mass of `gold` has no bound: it always counts.
inline void project_without_bound(const double* z, const double* alpha, double inverse, Id gold,
                                  Index size, double* q) {
  for (Index k = 0; k < size; ++k) q[k] = alpha[k] + z[k] * inverse;
  double threshold = q[gold] - 1;
  for (;;) {
    double excess = q[gold] - threshold - 1, count = 1;
    for (Index k = 0; k < size; ++k)
      if (k != gold && q[k] > threshold) {
        excess += q[k] - threshold;
        ++count;
      }
    const double next = threshold + excess / count;
    if (!(next > threshold)) break;
    threshold = next;
  }
  for (Index k = 0; k < size; ++k)
    q[k] = k == gold ? q[k] - threshold : std::max(q[k] - threshold, 0.0);
}

// Turns scores into z − max z, and gives max z − z_y and Σ_k α_k (max z − z_k).
template <class Real>
LINNET_INLINE BlockState<Real> hinge_state(Real* z, const Real* alpha, Id gold, Index size) {
  constexpr Index kLanes = kLanesOf<Real>;
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

template <class R>
class CrammerSingerBlock {
 public:
  using Real = R;
  static constexpr bool kHard = true;  // has margins, which may be hard
  explicit CrammerSingerBlock(Id width) : width_(width) {}

  // Loss and gap at these scores; leaves z − max z in `scores`.
  BlockState<Real> look(Real* scores, const Real* alpha, Id gold, Index size) const {
    return look_hinge(scores, alpha, gold, size);
  }

  // The best α' for this block, given `scores` as `look` left them.
  void best(const Real* scores, const Real* alpha, double curvature, Index size, Real* next) const {
    const auto inverse = static_cast<Real>(1 / curvature);
    if (inverse > kFlat) {  // a linear problem: all mass on the best vertex
      std::fill(next, next + size, Real(0));
      next[std::max_element(scores, scores + width_) - scores] = 1;
      return;
    }
    project_on_simplex(scores, alpha, inverse, size, next);
  }
  void best_hard(const Real* scores, const Real* alpha, double curvature, Id gold, Index size,
                 Real* next) const {
    if constexpr (std::is_same_v<Real, double>)
      project_without_bound(scores, alpha, 1 / curvature, gold, size, next);
  }

  // At exact scores, of a point with `left` for wrong labels.
  BlockCertificate certify(double* scores, double* mass, double left, Id gold, Index size) const {
    const BlockState<double> state = look_hinge(scores, mass, gold, size);
    return {state.loss, state.gap, left};
  }

 private:
  static constexpr Real kFlat = Real(1) / std::numeric_limits<Real>::epsilon();
  Id width_;
};

}  // namespace linnet
