// How far two values of a symbolic feature are apart.
//
//   overlap  0 if they are the same, else 1
//   MVDM     ½ Σ_c |P(c|v) - P(c|v')| = 1 - Σ_c min(P(c|v), P(c|v'))   (Stanfill and Waltz 1986;
//            Cost and Salzberg 1993); rare values, and unknown ones, are compared by overlap
//
// Values with the same distribution are one to MVDM: distances are between such groups, of which
// there are far fewer than values, since most of these are rare.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <span>
#include <vector>

#include "linnet/base/types.hpp"

namespace linnet::memory {

constexpr Id kUnknown = -1;

class ValueMetric {
 public:
  // Overlap: each value is a group of its own.
  explicit ValueMetric(Id values) : group_(values), groups_(values) {
    std::iota(group_.begin(), group_.end(), Id{0});
  }

  // MVDM: the values and the classes of all instances. Values that occur less often than
  // `least` times are compared by overlap.
  ValueMetric(Id values, std::span<const Id> value, std::span<const Id> label, Index least)
      : group_(values), groups_(0), begin_{0} {
    std::vector<std::vector<std::pair<Id, Index>>> counts(values);
    for (std::size_t i = 0; i < value.size(); ++i) count(counts[value[i]], label[i]);
    std::map<std::vector<std::pair<Id, Index>>, Id> known;
    std::vector<Index> totals(values, 0);
    for (Id v : value) ++totals[v];
    std::vector<Id> frequent(values);  // first: what is looked at often lies together
    std::iota(frequent.begin(), frequent.end(), Id{0});
    std::stable_sort(frequent.begin(), frequent.end(),
                     [&](Id a, Id b) { return totals[a] > totals[b]; });
    Id labels = 0;
    for (Id v : frequent) {
      auto& own = counts[v];
      std::sort(own.begin(), own.end());
      Index common = 0;
      const Index total = totals[v];
      for (const auto& [c, n] : own) common = std::gcd(common, n);
      const bool rare = total < least;
      for (auto& pair : own) pair.second /= common;  // equal shares, equal lists
      const auto [at, fresh] =
          rare ? std::pair(known.end(), true) : known.try_emplace(own, groups_);
      group_[v] = fresh ? groups_ : at->second;
      if (!fresh) continue;
      ++groups_;
      if (!rare)
        for (const auto& [c, n] : own) {
          label_.push_back(c);
          share_.push_back(static_cast<double>(n * common) / static_cast<double>(total));
          labels = std::max(labels, c + 1);
        }
      begin_.push_back(static_cast<Index>(label_.size()));
    }
    index_labels(labels);
  }

  bool is_table() const { return !begin_.empty(); }
  Id groups() const { return groups_; }
  Id group(Id value) const {
    return value < 0 || value >= ssize(group_) ? kUnknown : group_[value];
  }

  double distance(Id a, Id b) const {
    if (a == b && a != kUnknown) return 0;
    if (!is_table() || a == kUnknown || b == kUnknown) return 1;
    double same = 0;
    for (Index i = begin_[a], j = begin_[b]; i < begin_[a + 1] && j < begin_[b + 1];) {
      if (label_[i] == label_[j]) {
        same += std::min(share_[i++], share_[j++]);
      } else if (label_[i] < label_[j]) {
        ++i;
      } else {
        ++j;
      }
    }
    return std::clamp(1 - same, 0.0, 1.0);
  }

  // scale · distance(group, ·) for all groups, rounded down: to search by, not to tell.
  void row(Id group, double scale, std::vector<double>& same, std::uint16_t* out) const {
    std::fill(out, out + groups_, static_cast<std::uint16_t>(scale));
    if (group == kUnknown) return;
    same.resize(std::max<std::size_t>(same.size(), groups_));
    const auto each = [&](const auto& told) {
      for (Index i = begin_[group]; i < begin_[group + 1]; ++i)
        for (Index k = label_begin_[label_[i]]; k < label_begin_[label_[i] + 1]; ++k)
          told(of_label_[k].group, std::min(share_[i], of_label_[k].share));
    };
    each([&](Id g, double) { same[g] = 0; });
    each([&](Id g, double common) { same[g] += common; });
    each([&](Id g, double) {
      out[g] = static_cast<std::uint16_t>(std::max(0.0, scale * (1 - same[g]) - 1e-6));
    });
    out[group] = 0;
  }

 private:
  struct Posting {
    Id group;
    double share;
  };

  static Id ssize(const std::vector<Id>& v) { return static_cast<Id>(v.size()); }

  static void count(std::vector<std::pair<Id, Index>>& counts, Id label) {
    for (auto& [c, n] : counts)
      if (c == label) {
        ++n;
        return;
      }
    counts.emplace_back(label, 1);
  }

  // For each label the groups that know it.
  void index_labels(Id labels) {
    label_begin_.assign(labels + 1, 0);
    for (Id c : label_) ++label_begin_[c + 1];
    std::partial_sum(label_begin_.begin(), label_begin_.end(), label_begin_.begin());
    of_label_.resize(label_.size());
    std::vector<Index> next(label_begin_.begin(), label_begin_.end() - (labels >= 0));
    for (Id g = 0; g < groups_; ++g)
      for (Index i = begin_[g]; i < begin_[g + 1]; ++i)
        of_label_[next[label_[i]]++] = {g, share_[i]};
  }

  std::vector<Id> group_;  // of each value
  Id groups_;
  std::vector<Index> begin_;  // of each group in the two that follow; empty: overlap
  std::vector<Id> label_;
  std::vector<double> share_;
  std::vector<Index> label_begin_;
  std::vector<Posting> of_label_;
};

}  // namespace linnet::memory
