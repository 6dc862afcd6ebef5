// The few types every room shares: ids, aligned buffers, the numbers reported by one pass.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

namespace linnet {

using Id = std::int32_t;     // a feature, label, part or node
using Index = std::int64_t;  // an instance, or a position in a packed array
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

// Rows of weights start on a cache line, so that one line serves as many labels as it can.
template <class T>
struct CacheAligned {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};
  CacheAligned() = default;
  template <class U>
  CacheAligned(const CacheAligned<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kLine)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, kLine); }
  template <class U>
  bool operator==(const CacheAligned<U>&) const {
    return true;
  }
};
template <class T>
using Buffer = std::vector<T, CacheAligned<T>>;

// What one pass of any learner reports; NaN where it was not computed.
struct EpochStats {
  double objective =
      kNaN;            // primal objective, at the weights after the pass when it is a batch learner
  double dual = kNaN;  // dual objective
  double gap = kNaN;   // objective - dual, never negative but for rounding
  double gradient_norm = kNaN;
  Index mistakes = 0;  // instances whose prediction, made before the update, was wrong
  Index updates = 0;   // instances that moved the weights
  bool converged = false;
  bool interrupted = false;
};

// Labels of one feature stand side by side, padded so that whole vectors can be loaded.
inline Id padded(Id width) {
  if (width < 0 || width > std::numeric_limits<Id>::max() - 8)
    throw std::invalid_argument("the number of labels is negative or above 2^31 - 9");
  if (width <= 2) return width;
  return width <= 4 ? 4 : (width + 7) / 8 * 8;
}

// More labels, wider rows: rows of `old_stride` become rows of `stride`, new columns hold `fill`.
template <class V>
void relayout(V& values, Index old_stride, Index stride, typename V::value_type fill) {
  const Index rows = static_cast<Index>(values.size()) / old_stride;
  V wider(static_cast<std::size_t>(rows * stride), fill);
  for (Index r = 0; r < rows; ++r)
    for (Index y = 0; y < old_stride; ++y) wider[r * stride + y] = values[r * old_stride + y];
  values = std::move(wider);
}

}  // namespace linnet
