// Sums of exponentials and what each has of them, several at a time.
#pragma once
#include "linnet/base/lanes.hpp"
#include "linnet/base/types.hpp"

namespace linnet {

namespace detail {

// to = exp(score - shift).
LINNET_INLINE void exp_heads(const double* score, double shift, Id size, double* to) {
  const DoubleLanes by = all_double_lanes(shift);
  Id h = 0;
  for (; h + 4 <= size; h += 4) store_lanes(to + h, exp(load_lanes(score + h) - by));
  for (; h < size; ++h) to[h] = exp(score[h] - shift);
}

// max, and with it Σ exp(a - max).
LINNET_CLONES inline double largest(const double* a, Id size) {
  double top = a[0];
  Id r = 0;
  if (size >= 4) {
    DoubleLanes tops = load_lanes(a);
    for (r = 4; r + 4 <= size; r += 4) tops = larger(load_lanes(a + r), tops);
    top = largest_of(tops);
  }
  for (; r < size; ++r) top = std::max(top, a[r]);
  return top;
}
LINNET_CLONES inline double sum_of_exp(const double* a, double top, Id size) {
  DoubleLanes sums = all_double_lanes(0);
  const DoubleLanes by = all_double_lanes(top);
  Id r = 0;
  for (; r + 4 <= size; r += 4) sums = sums + exp(load_lanes(a + r) - by);
  double sum = sum_of(sums);
  for (; r < size; ++r) sum += exp(a[r] - top);
  return sum;
}
// to = p exp(a - shift)
LINNET_CLONES inline void share_of_exp(const double* a, double shift, double p, Id size,
                                       double* to) {
  exp_heads(a, shift, size, to);
  for (Id r = 0; r < size; ++r) to[r] *= p;
}
LINNET_CLONES inline double sum_of_exp(const float* a, double top, Id size) {
  DoubleLanes sums = all_double_lanes(0);
  const DoubleLanes by = all_double_lanes(top);
  Id r = 0;
  for (; r + 4 <= size; r += 4) {
    const double some[4] = {a[r], a[r + 1], a[r + 2], a[r + 3]};
    sums = sums + exp(load_lanes(some) - by);
  }
  double sum = sum_of(sums);
  for (; r < size; ++r) sum += exp(static_cast<double>(a[r]) - top);
  return sum;
}

}  // namespace detail

}  // namespace linnet
