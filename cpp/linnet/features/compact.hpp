// A private copy of sparse rows for learners that pass over them many times: entries of float32,
// whatever the type they came in, with the constant feature (row 0) an entry like any other. The
// copy costs about what one pass saves by it. (Re-numbering features by frequency was measured too:
// it gains 10 % of a pass and costs one.)
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "linnet/base/large_pages.hpp"
#include "linnet/base/simd.hpp"
#include "linnet/features/entry.hpp"
#include "linnet/features/rows.hpp"

namespace linnet {

class CompactRows {
 public:
  explicit CompactRows(const Rows& rows)
      : rows_(rows),
        entries_(static_cast<std::size_t>(rows.nonzeros() + (rows.bias() != 0 ? rows.size() : 0))) {
    start_.reserve(static_cast<std::size_t>(rows.size()) + 1);
    start_.push_back(0);
  }

  std::size_t size() const { return start_.size() - 1; }
  Entries operator[](std::size_t slot) const {
    return {entries_.data() + start_[slot], entries_.data() + start_[slot + 1]};
  }
  void prefetch(std::size_t slot) const {
    const Entries x = (*this)[slot];
    for (std::size_t k = 0; k < x.size(); k += 64 / sizeof(Entry)) LINNET_PREFETCH_ROW(&x[k]);
  }

  // Appends sign · row i. Each row may be appended once.
  Entries append(Index i, float sign) {
    const Row row = rows_.row(i, buffer_);
    Entry* LINNET_RESTRICT end = entries_.data() + start_.back();
    if (rows_.bias() != 0) *end++ = {0, sign * rows_.bias()};
    for (Id k = 0; k < row.size; ++k) end[k] = {row.index[k] + 1, sign * row.value[k]};
    start_.push_back(static_cast<std::size_t>(end + row.size - entries_.data()));
    return (*this)[size() - 1];
  }

 private:
  const Rows& rows_;
  RowBuffer buffer_;
  LargeVector<Entry> entries_;
  std::vector<std::size_t> start_;
};

// ‖x‖², if no feature is repeated.
inline double sum_of_squares(Entries x) {
  double sum[4] = {0, 0, 0, 0};
  std::size_t k = 0;
  for (; k + 4 <= x.size(); k += 4)
    for (std::size_t j = 0; j < 4; ++j)
      sum[j] += static_cast<double>(x[k + j].value) * x[k + j].value;
  for (; k < x.size(); ++k) sum[0] += static_cast<double>(x[k].value) * x[k].value;
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
// ‖x‖² in any case: a row that repeats a feature means the sum of its values.
inline double squared_norm(Entries x) {
  std::vector<Entry> sorted(x.begin(), x.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Entry& a, const Entry& b) { return a.row < b.row; });
  double square = 0;
  for (std::size_t k = 0; k < sorted.size();) {
    double value = 0;
    for (const Id row = sorted[k].row; k < sorted.size() && sorted[k].row == row; ++k)
      value += static_cast<double>(sorted[k].value);
    square += value * value;
  }
  return square;
}

}  // namespace linnet
