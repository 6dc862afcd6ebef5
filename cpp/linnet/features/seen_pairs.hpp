// The weights of a sequence model that has one per (feature, label) seen together in training, or
// per (feature, label) at all, and its tokens in the layout that reads them fastest.
//
// - Features with many labels get a row over all labels, added as a whole; the others are single
//   (label, weight) entries of their tokens.
// - Features that stand at the same tokens with the same values move together: with a penalty
//   symmetric in them k equal weights w are one coordinate u = √k w, which scores √k u. The norm,
//   and with it every step of a method that starts at zero, stays what it was, in fewer dimensions.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "linnet/features/merged_features.hpp"

namespace linnet {

class SeenPairs {
 public:
  using Label = std::uint16_t;

  // labels: one per token, −1 where it is missing. `all`: every label for every feature.
  SeenPairs(const Rows& rows, std::span<const Id> labels, Id num_labels, bool all)
      : num_labels_(num_labels), words_((num_labels + 63) / 64) {
    if (static_cast<Index>(labels.size()) != rows.size())
      throw std::invalid_argument("X has " + std::to_string(rows.size()) + " tokens but y has " +
                                  std::to_string(labels.size()));
    if (num_labels < 1) throw std::invalid_argument("there must be at least one label");
    if (num_labels > std::numeric_limits<Label>::max())
      throw std::invalid_argument("more than 65535 labels");
    for (Id y : labels)
      if (y < -1 || y >= num_labels) throw std::invalid_argument("a label id is out of range");
    std::vector<FeaturePlaces> tokens = look(rows, labels, all);
    MergedFeatures merged(tokens);
    leader_ = std::move(merged.leader);
    number(merged.copies, all ? 1 : kDense);
    const std::vector<Place> all_places = places(tokens);
    tokens = {};
    pack(rows, all_places);
  }

  Id num_labels() const { return num_labels_; }
  Index tokens() const { return static_cast<Index>(single_start_.size()) - 1; }
  // Coordinates: those of dense rows, then the single ones.
  Index dim() const { return dense_dim_ + single_dim(); }
  Index dense_dim() const { return dense_dim_; }
  Index single_dim() const { return static_cast<Index>(single_copies_.size()); }
  Index dense_rows() const { return static_cast<Index>(dense_first_.size()); }
  // How many features stand behind the weights of a dense row, and behind a single one.
  std::span<const float> dense_copies() const { return dense_copies_; }
  std::span<const float> single_copies() const { return single_copies_; }

  // How far ahead of a token's singles one may read, to fetch what will be needed.
  static constexpr Index kAhead = 24;
  // What a token adds up: whole rows, then single weights. Values are empty when all are 1.
  std::span<const Id> dense(Index t) const { return slice(dense_, dense_start_, t); }
  std::span<const float> dense_values(Index t) const {
    return dense_value_.empty() ? std::span<const float>() : slice(dense_value_, dense_start_, t);
  }
  std::span<const Id> singles(Index t) const { return slice(single_, single_start_, t); }
  // The label of each single weight.
  const Label* single_labels() const { return single_label_.data(); }
  std::span<const float> single_values(Index t) const {
    return single_value_.empty() ? std::span<const float>()
                                 : slice(single_value_, single_start_, t);
  }

  // ‖x‖² of tokens, from t on.
  const float* norms(Index t) const { return norm_.data() + t; }
  // visit(row, label, coordinate, √copies) for every coordinate of a dense row.
  template <class Visit>
  void each_dense(Visit&& visit) const {
    for (Index r = 0; r < dense_rows(); ++r) {
      const double scale = std::sqrt(static_cast<double>(dense_copies_[r]));
      Id at = dense_first_[r];
      each_label(dense_feature_[r], [&](Id y) { visit(r, y, at++, scale); });
    }
  }
  // visit(number among the single ones, coordinate, √copies)
  template <class Visit>
  void each_single(Visit&& visit) const {
    for (Index k = 0; k < single_dim(); ++k)
      visit(k, dense_dim_ + k, std::sqrt(static_cast<double>(single_copies_[k])));
  }
  // Where the weights of a feature stand.
  struct Weights {
    Index row;  // a dense one, or −1 for singles
    Id first;   // coordinate, of the first of its labels
    double copies;
  };
  // visit(feature, label, coordinate, weights) for every pair, by feature and label; feature 0 is
  // the constant one, f + 1 feature f.
  template <class Visit>
  void each_pair(Visit&& visit) const {
    for (Id f = 0; f < features(); ++f) {
      const Weights weights = weights_of(f);
      Id at = weights.first;
      each_label(f, [&](Id y) { visit(f, y, at++, weights); });
    }
  }
  Id features() const { return static_cast<Id>(leader_.size()); }

 private:
  using Bits = std::uint64_t;

  template <class T>
  static std::span<const T> slice(const std::vector<T>& all, const std::vector<Index>& start,
                                  Index t) {
    const auto from = static_cast<std::size_t>(start[t]);
    return {all.data() + from, static_cast<std::size_t>(start[t + 1]) - from};
  }
  Id count(Id f) const {
    Id n = 0;
    for (Id k = 0; k < words_; ++k) n += std::popcount(seen_[word(f, k)]);
    return n;
  }
  std::size_t word(Id f, Id k) const { return static_cast<std::size_t>(Index{f} * words_ + k); }
  Weights weights_of(Id f) const {
    const Id first = first_[leader_[f]];
    if (count(f) == 0) return {-1, first, 1};
    if (first >= dense_dim_)
      return {-1, first, static_cast<double>(single_copies_[first - dense_dim_])};
    const auto at = std::lower_bound(dense_first_.begin(), dense_first_.end(), first);
    const Index row = at - dense_first_.begin();
    return {row, first, static_cast<double>(dense_copies_[row])};
  }
  template <class Visit>
  void each_label(Id f, Visit&& visit) const {
    for (Id k = 0; k < words_; ++k)
      for (Bits left = seen_[word(f, k)]; left != 0; left &= left - 1)
        visit(64 * k + static_cast<Id>(std::countr_zero(left)));
  }

  // Which labels each feature was seen with, and its tokens.
  std::vector<FeaturePlaces> look(const Rows& rows, std::span<const Id> labels, bool all) {
    const auto features = static_cast<std::size_t>(rows.features()) + 1;
    seen_.resize(features * static_cast<std::size_t>(words_));
    std::vector<FeaturePlaces> found(features);
    Bits token = 0;
    Index last = -1;
    each_entry(
        rows,
        [&](Id f) {
          LINNET_PREFETCH(seen_.data() + word(f, 0));
          LINNET_PREFETCH(found.data() + f);
        },
        [&](Index t, Id f, float value) {
          if (t != last) token = mixed(static_cast<Bits>(t)), last = t;
          const Id y = labels[t];
          if (y >= 0) seen_[word(f, y / 64)] |= Bits{1} << (y % 64);
          found[f].meet(token, value);
          if (value != 1.f) valued_ = true;
        });
    if (all)
      for (std::size_t f = 0; f < features; ++f)
        if (found[f].count != 0)
          for (Id y = 0; y < num_labels_; ++y)
            seen_[word(static_cast<Id>(f), y / 64)] |= Bits{1} << (y % 64);
    return found;
  }

  // Coordinates, feature by feature, labels in order; those of dense rows first, which have the
  // `fewest` labels or more.
  void number(std::span<const Id> copies, Id fewest) {
    const std::size_t features = leader_.size();
    first_.assign(features, 0);
    for (const bool dense : {true, false})
      for (std::size_t f = 0; f < features; ++f) {
        const Id id = static_cast<Id>(f), labels = count(id);
        if (leader_[f] != id || labels == 0 || (labels >= fewest) != dense) continue;
        if (dim() + labels > std::numeric_limits<Id>::max())
          throw std::invalid_argument("more than 2^31 weights");
        first_[f] = static_cast<Id>(dim());
        if (dense) {
          dense_first_.push_back(first_[f]);
          dense_feature_.push_back(id);
          dense_copies_.push_back(static_cast<float>(copies[f]));
          dense_dim_ += labels;
        } else {
          single_copies_.insert(single_copies_.end(), static_cast<std::size_t>(labels),
                                static_cast<float>(copies[f]));
          each_label(id, [&](Id y) { single_label_.push_back(static_cast<Label>(y)); });
        }
      }
  }

  // What a token with a feature gets: nothing, a dense row, or so many singles from the first on.
  struct Place {
    Id labels = 0, first = 0;
    static constexpr Id kRow = -1;  // in place of labels; `first` is then the row
  };

  std::vector<Place> places(std::span<const FeaturePlaces> tokens) {
    std::vector<Place> all(leader_.size());
    for (std::size_t f = 0; f < all.size(); ++f)
      if (const Id id = static_cast<Id>(f), labels = count(id); leader_[f] == id && labels > 0)
        all[f] = {labels, static_cast<Id>(first_[f] - dense_dim_)};
    for (Index r = 0; r < dense_rows(); ++r)
      all[dense_feature_[r]] = {Place::kRow, static_cast<Id>(r)};
    Index dense = 0, single = 0;
    for (std::size_t f = 0; f < all.size(); ++f)
      (all[f].labels == Place::kRow ? dense : single) += tokens[f].count * std::abs(all[f].labels);
    dense_.reserve(static_cast<std::size_t>(dense));
    single_.reserve(static_cast<std::size_t>(single + kAhead));
    if (valued_) dense_value_.reserve(dense_.capacity());
    if (valued_) single_value_.reserve(single_.capacity());
    return all;
  }

  void pack(const Rows& rows, std::span<const Place> places) {
    norm_.resize(static_cast<std::size_t>(rows.size()));
    dense_start_.reserve(static_cast<std::size_t>(rows.size()) + 1);
    single_start_.reserve(static_cast<std::size_t>(rows.size()) + 1);
    const auto close = [&](Index tokens) {
      while (static_cast<Index>(dense_start_.size()) <= tokens) {
        dense_start_.push_back(static_cast<Index>(dense_.size()));
        single_start_.push_back(static_cast<Index>(single_.size()));
      }
    };
    each_entry(
        rows, [&](Id f) { LINNET_PREFETCH(places.data() + f); },
        [&](Index t, Id f, float value) {
          close(t);
          norm_[t] += value * value;
          const Place place = places[f];
          if (place.labels == Place::kRow) {
            dense_.push_back(place.first);
            if (valued_) dense_value_.push_back(value);
            return;
          }
          for (Id k = 0; k < place.labels; ++k) single_.push_back(place.first + k);
          if (valued_) single_value_.resize(single_.size(), value);
        });
    close(rows.size());
    single_.resize(single_.size() + kAhead);  // what is read ahead of the last token
  }

  static constexpr Id kDense =
      5;  // labels from which on adding a whole row is faster, unless all are

  Id num_labels_, words_;
  bool valued_ = false;
  std::vector<Bits> seen_;  // features × words_
  std::vector<Id> leader_, first_;
  Index dense_dim_ = 0;
  std::vector<Id> dense_first_, dense_feature_;  // of each dense row
  std::vector<float> dense_copies_, single_copies_;
  std::vector<Label> single_label_;
  std::vector<Id> dense_, single_;  // of all tokens
  std::vector<float> dense_value_, single_value_, norm_;
  std::vector<Index> dense_start_, single_start_;
};

}  // namespace linnet
