// A copy of chosen features, column by column, for learners that move one weight at a time.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "linnet/base/simd.hpp"
#include "linnet/features/rows.hpp"

namespace linnet {

struct Entry {
  Id row;
  float value;
};
using Entries = std::span<const Entry>;

// The sum of term(entry) over a column, as four sums so that the processor need not wait for each.
template <class Term>
double sum(Entries column, Term term) {
  double a = 0, b = 0, c = 0, d = 0;
  const Entry *e = column.data(), *end = e + column.size();
  for (; end - e >= 4; e += 4) {
    a += term(e[0]);
    b += term(e[1]);
    c += term(e[2]);
    d += term(e[3]);
  }
  for (; e != end; ++e) a += term(*e);
  return (a + b) + (c + d);
}

class Columns {
 public:
  Columns() = default;

  // Entries are multiplied by sign[row]; zeros are left out. count[f] is the number of non-zero
  // entries of feature f, or 0 to leave it out. A constant feature of the rows is the first column.
  // No row may name a feature twice.
  Columns(const Rows& rows, std::span<const float> sign, std::span<const Id> count) {
    if (rows.nonzeros() + rows.size() >= kLeftOut)
      throw std::invalid_argument("more than 2^32 entries are too many to hold by columns");
    // Where the next entry of each feature goes; 32 bits keep more of them in the cache.
    std::vector<std::uint32_t> next(count.size(), kLeftOut);
    if (rows.bias() != 0) add(0, rows.size());
    for (std::size_t f = 0; f < count.size(); ++f)
      if (count[f] > 0) next[f] = static_cast<std::uint32_t>(add(static_cast<Id>(f) + 1, count[f]));
    entries_ = std::make_unique_for_overwrite<Entry[]>(static_cast<std::size_t>(begin_.back()));
    fill(rows, sign, next);
  }

  Id size() const { return static_cast<Id>(weight_row_.size()); }
  // The row of the weight block that belongs to a column: 0 for the constant feature, else f + 1.
  Id weight_row(Id column) const { return weight_row_[static_cast<std::size_t>(column)]; }
  Entries operator[](Id column) const {
    const Index* begin = begin_.data() + column;
    return {entries_.get() + begin[0], static_cast<std::size_t>(begin[1] - begin[0])};
  }

 private:
  static constexpr Id kAhead = 12;     // far enough to hide a trip to memory
  static constexpr Id kFarAhead = 40;  // and one more before it, for its address
  static constexpr std::uint32_t kLeftOut = std::numeric_limits<std::uint32_t>::max();

  Index add(Id weight_row, Index count) {
    const Index place = begin_.back();
    weight_row_.push_back(weight_row);
    begin_.push_back(place + count);
    return place;
  }
  void fill(const Rows& rows, std::span<const float> sign, std::span<std::uint32_t> next) {
    RowBuffer buffer;
    for (Index i = 0; i < rows.size(); ++i) {
      const Row row = rows.row(i, buffer);
      const Id id = static_cast<Id>(i);
      const float y = sign[static_cast<std::size_t>(i)];
      if (rows.bias() != 0) entries_[static_cast<std::size_t>(i)] = {id, y * rows.bias()};
      for (Id k = 0; k < row.size; ++k) {
        if (k + kFarAhead < row.size)
          LINNET_PREFETCH(&next[static_cast<std::size_t>(row.index[k + kFarAhead])]);
        if (k + kAhead < row.size) {
          const std::uint32_t soon = next[static_cast<std::size_t>(row.index[k + kAhead])];
          LINNET_PREFETCH(entries_.get() + (soon == kLeftOut ? 0 : soon));
        }
        std::uint32_t& place = next[static_cast<std::size_t>(row.index[k])];
        if (place != kLeftOut && row.value[k] != 0) entries_[place++] = {id, y * row.value[k]};
      }
    }
  }

  std::vector<Index> begin_{0};  // columns + 1
  std::vector<Id> weight_row_;   // columns
  std::unique_ptr<Entry[]> entries_;
};

}  // namespace linnet
