// Rows of a Gram matrix that are kept, the least recently used ones first to go. A row that is
// missing is computed together with others that the caller expects to need: several at once cost
// little more than one. Columns may be dropped, and all of them had back.
#pragma once
#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "linnet/kernels/gram_rows.hpp"

namespace linnet {

class GramCache {
 public:
  GramCache(const GramRows& gram, std::size_t bytes)
      : gram_(gram), slot_of_(static_cast<std::size_t>(gram.size()), -1) {
    restore();
    const auto fewest = static_cast<std::size_t>(2 * gram.together() + 2);  // whatever is asked for
    const auto rows = std::clamp(bytes / sizeof(float) / stride(), fewest,
                                 std::max(fewest, static_cast<std::size_t>(gram.size())));
    room_ = rows * stride();
    values_ = std::make_unique_for_overwrite<float[]>(room_);  // touched when rows are kept
  }
  Index size() const { return gram_.size(); }
  std::span<const Index> columns() const { return columns_; }
  bool holds_all() const { return slots() >= size(); }
  bool has(Index row) const { return slot_of_[row] >= 0; }
  float diagonal(Index i) const { return gram_.diagonal(i); }
  const GramRows& gram() const { return gram_; }

  // K(row, columns()). What `others(how many)` lists, rows that are missing too, is computed with
  // it. The row that was asked for before is still there.
  template <class Others>
  const float* get(Index row, Others&& others) {
    if (slot_of_[row] < 0) {
      wanted_.assign(1, row);
      const Index room = std::min(gram_.together(), slots() / 4);
      if (room > 1) others(room - 1, wanted_);
      fill();
    }
    used_[slot_of_[row]] = ++clock_;
    return at(slot_of_[row]);
  }

  // Keeps the columns at these places of columns(), ascending, of all rows.
  void drop_columns(std::span<const Index> kept) {
    const std::size_t before = stride();
    for (std::size_t k = 0; k < kept.size(); ++k) columns_[k] = columns_[kept[k]];
    columns_.resize(kept.size());
    for (std::size_t slot = 0; slot < row_of_.size(); ++slot) {
      const float* const from = values_.get() + slot * before;
      float* const to = values_.get() + slot * stride();
      for (std::size_t k = 0; k < kept.size(); ++k) to[k] = from[kept[k]];
      std::fill(to + kept.size(), to + stride(), 0.f);
    }
  }
  // All columns again; rows are computed anew.
  void restore() {
    columns_.resize(static_cast<std::size_t>(size()));
    std::iota(columns_.begin(), columns_.end(), Index{0});
    for (Index row : row_of_) slot_of_[row] = -1;
    row_of_.clear();
    used_.clear();
  }

 private:
  // Rows are padded by zeros to whole blocks, which loops over them may read.
  std::size_t stride() const { return (std::max<std::size_t>(columns_.size(), 1) + 63) / 64 * 64; }
  Index slots() const { return static_cast<Index>(room_ / stride()); }
  float* at(Index slot) { return values_.get() + slot * static_cast<Index>(stride()); }

  void fill() {
    std::vector<float*> to;
    for (Index row : wanted_) {
      to.push_back(at(take_slot(row)));
      std::fill(to.back() + columns_.size(), to.back() + stride(), 0.f);
    }
    gram_.read(wanted_, columns_, to.data());
  }
  Index take_slot(Index row) {
    Index slot = static_cast<Index>(row_of_.size());
    if (slot < slots()) {
      row_of_.push_back(row);
      used_.push_back(++clock_);
    } else {
      slot = std::min_element(used_.begin(), used_.end()) - used_.begin();
      slot_of_[row_of_[slot]] = -1;
      row_of_[slot] = row;
      used_[slot] = ++clock_;
    }
    slot_of_[row] = slot;
    return slot;
  }

  const GramRows& gram_;
  std::size_t room_ = 0;  // floats
  std::vector<Index> columns_, slot_of_, row_of_, wanted_;
  std::vector<std::uint64_t> used_;
  std::uint64_t clock_ = 0;
  std::unique_ptr<float[]> values_;
};

}  // namespace linnet
