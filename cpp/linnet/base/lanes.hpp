// Eight floats that move together, for the reductions and branches that compilers do not vectorise
// by themselves (a maximum, a count, an exp). Vectors of GCC and Clang where there are any, a plain
// array elsewhere: the same operations lane by lane, hence the same bits.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "linnet/base/math.hpp"
#include "linnet/base/simd.hpp"

namespace linnet {

// exp and log of a float, or of lanes of them, without branches. Relative error of exp below 3e-7,
// 0 below −87; log is for normal positive numbers.
template <class Float, class Int>
LINNET_INLINE Float exp_without_branches(const Float& x) {
  const Float zero{}, low = zero - 87.f, high = zero + 88.f;
  const Float below = x < low ? low : x, inside = below > high ? high : below;
  const Float shifted = inside * 1.44269504f + 12582912.f;  // 1.5·2²³: rounds to an integer
  const Float n = shifted - 12582912.f;
  const Float r = (inside - n * 0.693359375f) + n * 2.12194440e-4f;
  Float series = r * (1.f / 5040) + 1.f / 720;  // Taylor: |r| <= ln(2)/2
  series = series * r + 1.f / 120;
  series = series * r + 1.f / 24;
  series = series * r + 1.f / 6;
  series = series * r + 0.5f;
  series = series * r + 1.f;
  series = series * r + 1.f;
  const Int power = (std::bit_cast<Int>(shifted) - (0x4b400000 - 127)) << 23;
  const Float result = series * std::bit_cast<Float>(power);
  return x < low ? zero : result;
}
template <class Float, class Int>
LINNET_INLINE Float log_without_branches(const Float& x) {
  const Int bits = std::bit_cast<Int>(x);
  const Int n = (bits - 0x3f3504f3) >> 23;  // x = m 2ⁿ, m in [√½, √2)
  const Float m = std::bit_cast<Float>(Int(bits - (n << 23)));
  const Float exponent = std::bit_cast<Float>(Int(n + 0x4b400000)) - 12582912.f;
  const Float t = (m - 1.f) / (m + 1.f), u = t * t;  // log m = 2 atanh t
  Float series = u * (2.f / 9) + 2.f / 7;
  series = series * u + 2.f / 5;
  series = series * u + 2.f / 3;
  series = series * u + 2.f;
  return exponent * 0.693147181f + t * series;
}

#if defined(__clang__)

// A vector in a class: to Clang, a vector that a clone for AVX gets from a function of the baseline
// is an error, though the function is inlined; a class is none.
template <class Real, class Int>
struct WideLanes {
  using Vector = Real __attribute__((vector_size(32)));
  using Ints = Int __attribute__((vector_size(32)));
  Vector v;
  LINNET_INLINE Real operator[](int j) const { return v[j]; }
  friend LINNET_INLINE WideLanes operator+(const WideLanes& a, const WideLanes& b) {
    return {a.v + b.v};
  }
  friend LINNET_INLINE WideLanes operator-(const WideLanes& a, const WideLanes& b) {
    return {a.v - b.v};
  }
  friend LINNET_INLINE WideLanes operator*(const WideLanes& a, const WideLanes& b) {
    return {a.v * b.v};
  }
  friend LINNET_INLINE WideLanes operator/(const WideLanes& a, const WideLanes& b) {
    return {a.v / b.v};
  }
  friend LINNET_INLINE WideLanes larger(const WideLanes& a, const WideLanes& b) {
    return {a.v > b.v ? a.v : b.v};
  }
  friend LINNET_INLINE WideLanes smaller(const WideLanes& a, const WideLanes& b) {
    return {a.v < b.v ? a.v : b.v};
  }
  friend LINNET_INLINE WideLanes exceeds(const WideLanes& a, const WideLanes& b) {
    return {a.v > b.v ? Vector{} + Real{1} : Vector{}};
  }
};
using Lanes = WideLanes<float, std::int32_t>;
using DoubleLanes = WideLanes<double, std::int64_t>;
LINNET_INLINE DoubleLanes exp(const DoubleLanes& x) {
  return {exp_of<DoubleLanes::Vector, DoubleLanes::Ints>(x.v)};
}
LINNET_INLINE Lanes exp(const Lanes& x) {
  return {exp_without_branches<Lanes::Vector, Lanes::Ints>(x.v)};
}
LINNET_INLINE Lanes log(const Lanes& x) {
  return {log_without_branches<Lanes::Vector, Lanes::Ints>(x.v)};
}

#elif defined(__GNUC__)

using Lanes = float __attribute__((vector_size(32)));
using IntLanes = std::int32_t __attribute__((vector_size(32)));

LINNET_INLINE Lanes larger(const Lanes& a, const Lanes& b) { return a > b ? a : b; }
LINNET_INLINE Lanes smaller(const Lanes& a, const Lanes& b) { return a < b ? a : b; }
// 1 where a > b, else 0.
LINNET_INLINE Lanes exceeds(const Lanes& a, const Lanes& b) {
  return a > b ? Lanes{} + 1.f : Lanes{};
}
// Four doubles, where float is not enough.
using DoubleLanes = double __attribute__((vector_size(32)));
LINNET_INLINE DoubleLanes larger(const DoubleLanes& a, const DoubleLanes& b) {
  return a > b ? a : b;
}
LINNET_INLINE DoubleLanes smaller(const DoubleLanes& a, const DoubleLanes& b) {
  return a < b ? a : b;
}
LINNET_INLINE DoubleLanes exceeds(const DoubleLanes& a, const DoubleLanes& b) {
  return a > b ? DoubleLanes{} + 1.0 : DoubleLanes{};
}
// Compilers leave loops over exp of math.hpp scalar.
using LongLanes = std::int64_t __attribute__((vector_size(32)));
LINNET_INLINE DoubleLanes exp(const DoubleLanes& x) { return exp_of<DoubleLanes, LongLanes>(x); }
LINNET_INLINE Lanes exp(const Lanes& x) { return exp_without_branches<Lanes, IntLanes>(x); }
LINNET_INLINE Lanes log(const Lanes& x) { return log_without_branches<Lanes, IntLanes>(x); }

#else

struct Lanes {
  float v[8];
  float operator[](int j) const { return v[j]; }
};
template <class F>
LINNET_INLINE Lanes each_lane(const Lanes& a, const Lanes& b, F f) {
  Lanes result;
  for (int j = 0; j < 8; ++j) result.v[j] = f(a.v[j], b.v[j]);
  return result;
}
LINNET_INLINE Lanes operator+(const Lanes& a, const Lanes& b) {
  return each_lane(a, b, [](float x, float y) { return x + y; });
}
LINNET_INLINE Lanes operator-(const Lanes& a, const Lanes& b) {
  return each_lane(a, b, [](float x, float y) { return x - y; });
}
LINNET_INLINE Lanes operator*(const Lanes& a, const Lanes& b) {
  return each_lane(a, b, [](float x, float y) { return x * y; });
}
LINNET_INLINE Lanes operator/(const Lanes& a, const Lanes& b) {
  return each_lane(a, b, [](float x, float y) { return x / y; });
}
LINNET_INLINE Lanes larger(const Lanes& a, const Lanes& b) {
  return each_lane(a, b, [](float x, float y) { return x > y ? x : y; });
}
LINNET_INLINE Lanes smaller(const Lanes& a, const Lanes& b) {
  return each_lane(a, b, [](float x, float y) { return x < y ? x : y; });
}
LINNET_INLINE Lanes exceeds(const Lanes& a, const Lanes& b) {
  return each_lane(a, b, [](float x, float y) { return x > y ? 1.f : 0.f; });
}
LINNET_INLINE Lanes exp(const Lanes& x) {
  return each_lane(x, x,
                   [](float a, float) { return exp_without_branches<float, std::int32_t>(a); });
}
LINNET_INLINE Lanes log(const Lanes& x) {
  return each_lane(x, x,
                   [](float a, float) { return log_without_branches<float, std::int32_t>(a); });
}

struct DoubleLanes {
  double v[4];
  double operator[](int j) const { return v[j]; }
};
template <class F>
LINNET_INLINE DoubleLanes each_lane(const DoubleLanes& a, const DoubleLanes& b, F f) {
  DoubleLanes result;
  for (int j = 0; j < 4; ++j) result.v[j] = f(a.v[j], b.v[j]);
  return result;
}
LINNET_INLINE DoubleLanes exp(const DoubleLanes& x) {
  return each_lane(x, x, [](double a, double) { return exp(a); });
}
LINNET_INLINE DoubleLanes operator-(const DoubleLanes& a, const DoubleLanes& b) {
  return each_lane(a, b, [](double x, double y) { return x - y; });
}
LINNET_INLINE DoubleLanes operator+(const DoubleLanes& a, const DoubleLanes& b) {
  return each_lane(a, b, [](double x, double y) { return x + y; });
}
LINNET_INLINE DoubleLanes operator*(const DoubleLanes& a, const DoubleLanes& b) {
  return each_lane(a, b, [](double x, double y) { return x * y; });
}
LINNET_INLINE DoubleLanes operator/(const DoubleLanes& a, const DoubleLanes& b) {
  return each_lane(a, b, [](double x, double y) { return x / y; });
}
LINNET_INLINE DoubleLanes larger(const DoubleLanes& a, const DoubleLanes& b) {
  return each_lane(a, b, [](double x, double y) { return x > y ? x : y; });
}
LINNET_INLINE DoubleLanes smaller(const DoubleLanes& a, const DoubleLanes& b) {
  return each_lane(a, b, [](double x, double y) { return x < y ? x : y; });
}
LINNET_INLINE DoubleLanes exceeds(const DoubleLanes& a, const DoubleLanes& b) {
  return each_lane(a, b, [](double x, double y) { return x > y ? 1.0 : 0.0; });
}

#endif

LINNET_INLINE Lanes load_lanes(const float* p) {
  Lanes v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
LINNET_INLINE void store_lanes(float* p, const Lanes& v) { std::memcpy(p, &v, sizeof v); }
LINNET_INLINE Lanes all_lanes(float x) {
  const float same[8] = {x, x, x, x, x, x, x, x};
  return load_lanes(same);
}
LINNET_INLINE DoubleLanes load_lanes(const double* p) {
  DoubleLanes v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
LINNET_INLINE void store_lanes(double* p, const DoubleLanes& v) { std::memcpy(p, &v, sizeof v); }
LINNET_INLINE DoubleLanes all_double_lanes(double x) {
  const double same[4] = {x, x, x, x};
  return load_lanes(same);
}
LINNET_INLINE DoubleLanes log(const DoubleLanes& x) {
  const double each[4] = {std::log(x[0]), std::log(x[1]), std::log(x[2]), std::log(x[3])};
  return load_lanes(each);
}
LINNET_INLINE double sum_of(const DoubleLanes& v) { return (v[0] + v[2]) + (v[1] + v[3]); }
LINNET_INLINE double largest_of(const DoubleLanes& v) {
  return std::max(std::max(v[0], v[2]), std::max(v[1], v[3]));
}
LINNET_INLINE float sum_of(const Lanes& v) {
  return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]));
}
LINNET_INLINE float largest_of(const Lanes& v) {
  return std::max(std::max(std::max(v[0], v[4]), std::max(v[1], v[5])),
                  std::max(std::max(v[2], v[6]), std::max(v[3], v[7])));
}
template <class Real>
using LanesOf = decltype(load_lanes(static_cast<const Real*>(nullptr)));
LINNET_INLINE Lanes everywhere(float x) { return all_lanes(x); }
LINNET_INLINE DoubleLanes everywhere(double x) { return all_double_lanes(x); }
// The largest of `size` numbers, a multiple of the lanes.
template <class Real>
LINNET_INLINE Real largest_of(const Real* p, std::int64_t size) {
  constexpr std::int64_t kLanes = 32 / sizeof(Real);
  auto top = load_lanes(p);
  for (std::int64_t k = kLanes; k < size; k += kLanes) top = larger(load_lanes(p + k), top);
  return largest_of(top);
}

}  // namespace linnet
