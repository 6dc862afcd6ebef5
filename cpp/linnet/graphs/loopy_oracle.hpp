// A factor graph by belief propagation: sums and best assignments that are not exact. The value of
// the log ring is Bethe's; that of the max ring belongs to an assignment that is, which need not be
// the best. Who needs exact sums must ask another oracle.
#pragma once
#include "linnet/graphs/belief_propagation.hpp"
#include "linnet/graphs/graph_oracle.hpp"

namespace linnet {

struct LoopyRules {
  Schedule schedule = Schedule::sequential;
  Index rounds = 50;
  double tolerance = 1e-6, damping = 0;
};

class LoopyOracle final : public Oracle {
 public:
  LoopyOracle(Scopes scopes, std::vector<Id> observed, LoopyRules rules)
      : scopes_(std::move(scopes)), observed_(std::move(observed)), rules_(rules), starts_{0} {
    for (Index f = 0; f < scopes_.factors(); ++f)
      starts_.push_back(starts_.back() + scopes_.entries(f));
  }
  Id parts() const override { return static_cast<Id>(starts_.back()); }

  double solve(Ring ring, std::span<const double> theta, std::span<double> mu,
               OracleWork&) const override {
    std::vector<double> clamped(theta.begin(), theta.end()), potential;
    clamp_observed(clamped);
    double lost;
    const double shift = to_potentials(clamped, starts_, potential, lost);
    BeliefPropagation beliefs(scopes_, starts_, potential, ring == Ring::max);
    beliefs.run(rules_.schedule, rules_.rounds, rules_.tolerance, rules_.damping);
    if (ring == Ring::log) {
      for (Index f = 0; f < scopes_.factors() && !mu.empty(); ++f)
        beliefs.factor(f, mu.subspan(static_cast<std::size_t>(starts_[f]),
                                     static_cast<std::size_t>(scopes_.entries(f))));
      return beliefs.bethe() + shift;
    }
    std::vector<Id> values(scopes_.sizes.size());
    std::vector<double> belief;
    for (Id v = 0; v < scopes_.variables(); ++v) {
      belief.resize(static_cast<std::size_t>(scopes_.sizes[v]));
      beliefs.variable(v, belief);
      values[v] = static_cast<Id>(std::max_element(belief.begin(), belief.end()) - belief.begin());
    }
    std::fill(mu.begin(), mu.end(), 0.0);
    double value = 0;
    for (Index f = 0; f < scopes_.factors(); ++f) {
      Index at = 0;
      for (Id v : scopes_.of(f)) at = at * scopes_.sizes[v] + values[v];
      value += clamped[starts_[f] + at];
      if (!mu.empty()) mu[starts_[f] + at] = 1;
    }
    return value;
  }
  void marginals_along(std::span<const double>, std::span<const double>, std::span<double>,
                       OracleWork&) const override {
    throw std::invalid_argument("belief propagation has no exact sums, hence no curvature");
  }
  void add_cost(PartCounts gold, double scale, std::span<double> theta) const override {
    add_hamming_of_variables(scopes_, observed_, starts_, gold, scale, theta);
  }
  void holdings(std::vector<Holding>& found) const override {
    for (Index f = 0; f < scopes_.factors(); ++f)
      found.push_back({static_cast<Id>(starts_[f]), static_cast<Id>(starts_[f + 1]), 1, 1});
  }

 private:
  void clamp_observed(std::vector<double>& theta) const {
    if (observed_.empty()) return;
    for (Index f = 0; f < scopes_.factors(); ++f) {
      Index stride = 1;
      const auto scope = scopes_.of(f);
      for (std::size_t k = scope.size(); k-- > 0; stride *= scopes_.sizes[scope[k]]) {
        const Id v = scope[k];
        if (observed_[v] < 0) continue;
        for (Index x = starts_[f]; x < starts_[f + 1]; ++x)
          if ((x - starts_[f]) / stride % scopes_.sizes[v] != observed_[v]) theta[x] = -kInf;
      }
    }
  }
  Scopes scopes_;
  std::vector<Id> observed_;
  LoopyRules rules_;
  std::vector<Index> starts_;
};

}  // namespace linnet
