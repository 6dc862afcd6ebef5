// Minimum-risk decoding: the output of least expected Hamming distance under P(y) = exp(θ·y) / Z.
// Each of its parts agrees with the truth with probability μ, so it is the best output when
// marginals are the scores.
#pragma once
#include "linnet/inference/oracle.hpp"

namespace linnet {

// best: one-hot on the output's parts. The value is the expected number of parts that agree, of
// those that carry cost; -inf: nothing is allowed.
inline double minimum_risk(const Oracle& oracle, std::span<const double> theta,
                           std::span<double> best, OracleWork& work) {
  std::vector<double> gain(theta.size(), 0.0), mu(theta.size());
  if (oracle.solve(Ring::log, theta, mu, work) == -kInf) return -kInf;
  oracle.add_cost({}, 1.0, gain);  // 1 for parts that carry cost, 0 for the others
  for (std::size_t p = 0; p < theta.size(); ++p)
    gain[p] = theta[p] == -kInf ? -kInf : gain[p] * mu[p];
  return oracle.solve(Ring::max, gain, best, work);
}

}  // namespace linnet
