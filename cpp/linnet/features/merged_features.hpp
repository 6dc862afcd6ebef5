// Features that stand at the same tokens with the same values: each such group is told by its first
// feature, so that learners whose steps treat all of a group alike keep one weight for it.
#pragma once
#include <bit>
#include <span>
#include <vector>

#include "linnet/base/simd.hpp"
#include "linnet/features/rows.hpp"

namespace linnet {

// visit(token, feature, value) for every entry, and fetch(feature) some entries before; feature 0
// is the constant one, f + 1 feature f.
template <class Fetch, class Visit>
void each_entry(const Rows& rows, Fetch&& fetch, Visit&& visit) {
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

inline std::uint64_t mixed(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Where a feature stands: a fingerprint of its tokens and values, and how many tokens.
struct FeaturePlaces {
  std::uint64_t print = 0;
  Index count = 0;

  void meet(std::uint64_t token, float value) {
    print += value == 1.f ? token : mixed(token ^ std::bit_cast<std::uint32_t>(value));
    ++count;
  }
};

// The first feature of each one's group, and of how many features each is the first.
struct MergedFeatures {
  std::vector<Id> leader, copies;

  explicit MergedFeatures(std::span<const FeaturePlaces> places)
      : leader(places.size()), copies(places.size()) {
    // An open table of the numbers of features, at most half full.
    const std::size_t slots = std::bit_ceil(2 * places.size());
    std::vector<Id> table(slots, -1);
    for (std::size_t f = 0; f < places.size(); ++f) {
      leader[f] = static_cast<Id>(f);
      if (places[f].count != 0) {
        std::size_t at = places[f].print & (slots - 1);
        while (table[at] >= 0 && places[table[at]].print != places[f].print)
          at = (at + 1) & (slots - 1);
        if (table[at] < 0) table[at] = static_cast<Id>(f);
        leader[f] = table[at];
      }
      ++copies[leader[f]];
    }
  }
};

// The rows of tokens over groups of features.
class MergedRows {
 public:
  explicit MergedRows(const Rows& rows) {
    const auto features = static_cast<std::size_t>(rows.features()) + 1;
    std::vector<FeaturePlaces> places(features);
    std::uint64_t token = 0;
    Index last = -1;
    bool valued = false;
    each_entry(
        rows, [&](Id f) { LINNET_PREFETCH(places.data() + f); },
        [&](Index t, Id f, float value) {
          if (t != last) token = mixed(static_cast<std::uint64_t>(t)), last = t;
          places[f].meet(token, value);
          valued |= value != 1.f;
        });
    MergedFeatures merged(places);
    group_.assign(features, -1);
    std::size_t entries = 0;
    for (std::size_t f = 0; f < features; ++f) {
      if (places[f].count == 0) continue;
      if (merged.leader[f] == static_cast<Id>(f)) {
        group_[f] = static_cast<Id>(copies_.size());
        copies_.push_back(static_cast<float>(merged.copies[f]));
        entries += static_cast<std::size_t>(places[f].count);
      } else {
        group_[f] = group_[merged.leader[f]];
      }
    }
    places = {};
    ids_.reserve(entries);
    if (valued) values_.reserve(entries);
    starts_.reserve(static_cast<std::size_t>(rows.size()) + 1);
    const auto close = [&](Index tokens) {
      while (std::ssize(starts_) <= tokens) starts_.push_back(static_cast<Index>(ids_.size()));
    };
    each_entry(
        rows,
        [&](Id f) {
          LINNET_PREFETCH(group_.data() + f);
          LINNET_PREFETCH(merged.leader.data() + f);
        },
        [&](Index t, Id f, float value) {
          close(t);
          if (merged.leader[f] != f) return;
          ids_.push_back(group_[f]);
          if (valued) values_.push_back(value);
        });
    close(rows.size());
  }

  Index size() const { return std::ssize(starts_) - 1; }
  Index groups() const { return std::ssize(copies_); }
  // How many features a group has.
  float copies(Id group) const { return copies_[group]; }
  // Of every feature; -1: it stands nowhere.
  std::span<const Id> group() const { return group_; }
  std::span<const Id> row(Index t) const { return slice(ids_, t); }
  // Empty where all are 1.
  std::span<const float> values(Index t) const {
    return values_.empty() ? std::span<const float>() : slice(values_, t);
  }

 private:
  template <class T>
  std::span<const T> slice(const std::vector<T>& all, Index t) const {
    return std::span(all).subspan(static_cast<std::size_t>(starts_[t]),
                                  static_cast<std::size_t>(starts_[t + 1] - starts_[t]));
  }
  std::vector<Id> group_, ids_;
  std::vector<float> copies_, values_;
  std::vector<Index> starts_;
};

}  // namespace linnet
