// The votes of the voted perceptron (Freund and Schapire 1999). The weight vectors w_0 = 0, w_1,
// ... are kept as what each of them added to the one before: a row, and the labels it moved.
#pragma once
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "linnet/base/archive.hpp"
#include "linnet/base/interrupt.hpp"
#include "linnet/features/rows.hpp"

namespace linnet {

// Packed arrays; the rows are copies, because the training data may be gone when votes are counted.
struct VoteHistory {
  Id width = 1;
  std::vector<Index> survived{0};  // updates + 1: instances that w_k survived
  std::vector<Index> row_end;      // updates: where the row of each ends
  std::vector<Id> feature;
  std::vector<float> value;
  std::vector<float> bias;       // updates
  std::vector<Index> moved_end;  // updates: where the labels that each moved end
  std::vector<Id> moved_label;
  std::vector<double> moved_by;

  std::size_t updates() const { return moved_end.size(); }
  // One column a label, two for a binary problem of width 1.
  Id labels() const { return width == 1 ? 2 : width; }

  void state(Archive& a) {
    a(width);
    a.list(survived, row_end, feature, value, bias, moved_end, moved_label, moved_by);
    if (a.reading()) check();
  }
  // Nothing read later may leave the arrays, wherever they come from.
  void check() const {
    const auto refuse_unless = [](bool fine, const char* what) {
      if (!fine) throw std::invalid_argument(std::string("not the state of a vote: ") + what);
    };
    const std::size_t n = updates();
    refuse_unless(width >= 1, "the width is below 1");
    refuse_unless(survived.size() == n + 1 && row_end.size() == n && bias.size() == n,
                  "its arrays differ in the number of updates");
    refuse_unless(feature.size() == value.size() && moved_label.size() == moved_by.size(),
                  "indices and values differ in number");
    refuse_unless(n <= std::numeric_limits<Id>::max(), "too many updates");
    refuse_unless(ends_at(row_end, feature.size()) && ends_at(moved_end, moved_label.size()),
                  "the ends of its rows are out of order");
    refuse_unless(all_in(survived, Index{0}, std::numeric_limits<Index>::max()),
                  "a count is negative");
    refuse_unless(all_in(feature, 0, std::numeric_limits<Id>::max()), "a feature is negative");
    refuse_unless(all_in(moved_label, 0, width - 1), "a label is out of range");
    refuse_unless(all_finite(value) && all_finite(bias) && all_finite(moved_by),
                  "a value is not finite");
  }

 private:
  template <class T>
  static bool all_finite(const std::vector<T>& values) {
    return std::all_of(values.begin(), values.end(), [](T v) { return std::isfinite(v); });
  }
  static bool ends_at(const std::vector<Index>& ends, std::size_t size) {
    const bool inside = ends.empty() ? size == 0 : ends.front() >= 0;
    return inside && std::is_sorted(ends.begin(), ends.end()) &&
           (ends.empty() || static_cast<std::size_t>(ends.back()) == size);
  }
  template <class T>
  static bool all_in(const std::vector<T>& values, T low, T high) {
    return std::all_of(values.begin(), values.end(), [=](T v) { return v >= low && v <= high; });
  }
};

// Counts votes. An index of the updates by feature gives all products x_k · x at the cost of the
// features they share; replaying the updates then costs O(updates) a row.
class Votes {
 public:
  explicit Votes(VoteHistory history) : history_(std::move(history)) {
    history_.check();
    index_features();
  }
  const VoteHistory& history() const { return history_; }
  Id labels() const { return history_.labels(); }

  // out[i][y] = sum of c_k over the w_k that predict label y for row i. False: interrupted.
  bool count(const Rows& rows, double* out) const {
    std::vector<double> products(history_.updates());
    std::vector<double> scores(static_cast<std::size_t>(history_.width));
    RowBuffer buffer;
    StopCheck stop;
    for (Index i = 0; i < rows.size(); ++i) {
      if (stop()) return false;
      for (std::size_t k = 0; k < products.size(); ++k)
        products[k] = static_cast<double>(history_.bias[k]) * static_cast<double>(rows.bias());
      const Row row = rows.row(i, buffer);
      for (Id j = 0; j < row.size; ++j) {
        const double value = static_cast<double>(row.value[j]);
        const auto [begin, end] = entries_of(row.index[j]);
        for (Index e = begin; e < end; ++e)
          products[entries_[e].first] += static_cast<double>(entries_[e].second) * value;
      }
      replay(products, scores, out + i * labels());
    }
    return true;
  }

 private:
  // The entries of a feature, none if no update has it.
  std::pair<Index, Index> entries_of(Id feature) const {
    const auto found = std::lower_bound(features_.begin(), features_.end(), feature);
    if (found == features_.end() || *found != feature) return {0, 0};
    const auto k = found - features_.begin();
    return {begin_[k], begin_[k + 1]};
  }

  void index_features() {
    const VoteHistory& h = history_;
    features_ = h.feature;
    std::sort(features_.begin(), features_.end());
    features_.erase(std::unique(features_.begin(), features_.end()), features_.end());
    std::vector<Id> place(h.feature.size());  // of each entry's feature among the distinct ones
    begin_.assign(features_.size() + 1, 0);
    for (std::size_t e = 0; e < place.size(); ++e) {
      place[e] = static_cast<Id>(
          std::lower_bound(features_.begin(), features_.end(), h.feature[e]) - features_.begin());
      ++begin_[place[e] + 1];
    }
    for (std::size_t f = 0; f < features_.size(); ++f) begin_[f + 1] += begin_[f];
    entries_.resize(place.size());
    std::vector<Index> next(begin_);
    for (std::size_t k = 0, e = 0; k < h.updates(); ++k)
      for (; e < static_cast<std::size_t>(h.row_end[k]); ++e)
        entries_[next[place[e]]++] = {static_cast<Id>(k), h.value[e]};
  }

  // Votes of w_0 = 0, w_1, ... for a row whose products with the updates are given.
  void replay(const std::vector<double>& products, std::vector<double>& scores, double* out) const {
    const VoteHistory& h = history_;
    std::fill(scores.begin(), scores.end(), 0.0);
    std::fill(out, out + labels(), 0.0);
    Id best = 0;
    out[best] += static_cast<double>(h.survived[0]);
    Index m = 0;
    for (std::size_t k = 0; k < products.size(); ++k) {
      if (products[k] != 0) {
        for (; m < h.moved_end[k]; ++m) scores[h.moved_label[m]] += h.moved_by[m] * products[k];
        best = best_of(scores);
      }
      m = h.moved_end[k];
      out[best] += static_cast<double>(h.survived[k + 1]);
    }
  }
  // Equal scores: the earlier label.
  Id best_of(const std::vector<double>& scores) const {
    if (history_.width == 1) return scores[0] > 0 ? 1 : 0;
    return static_cast<Id>(std::max_element(scores.begin(), scores.end()) - scores.begin());
  }

  VoteHistory history_;
  std::vector<Id> features_;  // distinct, in order
  std::vector<Index> begin_;  // entries of the f-th of them are begin_[f] .. begin_[f + 1]
  std::vector<std::pair<Id, float>> entries_;  // (update, value)
};

}  // namespace linnet
