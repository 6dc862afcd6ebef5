// The entropy of the outputs under P(y) = exp(θ·y) / Z: H = log Z - θ·μ.
#pragma once
#include "linnet/inference/oracle.hpp"

namespace linnet {

// A part of -inf has μ = 0 and adds nothing.
inline double entropy(double log_z, std::span<const double> theta, std::span<const double> mu) {
  double h = log_z;
  for (std::size_t p = 0; p < theta.size(); ++p)
    if (mu[p] != 0) h -= mu[p] * theta[p];
  return std::max(h, 0.0);
}

// mu: the marginals, as left behind.
inline double entropy(const Oracle& oracle, std::span<const double> theta, std::span<double> mu,
                      OracleWork& work) {
  const double log_z = oracle.solve(Ring::log, theta, mu, work);
  return entropy(log_z, theta, mu);
}

}  // namespace linnet
