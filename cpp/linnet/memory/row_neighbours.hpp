// The k rows of highest inner product with a query, over an inverted index.
//
// Features of a query are taken by what they can add at most, |q_j| max_i |x_ij|, largest first,
// and their postings are added up. When what is left of the query cannot bring a row that has not
// been met among the best k, postings are read no further: the rows that may still be among them
// are compared one by one (Turtle and Flood 1995: "max score"). So the long postings of frequent
// words are hardly ever read. Sums that decide what is looked at have room for errors of rounding;
// scores are sums in double precision in the order of the row. Of equal scores the first row is
// nearer.
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/types.hpp"

namespace linnet::memory {

// Sparse rows where they lie.
struct SparseRows {
  std::span<const Index> begin;  // (rows + 1,)
  std::span<const Id> column;
  std::span<const float> value;
  Index rows() const { return static_cast<Index>(begin.size()) - 1; }
};

class RowIndex {
 public:
  struct Posting {
    Id row;
    float value;
  };

  RowIndex(const SparseRows& rows, Id columns) : begin_(columns + 1, 0), most_(columns, 0.f) {
    for (Id j : rows.column) ++begin_[j + 1];
    for (Id j = 0; j < columns; ++j) begin_[j + 1] += begin_[j];
    postings_.resize(rows.column.size());
    std::vector<Index> next(begin_.begin(), begin_.end() - 1);
    for (Index i = 0; i < rows.rows(); ++i)
      for (Index k = rows.begin[i]; k < rows.begin[i + 1]; ++k) {
        const Id j = rows.column[k];
        postings_[next[j]++] = {static_cast<Id>(i), rows.value[k]};
        most_[j] = std::max(most_[j], std::abs(rows.value[k]));
        negative_ |= rows.value[k] < 0;
      }
  }

  Id columns() const { return static_cast<Id>(most_.size()); }
  bool negative() const { return negative_; }  // is any value?
  float most(Id column) const { return most_[column]; }
  std::span<const Posting> of(Id column) const {
    return {postings_.data() + begin_[column],
            static_cast<std::size_t>(begin_[column + 1] - begin_[column])};
  }

 private:
  std::vector<Index> begin_;
  std::vector<Posting> postings_;
  std::vector<float> most_;
  bool negative_ = false;
};

struct Near {
  double score;
  Id row;
  bool operator<(const Near& other) const {
    return score != other.score ? score > other.score : row < other.row;
  }
};

class RowSearch {
 public:
  RowSearch(const SparseRows& rows, const RowIndex& index)
      : rows_(rows),
        index_(index),
        sum_(rows.rows(), 0.f),
        met_(rows.rows(), 0),
        dense_(index.columns(), 0.f),
        mean_length_(1 + std::ssize(rows.column) / std::max<Index>(1, rows.rows())) {}

  // The k nearest rows to one query, nearest first: all that share a feature with it, and others
  // of score 0 if these do not suffice.
  const std::vector<Near>& nearest(std::span<const Id> column, std::span<const float> value,
                                   Index k) {
    k = std::min(k, rows_.rows());
    terms_.clear();
    double left = 0;
    bool negative = index_.negative();
    for (std::size_t i = 0; i < column.size(); ++i) {
      const Id j = column[i];
      dense_[j] = value[i];
      negative |= value[i] < 0;
      if (const double most = std::abs(value[i]) * static_cast<double>(index_.most(j)); most > 0)
        terms_.push_back({most, j}), left += most;
    }
    std::sort(terms_.begin(), terms_.end(), [](const Term& a, const Term& b) {
      return a.most != b.most ? a.most > b.most : a.column < b.column;
    });
    touched_.clear();
    highest_ = 0;
    Index ahead = 0, since = 0;  // postings
    for (const Term& term : terms_) ahead += std::ssize(index_.of(term.column));
    const double slack = 1e-5 * left + 1e-30;
    double floor = -kInf;
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      const auto postings = index_.of(terms_[t].column);
      steps_(std::ssize(postings));
      add(postings, dense_[terms_[t].column]);
      left = t + 1 < terms_.size() ? left - terms_[t].most : 0;
      ahead -= std::ssize(postings);
      since += std::ssize(postings);
      // The k-th best sum of now, less what may still be taken from it: what a row must reach.
      // It is looked for as seldom as it takes long, and not before it can be of any use.
      if (t + 1 < terms_.size() && (since < std::ssize(touched_) || left + slack >= highest_))
        continue;
      since = 0;
      floor = kth_sum(k, negative ? -kInf : floor) - slack - (negative ? left : 0);
      if (left + slack < floor && still_near(floor, left + slack) * mean_length_ < ahead) break;
    }
    collect(k, floor, left + slack);
    for (Id j : column) dense_[j] = 0;
    for (Id i : touched_) sum_[i] = 0, met_[i] = 0;
    return best_;
  }

 private:
  struct Term {
    double most;
    Id column;
  };

  void add(std::span<const RowIndex::Posting> postings, float q) {
    for (const auto& [row, value] : postings) {
      if (!met_[row]) met_[row] = 1, touched_.push_back(row);
      highest_ = std::max(highest_, sum_[row] += q * value);
    }
  }

  // How many rows may still be among the best.
  Index still_near(double floor, double room) const {
    Index count = 0;
    for (Id i : touched_) count += sum_[i] + room >= floor;
    return count;
  }

  // The k-th best sum; it is known that k of them are not below `least`.
  double kth_sum(Index k, double least) {
    if (std::ssize(touched_) < k) return -kInf;
    sums_.clear();
    for (Id i : touched_)
      if (sum_[i] >= least) sums_.push_back(sum_[i]);
    std::nth_element(sums_.begin(), sums_.begin() + (k - 1), sums_.end(), std::greater<>());
    return sums_[k - 1];
  }

  // Those that may reach the floor, compared exactly; rows that share nothing have score 0.
  void collect(Index k, double floor, double room) {
    best_.clear();
    for (Id i : touched_)
      if (sum_[i] + room >= floor) best_.push_back({score(i), i});
    // Rows never met score 0 and may be nearer than some of these, or be needed to have k.
    Index wanted = k;
    for (const Near& near : best_) wanted -= near.score > 0;
    for (Id i = 0; wanted > 0 && i < static_cast<Id>(rows_.rows()); ++i)
      if (!met_[i]) best_.push_back({0, i}), --wanted;
    const auto last = best_.begin() + std::min<Index>(k, std::ssize(best_));
    std::partial_sort(best_.begin(), last, best_.end());
    best_.erase(last, best_.end());
  }

  double score(Id row) const {
    double sum = 0;
    for (Index k = rows_.begin[row]; k < rows_.begin[row + 1]; ++k)
      sum += static_cast<double>(dense_[rows_.column[k]]) * static_cast<double>(rows_.value[k]);
    return sum;
  }

  SparseRows rows_;
  const RowIndex& index_;
  std::vector<float> sum_;
  std::vector<char> met_;
  std::vector<float> dense_;  // the query
  Index mean_length_;         // of rows
  float highest_ = 0;         // of all sums
  std::vector<Term> terms_;
  std::vector<Id> touched_;
  std::vector<float> sums_;
  std::vector<Near> best_;
  Steps steps_;
};

}  // namespace linnet::memory
