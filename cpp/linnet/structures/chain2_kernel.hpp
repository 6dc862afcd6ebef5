// Viterbi on second-order chains, hand-tuned. The state at token t is a pair of labels: V_t[b][a],
// the best prefix that ends with a b. Each middle label b has a matrix M_b[a][c] of its own, so
// that
//   V_{t+1}[c][b] = e_{t+1}[c] + max_a V_t[b][a] + M_b[a][c]
// is, for each b, a row times a matrix. Tested equal to the generic recursion over Chain2.
#pragma once
#include "linnet/structures/chain2.hpp"
#include "linnet/structures/chain_kernel.hpp"

namespace linnet {

// What all sentences share.
struct Chain2Transitions {
  Id labels = 0, stride = 0;
  std::vector<double> pair;  // [a][b]
  Buffer<double> triple;     // M: [b][a][c], pair b c and triple a b c; padding -inf
  std::vector<double> start, stop;

  // All as Chain2 lays them out: pairs, first and last labels if there are any, triples.
  void set(Id num_labels, bool ends, const double* scores) {
    labels = num_labels;
    stride = chain_stride<double>(labels);
    const Index L = labels;
    pair.assign(scores, scores + L * L);
    scores += L * L;
    start.assign(static_cast<std::size_t>(labels), 0.0);
    stop = start;
    if (ends) {
      std::copy_n(scores, L, start.begin());
      std::copy_n(scores + L, L, stop.begin());
      scores += 2 * L;
    }
    triple.assign(static_cast<std::size_t>(L * L * stride), -kInf);
    for (Index a = 0; a < L; ++a)
      for (Index b = 0; b < L; ++b)
        for (Index c = 0; c < L; ++c)
          triple[(b * L + a) * stride + c] = pair[b * L + c] + scores[(a * L + b) * L + c];
  }
  const double* of_middle(Id b) const {
    return triple.data() + static_cast<Index>(b) * labels * stride;
  }
};

struct Chain2Scratch {
  Buffer<double> prefix, next;  // V of all tokens but the first, [tokens - 1][b][stride]; [stride]
};

namespace detail {

LINNET_CLONES inline void extend_prefixes(const Chain2Transitions& m, const double* before,
                                          const double* emission, double* next, double* after) {
  for (Id b = 0; b < m.labels; ++b) {
    row_times_matrix<MaxPlus>(before + static_cast<Index>(b) * m.stride, m.of_middle(b), m.labels,
                              m.stride, next);
    for (Id c = 0; c < m.labels; ++c)
      after[static_cast<Index>(c) * m.stride + b] = next[c] + emission[c];
  }
}

}  // namespace detail

// The best labels and their score; equal scores go to the earlier label. emission:
// [length][stride].
inline double chain2_viterbi(const Chain2Transitions& m, const double* emission, Id length,
                             Id* labels, Chain2Scratch& work) {
  const Id L = m.labels;
  const Index size = static_cast<Index>(L) * m.stride;
  double best = -kInf;
  if (length == 1) {
    labels[0] = 0;
    for (Id y = 0; y < L; ++y)
      if (const double x = emission[y] + m.start[y] + m.stop[y]; x > best) best = x, labels[0] = y;
    return best;
  }
  work.prefix.resize(static_cast<std::size_t>(length - 1) * static_cast<std::size_t>(size));
  work.next.resize(static_cast<std::size_t>(m.stride));
  double* v = work.prefix.data();
  const double* e = emission + m.stride;
  for (Id b = 0; b < L; ++b)
    for (Id a = 0; a < L; ++a)
      v[static_cast<Index>(b) * m.stride + a] =
          emission[a] + m.start[a] + m.pair[static_cast<Index>(a) * L + b] + e[b];
  for (Id t = 2; t < length; ++t, v += size)
    detail::extend_prefixes(m, v, e += m.stride, work.next.data(), v + size);

  Id b = labels[length - 2] = 0, c = labels[length - 1] = 0;
  for (Id a = 0; a < L; ++a)
    for (Id y = 0; y < L; ++y)
      if (const double x = v[static_cast<Index>(y) * m.stride + a] + m.stop[y]; x > best)
        best = x, b = labels[length - 2] = a, c = labels[length - 1] = y;
  for (Id t = length - 1; t > 1; --t) {
    v -= size;
    const double* from = v + static_cast<Index>(b) * m.stride;
    double top = -kInf;
    Id chosen = 0;
    for (Id a = 0; a < L; ++a)
      if (const double x = from[a] + m.of_middle(b)[static_cast<Index>(a) * m.stride + c]; x > top)
        top = x, chosen = a;
    c = b;
    b = labels[t - 2] = chosen;
  }
  return best;
}

}  // namespace linnet
