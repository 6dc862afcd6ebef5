// AROW, adaptive regularisation of weights (Crammer, Kulesza and Dredze 2009), with a diagonal
// covariance S that starts at the identity. When the hinge loss l is positive, with
// g = X^T delta = f(x, y') - f(x, y), y' the best output with its cost,
//   beta = 1 / (g^T S g + r),   w <- w - l beta S g,   S <- S - beta (S g)^2.
// Features seen often move less. An instance of weight c counts as if r were r / c.
#pragma once
#include "linnet/features/sparse_gradient.hpp"
#include "linnet/learners/online/online.hpp"

namespace linnet {

class ArowRule {
 public:
  ArowRule(const Loss& loss, double r) : link_(loss.link), r_(r) {
    if (!(r > 0)) throw std::invalid_argument("r must be positive");
    if (loss.ring != Ring::max || loss.cost == 0)
      throw std::invalid_argument(
          "AROW is defined by the hinge loss before its link: 'hinge' or "
          "'squared_hinge', not '" +
          std::string(loss.name) + "'");
  }

  std::span<const float> covariance() const { return covariance_; }
  void grow(Index dim) { covariance_.resize(static_cast<std::size_t>(dim), 1.f); }
  void remap(const OnlineWeights&, const Remap& to) { to(covariance_, 1.f); }
  void settle(OnlineWeights&, const Instance&, InstanceBuffer&) {}
  void step(OnlineWeights& w, const Instance& x, InstanceBuffer& buffer, const Outcome& outcome) {
    const double l = outcome.before_link, slope = apply(link_, l).second;
    if (l == 0) return;
    for (double& d : buffer.delta) d /= slope;
    gradient_.collect(x.sites, buffer.delta, buffer.site);
    double variance = r_ / x.weight;  // g^T S g + r
    for (const auto& [at, g] : gradient_) variance += covariance_[at] * g * g;
    for (const auto& [at, g] : gradient_) {
      const double s = covariance_[at];
      w.add(at, -l * s * g / variance);
      // The quotient is below 1, as variance holds it and r > 0: S stays positive.
      covariance_[at] = static_cast<float>(s * (1 - s * g * g / variance));
    }
  }
  void state(Archive& a) { a(covariance_); }
  void finish(OnlineWeights&) {}

 private:
  Link link_;
  double r_;
  Buffer<float> covariance_;
  SparseGradient gradient_;
};

}  // namespace linnet
