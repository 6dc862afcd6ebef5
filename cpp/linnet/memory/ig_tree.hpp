// IGTree (Daelemans, van den Bosch and Weijters 1997): memory compressed into a decision tree that
// tests features in the order of their weight.
//
// A node has the label that most of its instances have; below it is a node for each value of the
// next feature, unless all of its instances have one label. Leaves of the label of their parent are
// left out. A query goes down as long as its values are there, and has the label of the last node.
#pragma once
#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/types.hpp"

namespace linnet::memory {

class IGTree {
 public:
  struct Node {
    Id value;                    // of the feature of its level
    Id label;                    // of most of its instances
    Id first = 0, children = 0;  // by value
    Id agree = 0, instances = 0;
  };

  IGTree(std::span<const Id> rows, std::span<const Id> labels, Id n_labels, std::vector<Id> order)
      : order_(std::move(order)), rows_(rows), labels_(labels), counts_(n_labels), all_(n_labels) {
    for (Id c : labels) ++all_[c];
    std::vector<Id> instances(labels.size());
    std::iota(instances.begin(), instances.end(), Id{0});
    nodes_.push_back(summary(-1, instances));
    grow(0, 0, instances);
    rows_ = labels_ = {};
  }

  const std::vector<Node>& nodes() const { return nodes_; }

  // The nodes from the root to the last that a query reaches.
  template <class Told>
  Id walk(const Id* query, const Told& told) const {
    Id at = 0;
    told(at);
    for (std::size_t level = 0; nodes_[at].children; ++level) {
      const auto begin = nodes_.begin() + nodes_[at].first, end = begin + nodes_[at].children;
      const Id value = query[order_[level]];
      const auto found =
          std::lower_bound(begin, end, value, [](const Node& n, Id v) { return n.value < v; });
      if (found == end || found->value != value) break;
      at = static_cast<Id>(found - nodes_.begin());
      told(at);
    }
    return nodes_[at].label;
  }

 private:
  Node summary(Id value, std::span<const Id> instances) {
    for (Id i : instances) ++counts_[labels_[i]];
    Id best = labels_.empty() ? 0 : labels_[instances[0]];
    for (Id i : instances) {  // of equals the more frequent in all, then the first
      const Id c = labels_[i];
      if (std::tuple(counts_[c], all_[c], -c) > std::tuple(counts_[best], all_[best], -best))
        best = c;
    }
    const Node made{value, best, 0, 0, counts_[best], static_cast<Id>(instances.size())};
    for (Id i : instances) counts_[labels_[i]] = 0;
    return made;
  }

  void grow(Id at, std::size_t level, std::span<Id> instances) {
    if (level == order_.size() || nodes_[at].agree == nodes_[at].instances) return;
    steps_(std::ssize(instances) * 20);
    const auto value = [&](Id i) { return rows_[i * order_.size() + order_[level]]; };
    std::stable_sort(instances.begin(), instances.end(),
                     [&](Id a, Id b) { return value(a) < value(b); });
    std::vector<std::span<Id>> parts;
    for (std::size_t begin = 0; begin < instances.size();) {
      std::size_t end = begin;
      while (end < instances.size() && value(instances[end]) == value(instances[begin])) ++end;
      parts.push_back(instances.subspan(begin, end - begin));
      begin = end;
    }
    std::vector<Node> children;
    std::vector<std::span<Id>> kept;
    for (std::span<Id> part : parts) {
      const Node child = summary(value(part[0]), part);
      const bool leaf = level + 1 == order_.size() || child.agree == child.instances;
      if (leaf && child.label == nodes_[at].label) continue;
      children.push_back(child);
      kept.push_back(part);
    }
    nodes_[at].first = static_cast<Id>(nodes_.size());
    nodes_[at].children = static_cast<Id>(children.size());
    nodes_.insert(nodes_.end(), children.begin(), children.end());
    for (std::size_t c = 0; c < kept.size(); ++c)
      grow(nodes_[at].first + static_cast<Id>(c), level + 1, kept[c]);
  }

  std::vector<Id> order_;
  std::span<const Id> rows_, labels_;
  std::vector<Id> counts_, all_;
  std::vector<Node> nodes_;
  Steps steps_;
};

}  // namespace linnet::memory
