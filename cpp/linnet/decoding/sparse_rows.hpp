// From a full block of weights to sparse rows (sparse_weights.hpp): zeros are left out, and rows
// that are equal to the byte are written once.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "linnet/base/detour.hpp"
#include "linnet/base/page_array.hpp"
#include "linnet/decoding/sparse_weights.hpp"
#include "linnet/text/hash.hpp"

namespace linnet {

template <class Real>
struct SparseRows {
  std::vector<std::uint32_t> places;  // of each row of the block
  Buffer<Real> full;
  PageArray<std::uint8_t> rows;
};

namespace detail {

// Writes the rows of a block one by one.
template <class Real>
class RowWriter {
 public:
  explicit RowWriter(Id width)
      : shape_(width),
        labels_(shape_.width),
        weights_(shape_.width),
        bytes_(shape_.reach(sizeof(Real))) {}

  // Reads a row; true if it is to be a full one.
  bool read(const Real* w) {
    count_ = 0;
    for (std::size_t y = 0; y < shape_.width; ++y) {
      labels_[count_] = static_cast<std::uint32_t>(y);
      weights_[count_] = w[y];
      count_ += w[y] != 0;
    }
    return shape_.full(count_);
  }
  // The bytes of the row read last, if it is not full; they stay until the next.
  std::string_view bytes() {
    char* at = bytes_.data();
    put(at, static_cast<std::uint32_t>(count_));
    if (shape_.listed(count_)) {
      for (std::size_t k = 0; k < count_; ++k) put(at, labels_[k]);
    } else {
      std::fill_n(at, shape_.mask_bytes, char{0});
      for (std::size_t k = 0; k < count_; ++k)
        at[labels_[k] / 8] = static_cast<char>(at[labels_[k] / 8] | 1 << labels_[k] % 8);
      at += shape_.mask_bytes;
    }
    std::memcpy(at, weights_.data(), count_ * sizeof(Real));
    return {bytes_.data(), shape_.size(count_, sizeof(Real))};
  }

 private:
  void put(char*& at, std::uint32_t number) const {  // little-endian
    for (std::size_t b = 0; b < shape_.label_bytes; ++b, number >>= 8)
      *at++ = static_cast<char>(number & 0xff);
  }

  RowShape shape_;
  std::vector<std::uint32_t> labels_;  // of the weights that are not zero
  std::vector<Real> weights_;
  std::size_t count_ = 0;  // of these
  std::vector<char> bytes_;
};

// Rows met before, by what they hold: open addressing over their numbers + 1.
class DistinctRows {
 public:
  explicit DistinctRows(std::size_t rows)
      : slots_(PageArray<std::uint32_t>::zeros(std::bit_ceil(2 * rows))) {}
  // The first row for which `same` holds, of those with this hash; else `row`, which is kept.
  template <class Same>
  std::size_t first(std::uint64_t hash, std::size_t row, Same&& same) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    for (Detour<64> detour(hash); slots_[at] != 0; at = (detour() ? detour.hash() : at + 1) & mask)
      if (same(slots_[at] - 1)) return slots_[at] - 1;
    slots_[at] = static_cast<std::uint32_t>(row) + 1;
    return row;
  }

 private:
  PageArray<std::uint32_t> slots_;
};

// What the rows of a block take if no two are equal, or more than `most`.
template <class Real>
std::size_t sparse_size(std::span<const Real> block, Id width, std::size_t most) {
  const RowShape shape(width);
  std::size_t size = shape.reach(sizeof(Real));
  for (std::size_t at = 0; at + shape.stride <= block.size() && size <= most; at += shape.stride) {
    std::size_t count = 0;
    for (std::size_t y = 0; y < shape.width; ++y) count += block[at + y] != 0;
    size += sizeof(std::uint32_t) +
            (shape.full(count) ? shape.stride * sizeof(Real) : shape.size(count, sizeof(Real)));
  }
  return size;
}

}  // namespace detail

// The sparse rows of a block (rows, padded(width)), or nothing if they would take more than `most`
// bytes even if no two were equal.
template <class Real>
std::optional<SparseRows<Real>> sparse_rows(std::span<const Real> block, Id width,
                                            std::size_t most) {
  const RowShape shape(width);
  if (width < 2 || block.empty() || block.size() % shape.stride != 0)
    throw std::invalid_argument("the weights do not fit the number of labels");
  most = std::min<std::size_t>(most, std::numeric_limits<std::uint32_t>::max());
  if (detail::sparse_size(block, width, most) > most) return std::nullopt;
  const std::size_t count = block.size() / shape.stride, row_bytes = shape.stride * sizeof(Real);
  SparseRows<Real> made;
  std::vector<bool> is_full(count);
  made.places.resize(count);
  detail::DistinctRows known(count);
  detail::RowWriter<Real> writer(width);
  for (std::size_t r = 0; r < count; ++r) {
    const Real* const w = block.data() + r * shape.stride;
    is_full[r] = writer.read(w);
    const std::string_view bytes =
        is_full[r] ? std::string_view(reinterpret_cast<const char*>(w), row_bytes) : writer.bytes();
    const std::size_t first = known.first(hash_bytes(bytes), r, [&](std::size_t other) {
      if (is_full[other] != is_full[r]) return false;
      const void* const there = is_full[r]
                                    ? static_cast<const void*>(block.data() + other * shape.stride)
                                    : made.rows.data() + made.places[other];
      // A shorter row may be the last; but then its count, the first byte, is another.
      return (is_full[r] || made.places[other] + bytes.size() <= made.rows.size()) &&
             std::memcmp(there, bytes.data(), bytes.size()) == 0;
    });
    if (first != r) {
      made.places[r] = made.places[first];
    } else if (is_full[r]) {
      made.places[r] = static_cast<std::uint32_t>(made.full.size() / shape.stride);
      made.full.insert(made.full.end(), w, w + shape.stride);
    } else {
      made.places[r] = static_cast<std::uint32_t>(made.rows.size());
      made.rows.append({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    }
  }
  const auto full_rows = static_cast<std::uint32_t>(made.full.size() / shape.stride);
  for (std::size_t r = 0; r < count; ++r)
    if (!is_full[r]) made.places[r] += full_rows;
  made.rows.resize(made.rows.size() + shape.reach(sizeof(Real)), 0);
  made.rows.shrink(made.rows.size());
  return made;
}

}  // namespace linnet
