// The block of one instance for the multiclass SVM of Crammer and Singer (2001):
// ℓ(s) = max_k (s_k + [k ≠ y]) − s_y. With z_k = s_k + [k ≠ y] the conjugate is linear on the
// simplex, so that the gap of a block is Σ_k α_k (max z − z_k), and the best block given all the
// others is a Euclidean projection: α' = Π_simplex(α + z / B), B = c ‖x‖².
#pragma once
#include <algorithm>
#include <cmath>

#include "linnet/base/simd.hpp"
#include "linnet/base/types.hpp"

namespace linnet {

LINNET_INLINE float sum_of_lanes(const float* sum) {
  return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

LINNET_INLINE float largest(const float* LINNET_RESTRICT z, Index lanes) {
  float top[8];
  std::copy(z, z + 8, top);
  for (Index k = 8; k < lanes; k += 8)
    for (int j = 0; j < 8; ++j) top[j] = z[k + j] > top[j] ? z[k + j] : top[j];
  return *std::max_element(top, top + 8);
}

// q becomes max(0, q − θ) with Σ_k max(0, q_k − θ) = 1: Newton's method on θ, which is exact after
// a few rounds because the sum is piecewise linear (Michelot 1986). From θ = max q − 1, where the
// sum is at least 1, it only rises. `lanes` is a multiple of 8; the padding is very negative.
LINNET_CLONES inline void project_on_simplex(float* LINNET_RESTRICT q, Index lanes) {
  const float best = largest(q, lanes);
  float threshold = -1;
  for (;;) {
    float sum[8] = {}, count[8] = {};
    for (Index k = 0; k < lanes; k += 8)
      for (int j = 0; j < 8; ++j) {
        const float value = q[k + j] - best;
        sum[j] += value > threshold ? value : 0.f;
        count[j] += value > threshold ? 1.f : 0.f;
      }
    const float next = (sum_of_lanes(sum) - 1) / sum_of_lanes(count);
    if (!(next > threshold)) break;
    threshold = next;
  }
  for (Index k = 0; k < lanes; ++k) {
    const float above = (q[k] - best) - threshold;
    q[k] = above > 0 ? above : 0;
  }
}

// Σ_k α_k (max z − z_k), in eight interleaved sums.
LINNET_CLONES inline float hinge_block_gap(const float* LINNET_RESTRICT z,
                                           const float* LINNET_RESTRICT alpha, Index lanes) {
  const float best = largest(z, lanes);
  float sum[8] = {};
  for (Index k = 0; k < lanes; k += 8)
    for (int j = 0; j < 8; ++j) sum[j] += alpha[k + j] * (best - z[k + j]);
  return sum_of_lanes(sum);
}

class CrammerSingerBlock {
 public:
  explicit CrammerSingerBlock(Id width) : width_(width) {}

  // The gap of the block per unit of cost; turns the scores into z.
  float gap(float* scores, const float* alpha, Id gold, Index lanes) {
    for (Index k = 0; k < lanes; ++k) scores[k] += 1;
    scores[gold] -= 1;
    return hinge_block_gap(scores, alpha, lanes);
  }

  // The best α' for this block, given z in `scores` (as `gap` left them).
  void best(const float* scores, const float* alpha, double curvature, Index lanes, float* next) {
    if (curvature < kFlat) {  // linear: all mass on the best vertex
      std::fill(next, next + lanes, 0.f);
      next[std::max_element(scores, scores + width_) - scores] = 1;
      return;
    }
    const float inverse = static_cast<float>(1 / curvature);
    for (Index k = 0; k < lanes; ++k) next[k] = alpha[k] + scores[k] * inverse;
    project_on_simplex(next, lanes);
  }

  // Loss and gap at exact scores; `alpha` sums to one.
  void certify(const double* scores, const double* alpha, Id gold, double& loss,
               double& gap) const {
    double best = scores[gold];
    for (Id k = 0; k < width_; ++k)
      if (k != gold) best = std::max(best, scores[k] + 1);
    loss = best - scores[gold];
    gap = 0;
    for (Id k = 0; k < width_; ++k) gap += alpha[k] * (best - scores[k] - (k == gold ? 0 : 1));
  }

 private:
  static constexpr double kFlat = 1e-20;
  Id width_;
};

}  // namespace linnet
