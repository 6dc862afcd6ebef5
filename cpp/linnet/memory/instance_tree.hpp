// Instances in memory: tuples of groups, the equal ones once, sorted, and a tree over them.
//
// Level l of the tree is the l-th feature of `order`. Where few tuples are left the tree ends: to
// look at them one after the other is faster than a path of nodes with one child each.
#pragma once
#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "linnet/base/types.hpp"
#include "linnet/memory/value_metric.hpp"

namespace linnet::memory {

class InstanceTree {
 public:
  struct Node {
    Id first = 0, children = 0;  // nodes one level below; none: look at the tuples
    Id begin = 0, end = 0;       // tuples
  };
  struct Count {
    Id label;
    Id number;
  };

  // rows: (instances, features) values by number; labels: of each instance.
  InstanceTree(std::span<const Id> rows, std::span<const Id> labels, std::vector<Id> order,
               const std::vector<ValueMetric>& metrics)
      : order_(std::move(order)), width_(order_.size()) {
    const Index n = static_cast<Index>(labels.size());
    std::vector<Id> codes(rows.size());
    for (Index i = 0; i < n; ++i)
      for (std::size_t l = 0; l < width_; ++l)
        codes[i * width_ + l] = metrics[order_[l]].group(rows[i * width_ + order_[l]]);
    instances_.resize(n);
    std::iota(instances_.begin(), instances_.end(), Id{0});
    const auto tuple = [&](Id i) { return codes.data() + i * width_; };
    std::sort(instances_.begin(), instances_.end(), [&](Id a, Id b) {
      for (std::size_t l = 0; l < width_; ++l)
        if (tuple(a)[l] != tuple(b)[l]) return tuple(a)[l] < tuple(b)[l];
      return a < b;
    });
    for (Index k = 0; k < n; ++k) {
      const Id* own = tuple(instances_[k]);
      if (k == 0 || !std::equal(own, own + width_, tuple(instances_[k - 1]))) {
        tuples_.insert(tuples_.end(), own, own + width_);
        begin_.push_back(static_cast<Id>(k));
        count_begin_.push_back(static_cast<Id>(counts_.size()));
      }
      count(labels[instances_[k]]);
    }
    begin_.push_back(static_cast<Id>(n));
    count_begin_.push_back(static_cast<Id>(counts_.size()));
    grow();
  }

  std::size_t width() const { return width_; }
  const std::vector<Id>& order() const { return order_; }
  Id tuples() const { return static_cast<Id>(begin_.size()) - 1; }
  const Id* tuple(Id t) const { return tuples_.data() + static_cast<Index>(t) * width_; }
  std::span<const Id> instances(Id t) const {
    return {instances_.data() + begin_[t], static_cast<std::size_t>(begin_[t + 1] - begin_[t])};
  }
  std::span<const Count> counts(Id t) const {
    return {counts_.data() + count_begin_[t],
            static_cast<std::size_t>(count_begin_[t + 1] - count_begin_[t])};
  }
  const Node& node(Id k) const { return nodes_[k]; }
  const Id* values() const { return values_.data(); }

 private:
  static constexpr Id kFew = 6;  // tuples that are looked at one by one

  void count(Id label) {
    for (std::size_t k = count_begin_.back(); k < counts_.size(); ++k)
      if (counts_[k].label == label) {
        ++counts_[k].number;
        return;
      }
    counts_.push_back({label, 1});
  }

  // Level by level, children side by side.
  void grow() {
    nodes_.push_back({0, 0, 0, tuples()});
    values_.push_back(0);
    for (std::size_t l = 0, level = 0; l < width_; ++l) {
      const std::size_t next = nodes_.size();
      for (; level < next; ++level) {
        if (nodes_[level].end - nodes_[level].begin <= kFew) continue;
        nodes_[level].first = static_cast<Id>(nodes_.size());
        for (Id t = nodes_[level].begin; t < nodes_[level].end; ++t) {
          const Id value = tuple(t)[l];
          if (t == nodes_[level].begin || value != values_.back()) {
            nodes_.push_back({0, 0, t, t});
            values_.push_back(value);
            ++nodes_[level].children;
          }
          ++nodes_.back().end;
        }
      }
    }
  }

  std::vector<Id> order_;
  std::size_t width_;
  std::vector<Id> tuples_;     // (tuples, features in their order)
  std::vector<Id> instances_;  // sorted by tuple
  std::vector<Id> begin_;      // of each tuple among them
  std::vector<Count> counts_;
  std::vector<Id> count_begin_;
  std::vector<Node> nodes_;
  std::vector<Id> values_;  // of each node, at its level
};

}  // namespace linnet::memory
