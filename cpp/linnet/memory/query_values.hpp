// Exact products of one query with one row after the other.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "linnet/base/types.hpp"

namespace linnet::memory {

// The query's values by column, in a table that stays in the first-level cache; and before it one
// of bytes, which passes what the query may have: most columns of a row it has not.
class QueryValues {
 public:
  void assign(std::span<const Id> column, std::span<const float> value) {
    const std::size_t size = std::bit_ceil(std::max<std::size_t>(16, 4 * column.size()));
    table_.assign(size, {-1, 0.f});
    may_have_.assign(4 * size, 0);
    for (std::size_t i = 0; i < column.size(); ++i) {
      table_[place(column[i])] = {column[i], value[i]};
      may_have_[hash(column[i]) & (may_have_.size() - 1)] = 1;
    }
  }

  // Σ query value over the columns that both have, in the order of the row.
  double product(std::span<const Id> column, std::span<const float> value) {
    if (passed_.size() < column.size()) passed_.resize(column.size());
    const std::uint8_t* may_have = may_have_.data();
    const std::size_t last = may_have_.size() - 1;
    std::size_t count = 0;
    for (std::size_t i = 0; i < column.size(); ++i) {
      passed_[count] = static_cast<std::uint32_t>(i);  // which the next overwrites if it did not
      count += may_have[hash(column[i]) & last];
    }
    double sum = 0;
    for (std::size_t n = 0; n < count; ++n) {
      const std::size_t i = passed_[n];
      const Entry& entry = table_[place(column[i])];  // 0 if it is empty
      sum += static_cast<double>(entry.value) * static_cast<double>(value[i]);
    }
    return sum;
  }

 private:
  struct Entry {
    Id column;
    float value;
  };
  static std::uint32_t hash(Id column) {
    return static_cast<std::uint32_t>(column) * 0x9E3779B1u >> 7;
  }
  // Of the column, or of the empty entry where it would be.
  std::size_t place(Id column) const {
    const std::size_t last = table_.size() - 1;
    std::size_t at = hash(column) & last;
    while (table_[at].column != column && table_[at].column >= 0) at = (at + 1) & last;
    return at;
  }

  std::vector<Entry> table_;
  std::vector<std::uint8_t> may_have_;
  std::vector<std::uint32_t> passed_;
};

}  // namespace linnet::memory
