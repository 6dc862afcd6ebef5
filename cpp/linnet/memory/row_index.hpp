// Sparse rows turned round: of each column the rows that have it, with values in few bits.
//
// Values are whole numbers, of which the greatest of each column is the largest there is; how far
// rows are from what is kept of them is measured here, and whoever sums up knows the error.
//
// A column that many rows have is plain: an array with its zeros, a byte for each row. These arrays
// are cut into blocks, in each the columns one after the other, so that what a block holds stays in
// the cache while one query after the other asks for it. All other columns are lists of postings.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "linnet/base/page_array.hpp"
#include "linnet/base/types.hpp"

namespace linnet::memory {

// Sparse rows where they lie.
struct SparseRows {
  std::span<const Index> begin;  // (rows + 1,)
  std::span<const Id> column;
  std::span<const float> value;
  Index rows() const { return static_cast<Index>(begin.size()) - 1; }
};

// Bytes of two rows of a block: of one in its first half, and of that as far on in its second. So
// each becomes a number of 16 bits by one shift or one mask.
using BytePair = std::uint16_t;
// A row, and in the last bits its value, from the least on.
using Posting = std::uint32_t;

class RowIndex {
 public:
  static constexpr Index kMostRows = Index{1} << 30;  // two bits must be left for values
  static constexpr Index kBlock = 512;                // rows
  static constexpr Index kHalf = kBlock / 2;
  static constexpr Index kFewest = 64;      // rows, for columns to be plain
  static constexpr Index kOften = 32;       // a column that one row in so many has becomes plain
  static constexpr double kMostByte = 127;  // what the greatest value of a plain column becomes

  struct Column {
    Index at = 0;    // of its first posting, or of a plain column in every block
    Id count = 0;    // of postings, or kPlain
    float most = 0;  // the greatest value, without its sign
    bool plain() const { return count == kPlain; }
  };

  RowIndex(const SparseRows& rows, Id columns)
      : rows_(rows.rows()),
        columns_(columns),
        value_bits_(std::min(
            16, 32 - static_cast<int>(std::bit_width(static_cast<std::uint32_t>(rows_))))) {
    lay_out(rows);
    std::vector<Id> filled(columns, 0);
    for (Index i = 0; i < rows_; ++i) {
      double plain = 0, rare = 0, plain_error = 0, rare_error = 0;  // squares of lengths
      for (Index k = rows.begin[i]; k < rows.begin[i + 1]; ++k) {
        const Column& c = columns_[rows.column[k]];
        if (!(c.most > 0)) continue;
        const double value = rows.value[k], unit = c.most / (c.plain() ? kMostByte : most_value());
        const int kept = static_cast<int>(std::lrint(value / unit));
        const double error = value - kept * unit;
        (c.plain() ? plain : rare) += value * value;
        (c.plain() ? plain_error : rare_error) += error * error;
        if (c.plain())
          put_byte(i, c, kept);
        else
          postings_[c.at + filled[rows.column[k]]++] =
              static_cast<Posting>(i) << value_bits_ |
              static_cast<Posting>(kept + (1 << (value_bits_ - 1)));
      }
      length_ = std::max(length_, std::sqrt(plain + rare));
      plain_length_ = std::max(plain_length_, std::sqrt(plain));
      plain_error_ = std::max(plain_error_, std::sqrt(plain_error));
      rare_error_ = std::max(rare_error_, std::sqrt(rare_error));
    }
  }

  Index rows() const { return rows_; }
  Index blocks() const { return (rows_ + kBlock - 1) / kBlock; }
  Id columns() const { return static_cast<Id>(columns_.size()); }
  const Column& column(Id j) const { return columns_[j]; }

  // The greatest lengths: of rows, of these in plain columns, and of what rounding took from them
  // in plain and in other columns.
  double length() const { return length_; }
  double plain_length() const { return plain_length_; }
  double plain_error() const { return plain_error_; }
  double rare_error() const { return rare_error_; }

  std::span<const Posting> postings(const Column& c) const {
    return {postings_.data() + c.at, static_cast<std::size_t>(c.count)};
  }
  int value_bits() const { return value_bits_; }
  double most_value() const { return (1 << (value_bits_ - 1)) - 1; }  // of postings
  Id row_of(Posting p) const { return static_cast<Id>(p >> value_bits_); }

  const BytePair* block(Index b) const { return first_block_ + b * plains_ * kHalf; }
  Index bytes() const { return blocks() * plains_ * kBlock; }

 private:
  // Which columns are plain, and where all of them begin.
  void lay_out(const SparseRows& rows) {
    for (std::size_t k = 0; k < rows.column.size(); ++k) {
      Column& c = columns_[rows.column[k]];
      ++c.count;
      c.most = std::max(c.most, std::abs(rows.value[k]));
    }
    Index postings = 0;
    for (Column& c : columns_) {
      if (!(c.most > 0)) c.count = 0;  // zeros alone
      if (rows_ >= kFewest && c.count * kOften >= rows_) {
        c.at = plains_++ * kHalf;
        c.count = kPlain;
      } else {
        c.at = postings;
        postings += c.count;
      }
    }
    postings_.resize(postings);
    constexpr std::size_t kLine = 64 / sizeof(BytePair);
    blocks_ = PageArray<BytePair>::zeros(blocks() * plains_ * kHalf + kLine);
    const auto past = reinterpret_cast<std::uintptr_t>(blocks_.data()) / sizeof(BytePair) % kLine;
    first_block_ = blocks_.data() + (kLine - past) % kLine;
  }

  void put_byte(Index row, const Column& c, int value) {
    const Index at = row % kBlock;
    BytePair& pair = first_block_[row / kBlock * plains_ * kHalf + c.at + at % kHalf];
    pair = static_cast<BytePair>(pair | (value & 0xff) << (at < kHalf ? 0 : 8));
  }

  static constexpr Id kPlain = -1;
  Index rows_;
  std::vector<Column> columns_;
  int value_bits_;
  PageArray<Posting> postings_;
  Index plains_ = 0;
  PageArray<BytePair> blocks_;  // (blocks, plain columns, kHalf), from a cache line on
  BytePair* first_block_ = nullptr;
  double length_ = 0, plain_length_ = 0, plain_error_ = 0, rare_error_ = 0;
};

}  // namespace linnet::memory
