// The block of one instance for multinomial maximum entropy (softmax logistic regression):
// ℓ(s) = log Σ_k exp s_k − s_y. The conjugate is the negative entropy on the simplex, so that the
// gap of a block is KL(α ‖ softmax s), and the best block given all the others solves
//   log α'_k + B α'_k = s_k + B α_k − ν,  Σ_k α'_k = 1,  B = c ‖x‖².
// Newton's method on (log α', ν) from softmax(s), which is the solution at the optimum; each
// iteration costs one vector exp. (The problem: Yu, Huang and Lin 2011, "Dual coordinate descent
// methods for logistic regression and maximum entropy models".)
#pragma once
#include <algorithm>
#include <cmath>

#include "linnet/base/lanes.hpp"
#include "linnet/base/math.hpp"
#include "linnet/base/types.hpp"
#include "linnet/learners/dual/label_rows.hpp"

namespace linnet {

// l −= log Σ exp l, and p = exp l. `size` is a multiple of 8; the padding is very negative.
LINNET_INLINE void normalise_log(float* l, float* p, float largest, Index size) {
  const Lanes best = all_lanes(largest);
  Lanes sum = all_lanes(0);
  for (Index k = 0; k < size; k += 8) {
    const Lanes e = exp(load_lanes(l + k) - best);
    store_lanes(p + k, e);
    sum = sum + e;
  }
  const Lanes total = all_lanes(sum_of(sum)), shift = best + log(total);
  for (Index k = 0; k < size; k += 8) {
    store_lanes(l + k, load_lanes(l + k) - shift);
    store_lanes(p + k, load_lanes(p + k) / total);
  }
}

// Turns scores into log softmax(s), p into softmax(s), and gives −log p_y and KL(α ‖ p).
LINNET_CLONES inline BlockState<float> look_softmax(float* scores, const float* alpha, Id gold,
                                                    float* p, Index size) {
  const float largest = largest_of(scores, size);
  const bool wrong = mistaken(largest, scores, scores[gold], gold);
  normalise_log(scores, p, largest, size);
  const Lanes tiny = all_lanes(1e-37f);
  Lanes sum = all_lanes(0);
  for (Index k = 0; k < size; k += 8) {
    const Lanes a = load_lanes(alpha + k);
    sum = sum + a * (log(larger(a, tiny)) - load_lanes(scores + k));
  }
  return {-scores[gold], std::max(0.f, sum_of(sum)), wrong};
}

// One Newton iteration: dl_k = (r_k − ν) / (1 + B p_k), r = target − B p − l, with ν such that
// Σ p dl = 0; l += dl, renormalised. Returns the largest change of p; `before` is for its old
// value.
LINNET_CLONES inline float softmax_newton(const float* target, float curvature, float* l, float* p,
                                          float* before, Index size) {
  const Lanes b = all_lanes(curvature), one = all_lanes(1), zero = all_lanes(0);
  Lanes top = zero, bottom = zero, moved = zero;
  for (Index k = 0; k < size; k += 8) {
    const Lanes bp = b * load_lanes(p + k), weight = load_lanes(p + k) / (one + bp);
    top = top + weight * (load_lanes(target + k) - bp - load_lanes(l + k));
    bottom = bottom + weight;
  }
  const Lanes nu = all_lanes(sum_of(top) / sum_of(bottom));
  for (Index k = 0; k < size; k += 8) {
    const Lanes bp = b * load_lanes(p + k);
    const Lanes step = (load_lanes(target + k) - bp - load_lanes(l + k) - nu) / (one + bp);
    store_lanes(l + k, smaller(load_lanes(l + k) + step, zero));  // no probability above one
  }
  std::copy(p, p + size, before);
  normalise_log(l, p, largest_of(l, size), size);
  for (Index k = 0; k < size; k += 8) {
    const Lanes change = load_lanes(p + k) - load_lanes(before + k);
    moved = larger(moved, larger(change, zero - change));
  }
  return largest_of(moved);
}

class MaxEntBlock {
 public:
  explicit MaxEntBlock(Id width)
      : width_(width),
        p_(static_cast<std::size_t>(width) + 8),
        target_(p_.size()),
        safe_(p_.size()) {}

  // Loss and gap at these scores; leaves log-probabilities in `scores`.
  BlockState<float> look(float* scores, const float* alpha, Id gold, Index size) {
    const BlockState<float> seen = look_softmax(scores, alpha, gold, p_.data(), size);
    kl_ = seen.gap;
    return seen;
  }

  // The best α' for this block, given `scores` as `look` left them.
  void best(float* scores, const float* alpha, double curvature, Index size, float* next) {
    const float b = static_cast<float>(curvature);
    safe_step(alpha, b, size);
    for (Index k = 0; k < size; ++k) target_[k] = scores[k] + b * alpha[k];
    for (int iteration = 0; iteration < kNewton; ++iteration)
      if ((1 + b) * softmax_newton(target_.data(), b, scores, p_.data(), next, size) < kExact) {
        std::copy(p_.data(), p_.data() + size, next);
        return;
      }
    std::copy(safe_.data(), safe_.data() + size, next);
  }

  // Loss and gap at exact scores; `alpha` sums to one.
  BlockState<double> certify(const double* scores, const double* alpha, Id gold, Index) const {
    const double best = *std::max_element(scores, scores + width_);
    double sum = 0;
    for (Id k = 0; k < width_; ++k) sum += exp(scores[k] - best);
    const double log_sum = best + std::log(sum);
    double gap = 0;
    for (Id k = 0; k < width_; ++k)
      if (alpha[k] > 0) gap += alpha[k] * (std::log(alpha[k]) - scores[k] + log_sum);
    return {log_sum - scores[gold], gap};
  }

 private:
  // Where Newton's method does not settle (B of many thousands), a part of the way to p raises the
  // dual for sure: α + γ d, d = p − α, γ = (KL + ½‖d‖₁²) / (‖d‖₁² + B ‖d‖²) (Shalev-Shwartz and
  // Zhang 2013).
  void safe_step(const float* alpha, float b, Index size) {
    float one = 0, two = 0;
    for (Index k = 0; k < size; ++k) {
      const float d = p_[k] - alpha[k];
      one += std::fabs(d);
      two += d * d;
    }
    const float rate = std::min(1.f, (kl_ + 0.5f * one * one) / (one * one + b * two + 1e-30f));
    for (Index k = 0; k < size; ++k) safe_[k] = alpha[k] + rate * (p_[k] - alpha[k]);
  }

  static constexpr int kNewton = 20;
  static constexpr float kExact = 1e-3f;
  Id width_;
  Buffer<float> p_, target_, safe_;  // [lanes]
  float kl_ = 0;
};

}  // namespace linnet
