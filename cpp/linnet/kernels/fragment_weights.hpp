// A sum over trees, Σ_i w_i K(T_i, T), as a sum over the fragments of T: each fragment of the T_i
// is hashed to its weight Σ_i w_i φ(T_i), once, and what T costs no longer depends on how many T_i
// there are. T is walked from its leaves: a fragment that no T_i has is not grown from, since then
// no T_i has what would come of it. So few of the fragments of T are ever made.
//
// Most of the hashes that are looked up are not there, and a bit map, which stays in the cache,
// says so. Fragments are numbered by how frequent they are: rows that are asked for lie side by
// side.
#pragma once
#include <bit>
#include <numeric>

#include "linnet/base/lanes.hpp"
#include "linnet/kernels/tree_fragments.hpp"
#include "linnet/text/vocabulary.hpp"

namespace linnet {

class FragmentWeights {
 public:
  // weights[trees][width]; fragments of more productions than `largest` are left out.
  FragmentWeights(const TreeKernel& kernel, Id largest, const TreeSet& trees,
                  std::span<const double> weights, Index width)
      : kernel_(kernel), largest_(largest), width_(width), stride_((width + 7) / 8 * 8) {
    if (width < 1 || static_cast<Index>(weights.size()) != trees.size() * width)
      throw std::invalid_argument("one row of weights for each tree");
    number(trees);
    std::vector<double> sums(static_cast<std::size_t>(size() * width), 0.0);
    const FrozenVocabulary known = frozen();
    TreeFragments fragments(kernel, largest);
    for (Index i = 0; i < trees.size(); ++i)
      fragments.each(trees[i], [&](Hash hash, Id productions) {
        double* const to = sums.data() + known.find(hash) * width;
        const double worth = fragments.value(2 * productions);  // √λ of T_i, and √λ of T
        for (Index p = 0; p < width; ++p) to[p] += worth * weights[i * width + p];
        return true;
      });
    rows_.assign(static_cast<std::size_t>(size() * stride_), 0.f);
    for (Index f = 0; f < size(); ++f)
      for (Index p = 0; p < width; ++p)
        rows_[f * stride_ + p] = static_cast<float>(sums[f * width + p]);
  }

  Index size() const { return numbers_.size(); }
  Index width() const { return width_; }

  // out[trees][width]; with `normalised` divided by √K(T, T).
  void scores(const TreeSet& trees, bool normalised, double* out, int threads) const {
    constexpr Index kTrees = 64;  // of one task
    const FrozenVocabulary known = frozen();
    parallel_for((trees.size() + kTrees - 1) / kTrees, threads, [&](Index task) {
      TreeFragments fragments(kernel_, largest_);
      TreePairs pairs(kernel_);
      Buffer<float> sums(static_cast<std::size_t>(stride_));
      for (Index i = task * kTrees; i < std::min(trees.size(), (task + 1) * kTrees); ++i) {
        std::fill(sums.begin(), sums.end(), 0.f);
        fragments.each(trees[i], [&](Hash hash, Id) {
          if (!may_be(hash)) return false;
          const Id found = known.find(hash);
          if (found == kNoFeature) return false;
          add(rows_.data() + found * stride_, sums.data());
          return true;
        });
        const double own = normalised ? pairs(trees[i], trees[i]) : 1;
        const double factor = own > 0 ? 1 / std::sqrt(own) : 0;
        for (Index p = 0; p < width_; ++p)
          out[i * width_ + p] = factor * static_cast<double>(sums[p]);
      }
    });
  }

 private:
  FrozenVocabulary frozen() const { return {numbers_.slots()->span(), size()}; }

  void number(const TreeSet& trees) {
    Vocabulary met;
    std::vector<Index> counts;
    TreeFragments fragments(kernel_, largest_);
    for (Index i = 0; i < trees.size(); ++i) {
      fragments.each(trees[i], [&](Hash hash, Id) {
        const auto id = static_cast<std::size_t>(met.intern(hash));
        if (id == counts.size()) counts.push_back(0);
        ++counts[id];
        return true;
      });
      if (counts.size() > kMostFragments)
        throw std::invalid_argument("the trees have more than 16,777,216 fragments of up to " +
                                    std::to_string(largest_) + " productions: give a smaller size");
    }
    std::vector<Id> order(counts.size());
    std::iota(order.begin(), order.end(), Id{0});
    std::stable_sort(order.begin(), order.end(), [&](Id a, Id b) { return counts[a] > counts[b]; });
    std::vector<Hash> hashes;
    for (Id id : order) hashes.push_back(met.hashes()[id]);
    numbers_ = Vocabulary(hashes);
    numbers_.settle();
    const auto bits = std::bit_ceil(8 * hashes.size() + 64);
    shift_ = 64 - std::countr_zero(bits);
    there_.assign(bits / 64, 0);
    for (Hash hash : hashes) there_[(hash >> shift_) / 64] |= Hash{1} << (hash >> shift_) % 64;
  }
  bool may_be(Hash hash) const {
    const Hash bit = hash >> shift_;
    return there_[bit / 64] >> bit % 64 & 1;
  }
  void add(const float* row, float* sums) const {
    for (Index p = 0; p < stride_; p += 8)
      store_lanes(sums + p, load_lanes(sums + p) + load_lanes(row + p));
  }

  TreeKernel kernel_;
  Id largest_;
  Index width_, stride_;
  Vocabulary numbers_;
  int shift_ = 58;
  std::vector<Hash> there_;
  Buffer<float> rows_;  // [fragments][stride]
};

}  // namespace linnet
