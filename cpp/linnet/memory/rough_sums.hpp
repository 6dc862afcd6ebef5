// Sums of a query's products with rows, in whole numbers of 16 bits, and the largest of them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>

#include "linnet/base/simd.hpp"
#include "linnet/memory/row_index.hpp"

namespace linnet::memory {

using Sum = std::int16_t;

// A column of a query: where it begins, and what a value adds, in 1 / 128 or in 2^-kFactorBits.
struct PlainTerm {
  Index at;  // in every block
  std::int16_t factor;
};
struct RareTerm {
  const RowIndex::Column* column;
  std::int64_t factor;
};
inline constexpr int kFactorBits = 24;

// Rows of a block in groups: those whose numbers are equal modulo kGroups.
inline constexpr Index kGroups = 16;

// (value factor) / 2^15, rounded; written as the processor's instruction has it.
LINNET_INLINE Sum small_product(int value, int factor) {
  return static_cast<Sum>(((value * factor >> 14) + 1) >> 1);
}

// Of some plain columns, which compilers hold in registers, all rows of a block.
template <int kTerms, bool kAdd>
LINNET_INLINE void add_terms(const BytePair* LINNET_RESTRICT block, const PlainTerm* term,
                             Sum* LINNET_RESTRICT sums) {
  constexpr Index kHalf = RowIndex::kHalf;
  const BytePair* of[kTerms];
  Sum factor[kTerms];
  for (int t = 0; t < kTerms; ++t) of[t] = block + term[t].at, factor[t] = term[t].factor;
  for (Index i = 0; i < kHalf; ++i) {
    Sum first = kAdd ? sums[i] : Sum{0}, second = kAdd ? sums[kHalf + i] : Sum{0};
    for (int t = 0; t < kTerms; ++t) {
      const auto low = static_cast<Sum>(of[t][i] << 8), high = static_cast<Sum>(of[t][i] & 0xff00);
      first = static_cast<Sum>(first + small_product(low, factor[t]));
      second = static_cast<Sum>(second + small_product(high, factor[t]));
    }
    sums[i] = first;
    sums[kHalf + i] = second;
  }
}

LINNET_INLINE void sum_terms(const BytePair* LINNET_RESTRICT block, const PlainTerm* term,
                             const PlainTerm* end, Sum* LINNET_RESTRICT sums) {
  const auto over = (end - term) % 4;
  if (over == 1) add_terms<1, false>(block, term, sums);
  if (over == 2) add_terms<2, false>(block, term, sums);
  if (over == 3) add_terms<3, false>(block, term, sums);
  if (over == 0) add_terms<4, false>(block, term, sums), term += 4;
  for (term += over; term != end; term += 4) add_terms<4, true>(block, term, sums);
}

// Adds what plain columns have in a block, of which 2^finer units are one, to its sums; and tells
// the largest sum of each group.
LINNET_CLONES inline void add_plain(const BytePair* LINNET_RESTRICT block,
                                    std::span<const PlainTerm> terms, int finer,
                                    Sum* LINNET_RESTRICT sums, Sum* LINNET_RESTRICT maxima) {
  alignas(64) Sum own[RowIndex::kBlock];
  if (!terms.empty()) {
    sum_terms(block, terms.data(), terms.data() + terms.size(), own);
    const Sum half = static_cast<Sum>((1 << finer) >> 1);
    for (Index i = 0; i < RowIndex::kBlock; ++i)
      sums[i] = static_cast<Sum>(sums[i] + (static_cast<Sum>(own[i] + half) >> finer));
  }
  // Halves are laid one upon the other until a group is left: compilers see vectors in that.
  Index width = RowIndex::kBlock / 2;
  for (Index i = 0; i < width; ++i) own[i] = std::max(sums[i], sums[width + i]);
  while ((width /= 2) >= kGroups)
    for (Index i = 0; i < width; ++i) own[i] = std::max(own[i], own[width + i]);
  for (Index g = 0; g < kGroups; ++g) maxima[g] = own[g];
}

// Adds a column that is not plain. Products are rounded up: no sum is below what it should be.
inline void add_rare(const RowIndex& index, const RareTerm& term, Sum* LINNET_RESTRICT sums) {
  const int bits = index.value_bits();
  const Posting value = (Posting{1} << bits) - 1;
  const std::int64_t up = (1 << kFactorBits) - 1 - (term.factor << (bits - 1));
  for (const Posting p : index.postings(*term.column)) {
    const auto product = (static_cast<std::int64_t>(p & value) * term.factor + up) >> kFactorBits;
    Sum& sum = sums[p >> bits];
    sum = static_cast<Sum>(sum + product);
  }
}

// The k-th largest of n numbers, a multiple of 16, or 0 if it is below: the largest that k numbers
// reach, bit by bit. The last bits, which are small beside the sums' error, stay 0.
LINNET_CLONES inline Sum kth_largest(const Sum* numbers, Index n, Index k) {
  constexpr Index kLanes = 16, kMost = 32000 * kLanes;  // what counts of 16 bits can hold
  int found = 0;
  for (int bit = 14; bit >= 3; --bit) {
    const auto tried = static_cast<Sum>(found | 1 << bit);
    Index reach = 0;
    for (Index at = 0; at < n;) {
      std::int16_t count[kLanes] = {};
      for (const Index end = std::min(n, at + kMost); at < end; at += kLanes)
        for (Index i = 0; i < kLanes; ++i)
          count[i] = static_cast<std::int16_t>(count[i] + (numbers[at + i] >= tried ? 1 : 0));
      for (Index i = 0; i < kLanes; ++i) reach += count[i];
    }
    if (reach >= k) found = tried;
  }
  return static_cast<Sum>(found);
}

}  // namespace linnet::memory
