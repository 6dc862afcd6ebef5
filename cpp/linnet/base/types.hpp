// The few types every room shares: ids, aligned buffers, the numbers reported by one pass.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <span>
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
  bool paused = false;  // the pass is not at its end, and goes on when it is asked for again

  template <class Archive>
  void state(Archive& a) {
    a(objective, dual, gap, gradient_norm, mistakes, updates, converged, interrupted);
  }
};

// Labels of one feature stand side by side, padded so that whole vectors can be loaded.
inline Id padded(Id width) {
  if (width < 0 || width > std::numeric_limits<Id>::max() - 8)
    throw std::invalid_argument("the number of labels is negative or above 2^31 - 9");
  if (width <= 2) return width;
  return width <= 4 ? 4 : (width + 7) / 8 * 8;
}

// New features and labels move weights to other places. A segment of a block is `rows` rows: they
// stood from `from` on, `old_stride` apart, and will stand from `to` on, `stride` apart.
struct Segment {
  Index from, to, rows, old_stride, stride;
};
struct Remap {
  Index size;  // of the new block
  Id unit;     // what divides the strides of the new block
  std::span<const Segment> segments;

  void check(Index old_size) const {
    if (size < old_size || unit < 1) throw std::invalid_argument("weights can only become more");
    const auto fits = [](Index first, Index rows, Index stride, Index width, Index end) {
      return first >= 0 && first <= end && width <= end - first &&
             (rows <= 1 || stride <= (end - first - width) / (rows - 1));
    };
    for (const Segment& s : segments)
      if (s.rows < 1 || s.old_stride < 1 || s.stride < s.old_stride ||
          !fits(s.from, s.rows, s.old_stride, s.old_stride, old_size) ||
          !fits(s.to, s.rows, s.stride, s.old_stride, size))
        throw std::invalid_argument("rows of weights can only become wider");
  }
  // What has not been there before holds `fill`.
  template <class V>
  void operator()(V& values, typename V::value_type fill) const {
    V moved(static_cast<std::size_t>(size), fill);
    for (const Segment& s : segments)
      for (Index r = 0; r < s.rows; ++r)
        for (Index y = 0; y < s.old_stride; ++y)
          moved[s.to + r * s.stride + y] = values[s.from + r * s.old_stride + y];
    values = std::move(moved);
  }
};

}  // namespace linnet
