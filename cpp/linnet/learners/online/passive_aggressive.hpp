// Passive-aggressive steps (Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006), the same as
// MIRA with one constraint: the least change of w that takes the loss l of the instance to zero,
//   min 1/2 |w - w_t|^2 + C xi    s.t. l(w) <= xi    (PA-I),
//   min 1/2 |w - w_t|^2 + C xi^2  s.t. l(w) <= xi    (PA-II),
// so w <- w - tau g with g = X^T delta = f(x, y') - f(x, y), y' the best output with its cost, and
//   tau = min(C, l / |g|^2)    or    tau = l / (|g|^2 + 1/(2C)).
// C = inf is the step without slack. l and delta are those before the link, so hinge and squared
// hinge step alike. With a log loss, l / |g|^2 is Polyak's step towards loss 0, which no w has: it
// is sensible only under the cap of a finite C.
#pragma once
#include "linnet/features/sparse_gradient.hpp"
#include "linnet/learners/online/online.hpp"

namespace linnet {

class PassiveAggressiveRule {
 public:
  PassiveAggressiveRule(const Loss& loss, double C, bool squared_slack)
      : link_(loss.link), C_(C), squared_slack_(squared_slack) {
    if (!(C > 0)) throw std::invalid_argument("C must be positive");
    if (loss.link == Link::quadratic || loss.link == Link::complement ||
        loss.link == Link::exponential || (loss.ring == Ring::max && loss.cost == 0))
      throw std::invalid_argument(
          "a passive-aggressive step needs a loss with a margin to reach (hinge, squared_hinge) or "
          "a log loss (logistic, softmax_margin), not '" +
          std::string(loss.name) + "'");
    if (loss.ring == Ring::log && C == kInf)
      throw std::invalid_argument("the loss '" + std::string(loss.name) +
                                  "' is never zero, so a passive-aggressive step without slack "
                                  "(C = inf) would never end: give a finite C or use 'hinge'");
  }

  void grow(Index) {}
  void remap(const OnlineWeights&, const Remap&) {}
  void settle(OnlineWeights&, const Instance&, InstanceBuffer&) {}
  void step(OnlineWeights& w, const Instance& x, InstanceBuffer& buffer, const Outcome& outcome) {
    const double l = outcome.before_link, slope = apply(link_, l).second;
    if (l == 0) return;
    for (double& d : buffer.delta) d /= slope;
    gradient_.collect(x.sites, buffer.delta, buffer.site);
    const double norm = gradient_.squared_norm(), C = C_ * x.weight;
    if (norm == 0) return;  // both outputs have the same features: no step tells them apart
    const double tau = squared_slack_ ? l / (norm + 1 / (2 * C)) : std::min(C, l / norm);
    for (const auto& [at, value] : gradient_) w.add(at, -tau * value);
  }
  void finish(OnlineWeights&) {}

 private:
  Link link_;
  double C_;
  bool squared_slack_;
  SparseGradient gradient_;
};

}  // namespace linnet
