// Are sparse rows (sparse_weights.hpp) as they are written? A file may be damaged.
#pragma once
#include <bit>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "linnet/decoding/sparse_weights.hpp"

namespace linnet {

namespace detail {

inline std::uint32_t little_endian(const std::uint8_t* at, std::size_t bytes) {
  std::uint32_t number = 0;
  for (std::size_t b = bytes; b-- > 0;) number = number << 8 | at[b];
  return number;
}

// Are the labels of a row ascending and in range, and as many as it says?
inline bool labels_fit(const RowShape& shape, std::size_t count, const std::uint8_t* which) {
  if (shape.listed(count)) {
    std::size_t next = 0;  // the least label that may come
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t y = little_endian(which + k * shape.label_bytes, shape.label_bytes);
      if (y < next || y >= shape.width) return false;
      next = y + 1;
    }
    return true;
  }
  std::size_t bits = 0;
  for (std::size_t g = 0; g < shape.mask_bytes; ++g)
    bits += static_cast<std::size_t>(std::popcount(which[g]));
  const std::size_t used = shape.width % 8;
  return bits == count && (used == 0 || which[shape.mask_bytes - 1] >> used == 0);
}

}  // namespace detail

// Throws unless rows follow one another to the end and each place is the beginning of one;
// `weight_bytes` is the size of a weight.
inline void check_sparse_rows(Id width, std::span<const std::uint32_t> places,
                              std::size_t full_rows, std::span<const std::uint8_t> rows,
                              std::size_t weight_bytes) {
  const RowShape shape(width);
  const std::size_t reach = shape.reach(weight_bytes);
  if (rows.size() < reach) throw std::invalid_argument("the sparse rows are cut off");
  const std::size_t end = rows.size() - reach;
  std::vector<bool> begins(end);
  for (std::size_t at = 0; at < end;) {
    begins[at] = true;
    const std::uint8_t* const row = rows.data() + at;
    const std::size_t count = detail::little_endian(row, shape.label_bytes);
    if (count > shape.width) throw std::invalid_argument("a sparse row has too many labels");
    if (!detail::labels_fit(shape, count, row + shape.label_bytes))
      throw std::invalid_argument("the labels of a sparse row are out of range or order");
    at += shape.size(count, weight_bytes);
    if (at > end) throw std::invalid_argument("the sparse rows are cut off");
  }
  for (const std::size_t place : places)
    if (place >= full_rows && (place - full_rows >= end || !begins[place - full_rows]))
      throw std::invalid_argument("there is no sparse row where one should begin");
}

}  // namespace linnet
