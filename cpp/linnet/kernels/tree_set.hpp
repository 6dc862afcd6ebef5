// Ordered trees whose nodes have labels, packed: nodes of a tree stand children first, so that
// a loop over them is a recursion from the leaves. Labels are 64-bit hashes of names; a production
// is the hash of a label and of those of its children, 0 for a leaf.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "linnet/base/types.hpp"

namespace linnet {

using Hash = std::uint64_t;

inline Hash mixed(Hash a, Hash b) {
  Hash z = a * 0x9e3779b97f4a7c15ULL + b + 0x632be59bd9b4e019ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// A node with its key, in the order of keys.
struct KeyedNode {
  Hash key;
  Id node;
  bool operator<(const KeyedNode& other) const {
    return key != other.key ? key < other.key : node < other.node;
  }
};

struct TreeView {
  std::span<const Hash> label, production;
  std::span<const Index> child_start;  // one more than nodes
  std::span<const Id> child;           // all children, from child_start
  std::span<const KeyedNode> by_production, by_label;
  Id size() const { return static_cast<Id>(label.size()); }
  std::span<const Id> children(Id node) const {
    return child.subspan(static_cast<std::size_t>(child_start[node] - child_start[0]),
                         static_cast<std::size_t>(child_start[node + 1] - child_start[node]));
  }
};

class TreeSet {
 public:
  // parent[node] is a place in the same tree, after the node; −1 for the last one, the root.
  TreeSet(std::span<const Index> offsets, std::span<const Hash> labels, std::span<const Id> parents)
      : offsets_(offsets.begin(), offsets.end()), label_(labels.begin(), labels.end()) {
    const auto nodes = static_cast<Index>(labels.size());
    if (offsets.empty() || offsets.front() != 0 || offsets.back() != nodes ||
        labels.size() != parents.size() || !std::is_sorted(offsets.begin(), offsets.end()))
      throw std::invalid_argument("offsets of trees must rise from 0 to the number of nodes");
    child_start_.assign(labels.size() + 1, 0);
    for (Index i = 0; i < size(); ++i)
      for (Index k = offsets_[i]; k < offsets_[i + 1]; ++k) {
        const Index to = offsets_[i] + parents[k];
        if (k + 1 == offsets_[i + 1] ? parents[k] != -1 : to <= k || to >= offsets_[i + 1])
          throw std::invalid_argument("nodes of a tree stand before their parents, the root last");
        if (k + 1 < offsets_[i + 1]) ++child_start_[to + 1];
      }
    for (std::size_t k = 1; k < child_start_.size(); ++k) child_start_[k] += child_start_[k - 1];
    child_.resize(static_cast<std::size_t>(child_start_.back()));
    std::vector<Index> at(child_start_.begin(), child_start_.end() - 1);
    for (Index i = 0; i < size(); ++i)
      for (Index k = offsets_[i]; k + 1 < offsets_[i + 1]; ++k)
        child_[at[offsets_[i] + parents[k]]++] = static_cast<Id>(k - offsets_[i]);
    find_keys();
  }

  Index size() const { return static_cast<Index>(offsets_.size()) - 1; }
  TreeView operator[](Index i) const {
    const auto first = static_cast<std::size_t>(offsets_[i]);
    const auto count = static_cast<std::size_t>(offsets_[i + 1]) - first;
    const auto inner = static_cast<std::size_t>(inner_[i]);
    const auto inside = static_cast<std::size_t>(inner_[i + 1]) - inner;
    return {std::span(label_).subspan(first, count),
            std::span(production_).subspan(first, count),
            std::span(child_start_).subspan(first, count + 1),
            std::span(child_).subspan(static_cast<std::size_t>(child_start_[first])),
            std::span(by_production_).subspan(inner, inside),
            std::span(by_label_).subspan(first, count)};
  }

 private:
  void find_keys() {
    production_.assign(label_.size(), 0);
    inner_.assign(1, 0);
    for (Index i = 0; i < size(); ++i) {
      for (Index k = offsets_[i]; k < offsets_[i + 1]; ++k) {
        by_label_.push_back({label_[k], static_cast<Id>(k - offsets_[i])});
        if (child_start_[k] == child_start_[k + 1]) continue;
        Hash key = mixed(label_[k], 1);
        for (Index c = child_start_[k]; c < child_start_[k + 1]; ++c) {
          const Index child = offsets_[i] + child_[c];
          // A leaf is not the same as a node of its name.
          key = mixed(key, mixed(label_[child], production_[child] == 0 ? 2 : 3));
        }
        production_[k] = key | 1;  // never that of a leaf
        by_production_.push_back({production_[k], static_cast<Id>(k - offsets_[i])});
      }
      inner_.push_back(static_cast<Index>(by_production_.size()));
      std::sort(by_production_.begin() + inner_[i], by_production_.end());
      std::sort(by_label_.begin() + offsets_[i], by_label_.end());
    }
  }

  std::vector<Index> offsets_, child_start_, inner_;
  std::vector<Hash> label_, production_;
  std::vector<Id> child_;
  std::vector<KeyedNode> by_production_, by_label_;
};

}  // namespace linnet
