// The sum of value[k] w[index[k]] in float32: eight running sums, and the rest by itself, so that
// machines with and without gathers give the same bits.
#pragma once
#include "linnet/base/cpu.hpp"
#include "linnet/base/simd.hpp"
#include "linnet/base/types.hpp"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__)) && !defined(LINNET_NO_CLONES)
#include <immintrin.h>
#define LINNET_HAS_GATHER 1
#endif

namespace linnet {
namespace detail {

template <class Real>
Real sum_of_eight(const Real* s) {
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

inline float gather_plain(const float* w, const Id* index, const float* value, Id size) {
  float sum[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  for (Id k = 0; k < size; k += 8)
    for (Id j = 0; j < 8; ++j) sum[j] += value[k + j] * w[index[k + j]];
  return sum_of_eight(sum);
}

#ifdef LINNET_HAS_GATHER
__attribute__((target("avx2"))) inline float gather_avx2(const float* w, const Id* index,
                                                         const float* value, Id size) {
  __m256 sum = _mm256_setzero_ps();
  for (Id k = 0; k < size; k += 8) {
    const __m256i at = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(index + k));
    const __m256 product = _mm256_mul_ps(_mm256_loadu_ps(value + k), _mm256_i32gather_ps(w, at, 4));
    sum = _mm256_add_ps(sum, product);
  }
  alignas(32) float lanes[8];
  _mm256_store_ps(lanes, sum);
  return sum_of_eight(lanes);
}
inline const bool kGathers = has_x86_64_v3();
#endif

}  // namespace detail

inline float gather_dot(const float* w, const Id* index, const float* value, Id size) {
  const Id whole = size / 8 * 8;
#ifdef LINNET_HAS_GATHER
  float sum = detail::kGathers ? detail::gather_avx2(w, index, value, whole)
                               : detail::gather_plain(w, index, value, whole);
#else
  float sum = detail::gather_plain(w, index, value, whole);
#endif
  // The rest comes last: reading the end of a row first would break the stream from memory.
  for (Id k = whole; k < size; ++k) sum += value[k] * w[index[k]];
  return sum;
}

}  // namespace linnet
