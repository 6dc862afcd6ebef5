// Nonlinear conjugate gradients, Polak–Ribière+ (Gilbert & Nocedal 1992): d′ = −g′ + β d with
// β = max(0, g′·(g′ − g) / ‖g‖²), restarted when successive gradients are far from orthogonal
// (Powell 1977). Memory: 5 vectors. The line search is tighter than that of L-BFGS, because the
// directions are conjugate only as far as it is exact.
#pragma once
#include "linnet/optimisers/minimiser.hpp"

namespace linnet {

class NonlinearCg : public Minimiser {
 public:
  using Minimiser::Minimiser;
  void state(Archive& a) override {
    Minimiser::state(a);
    a(fresh_, last_step_, last_slope_);
  }

 private:
  bool step() override {
    double slope = fresh_ ? 0 : dot(gradient_, direction_);
    if (!(slope < 0)) {
      fresh_ = true;
      sum_scaled(gradient_, -2, gradient_, direction_);  // −g
      slope = -norm_ * norm_;
    }
    const double first = fresh_ ? std::min(1.0, 1 / norm_) : last_step_ * last_slope_ / slope;
    const auto phi = [&](double t) { return along(t); };
    const auto found = strong_wolfe(phi, {0, value_, slope}, first, {1e-4, 0.1, 40});
    if (!found) {
      if (std::exchange(fresh_, true)) return false;
      return step();
    }
    last_step_ = found->step;
    last_slope_ = slope;

    const double overlap = dot(trial_gradient_, gradient_), before = norm_ * norm_;
    accept();
    const double now = norm_ * norm_;
    fresh_ = std::abs(overlap) >= 0.2 * now;
    const double beta = std::max(0.0, (now - overlap) / before);
    for (std::size_t j = 0; j < size(); ++j) direction_[j] = beta * direction_[j] - gradient_[j];
    return true;
  }
  void forget() override { fresh_ = true; }

  bool fresh_ = true;  // the next direction is the gradient's
  double last_step_ = 0, last_slope_ = 0;
};

}  // namespace linnet
