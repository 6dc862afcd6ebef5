// The scores that all tokens of all sentences share, laid out for the kernel of chains.
#pragma once
#include <algorithm>

#include "linnet/base/math.hpp"
#include "linnet/base/types.hpp"

namespace linnet {

template <class Real>
inline constexpr Id kChainLanes = 32 / sizeof(Real);
template <class Real>
Id chain_stride(Id labels) {
  return (labels + kChainLanes<Real> - 1) / kChainLanes<Real> * kChainLanes<Real>;
}

// What all tokens of all sentences share; made once per change of weights. Matrices are
// [labels][stride]; padding is -inf in scores and 0 in potentials.
template <class Real>
struct ChainTransitions {
  Id labels = 0, stride = 0;
  Buffer<Real> score, score_back;          // a → b: [a][b] and [b][a]
  Buffer<Real> potential, potential_back;  // exp(score - shift)
  Buffer<Real> start, stop;                // [stride]: scores of the first and last label
  Buffer<Real> start_potential, stop_potential;
  double shift = 0, start_shift = 0, stop_shift = 0;

  // score: [labels][labels]; start and stop [labels], or nullptr for none. Without `sums` only what
  // Viterbi needs is made.
  template <class From>
  void set(Id num_labels, const From* scores, const From* starts, const From* stops, bool sums) {
    labels = num_labels;
    stride = chain_stride<Real>(labels);
    const auto row = static_cast<std::size_t>(stride),
               size = row * static_cast<std::size_t>(labels);
    score.assign(size, static_cast<Real>(-kInf));
    score_back.assign(size, static_cast<Real>(-kInf));
    for (Id a = 0; a < labels; ++a)
      for (Id b = 0; b < labels; ++b)
        score[static_cast<Index>(a) * stride + b] = score_back[static_cast<Index>(b) * stride + a] =
            static_cast<Real>(scores[static_cast<Index>(a) * labels + b]);
    set_row(starts, start);
    set_row(stops, stop);
    if (!sums) return;
    shift = exponentiate(score, potential);
    start_shift = exponentiate(start, start_potential);
    stop_shift = exponentiate(stop, stop_potential);
    potential_back.assign(size, Real(0));
    for (Id a = 0; a < labels; ++a)
      for (Id b = 0; b < labels; ++b)
        potential_back[static_cast<Index>(b) * stride + a] =
            potential[static_cast<Index>(a) * stride + b];
  }

  // What a learner changes, step by step.
  template <class Archive>
  void state(Archive& a) {
    a(score, score_back, potential, potential_back, shift);
  }

 private:
  template <class From>
  void set_row(const From* from, Buffer<Real>& to) {
    to.assign(static_cast<std::size_t>(stride), static_cast<Real>(-kInf));
    for (Id y = 0; y < labels; ++y) to[y] = from ? static_cast<Real>(from[y]) : Real(0);
  }
  static double exponentiate(const Buffer<Real>& from, Buffer<Real>& to) {
    Real top = *std::max_element(from.begin(), from.end());
    if (top == static_cast<Real>(-kInf)) top = 0;
    to.resize(from.size());
    for (std::size_t k = 0; k < from.size(); ++k)
      to[k] = static_cast<Real>(exp(static_cast<double>(from[k] - top)));
    return static_cast<double>(top);
  }
};

// Scratch for one chain at a time; one per thread.
template <class Real>
struct ChainScratch {
  Buffer<Real> prefix;   // [tokens][stride]: of Viterbi, or α
  Buffer<Real> emitted;  // [tokens][stride]: exp of the emissions, then q / n (see below)
  Buffer<Real> row, back;
  std::vector<double> log_prefix, log_back;  // when the range of a Real does not suffice
};

}  // namespace linnet
