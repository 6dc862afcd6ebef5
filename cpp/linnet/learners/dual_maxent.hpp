// The block of one instance for multinomial maximum entropy (softmax logistic regression):
// ℓ(s) = log Σ_k exp s_k − s_y. The conjugate is the negative entropy on the simplex, so that the
// gap of a block is KL(α ‖ softmax s), and the best block given all the others solves
//   log α'_k + B α'_k = s_k + B α_k − ν,  Σ_k α'_k = 1,  B = c ‖x‖².
// Newton's method on (log α', ν) from softmax(s), which is the solution at the optimum; each
// iteration costs one vector exp. (The problem: Yu, Huang and Lin 2011, "Dual coordinate descent
// methods for logistic regression and maximum entropy models".)
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "linnet/base/simd.hpp"
#include "linnet/base/types.hpp"

namespace linnet {

// exp and log of floats that vectorise; relative error below 3e-7. Below −87, exp is 0.
LINNET_INLINE float vector_exp(float x) {
  const float clamped = x < -87.f ? -87.f : (x > 88.f ? 88.f : x);
  const float shifted = clamped * 1.44269504f + 12582912.f;  // 1.5·2²³: rounds to an integer
  const float n = shifted - 12582912.f;
  const float r = (clamped - n * 0.693359375f) + n * 2.12194440e-4f;
  float series = 1.f / 5040;
  series = series * r + 1.f / 720;
  series = series * r + 1.f / 120;
  series = series * r + 1.f / 24;
  series = series * r + 1.f / 6;
  series = series * r + 0.5f;
  series = series * r + 1.f;
  series = series * r + 1.f;
  const auto power = (std::bit_cast<std::int32_t>(shifted) - 0x4b400000 + 127) << 23;
  return x < -87.f ? 0.f : series * std::bit_cast<float>(power);
}
LINNET_INLINE float vector_log(float x) {
  const std::int32_t bits = std::bit_cast<std::int32_t>(x);
  const std::int32_t n = (bits - 0x3f3504f3) >> 23;  // x = m 2ⁿ, m in [√½, √2)
  const float m = std::bit_cast<float>(bits - (n << 23));
  const float t = (m - 1) / (m + 1), u = t * t;  // log m = 2 atanh t
  float series = 2.f / 9;
  series = series * u + 2.f / 7;
  series = series * u + 2.f / 5;
  series = series * u + 2.f / 3;
  series = series * u + 2.f;
  return static_cast<float>(n) * 0.693147181f + t * series;
}

LINNET_INLINE float sum_lanes(const float* sum) {
  return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

// l −= log Σ exp l, and p = exp l.
LINNET_INLINE void normalise_log(float* LINNET_RESTRICT l, float* LINNET_RESTRICT p, Index lanes) {
  float top[8], sum[8] = {};
  std::fill(top, top + 8, l[0]);
  for (Index k = 0; k < lanes; k += 8)
    for (int j = 0; j < 8; ++j) top[j] = l[k + j] > top[j] ? l[k + j] : top[j];
  const float best = *std::max_element(top, top + 8);
  for (Index k = 0; k < lanes; k += 8)
    for (int j = 0; j < 8; ++j) {
      l[k + j] -= best;
      p[k + j] = vector_exp(l[k + j]);
      sum[j] += p[k + j];
    }
  const float total = sum_lanes(sum), scale = 1 / total, shift = vector_log(total);
  for (Index k = 0; k < lanes; ++k) {
    l[k] -= shift;
    p[k] *= scale;
  }
}

// Turns scores into log softmax(s), p into softmax(s), and returns KL(α ‖ p).
LINNET_CLONES inline float softmax_block_gap(float* LINNET_RESTRICT scores,
                                             const float* LINNET_RESTRICT alpha,
                                             float* LINNET_RESTRICT p, Index lanes) {
  normalise_log(scores, p, lanes);
  float sum[8] = {};
  for (Index k = 0; k < lanes; k += 8)
    for (int j = 0; j < 8; ++j) {
      const float a = alpha[k + j];
      sum[j] += a * (vector_log(a > 1e-37f ? a : 1e-37f) - scores[k + j]);
    }
  return std::max(0.f, sum_lanes(sum));
}

// One Newton iteration: dl_k = (r_k − ν) / (1 + B p_k), r = target − B p − l, with ν such that
// Σ p dl = 0; l += dl, renormalised. Returns max |p dl|.
LINNET_CLONES inline float softmax_newton(const float* LINNET_RESTRICT target, float curvature,
                                          float* LINNET_RESTRICT l, float* LINNET_RESTRICT p,
                                          Index lanes) {
  float top[8] = {}, bottom[8] = {}, moved[8] = {};
  for (Index k = 0; k < lanes; k += 8)
    for (int j = 0; j < 8; ++j) {
      const float weight = p[k + j] / (1 + curvature * p[k + j]);
      top[j] += weight * (target[k + j] - curvature * p[k + j] - l[k + j]);
      bottom[j] += weight;
    }
  const float nu = sum_lanes(top) / sum_lanes(bottom);
  for (Index k = 0; k < lanes; k += 8)
    for (int j = 0; j < 8; ++j) {
      const float residual = target[k + j] - curvature * p[k + j] - l[k + j] - nu;
      const float step = residual / (1 + curvature * p[k + j]);
      const float size = std::fabs(p[k + j] * step);
      moved[j] = size > moved[j] ? size : moved[j];
      const float next = l[k + j] + step;
      l[k + j] = next < 0 ? next : 0;
    }
  normalise_log(l, p, lanes);
  return *std::max_element(moved, moved + 8);
}

class MaxEntBlock {
 public:
  explicit MaxEntBlock(Id width)
      : width_(width), p_(static_cast<std::size_t>(width) + 8), target_(p_.size()) {}

  // The gap of the block per unit of cost; turns the scores into log-probabilities.
  float gap(float* scores, const float* alpha, Id, Index lanes) {
    return softmax_block_gap(scores, alpha, p_.data(), lanes);
  }

  // The best α' for this block, given log-probabilities in `scores` (as `gap` left them).
  void best(float* scores, const float* alpha, double curvature, Index lanes, float* next) {
    const float b = static_cast<float>(curvature);
    for (Index k = 0; k < lanes; ++k) target_[k] = scores[k] + b * alpha[k];
    for (int iteration = 0; iteration < kNewton; ++iteration)
      if (softmax_newton(target_.data(), b, scores, p_.data(), lanes) < kExact) break;
    std::copy(p_.data(), p_.data() + lanes, next);
  }

  // Loss and gap at exact scores; `alpha` sums to one.
  void certify(const double* scores, const double* alpha, Id gold, double& loss,
               double& gap) const {
    const double best = *std::max_element(scores, scores + width_);
    double sum = 0;
    for (Id k = 0; k < width_; ++k) sum += std::exp(scores[k] - best);
    const double log_sum = best + std::log(sum);
    loss = log_sum - scores[gold];
    gap = 0;
    for (Id k = 0; k < width_; ++k)
      if (alpha[k] > 0) gap += alpha[k] * (std::log(alpha[k]) - scores[k] + log_sum);
  }

 private:
  static constexpr int kNewton = 20;
  static constexpr float kExact = 1e-3f;
  Id width_;
  Buffer<float> p_, target_;
};

}  // namespace linnet
