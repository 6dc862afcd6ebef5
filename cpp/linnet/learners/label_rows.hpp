// Scores of all labels of one instance, and the update that moves them: s_k = Σ_f x_f W[f][k] and
// W[f][k] −= δ_k x_f. The labels of a feature stand side by side, so both run over whole vectors.
#pragma once
#include "linnet/base/simd.hpp"
#include "linnet/base/types.hpp"
#include "linnet/features/rows.hpp"

namespace linnet {

// The scores of `Width` labels starting at `w`, summed in registers. (The prefetch also keeps GCC
// from jamming two features into one pass, which would push the sums out of the registers.)
template <int Width, class Real>
LINNET_INLINE void score_labels(const Row& row, float bias, const float* LINNET_RESTRICT w,
                                Index stride, Real* LINNET_RESTRICT scores) {
  Real sum[Width];
  for (int k = 0; k < Width; ++k) sum[k] = static_cast<Real>(bias) * static_cast<Real>(w[k]);
  for (Id j = 0; j < row.size; ++j) {
    const float* LINNET_RESTRICT feature = w + (row.index[j] + Index{1}) * stride;
    const Real x = static_cast<Real>(row.value[j]);
    LINNET_PREFETCH(w + (row.index[j + 8 < row.size ? j + 8 : j] + Index{1}) * stride);
    for (int k = 0; k < Width; ++k) sum[k] += x * static_cast<Real>(feature[k]);
  }
  for (int k = 0; k < Width; ++k) scores[k] = sum[k];
}

template <class Real>
LINNET_INLINE void score_all(const Row& row, float bias, const float* w, Index stride,
                             Real* scores) {
  Index k = 0;
  if constexpr (sizeof(Real) == 4)
    for (; stride - k >= 64; k += 64) score_labels<64>(row, bias, w + k, stride, scores + k);
  for (; stride - k >= 32; k += 32) score_labels<32>(row, bias, w + k, stride, scores + k);
  for (; stride - k >= 16; k += 16) score_labels<16>(row, bias, w + k, stride, scores + k);
  for (; stride - k >= 8; k += 8) score_labels<8>(row, bias, w + k, stride, scores + k);
  for (; stride - k >= 4; k += 4) score_labels<4>(row, bias, w + k, stride, scores + k);
  for (; stride - k >= 1; k += 1) score_labels<1>(row, bias, w + k, stride, scores + k);
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

// W[f][k] −= delta[k] x_f for every label.
LINNET_CLONES inline void update_row(const Row& row, float bias, float* LINNET_RESTRICT w,
                                     Index stride, const float* LINNET_RESTRICT delta) {
  for (Index k = 0; k < stride; ++k) w[k] -= delta[k] * bias;
  for (Id j = 0; j < row.size; ++j) {
    float* LINNET_RESTRICT feature = w + (row.index[j] + Index{1}) * stride;
    const float x = row.value[j];
    for (Index k = 0; k < stride; ++k) feature[k] -= delta[k] * x;
  }
}

// The same for the `count` labels listed in `moved` alone: the others are not written.
inline void update_row(const Row& row, float bias, float* w, Index stride, const float* delta,
                       const Id* moved, Id count) {
  for (Id m = 0; m < count; ++m) w[moved[m]] -= delta[moved[m]] * bias;
  for (Id j = 0; j < row.size; ++j) {
    float* feature = w + (row.index[j] + Index{1}) * stride;
    const float x = row.value[j];
    for (Id m = 0; m < count; ++m) feature[moved[m]] -= delta[moved[m]] * x;
  }
}

// Σ w² in float64, in eight interleaved sums.
LINNET_CLONES inline double squared_norm(const float* w, Index size) {
  double sum[8] = {};
  Index j = 0;
  for (; j + 8 <= size; j += 8)
    for (int k = 0; k < 8; ++k)
      sum[k] += static_cast<double>(w[j + k]) * static_cast<double>(w[j + k]);
  for (; j < size; ++j) sum[0] += static_cast<double>(w[j]) * static_cast<double>(w[j]);
  return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

}  // namespace linnet
