// Gradient ascent on the likelihood −f: w ← w − t ∇f(w), the step t found by halving, from twice
// the step before. The slow, plain yardstick for the others.
#pragma once
#include "linnet/optimisers/minimiser.hpp"

namespace linnet {

class GradientAscent : public Minimiser {
 public:
  using Minimiser::Minimiser;
  void state(Archive& a) override {
    Minimiser::state(a);
    a(step_);
  }

 private:
  bool step() override {
    for (std::size_t j = 0; j < size(); ++j) direction_[j] = -gradient_[j];
    const double slope = -norm_ * norm_;
    const double first = step_ > 0 ? 2 * step_ : std::min(1.0, 1 / norm_);
    const auto trial = [&](double t) { return Trial{along(t).value, t * slope}; };
    const double found = backtrack(trial, value_, first);
    if (found == 0) return false;
    step_ = found;
    accept();
    return true;
  }
  void forget() override { step_ = 0; }

  double step_ = 0;
};

}  // namespace linnet
