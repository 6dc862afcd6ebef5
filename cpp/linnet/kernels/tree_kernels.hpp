// Kernels of trees, as sums over pairs of nodes, Σ_a Σ_b Δ(a, b), by the fast algorithm of
// Moschitti (2006): Δ is not zero for few pairs only, those with equal productions (or labels),
// which are found by two sorted lists.
//
// - subtrees and subset trees (Collins and Duffy 2002): Δ = λ Π_c (σ + Δ(a_c, b_c)) over the
//   children that are no leaves, σ = 0 for whole subtrees, 1 for those whose leaves may be cut.
// - partial trees: Δ = μ (λ² + Σ over subsequences I, J of children, of one length, of
//   λ^(l(I) + l(J)) Π Δ(a_I, b_J)) for equal labels, l the stretch that one spans.
#pragma once
#include "linnet/base/interrupt.hpp"
#include "linnet/base/thread_pool.hpp"
#include "linnet/kernels/tree_set.hpp"

namespace linnet {

struct TreeKernel {
  enum class Form { subtree, subset, partial } form = Form::subset;
  double decay = 0.4;     // λ
  double vertical = 0.4;  // μ

  void check() const {
    for (double value : {decay, vertical})
      if (!(value > 0 && value <= 1))
        throw std::invalid_argument("decays must be above 0, up to 1");
  }
};

class TreePairs {
 public:
  explicit TreePairs(const TreeKernel& kernel) : kernel_(kernel) { kernel.check(); }

  double operator()(const TreeView& a, const TreeView& b) {
    const bool partial = kernel_.form == TreeKernel::Form::partial;
    find_ranges(a, partial ? a.by_label : a.by_production, partial ? b.by_label : b.by_production);
    columns_ = b.size();
    const auto cells = static_cast<std::size_t>(a.size()) * static_cast<std::size_t>(b.size());
    if (delta_.size() < cells) delta_.resize(cells, 0.0);
    const auto& nodes = partial ? b.by_label : b.by_production;
    double sum = 0;
    touched_.clear();
    for (Id i = 0; i < a.size(); ++i)
      for (Index k = begin_[i]; k < end_[i]; ++k) {
        const Id j = nodes[k].node;
        const double found = partial ? partial_of(a.children(i), b.children(j))
                                     : product_of(a, a.children(i), b.children(j));
        at(i, j) = found;
        touched_.push_back(static_cast<Index>(i) * columns_ + j);
        sum += found;
      }
    steps_(a.size() + 16 * static_cast<Index>(touched_.size()));
    for (Index cell : touched_) delta_[cell] = 0;
    return sum;
  }

 private:
  double& at(Id i, Id j) { return delta_[static_cast<Index>(i) * columns_ + j]; }

  // Where the nodes of the other tree with the key of each node stand.
  void find_ranges(const TreeView& a, std::span<const KeyedNode> own,
                   std::span<const KeyedNode> others) {
    begin_.assign(static_cast<std::size_t>(a.size()), 0);
    end_.assign(begin_.size(), 0);
    std::size_t first = 0;
    for (std::size_t k = 0; k < own.size();) {
      const Hash key = own[k].key;
      while (first < others.size() && others[first].key < key) ++first;
      std::size_t last = first;
      while (last < others.size() && others[last].key == key) ++last;
      for (; k < own.size() && own[k].key == key; ++k) {
        begin_[own[k].node] = static_cast<Index>(first);
        end_[own[k].node] = static_cast<Index>(last);
      }
      first = last;
    }
  }
  double product_of(const TreeView& a, std::span<const Id> left, std::span<const Id> right) {
    const double sigma = kernel_.form == TreeKernel::Form::subset ? 1 : 0;
    double product = kernel_.decay;
    for (std::size_t c = 0; c < left.size(); ++c)
      if (a.production[left[c]] != 0) product *= sigma + at(left[c], right[c]);
    return product;
  }
  // The dynamic programme of gappy strings, a match worth Δ of the children.
  double partial_of(std::span<const Id> left, std::span<const Id> right) {
    const double lambda = kernel_.decay, square = lambda * lambda;
    double total = square;
    const std::size_t m = right.size();
    ending_.assign(left.size() * m, 0.0);
    bool any = false;
    for (std::size_t i = 0; i < left.size(); ++i)
      for (std::size_t j = 0; j < m; ++j) {
        const double match = square * at(left[i], right[j]);
        ending_[i * m + j] = match;
        total += match;
        any |= match != 0;
      }
    // ending_[i][j]: sequences of q pairs whose last one is (i, j).
    for (std::size_t q = 2; any && q <= std::min(left.size(), m); ++q) {
      any = false;
      column_.assign(m, 0.0);  // Σ_{i' < i} λ^(i − 1 − i') ending[i'][j]
      for (std::size_t i = 0; i < left.size(); ++i) {
        double before = 0;  // Σ_{j' < j} λ^(j − 1 − j') column[j']
        for (std::size_t j = 0; j < m; ++j) {
          const double old = ending_[i * m + j];
          const double match = square * at(left[i], right[j]) * before;
          ending_[i * m + j] = match;
          total += match;
          any |= match != 0;
          before = lambda * before + column_[j];
          column_[j] = lambda * column_[j] + old;
        }
      }
    }
    return kernel_.vertical * total;
  }

  TreeKernel kernel_;
  std::vector<double> delta_, ending_, column_;
  std::vector<Index> begin_, end_, touched_;
  Index columns_ = 0;
  Steps steps_;
};

// out[i][j] over two sets; `half`: of one with itself.
inline void tree_matrix(const TreeKernel& kernel, const TreeSet& a, const TreeSet& b, double* out,
                        bool half, int threads) {
  kernel.check();
  const Index n = b.size();
  parallel_for(a.size(), threads, [&](Index i) {
    TreePairs pairs(kernel);
    const TreeView tree = a[i];
    for (Index j = 0; j < (half ? i + 1 : n); ++j) out[i * n + j] = pairs(tree, b[j]);
  });
  if (half)
    for (Index i = 0; i < n; ++i)
      for (Index j = i + 1; j < n; ++j) out[i * n + j] = out[j * n + i];
}

}  // namespace linnet
