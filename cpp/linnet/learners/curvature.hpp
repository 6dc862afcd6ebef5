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

// The factors of the Hessian of one instance. Requires theta with the cost already added. Ensures
// that difference = mu - gold, unless the loss needs none of it.
struct Curvature {
  double marginals = 0, outer = 0;  // link'(l), link''(l)
};
inline Curvature curvature(const Loss& loss, const Oracle& oracle, Gold gold,
                           std::span<const double> theta, std::span<double> difference,
                           OracleWork& work) {
  if (loss.link == Link::identity) return {loss.ring == Ring::log ? 1.0 : 0.0, 0};
  double l = oracle.solve(loss.ring, theta, difference, work);
  for (const auto& [p, count] : gold) {
    l -= theta[p] * count;
    difference[p] -= count;
  }
  l = std::max(l, 0.0);
  return {loss.ring == Ring::log ? apply(loss.link, l).second : 0, second_derivative(loss.link, l)};
}

// out = (d² loss / dtheta²) tangent, at theta with the cost already added.
inline void curvature_times(const Loss& loss, const Oracle& oracle, Gold gold,
                            std::span<const double> theta, std::span<const double> tangent,
                            std::span<double> out, std::span<double> difference, OracleWork& work) {
  if (loss.link == Link::quadratic) {
    std::copy(tangent.begin(), tangent.end(), out.begin());
    return;
  }
  const Curvature c = curvature(loss, oracle, gold, theta, difference, work);
  if (c.marginals != 0)
    oracle.marginals_along(theta, tangent, out, work);
  else
    std::fill(out.begin(), out.end(), 0.0);
  double along = 0;
  if (c.outer != 0)
    for (std::size_t p = 0; p < out.size(); ++p) along += difference[p] * tangent[p];
  for (std::size_t p = 0; p < out.size(); ++p)
    out[p] = c.marginals * out[p] + (c.outer != 0 ? c.outer * along * difference[p] : 0);
}

// out_p = d² loss / dtheta_p². A part that an output holds at most once has variance mu (1 - mu);
// for tied parts, which can be held more often, that is an estimate.
inline void curvature_diagonal(const Loss& loss, const Oracle& oracle, Gold gold,
                               std::span<const double> theta, std::span<double> out,
                               std::span<double> difference, OracleWork& work) {
  if (loss.link == Link::quadratic) {
    std::fill(out.begin(), out.end(), 1.0);
    return;
  }
  const Curvature c = curvature(loss, oracle, gold, theta, difference, work);
  if (c.marginals != 0)
    oracle.solve(Ring::log, theta, out, work);
  else
    std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t p = 0; p < out.size(); ++p)
    out[p] = c.marginals * std::max(0.0, out[p] * (1 - out[p])) +
             (c.outer != 0 ? c.outer * difference[p] * difference[p] : 0);
}

}  // namespace linnet
