// The block of one instance for the multiclass SVM of Crammer and Singer (2001):
// ℓ(s) = max_k (s_k + [k ≠ y]) − s_y. With z_k = s_k + [k ≠ y] the conjugate is linear on the
// simplex, so that the gap of a block is Σ_k α_k (max z − z_k), and the best block given all the
// others is a Euclidean projection: α' = Π_simplex(α + z / B), B = c ‖x‖².
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "linnet/base/simd.hpp"
#include "linnet/base/types.hpp"

namespace linnet {

// α' = Π_simplex(q), in place. `lanes` is a multiple of 8; entries of −∞ (padding) become 0.
LINNET_CLONES inline void project_on_simplex(float* LINNET_RESTRICT q, Index lanes,
                                             std::vector<double>& candidates) {
  float top[8];
  std::fill(top, top + 8, q[0]);
  for (Index k = 0; k < lanes; k += 8)
    for (int j = 0; j < 8; ++j) top[j] = q[k + j] > top[j] ? q[k + j] : top[j];
  const float best = *std::max_element(top, top + 8);
  // The threshold is at least best − 1: few entries can stay positive.
  candidates.clear();
  for (Index k = 0; k < lanes; ++k)
    if (q[k] > best - 1) candidates.push_back(static_cast<double>(q[k] - best));
  std::sort(candidates.begin(), candidates.end(), std::greater<>());
  double sum = 0, threshold = -1;
  for (std::size_t count = 0; count < candidates.size() && candidates[count] > threshold;) {
    sum += candidates[count++];
    threshold = (sum - 1) / static_cast<double>(count);
  }
  const float cut = static_cast<float>(threshold);
  for (Index k = 0; k < lanes; ++k) {
    const float above = (q[k] - best) - cut;
    q[k] = above > 0 ? above : 0;
  }
}

// Σ_k α_k (max z − z_k), in eight interleaved sums.
LINNET_CLONES inline float hinge_block_gap(const float* LINNET_RESTRICT z,
                                           const float* LINNET_RESTRICT alpha, Index lanes) {
  float top[8], sum[8] = {};
  std::fill(top, top + 8, z[0]);
  for (Index k = 0; k < lanes; k += 8)
    for (int j = 0; j < 8; ++j) top[j] = z[k + j] > top[j] ? z[k + j] : top[j];
  const float best = *std::max_element(top, top + 8);
  for (Index k = 0; k < lanes; k += 8)
    for (int j = 0; j < 8; ++j) sum[j] += alpha[k + j] * (best - z[k + j]);
  return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
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
    project_on_simplex(next, lanes, candidates_);
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
  std::vector<double> candidates_;
};

}  // namespace linnet
