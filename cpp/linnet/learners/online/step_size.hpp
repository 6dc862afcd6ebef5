// Step sizes eta_t, t = 1, 2, ...: they depend on the step alone, which lazy penalties need.
#pragma once
#include <cmath>
#include <stdexcept>

#include "linnet/base/types.hpp"

namespace linnet {

enum class Schedule {
  constant,  // eta
  power,     // eta t^-decay; decay in (1/2, 1] meets the conditions of Robbins and Monro
  inverse,   // eta / (decay + t); Pegasos is eta = 1 / lambda, decay = 0
};

class StepSize {
 public:
  StepSize(Schedule schedule, double eta, double decay)
      : schedule_(schedule), eta_(eta), decay_(decay) {
    if (!(eta > 0)) throw std::invalid_argument("the step size must be positive");
    if (schedule == Schedule::inverse && !(decay > -1))
      throw std::invalid_argument("eta / (decay + t) needs decay > -1");
  }
  double at(Index t) const {
    const double step = static_cast<double>(t);
    switch (schedule_) {
      case Schedule::power:
        return eta_ * std::pow(step, -decay_);
      case Schedule::inverse:
        return eta_ / (decay_ + step);
      default:
        return eta_;
    }
  }
  // Between passes, for example when the likelihood of held-out data falls.
  void multiply(double factor) {
    if (!(factor > 0)) throw std::invalid_argument("a step size is scaled by a positive factor");
    eta_ *= factor;
  }
  double eta() const { return eta_; }
  template <class Archive>
  void state(Archive& a) {
    a(eta_);
  }

 private:
  Schedule schedule_;
  double eta_, decay_;
};

}  // namespace linnet
