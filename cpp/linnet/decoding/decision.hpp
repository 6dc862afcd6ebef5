// Scores of many rows at once: what prediction is made of.
#pragma once
#include "linnet/base/thread_pool.hpp"
#include "linnet/features/sites.hpp"

namespace linnet {

// out[i][y] = score of label y for row i; rows [begin, end).
template <class Real>
void decide(const Rows& rows, const Real* w, Id width, Index begin, Index end, double* out) {
  SiteBuffer buffer;
  for (Index i = begin; i < end; ++i) {
    const Group site{&rows, i, 1, width, padded(width), 0};
    score(std::span<const Group>(&site, 1), w,
          std::span<double>(out + i * width, static_cast<std::size_t>(width)), buffer);
  }
}

template <class Real>
void decide(const Rows& rows, const Real* w, Id width, int threads, double* out) {
  constexpr Index kBlock = 256;  // rows a thread takes at a time
  parallel_for((rows.size() + kBlock - 1) / kBlock, threads, [&](Index block) {
    decide(rows, w, width, block * kBlock, std::min(rows.size(), (block + 1) * kBlock), out);
  });
}

}  // namespace linnet
