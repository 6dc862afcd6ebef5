// The weights of SeenPairs in the form a pass over tokens reads, and sums in the same form: scores
// of tokens, and their transpose. A coordinate u of k merged features stands here as √k u, what it
// adds to a score; each of the features has a weight of u / √k.
#pragma once
#include "linnet/base/archive.hpp"
#include "linnet/base/interrupt.hpp"
#include "linnet/features/label_weights.hpp"
#include "linnet/features/seen_pairs.hpp"
#include "linnet/structures/chain_kernel.hpp"

namespace linnet {

template <class Real>
struct PairTables {
  Buffer<Real> dense, single;  // [dense rows][stride], and one per single weight

  PairTables(const SeenPairs& pairs, Id stride)
      : dense(static_cast<std::size_t>(pairs.dense_rows() * stride)),
        single(static_cast<std::size_t>(pairs.single_dim())) {}

  void state(Archive& a) { a(dense, single); }
  void clear() {
    std::fill(dense.begin(), dense.end(), Real(0));
    std::fill(single.begin(), single.end(), Real(0));
  }
  void set(const SeenPairs& pairs, Id stride, std::span<const double> u) {
    each(pairs, stride,
         [&](Real& at, Index j, double scale) { at = static_cast<Real>(u[j] * scale); });
  }
  // visit(place, coordinate, √k)
  template <class Visit>
  void each(const SeenPairs& pairs, Id stride, Visit&& visit) {
    pairs.each_dense([&](Index row, Id y, Id j, double scale) {
      visit(dense[row * stride + y], Index{j}, scale);
    });
    pairs.each_single([&](Index k, Index j, double scale) { visit(single[k], j, scale); });
  }
  // The place of a pair that each_pair visits.
  Real at(const SeenPairs& pairs, Id stride, const SeenPairs::Weights& w, Id y, Id j) const {
    return w.row >= 0 ? dense[w.row * stride + y] : single[j - pairs.dense_dim()];
  }
};

// Which labels of the dense rows have weights: bits, [dense rows][stride / 8].
inline std::vector<std::uint8_t> dense_labels(const SeenPairs& pairs, Id stride) {
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(pairs.dense_rows() * stride / 8));
  pairs.each_dense([&](Index row, Id y, Id, double) {
    mask[row * stride / 8 + y / 8] |= static_cast<std::uint8_t>(1u << (y % 8));
  });
  return mask;
}

// What the labels of every feature weigh, those left out that are smaller than `smallest`.
// weight(label, coordinate, SeenPairs::Weights) is that of a pair.
template <class Weight>
LabelRows label_rows(const SeenPairs& pairs, double smallest, Weight&& weight) {
  LabelRows rows(pairs.num_labels(), static_cast<float>(smallest));
  Id last = 0;
  pairs.each_pair([&](Id f, Id y, Id j, const SeenPairs::Weights& w) {
    for (; last < f; ++last) rows.close();
    rows.put(y, static_cast<float>(weight(y, j, w)));
  });
  for (; last < pairs.features(); ++last) rows.close();
  return rows;
}

namespace detail {

// out = Σ_j value_j row_j, N vectors of labels
template <int N, class Real>
LINNET_INLINE void add_up_rows(std::span<const Id> rows, std::span<const float> values,
                               const Real* table, Id stride, Real* out) {
  LanesOf<Real> sum[N];
  for (int n = 0; n < N; ++n) sum[n] = everywhere(Real(0));
  for (std::size_t j = 0; j < rows.size(); ++j) {
    const Real* const row = table + static_cast<Index>(rows[j]) * stride;
    const LanesOf<Real> x = everywhere(values.empty() ? Real(1) : static_cast<Real>(values[j]));
    for (int n = 0; n < N; ++n) sum[n] = sum[n] + x * load_lanes(row + n * kChainLanes<Real>);
  }
  for (int n = 0; n < N; ++n) store_lanes(out + n * kChainLanes<Real>, sum[n]);
}

template <class Real>
LINNET_INLINE void score_tokens(const SeenPairs& pairs, const PairTables<Real>& w, Index from,
                                Index length, Id stride, Real* theta) {
  constexpr Id kLanes = kChainLanes<Real>;
  const SeenPairs::Label* const labels = pairs.single_labels();
  Steps steps;
  for (Index t = from; t < from + length; ++t, theta += stride) {
    const auto rows = pairs.dense(t);
    const auto values = pairs.dense_values(t);
    steps(std::ssize(rows) * (1 + stride / 4) + std::ssize(pairs.singles(t)) + 8);
    Id k = 0;
    for (; k + 3 * kLanes <= stride; k += 3 * kLanes)
      add_up_rows<3>(rows, values, w.dense.data() + k, stride, theta + k);
    for (; k < stride; k += kLanes)
      add_up_rows<1>(rows, values, w.dense.data() + k, stride, theta + k);
    const auto singles = pairs.singles(t);
    const auto single_values = pairs.single_values(t);
    for (std::size_t j = 0; j < singles.size(); ++j) {
      const Id ahead = singles.data()[j + SeenPairs::kAhead];
      LINNET_PREFETCH(w.single.data() + ahead);
      LINNET_PREFETCH(labels + ahead);
      const Real x = single_values.empty() ? Real(1) : static_cast<Real>(single_values[j]);
      theta[labels[singles[j]]] += x * w.single[singles[j]];
    }
    std::fill(theta + pairs.num_labels(), theta + stride, static_cast<Real>(-kInf));
  }
}

template <class Real>
LINNET_INLINE void scatter_tokens(const SeenPairs& pairs, const Real* delta, Index from,
                                  Index length, Id stride, PairTables<Real>& sums) {
  const SeenPairs::Label* const labels = pairs.single_labels();
  for (Index t = from; t < from + length; ++t, delta += stride) {
    const auto rows = pairs.dense(t);
    const auto values = pairs.dense_values(t);
    for (std::size_t j = 0; j < rows.size(); ++j) {
      Real* const row = sums.dense.data() + static_cast<Index>(rows[j]) * stride;
      const LanesOf<Real> x = everywhere(values.empty() ? Real(1) : static_cast<Real>(values[j]));
      for (Id k = 0; k < stride; k += kChainLanes<Real>)
        store_lanes(row + k, load_lanes(row + k) + x * load_lanes(delta + k));
    }
    const auto singles = pairs.singles(t);
    const auto single_values = pairs.single_values(t);
    for (std::size_t j = 0; j < singles.size(); ++j) {
      const Id ahead = singles.data()[j + SeenPairs::kAhead];
      LINNET_PREFETCH(sums.single.data() + ahead);
      LINNET_PREFETCH(labels + ahead);
      const Real x = single_values.empty() ? Real(1) : static_cast<Real>(single_values[j]);
      sums.single[singles[j]] += x * delta[labels[singles[j]]];
    }
  }
}

}  // namespace detail

// theta = the scores of the labels of tokens [from, from + length), padding -inf.
LINNET_CLONES inline void score_tokens(const SeenPairs& pairs, const PairTables<float>& w,
                                       Index from, Index length, Id stride, float* theta) {
  detail::score_tokens(pairs, w, from, length, stride, theta);
}
LINNET_CLONES inline void score_tokens(const SeenPairs& pairs, const PairTables<double>& w,
                                       Index from, Index length, Id stride, double* theta) {
  detail::score_tokens(pairs, w, from, length, stride, theta);
}
// sums += delta at every feature of the tokens; what falls on labels without a weight is to be
// ignored.
LINNET_CLONES inline void scatter_tokens(const SeenPairs& pairs, const float* delta, Index from,
                                         Index length, Id stride, PairTables<float>& sums) {
  detail::scatter_tokens(pairs, delta, from, length, stride, sums);
}
LINNET_CLONES inline void scatter_tokens(const SeenPairs& pairs, const double* delta, Index from,
                                         Index length, Id stride, PairTables<double>& sums) {
  detail::scatter_tokens(pairs, delta, from, length, stride, sums);
}

}  // namespace linnet
