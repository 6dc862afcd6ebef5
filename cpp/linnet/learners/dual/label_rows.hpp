// Scores of all labels of one instance, and the update that moves them: s_k = Σ_f x_f W[f][k] and
// W[f][k] −= δ_k x_f. The labels of a feature stand side by side, so both run over whole vectors.
#pragma once
#include <algorithm>
#include <cstring>

#include "linnet/base/lanes.hpp"
#include "linnet/base/simd.hpp"
#include "linnet/base/types.hpp"
#include "linnet/features/rows.hpp"

namespace linnet {

// How many numbers move together.
template <class Real>
inline constexpr Index kLanesOf = 32 / sizeof(Real);

// The scores of `Width` labels starting at `w`, summed in registers. (The prefetch also keeps GCC
// from jamming two features into one pass, which would push the sums out of the registers.)
template <int Width, class Weight, class Real>
LINNET_INLINE void score_labels(const Row& row, float bias, const Weight* LINNET_RESTRICT w,
                                Index stride, Real* LINNET_RESTRICT scores) {
  Real sum[Width];
  for (int k = 0; k < Width; ++k) sum[k] = static_cast<Real>(bias) * static_cast<Real>(w[k]);
  for (Id j = 0; j < row.size; ++j) {
    const Weight* LINNET_RESTRICT feature = w + (row.index[j] + Index{1}) * stride;
    const Real x = static_cast<Real>(row.value[j]);
    LINNET_PREFETCH(w + (row.index[std::min(j + 4, row.size - 1)] + Index{1}) * stride);
    for (int k = 0; k < Width; ++k) sum[k] += x * static_cast<Real>(feature[k]);
  }
  for (int k = 0; k < Width; ++k) scores[k] = sum[k];
}

// The kernel for exactly `labels` = 8, 16, …, 8 Most of them.
template <int Most, class Weight, class Real>
LINNET_INLINE void score_exactly(Index labels, const Row& row, float bias, const Weight* w,
                                 Index stride, Real* scores) {
  if (labels == 8 * Most)
    score_labels<8 * Most>(row, bias, w, stride, scores);
  else if constexpr (Most > 1)
    score_exactly<Most - 1>(labels, row, bias, w, stride, scores);
}

template <class Weight, class Real>
LINNET_INLINE void score_all(const Row& row, float bias, const Weight* w, Index stride,
                             Real* scores) {
  constexpr int kMost = sizeof(Real) == 4 ? 12 : 6;  // sums of 12 registers, of the 16 there are
  Index k = 0;
  for (; stride - k > 8 * kMost; k += 8 * kMost)
    score_labels<8 * kMost>(row, bias, w + k, stride, scores + k);
  if (stride % 8 == 0)
    score_exactly<kMost>(stride - k, row, bias, w + k, stride, scores + k);
  else  // 1, 2 or 4 labels
    for (; k < stride; ++k) score_labels<1>(row, bias, w + k, stride, scores + k);
}

// scores[stride] of one row, in the precision asked for.
LINNET_CLONES inline void score_row(const Row& row, float bias, const float* w, Index stride,
                                    float* scores) {
  score_all(row, bias, w, stride, scores);
}
LINNET_CLONES inline void score_row(const Row& row, float bias, const float* w, Index stride,
                                    double* scores) {
  score_all(row, bias, w, stride, scores);
}
LINNET_CLONES inline void score_row(const Row& row, float bias, const double* w, Index stride,
                                    double* scores) {
  score_all(row, bias, w, stride, scores);
}

// Is another label predicted, if `best` is the largest score of any other, or of all? Equal scores
// go to the earlier label.
template <class Real>
LINNET_INLINE bool mistaken(Real best, const Real* scores, Real gold_score, Id gold) {
  if (best != gold_score) return best > gold_score;
  Id ties = 0;
  for (Id k = 0; k < gold; ++k) ties += scores[k] == gold_score;
  return ties > 0;
}

// delta = cost (next − now), now = next, and the groups of eight labels in which some moved; their
// number.
template <class Real>
LINNET_INLINE Id find_moves(Real cost, const Real* next, Real* now, Index size, Real* delta,
                            Id* groups) {
  const auto scale = everywhere(cost);
  Id count = 0;
  for (Index k = 0; k < size; k += 8) {
    groups[count] = static_cast<Id>(k);
    count += std::memcmp(next + k, now + k, 8 * sizeof(Real)) != 0;
    for (Index j = k; j < k + 8; j += kLanesOf<Real>) {
      store_lanes(delta + j, scale * (load_lanes(next + j) - load_lanes(now + j)));
      store_lanes(now + j, load_lanes(next + j));
    }
  }
  return count;
}
LINNET_CLONES inline Id moves(float cost, const float* next, float* now, Index size, float* delta,
                              Id* groups) {
  return find_moves(cost, next, now, size, delta, groups);
}
LINNET_CLONES inline Id moves(double cost, const double* next, double* now, Index size,
                              double* delta, Id* groups) {
  return find_moves(cost, next, now, size, delta, groups);
}

// W[f][k] −= delta[k] x_f in the `count` groups of labels that start at groups[…].
template <class Real>
LINNET_INLINE void update_groups(const Row& row, float bias, Real* w, Index stride,
                                 const Real* delta, const Id* groups, Id count) {
  for (Id j = -1; j < row.size; ++j) {  // −1: the constant feature
    Real* feature = j < 0 ? w : w + (row.index[j] + Index{1}) * stride;
    const auto x = everywhere(static_cast<Real>(j < 0 ? bias : row.value[j]));
    for (Id g = 0; g < count; ++g)
      for (Index k = groups[g]; k < groups[g] + 8; k += kLanesOf<Real>) {
        Real* part = feature + k;
        store_lanes(part, load_lanes(part) - load_lanes(delta + k) * x);
      }
  }
}
LINNET_CLONES inline void update_row(const Row& row, float bias, float* w, Index stride,
                                     const float* delta, const Id* groups, Id count) {
  update_groups(row, bias, w, stride, delta, groups, count);
}
LINNET_CLONES inline void update_row(const Row& row, float bias, double* w, Index stride,
                                     const double* delta, const Id* groups, Id count) {
  update_groups(row, bias, w, stride, delta, groups, count);
}
// The same for 1, 2 or 4 labels, which fill no group.
template <class Real>
void update_few(const Row& row, float bias, Real* w, Index stride, const Real* delta) {
  for (Index k = 0; k < stride; ++k) w[k] -= delta[k] * static_cast<Real>(bias);
  for (Id j = 0; j < row.size; ++j)
    for (Index k = 0; k < stride; ++k)
      w[(row.index[j] + Index{1}) * stride + k] -= delta[k] * static_cast<Real>(row.value[j]);
}

// scores −= scale · alpha; `size` is a multiple of 8.
LINNET_CLONES inline void subtract_point(float scale, const float* alpha, Index size,
                                         float* scores) {
  const Lanes by = all_lanes(scale);
  for (Index k = 0; k < size; k += 8)
    store_lanes(scores + k, load_lanes(scores + k) - by * load_lanes(alpha + k));
}
template <class Real>
void subtract_point(double scale, const Real* alpha, Index size, double* scores) {
  for (Index k = 0; k < size; ++k) scores[k] -= scale * static_cast<double>(alpha[k]);
}
// What a visit learns about the block of one instance, per unit of its cost.
template <class Real>
struct BlockState {
  Real loss, gap;
  bool mistaken = false;
};

// What a certificate says of it: `value` is its part of D.
struct BlockCertificate {
  double loss, gap, value;
};

// Brings the weights of a row that will be scored soon into the second-level cache: unlike the
// first, it can wait for hundreds of lines at once. (Inlined by force: compilers drop calls that do
// nothing but prefetch.)
template <class Real>
LINNET_INLINE void expect_row(const Row& row, const Real* w, Index stride) {
  for (Id j = 0; j < row.size; ++j)
    for (Index k = 0; k < stride; k += 2 * kLanesOf<Real>)
      LINNET_PREFETCH_ROW(w + (row.index[j] + Index{1}) * stride + k);
}

// Σ a b in float32; `size` is a multiple of 8.
LINNET_CLONES inline double dot(const float* a, const float* b, Index size) {
  Lanes sum = all_lanes(0);
  for (Index k = 0; k < size; k += 8) sum = sum + load_lanes(a + k) * load_lanes(b + k);
  return static_cast<double>(sum_of(sum));
}

// Σ w² in float64, in eight interleaved sums.
template <class Real>
LINNET_INLINE double sum_of_squares(const Real* w, Index size) {
  double sum[8] = {};
  Index j = 0;
  for (; j + 8 <= size; j += 8)
    for (int k = 0; k < 8; ++k)
      sum[k] += static_cast<double>(w[j + k]) * static_cast<double>(w[j + k]);
  for (; j < size; ++j) sum[0] += static_cast<double>(w[j]) * static_cast<double>(w[j]);
  return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}
LINNET_CLONES inline double squared_norm(const float* w, Index size) {
  return sum_of_squares(w, size);
}
LINNET_CLONES inline double squared_norm(const double* w, Index size) {
  return sum_of_squares(w, size);
}

}  // namespace linnet
