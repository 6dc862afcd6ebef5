// Sparse rows in place. The arrays of a SciPy CSR matrix or a dense NumPy matrix are read where
// they lie; everything downstream sees one type, (int32, float32), so it is compiled once. Other
// types are converted a row at a time into a buffer that stays in the first-level cache. Values
// that are all 1 need not lie anywhere. Rows may also be computed each time they are read, or lie
// in a mapped file that is larger than memory (`paged_rows.hpp`).
#pragma once
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "linnet/base/simd.hpp"
#include "linnet/base/types.hpp"

namespace linnet {

struct Row {
  const Id* index;
  const float* value;
  Id size;
};

// What a source of rows wants to find again when it computes the next one.
struct RowCache {
  virtual ~RowCache() = default;
};
struct RowBuffer {
  std::vector<Id> index;
  std::vector<float> value;
  std::unique_ptr<RowCache> cache{};
};

// What `owner` has left in a buffer that others may have used since; Cache has its owner's number,
// since a buffer may outlive a source, and another one may lie in the same place.
template <class Cache, class Owner>
Cache& cache_of(const Owner* owner, RowBuffer& buffer) {
  auto* cache = dynamic_cast<Cache*>(buffer.cache.get());
  if (!cache || cache->owner != owner->number()) {
    buffer.cache = std::make_unique<Cache>();
    cache = static_cast<Cache*>(buffer.cache.get());
    cache->owner = owner->number();
  }
  return *cache;
}

// Rows that are computed when they are read, into the buffer; no feature is repeated.
class RowSource {
 public:
  virtual ~RowSource() = default;
  std::uint64_t number() const { return number_; }  // no other source ever has it
  virtual Index size() const = 0;
  virtual Index features() const = 0;
  virtual Row read(Index i, RowBuffer& buffer) const = 0;
  // How many neighbours had better be read together, in whatever order; 0: it does not matter.
  virtual Index together() const { return 0; }
  // Gives memory back that was taken to read; it is asked for anew when it is needed.
  virtual void release() const {}

 private:
  static std::uint64_t next_number() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }
  std::uint64_t number_ = next_number();
};

// ‖x‖², the constant feature included, if no feature is repeated.
inline double squared_norm(Row row, float bias) {
  double sum = static_cast<double>(bias) * static_cast<double>(bias);
  for (Id k = 0; k < row.size; ++k)
    sum += static_cast<double>(row.value[k]) * static_cast<double>(row.value[k]);
  return sum;
}

enum class IndexType { i32, i64, dense };
enum class ValueType { f32, f64, ones };

class Rows {
 public:
  // The caller keeps the arrays alive. `bias` is the value of a constant feature of every row,
  // 0 for none; its weights stand in row 0 of the weight block and feature f in row f + 1.
  Rows(Index rows, Index cols, const void* start, IndexType start_type, const void* index,
       IndexType index_type, const void* value, ValueType value_type, float bias,
       std::shared_ptr<const RowSource> paged = nullptr)
      : rows_(rows),
        cols_(cols),
        start_(start),
        index_(index),
        value_(value),
        start_type_(start_type),
        index_type_(index_type),
        value_type_(value_type),
        bias_(bias),
        paged_(paged != nullptr),
        source_(std::move(paged)) {
    if (cols < 0) throw std::invalid_argument("the number of columns is negative");
    if (cols >= std::numeric_limits<Id>::max() - 8)
      throw std::invalid_argument("more than 2^31 features: hash them into fewer");
    if (index_type == IndexType::dense) {
      iota_.resize(static_cast<std::size_t>(cols));
      std::iota(iota_.begin(), iota_.end(), 0);
    }
    check();
    if (value_type == ValueType::ones) {
      Index longest = 0;
      for (Index i = 0; i < rows; ++i)
        longest = std::max(longest, this->start(i + 1) - this->start(i));
      ones_.assign(static_cast<std::size_t>(longest), 1.f);
    }
  }
  Rows(std::shared_ptr<const RowSource> source, float bias)
      : Rows(0, source->features(), &kNothing, IndexType::i32, nullptr, IndexType::i32, nullptr,
             ValueType::f32, bias) {
    rows_ = source->size();
    source_ = std::move(source);
  }

  // Keeps what owns the arrays.
  void keep(std::shared_ptr<const void> owner) { owner_ = std::move(owner); }
  // Lets the arrays go. There are no rows from here on; how many features they had is still known.
  void forget() {
    rows_ = 0;
    start_ = &kNothing;
    start_type_ = index_type_ = IndexType::i32;
    index_ = value_ = nullptr;
    owner_.reset();
    source_.reset();
    paged_ = false;
  }

  Index size() const { return rows_; }
  bool computed() const { return source_ != nullptr && !paged_; }
  // How many neighbours had better be read together; 0: it does not matter.
  Index together() const { return source_ ? source_->together() : 0; }
  Id features() const { return static_cast<Id>(cols_); }
  float bias() const { return bias_; }
  IndexType index_type() const { return index_type_; }
  ValueType value_type() const { return value_type_; }
  const void* indices() const { return index_; }
  const void* values() const { return value_; }
  // Does a row name a feature twice? Learners count on one entry each.
  bool has_duplicates() const {
    if (index_type_ == IndexType::dense || source_ || ascending_) return false;
    return index_type_ == IndexType::i32 ? repeats(static_cast<const std::int32_t*>(index_))
                                         : repeats(static_cast<const std::int64_t*>(index_));
  }
  Index nonzeros() const {
    if (paged_)
      throw std::invalid_argument(
          "these rows lie in a file that is larger than memory, and this learner wants them in "
          "memory: use one that reads them in order");
    if (source_)
      throw std::invalid_argument(
          "these rows are computed when they are read, and this learner wants them in memory: make "
          "them a matrix first");
    return index_type_ == IndexType::dense ? rows_ * cols_ : start(rows_);
  }
  // How many entries these rows have; of rows that are computed about as many, by the first of
  // them.
  Index entries(Index first, Index count, RowBuffer& buffer) const {
    if (computed()) return count == 0 ? 0 : count * row(first, buffer).size;
    return start(first + count) - start(first);
  }
  // Of rows in memory.
  Index start(Index i) const {
    if (index_type_ == IndexType::dense) return i * cols_;
    return start_type_ == IndexType::i32 ? static_cast<const std::int32_t*>(start_)[i]
                                         : static_cast<const std::int64_t*>(start_)[i];
  }

  Row row(Index i, RowBuffer& buffer) const {
    if (source_) return source_->read(i, buffer);
    const Index begin = start(i), size = start(i + 1) - begin;
    Row r{nullptr, nullptr, static_cast<Id>(size)};
    switch (index_type_) {
      case IndexType::i32:
        r.index = static_cast<const std::int32_t*>(index_) + begin;
        break;
      case IndexType::dense:
        r.index = iota_.data();
        break;
      case IndexType::i64:
        r.index = convert(static_cast<const std::int64_t*>(index_) + begin, size, buffer.index);
        break;
    }
    switch (value_type_) {
      case ValueType::f32:
        r.value = static_cast<const float*>(value_) + begin;
        break;
      case ValueType::f64:
        r.value = convert(static_cast<const double*>(value_) + begin, size, buffer.value);
        break;
      case ValueType::ones:
        r.value = ones_.data();
        break;
    }
    return r;
  }

 private:
  template <class From, class To>
  static const To* convert(const From* from, Index size, std::vector<To>& to) {
    if (to.size() < static_cast<std::size_t>(size)) to.resize(static_cast<std::size_t>(size));
    for (Index k = 0; k < size; ++k) to[static_cast<std::size_t>(k)] = static_cast<To>(from[k]);
    return to.data();
  }

  // Nothing read later may leave the arrays, whatever a caller hands in.
  void check() {
    if (index_type_ != IndexType::dense) check_structure();
    if (!std::isfinite(bias_)) throw std::invalid_argument("the constant feature must be finite");
    if (value_type_ == ValueType::f32)
      check_values<std::int32_t>(static_cast<const float*>(value_));
    else if (value_type_ == ValueType::f64)
      check_values<std::int64_t>(static_cast<const double*>(value_));
  }
  // Rows [first, last), all at once; of rows in a file some at a time, which are then let go.
  template <class Visit>
  void in_blocks(Visit&& visit) const {
    constexpr Index kBlock = 1 << 19;  // entries
    for (Index first = 0; paged_ && first < rows_;) {
      Index last = first + 1;
      while (last < rows_ && start(last + 1) - start(first) <= kBlock) ++last;
      visit(first, last);
      source_->release();
      first = last;
    }
    if (!paged_) visit(Index{0}, rows_);
  }
  // Learners compare and sort what they make of the values, and 1e39 is infinite to them. The bits
  // of numbers are ordered like their sizes: the sign of the difference is all that is collected.
  template <class Int, class V>
  void check_values(const V* value) const {
    constexpr Int kSize = std::numeric_limits<Int>::max();  // all bits but the sign
    constexpr Int kLargest = std::bit_cast<Int>(V{std::numeric_limits<float>::max()});
    in_blocks([&](Index first, Index last) {
      const Index end = start(last);
      Int room = 0;  // below zero once there was none
      for (Index k = start(first); k < end; ++k)
        room |= kLargest - (std::bit_cast<Int>(value[k]) & kSize);
      if (room < 0)
        throw std::invalid_argument(
            "a value is NaN, infinity or too large for float32: scale the features");
    });
  }
  void check_structure() {
    if (start(0) != 0) throw std::invalid_argument("indptr must start at 0");
    for (Index i = 0; i < rows_; ++i) {
      if (start(i + 1) < start(i))
        throw std::invalid_argument("indptr decreases at row " + std::to_string(i));
      if (start(i + 1) - start(i) > std::numeric_limits<Id>::max())
        throw std::invalid_argument("row " + std::to_string(i) + " has more than 2^31 entries");
    }
    if (index_type_ == IndexType::i32)
      check_indices(static_cast<const std::int32_t*>(index_));
    else
      check_indices(static_cast<const std::int64_t*>(index_));
  }
  template <class I>
  void check_indices(const I* index) {
    ascending_ = true;
    in_blocks([&](Index first, Index last) {
      if (ascend(index, first, last)) return;
      ascending_ = false;
      const Index end = start(last);
      using U = std::make_unsigned_t<I>;
      const U largest = static_cast<U>(cols_ - 1);
      U room = 0;  // on either side; the highest bit is set once there was none
      for (Index k = start(first); k < end; ++k) {
        const U id = static_cast<U>(index[k]);
        room |= id | (largest - id);
      }
      if (static_cast<I>(room) < 0)
        throw std::invalid_argument("a column index is outside [0, " + std::to_string(cols_) + ")");
    });
  }
  // Do the indices of these rows rise, within bounds? Most do: then this one look at them is
  // enough.
  template <class I>
  bool ascend(const I* index, Index first, Index last) const {
    for (Index i = first; i < last; ++i) {
      const I* const row = index + start(i);
      const Index size = start(i + 1) - start(i);
      bool falls = false;
      for (Index k = 1; k < size; ++k) falls |= row[k] <= row[k - 1];
      if (falls || (size > 0 && (row[0] < 0 || row[size - 1] >= cols_))) return false;
    }
    return true;
  }

  // The last row, in 8 bits, with a feature that ends in the same 16 bits: a table that stays in
  // the cache. Only if that is the row at hand is it looked through.
  template <class I>
  bool repeats(const I* index) const {
    std::vector<std::uint8_t> table(std::size_t{1} << 16);
    std::uint8_t* const last = table.data();
    std::uint8_t stamp = 0;
    for (Index i = 0; i < rows_; ++i) {
      const I *const begin = index + start(i), *const end = index + start(i + 1);
      if (++stamp == 0) std::fill(table.begin(), table.end(), std::uint8_t{0}), stamp = 1;
      const std::uint8_t now = stamp;
      for (const I* k = begin; k != end; ++k) {
        std::uint8_t& seen = last[static_cast<std::uint16_t>(*k)];
        if (seen == now && std::find(begin, k, *k) != k) [[unlikely]]
          return true;
        seen = now;
      }
    }
    return false;
  }

  static constexpr std::int32_t kNothing = 0;
  Index rows_, cols_;
  const void *start_, *index_, *value_;
  IndexType start_type_, index_type_;
  ValueType value_type_;
  float bias_;
  bool ascending_ = false;  // indices rise within rows
  bool paged_ = false;      // the source reads the same arrays
  std::shared_ptr<const RowSource> source_;
  std::shared_ptr<const void> owner_;
  std::vector<Id> iota_;
  std::vector<float> ones_;  // as many as the longest row has
};

}  // namespace linnet
