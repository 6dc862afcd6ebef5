// The gappy subsequence kernel (Lodhi et al. 2002): K_p(s, t) = Σ_u Σ_{i: u = s[i]} Σ_{j: u = t[j]}
// λ^(l(i) + l(j)) over subsequences u of p characters, l the stretch that one spans. By the dynamic
// programme of the paper, row by row of s,
//
//     K''_q(i, j) = λ K''_q(i, j−1) + [s_i = t_j] λ² K'_{q−1}(i−1, j−1)
//     K'_q(i, j)  = λ K'_q(i−1, j) + K''_q(i, j),   K'_0 = 1,
//     K_p         = Σ_ij [s_i = t_j] λ² K'_{p−1}(i−1, j−1),
//
// one s against 16 strings t at once, a lane each; all levels q in one sweep over j.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/lanes.hpp"
#include "linnet/base/thread_pool.hpp"

namespace linnet {

struct Strings {
  std::span<const Id> characters;
  std::span<const Index> offsets;
  Index size() const { return static_cast<Index>(offsets.size()) - 1; }
  std::span<const Id> operator[](Index i) const {
    return characters.subspan(static_cast<std::size_t>(offsets[i]),
                              static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
  }
  void check() const {
    if (offsets.empty() || offsets.front() != 0 ||
        offsets.back() != static_cast<Index>(characters.size()) ||
        !std::is_sorted(offsets.begin(), offsets.end()))
      throw std::invalid_argument("offsets of strings must rise from 0 to their end");
  }
};

inline constexpr int kMostGappy = 12;      // characters of a subsequence
inline constexpr Index kStringLanes = 16;  // strings at once

// states[j][q][16] holds K'_1 … K'_{p−1} of the row before; match[j][16] is λ² where t_j is s_i.
template <class Real, int P>
LINNET_INLINE void sweep_row(const Real* match, Index columns, Real decay, Real* states,
                             Real* sum) {
  constexpr Index kWidth = 32 / sizeof(Real), kVectors = kStringLanes / kWidth;
  using L = LanesOf<Real>;
  const L lambda = everywhere(decay);
  L carry[P][kVectors], before[P][kVectors], total[kVectors];
  for (Index v = 0; v < kVectors; ++v) {
    total[v] = load_lanes(sum + v * kWidth);
    for (int q = 0; q < P; ++q) carry[q][v] = before[q][v] = everywhere(Real(0));
  }
  for (Index j = 0; j < columns; ++j) {
    Real* const here = states + j * (P - 1) * kStringLanes;
    for (Index v = 0; v < kVectors; ++v) {
      const L hit = load_lanes(match + j * kStringLanes + v * kWidth);
      if constexpr (P == 1)
        total[v] = total[v] + hit;
      else
        total[v] = total[v] + hit * before[P - 1][v];
      for (int q = P - 1; q >= 1; --q) {
        Real* const at = here + (q - 1) * kStringLanes + v * kWidth;
        const L old = load_lanes(at);
        carry[q][v] = lambda * carry[q][v] + (q == 1 ? hit : hit * before[q - 1][v]);
        before[q][v] = old;  // for the next column, of the row before
        store_lanes(at, lambda * old + carry[q][v]);
      }
    }
  }
  for (Index v = 0; v < kVectors; ++v) store_lanes(sum + v * kWidth, total[v]);
}
template <class Real>
LINNET_INLINE void sweep_of(int p, const Real* match, Index columns, Real decay, Real* states,
                            Real* sum) {
  switch (p) {
    case 1:
      return sweep_row<Real, 1>(match, columns, decay, states, sum);
    case 2:
      return sweep_row<Real, 2>(match, columns, decay, states, sum);
    case 3:
      return sweep_row<Real, 3>(match, columns, decay, states, sum);
    case 4:
      return sweep_row<Real, 4>(match, columns, decay, states, sum);
    case 5:
      return sweep_row<Real, 5>(match, columns, decay, states, sum);
    case 6:
      return sweep_row<Real, 6>(match, columns, decay, states, sum);
    case 7:
      return sweep_row<Real, 7>(match, columns, decay, states, sum);
    case 8:
      return sweep_row<Real, 8>(match, columns, decay, states, sum);
    case 9:
      return sweep_row<Real, 9>(match, columns, decay, states, sum);
    case 10:
      return sweep_row<Real, 10>(match, columns, decay, states, sum);
    case 11:
      return sweep_row<Real, 11>(match, columns, decay, states, sum);
    default:
      return sweep_row<Real, 12>(match, columns, decay, states, sum);
  }
}
LINNET_CLONES inline void sweep_string(int p, const float* match, Index columns, float decay,
                                       float* states, float* sum) {
  sweep_of<float>(p, match, columns, decay, states, sum);
}
LINNET_CLONES inline void sweep_string(int p, const double* match, Index columns, double decay,
                                       double* states, double* sum) {
  sweep_of<double>(p, match, columns, decay, states, sum);
}

class GappyKernel {
 public:
  GappyKernel(int length, double decay) : length_(length), decay_(decay) {
    if (length < 1 || length > kMostGappy)
      throw std::invalid_argument("length must be from 1 to " + std::to_string(kMostGappy));
    if (!(decay > 0 && decay <= 1))
      throw std::invalid_argument("decay must be above 0, and up to 1");
  }

  // out[i][j], rows of `stride`; `half`: of one set with itself, j <= i alone, and mirrored.
  void matrix(const Strings& s, const Strings& t, double* out, bool half, int threads) const {
    s.check();
    t.check();
    const Index n = t.size(), blocks = (n + kStringLanes - 1) / kStringLanes;
    parallel_for(blocks, threads, [&](Index block) {
      const Index first = block * kStringLanes, lanes = std::min(kStringLanes, n - first);
      Block<float> some(*this, t, first, lanes);
      Block<double> exact(*this, t, first, lanes);
      for (Index i = half ? first : 0; i < s.size(); ++i) {
        double found[kStringLanes];
        // Sums of very many subsequences leave the range of float.
        if (!some.against(s[i], found)) exact.against(s[i], found);
        for (Index lane = 0; lane < lanes; ++lane) out[i * n + first + lane] = found[lane];
      }
    });
    if (half)
      for (Index i = 0; i < n; ++i)
        for (Index j = i + 1; j < n; ++j) out[i * n + j] = out[j * n + i];
  }

 private:
  // 16 strings side by side.
  template <class Real>
  class Block {
   public:
    Block(const GappyKernel& kernel, const Strings& t, Index first, Index lanes) : kernel_(kernel) {
      for (Index lane = 0; lane < lanes; ++lane)
        columns_ = std::max(columns_, static_cast<Index>(t[first + lane].size()));
      text_.assign(static_cast<std::size_t>(columns_ * kStringLanes), -1);
      for (Index lane = 0; lane < lanes; ++lane) {
        const auto string = t[first + lane];
        for (std::size_t j = 0; j < string.size(); ++j)
          text_[j * kStringLanes + static_cast<std::size_t>(lane)] = string[j];
      }
      known_.assign(text_.begin(), text_.end());
      std::sort(known_.begin(), known_.end());
      known_.erase(std::unique(known_.begin(), known_.end()), known_.end());
      starts_.assign(known_.size(), -1);
    }
    // False: beyond the range of Real.
    bool against(std::span<const Id> s, double* out) {
      const int p = kernel_.length_;
      const auto decay = static_cast<Real>(kernel_.decay_);
      states_.assign(static_cast<std::size_t>(columns_ * (p - 1) * kStringLanes), Real(0));
      std::fill_n(sum_, kStringLanes, Real(0));
      for (Id character : s) {
        const Real* const match = matches(character);
        if (!match) {  // nothing but time goes by
          for (Real& state : states_) state *= decay;
          continue;
        }
        sweep_string(p, match, columns_, decay, states_.data(), sum_);
        steps_(columns_ * p * 4);
      }
      bool fine = true;
      for (Index lane = 0; lane < kStringLanes; ++lane) {
        out[lane] = static_cast<double>(sum_[lane]);
        fine &= std::isfinite(sum_[lane]);
      }
      return fine;
    }

   private:
    // λ² where the character is; null if it is nowhere.
    const Real* matches(Id character) {
      const auto found = std::lower_bound(known_.begin(), known_.end(), character);
      if (character < 0 || found == known_.end() || *found != character) return nullptr;
      Index& start = starts_[found - known_.begin()];
      if (start < 0) {
        start = static_cast<Index>(table_.size());
        const auto weight = static_cast<Real>(kernel_.decay_ * kernel_.decay_);
        for (Id other : text_) table_.push_back(other == character ? weight : Real(0));
      }
      return table_.data() + start;
    }

    const GappyKernel& kernel_;
    Index columns_ = 0;
    std::vector<Id> text_, known_;  // text: [column][16], −1 after the end of a string
    std::vector<Index> starts_;
    Buffer<Real> table_, states_;
    alignas(64) Real sum_[kStringLanes];
    Steps steps_;
  };

  int length_;
  double decay_;
};

}  // namespace linnet
