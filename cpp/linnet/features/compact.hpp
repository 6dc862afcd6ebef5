// A private copy of sparse rows for learners that pass over them many times: index and value side
// by side in float32, so that a row is one stream of memory whatever the type it came in; the rows
// in the order in which they were appended; the constant feature an entry like any other.
// (Re-numbering the features by frequency was measured too: it gains 10 % of a pass and costs one.)
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "linnet/base/simd.hpp"
#include "linnet/features/rows.hpp"

namespace linnet {

struct Entry {
  Id row;  // of the weight block: 0 is the constant feature, f + 1 is feature f
  float value;
};

// Memory for many entries, uninitialised. Large pages matter: with small ones the page faults of a
// first touch cost several times the copy itself.
class EntryStore {
 public:
  explicit EntryStore(std::size_t capacity)
      : bytes_((capacity * sizeof(Entry) / kPage + 1) * kPage) {
    data_ = static_cast<Entry*>(::operator new(bytes_, std::align_val_t{kPage}));
#if defined(__linux__)
    if (bytes_ > kPage) madvise(data_, bytes_, MADV_HUGEPAGE);  // only advice: failure is harmless
#endif
  }
  ~EntryStore() { ::operator delete(data_, std::align_val_t{kPage}); }
  EntryStore(const EntryStore&) = delete;
  EntryStore& operator=(const EntryStore&) = delete;
  Entry* data() const { return data_; }

 private:
  static constexpr std::size_t kPage = std::size_t{1} << 21;
  std::size_t bytes_;
  Entry* data_;
};

class CompactRows {
 public:
  explicit CompactRows(const Rows& rows)
      : rows_(rows),
        store_(static_cast<std::size_t>(rows.nonzeros() + (rows.bias() != 0 ? rows.size() : 0))) {
    start_.reserve(static_cast<std::size_t>(rows.size()) + 1);
    start_.push_back(0);
  }

  std::size_t size() const { return start_.size() - 1; }
  std::span<const Entry> operator[](std::size_t slot) const {
    return {store_.data() + start_[slot], store_.data() + start_[slot + 1]};
  }

  // Appends sign · row i and returns its squared norm. Each row may be appended once.
  double append(Index i, float sign) {
    const Row row = rows_.row(i, buffer_);
    Entry* const begin = store_.data() + start_.back();
    Entry* end = begin;
    if (rows_.bias() != 0) *end++ = {0, sign * rows_.bias()};
    Id previous = -1;
    bool ascending = true;
    double square = 0;
    for (Id k = 0; k < row.size; ++k) {
      ascending &= row.index[k] > previous;
      previous = row.index[k];
      end[k] = {row.index[k] + 1, sign * row.value[k]};
      square += static_cast<double>(row.value[k]) * row.value[k];
    }
    end += row.size;
    if (ascending) {
      square += static_cast<double>(rows_.bias()) * rows_.bias();
    } else {
      end = merge_duplicates(begin, end);
      square = 0;
      for (const Entry* e = begin; e != end; ++e)
        square += static_cast<double>(e->value) * e->value;
    }
    if (!std::isfinite(square))
      throw std::invalid_argument("row " + std::to_string(i) + " holds NaN or infinity");
    start_.push_back(static_cast<std::size_t>(end - store_.data()));
    return square;
  }

 private:
  // A row that repeats a feature means the sum of its values, and its norm is that of the sum.
  static Entry* merge_duplicates(Entry* begin, Entry* end) {
    std::stable_sort(begin, end, [](const Entry& a, const Entry& b) { return a.row < b.row; });
    Entry* last = begin;
    for (Entry* e = begin + 1; e != end; ++e) {
      if (e->row == last->row)
        last->value += e->value;
      else
        *++last = *e;
    }
    return last + 1;
  }

  const Rows& rows_;
  RowBuffer buffer_;
  EntryStore store_;
  std::vector<std::size_t> start_;
};

}  // namespace linnet
