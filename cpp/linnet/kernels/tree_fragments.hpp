// The features of the kernels of trees, written out: fragments of a tree as hashes, each worth
// √λ^(productions), so that products of rows are sums over common fragments, as the kernels are. Of
// subset trees, of which there are exponentially many, those up to a number of productions.
//
// Fragments grow child by child: the one of a single production, then those with a fragment of the
// first child in its place, and so on. What a fragment grew from is itself a fragment of the tree.
#pragma once
#include <cmath>
#include <string>

#include "linnet/base/interrupt.hpp"
#include "linnet/kernels/tree_kernels.hpp"

namespace linnet {

struct Fragment {
  Hash hash;
  Id size;  // productions
};

inline constexpr std::size_t kMostFragments = 1 << 24;  // of a tree, or of all in a table

class TreeFragments {
 public:
  TreeFragments(const TreeKernel& kernel, Id largest) : kernel_(kernel), largest_(largest) {
    kernel.check();
    if (kernel.form == TreeKernel::Form::partial)
      throw std::invalid_argument("partial trees have no fragments written out");
    if (largest < 1) throw std::invalid_argument("size must be 1 or more");
  }
  // √λ^size.
  double value(Id size) {
    while (static_cast<Id>(values_.size()) <= size)
      values_.push_back(std::pow(kernel_.decay, 0.5 * static_cast<double>(values_.size())));
    return values_[size];
  }
  // wanted(hash, size) for every fragment of a tree, as often as it occurs; where it says no,
  // nothing grows from that fragment.
  template <class Wanted>
  void each(const TreeView& tree, Wanted&& wanted) {
    const bool whole = kernel_.form == TreeKernel::Form::subtree;
    found_.clear();
    begin_.assign(1, 0);
    for (Id node = 0; node < tree.size(); ++node) {
      if (tree.production[node] != 0) {
        if (whole)
          close(tree, node, wanted);
        else
          grow(tree, node, wanted);
      }
      begin_.push_back(found_.size());
    }
  }

 private:
  // Those of a node stand together, after those of the nodes before it.
  std::size_t end(Id node) const { return begin_[node + 1]; }

  static Fragment joined(const Fragment& above, const Fragment& below, std::size_t child) {
    return {mixed(above.hash, mixed(below.hash, child + 11)), above.size + below.size};
  }
  template <class Wanted>
  void grow(const TreeView& tree, Id node, Wanted&& wanted) {
    const std::size_t first = found_.size();
    if (!wanted(tree.production[node], Id{1})) return;
    found_.push_back({tree.production[node], 1});
    const auto children = tree.children(node);
    for (std::size_t c = 0; c < children.size(); ++c) {
      const std::size_t before = found_.size();
      for (std::size_t b = begin_[children[c]]; b < end(children[c]); ++b) {
        if (found_.size() > kMostFragments)
          throw std::invalid_argument("a tree has more than 16,777,216 fragments of up to " +
                                      std::to_string(largest_) +
                                      " productions: give a smaller size");
        for (std::size_t k = first; k < before; ++k) {
          if (found_[k].size + found_[b].size > largest_) continue;
          const Fragment grown = joined(found_[k], found_[b], c);
          if (wanted(grown.hash, grown.size)) found_.push_back(grown);
          steps_(2);
        }
      }
    }
  }
  // There is one only, with all that is below the node.
  template <class Wanted>
  void close(const TreeView& tree, Id node, Wanted&& wanted) {
    Fragment all{tree.production[node], 1};
    const auto children = tree.children(node);
    for (std::size_t c = 0; c < children.size(); ++c) {
      if (tree.production[children[c]] == 0) continue;
      if (begin_[children[c]] == end(children[c])) return;
      all = joined(all, found_[begin_[children[c]]], c);
    }
    if (wanted(all.hash, all.size)) found_.push_back(all);
    steps_(2);
  }

  TreeKernel kernel_;
  Id largest_;
  std::vector<Fragment> found_;     // of all nodes so far
  std::vector<std::size_t> begin_;  // of each node
  std::vector<double> values_;
  Steps steps_;
};

}  // namespace linnet
