// Weights of many labels, most of them zero: rows of (label, weight), read where they lie, be it in
// a mapped file. Row 0 is the constant feature, row f + 1 feature f.
//
// Features of the same texts have the same weights, so equal rows lie there once, and `places` says
// for each feature where. Rows that are nearly full are a block of full ones, [n][padded(width)],
// at places 0 … n − 1: common features have such rows, and are added as vectors. All others are
// bytes, at places n + where they begin:
//
//   count    how many weights are not zero, in 1, 2 or 4 bytes, as wide as labels are
//   which    their labels, ascending; or, where that is shorter, a bit for each label
//   weights  as many
//
// Sums are those of full rows, to the bit: the same products in the same order for each label, and
// a zero more or less changes no sum that began at +0.
//
// What a file holds is checked when it is loaded (sparse_check.hpp). Should it change afterwards,
// no row leaves the arrays and no label is out of range: behind the last place there is room for
// the longest row.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <type_traits>

#include "linnet/base/lanes.hpp"
#include "linnet/base/types.hpp"
#include "linnet/decoding/spread_lanes.hpp"
#include "linnet/features/rows.hpp"

namespace linnet {

// How rows of so many labels are written.
struct RowShape {
  explicit RowShape(Id labels)
      : width(static_cast<std::size_t>(labels)),
        stride(static_cast<std::size_t>(padded(labels))),
        label_bytes(width <= 0xff     ? 1
                    : width <= 0xffff ? 2
                                      : 4),
        mask_bytes((width + 7) / 8) {}

  // A full row is a little longer, and what is most often read had better be quick.
  bool full(std::size_t count) const { return 4 * count >= 3 * width; }
  bool listed(std::size_t count) const { return count * label_bytes <= mask_bytes; }
  // The bytes of a row that is not full.
  std::size_t size(std::size_t count, std::size_t weight) const {
    return label_bytes + (listed(count) ? count * label_bytes : mask_bytes) + count * weight;
  }
  // As far as such a row can be read, damaged ones and whole vectors of weights included.
  std::size_t reach(std::size_t weight) const {
    return label_bytes + mask_bytes + 8 * mask_bytes * weight + sizeof(Lanes);
  }

  std::size_t width, stride, label_bytes, mask_bytes;
};

template <class Real>
class SparseWeights {
 public:
  SparseWeights(Id width, std::span<const std::uint32_t> places, std::span<const Real> full,
                std::span<const std::uint8_t> rows)
      : shape_(width), places_(places), full_(full.data()), rows_(rows.data()) {
    constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
    const std::size_t reach = shape_.reach(sizeof(Real));
    if (width < 2) throw std::invalid_argument("sparse rows are of two labels or more");
    if (places.empty() || places.size() > static_cast<std::size_t>(std::numeric_limits<Id>::max()))
      throw std::invalid_argument("the number of sparse rows is zero or too large");
    if (full.size() % shape_.stride != 0 || full.size() / shape_.stride >= kMost ||
        rows.size() < reach)
      throw std::invalid_argument("the sparse rows are cut off");
    full_rows_ = static_cast<std::uint32_t>(full.size() / shape_.stride);
    last_ = static_cast<std::uint32_t>(std::min(full_rows_ + rows.size() - reach, kMost));
  }

  Id width() const { return static_cast<Id>(shape_.width); }
  Index features() const { return static_cast<Index>(places_.size()) - 1; }
  // How many sums `add` needs room for.
  std::size_t room() const { return 8 * shape_.mask_bytes; }

  LINNET_INLINE void prefetch(Index row) const { LINNET_PREFETCH(&places_[row]); }
  LINNET_INLINE std::uint32_t place(Index row) const { return std::min(places_[row], last_); }
  // What lies there, or the beginning of it. Which of the two it is cannot be foreseen: no branch.
  LINNET_INLINE void prefetch_at(std::uint32_t place) const {
    const auto full = reinterpret_cast<std::uintptr_t>(full_ + place * shape_.stride);
    const auto sparse = reinterpret_cast<std::uintptr_t>(rows_) + place - full_rows_;
    const std::uintptr_t is_full = -static_cast<std::uintptr_t>(place < full_rows_);
    const auto* const at = reinterpret_cast<const char*>((full & is_full) | (sparse & ~is_full));
    for (std::size_t b = 0; b < 256; b += 64) LINNET_PREFETCH_ROW(at + b);
  }

  // sum += Σ_k x(k) W[the row at place(k)], k < n, in this order; `sum` has `room`.
  template <class PlaceOf, class ValueOf>
  LINNET_INLINE void add(std::size_t n, PlaceOf&& place, ValueOf&& x, Real* sum) const {
    if (shape_.label_bytes == 1 && shape_.stride <= kNarrow && shape_.stride % kLanes == 0)
      add_narrow(n, place, x, sum);
    else if (shape_.label_bytes == 1)
      add_wide<std::uint8_t>(n, place, x, sum);
    else if (shape_.label_bytes == 2)
      add_wide<std::uint16_t>(n, place, x, sum);
    else
      add_wide<std::uint32_t>(n, place, x, sum);
  }

  // out[0..room) = W[row].
  void expand(Index row, Real* out) const {
    std::fill_n(out, room(), Real(0));
    const std::uint32_t at = place(row);
    if (at < full_rows_)
      std::copy_n(full_ + at * shape_.stride, shape_.stride, out);
    else if (shape_.label_bytes == 1)
      write<std::uint8_t>(rows_ + (at - full_rows_), out);
    else if (shape_.label_bytes == 2)
      write<std::uint16_t>(rows_ + (at - full_rows_), out);
    else
      write<std::uint32_t>(rows_ + (at - full_rows_), out);
  }

 private:
  static constexpr std::size_t kLanes = 32 / sizeof(Real);
  static constexpr std::size_t kNarrow = 16 * kLanes;  // labels that are worth writing out in full
  static constexpr std::size_t kChunk = 256, kWritten = 64;

  template <class T>
  LINNET_INLINE static T load(const std::uint8_t* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }

  // Few labels: sparse rows are written out, some at a time, so that sums stay in registers while
  // all rows go by. Which rows are sparse cannot be foreseen: a list of them, and no branch.
  template <class PlaceOf, class ValueOf>
  LINNET_INLINE void add_narrow(std::size_t n, PlaceOf&& place, ValueOf&& x, Real* sum) const {
    alignas(64) Real written[kWritten * kNarrow];
    const Real* rows[kChunk];
    const std::uint8_t* sparse[kWritten];
    std::uint32_t which[kWritten];
    for (std::size_t begin = 0, size; begin < n; begin += size) {
      std::size_t found = 0;
      for (size = 0; size < std::min(n - begin, kChunk) && found < kWritten; ++size) {
        const std::uint32_t at = place(begin + size);
        prefetch_at(at);
        rows[size] = full_ + at * shape_.stride;
        sparse[found] = rows_ + (at - full_rows_);
        which[found] = static_cast<std::uint32_t>(size);
        found += at >= full_rows_;
      }
      for (std::size_t j = 0; j < found; ++j) {
        Real* const row = written + j * shape_.stride;
        write_all(sparse[j], row);
        rows[which[j]] = row;
      }
      add_all(size, rows, [&](std::size_t k) { return x(begin + k); }, sum);
    }
  }

  template <class ValueOf>
  LINNET_INLINE void add_all(std::size_t n, const Real* const* rows, ValueOf&& x,
                             Real* LINNET_RESTRICT sum) const {
    std::size_t y = 0;
    for (; y + 4 * kLanes <= shape_.stride; y += 4 * kLanes) {
      auto a = load_lanes(sum + y), b = load_lanes(sum + y + kLanes),
           c = load_lanes(sum + y + 2 * kLanes), d = load_lanes(sum + y + 3 * kLanes);
      for (std::size_t k = 0; k < n; ++k) {
        if (skipped(x(k))) continue;
        const Real* const row = rows[k] + y;
        const auto value = everywhere(x(k));
        a = a + value * load_lanes(row);
        b = b + value * load_lanes(row + kLanes);
        c = c + value * load_lanes(row + 2 * kLanes);
        d = d + value * load_lanes(row + 3 * kLanes);
      }
      store_lanes(sum + y, a);
      store_lanes(sum + y + kLanes, b);
      store_lanes(sum + y + 2 * kLanes, c);
      store_lanes(sum + y + 3 * kLanes, d);
    }
    for (; y < shape_.stride; y += kLanes) {
      auto a = load_lanes(sum + y);
      for (std::size_t k = 0; k < n; ++k)
        if (!skipped(x(k))) a = a + everywhere(x(k)) * load_lanes(rows[k] + y);
      store_lanes(sum + y, a);
    }
  }
  // As of full blocks: in double precision there are weights of -inf, which a zero must not meet.
  LINNET_INLINE static bool skipped(Real x) { return std::is_same_v<Real, double> && x == 0; }

  // Many labels: most are not in a row, and are left alone.
  template <class Label, class PlaceOf, class ValueOf>
  LINNET_INLINE void add_wide(std::size_t n, PlaceOf&& place, ValueOf&& value, Real* sum) const {
    constexpr std::size_t kAhead = 12;
    for (std::size_t k = 0; k < n; ++k) {
      if (k + kAhead < n) prefetch_at(place(k + kAhead));
      const std::uint32_t at = place(k);
      const Real x = value(k);
      if (skipped(x)) continue;
      if (at >= full_rows_) {
        read<Label>(
            rows_ + (at - full_rows_),
            [&](std::size_t y, const auto& w) {
              store_lanes(sum + y, load_lanes(sum + y) + everywhere(x) * w);
            },
            [&](std::size_t y, Real w) { sum[y] += x * w; });
        continue;
      }
      const Real* const row = full_ + at * shape_.stride;
      for (std::size_t y = 0; y < shape_.stride; ++y) sum[y] += x * row[y];
    }
  }

  // out[0..stride) = a sparse row of narrow width.
  LINNET_INLINE void write_all(const std::uint8_t* row, Real* LINNET_RESTRICT out) const {
    if (!std::is_same_v<Real, float> || *row <= shape_.mask_bytes)  // not all will be written
      std::fill_n(out, shape_.stride, Real(0));
    write<std::uint8_t>(row, out);
  }
  // The weights of a sparse row to where they belong.
  template <class Label>
  LINNET_INLINE void write(const std::uint8_t* row, Real* LINNET_RESTRICT out) const {
    read<Label>(
        row, [&](std::size_t y, const auto& w) { store_lanes(out + y, w); },
        [&](std::size_t y, Real w) { out[y] = w; });
  }

  // The weights of a sparse row: several(y, w) for labels y … y + 7, or one(y, w).
  template <class Label, class Several, class One>
  LINNET_INLINE void read(const std::uint8_t* row, Several&& several, One&& one) const {
    const std::size_t count = load<Label>(row);
    const std::uint8_t* const which = row + sizeof(Label);
    if (count * sizeof(Label) <= shape_.mask_bytes) {
      const std::uint8_t* const weights = which + count * sizeof(Label);
      for (std::size_t k = 0; k < count; ++k)
        one(std::min<std::size_t>(load<Label>(which + k * sizeof(Label)), shape_.width - 1),
            load<Real>(weights + k * sizeof(Real)));
      return;
    }
    const std::uint8_t* weights = which + shape_.mask_bytes;
    for (std::size_t g = 0; g < shape_.mask_bytes; ++g) {
      const std::uint32_t bits = which[g];
      if constexpr (std::is_same_v<Real, float>) {
        several(8 * g, spread_lanes(load<Lanes>(weights), bits));
        weights += static_cast<std::size_t>(std::popcount(bits)) * sizeof(Real);
      } else {
        for (std::uint32_t left = bits; left != 0; left &= left - 1, weights += sizeof(Real))
          one(8 * g + static_cast<std::size_t>(std::countr_zero(left)), load<Real>(weights));
      }
    }
  }

  RowShape shape_;
  std::span<const std::uint32_t> places_;
  const Real* full_;
  const std::uint8_t* rows_;
  std::uint32_t full_rows_, last_;
};

namespace detail {

template <class Real>
LINNET_INLINE void add_features(const SparseWeights<Real>& w, Row row, Real* sum) {
  constexpr std::size_t kAhead = 24;
  const auto n = static_cast<std::size_t>(row.size);
  const auto number = [&](std::size_t k) { return row.index[k] + Index{1}; };
  const auto place = [&](std::size_t k) {
    if (k + kAhead < n) w.prefetch(number(k + kAhead));
    return w.place(number(k));
  };
  w.add(n, place, [&](std::size_t k) { return static_cast<Real>(row.value[k]); }, sum);
}

}  // namespace detail

// sum += Σ_k x_k W[f_k + 1] over the features of a row.
LINNET_CLONES inline void add_row(const SparseWeights<float>& w, Row row, float* sum) {
  detail::add_features(w, row, sum);
}
LINNET_CLONES inline void add_row(const SparseWeights<double>& w, Row row, double* sum) {
  detail::add_features(w, row, sum);
}

}  // namespace linnet
