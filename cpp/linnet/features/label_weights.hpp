// Weights of few labels per feature: sparse rows of (label, weight), read where they lie, be it in
// a mapped file. Row 0 is the constant feature, row f + 1 feature f. Labels ascend within a row, so
// that a row of as many as there are holds all of them: it is added as a vector.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/page_array.hpp"
#include "linnet/base/simd.hpp"
#include "linnet/base/types.hpp"

namespace linnet {

// Sparse rows of a few tokens, one after the other: token t is entries [starts[t], starts[t + 1]).
// Beyond those there are more, up to `end`, whose weights are worth fetching.
struct EntryRows {
  const Index* starts;
  const Id* ids;
  const float* values;
  Index end;
};

// Such rows in the making, label by label and row by row. Weights smaller than `smallest`, and
// zeros, are left out; but rows with many labels get all of them, for speed.
class LabelRows {
 public:
  LabelRows(Id width, float smallest) : smallest_(smallest), row_(static_cast<std::size_t>(width)) {
    starts.push_back(0);
  }
  void put(Id label, float weight) {
    if (weight == 0 || std::abs(weight) < smallest_) return;
    row_[label] = weight;
    ++filled_;
  }
  void close() {
    if (filled_ > 0) {
      const Id width = static_cast<Id>(row_.size());
      const bool all = filled_ * kFull >= width;
      for (Id y = 0; y < width; ++y)
        if (all || row_[y] != 0) {
          labels.push_back(y);
          weights.push_back(row_[y]);
        }
      std::fill(row_.begin(), row_.end(), 0.f);
      filled_ = 0;
    }
    starts.push_back(static_cast<Index>(labels.size()));
  }

  PageArray<Index> starts;
  PageArray<Id> labels;
  PageArray<float> weights;

 private:
  static constexpr Id kFull = 3;  // a row with one in so many labels is as fast with all of them
  float smallest_;
  std::vector<float> row_;  // by label
  Id filled_ = 0;
};

class LabelWeights {
 public:
  LabelWeights() = default;
  // The pairs of row r are [starts[r], starts[r + 1]). Weights are `reals`, or with `scales`, one
  // for each label, codes times these.
  LabelWeights(Id width, std::span<const Index> starts, std::span<const Id> labels,
               std::span<const float> reals, std::span<const std::int8_t> codes,
               std::span<const float> scales)
      : width_(width),
        starts_(starts),
        labels_(labels),
        reals_(reals),
        codes_(codes),
        scales_(scales) {
    const auto size = static_cast<Index>(labels.size());
    if (starts.size() < 2 || starts.front() != 0 || starts.back() != size)
      throw std::invalid_argument("the rows of weights must run from 0 to the number of weights");
    bool falls = false, outside = false;
    for (std::size_t r = 1; r < starts.size(); ++r) falls |= starts[r] < starts[r - 1];
    for (Id y : labels) outside |= y < 0 || y >= width;
    if (falls) throw std::invalid_argument("the rows of weights overlap");
    if (outside) throw std::invalid_argument("a weight is of a label that is not there");
    for (std::size_t r = 1; r < starts.size(); ++r)
      for (Index p = starts[r - 1] + 1; p < starts[r]; ++p) falls |= labels[p] <= labels[p - 1];
    if (falls) throw std::invalid_argument("the labels of a row of weights do not ascend");
    if (packed() ? std::ssize(codes) != size || std::ssize(scales) != width
                 : std::ssize(reals) != size)
      throw std::invalid_argument("there must be one weight for each pair of feature and label");
    check_weights(reals);
    check_weights(scales);
  }
  // A weight of -inf is the log of no counts: it rules a label out.
  static void check_weights(std::span<const float> weights) {
    for (float w : weights)
      if (!(w < kInf)) throw std::invalid_argument("a weight is not a number, or infinite");
  }

  Id width() const { return width_; }
  bool empty() const { return starts_.empty(); }
  Index features() const { return static_cast<Index>(starts_.size()) - 2; }

  // theta[t][y] = bias W[0, y] + Σ_f x_tf W[f + 1, y] for tokens [first, last) of x, in rows of
  // `stride`, the padding -inf.
  void score(const EntryRows& x, Index first, Index last, float bias, Id stride,
             double* theta) const {
    const auto by = packed() ? score_codes : score_reals;
    Steps steps;
    for (constexpr Index kTogether = 1024; first < last; first += kTogether) {
      const Index end = std::min(first + kTogether, last);
      by(*this, x, first, end, bias, stride, theta);
      theta += (end - first) * stride;
      steps(8 * (x.starts[end] - x.starts[first]) + (end - first) * stride);
    }
  }

 private:
  bool packed() const { return !scales_.empty(); }

  LINNET_CLONES static void score_reals(const LabelWeights& w, const EntryRows& x, Index first,
                                        Index last, float bias, Id stride, double* theta) {
    w.score_by(x, first, last, bias, stride, theta, w.reals_.data(),
               [](float real, Id) { return real; });
  }
  LINNET_CLONES static void score_codes(const LabelWeights& w, const EntryRows& x, Index first,
                                        Index last, float bias, Id stride, double* theta) {
    const float* const scales = w.scales_.data();
    w.score_by(x, first, last, bias, stride, theta, w.codes_.data(),
               [=](std::int8_t code, Id y) { return scales[y] * static_cast<float>(code); });
  }

  // theta += value times row r.
  template <class Stored, class Weight>
  LINNET_INLINE void add_row(Index r, double value, const Stored* stored, Weight&& weight,
                             double* LINNET_RESTRICT theta) const {
    const Index begin = starts_[r], end = starts_[r + 1];
    const Stored* LINNET_RESTRICT const from = stored + begin;
    if (end - begin == width_) {
      for (Id y = 0; y < width_; ++y) theta[y] += value * static_cast<double>(weight(from[y], y));
    } else {
      const Id* const labels = labels_.data() + begin;
      for (Index p = 0; p < end - begin; ++p)
        theta[labels[p]] += value * static_cast<double>(weight(from[p], labels[p]));
    }
  }

  template <class Stored, class Weight>
  LINNET_INLINE void score_by(const EntryRows& x, Index first, Index last, float bias, Id stride,
                              double* theta, const Stored* stored, Weight&& weight) const {
    constexpr Index kRows = 24, kPairs = 12;  // how far ahead memory is asked for
    for (Index t = first; t < last; ++t, theta += stride) {
      for (Id y = 0; y < stride; ++y) theta[y] = y < width_ ? 0 : -kInf;
      if (bias != 0) add_row(0, static_cast<double>(bias), stored, weight, theta);
      for (Index k = x.starts[t]; k < x.starts[t + 1]; ++k) {
        if (k + kRows < x.end) LINNET_PREFETCH(&starts_[x.ids[k + kRows] + 1]);
        if (k + kPairs < x.end) {
          const Index p = starts_[x.ids[k + kPairs] + 1];
          LINNET_PREFETCH(labels_.data() + p);
          LINNET_PREFETCH(stored + p);
        }
        add_row(x.ids[k] + Index{1}, static_cast<double>(x.values[k]), stored, weight, theta);
      }
    }
  }

  Id width_ = 0;
  std::span<const Index> starts_{};
  std::span<const Id> labels_{};
  std::span<const float> reals_{};
  std::span<const std::int8_t> codes_{};
  std::span<const float> scales_{};
};

}  // namespace linnet
