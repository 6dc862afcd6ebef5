// Products of sparse rows with all rows of a set, 16 at a time. Features are numbered by how
// frequent they are. For the frequent ones the 16 are laid out feature by feature, table[f][16], a
// table that stays in the cache: one pass over the set gives all products, each entry of it one
// load, one product and one sum of vectors. For the others the set has an inverted index, whose
// lists are short.
//
// A frequent feature costs df / 16 steps for each row, a rare one df for those that have it, a
// share of df / n: so rare is what fewer than one row in 32 has, since additions one by one cost
// more.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "linnet/base/lanes.hpp"
#include "linnet/features/rows.hpp"

namespace linnet {

inline constexpr Index kAtOnce = 16;

// sums[c][16] += Σ_k value_k table[index_k][16] over the entries begin[c] to end[c] of each column.
LINNET_CLONES inline void add_products(const Index* begin, const Index* end, const Id* index,
                                       const float* value, const Index* columns, Index count,
                                       const float* table, float* sums) {
  const Lanes zero = all_lanes(0);
  for (Index c = 0; c < count; ++c) {
    float* const to = sums + kAtOnce * c;
    Lanes sum0 = load_lanes(to), sum1 = load_lanes(to + 8), other0 = zero, other1 = zero;
    const Index last = end[columns[c]];
    Index k = begin[columns[c]];
    for (; k + 1 < last; k += 2) {
      const float* const one = table + kAtOnce * index[k];
      const float* const two = table + kAtOnce * index[k + 1];
      const Lanes first = all_lanes(value[k]), second = all_lanes(value[k + 1]);
      sum0 = sum0 + first * load_lanes(one);
      sum1 = sum1 + first * load_lanes(one + 8);
      other0 = other0 + second * load_lanes(two);
      other1 = other1 + second * load_lanes(two + 8);
    }
    if (k < last) {
      const float* const one = table + kAtOnce * index[k];
      sum0 = sum0 + all_lanes(value[k]) * load_lanes(one);
      sum1 = sum1 + all_lanes(value[k]) * load_lanes(one + 8);
    }
    store_lanes(to, sum0 + other0);
    store_lanes(to + 8, sum1 + other1);
  }
}

// A copy of rows, with their squared norms; each has its frequent features first.
class RowSet {
 public:
  explicit RowSet(const Rows& rows) : square_(static_cast<std::size_t>(rows.size())) {
    std::vector<Index> frequency(static_cast<std::size_t>(rows.features()), 0);
    RowBuffer buffer;
    for (Index i = 0; i < rows.size(); ++i) {
      const Row row = rows.row(i, buffer);
      for (Id k = 0; k < row.size; ++k) frequency[row.index[k]] += row.value[k] != 0;
    }
    number_by(frequency, rows.size());
    start_.assign(1, 0);
    for (Index i = 0; i < rows.size(); ++i) {
      const Row row = rows.row(i, buffer);
      for (const bool frequent : {true, false}) {
        for (Id k = 0; k < row.size; ++k)
          if (const Id number = number_[row.index[k]];
              row.value[k] != 0 && (number < frequent_) == frequent) {
            index_.push_back(number);
            value_.push_back(row.value[k]);
          }
        (frequent ? middle_ : start_).push_back(static_cast<Index>(index_.size()));
      }
      square_[i] = static_cast<float>(squared_norm(row, 0));
      if (!std::isfinite(square_[i]))
        throw std::invalid_argument("row " + std::to_string(i) +
                                    " has values too large for a kernel: scale the features");
    }
    list_rare();
  }

  Index size() const { return static_cast<Index>(start_.size()) - 1; }
  Id features() const { return static_cast<Id>(number_.size()); }  // of the rows given
  Id frequent() const { return frequent_; }
  float square(Index i) const { return square_[i]; }
  // The number of a feature of the rows given, negative if no row has it.
  Id number(Id feature) const { return number_[feature]; }
  Row operator[](Index i) const {
    return {index_.data() + start_[i], value_.data() + start_[i],
            static_cast<Id>(start_[i + 1] - start_[i])};
  }
  // What frequent features add to sums[c][16].
  void add_frequent(const Index* columns, Index count, const float* table, float* sums) const {
    add_products(start_.data(), middle_.data(), index_.data(), value_.data(), columns, count, table,
                 sums);
  }
  // What a rare feature adds to sums[place[row]][lane]; rows without a place (negative) are left.
  void add_rare(Id number, float value, const Index* place, float* sums) const {
    const Id rare = number - frequent_;
    for (Index k = rare_start_[rare]; k < rare_start_[rare + 1]; ++k)
      if (const Index at = place ? place[rare_row_[k]] : rare_row_[k]; at >= 0)
        sums[at * kAtOnce] += value * rare_value_[k];
  }

 private:
  void number_by(const std::vector<Index>& frequency, Index rows) {
    std::vector<Id> order;
    for (std::size_t f = 0; f < frequency.size(); ++f)
      if (frequency[f] > 0) order.push_back(static_cast<Id>(f));
    std::stable_sort(order.begin(), order.end(),
                     [&](Id a, Id b) { return frequency[a] > frequency[b]; });
    number_.assign(frequency.size(), -1);
    for (std::size_t k = 0; k < order.size(); ++k) {
      number_[order[k]] = static_cast<Id>(k);
      frequent_ += 32 * frequency[order[k]] >= rows;
    }
    used_ = static_cast<Id>(order.size());
  }
  void list_rare() {
    rare_start_.assign(static_cast<std::size_t>(used_ - frequent_) + 1, 0);
    for (Id number : index_)
      if (number >= frequent_) ++rare_start_[number - frequent_ + 1];
    for (std::size_t k = 1; k < rare_start_.size(); ++k) rare_start_[k] += rare_start_[k - 1];
    rare_row_.resize(static_cast<std::size_t>(rare_start_.back()));
    rare_value_.resize(rare_row_.size());
    std::vector<Index> at(rare_start_.begin(), rare_start_.end() - 1);
    for (Index i = 0; i < size(); ++i)
      for (Index k = middle_[i]; k < start_[i + 1]; ++k) {
        const Index to = at[index_[k] - frequent_]++;
        rare_row_[to] = static_cast<Id>(i);
        rare_value_[to] = value_[k];
      }
  }

  std::vector<Index> start_, middle_;
  std::vector<Id> index_, number_;
  std::vector<float> value_, square_;
  Id frequent_ = 0, used_ = 0;
  std::vector<Index> rare_start_;
  std::vector<Id> rare_row_;
  std::vector<float> rare_value_;
};

// Up to 16 rows, their features numbered as in the set.
class RowBlock {
 public:
  explicit RowBlock(const RowSet& set)
      : frequent_(set.frequent()), table_(static_cast<std::size_t>(frequent_) * kAtOnce, 0.f) {}
  const float* table() const { return table_.data(); }
  const float* squares() const { return squares_; }
  void put(Index lane, Row row, float square) {
    for (Id k = 0; k < row.size; ++k) add(lane, row.index[k], row.value[k]);
    squares_[lane] = square;
  }
  void add(Index lane, Id number, float value) {
    if (number < frequent_)
      table_[static_cast<std::size_t>(number) * kAtOnce + lane] += value;
    else
      rare_.push_back({number, static_cast<Id>(lane), value});
  }
  void set_square(Index lane, float square) { squares_[lane] = square; }
  void add_rare(const RowSet& set, const Index* place, float* sums) const {
    for (const Rare& entry : rare_)
      set.add_rare(entry.number, entry.value, place, sums + entry.lane);
  }
  void clear() {
    std::fill(table_.begin(), table_.end(), 0.f);
    rare_.clear();
    std::fill_n(squares_, kAtOnce, 0.f);
  }

 private:
  struct Rare {
    Id number, lane;
    float value;
  };
  Id frequent_;
  Buffer<float> table_;
  std::vector<Rare> rare_;
  alignas(64) float squares_[kAtOnce] = {};
};

}  // namespace linnet
