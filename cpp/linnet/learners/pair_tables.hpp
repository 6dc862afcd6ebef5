// The weights of SeenPairs in the form a pass over tokens reads, and sums in the same form: scores
// of tokens, and their transpose. A coordinate u of k merged features stands here as √k u, what it
// adds to a score.
#pragma once
#include "linnet/features/seen_pairs.hpp"
#include "linnet/structures/chain_kernel.hpp"

namespace linnet {

template <class Real>
struct PairTables {
  Buffer<Real> dense, single;  // [dense rows][stride], and one per coordinate

  PairTables(const SeenPairs& pairs, Id stride)
      : dense(static_cast<std::size_t>(pairs.dense_rows() * stride)),
        single(static_cast<std::size_t>(pairs.dim())) {}

  void clear() {
    std::fill(dense.begin(), dense.end(), Real(0));
    std::fill(single.begin(), single.end(), Real(0));
  }
  void set(const SeenPairs& pairs, Id stride, std::span<const double> u) {
    const auto scale = pairs.scale();
    for (std::size_t j = 0; j < scale.size(); ++j) single[j] = static_cast<Real>(u[j] * scale[j]);
    pairs.each_dense([&](Index row, Id y, Id j) { dense[row * stride + y] = single[j]; });
  }
  void get(const SeenPairs& pairs, Id stride, std::span<double> u) {
    const auto scale = pairs.scale();
    gather(pairs, stride);
    for (std::size_t j = 0; j < scale.size(); ++j) u[j] = static_cast<double>(single[j]) / scale[j];
  }
  // Dense rows, in the places of their coordinates among the others.
  void gather(const SeenPairs& pairs, Id stride) {
    pairs.each_dense([&](Index row, Id y, Id j) { single[j] = dense[row * stride + y]; });
  }
};

// Which labels of a dense row have weights, and how many features stand behind a weight.
struct SeenLabels {
  std::vector<std::uint8_t> mask;  // [dense rows][stride / 8]
  std::vector<float> copies;       // of dense rows
  std::vector<float> single;       // of coordinates

  SeenLabels(const SeenPairs& pairs, Id stride)
      : mask(static_cast<std::size_t>(pairs.dense_rows() * stride / 8)),
        copies(static_cast<std::size_t>(pairs.dense_rows())) {
    for (double s : pairs.scale()) single.push_back(static_cast<float>(s * s));
    pairs.each_dense([&](Index row, Id y, Id j) {
      mask[row * stride / 8 + y / 8] |= static_cast<std::uint8_t>(1u << (y % 8));
      copies[row] = single[j];
    });
  }
};

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
  for (Index t = from; t < from + length; ++t, theta += stride) {
    const auto rows = pairs.dense(t);
    const auto values = pairs.dense_values(t);
    Id k = 0;
    for (; k + 3 * kLanes <= stride; k += 3 * kLanes)
      add_up_rows<3>(rows, values, w.dense.data() + k, stride, theta + k);
    for (; k < stride; k += kLanes)
      add_up_rows<1>(rows, values, w.dense.data() + k, stride, theta + k);
    const auto singles = pairs.singles(t);
    const auto single_values = pairs.single_values(t);
    for (std::size_t j = 0; j < singles.size(); ++j) {
      LINNET_PREFETCH(w.single.data() + singles.data()[j + SeenPairs::kAhead].weight);
      const Real x = single_values.empty() ? Real(1) : static_cast<Real>(single_values[j]);
      theta[singles[j].label] += x * w.single[singles[j].weight];
    }
    std::fill(theta + pairs.num_labels(), theta + stride, static_cast<Real>(-kInf));
  }
}

template <class Real>
LINNET_INLINE void scatter_tokens(const SeenPairs& pairs, const Real* delta, Index from,
                                  Index length, Id stride, PairTables<Real>& sums) {
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
      LINNET_PREFETCH(sums.single.data() + singles.data()[j + SeenPairs::kAhead].weight);
      const Real x = single_values.empty() ? Real(1) : static_cast<Real>(single_values[j]);
      sums.single[singles[j].weight] += x * delta[singles[j].label];
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
