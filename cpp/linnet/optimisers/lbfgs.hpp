// L-BFGS (Liu & Nocedal 1989): a quasi-Newton direction from the last `history` steps, and a line
// search for the strong Wolfe conditions, which keep the estimate of the Hessian definite.
// Memory: history + 5 vectors of doubles.
#pragma once
#include "linnet/optimisers/inverse_hessian.hpp"
#include "linnet/optimisers/minimiser.hpp"

namespace linnet {

class Lbfgs : public Minimiser {
 public:
  Lbfgs(Objective& objective, Stopping stopping, int history = 10)
      : Minimiser(objective, stopping), hessian_(size(), history, objective.threads()) {}

  void state(Archive& a) override {
    Minimiser::state(a);
    a(hessian_);
  }

 private:
  bool step() override {
    hessian_.descend(gradient_, direction_);
    const double slope = product(gradient_, direction_);
    const double first = hessian_.empty() ? std::min(1.0, 1 / norm_) : 1;
    const auto phi = [&](double t) { return along(t); };
    if (!(slope < 0) || !strong_wolfe(phi, {0, value_, slope}, first)) {
      if (hessian_.empty()) return false;
      hessian_.clear();  // try again along the gradient
      return step();
    }
    hessian_.learn(w_, trial_w_, gradient_, trial_gradient_);
    accept();
    return true;
  }
  void forget() override { hessian_.clear(); }

  InverseHessian hessian_;
};

}  // namespace linnet
