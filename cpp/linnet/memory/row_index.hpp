// Sparse rows turned round: of each column the rows that have it.
//
// A column that many rows have is kept once more as a plain array with its zeros, of whole numbers
// of 16 bits, the greatest of which is 32,767. These arrays are cut into blocks of 64 rows, in each
// the columns one after the other, so that what a block holds stays in the cache while one query
// after the other asks for it.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "linnet/base/types.hpp"

namespace linnet::memory {

// Sparse rows where they lie.
struct SparseRows {
  std::span<const Index> begin;  // (rows + 1,)
  std::span<const Id> column;
  std::span<const float> value;
  Index rows() const { return static_cast<Index>(begin.size()) - 1; }
};

using Small = std::int16_t;
inline constexpr double kSmall = 32767;  // what the greatest value of a plain column becomes

class RowIndex {
 public:
  static constexpr Index kBlock = 64;  // rows
  static constexpr Index kOften = 32;  // a column that one row in so many has becomes plain

  struct Posting {
    Id row;
    float value;
  };

  RowIndex(const SparseRows& rows, Id columns)
      : rows_(rows.rows()), begin_(columns + 1, 0), most_(columns, 0.f), plain_(columns, -1) {
    for (std::size_t k = 0; k < rows.column.size(); ++k) {
      const Id j = rows.column[k];
      ++begin_[j + 1];
      most_[j] = std::max(most_[j], std::abs(rows.value[k]));
    }
    for (Id j = 0; j < columns; ++j) {
      const bool often = rows_ >= kBlock && begin_[j + 1] * kOften >= rows_;
      if (often && most_[j] > 0) plain_[j] = plains_++;
      begin_[j + 1] += begin_[j];
    }
    postings_.resize(rows.column.size());
    blocks_.assign(blocks() * plains_ * kBlock, 0);
    std::vector<Index> next(begin_.begin(), begin_.end() - 1);
    for (Index i = 0; i < rows_; ++i) {
      double square = 0;
      for (Index k = rows.begin[i]; k < rows.begin[i + 1]; ++k) {
        const Id j = rows.column[k];
        const float value = rows.value[k];
        postings_[next[j]++] = {static_cast<Id>(i), value};
        if (plain_[j] < 0) continue;
        const double part = static_cast<double>(value) / static_cast<double>(most_[j]);
        blocks_[(i / kBlock * plains_ + plain_[j]) * kBlock + i % kBlock] =
            static_cast<Small>(std::lround(part * kSmall));
        square += static_cast<double>(value) * static_cast<double>(value);
      }
      plain_length_ = std::max(plain_length_, std::sqrt(square));
    }
  }

  Index rows() const { return rows_; }
  Index blocks() const { return (rows_ + kBlock - 1) / kBlock; }
  Id columns() const { return static_cast<Id>(most_.size()); }
  float most(Id column) const { return most_[column]; }    // the greatest value, without its sign
  Index plain(Id column) const { return plain_[column]; }  // its number among those, or -1
  double plain_length() const { return plain_length_; }    // the greatest of rows of plain columns
  const Small* block(Index b) const { return blocks_.data() + b * plains_ * kBlock; }
  Index bytes() const { return std::ssize(blocks_) * static_cast<Index>(sizeof(Small)); }
  std::span<const Posting> of(Id column) const {
    return {postings_.data() + begin_[column],
            static_cast<std::size_t>(begin_[column + 1] - begin_[column])};
  }

 private:
  Index rows_;
  std::vector<Index> begin_;  // of postings, by column
  std::vector<Posting> postings_;
  std::vector<float> most_;
  std::vector<Index> plain_;
  Index plains_ = 0;
  double plain_length_ = 0;
  Buffer<Small> blocks_;  // (blocks, plain columns, kBlock)
};

}  // namespace linnet::memory
