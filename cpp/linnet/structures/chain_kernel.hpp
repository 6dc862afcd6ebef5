// First-order chains, hand-tuned: Viterbi, and forward-backward in probability space. Rows of
// labels are padded to whole vectors and every step is a row times a matrix,
//   v[b] = ⊕_a x[a] ⊗ m[a][b],
// by (max, +) or (+, ×), with the sums of a few vectors of labels b kept in registers. Tested equal
// to the generic recursions over Chain.
#pragma once
#include <cmath>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/lanes.hpp"
#include "linnet/inference/rings.hpp"
#include "linnet/structures/chain_transitions.hpp"

namespace linnet {

namespace detail {

struct MaxPlus {
  static constexpr double kZero = -kInf;
  template <class V>
  static LINNET_INLINE V join(const V& sum, const V& x, const V& m) {
    return larger(x + m, sum);
  }
  template <class V>
  static LINNET_INLINE V merge(const V& a, const V& b) {
    return larger(a, b);
  }
};
struct SumProduct {
  static constexpr double kZero = 0;
  template <class V>
  static LINNET_INLINE V join(const V& sum, const V& x, const V& m) {
    return sum + x * m;
  }
  template <class V>
  static LINNET_INLINE V merge(const V& a, const V& b) {
    return a + b;
  }
};

// out[b] = ⊕_a x[a] ⊗ m[a][b] for N vectors of b; two sums each hide the latency of joining.
template <class Algebra, int N, class Real>
LINNET_INLINE void times_columns(const Real* LINNET_RESTRICT x, const Real* LINNET_RESTRICT m,
                                 Id rows, Id stride, Real* LINNET_RESTRICT out) {
  constexpr Id kLanes = kChainLanes<Real>;
  LanesOf<Real> even[N], odd[N];
  for (int n = 0; n < N; ++n) even[n] = odd[n] = everywhere(static_cast<Real>(Algebra::kZero));
  Id a = 0;
  for (; a + 2 <= rows; a += 2, m += 2 * static_cast<Index>(stride)) {
    const LanesOf<Real> u = everywhere(x[a]), v = everywhere(x[a + 1]);
    for (int n = 0; n < N; ++n) {
      even[n] = Algebra::join(even[n], u, load_lanes(m + n * kLanes));
      odd[n] = Algebra::join(odd[n], v, load_lanes(m + stride + n * kLanes));
    }
  }
  if (a < rows) {
    const LanesOf<Real> u = everywhere(x[a]);
    for (int n = 0; n < N; ++n) even[n] = Algebra::join(even[n], u, load_lanes(m + n * kLanes));
  }
  for (int n = 0; n < N; ++n) store_lanes(out + n * kLanes, Algebra::merge(even[n], odd[n]));
}

template <class Algebra, class Real>
LINNET_INLINE void row_times_matrix(const Real* LINNET_RESTRICT x, const Real* LINNET_RESTRICT m,
                                    Id rows, Id stride, Real* LINNET_RESTRICT out) {
  constexpr Id kLanes = kChainLanes<Real>;
  for (Id b = 0; b < stride;) {
    const Id left = (stride - b) / kLanes;
    if (left == 4 || left > 6) {
      times_columns<Algebra, 4>(x, m + b, rows, stride, out + b);
      b += 4 * kLanes;
    } else if (left > 2) {
      times_columns<Algebra, 3>(x, m + b, rows, stride, out + b);
      b += 3 * kLanes;
    } else if (left == 2) {
      times_columns<Algebra, 2>(x, m + b, rows, stride, out + b);
      b += 2 * kLanes;
    } else {
      times_columns<Algebra, 1>(x, m + b, rows, stride, out + b);
      b += kLanes;
    }
  }
}

// x = exp(e - top); a part of -inf becomes 0.
template <class Real>
LINNET_INLINE void exp_row(const Real* LINNET_RESTRICT e, Real top, Id size,
                           Real* LINNET_RESTRICT x) {
  const LanesOf<Real> shift = everywhere(top);
  for (Id k = 0; k < size; k += kChainLanes<Real>)
    store_lanes(x + k, exp(load_lanes(e + k) - shift));
}

// out = a ∘ b · scale; its sum.
template <class Real>
LINNET_INLINE Real times_row(const Real* a, const Real* b, Real scale, Id size, Real* out) {
  LanesOf<Real> sum = everywhere(Real(0));
  const LanesOf<Real> factor = everywhere(scale);
  for (Id k = 0; k < size; k += kChainLanes<Real>) {
    const LanesOf<Real> v = load_lanes(a + k) * load_lanes(b + k) * factor;
    store_lanes(out + k, v);
    sum = sum + v;
  }
  return sum_of(sum);
}
template <class Real>
LINNET_INLINE Real sum_of_row(const Real* a, Id size) {
  LanesOf<Real> sum = everywhere(Real(0));
  for (Id k = 0; k < size; k += kChainLanes<Real>) sum = sum + load_lanes(a + k);
  return sum_of(sum);
}

// The first of the largest a[k] + b[k].
template <class Real>
LINNET_INLINE Id best_of(const Real* a, const Real* b, Id labels, Id stride, Real& top) {
  LanesOf<Real> best = load_lanes(a) + load_lanes(b);
  for (Id k = kChainLanes<Real>; k < stride; k += kChainLanes<Real>)
    best = larger(load_lanes(a + k) + load_lanes(b + k), best);
  top = largest_of(best);
  for (Id k = 0; k < labels; ++k)
    if (a[k] + b[k] == top) return k;
  return 0;  // NaN
}

// Sums may drift within kFar; a step that takes more than kNear off a sum loses digits to exp's
// underflow and is left to log space, and so is a product of two rows below kLeast.
template <class Real>
struct ChainRange;
template <>
struct ChainRange<double> {
  static constexpr double kFar = 1e100, kNear = 1e-80, kLeast = 1e-290, kScore = kInf;
};
template <>
struct ChainRange<float> {
  static constexpr float kFar = 1e6f, kNear = 1e-12f, kLeast = 1e-30f, kScore = 4096;
};

// What a step from one token to the next costs, and what may be done before one asks again.
inline constexpr Index kStepsTogether = 1 << 16;
template <class Real>
LINNET_INLINE Index chain_step(const ChainTransitions<Real>& m) {
  return 8 + static_cast<Index>(m.labels) * m.stride / 4;
}

template <class Real>
LINNET_INLINE double viterbi(const ChainTransitions<Real>& m, const Real* emission, Id length,
                             Id* labels, ChainScratch<Real>& work) {
  const Id stride = m.stride;
  Real* v = work.prefix.data();
  const Index cost = chain_step(m);
  const Id together = static_cast<Id>(1 + kStepsTogether / cost);
  Steps steps;
  double rebased = 0;  // floats stay small enough to tell scores apart
  for (Id k = 0; k < stride; ++k) v[k] = m.start[k] + emission[k];
  for (Id t = 1; t < length;) {
    const Id end = std::min(length, t + together);
    steps((end - t) * cost);
    for (; t < end; ++t) {
      const Real* e = emission + static_cast<Index>(t) * stride;
      row_times_matrix<MaxPlus>(v, m.score.data(), m.labels, stride, v + stride);
      v += stride;
      for (Id k = 0; k < stride; ++k) v[k] += e[k];
      if constexpr (ChainRange<Real>::kScore < kInf) {
        const Real top = largest_of(v, stride);
        if (std::abs(top) > ChainRange<Real>::kScore && top > -kInf) {
          for (Id k = 0; k < stride; ++k) v[k] -= top;
          rebased += static_cast<double>(top);
        }
      }
    }
  }
  Real top, ignored;
  Id y = labels[length - 1] = best_of(v, m.stop.data(), m.labels, stride, top);
  for (Id t = length - 1; t > 0; --t) {
    v -= stride;
    y = best_of(v, m.score_back.data() + static_cast<Index>(y) * stride, m.labels, stride, ignored);
    labels[t - 1] = y;
  }
  return rebased + static_cast<double>(top);
}

// pairs[a][b] += m[a][b] Σ_t α_t[a] q_t[b], for four a and N vectors of b.
template <int N, class Real>
LINNET_INLINE void add_pair_tile(const Real* LINNET_RESTRICT alpha, const Real* LINNET_RESTRICT q,
                                 Id tokens, Id rows, Id stride, const Real* LINNET_RESTRICT m,
                                 double* LINNET_RESTRICT pairs) {
  constexpr Id kLanes = kChainLanes<Real>;
  LanesOf<Real> sum[4][N];
  for (auto& row : sum)
    for (auto& s : row) s = everywhere(Real(0));
  for (Id t = 0; t < tokens; ++t, alpha += stride, q += stride)
    for (int r = 0; r < 4; ++r) {
      const LanesOf<Real> x = everywhere(alpha[r]);
      for (int n = 0; n < N; ++n) sum[r][n] = sum[r][n] + x * load_lanes(q + n * kLanes);
    }
  for (int r = 0; r < 4 && r < rows; ++r, m += stride, pairs += stride)
    for (int n = 0; n < N; ++n) {
      Real product[kLanes];
      store_lanes(product, sum[r][n] * load_lanes(m + n * kLanes));
      for (Id k = 0; k < kLanes; ++k) pairs[n * kLanes + k] += static_cast<double>(product[k]);
    }
}
template <class Real>
LINNET_INLINE void add_pairs(const ChainTransitions<Real>& m, const Real* alpha, const Real* q,
                             Id tokens, double* pairs) {
  constexpr Id kLanes = kChainLanes<Real>, kBlock = 128;  // tokens whose rows stay in the cache
  const Id stride = m.stride;
  const Index cost = chain_step(m);
  Steps steps;
  for (Id t = 0; t < tokens; t += kBlock) {
    const Id count = std::min(kBlock, tokens - t);
    steps(count * cost);
    for (Id a = 0; a < m.labels; a += 4)
      for (Id b = 0; b < stride;) {
        const Index cell = static_cast<Index>(a) * stride + b;
        const Real *x = alpha + static_cast<Index>(t) * stride + a,
                   *y = q + static_cast<Index>(t) * stride + b;
        const Id left = (stride - b) / kLanes, rows = m.labels - a;
        if (left >= 3) {
          add_pair_tile<3>(x, y, count, rows, stride, m.potential.data() + cell, pairs + cell);
          b += 3 * kLanes;
        } else {
          add_pair_tile<1>(x, y, count, rows, stride, m.potential.data() + cell, pairs + cell);
          b += kLanes;
        }
      }
  }
}

// log Z, or NaN when it cannot be had in this range. α_t and the exponentiated emissions are kept.
// Sums are scaled only when they leave [1/kFar, kFar], so that no division is waited for.
template <class Real>
LINNET_INLINE double forward(const ChainTransitions<Real>& m, const Real* emission, Id length,
                             ChainScratch<Real>& work) {
  using Range = ChainRange<Real>;
  const Id stride = m.stride;
  const Real* previous = m.start_potential.data();
  double log_z = m.start_shift + m.stop_shift + (length - 1) * m.shift;
  Real scale = 1, sum = 1;
  const Index cost = chain_step(m);
  Steps steps;
  for (Id t = 0; t < length; ++t) {
    steps(cost);
    const Index at = static_cast<Index>(t) * stride;
    Real *x = work.emitted.data() + at, *alpha = work.prefix.data() + at;
    const Real top = largest_of(emission + at, stride);
    if (!(top > -kInf)) return -kInf;
    log_z += static_cast<double>(top);
    exp_row(emission + at, top, stride, x);
    const Real before = sum * scale;
    if (t > 0) {
      row_times_matrix<SumProduct>(previous, m.potential.data(), m.labels, stride, alpha);
      sum = times_row(alpha, x, scale, stride, alpha);
    } else {
      sum = times_row(previous, x, scale, stride, alpha);
    }
    if (!(sum > before * Range::kNear)) return kNaN;
    scale = 1;
    if (sum > Range::kFar || sum < 1 / Range::kFar) {
      log_z += std::log(static_cast<double>(sum));
      scale = 1 / sum;
    }
    previous = alpha;
  }
  LanesOf<Real> z = everywhere(Real(0));
  for (Id k = 0; k < stride; k += kChainLanes<Real>)
    z = z + load_lanes(previous + k) * everywhere(scale) * load_lanes(m.stop_potential.data() + k);
  const Real end = sum_of(z);
  if (!(end > sum * scale * Range::kNear)) return kNaN;
  return log_z + std::log(static_cast<double>(end));
}

// Requires forward. With u_t = m (x_{t+1} ∘ u_{t+1}), the backward row up to a factor, the label at
// t has probability α_t u_t / n_t, n_t = α_t · u_t, and the pair at t, t + 1
// α_t[a] m[a][b] q_{t+1}[b] / n_t, q = x ∘ u: no factor of α or u matters. False: out of range.
template <class Real>
LINNET_INLINE bool backward(const ChainTransitions<Real>& m, Id length, Real* marginals,
                            double* pairs, ChainScratch<Real>& work) {
  using Range = ChainRange<Real>;
  const Id stride = m.stride;
  Real *u = work.back.data(), *q = work.row.data();
  std::copy_n(m.stop_potential.data(), stride, u);
  const Index cost = chain_step(m);
  Steps steps;
  for (Id t = length - 1;; --t) {
    steps(cost);
    const Index at = static_cast<Index>(t) * stride;
    const Real* alpha = work.prefix.data() + at;
    const Real sum = sum_of_row(u, stride), all = sum_of_row(alpha, stride);
    const Real n = times_row(alpha, u, Real(1), stride, marginals + at);
    if (!(n > all * sum * Range::kNear) || n < Range::kLeast) return false;
    const Real inverse = 1 / n;
    for (Id k = 0; k < stride; ++k) marginals[at + k] *= inverse;
    if (t + 1 < length) {
      Real* next = work.emitted.data() + at + stride;
      for (Id k = 0; k < stride; ++k) next[k] = q[k] * inverse;
    }
    if (t == 0) break;
    const Real scale = sum > Range::kFar || sum < 1 / Range::kFar ? 1 / sum : Real(1);
    times_row(u, work.emitted.data() + at, scale, stride, q);
    row_times_matrix<SumProduct>(q, m.potential_back.data(), m.labels, stride, u);
  }
  if (pairs) add_pairs(m, work.prefix.data(), work.emitted.data() + stride, length - 1, pairs);
  return true;
}

LINNET_CLONES inline double viterbi_of(const ChainTransitions<float>& m, const float* emission,
                                       Id length, Id* labels, ChainScratch<float>& work) {
  return viterbi(m, emission, length, labels, work);
}
LINNET_CLONES inline double viterbi_of(const ChainTransitions<double>& m, const double* emission,
                                       Id length, Id* labels, ChainScratch<double>& work) {
  return viterbi(m, emission, length, labels, work);
}
LINNET_CLONES inline double sums_of(const ChainTransitions<float>& m, const float* emission,
                                    Id length, float* marginals, double* pairs,
                                    ChainScratch<float>& work) {
  const double log_z = forward(m, emission, length, work);
  if (!marginals || !std::isfinite(log_z)) return log_z;
  return backward(m, length, marginals, pairs, work) ? log_z : kNaN;
}
LINNET_CLONES inline double sums_of(const ChainTransitions<double>& m, const double* emission,
                                    Id length, double* marginals, double* pairs,
                                    ChainScratch<double>& work) {
  const double log_z = forward(m, emission, length, work);
  if (!marginals || !std::isfinite(log_z)) return log_z;
  return backward(m, length, marginals, pairs, work) ? log_z : kNaN;
}

// The same in log space, for scores of any size.
template <class Real>
double log_sums_of(const ChainTransitions<Real>& m, const Real* emission, Id length,
                   Real* marginals, double* pairs, ChainScratch<Real>& work) {
  const Id stride = m.stride, labels = m.labels;
  const auto cell = [&](Id a, Id b) { return static_cast<Index>(a) * stride + b; };
  work.log_prefix.resize(static_cast<std::size_t>(length) * static_cast<std::size_t>(stride));
  double* alpha = work.log_prefix.data();
  Steps steps;
  for (Id t = 0; t < length; ++t, alpha += stride)
    for (Id y = 0; y < labels; ++y) {
      steps(16 * Index{labels});
      const double e = static_cast<double>(emission[cell(t, y)]);
      Log::Sum sum;
      if (t == 0) sum.add(static_cast<double>(m.start[y]));
      for (Id p = 0; t > 0 && p < labels; ++p)
        sum.add((alpha - stride)[p] + static_cast<double>(m.score[cell(p, y)]));
      alpha[y] = e + sum.get();
    }
  std::vector<double>& back = work.log_back;  // [labels], then those of the token after
  back.assign(2 * static_cast<std::size_t>(labels), 0.0);
  for (Id y = 0; y < labels; ++y) back[y] = static_cast<double>(m.stop[y]);
  Log::Sum total;
  alpha = work.log_prefix.data() + cell(length - 1, 0);
  for (Id y = 0; y < labels; ++y) total.add(alpha[y] + back[y]);
  const double log_z = total.get();
  if (!marginals || log_z == -kInf) return log_z;
  for (Id t = length - 1;; --t, alpha -= stride) {
    Real* out = marginals + cell(t, 0);
    std::fill(out, out + stride, Real(0));
    for (Id y = 0; y < labels; ++y) out[y] = static_cast<Real>(exp(alpha[y] + back[y] - log_z));
    if (t == 0) return log_z;
    for (Id y = 0; y < labels; ++y) {
      double& next = back[static_cast<std::size_t>(labels + y)];
      next = back[y] + static_cast<double>(emission[cell(t, y)]);
    }
    for (Id a = 0; a < labels; ++a) {
      Log::Sum sum;
      steps(16 * Index{labels});
      for (Id b = 0; b < labels; ++b) {
        const double edge =
            static_cast<double>(m.score[cell(a, b)]) + back[static_cast<std::size_t>(labels + b)];
        sum.add(edge);
        if (pairs) pairs[cell(a, b)] += exp((alpha - stride)[a] + edge - log_z);
      }
      back[a] = sum.get();
    }
  }
}

}  // namespace detail

// The best labels of a chain and their score; equal scores go to the earlier label. emission:
// [length][stride], padding -inf; labels: [length]. -inf: no output is allowed.
template <class Real>
double chain_viterbi(const ChainTransitions<Real>& m, const Real* emission, Id length, Id* labels,
                     ChainScratch<Real>& work) {
  work.prefix.resize(static_cast<std::size_t>(length) * static_cast<std::size_t>(m.stride));
  return detail::viterbi_of(m, emission, length, labels, work);
}

// log Z; with marginals [length][stride] also the probability of each label at each token, and with
// pairs [labels][stride] each transition's expected number is added there. -inf: no output is
// allowed, and nothing is written that may be read.
template <class Real>
double chain_marginals(const ChainTransitions<Real>& m, const Real* emission, Id length,
                       Real* marginals, double* pairs, ChainScratch<Real>& work) {
  const auto row = static_cast<std::size_t>(m.stride),
             size = row * static_cast<std::size_t>(length);
  work.prefix.resize(size);
  work.emitted.resize(size);
  work.row.resize(row);
  work.back.resize(row);
  const double log_z = detail::sums_of(m, emission, length, marginals, pairs, work);
  if (!std::isnan(log_z)) return log_z;
  return detail::log_sums_of(m, emission, length, marginals, pairs, work);
}

}  // namespace linnet
