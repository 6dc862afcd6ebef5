// The oracle of first-order chains by the hand-tuned kernel; equal to OracleOf<Chain>.
#pragma once
#include "linnet/structures/chain.hpp"
#include "linnet/structures/chain_best_other.hpp"

namespace linnet {

// Works in Real; theta, mu and the value are doubles.
template <class Real>
class ChainOracleOf final : public KernelOracle<Chain> {
 public:
  // Requires a chain whose transitions do not see the observation.
  explicit ChainOracleOf(Chain chain) : KernelOracle(chain) {
    if (chain.observed)
      throw std::invalid_argument("transitions that see the observation need the generic oracle");
  }
  const Chain& chain() const { return structure(); }

  double solve(Ring ring, std::span<const double> theta, std::span<double> mu,
               OracleWork& work) const override {
    Scratch& s = ready(theta, ring == Ring::log, work);
    return ring == Ring::max ? best(mu, s) : sums(mu, s);
  }
  // In double precision by prefixes and suffixes, two passes in place of a list of two outputs.
  std::optional<double> best_other(std::span<const double> theta, Gold gold,
                                   OracleWork& work) const override {
    if constexpr (std::is_same_v<Real, double>) {
      Scratch& s = ready(theta, false, work);
      std::vector<Id> given(static_cast<std::size_t>(chain().length), -1);
      for (const auto& [p, count] : gold)
        if (p < chain().transition(0, 0) && count > 0)
          given[p / chain().labels] = p % chain().labels;
      s.labels.resize(given.size());
      const double best = chain_best_other(s.transitions, s.emission.data(), chain().length,
                                           given.data(), s.labels.data(), s.work);
      return best == -kInf ? std::nullopt : std::optional(best);
    } else {
      return KernelOracle::best_other(theta, gold, work);
    }
  }

 private:
  // Transitions are made ready once for as long as they stay the same: in a batch, for a pass.
  struct Scratch final : OracleScratch {
    ChainTransitions<Real> transitions;
    ChainScratch<Real> work;
    Buffer<Real> emission, marginals;
    Buffer<double> pairs;
    std::vector<Id> labels;
    std::vector<double> tied;  // what the transitions were made of
    bool ends = false, sums = false;

    void set_transitions(const Chain& c, std::span<const double> theta, bool need_sums) {
      const auto now = theta.subspan(static_cast<std::size_t>(c.transition(0, 0)));
      const bool same = transitions.labels == c.labels && ends == c.ends &&
                        std::equal(now.begin(), now.end(), tied.begin(), tied.end());
      if (same && (sums || !need_sums)) return;
      tied.assign(now.begin(), now.end());
      ends = c.ends;
      sums = need_sums;
      const double* scores = tied.data();
      const double* starts = ends ? scores + c.labels * c.labels : nullptr;
      transitions.set(c.labels, scores, starts, ends ? starts + c.labels : nullptr, sums);
    }
  };

  Scratch& ready(std::span<const double> theta, bool sums, OracleWork& work) const {
    if (!dynamic_cast<Scratch*>(work.scratch.get())) work.scratch = std::make_unique<Scratch>();
    Scratch& s = static_cast<Scratch&>(*work.scratch);
    s.set_transitions(chain(), theta, sums);
    pack(theta, s);
    return s;
  }
  void pack(std::span<const double> theta, Scratch& s) const {
    const auto [length, labels, ends, observed] = chain();
    const Id stride = s.transitions.stride;
    s.emission.assign(static_cast<std::size_t>(length) * static_cast<std::size_t>(stride),
                      static_cast<Real>(-kInf));
    const double* from = theta.data();
    Real* to = s.emission.data();
    for (Id t = 0; t < length; ++t, from += labels, to += stride)
      for (Id y = 0; y < labels; ++y) to[y] = static_cast<Real>(from[y]);
  }
  double best(std::span<double> mu, Scratch& s) const {
    const Chain& c = chain();
    s.labels.resize(static_cast<std::size_t>(c.length));
    const double value =
        chain_viterbi(s.transitions, s.emission.data(), c.length, s.labels.data(), s.work);
    if (mu.empty()) return value;
    std::fill(mu.begin(), mu.end(), 0.0);
    for (Id t = 0; t < c.length; ++t) {
      mu[c.at(t, s.labels[t])] = 1;
      if (t > 0) mu[c.transition(s.labels[t - 1], s.labels[t])] += 1;
    }
    if (c.ends) mu[c.start(s.labels.front())] = mu[c.stop(s.labels.back())] = 1;
    return value;
  }
  double sums(std::span<double> mu, Scratch& s) const {
    const Chain& c = chain();
    if (mu.empty())
      return chain_marginals<Real>(s.transitions, s.emission.data(), c.length, nullptr, nullptr,
                                   s.work);
    const Id stride = s.transitions.stride;
    s.marginals.resize(s.emission.size());
    s.pairs.assign(s.transitions.score.size(), 0.0);
    const double value = chain_marginals(s.transitions, s.emission.data(), c.length,
                                         s.marginals.data(), s.pairs.data(), s.work);
    const auto rows = [&](const auto& from, Id first, Id count, Id part) {
      const auto* row = from.data() + static_cast<Index>(first) * stride;
      double* to = mu.data() + part;
      for (Id r = 0; r < count; ++r, row += stride, to += c.labels)
        for (Id y = 0; y < c.labels; ++y) to[y] = static_cast<double>(row[y]);
    };
    rows(s.marginals, 0, c.length, 0);
    rows(s.pairs, 0, c.labels, c.transition(0, 0));
    if (c.ends) {
      rows(s.marginals, 0, 1, c.start(0));
      rows(s.marginals, c.length - 1, 1, c.stop(0));
    }
    return value;
  }
};
using ChainOracle = ChainOracleOf<double>;

}  // namespace linnet
