// Scores of many rows at once: what prediction is made of. No score is −0, so that it does not
// matter how many weights of zero were added to it.
#pragma once
#include "linnet/base/thread_pool.hpp"
#include "linnet/decoding/sparse_weights.hpp"
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
  for (double* at = out + begin * width; at < out + end * width; ++at) *at += 0.;
}

// Calls part(begin, end) for some rows after the others, in parallel.
template <class Part>
void by_rows(const Rows& rows, int threads, Part&& part) {
  constexpr Index kBlock = 256;  // rows a thread takes at a time
  parallel_for((rows.size() + kBlock - 1) / kBlock, threads, [&](Index block) {
    part(block * kBlock, std::min(rows.size(), (block + 1) * kBlock));
  });
}

template <class Real>
void decide(const Rows& rows, const Real* w, Id width, int threads, double* out) {
  by_rows(rows, threads, [&](Index begin, Index end) { decide(rows, w, width, begin, end, out); });
}

// The same for sparse rows of weights, to the bit.
template <class Real>
void decide(const Rows& rows, const SparseWeights<Real>& w, int threads, double* out) {
  std::vector<Real> intercept(w.room());
  w.expand(0, intercept.data());
  for (Real& start : intercept) start *= static_cast<Real>(rows.bias());
  by_rows(rows, threads, [&](Index begin, Index end) {
    RowBuffer buffer;
    std::vector<Real> sum;
    for (Index i = begin; i < end; ++i) {
      sum = intercept;
      add_row(w, rows.row(i, buffer), sum.data());
      for (Id y = 0; y < w.width(); ++y) out[i * w.width() + y] = static_cast<double>(sum[y]) + 0.;
    }
  });
}

}  // namespace linnet
