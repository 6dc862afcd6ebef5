// The entropy of the outputs under P(y) = exp(θ·y) / Z: H = log Z - θ·μ.
#pragma once
#include "linnet/inference/oracle.hpp"

namespace linnet {

// mu: the marginals, as left behind. A part of -inf has μ = 0 and adds nothing.
inline double entropy(const Oracle& oracle, std::span<const double> theta, std::span<double> mu,
                      OracleWork& work) {
  double h = oracle.solve(Ring::log, theta, mu, work);
  for (std::size_t p = 0; p < theta.size(); ++p)
    if (mu[p] != 0) h -= mu[p] * theta[p];
  return std::max(h, 0.0);
}

}  // namespace linnet
