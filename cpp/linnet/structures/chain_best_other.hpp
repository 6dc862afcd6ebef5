// The best labels of a first-order chain that are not given ones, for margins: two passes in place
// of a list of two outputs.
#pragma once
#include "linnet/structures/chain_kernel.hpp"

namespace linnet {

namespace detail {

// The score of the best labels other than `given`: they differ from it at some token. Prefixes are
// those of viterbi, and a suffix is followed back beside them.
LINNET_CLONES inline double best_unlike(const ChainTransitions<double>& m, const double* emission,
                                        Id length, const Id* given, ChainScratch<double>& work) {
  const Id stride = m.stride;
  double *suffix = work.back.data(), *row = work.row.data(), best = -kInf;
  std::copy_n(m.stop.data(), stride, suffix);
  for (Id t = length - 1;; --t) {
    const Index at = static_cast<Index>(t) * stride;
    for (Id y = 0; y < m.labels; ++y)
      if (y != given[t]) best = std::max(best, work.prefix[at + y] + suffix[y]);
    if (t == 0) return best;
    for (Id k = 0; k < stride; ++k) row[k] = suffix[k] + emission[at + k];
    row_times_matrix<MaxPlus>(row, m.score_back.data(), m.labels, stride, suffix);
  }
}

}  // namespace detail

// The score of the best labels other than the given ones; -inf: there are none.
inline double chain_best_other(const ChainTransitions<double>& m, const double* emission, Id length,
                               const Id* given, Id* labels, ChainScratch<double>& work) {
  work.row.resize(static_cast<std::size_t>(m.stride));
  work.back.resize(static_cast<std::size_t>(m.stride));
  const double best = chain_viterbi(m, emission, length, labels, work);
  if (!std::equal(labels, labels + length, given)) return best;
  return detail::best_unlike(m, emission, length, given, work);
}

}  // namespace linnet
