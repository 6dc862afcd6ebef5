// What the fast kernel of charts keeps: per span the symbols over it with their values, and the two
// rings that it runs in.
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "linnet/base/math.hpp"
#include "linnet/base/simd.hpp"
#include "linnet/base/types.hpp"

namespace linnet {

// Best trees; values are logarithms.
struct MaxPlus {
  static constexpr double kZero = -kInf, kOne = 0;
  static constexpr bool kScaled = false;
  static double times(double a, double b) { return a + b; }
  static double join(double a, double b) { return b > a ? b : a; }
  static double weight(double score) { return score; }
};
// Sums over trees in probability space. Values of a span are divided by a power of two, exactly, so
// that the largest is near one.
struct SumProduct {
  static constexpr double kZero = 0, kOne = 1;
  static constexpr bool kScaled = true;
  static double times(double a, double b) { return a * b; }
  static double join(double a, double b) { return a + b; }
  static double weight(double score) { return exp(score); }
};

// An item that is the left child of pairs (B, C), [first, first + count).
struct LeftItem {
  double top;
  Id first, count;
  Index item;
};

// Of all left children B of a split and their pairs (B, C): sum[p] ⊕= B ⊗ factor ⊗ C.
template <class R>
LINNET_INLINE void join_pairs(std::span<const LeftItem> left, double factor,
                              const double* LINNET_RESTRICT right, const Id* LINNET_RESTRICT symbol,
                              double* LINNET_RESTRICT sum) {
  for (const LeftItem& b : left) {
    const double x = R::times(b.top, factor);
    const Id last = b.first + b.count;
    for (Id p = b.first; p < last; ++p) sum[p] = R::join(sum[p], R::times(x, right[symbol[p]]));
  }
}
LINNET_CLONES inline void join_split(MaxPlus, std::span<const LeftItem> left, double factor,
                                     const double* right, const Id* symbol, double* sum) {
  join_pairs<MaxPlus>(left, factor, right, symbol, sum);
}
LINNET_CLONES inline void join_split(SumProduct, std::span<const LeftItem> left, double factor,
                                     const double* right, const Id* symbol, double* sum) {
  join_pairs<SumProduct>(left, factor, right, symbol, sum);
}

struct ChartCell {
  Index begin = 0, end = 0;  // of its items
  int exponent = 0;
  double best = 0;  // of its items, where a beam is wanted
  bool empty() const { return begin == end; }
};

// All left children whose words begin at one place, span after span: splits of a span go through
// them in the order in which they lie in memory.
struct LeftChildren {
  struct Cell {
    Id end;  // of its words
    int exponent;
    double best;
    Index first, last;  // of its items
  };
  std::vector<Cell> cells;
  std::vector<LeftItem> items;

  std::span<const LeftItem> of(const Cell& cell) const {
    return {items.data() + cell.first, static_cast<std::size_t>(cell.last - cell.first)};
  }
};

// Items: symbols over a span in their order, with their values with unary rules on top (`top`) and
// without (`base`), and of all around them (`out`).
struct ChartItems {
  std::vector<ChartCell> cells;  // by number of the span
  std::vector<Id> symbol;
  std::vector<double> top, base, out;
  std::vector<LeftChildren> lefts;  // by the begin of their words

  void clear(Id words, Id spans) {
    cells.assign(static_cast<std::size_t>(spans), {});
    lefts.resize(static_cast<std::size_t>(words));
    for (LeftChildren& each : lefts) each.cells.clear(), each.items.clear();
    symbol.clear();
    top.clear();
    base.clear();
  }
  void add(Id a, double top_value, double base_value) {
    symbol.push_back(a);
    top.push_back(top_value);
    base.push_back(base_value);
  }
  // The place of a symbol in a cell, -1: it is not there.
  Index find(const ChartCell& cell, Id a) const {
    const auto first = symbol.begin() + cell.begin, last = symbol.begin() + cell.end;
    const auto at = std::lower_bound(first, last, a);
    return at != last && *at == a ? at - symbol.begin() : -1;
  }
};

// A row of values by symbol of which few are set.
class SymbolRow {
 public:
  void resize(Id symbols, double zero) {
    zero_ = zero;
    value_.assign(static_cast<std::size_t>(symbols), zero);
    live_.clear();
  }
  double operator[](Id a) const { return value_[a]; }
  const std::vector<Id>& live() const { return live_; }
  template <class R>
  void join(Id a, double x) {
    if (x == R::kZero) return;
    if (value_[a] == R::kZero) live_.push_back(a);
    value_[a] = R::join(value_[a], x);
  }
  void set(Id a, double x) {
    if (value_[a] == zero_) live_.push_back(a);
    value_[a] = x;
  }
  void clear() {
    for (const Id a : live_) value_[a] = zero_;
    live_.clear();
  }
  void sort() { std::sort(live_.begin(), live_.end()); }
  bool same(const SymbolRow& other) const {
    if (live_.size() != other.live_.size()) return false;
    return std::all_of(live_.begin(), live_.end(),
                       [&](Id a) { return value_[a] == other.value_[a]; });
  }

 private:
  double zero_ = 0;
  std::vector<double> value_;
  std::vector<Id> live_;
};

}  // namespace linnet
