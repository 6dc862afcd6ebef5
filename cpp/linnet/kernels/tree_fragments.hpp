// The features of the kernels of trees, written out: fragments of a tree as hashes, each worth
// √λ^(productions), so that products of rows are sums over common fragments, as the kernels are. Of
// subset trees, of which there are exponentially many, those up to a number of productions.
#pragma once
#include <cmath>

#include "linnet/base/interrupt.hpp"
#include "linnet/kernels/tree_kernels.hpp"

namespace linnet {

struct Fragment {
  Hash hash;
  Id size;  // productions
};

class TreeFragments {
 public:
  TreeFragments(const TreeKernel& kernel, Id largest) : kernel_(kernel), largest_(largest) {
    kernel.check();
    if (kernel.form == TreeKernel::Form::partial)
      throw std::invalid_argument("partial trees have no fragments written out");
    if (largest < 1) throw std::invalid_argument("size must be 1 or more");
  }
  // visit(hash, value) for every fragment of a tree, as often as it occurs.
  template <class Visit>
  void each(const TreeView& tree, Visit&& visit) {
    const bool whole = kernel_.form == TreeKernel::Form::subtree;
    of_.assign(static_cast<std::size_t>(tree.size()), {});
    for (Id node = 0; node < tree.size(); ++node) {
      if (tree.production[node] == 0) continue;
      std::vector<Fragment>& found = of_[node];
      found.push_back({tree.production[node], 1});
      const auto children = tree.children(node);
      for (std::size_t c = 0; c < children.size(); ++c) {
        if (tree.production[children[c]] == 0) continue;
        const std::size_t before = found.size();
        for (std::size_t k = 0; k < before; ++k)
          for (const Fragment& below : of_[children[c]]) {
            const Fragment grown{mixed(found[k].hash, mixed(below.hash, c + 11)),
                                 found[k].size + below.size};
            if (whole)
              found[k] = grown;  // there is one only
            else if (grown.size <= largest_)
              found.push_back(grown);
            steps_(2);
          }
      }
      for (const Fragment& f : found)
        visit(f.hash, std::pow(kernel_.decay, 0.5 * static_cast<double>(f.size)));
    }
  }

 private:
  TreeKernel kernel_;
  Id largest_;
  std::vector<std::vector<Fragment>> of_;
  Steps steps_;
};

}  // namespace linnet
