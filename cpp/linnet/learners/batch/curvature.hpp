// Second derivatives of the losses. With l = solve(ring, theta + cost) - theta . gold, d = mu -
// gold and loss = link(l), the Hessian over parts is link'(l) dmu/dtheta + link''(l) d dᵀ. The max
// ring has no dmu; where it jumps (hinge, perceptron) there is no useful Hessian.
#pragma once
#include "linnet/losses/loss.hpp"

namespace linnet {

inline bool has_curvature(const Loss& loss) {
  return loss.ring == Ring::log || loss.link == Link::square || loss.link == Link::quadratic;
}

inline double second_derivative(Link link, double l) {
  switch (link) {
    case Link::square:
      return l > 0 ? 2 : 0;  // the generalised Hessian of a squared hinge
    case Link::complement:
      return -exp(-l);
    case Link::exponential:
      return exp(l);
    default:
      return 0;
  }
}

// The Hessian of one instance over parts: identity I + marginals dmu/dtheta + outer d dᵀ.
struct Curvature {
  double identity = 0, marginals = 0, outer = 0;
  bool zero() const { return identity == 0 && marginals == 0 && outer == 0; }
};

// Requires theta with the cost already added. Ensures d = mu - gold where `outer` is not zero.
inline Curvature curvature(const Loss& loss, const Oracle& oracle, Gold gold,
                           std::span<const double> theta, std::span<double> d, OracleWork& work) {
  if (loss.link == Link::quadratic) return {1, 0, 0};
  const bool log = loss.ring == Ring::log;
  if (loss.link == Link::identity) return {0, log ? 1.0 : 0.0, 0};
  double l = oracle.solve(loss.ring, theta, d, work);
  for (const auto& [p, count] : gold) {
    l -= theta[p] * count;
    d[p] -= count;
  }
  l = std::max(l, 0.0);
  return {0, log ? apply(loss.link, l).second : 0, second_derivative(loss.link, l)};
}

// out = Hessian times tangent, at theta.
inline void curvature_times(const Curvature& c, const Oracle& oracle, std::span<const double> theta,
                            std::span<const double> d, std::span<const double> tangent,
                            std::span<double> out, OracleWork& work) {
  std::fill(out.begin(), out.end(), 0.0);
  if (c.marginals != 0) oracle.marginals_along(theta, tangent, out, work);
  double along = 0;
  if (c.outer != 0)
    for (std::size_t p = 0; p < out.size(); ++p) along += d[p] * tangent[p];
  for (std::size_t p = 0; p < out.size(); ++p) {
    out[p] = c.marginals * out[p] + c.identity * tangent[p];
    if (c.outer != 0) out[p] += c.outer * along * d[p];
  }
}

// out = diagonal of the Hessian. A part that an output holds at most once has variance mu (1 - mu);
// for tied parts, which can be held more often, that is an estimate.
inline void curvature_diagonal(const Curvature& c, const Oracle& oracle,
                               std::span<const double> theta, std::span<const double> d,
                               std::span<double> out, OracleWork& work) {
  std::fill(out.begin(), out.end(), 0.0);
  if (c.marginals != 0) oracle.solve(Ring::log, theta, out, work);
  for (std::size_t p = 0; p < out.size(); ++p) {
    out[p] = c.marginals * std::max(0.0, out[p] * (1 - out[p])) + c.identity;
    if (c.outer != 0) out[p] += c.outer * d[p] * d[p];
  }
}

}  // namespace linnet
