// The k rows of highest inner product with a query, over an inverted index.
//
// Sums that decide what is looked at are rough. Over plain columns they are whole numbers of 16
// bits: so many units for 1 that no sum can exceed them, as none is above the product of lengths.
// Each of their terms is wrong by 3/2 at most: half a unit for its own rounding, half for that of
// the query's value and half for that of the row's. Over all other columns they are floats. A row
// whose sum is farther below the k-th best one than twice the error of all terms is none of the k
// nearest; the few that are left are compared exactly, by sums in double precision in the order of
// the row, from the best sum on until no other can be nearer. Of equal scores the first row is
// nearer.
//
// The k-th best sum is not below the k-th largest of the maxima of blocks, which are quickly made.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/simd.hpp"
#include "linnet/memory/row_index.hpp"

namespace linnet::memory {

struct Near {
  double score;
  Id row;
  bool operator<(const Near& other) const {
    return score != other.score ? score > other.score : row < other.row;
  }
};

// A plain column of a query: where its array is in a block, and what 32,767 of it adds, in units.
struct PlainTerm {
  Index at;
  Small factor;
};

// (value factor) / 2^15, rounded; written as the processor's instruction has it.
LINNET_INLINE Small small_product(int value, int factor) {
  return static_cast<Small>(((value * factor >> 14) + 1) >> 1);
}

// The sums of the rows of a block over plain columns: of the first two (there are 4n + 2 terms, or
// none) and then of four by four. Rows go 16 by 16, so that compilers see vectors: one loop over
// all they would jam with that over terms.
LINNET_CLONES inline void sum_block(const Small* LINNET_RESTRICT block,
                                    std::span<const PlainTerm> terms, Small* LINNET_RESTRICT sums) {
  if (terms.empty()) {  // and the block as well, it may be
    std::fill_n(sums, RowIndex::kBlock, Small{0});
    return;
  }
  alignas(64) Small whole[RowIndex::kBlock];
  {
    const Small *a = block + terms[0].at, *b = block + terms[1].at;
    const Small p = terms[0].factor, q = terms[1].factor;
    for (Index h = 0; h < RowIndex::kBlock; h += 16)
      for (Index i = h; i < h + 16; ++i)
        whole[i] = static_cast<Small>(small_product(a[i], p) + small_product(b[i], q));
  }
  for (std::size_t t = 2; t + 4 <= terms.size(); t += 4) {
    const PlainTerm* term = terms.data() + t;
    const Small *a = block + term[0].at, *b = block + term[1].at, *c = block + term[2].at,
                *d = block + term[3].at;
    const Small p = term[0].factor, q = term[1].factor, r = term[2].factor, s = term[3].factor;
    for (Index h = 0; h < RowIndex::kBlock; h += 16)
      for (Index i = h; i < h + 16; ++i)
        whole[i] = static_cast<Small>(whole[i] + small_product(a[i], p) + small_product(b[i], q) +
                                      small_product(c[i], r) + small_product(d[i], s));
  }
  for (Index i = 0; i < RowIndex::kBlock; ++i) sums[i] = whole[i];
}

// Floats by their bits: of those above 0 the order is that of whole numbers, and others are below.
using Bits = std::int32_t;

// Whole sums are added to those over other columns; the bits of these, and the greatest of a block.
LINNET_CLONES inline void add_up(const Small* LINNET_RESTRICT whole, float unit,
                                 const float* LINNET_RESTRICT others, Index blocks,
                                 Bits* LINNET_RESTRICT sums, Bits* LINNET_RESTRICT maxima) {
  for (Index b = 0; b < blocks; ++b) {
    const Index first = b * RowIndex::kBlock;
    for (Index i = first; i < first + RowIndex::kBlock; ++i)
      sums[i] = std::bit_cast<Bits>(static_cast<float>(whole[i]) * unit + others[i]);
    Bits most = std::numeric_limits<Bits>::min();
    for (Index i = first; i < first + RowIndex::kBlock; ++i) most = std::max(most, sums[i]);
    maxima[b] = most;
  }
}

// The k-th largest of numbers, or 0 if it is below: the largest that k numbers reach, bit by bit.
// The last bits, which are small beside the rough sums' error, stay 0.
LINNET_CLONES inline Bits kth_largest(const Bits* numbers, Index n, Index k) {
  Bits found = 0;
  for (int bit = 30; bit >= 8; --bit) {
    const Bits tried = found | Bits{1} << bit;
    std::int32_t reach = 0;
    for (Index i = 0; i < n; ++i) reach += numbers[i] >= tried;
    if (reach >= k) found = tried;
  }
  return found;
}

// Values of a query by column, in a table that stays in the first-level cache.
class QueryValues {
 public:
  void assign(std::span<const Id> column, std::span<const float> value) {
    std::size_t size = 16;
    while (size < 4 * column.size()) size *= 2;
    mask_ = size - 1;
    table_.assign(size, {-1, 0.f});
    for (std::size_t i = 0; i < column.size(); ++i) {
      std::size_t at = home(column[i]);
      while (table_[at].column >= 0 && table_[at].column != column[i]) at = (at + 1) & mask_;
      table_[at] = {column[i], value[i]};
    }
  }
  float operator[](Id column) const {
    std::size_t at = home(column);
    while (table_[at].column != column && table_[at].column >= 0) at = (at + 1) & mask_;
    return table_[at].column == column ? table_[at].value : 0.f;
  }

 private:
  struct Entry {
    Id column;
    float value;
  };
  std::size_t home(Id column) const {
    return (static_cast<std::uint32_t>(column) * 0x9E3779B1u >> 7) & mask_;
  }
  std::vector<Entry> table_;
  std::size_t mask_ = 0;
};

class RowSearch {
 public:
  RowSearch(const SparseRows& rows, const RowIndex& index) : rows_(rows), index_(index) {}

  // How many queries share a look at the plain columns: as many that none of them reads much more
  // than 64 KiB of these for itself, but so few that their sums stay in a cache.
  Index together() const {
    const Index most =
        std::clamp<Index>((Index{1} << 24) / std::max<Index>(1, index_.rows()), 1, 256);
    return std::min(most, std::max<Index>(64, index_.bytes() >> 16));
  }

  // told(query, near) for each of queries [begin, end): the k nearest rows, nearest first.
  template <class Told>
  void each(const SparseRows& queries, Index begin, Index end, Index k, const Told& told) {
    k = std::min(k, rows_.rows());
    const Index together = this->together();
    for (; begin < end; begin += together) {
      const Index last = std::min(end, begin + together);
      prepare(queries, begin, last);
      for (Index q = begin; q < last; ++q) {
        const Index at = queries.begin[q], size = queries.begin[q + 1] - at;
        values_.assign(queries.column.subspan(at, size), queries.value.subspan(at, size));
        told(q, nearest(asked_[q - begin], queries.column.subspan(at, size), k));
      }
    }
  }

 private:
  struct Asked {
    std::vector<PlainTerm> plain;
    std::vector<Id> column;    // those that are not plain
    std::vector<float> value;  // of the query
    double unit = 0;           // of whole sums
    double error = 0;          // of a sum, at most
    Small* whole = nullptr;    // sums over plain columns
  };
  // A row by its sum and, of equal ones, the first: the greater the better.
  using Candidate = std::uint64_t;
  static constexpr std::uint32_t kLast = 0xFFFFFFFFu;
  static Candidate candidate(Bits sum, Index row) {
    return static_cast<Candidate>(sum) << 32 | (kLast - static_cast<std::uint32_t>(row));
  }
  static Id row_of(Candidate c) { return static_cast<Id>(kLast - static_cast<std::uint32_t>(c)); }
  static double sum_of(Candidate c) { return number(static_cast<Bits>(c >> 32)); }
  static double number(Bits bits) { return static_cast<double>(std::bit_cast<float>(bits)); }

  void prepare(const SparseRows& queries, Index begin, Index end) {
    const Index width = index_.blocks() * RowIndex::kBlock;
    whole_.resize((end - begin) * width);
    asked_.resize(std::max<std::size_t>(asked_.size(), end - begin));
    for (Index q = begin; q < end; ++q) {
      const Index at = queries.begin[q], size = queries.begin[q + 1] - at;
      Asked& asked = asked_[q - begin];
      asked.whole = whole_.data() + (q - begin) * width;
      make_terms(queries.column.subspan(at, size), queries.value.subspan(at, size), asked);
    }
    for (Index b = 0; b < index_.blocks(); ++b)
      for (Index q = begin; q < end; ++q) {
        const Asked& asked = asked_[q - begin];
        steps_(1 + std::ssize(asked.plain));
        sum_block(index_.block(b), asked.plain, asked.whole + b * RowIndex::kBlock);
      }
  }

  // What a query asks of plain columns, and of the others.
  void make_terms(std::span<const Id> column, std::span<const float> value, Asked& asked) {
    asked.plain.clear();
    asked.column.clear();
    asked.value.clear();
    double square = 0, sum = 0;
    Index plains = 0;
    for (std::size_t i = 0; i < column.size(); ++i) {
      const double v = value[i];
      sum += std::abs(v * static_cast<double>(index_.most(column[i])));
      if (index_.plain(column[i]) < 0) continue;
      square += v * v;
      ++plains;
    }
    const double room = kSmall - 1 - 1.5 * static_cast<double>(plains);
    const double units = room / (std::sqrt(square) * index_.plain_length());
    const bool whole = room > 0 && units > 0 && std::isfinite(units);
    double error = 0;  // of whole sums
    for (std::size_t i = 0; i < column.size(); ++i) {
      const Id j = column[i];
      if (!whole || index_.plain(j) < 0) {
        asked.column.push_back(j);
        asked.value.push_back(value[i]);
        continue;
      }
      const double factor = static_cast<double>(value[i]) * static_cast<double>(index_.most(j)) *
                            units * (32768 / kSmall);
      const Small small = static_cast<Small>(std::lround(factor));
      error += small ? 1 + std::abs(factor) / 65536 : std::abs(factor);
      if (small) asked.plain.push_back({index_.plain(j) * RowIndex::kBlock, small});
    }
    while (!asked.plain.empty() && asked.plain.size() % 4 != 2) asked.plain.push_back({0, 0});
    asked.unit = whole ? 1 / units : 0;
    // Floats are added up one by one: 2^-24 of all that may be in the sum for each.
    asked.error = error * asked.unit + sum * 1e-7 * static_cast<double>(column.size() + 4) + 1e-30;
  }

  const std::vector<Near>& nearest(const Asked& asked, std::span<const Id> column, Index k) {
    best_.clear();
    if (k == 0) return best_;
    sum_up(asked);
    if (find_candidates(asked, k)) {
      compare(asked, k);
      return best_;
    }
    all_that_share(column, k);
    const auto last = best_.begin() + std::min<Index>(k, std::ssize(best_));
    std::partial_sort(best_.begin(), last, best_.end());
    best_.erase(last, best_.end());
    return best_;
  }

  // The first postings of the next column, which lie anywhere in memory.
  static void fetch(std::span<const RowIndex::Posting> postings) {
    for (std::size_t i = 0; i < std::min<std::size_t>(64, postings.size()); i += 8)
      LINNET_PREFETCH(postings.data() + i);
  }

  void sum_up(const Asked& asked) {
    const Index blocks = index_.blocks();
    others_.assign(blocks * RowIndex::kBlock, 0.f);
    float* LINNET_RESTRICT others = others_.data();
    for (std::size_t t = 0; t < asked.column.size(); ++t) {
      if (t + 1 < asked.column.size()) fetch(index_.of(asked.column[t + 1]));
      const auto postings = index_.of(asked.column[t]);
      steps_(std::ssize(postings));
      const float factor = asked.value[t];
      for (const auto& [row, value] : postings) others[row] += factor * value;
    }
    sums_.resize(blocks * RowIndex::kBlock);
    maxima_.resize(blocks);
    add_up(asked.whole, static_cast<float>(asked.unit), others_.data(), blocks, sums_.data(),
           maxima_.data());
  }

  // The rows whose sum may be among the k best; false if rows that share nothing may be.
  bool find_candidates(const Asked& asked, Index k) {
    const Index n = index_.rows(), blocks = index_.blocks();
    // Of what has several times k numbers, the fewest.
    const Bits kth =
        blocks >= 4 * k ? kth_largest(maxima_.data(), blocks, k) : kth_largest(sums_.data(), n, k);
    const double least = number(kth) - 2 * asked.error;
    if (!(least > 0)) return false;
    const Bits floor = std::max(1, std::bit_cast<Bits>(static_cast<float>(least)) - 1);
    if (candidates_.empty()) candidates_.resize(n + 1);
    Candidate* to = candidates_.data();
    for (Index b = 0; b < blocks; ++b) {
      if (maxima_[b] < floor) continue;
      const Index end = std::min(n, (b + 1) * RowIndex::kBlock);
      for (Index i = b * RowIndex::kBlock; i < end; ++i) {
        *to = candidate(sums_[i], i);  // which the next one overwrites if it is none
        to += sums_[i] >= floor;
      }
    }
    found_ = to - candidates_.data();
    return true;
  }

  // The k nearest of the candidates, compared from the best sum on until none can be nearer.
  void compare(const Asked& asked, Index k) {
    const auto first = candidates_.begin();
    auto end = first + found_;
    std::nth_element(first, first + (k - 1), end, std::greater<>());
    const double least = sum_of(first[k - 1]) - 2 * asked.error;
    end = std::partition(first + k, end, [&](Candidate c) { return sum_of(c) >= least; });
    std::sort(first, end, std::greater<>());
    for (auto c = first; c != end; ++c) {
      const bool full = std::ssize(best_) == k;
      if (full && sum_of(*c) + asked.error < best_.front().score) break;
      const Near near{score(row_of(*c)), row_of(*c)};
      if (full) {
        if (!(near < best_.front())) continue;
        std::pop_heap(best_.begin(), best_.end());
        best_.pop_back();
      }
      best_.push_back(near);
      std::push_heap(best_.begin(), best_.end());
    }
    std::sort_heap(best_.begin(), best_.end());
  }

  // All rows that share a column with the query, and others, of score 0, if these do not suffice.
  void all_that_share(std::span<const Id> column, Index k) {
    met_.resize(index_.rows(), 0);
    for (Id j : column) {
      const auto postings = index_.of(j);
      steps_(std::ssize(postings));
      for (const auto& [i, value] : postings)
        if (!met_[i]) met_[i] = 1, best_.push_back({score(i), i});
    }
    Index wanted = k;
    for (const Near& near : best_) wanted -= near.score > 0;
    const std::size_t shared = best_.size();
    for (Id i = 0; wanted > 0 && i < static_cast<Id>(index_.rows()); ++i)
      if (!met_[i]) best_.push_back({0, i}), --wanted;
    for (std::size_t b = 0; b < shared; ++b) met_[best_[b].row] = 0;
  }

  double score(Id row) const {
    double sum = 0;
    for (Index k = rows_.begin[row]; k < rows_.begin[row + 1]; ++k)
      sum += static_cast<double>(values_[rows_.column[k]]) * static_cast<double>(rows_.value[k]);
    return sum;
  }

  SparseRows rows_;
  const RowIndex& index_;
  std::vector<Asked> asked_;
  Buffer<Small> whole_;   // (queries, blocks × kBlock)
  QueryValues values_;    // of the query whose turn it is
  Buffer<float> others_;  // its sums over columns that are not plain
  Buffer<Bits> sums_;     // over all
  Buffer<Bits> maxima_;   // of blocks
  std::vector<Candidate> candidates_;
  Index found_ = 0;  // so many of these
  std::vector<char> met_;
  std::vector<Near> best_;
  Steps steps_;
};

}  // namespace linnet::memory
