// The weights of a sequence model that has one per (feature, label) seen together in training, or
// per (feature, label) at all, and its tokens in the layout that reads them fastest.
//
// - Features with many labels get a row over all labels, added as a whole; the others are single
//   (label, weight) entries of their tokens.
// - Features that stand at the same tokens with the same values move together: with a penalty
//   symmetric in them k equal weights w are one coordinate u = √k w, which scores √k u. The norm,
//   and with it every step of a method that starts at zero, stays what it was, in fewer dimensions.
#pragma once
#include <bit>
#include <cmath>
#include <span>

#include "linnet/base/simd.hpp"
#include "linnet/features/rows.hpp"

namespace linnet {

class SeenPairs {
 public:
  struct Single {
    Id weight, label;
  };

  // labels: one per token, −1 where it is missing. `all`: every label for every feature.
  SeenPairs(const Rows& rows, std::span<const Id> labels, Id num_labels, bool all)
      : num_labels_(num_labels), words_((num_labels + 63) / 64) {
    if (static_cast<Index>(labels.size()) != rows.size())
      throw std::invalid_argument("X has " + std::to_string(rows.size()) + " tokens but y has " +
                                  std::to_string(labels.size()));
    if (num_labels < 1) throw std::invalid_argument("there must be at least one label");
    for (Id y : labels)
      if (y < -1 || y >= num_labels) throw std::invalid_argument("a label id is out of range");
    const std::vector<Tokens> tokens = look(rows, labels, all);
    merge(tokens);
    number();
    pack(rows, places(tokens));
  }

  Id num_labels() const { return num_labels_; }
  Index tokens() const { return static_cast<Index>(single_start_.size()) - 1; }
  Index dim() const { return static_cast<Index>(scale_.size()); }
  Index dense_rows() const { return static_cast<Index>(dense_first_.size()); }

  // How far ahead of a token's singles one may read, to fetch what will be needed.
  static constexpr Index kAhead = 24;
  // What a token adds up: whole rows, then single weights. Values are empty when all are 1.
  std::span<const Id> dense(Index t) const { return slice(dense_, dense_start_, t); }
  std::span<const float> dense_values(Index t) const {
    return dense_value_.empty() ? std::span<const float>() : slice(dense_value_, dense_start_, t);
  }
  std::span<const Single> singles(Index t) const { return slice(single_, single_start_, t); }
  std::span<const float> single_values(Index t) const {
    return single_value_.empty() ? std::span<const float>()
                                 : slice(single_value_, single_start_, t);
  }
  bool has_values() const { return !dense_value_.empty() || !single_value_.empty(); }

  // ‖x‖² of tokens, from t on.
  const float* norms(Index t) const { return norm_.data() + t; }
  // √k of each coordinate.
  std::span<const double> scale() const { return scale_; }
  // visit(row, label, coordinate) for every coordinate of a dense row.
  template <class Visit>
  void each_dense(Visit&& visit) const {
    for (Index r = 0; r < dense_rows(); ++r) {
      Id at = dense_first_[r];
      each_label(dense_feature_[r], [&](Id y) { visit(r, y, at++); });
    }
  }
  // visit(feature, label, coordinate) for every pair, by feature and label; feature 0 is the
  // constant one, f + 1 feature f.
  template <class Visit>
  void each_pair(Visit&& visit) const {
    for (Id f = 0; f < static_cast<Id>(leader_.size()); ++f) {
      Id at = first_[leader_[f]];
      each_label(f, [&](Id y) { visit(f, y, at++); });
    }
  }

 private:
  using Bits = std::uint64_t;

  template <class T>
  static std::span<const T> slice(const std::vector<T>& all, const std::vector<Index>& start,
                                  Index t) {
    const auto from = static_cast<std::size_t>(start[t]);
    return {all.data() + from, static_cast<std::size_t>(start[t + 1]) - from};
  }
  static Bits mix(Bits x) {  // splitmix64
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  Id count(Id f) const {
    Id n = 0;
    for (Id k = 0; k < words_; ++k) n += std::popcount(seen_[word(f, k)]);
    return n;
  }
  std::size_t word(Id f, Id k) const { return static_cast<std::size_t>(Index{f} * words_ + k); }
  template <class Visit>
  void each_label(Id f, Visit&& visit) const {
    for (Id k = 0; k < words_; ++k)
      for (Bits left = seen_[word(f, k)]; left != 0; left &= left - 1)
        visit(64 * k + static_cast<Id>(std::countr_zero(left)));
  }

  // visit(token, feature, value) for every entry; fetch(feature) some entries before.
  template <class Fetch, class Visit>
  static void each_entry(const Rows& rows, Fetch&& fetch, Visit&& visit) {
    constexpr Id kBefore = 12;
    RowBuffer buffer;
    for (Index t = 0; t < rows.size(); ++t) {
      if (rows.bias() != 0) visit(t, Id{0}, rows.bias());
      const Row row = rows.row(t, buffer);
      for (Id k = 0; k < std::min(kBefore, row.size); ++k) fetch(row.index[k] + 1);
      for (Id k = 0; k < row.size; ++k) {
        if (k + kBefore < row.size) fetch(row.index[k + kBefore] + 1);
        visit(t, row.index[k] + 1, row.value[k]);
      }
    }
  }

  // Where a feature stands: a fingerprint of its tokens and values, and how many tokens.
  struct Tokens {
    Bits print = 0;
    Index count = 0;
  };

  // Which labels each feature was seen with, and its tokens.
  std::vector<Tokens> look(const Rows& rows, std::span<const Id> labels, bool all) {
    const auto features = static_cast<std::size_t>(rows.features()) + 1;
    seen_.resize(features * static_cast<std::size_t>(words_));
    std::vector<Tokens> found(features);
    Bits token = 0;
    Index last = -1;
    each_entry(
        rows,
        [&](Id f) {
          LINNET_PREFETCH(seen_.data() + word(f, 0));
          LINNET_PREFETCH(found.data() + f);
        },
        [&](Index t, Id f, float value) {
          if (t != last) token = mix(static_cast<Bits>(t)), last = t;
          const Id y = labels[t];
          if (y >= 0) seen_[word(f, y / 64)] |= Bits{1} << (y % 64);
          found[f].print += value == 1.f ? token : mix(token ^ std::bit_cast<std::uint32_t>(value));
          ++found[f].count;
          if (value != 1.f) valued_ = true;
        });
    if (all)
      for (std::size_t f = 0; f < features; ++f)
        if (found[f].count != 0)
          for (Id y = 0; y < num_labels_; ++y)
            seen_[word(static_cast<Id>(f), y / 64)] |= Bits{1} << (y % 64);
    return found;
  }

  // Features of the same tokens follow the first of them. An open table of their numbers, at most
  // half full.
  void merge(std::span<const Tokens> tokens) {
    const std::size_t features = tokens.size(), slots = std::bit_ceil(2 * features);
    std::vector<Id> table(slots, -1);
    leader_.resize(features);
    copies_.assign(features, 0);
    for (std::size_t f = 0; f < features; ++f) {
      const Id id = static_cast<Id>(f);
      leader_[f] = id;
      if (tokens[f].count != 0) {
        std::size_t at = tokens[f].print & (slots - 1);
        while (table[at] >= 0 && tokens[table[at]].print != tokens[f].print)
          at = (at + 1) & (slots - 1);
        if (table[at] < 0) table[at] = id;
        leader_[f] = table[at];
      }
      ++copies_[leader_[f]];
    }
  }

  // Coordinates, feature by feature, labels in order; those of dense rows first.
  void number() {
    const std::size_t features = leader_.size();
    first_.assign(features, 0);
    for (const bool dense : {true, false})
      for (std::size_t f = 0; f < features; ++f) {
        const Id id = static_cast<Id>(f), labels = count(id);
        if (leader_[f] != id || labels == 0 || (labels >= kDense) != dense) continue;
        first_[f] = static_cast<Id>(scale_.size());
        if (dense) {
          dense_first_.push_back(first_[f]);
          dense_feature_.push_back(id);
        }
        if (static_cast<Index>(scale_.size()) + labels > std::numeric_limits<Id>::max())
          throw std::invalid_argument("more than 2^31 weights");
        scale_.insert(scale_.end(), static_cast<std::size_t>(labels), std::sqrt(copies_[f]));
      }
  }

  // What a token with a feature gets: nothing, a dense row, or singles of so many labels, of which
  // the first one is given.
  struct Place {
    Id labels = 0, first = 0, label = 0;
    static constexpr Id kRow = -1;  // in place of labels; `first` is then the row
  };

  std::vector<Place> places(std::span<const Tokens> tokens) {
    std::vector<Place> all(leader_.size());
    for (std::size_t f = 0; f < all.size(); ++f)
      if (const Id id = static_cast<Id>(f), labels = count(id); leader_[f] == id && labels > 0) {
        all[f] = {labels, first_[f], 0};
        while ((seen_[word(id, all[f].label / 64)] >> (all[f].label % 64) & 1) == 0) ++all[f].label;
      }
    for (Index r = 0; r < dense_rows(); ++r)
      all[dense_feature_[r]] = {Place::kRow, static_cast<Id>(r), 0};
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
          if (place.labels == 1) {
            single_.push_back({place.first, place.label});
          } else if (place.labels > 1) {
            Id at = place.first;
            each_label(f, [&](Id y) { single_.push_back({at++, y}); });
          }
          if (valued_) single_value_.resize(single_.size(), value);
        });
    close(rows.size());
    single_.resize(single_.size() + kAhead);  // what is read ahead of the last token
  }

  static constexpr Id kDense = 5;  // labels from which on adding a whole row is faster

  Id num_labels_, words_;
  bool valued_ = false;
  std::vector<Bits> seen_;  // features × words_
  std::vector<Id> leader_, copies_, first_;
  std::vector<Id> dense_first_, dense_feature_;  // of each dense row
  std::vector<double> scale_;
  std::vector<Id> dense_;
  std::vector<Single> single_;
  std::vector<float> dense_value_, single_value_, norm_;
  std::vector<Index> dense_start_, single_start_;
};

}  // namespace linnet
