// The numbers of a text model, read where they lie (a file mapped into memory, as a rule): one
// value v for each feature (1, idf, log-count ratio) and the weights, both float32 or packed, or
// weights in sparse rows. Sizes are checked here once; ids are checked by the numbering that hands
// them out.
//
//   scores[y] = Σ_j x_j W[j][y]  and  Σ|x_j|, Σx_j²,   x_j = transform(v_j t_j)
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "linnet/base/lanes.hpp"
#include "linnet/base/types.hpp"
#include "linnet/decoding/packed_weights.hpp"
#include "linnet/decoding/sparse_weights.hpp"
#include "linnet/text/weighting.hpp"

namespace linnet {

// A feature of a document: its number and t(count), its value x once that is known.
struct Hit {
  Id id;
  float x;
};

// Σ|x| and Σx², one of which is the norm.
struct Sums {
  double absolute = 0;
  double square = 0;
};

// The norm of a row, 1 for a row of zeros: it stays one.
inline double norm_of(const Sums& sums, Norm norm) {
  const double size = norm == Norm::l1   ? sums.absolute
                      : norm == Norm::l2 ? std::sqrt(sums.square)
                                         : 1.;
  return size > 0 ? size : 1.;
}

struct ValueTable {  // at most one of the two
  std::span<const float> exact;
  std::span<const std::int8_t> packed;
  float scale = 1;  // of the packed values

  bool unit() const { return exact.empty() && packed.empty(); }
};

struct WeightTable {
  std::span<const float> exact{};         // (features + 1, padded(width)), row 0 the intercept
  std::span<const std::uint8_t> codes{};  // (features, width), packed to `bits`
  std::span<const float> scales{};        // [width]
  std::span<const float> intercept{};     // [width], beside codes
  int bits = 32;
  const SparseWeights<float>* rows = nullptr;  // in place of all others
};

namespace detail {

LINNET_INLINE float transformed(float x, Transform transform) {
  switch (transform) {
    case Transform::absolute:
      return std::fabs(x);
    case Transform::square:
      return x * x;
    default:
      return x;
  }
}

// Two sums each hide the latency of an addition.
template <class Entry>
double score_one(std::span<const Hit> hits, Transform transform, Sums& sums, Entry entry) {
  double score[2] = {}, absolute[2] = {}, square[2] = {};
  for (std::size_t k = 0; k < hits.size(); ++k) {
    const auto [value, weight] = entry(hits[k].id);
    const double x = transformed(value * hits[k].x, transform);
    score[k & 1] += x * weight;
    absolute[k & 1] += std::fabs(x);
    square[k & 1] += x * x;
  }
  sums = {absolute[0] + absolute[1], square[0] + square[1]};
  return score[0] + score[1];
}

template <class Value>
void evaluate(std::span<Hit> hits, Transform transform, Sums& sums, Value value) {
  for (Hit& hit : hits) {
    hit.x = transformed(value(hit.id) * hit.x, transform);
    const double x = hit.x;
    sums.absolute += std::fabs(x);
    sums.square += x * x;
  }
}

// Four vectors of labels stay in registers while the rows go by.
LINNET_CLONES inline void add_rows(std::span<const Hit> hits, const float* LINNET_RESTRICT w,
                                   Id stride, float* LINNET_RESTRICT sum) {
  constexpr Id kBlock = 32;
  Id y = 0;
  for (; y + kBlock <= stride; y += kBlock) {
    Lanes a = all_lanes(0), b = a, c = a, d = a;
    for (const Hit hit : hits) {
      const float* row = w + static_cast<Index>(hit.id) * stride + y;
      const Lanes x = all_lanes(hit.x);
      a = a + x * load_lanes(row);
      b = b + x * load_lanes(row + 8);
      c = c + x * load_lanes(row + 16);
      d = d + x * load_lanes(row + 24);
    }
    store_lanes(sum + y, a);
    store_lanes(sum + y + 8, b);
    store_lanes(sum + y + 16, c);
    store_lanes(sum + y + 24, d);
  }
  for (; y + 8 <= stride; y += 8) {
    Lanes a = all_lanes(0);
    for (const Hit hit : hits)
      a = a + all_lanes(hit.x) * load_lanes(w + static_cast<Index>(hit.id) * stride + y);
    store_lanes(sum + y, a);
  }
  if (y == stride) return;
  for (Id z = y; z < stride; ++z) sum[z] = 0;  // two to four labels
  for (const Hit hit : hits)
    for (Id z = y; z < stride; ++z) sum[z] += hit.x * w[static_cast<Index>(hit.id) * stride + z];
}

LINNET_CLONES inline void add_rows(std::span<const Hit> hits, const SparseWeights<float>& w,
                                   float* sum) {
  w.add(
      hits.size(), [&](std::size_t k) { return w.place(hits[k].id + Index{1}); },
      [&](std::size_t k) { return hits[k].x; }, sum);
}

LINNET_CLONES inline void add_bytes(std::span<const Hit> hits, const std::uint8_t* codes, Id width,
                                    float* LINNET_RESTRICT sum) {
  for (const Hit hit : hits) {
    const auto* row =
        reinterpret_cast<const std::int8_t*>(codes) + static_cast<Index>(hit.id) * width;
    for (Id y = 0; y < width; ++y) sum[y] += hit.x * static_cast<float>(row[y]);
  }
}

}  // namespace detail

class ModelTables {
 public:
  ModelTables(Index features, Id width, const ValueTable& values, const WeightTable& weights,
              float bias)
      : features_(features), width_(width), values_(values), weights_(weights), bias_(bias) {
    if (features < 0 || features > std::numeric_limits<Id>::max() - 8)
      throw std::invalid_argument("the number of features is negative or too large");
    if (width < 1) throw std::invalid_argument("a model scores at least one label");
    const auto n = static_cast<std::size_t>(features);
    if ((!values.exact.empty() && values.exact.size() < n) ||
        (!values.packed.empty() && values.packed.size() < n))
      throw std::invalid_argument("there are fewer values than features");
    if (weights.rows != nullptr) {
      if (weights.rows->width() != width || weights.rows->features() < features)
        throw std::invalid_argument("the sparse weights do not fit the features and labels");
      constant_.resize(weights.rows->room());
      weights.rows->expand(0, constant_.data());
      weights_.exact = constant_;
    } else if (packed()) {
      check_bits(weights.bits);
      if (static_cast<Index>(weights.scales.size()) != width ||
          static_cast<Index>(weights.intercept.size()) != width ||
          features > std::numeric_limits<Index>::max() / width ||
          static_cast<Index>(weights.codes.size()) < packed_bytes(features * width, weights.bits))
        throw std::invalid_argument("the packed weights do not fit the features and labels");
    } else if (static_cast<Index>(weights.exact.size()) / padded(width) < features + 1) {
      throw std::invalid_argument("the weights do not fit the features and labels");
    }
    if (weights.bits == 4) widen();
    pair_up();
  }
  ModelTables(const ModelTables&) = delete;  // codes may look into bytes_, row 0 into constant_
  ModelTables& operator=(const ModelTables&) = delete;

  Index features() const { return features_; }
  Id width() const { return width_; }
  bool packed() const { return weights_.bits != 32; }

  LINNET_INLINE void prefetch(Id id) const {
    if (!pairs_.empty()) return LINNET_PREFETCH(&pairs_[id]);
    if (!small_pairs_.empty()) return LINNET_PREFETCH(&small_pairs_[id]);
    if (!values_.exact.empty()) LINNET_PREFETCH(&values_.exact[id]);
    if (!values_.packed.empty()) LINNET_PREFETCH(&values_.packed[id]);
    if (packed()) {
      const std::uint8_t* row = weights_.codes.data() + static_cast<Index>(id) * width_;
      LINNET_PREFETCH(row);
      return LINNET_PREFETCH(row + width_ - 1);
    }
    if (weights_.rows != nullptr) return weights_.rows->prefetch(static_cast<Index>(id) + 1);
    const Id stride = padded(width_);
    const float* row = weights_.exact.data() + (static_cast<Index>(id) + 1) * stride;
    for (Id y = 0; y < stride; y += 16) LINNET_PREFETCH_ROW(row + y);
  }

  // out[0..width) = Σ x W of the features alone, before norm and intercept. The x of each hit holds
  // t(count) when this is called. `room` is where sums are made.
  void score(std::span<Hit> hits, Transform transform, std::vector<float>& room, double* out,
             Sums& sums) const {
    if (width_ == 1) {
      *out = score_width_one(hits, transform, sums) * scale(0);
      return;
    }
    evaluate(hits, transform, sums);
    room.assign(static_cast<std::size_t>(width_ + 7) / 8 * 8, 0.f);
    float* sum = room.data();
    if (weights_.rows != nullptr)
      detail::add_rows(hits, *weights_.rows, sum);
    else if (packed())
      detail::add_bytes(hits, weights_.codes.data(), width_, sum);
    else
      detail::add_rows(hits, weights_.exact.data() + padded(width_), padded(width_), sum);
    for (Id y = 0; y < width_; ++y) out[y] = static_cast<double>(sum[y]) * scale(y);
  }

  double intercept(Id y) const {  // never −0, which sparse rows do not have
    return packed() ? static_cast<double>(weights_.intercept[y])
                    : static_cast<double>(bias_) * static_cast<double>(weights_.exact[y]) + 0.;
  }

 private:
  template <class T>
  struct Pair {
    T value, weight;
  };

  // Square levels fit a byte: while in use, 4-bit weights are 8-bit ones of the same scale.
  void widen() {
    bytes_.resize(static_cast<std::size_t>(features_ * width_));
    for (std::size_t e = 0; e < bytes_.size(); ++e)
      bytes_[e] =
          static_cast<std::uint8_t>(nibble_at(weights_.codes.data(), static_cast<Index>(e)));
    weights_.codes = bytes_;
    weights_.bits = 8;
  }

  // A value and a weight side by side are one visit to memory instead of two. The copy is small
  // and quick (4 million features: 32 MB, some milliseconds); larger models do without.
  void pair_up() {
    constexpr Index kMost = Index{1} << 22;
    if (width_ != 1 || values_.unit() || features_ > kMost) return;
    const auto n = static_cast<std::size_t>(features_);
    if (packed() && !values_.packed.empty()) {
      small_pairs_.resize(n);
      for (std::size_t f = 0; f < n; ++f)
        small_pairs_[f] = {values_.packed[f], static_cast<std::int8_t>(weights_.codes[f])};
    } else if (!packed() && !values_.exact.empty()) {
      pairs_.resize(n);
      for (std::size_t f = 0; f < n; ++f) pairs_[f] = {values_.exact[f], weights_.exact[f + 1]};
    }
  }

  double scale(Id y) const { return packed() ? static_cast<double>(weights_.scales[y]) : 1.; }
  float packed_value(Id id) const { return values_.scale * static_cast<float>(values_.packed[id]); }

  // Without the scale of packed weights.
  double score_width_one(std::span<const Hit> hits, Transform transform, Sums& sums) const {
    const auto run = [&](auto entry) { return detail::score_one(hits, transform, sums, entry); };
    if (!pairs_.empty()) return run([&](Id id) { return pairs_[id]; });
    if (!small_pairs_.empty())
      return run([&](Id id) {
        const Pair<std::int8_t> p = small_pairs_[id];
        return Pair<float>{values_.scale * static_cast<float>(p.value),
                           static_cast<float>(p.weight)};
      });
    if (packed())
      return run([&](Id id) {
        return Pair<float>{value(id),
                           static_cast<float>(static_cast<std::int8_t>(weights_.codes[id]))};
      });
    const float* w = weights_.exact.data() + 1;
    if (values_.unit()) return run([w](Id id) { return Pair<float>{1.f, w[id]}; });
    return run([&](Id id) { return Pair<float>{value(id), w[id]}; });
  }
  float value(Id id) const {
    if (!values_.exact.empty()) return values_.exact[id];
    return values_.packed.empty() ? 1.f : packed_value(id);
  }

  void evaluate(std::span<Hit> hits, Transform transform, Sums& sums) const {
    const auto run = [&](auto value) { detail::evaluate(hits, transform, sums, value); };
    if (values_.unit()) return run([](Id) { return 1.f; });
    if (!values_.exact.empty()) return run([&](Id id) { return values_.exact[id]; });
    run([&](Id id) { return packed_value(id); });
  }

  Index features_;
  Id width_;
  ValueTable values_;
  WeightTable weights_;
  float bias_;
  std::vector<std::uint8_t> bytes_;
  std::vector<float> constant_;  // row 0 of sparse weights
  std::vector<Pair<float>> pairs_;
  std::vector<Pair<std::int8_t>> small_pairs_;
};

}  // namespace linnet
