// Local normalisation (maximum entropy Markov models): each label is drawn given the one before,
//   P(b | a, x_t) = exp(e_t[b] + T[a, b]) / Z_t(a).
// A label at t - 1 pays log Z_t(a) whatever follows, so the score of a sequence is that of a chain
// with e_{t-1}[a] - log Z_t(a) for e_{t-1}[a]: the kernels of chains need not know. What is
// forbidden is -inf and has no share in Z; a label that nothing may follow becomes forbidden.
#pragma once
#include "linnet/base/interrupt.hpp"
#include "linnet/structures/chain.hpp"
#include "linnet/structures/chain_kernel.hpp"

namespace linnet {

namespace detail {

// e - log Z, where Z = 0 leaves nothing.
inline double paid(double e, double log_z) { return log_z == -kInf ? -kInf : e - log_z; }

// z[a] = Σ_b exp(e[b] - top) m[a, b] for all a at once.
LINNET_CLONES inline void sums_over_next(const ChainTransitions<double>& m, const double* e,
                                         double top, double* x, double* z) {
  exp_row(e, top, m.stride, x);
  row_times_matrix<SumProduct>(x, m.potential_back.data(), m.labels, m.stride, z);
}

template <class Score>
double log_sum(Id labels, Score&& score) {
  Log::Sum sum;
  for (Id b = 0; b < labels; ++b) sum.add(score(b));
  return sum.get();
}

}  // namespace detail

// Tied transitions. emission: [length][stride], padding -inf.
inline void normalise_locally(const ChainTransitions<double>& m, Id length, double* emission,
                              ChainScratch<double>& work) {
  constexpr double kLeast = 1e-200;  // below it sums have lost digits
  const Id L = m.labels;
  work.row.resize(static_cast<std::size_t>(m.stride));
  work.back.resize(static_cast<std::size_t>(m.stride));
  const double first = detail::log_sum(L, [&](Id b) { return m.start[b] + emission[b]; });
  for (Id b = 0; b < L; ++b) emission[b] = detail::paid(emission[b], first);
  Steps steps;
  for (Id t = 1; t < length; ++t) {
    steps(detail::chain_step(m));
    double* const before = emission + static_cast<Index>(t - 1) * m.stride;
    const double* const e = before + m.stride;
    const double top = largest_of(e, m.stride);
    double* const z = work.back.data();
    if (top > -kInf)
      detail::sums_over_next(m, e, top, work.row.data(), z);
    else
      std::fill_n(z, L, 0.0);
    for (Id a = 0; a < L; ++a) {
      const double* const moves = m.score.data() + static_cast<Index>(a) * m.stride;
      before[a] = detail::paid(
          before[a], z[a] > kLeast ? top + m.shift + std::log(z[a])
                                   : detail::log_sum(L, [&](Id b) { return moves[b] + e[b]; }));
    }
  }
}

// Transitions that see the observation. theta: the parts of the chain.
inline void normalise_locally(const Chain& c, double* theta) {
  const double first = detail::log_sum(
      c.labels, [&](Id b) { return theta[c.at(0, b)] + (c.ends ? theta[c.start(b)] : 0); });
  for (Id b = 0; b < c.labels; ++b) theta[c.at(0, b)] = detail::paid(theta[c.at(0, b)], first);
  Steps steps;
  for (Id t = 1; t < c.length; ++t)
    for (Id a = 0; a < c.labels; ++a) {
      steps(8 * Index{c.labels});
      double& before = theta[c.at(t - 1, a)];
      before = detail::paid(before, detail::log_sum(c.labels, [&](Id b) {
                              return theta[c.at(t, b)] + theta[c.transition(a, b)] +
                                     theta[c.pair(t - 1, a, b)];
                            }));
    }
}

}  // namespace linnet
