// Dense vector arithmetic of the optimisers. Sums run over eight fixed lanes, so that they use
// vector registers and yet have one order of addition, hence the same bits everywhere. The history
// of L-BFGS is float; sums are always double. Long vectors are worked on in blocks, by as many
// threads as there are; sums of blocks are added in their order.
#pragma once
#include <cmath>
#include <span>

#include "linnet/base/simd.hpp"
#include "linnet/base/thread_pool.hpp"
#include "linnet/base/types.hpp"

namespace linnet {

using Vector = Buffer<double>;

namespace detail {

template <class A, class B>
LINNET_INLINE double dot_lanes(const A* LINNET_RESTRICT a, const B* LINNET_RESTRICT b,
                               std::size_t size) {
  constexpr std::size_t kLanes = 8;
  double lane[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k)
      lane[k] += static_cast<double>(a[i + k]) * static_cast<double>(b[i + k]);
  for (std::size_t k = 0; i < size; ++i, ++k)
    lane[k] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}
template <class X>
LINNET_INLINE void add_lanes(double a, const X* LINNET_RESTRICT x, double* LINNET_RESTRICT y,
                             std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) y[i] += a * static_cast<double>(x[i]);
}

}  // namespace detail

LINNET_CLONES inline double dot(std::span<const double> a, std::span<const double> b) {
  return detail::dot_lanes(a.data(), b.data(), a.size());
}
LINNET_CLONES inline double dot(std::span<const float> a, std::span<const double> b) {
  return detail::dot_lanes(a.data(), b.data(), a.size());
}
LINNET_CLONES inline double dot(std::span<const float> a, std::span<const float> b) {
  return detail::dot_lanes(a.data(), b.data(), a.size());
}
inline double norm(std::span<const double> a) { return std::sqrt(dot(a, a)); }

// y += a x
LINNET_CLONES inline void add_scaled(double a, std::span<const double> x, std::span<double> y) {
  detail::add_lanes(a, x.data(), y.data(), x.size());
}
LINNET_CLONES inline void add_scaled(double a, std::span<const float> x, std::span<double> y) {
  detail::add_lanes(a, x.data(), y.data(), x.size());
}

// out = x + a y
inline void sum_scaled(std::span<const double> x, double a, std::span<const double> y,
                       std::span<double> out) {
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = x[i] + a * y[i];
}

// x ← c (x + a y), and z · x after it.
LINNET_CLONES inline double move_and_dot(double c, double a, std::span<const float> y,
                                         std::span<const float> z, std::span<double> x) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = c * (x[i] + a * static_cast<double>(y[i]));
  return detail::dot_lanes(z.data(), x.data(), x.size());
}

inline constexpr std::size_t kVectorBlock = std::size_t{1} << 14;

// f(begin, size) for each block of a long vector.
template <class F>
void in_blocks(std::size_t size, int threads, F&& f) {
  parallel_for(static_cast<Index>((size + kVectorBlock - 1) / kVectorBlock), threads, [&](Index b) {
    const std::size_t begin = static_cast<std::size_t>(b) * kVectorBlock;
    f(begin, std::min(kVectorBlock, size - begin));
  });
}
// Σ of f(begin, size) over blocks, in their order.
template <class F>
double sum_in_blocks(std::size_t size, int threads, F&& f) {
  Buffer<double> sums(size / kVectorBlock + 1);
  in_blocks(size, threads, [&](std::size_t begin, std::size_t count) {
    sums[begin / kVectorBlock] = f(begin, count);
  });
  double sum = 0;
  for (const double s : sums) sum += s;
  return sum;
}
template <class A, class B>
double long_dot(std::span<const A> a, std::span<const B> b, int threads) {
  return sum_in_blocks(a.size(), threads, [&](std::size_t begin, std::size_t size) {
    return dot(a.subspan(begin, size), b.subspan(begin, size));
  });
}
template <class X>
void long_add(double a, std::span<const X> x, std::span<double> y, int threads) {
  in_blocks(x.size(), threads, [&](std::size_t begin, std::size_t size) {
    add_scaled(a, x.subspan(begin, size), y.subspan(begin, size));
  });
}

}  // namespace linnet
