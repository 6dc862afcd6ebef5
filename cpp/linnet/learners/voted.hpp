// The voted perceptron (Freund and Schapire 1999): every weight vector w_k that the perceptron
// passed through votes for its prediction, as often as it survived instances, c_k. The vectors are
// kept as what each of them added to the one before: a row, and the labels it moved.
#pragma once
#include <algorithm>

#include "linnet/learners/online.hpp"

namespace linnet {

class VotedRule {
 public:
  explicit VotedRule(Id width) : width_(width) {
    if (width < 1) throw std::invalid_argument("the width is at least 1");
  }
  // One column a label, two for a binary problem of width 1.
  Id labels() const { return width_ == 1 ? 2 : width_; }
  Index updates() const { return static_cast<Index>(survived_.size()) - 1; }
  const std::vector<Index>& survived() const { return survived_; }

  void grow(Index) {}
  void settle(OnlineWeights&, const Instance& x, InstanceBuffer&) {
    if (x.sites.size() != 1 || x.sites[0].count != 1 || x.sites[0].width != width_)
      throw std::invalid_argument("voting needs one site of " + std::to_string(width_) +
                                  " labels an instance");
    ++survived_.back();
  }
  void step(OnlineWeights& w, const Instance& x, InstanceBuffer& buffer, const Outcome&) {
    --survived_.back();  // it did not survive this instance; its successor did
    survived_.push_back(1);
    remember(x, buffer);
    w.add_rows(x, buffer, -x.weight);
  }
  void finish(OnlineWeights&) {}

  // out[i][y] = sum of c_k over the w_k that predict label y for row i. An index of the updates by
  // feature gives all products x_k . x_i at the cost of the features they share; replaying the
  // updates then costs O(updates) a row. False: interrupted.
  bool votes(const Rows& rows, double* out) const {
    const FeatureIndex index = index_features();
    std::vector<double> products(static_cast<std::size_t>(updates()));
    std::vector<double> scores(static_cast<std::size_t>(width_));
    RowBuffer buffer;
    StopCheck stop;
    for (Index i = 0; i < rows.size(); ++i) {
      if (stop()) return false;
      for (std::size_t k = 0; k < products.size(); ++k)
        products[k] = static_cast<double>(bias_[k]) * static_cast<double>(rows.bias());
      const Row row = rows.row(i, buffer);
      for (Id j = 0; j < row.size; ++j) {
        const Index f = row.index[j];
        if (f + 1 >= static_cast<Index>(index.begin.size())) continue;  // never in an update
        for (Index e = index.begin[f]; e < index.begin[f + 1]; ++e)
          products[index.entries[e].first] +=
              static_cast<double>(index.entries[e].second) * static_cast<double>(row.value[j]);
      }
      replay(products, scores, out + i * labels());
    }
    return true;
  }

 private:
  // Entries begin[f] .. begin[f + 1]: (update, value) of feature f.
  struct FeatureIndex {
    std::vector<Index> begin;
    std::vector<std::pair<Id, float>> entries;
  };

  // The rows are copied: the training data may be gone when votes are asked for.
  void remember(const Instance& x, InstanceBuffer& buffer) {
    const Group& g = x.sites[0];
    const Row row = g.rows->row(g.first, buffer.site.row);
    feature_.insert(feature_.end(), row.index, row.index + row.size);
    value_.insert(value_.end(), row.value, row.value + row.size);
    row_end_.push_back(static_cast<Index>(feature_.size()));
    bias_.push_back(g.rows->bias());
    for (Id y = 0; y < width_; ++y)
      if (buffer.delta[y] != 0) moved_.emplace_back(y, -x.weight * buffer.delta[y]);
    moved_end_.push_back(static_cast<Index>(moved_.size()));
  }

  FeatureIndex index_features() const {
    FeatureIndex index;
    const Id features =
        feature_.empty() ? 0 : *std::max_element(feature_.begin(), feature_.end()) + 1;
    index.begin.resize(static_cast<std::size_t>(features) + 1);
    for (Id f : feature_) ++index.begin[f + 1];
    for (Id f = 0; f < features; ++f) index.begin[f + 1] += index.begin[f];
    index.entries.resize(feature_.size());
    std::vector<Index> next(index.begin.begin(), index.begin.end());
    for (std::size_t k = 0, e = 0; k < row_end_.size(); ++k)
      for (; e < static_cast<std::size_t>(row_end_[k]); ++e)
        index.entries[next[feature_[e]]++] = {static_cast<Id>(k), value_[e]};
    return index;
  }

  // Votes of w_0 = 0, w_1, ... for a row whose products with the updates are given.
  void replay(const std::vector<double>& products, std::vector<double>& scores, double* out) const {
    std::fill(scores.begin(), scores.end(), 0.0);
    std::fill(out, out + labels(), 0.0);
    Id best = best_of(scores);
    out[best] += static_cast<double>(survived_[0]);
    Index m = 0;
    for (std::size_t k = 0; k < products.size(); ++k) {
      if (products[k] != 0) {
        for (; m < moved_end_[k]; ++m) scores[moved_[m].first] += moved_[m].second * products[k];
        best = best_of(scores);
      }
      m = moved_end_[k];
      out[best] += static_cast<double>(survived_[k + 1]);
    }
  }
  // Equal scores: the later label.
  Id best_of(const std::vector<double>& scores) const {
    if (width_ == 1) return scores[0] >= 0 ? 1 : 0;
    Id best = 0;
    for (Id y = 1; y < width_; ++y)
      if (scores[y] >= scores[best]) best = y;
    return best;
  }

  Id width_;
  std::vector<Index> survived_{0};  // c_0, c_1, ...
  std::vector<Id> feature_;         // the rows of the updates, packed
  std::vector<float> value_;
  std::vector<Index> row_end_;
  std::vector<float> bias_;
  std::vector<std::pair<Id, double>> moved_;  // (label, its coefficient), packed
  std::vector<Index> moved_end_;
};

}  // namespace linnet
