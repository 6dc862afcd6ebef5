// The oracle of chains of order 2 and more: best labels by the hand-tuned kernel, all else by the
// generic sweep; equal to OracleOf<HigherChain>.
#pragma once
#include "linnet/structures/higher_chain_kernel.hpp"

namespace linnet {

class HigherChainOracle final : public KernelOracle<HigherChain> {
 public:
  // Requires an order above 1.
  explicit HigherChainOracle(const HigherChain& chain) : KernelOracle(chain) {
    if (chain.order < 2)
      throw std::invalid_argument("first-order chains have an oracle of their own");
  }

  double solve(Ring ring, std::span<const double> theta, std::span<double> mu,
               OracleWork& work) const override {
    if (ring == Ring::log) return generic_.solve(ring, theta, mu, work);
    if (!dynamic_cast<Scratch*>(work.scratch.get())) work.scratch = std::make_unique<Scratch>();
    Scratch& s = static_cast<Scratch&>(*work.scratch);
    const HigherChain& c = structure();
    s.set_transitions(c, theta);
    s.pack(c, theta);
    s.labels.resize(static_cast<std::size_t>(c.length));
    const double value =
        higher_viterbi(s.transitions, s.emission.data(), c.length, s.labels.data(), s.work);
    if (mu.empty()) return value;
    std::fill(mu.begin(), mu.end(), 0.0);
    c.parts_of(s.labels.data(), [&](Id p) { mu[p] += 1; });
    return value;
  }

 private:
  // Transitions are made ready once for as long as they stay the same: in a batch, for a pass.
  struct Scratch final : OracleScratch {
    HigherTransitions transitions;
    HigherScratch work;
    Buffer<double> emission;
    std::vector<Id> labels;
    std::vector<double> tied;  // what the transitions were made of
    bool ends = false;

    void set_transitions(const HigherChain& c, std::span<const double> theta) {
      const auto now = theta.subspan(static_cast<std::size_t>(c.window(2, 0)));
      if (transitions.labels == c.labels && transitions.order == c.order && ends == c.ends &&
          std::equal(now.begin(), now.end(), tied.begin(), tied.end()))
        return;
      tied.assign(now.begin(), now.end());
      ends = c.ends;
      transitions.set(c.labels, c.order, ends, tied.data());
    }
    void pack(const HigherChain& c, std::span<const double> theta) {
      const Id stride = transitions.stride;
      emission.resize(static_cast<std::size_t>(c.length) * static_cast<std::size_t>(stride));
      for (Id t = 0; t < c.length; ++t)
        std::copy_n(theta.data() + c.at(t, 0), c.labels,
                    emission.data() + static_cast<Index>(t) * stride);
    }
  };
};

}  // namespace linnet
