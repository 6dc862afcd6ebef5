// Rows for learners that pass over them many times: int32 indices and float32 values, read where
// they lie if that is what they are, else converted once. Passes over sparse text are bound by the
// stream of memory, so half the bytes a value is worth one conversion.
//
// (Also measured on text: index and value side by side, which costs a pass and saves little once
// values are float32; features numbered by frequency, which gains a tenth of a pass and costs one.)
#pragma once
#include <algorithm>
#include <numeric>

#include "linnet/base/large_pages.hpp"
#include "linnet/base/simd.hpp"
#include "linnet/features/rows.hpp"

namespace linnet {

// One row over weights whose entry 0 belongs to the constant feature.
struct PackedRow {
  const Id* index;
  const float* value;
  Id size;
  float bias;

  template <class Weight>
  double dot(const Weight* weights) const {
    const Weight* const w = weights + 1;
    double sum[4] = {static_cast<double>(bias) * static_cast<double>(weights[0]), 0, 0, 0};
    Id k = 0;
    for (; k + 4 <= size; k += 4)
      for (Id j = 0; j < 4; ++j)
        sum[j] += static_cast<double>(value[k + j]) * static_cast<double>(w[index[k + j]]);
    for (; k < size; ++k)
      sum[0] += static_cast<double>(value[k]) * static_cast<double>(w[index[k]]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
  // weights += step x
  template <class Weight>
  void add(double step, Weight* weights) const {
    Weight* const w = weights + 1;
    const auto scale = static_cast<Weight>(step);
    weights[0] += scale * static_cast<Weight>(bias);
    for (Id k = 0; k < size; ++k) w[index[k]] += scale * static_cast<Weight>(value[k]);
  }
  double square() const {
    double sum[4] = {static_cast<double>(bias) * static_cast<double>(bias), 0, 0, 0};
    Id k = 0;
    for (; k + 4 <= size; k += 4)
      for (Id j = 0; j < 4; ++j)
        sum[j] += static_cast<double>(value[k + j]) * static_cast<double>(value[k + j]);
    for (; k < size; ++k) sum[0] += static_cast<double>(value[k]) * static_cast<double>(value[k]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
};

class PackedRows {
 public:
  explicit PackedRows(const Rows& rows) : rows_(rows) {
    const auto n = static_cast<std::size_t>(rows.nonzeros());
    switch (rows.index_type()) {
      case IndexType::i32:
        index_ = static_cast<const Id*>(rows.indices());
        break;
      case IndexType::i64:
        index_ = convert(static_cast<const std::int64_t*>(rows.indices()), n, own_index_);
        break;
      case IndexType::dense:  // every row has the same indices
        own_index_.resize(static_cast<std::size_t>(rows.features()));
        std::iota(own_index_.begin(), own_index_.end(), 0);
        index_ = own_index_.data();
        break;
    }
    value_ = rows.value_type() == ValueType::f32
                 ? static_cast<const float*>(rows.values())
                 : convert(static_cast<const double*>(rows.values()), n, own_value_);
  }
  PackedRows(const PackedRows&) = delete;

  Id features() const { return rows_.features(); }
  PackedRow operator[](Index i) const {
    const Index begin = rows_.start(i);
    return {index_of(begin), value_ + begin, static_cast<Id>(rows_.start(i + 1) - begin),
            rows_.bias()};
  }
  // Asks for row i to be on its way when the caller will read it soon, but not next.
  void prefetch(Index i) const {
    const Index begin = rows_.start(i), end = rows_.start(i + 1);
    constexpr Index kLine = 64 / sizeof(float);
    for (Index k = begin; k < end; k += kLine) {
      LINNET_PREFETCH_ROW(index_of(k));
      LINNET_PREFETCH_ROW(value_ + k);
    }
  }

 private:
  template <class From, class To>
  static const To* convert(const From* from, std::size_t n, LargeVector<To>& to) {
    to.resize(n);
    std::transform(from, from + n, to.begin(), [](From x) { return static_cast<To>(x); });
    return to.data();
  }
  const Id* index_of(Index k) const {
    return rows_.index_type() == IndexType::dense ? index_ : index_ + k;
  }

  const Rows& rows_;
  LargeVector<Id> own_index_;
  LargeVector<float> own_value_;
  const Id* index_;
  const float* value_;
};

}  // namespace linnet
