// Truncated Newton: the Newton equation ∇²f d = −∇f is solved by preconditioned conjugate
// gradients, as exactly as the distance to the minimum deserves (Dembo & Steihaug 1983), then a
// backtracking line search. The preconditioner mixes the diagonal of the Hessian with a constant,
// so that it is never much worse than none (Hsia, Chiang & Lin 2018).
#pragma once
#include "linnet/optimisers/minimiser.hpp"

namespace linnet {

class NewtonCg : public Minimiser {
 public:
  NewtonCg(Objective& objective, Stopping stopping, int cg_iterations = 1000)
      : Minimiser(objective, stopping),
        cg_iterations_(cg_iterations),
        residual_(size()),
        conjugate_(size()),
        product_(size()),
        preconditioner_(size()) {
    if (!objective.has_hessian())
      throw std::invalid_argument(
          "Newton-CG needs products with the Hessian, which this objective does not have: use "
          "L-BFGS");
  }
  Index hessian_products() const { return products_; }
  void state(Archive& a) override {
    Minimiser::state(a);
    a(products_);
    if (a.reading())
      objective_.evaluate(w_, trial_gradient_);  // curvature is that of the last point
  }

 private:
  bool step() override {
    precondition();
    solve();
    const double slope = dot(gradient_, direction_);
    const auto trial = [&](double t) { return Trial{along(t).value, t * slope}; };
    if (slope < 0 && backtrack(trial, value_, 1) > 0) return accept(), true;
    // Rounding hides the decrease: the full step still counts if it brings the gradient down.
    if (!(slope < 0) || along(1).value > value_ + 1e-14 * std::abs(value_) ||
        norm(trial_gradient_) >= norm_)
      return false;
    accept();
    return true;
  }

  void precondition() {
    constexpr double kShare = 0.01;
    const bool known = objective_.hessian_diagonal(preconditioner_);
    if (objective_.interrupted()) throw Interrupted{};
    if (!known) {
      std::fill(preconditioner_.begin(), preconditioner_.end(), 1.0);
      return;
    }
    const double least = *std::min_element(preconditioner_.begin(), preconditioner_.end());
    for (double& m : preconditioner_) {
      m = (1 - kShare) * std::max(least, 0.0) + kShare * m;
      if (!(m > 0)) m = 1;
    }
  }

  // direction ≈ −(∇²f)⁻¹ ∇f
  void solve() {
    const double accuracy = std::min(0.5, std::sqrt(norm_ / stopping_.reference));
    std::fill(direction_.begin(), direction_.end(), 0.0);
    for (std::size_t j = 0; j < size(); ++j) {
      residual_[j] = -gradient_[j];
      conjugate_[j] = residual_[j] / preconditioner_[j];
    }
    double rz = dot(residual_, conjugate_);
    const double enough = accuracy * accuracy * rz;
    for (int k = 0; k < cg_iterations_; ++k) {
      objective_.hessian_times(conjugate_, product_);
      ++products_;
      if (objective_.interrupted()) throw Interrupted{};
      const double curvature = dot(conjugate_, product_);
      if (!(curvature > 0)) {  // not convex here: what there is descends; if nothing, the gradient
        if (k == 0) std::copy(conjugate_.begin(), conjugate_.end(), direction_.begin());
        return;
      }
      const double a = rz / curvature;
      add_scaled(a, conjugate_, direction_);
      add_scaled(-a, product_, residual_);
      const double next = preconditioned_square();
      if (next <= enough) return;
      const double b = next / rz;
      rz = next;
      for (std::size_t j = 0; j < size(); ++j)
        conjugate_[j] = residual_[j] / preconditioner_[j] + b * conjugate_[j];
    }
  }
  // rᵀ M⁻¹ r, in the fixed lanes of dot(); product_ is free by now.
  double preconditioned_square() {
    for (std::size_t j = 0; j < size(); ++j) product_[j] = residual_[j] / preconditioner_[j];
    return dot(residual_, product_);
  }

  int cg_iterations_;
  Index products_ = 0;
  Vector residual_, conjugate_, product_, preconditioner_;
};

}  // namespace linnet
