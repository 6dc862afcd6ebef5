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
#include <limits>
#include <utility>

#include "linnet/base/lanes.hpp"
#include "linnet/base/math.hpp"
#include "linnet/base/types.hpp"
#include "linnet/learners/dual/label_rows.hpp"

namespace linnet {

// l −= log Σ exp l, and p = exp l. `size` is a multiple of 8; the padding is very negative.
template <class Real>
LINNET_INLINE void normalise_log(Real* l, Real* p, Real largest, Index size) {
  constexpr Index kLanes = kLanesOf<Real>;
  const auto best = everywhere(largest);
  auto sum = everywhere(Real(0));
  for (Index k = 0; k < size; k += kLanes) {
    const auto e = exp(load_lanes(l + k) - best);
    store_lanes(p + k, e);
    sum = sum + e;
  }
  const auto total = everywhere(sum_of(sum)), shift = best + log(total);
  for (Index k = 0; k < size; k += kLanes) {
    store_lanes(l + k, load_lanes(l + k) - shift);
    store_lanes(p + k, load_lanes(p + k) / total);
  }
}

// Turns scores into log softmax(s), p into softmax(s), and gives −log p_y and KL(α ‖ p).
template <class Real>
LINNET_INLINE BlockState<Real> softmax_state(Real* scores, const Real* alpha, Id gold, Real* p,
                                             Index size) {
  const Real largest = largest_of(scores, size);
  const bool wrong = mistaken(largest, scores, scores[gold], gold);
  normalise_log(scores, p, largest, size);
  const auto tiny = everywhere(10 * std::numeric_limits<Real>::min());
  auto sum = everywhere(Real(0));
  for (Index k = 0; k < size; k += kLanesOf<Real>) {
    const auto a = load_lanes(alpha + k);
    sum = sum + a * (log(larger(a, tiny)) - load_lanes(scores + k));
  }
  return {-scores[gold], std::max(Real(0), sum_of(sum)), wrong};
}
LINNET_CLONES inline BlockState<float> look_softmax(float* scores, const float* alpha, Id gold,
                                                    float* p, Index size) {
  return softmax_state(scores, alpha, gold, p, size);
}
LINNET_CLONES inline BlockState<double> look_softmax(double* scores, const double* alpha, Id gold,
                                                     double* p, Index size) {
  return softmax_state(scores, alpha, gold, p, size);
}

// One Newton iteration: dl_k = (r_k − ν) / (1 + B p_k), r = target − B p − l, with ν such that
// Σ p dl = 0; l += dl, renormalised. Returns the largest change of p; `before` is for its old
// value.
template <class Real>
LINNET_INLINE Real newton_iteration(const Real* target, Real curvature, Real* l, Real* p,
                                    Real* before, Index size) {
  constexpr Index kLanes = kLanesOf<Real>;
  const auto b = everywhere(curvature), one = everywhere(Real(1)), zero = everywhere(Real(0));
  auto top = zero, bottom = zero, moved = zero;
  for (Index k = 0; k < size; k += kLanes) {
    const auto bp = b * load_lanes(p + k), weight = load_lanes(p + k) / (one + bp);
    top = top + weight * (load_lanes(target + k) - bp - load_lanes(l + k));
    bottom = bottom + weight;
  }
  const auto nu = everywhere(sum_of(top) / sum_of(bottom));
  for (Index k = 0; k < size; k += kLanes) {
    const auto bp = b * load_lanes(p + k);
    const auto step = (load_lanes(target + k) - bp - load_lanes(l + k) - nu) / (one + bp);
    store_lanes(l + k, smaller(load_lanes(l + k) + step, zero));  // no probability above one
  }
  std::copy(p, p + size, before);
  normalise_log(l, p, largest_of(l, size), size);
  for (Index k = 0; k < size; k += kLanes) {
    const auto change = load_lanes(p + k) - load_lanes(before + k);
    moved = larger(moved, larger(change, zero - change));
  }
  return largest_of(moved);
}
LINNET_CLONES inline float softmax_newton(const float* target, float curvature, float* l, float* p,
                                          float* before, Index size) {
  return newton_iteration(target, curvature, l, p, before, size);
}
LINNET_CLONES inline double softmax_newton(const double* target, double curvature, double* l,
                                           double* p, double* before, Index size) {
  return newton_iteration(target, curvature, l, p, before, size);
}

// The same equation when B is so large that the iteration does not settle. For a given ν each
// α'_k = e^u has an equation of its own, u + B e^u = target_k − ν; their sum is convex and falls
// with ν, so that Newton's method from below, where the largest alone is one, only rises.
template <class Real>
void softmax_by_threshold(const Real* target, double b, Id width, Real* next) {
  double nu = static_cast<double>(*std::max_element(target, target + width)) - b;
  for (int round = 0; round < 100; ++round) {
    double sum = 0, slope = 0;
    for (Id k = 0; k < width; ++k) {
      const double t = static_cast<double>(target[k]) - nu;
      double u = t < 1 ? t : std::log(std::max(t, 1e-3) / std::max(b, 1.0));
      u = std::min(u, t);
      for (int step = 0; step < 60; ++step) {
        const double e = b * exp(u), change = (u + e - t) / (1 + e);
        u -= change;
        if (std::abs(change) <= 1e-14 * (1 + std::abs(u))) break;
      }
      const double a = exp(u);
      next[k] = static_cast<Real>(a);
      sum += a;
      slope += a / (1 + b * a);
    }
    const double rise = (sum - 1) / slope;
    if (!(rise > 1e-15 * (1 + std::abs(nu)))) break;
    nu += rise;
  }
}

// What a certificate adds up over labels: Σ m (s − base), −Σ m log m, Σ exp(s − base).
LINNET_CLONES inline double masses_above(const double* s, const double* m, double base,
                                         Index size) {
  const auto from = everywhere(base);
  auto sum = everywhere(0.0);
  for (Index k = 0; k < size; k += kLanesOf<double>)
    sum = sum + load_lanes(m + k) * (load_lanes(s + k) - from);
  return sum_of(sum);
}
LINNET_CLONES inline double entropy_of(const double* m, Index size) {
  const auto tiny = everywhere(10 * std::numeric_limits<double>::min());
  auto sum = everywhere(0.0);
  for (Index k = 0; k < size; k += kLanesOf<double>)
    sum = sum - load_lanes(m + k) * log(larger(load_lanes(m + k), tiny));
  return sum_of(sum);
}
LINNET_CLONES inline double sum_of_exp(const double* s, double base, Index size) {
  const auto from = everywhere(base), lowest = everywhere(-700.0);
  auto sum = everywhere(0.0);
  for (Index k = 0; k < size; k += kLanesOf<double>) {
    const auto x = load_lanes(s + k) - from;
    sum = sum + exceeds(x, lowest) * exp(larger(x, lowest));
  }
  return sum_of(sum);
}

template <class R>
class MaxEntBlock {
 public:
  using Real = R;
  static constexpr bool kHard = false;  // has margins, which may be hard
  explicit MaxEntBlock(Id width)
      : width_(width), p_(static_cast<std::size_t>(width) + 8), target_(p_.size()) {}

  // Loss and gap at these scores; leaves log-probabilities in `scores`.
  BlockState<Real> look(Real* scores, const Real* alpha, Id gold, Index size) {
    return look_softmax(scores, alpha, gold, p_.data(), size);
  }

  // The best α' for this block, given `scores` as `look` left them.
  void best(Real* scores, const Real* alpha, double curvature, Index size, Real* next) {
    const auto b = static_cast<Real>(curvature);
    for (Index k = 0; k < size; ++k) target_[k] = scores[k] + b * alpha[k];
    for (int iteration = 0; iteration < kNewton; ++iteration)
      if ((1 + b) * softmax_newton(target_.data(), b, scores, p_.data(), next, size) < kExact) {
        std::copy(p_.data(), p_.data() + size, next);
        return;
      }
    std::fill(next, next + size, Real(0));
    softmax_by_threshold(target_.data(), curvature, width_, next);
  }
  void best_hard(const Real*, const Real*, double, Id, Index, Real*) const {}  // there is none

  // At exact scores, of a point with `left` for wrong labels; both are used up. Where c is large
  // losses are small, and no digit of them may be lost: log Σ exp s − s_y is taken from
  // differences, and so is the entropy.
  BlockCertificate certify(double* scores, double* mass, double left, Id gold, Index size) const {
    const double right = scores[gold];
    const Id top = static_cast<Id>(std::max_element(scores, scores + width_) - scores);
    const Id best = scores[top] > right ? top : gold;
    const double ahead = scores[best] - right;
    mass[gold] = 0;
    const double behind = masses_above(scores, mass, right, size), wrong = entropy_of(mass, size);
    const double entropy = wrong - (left < 1 ? (1 - left) * std::log1p(-left) : 0);
    const double highest = std::exchange(scores[best], -kInf);
    const double loss = ahead + std::log1p(sum_of_exp(scores, highest, size));
    return {loss, loss - behind - entropy, entropy};
  }

 private:
  static constexpr int kNewton = 20;
  static constexpr Real kExact = sizeof(Real) == 4 ? Real(1e-3) : Real(1e-7);
  Id width_;
  Buffer<Real> p_, target_;  // [lanes]
};

}  // namespace linnet
