// Viterbi on chains of order k > 1, hand-tuned. The state at token t is k labels: V_t[m][a], the
// best prefix that ends with the label a and then the k - 1 labels m. Each m has a matrix M_m[a][c]
// of its own, so that with a m c = a b n c (m = b n)
//   V_{t+1}[n c][b] = e_{t+1}[c] + max_a V_t[m][a] + M_m[a][c]
// is, for each m, a row times a matrix. Tested equal to the generic recursion over HigherChain.
#pragma once
#include "linnet/base/interrupt.hpp"
#include "linnet/structures/chain_kernel.hpp"
#include "linnet/structures/higher_chain.hpp"

namespace linnet {

// What all sentences share.
struct HigherTransitions {
  Id labels = 0, stride = 0;
  int order = 0;
  Id middles = 0, inner = 0;  // L^(k-1) and L^(k-2): how many m and n there are
  // By the code of 1 label, of 2, ..., of k: all windows within these that end with the last one.
  std::vector<std::vector<double>> ending;
  Buffer<double> moves;  // M: [m][a][c]; padding -inf
  std::vector<double> start, stop;

  // All as HigherChain lays them out: pairs, first and last labels if there are any, then windows
  // of 3 labels, of 4, ..., of k + 1.
  void set(Id num_labels, int chain_order, bool ends, const double* scores) {
    labels = num_labels;
    order = chain_order;
    stride = chain_stride<double>(labels);
    start.assign(static_cast<std::size_t>(labels), 0.0);
    stop = start;
    ending.resize(static_cast<std::size_t>(order));
    ending[0] = start;
    for (int m = 2; m <= order; ++m) {
      const std::vector<double>& shorter = ending[m - 2];
      std::vector<double>& sums = ending[m - 1];
      sums.resize(shorter.size() * static_cast<std::size_t>(labels));
      for (double *to = sums.data(), *end = to + sums.size(); to != end;)
        for (const double rest : shorter) *to++ = *scores++ + rest;
      if (m > 2 || !ends) continue;
      std::copy_n(scores, labels, start.begin());
      std::copy_n(scores + labels, labels, stop.begin());
      scores += 2 * labels;
    }
    middles = static_cast<Id>(std::ssize(ending[order - 2]));
    inner = middles / labels;
    const std::vector<double>& rest = ending[order - 1];
    moves.assign(rest.size() * static_cast<std::size_t>(stride), -kInf);
    for (Id a = 0; a < labels; ++a)
      for (Id m = 0; m < middles; ++m) {
        double* to = moves.data() + (static_cast<Index>(m) * labels + a) * stride;
        for (Id c = 0; c < labels; ++c)
          to[c] = *scores++ + rest[static_cast<Index>(m) * labels + c];
      }
  }
  const double* of(Id m) const { return moves.data() + static_cast<Index>(m) * labels * stride; }
};

struct HigherScratch {
  Buffer<double> prefix, next;           // V from token k - 1 on, [token][m][stride]; [stride]
  std::vector<double> started, shorter;  // by the code of all labels so far
};

namespace detail {

LINNET_CLONES inline void extend_prefixes(const HigherTransitions& moves, const double* before,
                                          const double* emission, double* next, double* after) {
  const Id L = moves.labels, stride = moves.stride;
  for (Id m = 0; m < moves.middles; ++m) {
    row_times_matrix<MaxPlus>(before + static_cast<Index>(m) * stride, moves.of(m), L, stride,
                              next);
    const Id b = m / moves.inner, n = m % moves.inner;
    double* const to = after + static_cast<Index>(n) * L * stride + b;
    for (Id c = 0; c < L; ++c) to[static_cast<Index>(c) * stride] = next[c] + emission[c];
  }
}

// The first labels, while there are no more than k: by the code of all of them.
inline void start_prefixes(const HigherTransitions& moves, const double* emission, Id length,
                           HigherScratch& work) {
  const Id L = moves.labels;
  work.started.assign(emission, emission + L);
  for (Id y = 0; y < L; ++y) work.started[y] += moves.start[y];
  for (Id t = 1; t < length; ++t) {
    const double* const e = emission + static_cast<Index>(t) * moves.stride;
    work.shorter.swap(work.started);
    const Index size = std::ssize(work.shorter) * L;
    work.started.resize(static_cast<std::size_t>(size));
    for (Index code = 0; code < size; ++code)
      work.started[code] = work.shorter[code / L] + e[code % L] + moves.ending[t][code];
  }
}

}  // namespace detail

// The best labels and their score; equal scores go to the earlier label. emission:
// [length][stride].
inline double higher_viterbi(const HigherTransitions& moves, const double* emission, Id length,
                             Id* labels, HigherScratch& work) {
  const Id L = moves.labels, k = std::min(length, moves.order);
  const auto write = [&](Index code, Id end) {  // the labels of a code, the last before `end`
    for (Id t = 1; t <= k; ++t, code /= L) labels[end - t] = static_cast<Id>(code % L);
  };
  detail::start_prefixes(moves, emission, k, work);
  double best = -kInf;
  Index last = 0;  // the code of the best state at the last token
  if (length <= moves.order) {
    for (Index code = 0; code < std::ssize(work.started); ++code)
      if (const double x = work.started[code] + moves.stop[code % L]; x > best)
        best = x, last = code;
    write(last, length);
    return best;
  }
  const Index size = static_cast<Index>(moves.middles) * moves.stride;
  work.prefix.resize(static_cast<std::size_t>(length - k + 1) * static_cast<std::size_t>(size));
  work.next.resize(static_cast<std::size_t>(moves.stride));
  double* v = work.prefix.data();
  for (Id a = 0; a < L; ++a)
    for (Id m = 0; m < moves.middles; ++m)
      v[static_cast<Index>(m) * moves.stride + a] =
          work.started[static_cast<Index>(a) * moves.middles + m];
  Steps steps;
  for (Id t = k; t < length; ++t, v += size) {
    steps(8 + size * L / 4);
    detail::extend_prefixes(moves, v, emission + static_cast<Index>(t) * moves.stride,
                            work.next.data(), v + size);
  }

  for (Id a = 0; a < L; ++a)
    for (Id m = 0; m < moves.middles; ++m)
      if (const double x = v[static_cast<Index>(m) * moves.stride + a] + moves.stop[m % L];
          x > best)
        best = x, last = static_cast<Index>(a) * moves.middles + m;
  write(last, length);
  for (Id t = length - 1; t >= k; --t) {
    v -= size;
    steps(8 + Index{L});
    const Id m = static_cast<Id>(last / L), c = static_cast<Id>(last % L);
    const double *from = v + static_cast<Index>(m) * moves.stride, *to = moves.of(m) + c;
    double top = -kInf;
    Id chosen = 0;
    for (Id a = 0; a < L; ++a)
      if (const double x = from[a] + to[static_cast<Index>(a) * moves.stride]; x > top)
        top = x, chosen = a;
    labels[t - k] = chosen;
    last = static_cast<Index>(chosen) * moves.middles + m;
  }
  return best;
}

}  // namespace linnet
