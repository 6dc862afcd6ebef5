// Rows for learners that pass over them many times: each row is converted to (int32, float32) once,
// when it is first asked for, and whatever has these types already is read in place.
// (Re-numbering features by frequency was measured too: it gains 10 % of a pass and costs one.)
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "linnet/base/large_pages.hpp"
#include "linnet/base/simd.hpp"
#include "linnet/features/rows.hpp"

namespace linnet {

class NarrowRows {
 public:
  explicit NarrowRows(const Rows& rows)
      : rows_(rows), row_(static_cast<std::size_t>(rows.size())) {}

  // Row i, converted if this is the first call for it. The row stays valid.
  Row load(Index i) {
    Row& row = row_[static_cast<std::size_t>(i)];
    if (row.index != nullptr) return row;
    row = rows_.row(i, buffer_);
    if (row.size == 0) return row;
    if (row.index == buffer_.index.data()) row.index = keep(row.index, row.size, i, index_);
    if (row.value == buffer_.value.data()) row.value = keep(row.value, row.size, i, value_);
    return row;
  }
  // A row that was loaded before.
  const Row& operator[](Index i) const { return row_[static_cast<std::size_t>(i)]; }

  // Row i will be read soon, but not next.
  void prefetch(Index i) const {
    const Row& row = (*this)[i];
    for (Id k = 0; k < row.size; k += 16) {
      LINNET_PREFETCH_ROW(row.index + k);
      LINNET_PREFETCH_ROW(row.value + k);
    }
  }

 private:
  template <class T>
  const T* keep(const T* from, Id size, Index i, LargeVector<T>& all) {
    if (all.empty()) all.resize(static_cast<std::size_t>(rows_.nonzeros()));
    T* const to = all.data() + rows_.start(i);
    std::copy_n(from, size, to);
    return to;
  }

  const Rows& rows_;
  RowBuffer buffer_;
  LargeVector<Id> index_;  // empty if read in place
  LargeVector<float> value_;
  std::vector<Row> row_;
};

// ‖x‖², if no feature is repeated.
inline double sum_of_squares(const Row& x) {
  double sum[4] = {0, 0, 0, 0};
  Id k = 0;
  for (; k + 4 <= x.size; k += 4)
    for (int j = 0; j < 4; ++j) sum[j] += static_cast<double>(x.value[k + j]) * x.value[k + j];
  for (; k < x.size; ++k) sum[0] += static_cast<double>(x.value[k]) * x.value[k];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
// ‖x‖² in any case: a row that repeats a feature means the sum of its values.
inline double squared_norm(const Row& x) {
  std::vector<std::pair<Id, double>> sorted;
  for (Id k = 0; k < x.size; ++k) sorted.emplace_back(x.index[k], x.value[k]);
  std::sort(sorted.begin(), sorted.end());
  double square = 0;
  for (std::size_t k = 0; k < sorted.size();) {
    double value = 0;
    for (const Id f = sorted[k].first; k < sorted.size() && sorted[k].first == f; ++k)
      value += sorted[k].second;
    square += value * value;
  }
  return square;
}

}  // namespace linnet
