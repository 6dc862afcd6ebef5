// Rows of weights, labels side by side, and their sums: as they are, or in a byte for each weight.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <stdexcept>
#include <vector>

#include "linnet/base/simd.hpp"
#include "linnet/base/types.hpp"

namespace linnet {

class FloatRows {
 public:
  // w: [features][stride], of the caller.
  FloatRows(const float* w, Id stride) : w_(w), stride_(stride) {}
  LINNET_INLINE void ask(Id row) const {
    const float* at = w_ + static_cast<Index>(row) * stride_;
    for (Id y = 0; y < stride_; y += 16) LINNET_PREFETCH_ROW(at + y);
  }
  // out[y] = begin[y] + end[y] + Σ of rows; both or none may be null.
  void add(std::span<const Id> rows, const float* begin, const float* end, float* out) const {
    add(w_, rows.data(), std::ssize(rows), stride_, begin, end, out);
  }

 private:
  // Some labels of all rows at a time, whose sums stay in registers.
  LINNET_CLONES static void add(const float* w, const Id* rows, Index count, Id stride,
                                const float* begin, const float* end, float* out) {
    Id y = 0;
    for (; y + kWide <= stride; y += kWide)
      add_labels<kWide>(w + y, rows, count, stride, begin ? begin + y : nullptr,
                        begin ? end + y : nullptr, out + y);
    for (; y + kNarrow <= stride; y += kNarrow)
      add_labels<kNarrow>(w + y, rows, count, stride, begin ? begin + y : nullptr,
                          begin ? end + y : nullptr, out + y);
    for (; y < stride; ++y)
      add_labels<1>(w + y, rows, count, stride, begin ? begin + y : nullptr,
                    begin ? end + y : nullptr, out + y);
  }
  template <int N>
  LINNET_INLINE static void add_labels(const float* w, const Id* rows, Index count, Id stride,
                                       const float* begin, const float* end, float* out) {
    float sum[N];
    for (int y = 0; y < N; ++y) sum[y] = begin ? begin[y] + end[y] : 0.f;
    for (Index k = 0; k < count; ++k) {
      const float* row = w + static_cast<Index>(rows[k]) * stride;
      for (int y = 0; y < N; ++y) sum[y] += row[y];
    }
    for (int y = 0; y < N; ++y) out[y] = sum[y];
  }
  static constexpr int kWide = 32, kNarrow = 8;

  const float* w_;
  Id stride_;
};

// A quarter of the memory: the labels of a feature are one cache line, or a few. A weight is a
// whole number of steps, 127 of which are the greatest weight of its label; sums of them are exact.
class ByteRows {
 public:
  // w: [features][stride], finite; it may go afterwards.
  ByteRows(std::span<const float> w, Id stride)
      : stride_(stride), bytes_((stride + kWide - 1) / kWide * kWide) {
    const auto width = static_cast<std::size_t>(stride);
    if (stride < 1 || w.size() % width != 0)
      throw std::invalid_argument("there must be a weight for each label and feature");
    const auto features = static_cast<Index>(w.size() / width);
    step_.assign(static_cast<std::size_t>(bytes_), 0.f);
    greatest(w.data(), features, stride, step_.data());
    std::vector<float> steps(width);  // to a unit
    for (std::size_t y = 0; y < width; ++y) {
      step_[y] /= kMost;
      steps[y] = step_[y] > 0 ? 1 / step_[y] : 0;
    }
    rows_.resize(static_cast<std::size_t>(features * bytes_));
    for (Index f = 0; f < features; ++f)
      round(w.data() + f * stride, steps.data(), stride, rows_.data() + f * bytes_);
  }
  Id stride() const { return stride_; }
  Index features() const { return std::ssize(rows_) / bytes_; }
  // What a weight was rounded to.
  float weight(Index feature, Id label) const {
    return step_[static_cast<std::size_t>(label)] *
           static_cast<float>(rows_[static_cast<std::size_t>(feature * bytes_ + label)]);
  }
  LINNET_INLINE void ask(Id row) const {
    const std::int8_t* at = rows_.data() + static_cast<Index>(row) * bytes_;
    for (Id y = 0; y < bytes_; y += kWide) LINNET_PREFETCH(at + y);
  }
  void add(std::span<const Id> rows, const float* begin, const float* end, float* out) const {
    for (Id y = 0; y < stride_; y += kWide) {
      std::int32_t sum[kWide] = {};
      for (std::size_t first = 0; first < rows.size(); first += kFew) {
        const auto some = rows.subspan(first, std::min(kFew, rows.size() - first));
        add_bytes(rows_.data() + y, some.data(), std::ssize(some), bytes_, sum);
      }
      scale(sum, step_.data() + y, std::min<Id>(kWide, stride_ - y), begin ? begin + y : nullptr,
            begin ? end + y : nullptr, out + y);
    }
  }

 private:
  static constexpr Id kWide = 64;
  static constexpr std::size_t kFew = 256;  // sums of as many bytes keep within 16 bits
  static constexpr float kMost = 127;

  LINNET_CLONES static void greatest(const float* LINNET_RESTRICT w, Index features, Id stride,
                                     float* LINNET_RESTRICT most) {
    for (Index f = 0; f < features; ++f)
      for (Id y = 0; y < stride; ++y) {
        const float size = std::fabs(w[f * stride + y]);
        most[y] = size > most[y] ? size : most[y];
      }
  }
  LINNET_CLONES static void round(const float* LINNET_RESTRICT w,
                                  const float* LINNET_RESTRICT steps, Id stride,
                                  std::int8_t* LINNET_RESTRICT out) {
    constexpr float kRound = 12582912.f;  // 1.5 * 2^23: what is added to it becomes whole
    for (Id y = 0; y < stride; ++y)
      out[y] = static_cast<std::int8_t>((w[y] * steps[y] + kRound) - kRound);
  }
  LINNET_CLONES static void add_bytes(const std::int8_t* w, const Id* rows, Index count, Id bytes,
                                      std::int32_t* LINNET_RESTRICT out) {
#if defined(__GNUC__) || defined(__clang__)  // which leave a plain loop scalar
    using Shorts = std::int16_t __attribute__((vector_size(32)));
    using Bytes = std::int8_t __attribute__((vector_size(16)));
    Shorts lanes[4] = {};
    for (Index k = 0; k < count; ++k)
      for (int part = 0; part < 4; ++part) {
        Bytes some;
        std::memcpy(&some, w + static_cast<Index>(rows[k]) * bytes + 16 * part, sizeof some);
        lanes[part] += __builtin_convertvector(some, Shorts);
      }
    std::int16_t sum[kWide];
    std::memcpy(sum, lanes, sizeof sum);
#else
    std::int16_t sum[kWide] = {};
    for (Index k = 0; k < count; ++k)
      for (Id y = 0; y < kWide; ++y)
        sum[y] = static_cast<std::int16_t>(sum[y] + w[static_cast<Index>(rows[k]) * bytes + y]);
#endif
    for (Id y = 0; y < kWide; ++y) out[y] += sum[y];
  }
  LINNET_CLONES static void scale(const std::int32_t* sum, const float* step, Id labels,
                                  const float* begin, const float* end, float* out) {
    if (begin)
      for (Id y = 0; y < labels; ++y)
        out[y] = begin[y] + end[y] + static_cast<float>(sum[y]) * step[y];
    else
      for (Id y = 0; y < labels; ++y) out[y] = static_cast<float>(sum[y]) * step[y];
  }

  Id stride_, bytes_;  // weights of a feature, and bytes
  std::vector<float> step_;
  Buffer<std::int8_t> rows_;  // [features][bytes]
};

}  // namespace linnet
