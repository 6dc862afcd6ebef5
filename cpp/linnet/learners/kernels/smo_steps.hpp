// The loops of sequential minimal optimisation, over all variables that are active.
#pragma once
#include <utility>

#include "linnet/base/lanes.hpp"
#include "linnet/base/types.hpp"

namespace linnet {

// The place of the first minimum of f + blocked, whose size is a multiple of 64.
struct Extreme {
  double value;
  Index place;
};
LINNET_INLINE Extreme least_of(const double* f, const double* blocked, Index size) {
  double best = kInf;
  Index block = 0;
  for (Index at = 0; at < size; at += 64) {
    DoubleLanes least[4];
    for (int j = 0; j < 4; ++j)
      least[j] = load_lanes(f + at + 4 * j) + load_lanes(blocked + at + 4 * j);
    for (Index k = at + 16; k < at + 64; k += 16)
      for (int j = 0; j < 4; ++j)
        least[j] = smaller(load_lanes(f + k + 4 * j) + load_lanes(blocked + k + 4 * j), least[j]);
    const DoubleLanes all = smaller(smaller(least[0], least[1]), smaller(least[2], least[3]));
    const double low = std::min(std::min(all[0], all[1]), std::min(all[2], all[3]));
    if (low < best) best = low, block = at;
  }
  Index place = block;
  while (place < block + 63 && f[place] + blocked[place] != best) ++place;
  return {best, place};
}
LINNET_CLONES inline Extreme first_of(const double* f, const double* blocked, Index size) {
  return least_of(f, blocked, size);
}
// f += step (row_i − row_j), and then as first_of.
LINNET_CLONES inline void move_along(double* LINNET_RESTRICT f, const float* LINNET_RESTRICT row_i,
                                     const float* LINNET_RESTRICT row_j, double step, Index size) {
  for (Index k = 0; k < size; ++k)
    f[k] += step * (static_cast<double>(row_i[k]) - static_cast<double>(row_j[k]));
}

// The second of the pair by second-order information (Fan, Chen and Lin 2005): of all that may
// fall, blocked[k] = 0, and have f_k > f_i the one with the largest (f_k − f_i)² / (K_ii + K_kk −
// 2K_ik). Also the largest f of all that may fall.
struct Partner {
  float gain;
  Index place;
  double largest;
};
LINNET_CLONES inline Partner partner_of(const double* f, const double* blocked, double offset,
                                        double least, const float* row, const float* diagonal,
                                        float own, Index size, float* gains) {
  constexpr float kSmallest = 1e-12f;
  DoubleLanes top = all_double_lanes(-kInf);
  const DoubleLanes from = all_double_lanes(least - offset), none = all_double_lanes(0);
  Partner best{0, -1, -kInf};
  const Lanes two = all_lanes(2), self = all_lanes(own), smallest = all_lanes(kSmallest);
  for (Index at = 0; at < size; at += 64) {
    float ahead[64];
    for (Index k = 0; k < 64; k += 4) {
      const DoubleLanes open = load_lanes(f + at + k) - load_lanes(blocked + at + k);
      top = larger(open, top);
      const DoubleLanes by = larger(open - from, none);
      for (int j = 0; j < 4; ++j) ahead[k + j] = static_cast<float>(by[j]);
    }
    Lanes most = all_lanes(0);
    for (Index k = 0; k < 64; k += 8) {
      const Lanes by = load_lanes(ahead + k);
      const Lanes curve = self + load_lanes(diagonal + at + k) - two * load_lanes(row + at + k);
      const Lanes gain = by * by / larger(curve, smallest);
      store_lanes(gains + k, gain);
      most = larger(gain, most);
    }
    const float found = largest_of(most);
    if (found > best.gain) {
      best.gain = found;
      Index k = 0;
      while (gains[k] != found) ++k;
      best.place = at + k;
    }
  }
  best.largest = largest_of(top) + offset;
  return best;
}

}  // namespace linnet
