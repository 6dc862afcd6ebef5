// The instances at the k nearest distances of a query, as TiMBL counts them: all that are equally
// far are one neighbour.
//
//   Δ(x, q) = Σ_f w_f δ_f(x_f, q_f)
//
// The search goes down the tree and turns back where the distance so far, and what the features to
// come add at least, exceeds the k-th nearest distance known. This is known early: first a few best
// nodes of each level are followed to the ground. What is found is what looking at all instances
// would find: what is looked at is decided by steps, whole numbers of 16 bits that are rounded
// down, and distances are computed anew in double precision. They are equal if they are so within
// 2^-40 of the largest one, in whatever order they were added up.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/simd.hpp"
#include "linnet/memory/instance_tree.hpp"

namespace linnet::memory {

using Step = std::uint16_t;

// The largest weight is 65,535 steps.
inline double step_of(std::span<const double> weights) {
  double most = 0;
  for (double w : weights) most = std::max(most, w);
  return most > 0 ? most / 65535 : 1;
}

struct Found {
  Index key;  // the distance in units
  Id tuple;
  bool operator<(const Found& other) const {
    return key != other.key ? key < other.key : tuple < other.tuple;
  }
};

struct Query {
  std::vector<Id> groups;        // by level
  std::vector<const Step*> row;  // by level: w δ(query, ·) in steps; not used by overlap
};

class Search {
 public:
  Search(const InstanceTree& tree, const std::vector<ValueMetric>& metrics,
         std::span<const double> weights)
      : tree_(tree), step_(step_of(weights)), rest_(tree.width() + 1) {
    double total = 0;
    for (Id f : tree.order()) {
      metric_.push_back(&metrics[f]);
      weight_.push_back(weights[f]);
      flat_.push_back(static_cast<Id>(weights[f] / step_));
      total += weights[f];
    }
    unit_ = total > 0 ? std::ldexp(total, -40) : 1;
    table_ = !metrics.empty() && metrics[0].is_table();
  }

  double distance(Index key) const { return static_cast<double>(key) * unit_; }

  // The tuples at the k nearest distances, nearest first.
  const std::vector<Found>& nearest(const Query& query, Index k) {
    query_ = &query;
    keys_.clear();
    found_.clear();
    most_ = k;
    limit_ = std::numeric_limits<Id>::max();
    const std::size_t width = tree_.width();
    rest_[width] = 0;
    for (std::size_t l = width; l-- > 0;)
      rest_[l] = rest_[l + 1] + (query.groups[l] == kUnknown ? flat_[l] : 0);
    table_ ? both<true>() : both<false>();
    const Index last = keys_.empty() ? 0 : keys_.back();
    std::erase_if(found_, [&](const Found& f) { return f.key > last; });
    std::sort(found_.begin(), found_.end());
    return found_;
  }

 private:
  static constexpr std::size_t kBeam = 8;
  struct Reached {
    Id distance;
    Id node;
    bool operator<(const Reached& other) const {
      return distance != other.distance ? distance < other.distance : node < other.node;
    }
  };

  template <bool Table>
  void both() {
    beam<Table>();
    const InstanceTree::Node& root = tree_.node(0);
    root.children ? descend<Table>(root, 0, 0) : look<Table>(root, 0, 0);
  }

  template <bool Table>
  LINNET_INLINE Id cost(std::size_t level, Id value) const {
    if constexpr (Table) return query_->row[level][value];
    return value == query_->groups[level] ? 0 : flat_[level];
  }

  // A few best nodes of each level, down to the ground: the limit is not above what the k-th
  // nearest of these distances makes it, where those near each other count as equal.
  template <bool Table>
  void beam() {
    rough_.clear();
    std::vector<Reached>&now = now_, &next = next_;
    now.assign(1, {0, 0});
    for (std::size_t level = 0; !now.empty(); ++level) {
      next.clear();
      for (const Reached& reached : now) {
        const InstanceTree::Node& node = tree_.node(reached.node);
        if (!node.children) look<Table, true>(node, level, reached.distance);
        for (Id c = node.first; c < node.first + node.children; ++c)
          next.push_back({reached.distance + cost<Table>(level, tree_.values()[c]), c});
      }
      if (next.size() > kBeam) {
        std::nth_element(next.begin(), next.begin() + kBeam, next.end());
        next.resize(kBeam);
      }
      now.swap(next);
    }
    std::sort(rough_.begin(), rough_.end());
    const Id lost = static_cast<Id>(tree_.width()) + 1;  // at most, by rounding
    Index distinct = 0;
    for (std::size_t i = 0; i < rough_.size() && distinct < most_; ++i)
      if ((i == 0 || rough_[i] > rough_[i - 1] + lost) && ++distinct == most_)
        limit_ = rough_[i] + lost;
  }

  template <bool Table>
  void descend(const InstanceTree::Node& node, std::size_t level, Id before) {
    const Id least = before + rest_[level + 1];
    const Id* values = tree_.values();
    for (Id c = node.first; c < node.first + node.children; ++c) {
      const Id step = cost<Table>(level, values[c]);
      if (least + step > limit_) continue;
      const InstanceTree::Node& child = tree_.node(c);
      child.children ? descend<Table>(child, level + 1, before + step)
                     : look<Table>(child, level + 1, before + step);
    }
  }

  // The tuples of a node one by one; roughly: their distances in steps will do.
  template <bool Table, bool Roughly = false>
  void look(const InstanceTree::Node& node, std::size_t level, Id before) {
    const std::size_t width = tree_.width();
    for (Id t = node.begin; t < node.end; ++t) {
      const Id* tuple = tree_.tuple(t);
      Id distance = before;
      std::size_t l = level;
      while (l < width && distance + rest_[l] <= limit_) {
        distance += cost<Table>(l, tuple[l]);
        ++l;
      }
      if (l < width || distance > limit_) continue;
      Roughly ? rough_.push_back(distance) : meet(t, tuple);
    }
  }

  void meet(Id t, const Id* tuple) {
    double exact = 0;
    for (std::size_t l = 0; l < tree_.width(); ++l)
      exact += weight_[l] * metric_[l]->distance(query_->groups[l], tuple[l]);
    const Index key = std::llround(exact / unit_);
    const auto at = std::lower_bound(keys_.begin(), keys_.end(), key) - keys_.begin();
    if (at == std::ssize(keys_) || keys_[at] != key) {
      if (at == most_) return;
      if (std::ssize(keys_) == most_) keys_.pop_back();
      keys_.insert(keys_.begin() + at, key);
      if (std::ssize(keys_) == most_)
        limit_ = std::min(limit_, static_cast<Id>(distance(keys_.back()) / step_) + 1);
    }
    found_.push_back({key, t});
  }

  const InstanceTree& tree_;
  double step_;                             // of rough distances
  std::vector<const ValueMetric*> metric_;  // by level
  std::vector<double> weight_;
  std::vector<Id> flat_;  // the weights in steps
  double unit_;
  bool table_;

  const Query* query_ = nullptr;
  std::vector<Id> rest_;     // what the levels from this one on add at least
  std::vector<Index> keys_;  // the k nearest distances so far
  std::vector<Found> found_;
  std::vector<Reached> now_, next_;
  std::vector<Id> rough_;
  Index most_ = 1;
  Id limit_ = 0;
};

}  // namespace linnet::memory
