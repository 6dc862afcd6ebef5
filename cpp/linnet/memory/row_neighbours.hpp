// The k rows of highest inner product with a query, over an inverted index.
//
// Sums that decide what is looked at are rough, but their error is bounded (`rough_query.hpp`). A
// row whose sum is farther below the k-th best one than that allows is none of the k nearest; the
// few that are left are compared exactly, by sums in double precision in the order of the row, from
// the best sum on until no other can be nearer. Of equal scores the first row is nearer.
//
// Some queries go together, step by step: columns that are not plain are added first, query by
// query, then those that are, block by block; then candidates are found, and their rows are fetched
// while those of the query before are compared.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/simd.hpp"
#include "linnet/memory/query_values.hpp"
#include "linnet/memory/rough_query.hpp"
#include "linnet/memory/rough_sums.hpp"
#include "linnet/memory/row_index.hpp"

namespace linnet::memory {

struct Near {
  double score;
  Id row;
  bool operator<(const Near& other) const {
    return score != other.score ? score > other.score : row < other.row;
  }
};

class RowSearch {
 public:
  RowSearch(const SparseRows& rows, const RowIndex& index) : rows_(rows), index_(index) {}

  // How many queries share a look at the plain columns: as many that none of them reads much more
  // than 64 KiB of these for itself, but so few that their sums stay in a cache.
  Index together() const {
    const Index most =
        std::clamp<Index>((Index{1} << 24) / std::max<Index>(1, index_.rows()), 1, 256);
    return std::min(most, std::max<Index>(32, index_.bytes() >> 16));
  }

  // told(query, near) for each of queries [begin, end): the k nearest rows, nearest first.
  template <class Told>
  void each(const SparseRows& queries, Index begin, Index end, Index k, const Told& told) {
    k = std::min(k, rows_.rows());
    const Index together = this->together();
    asked_.resize(std::min(together, end - begin));
    for (; begin < end; begin += together) {
      const Index count = std::min(together, end - begin);
      for (Index q = 0; q < count; ++q) {
        const Index at = queries.begin[begin + q], size = queries.begin[begin + q + 1] - at;
        asked_[q].column = queries.column.subspan(at, size);
        asked_[q].value = queries.value.subspan(at, size);
      }
      sum_up(count);
      for (Index q = 0; q < count; ++q) find_candidates(asked_[q], k);
      fetch_rows(asked_[0], k);
      for (Index q = 0; q < count; ++q) {
        if (q + 1 < count) fetch_rows(asked_[q + 1], k);
        values_.assign(asked_[q].column, asked_[q].value);
        told(begin + q, nearest(asked_[q], k));
      }
    }
  }

 private:
  // A row by its sum and, of equal ones, the first: the greater the better.
  using Candidate = std::uint64_t;
  static constexpr std::uint32_t kLast = 0xFFFFFFFFu;
  static Candidate candidate(Sum sum, Index row) {
    return static_cast<Candidate>(sum) << 32 | (kLast - static_cast<std::uint32_t>(row));
  }
  static Id row_of(Candidate c) { return static_cast<Id>(kLast - static_cast<std::uint32_t>(c)); }
  static double sum_of(Candidate c) { return static_cast<double>(c >> 32); }

  struct Asked {
    std::span<const Id> column;
    std::span<const float> value;
    RoughQuery rough;
    Sum* sums = nullptr;                // (blocks × kBlock,)
    Sum* maxima = nullptr;              // (blocks × kGroups,)
    std::vector<Candidate> candidates;  // k of the best sums first
  };

  void sum_up(Index count) {
    const Index blocks = index_.blocks(), width = blocks * RowIndex::kBlock;
    sums_.resize(count * width);
    maxima_.resize(count * blocks * kGroups);
    for (Index q = 0; q < count; ++q) {
      Asked& asked = asked_[q];
      asked.sums = sums_.data() + q * width;
      asked.maxima = maxima_.data() + q * blocks * kGroups;
      asked.rough.assign(index_, asked.column, asked.value);
      std::fill_n(asked.sums, width, Sum{0});
      const std::vector<RareTerm>& rare = asked.rough.rare;
      for (std::size_t t = 0; t < rare.size(); ++t) {
        if (t + 2 < rare.size()) fetch(index_.postings(*rare[t + 2].column));
        steps_(rare[t].column->count);
        add_rare(index_, rare[t], asked.sums);
      }
    }
    for (Index b = 0; b < blocks; ++b)
      for (Index q = 0; q < count; ++q) {
        const Asked& asked = asked_[q];
        steps_(8 * (1 + std::ssize(asked.rough.plain)));
        add_plain(index_.block(b), asked.rough.plain, asked.rough.finer,
                  asked.sums + b * RowIndex::kBlock, asked.maxima + b * kGroups);
      }
  }

  // The rows whose sum may be among the k best; none if rows that share nothing with it may be.
  void find_candidates(Asked& asked, Index k) {
    asked.candidates.clear();
    if (!(asked.rough.units > 0) || k == 0) return;
    const Index blocks = index_.blocks(), groups = blocks * kGroups;
    // The k-th best sum is not below the k-th largest of the maxima, which are fewer.
    const Sum kth = groups >= 4 * k ? kth_largest(asked.maxima, groups, k)
                                    : kth_largest(asked.sums, blocks * RowIndex::kBlock, k);
    const double least = std::floor(kth - 2 * asked.rough.error - asked.rough.above());
    if (!(least > 0)) return;
    const auto floor = static_cast<Sum>(least);
    groups_.resize(groups + 1);
    Id* group = groups_.data();
    for (Index g = 0; g < groups; ++g) {
      *group = static_cast<Id>(g);  // which the next one overwrites if it is none
      group += asked.maxima[g] >= floor;
    }
    found_.resize(blocks * RowIndex::kBlock + 1);
    Candidate* to = found_.data();
    for (const Id* g = groups_.data(); g != group; ++g) {
      const Index first = *g / kGroups * RowIndex::kBlock + *g % kGroups;
      for (Index i = first; i < first + RowIndex::kBlock - *g % kGroups; i += kGroups) {
        *to = candidate(asked.sums[i], i);
        to += asked.sums[i] >= floor;
      }
    }
    asked.candidates.assign(found_.data(), to);
    const auto first = asked.candidates.begin();
    std::nth_element(first, first + (k - 1), asked.candidates.end(), std::greater<>());
    for (Index c = 0; c < std::min(k, kFetched); ++c)
      LINNET_PREFETCH(rows_.begin.data() + row_of(first[c]));
  }

  const std::vector<Near>& nearest(Asked& asked, Index k) {
    best_.clear();
    if (k == 0) return best_;
    if (!asked.candidates.empty())
      compare(asked, k);
    else
      compare_all(asked, k);
    return best_;
  }

  // The k nearest of the candidates: k of the best sums, and others as long as one may be nearer.
  void compare(Asked& asked, Index k) {
    const auto first = asked.candidates.begin(), others = first + k;
    for (auto c = first; c != others; ++c) best_.push_back({score(row_of(*c)), row_of(*c)});
    std::sort(best_.begin(), best_.end());
    const auto may_be_nearer = [&](Candidate c) {
      return sum_of(c) + asked.rough.error >= best_.back().score * asked.rough.units;
    };
    const auto end = std::partition(others, asked.candidates.end(), may_be_nearer);
    std::sort(others, end, std::greater<>());
    for (auto c = others; c != end && may_be_nearer(*c); ++c) {
      const Near near{score(row_of(*c)), row_of(*c)};
      if (!(near < best_.back())) continue;
      best_.pop_back();
      best_.insert(std::upper_bound(best_.begin(), best_.end(), near), near);
    }
  }

  // All rows that share a column with the query, and others, of score 0, if these do not suffice.
  void compare_all(const Asked& asked, Index k) {
    met_.resize(index_.rows(), 0);
    const auto meet = [&](Id row) {
      if (!met_[row]) met_[row] = 1, best_.push_back({score(row), row});
    };
    for (Id j : asked.column) {
      const RowIndex::Column& c = index_.column(j);
      if (c.plain()) {  // so many rows that all may be asked
        for (Id i = 0; i < static_cast<Id>(index_.rows()); ++i) meet(i);
        break;
      }
      steps_(c.count);
      for (const Posting p : index_.postings(c)) meet(index_.row_of(p));
    }
    const std::size_t shared = best_.size();
    Index wanted = k;
    for (const Near& near : best_) wanted -= near.score > 0;
    for (Id i = 0; wanted > 0 && i < static_cast<Id>(index_.rows()); ++i)
      if (!met_[i]) best_.push_back({0, i}), --wanted;
    for (std::size_t b = 0; b < shared; ++b) met_[best_[b].row] = 0;
    const auto last = best_.begin() + std::min<Index>(k, std::ssize(best_));
    std::partial_sort(best_.begin(), last, best_.end());
    best_.erase(last, best_.end());
  }

  double score(Id row) {
    const Index at = rows_.begin[row], size = rows_.begin[row + 1] - at;
    steps_(size);
    return values_.product(rows_.column.subspan(at, size), rows_.value.subspan(at, size));
  }

  // What will be read soon and lies anywhere in memory.
  static void fetch(std::span<const Posting> postings) {
    const auto first = postings.first(std::min<std::size_t>(256, postings.size()));
    for (std::size_t i = 0; i < first.size(); i += 16) LINNET_PREFETCH(first.data() + i);
  }
  void fetch_rows(const Asked& asked, Index k) const {
    const Index count = std::min({k, kFetched, std::ssize(asked.candidates)});
    for (Index c = 0; c < count; ++c) {
      const Id row = row_of(asked.candidates[c]);
      const Index at = rows_.begin[row], end = std::min(rows_.begin[row + 1], at + 128);
      for (Index i = at; i < end; i += 16) fetch_entry(i);
      if (end > at) fetch_entry(end - 1);
    }
  }
  void fetch_entry(Index i) const {
    LINNET_PREFETCH(rows_.column.data() + i);
    LINNET_PREFETCH(rows_.value.data() + i);
  }
  static constexpr Index kFetched = 16;  // rows at once

  SparseRows rows_;
  const RowIndex& index_;
  std::vector<Asked> asked_;
  Buffer<Sum> sums_;        // (queries, blocks × kBlock)
  Buffer<Sum> maxima_;      // (queries, blocks × kGroups)
  std::vector<Id> groups_;  // of whose rows some may be candidates
  std::vector<Candidate> found_;
  QueryValues values_;  // of the query whose turn it is
  std::vector<char> met_;
  std::vector<Near> best_;
  Steps steps_;
};

}  // namespace linnet::memory
