// Weights that lie side by side to the labels that a mask names, eight at a time.
#pragma once
#include <cstdint>
#include <cstring>

#include "linnet/base/lanes.hpp"

namespace linnet {

namespace detail {

struct SpreadTable {
  constexpr SpreadTable() {
    for (int mask = 0; mask < 256; ++mask)
      for (int j = 0, next = 0; j < 8; ++j) from[mask][j] = (mask >> j & 1) != 0 ? next++ : -1;
  }
  std::int32_t from[256][8] = {};  // the lane it comes from, -1 for none
};
inline constexpr SpreadTable kSpread;

}  // namespace detail

// Lane j of the result is the next of `packed` if bit j of `mask` is set, else 0.
LINNET_INLINE Lanes spread_lanes(const Lanes& packed, std::uint32_t mask) {
  const std::int32_t* const table = detail::kSpread.from[mask];
#if defined(__GNUC__) && !defined(__clang__)
  IntLanes from;
  std::memcpy(&from, table, sizeof from);
  return from < 0 ? Lanes{} : __builtin_shuffle(packed, from);
#else
  float spread[8];
  for (int j = 0; j < 8; ++j) spread[j] = table[j] < 0 ? 0.f : packed[table[j]];
  return load_lanes(spread);
#endif
}

}  // namespace linnet
