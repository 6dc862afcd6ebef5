// Rows for learners that pass over them many times: int32 indices and float32 values, read where
// they lie if that is what they are, else converted once. A pass over float32 values costs about
// three quarters of one over float64, so the conversion pays within a few passes.
//
// (Also measured on text: a copy with index and value side by side in the order of the visits,
// which cost more than it saved in the few passes a rough tolerance needs; features numbered by
// frequency, which gained a tenth of a pass and cost one.)
#pragma once
#include <algorithm>
#include <memory>
#include <numeric>

#include "linnet/base/gather.hpp"
#include "linnet/base/simd.hpp"
#include "linnet/features/rows.hpp"

namespace linnet {

// One row over weights whose entry 0 belongs to the constant feature.
struct PackedRow {
  const Id* index;
  const float* value;
  Id size;
  float bias;

  double dot(const float* w) const {
    return static_cast<double>(bias * w[0] + gather_dot(w + 1, index, value, size));
  }
  double dot(const double* w) const { return exact_dot(w); }
  // In double, whatever the weights are.
  template <class Weight>
  double exact_dot(const Weight* weights) const {
    const Weight* const w = weights + 1;
    double sum[4] = {static_cast<double>(bias) * static_cast<double>(weights[0]), 0, 0, 0};
    const auto product = [&](Id k) {
      return static_cast<double>(value[k]) * static_cast<double>(w[index[k]]);
    };
    Id k = 0;
    for (; k + 4 <= size; k += 4)
      for (Id j = 0; j < 4; ++j) sum[j] += product(k + j);
    for (; k < size; ++k) sum[0] += product(k);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
  // weights += step x
  template <class Weight>
  void add(double step, Weight* weights) const {
    Weight* LINNET_RESTRICT const w = weights + 1;
    const float* LINNET_RESTRICT const x = value;
    const auto scale = static_cast<Weight>(step);
    weights[0] += scale * static_cast<Weight>(bias);
    for (Id k = 0; k < size; ++k) w[index[k]] += scale * static_cast<Weight>(x[k]);
  }
  // ‖x‖² in the precision of Real.
  template <class Real>
  double square() const {
    Real sum[8] = {static_cast<Real>(bias) * static_cast<Real>(bias), 0, 0, 0, 0, 0, 0, 0};
    const auto add_square = [&](Id lane, Id k) {
      sum[lane] += static_cast<Real>(value[k]) * static_cast<Real>(value[k]);
    };
    Id k = 0;
    for (; k + 8 <= size; k += 8)
      for (Id j = 0; j < 8; ++j) add_square(j, k + j);
    for (; k < size; ++k) add_square(0, k);
    return static_cast<double>(detail::sum_of_eight(sum));
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
        own_index_ = std::make_unique<Id[]>(static_cast<std::size_t>(rows.features()));
        std::iota(own_index_.get(), own_index_.get() + rows.features(), 0);
        index_ = own_index_.get();
        break;
    }
    switch (rows.value_type()) {
      case ValueType::f32:
        value_ = static_cast<const float*>(rows.values());
        break;
      case ValueType::f64:
        value_ = convert(static_cast<const double*>(rows.values()), n, own_value_);
        break;
      case ValueType::ones:
        own_value_ = std::make_unique_for_overwrite<float[]>(n);
        std::fill_n(own_value_.get(), n, 1.f);
        value_ = own_value_.get();
        break;
    }
  }
  PackedRows(const PackedRows&) = delete;

  Id features() const { return rows_.features(); }
  float bias() const { return rows_.bias(); }
  PackedRow operator[](Index i) const {
    const Index begin = rows_.start(i);
    return {index_of(begin), value_ + begin, static_cast<Id>(rows_.start(i + 1) - begin),
            rows_.bias()};
  }
  // Asks for the start of a row that is read next; the processor sees the stream from there on.
  // (Inlined by force: compilers drop calls that do nothing but prefetch.)
  LINNET_INLINE void prefetch(Index i) const {
    const Index begin = rows_.start(i);
    for (Index k : {begin, begin + 16}) {
      LINNET_PREFETCH(index_of(k));
      LINNET_PREFETCH(value_ + k);
    }
  }

 private:
  template <class From, class To>
  static const To* convert(const From* from, std::size_t n, std::unique_ptr<To[]>& to) {
    to = std::make_unique_for_overwrite<To[]>(n);
    std::transform(from, from + n, to.get(), [](From x) { return static_cast<To>(x); });
    return to.get();
  }
  const Id* index_of(Index k) const {
    return rows_.index_type() == IndexType::dense ? index_ : index_ + k;
  }

  const Rows& rows_;
  std::unique_ptr<Id[]> own_index_;
  std::unique_ptr<float[]> own_value_;
  const Id* index_;
  const float* value_;
};

}  // namespace linnet
