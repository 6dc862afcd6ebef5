// Weights in a table that a training loop moves by gradients, each coordinate by its own step
// (AdaGrad: Duchi, Hazan and Singer 2011), or by steps as they are; with their average, kept
// lazily: a change made at step t is in all weights but those of the t − 1 steps before.
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>

#include "linnet/base/types.hpp"

namespace linnet {

class MovingWeights {
 public:
  // rate 0: steps are taken as they are.
  MovingWeights(Index size, double rate, bool averaging)
      : rate_(rate),
        weights_(static_cast<std::size_t>(size)),
        squares_(rate > 0 ? weights_.size() : 0),
        late_(averaging ? weights_.size() : 0) {}

  const float* data() const { return weights_.data(); }
  Index size() const { return std::ssize(weights_); }
  // Weights to begin with, before the first step.
  void start_at(std::span<const float> given) {
    if (std::ssize(given) != size())
      throw std::invalid_argument("there must be as many weights to start from as there are");
    std::copy(given.begin(), given.end(), weights_.begin());
  }
  void next_step() { ++step_; }
  // Down a gradient, by the step of this coordinate.
  void descend(std::size_t place, double gradient) {
    squares_[place] += static_cast<float>(gradient * gradient);
    add(place, -rate_ * gradient / std::sqrt(static_cast<double>(squares_[place]) + kTiny));
  }
  void add(std::size_t place, double change) {
    weights_[place] += static_cast<float>(change);
    if (!late_.empty()) late_[place] += static_cast<float>(change * static_cast<double>(step_ - 1));
  }
  void copy_to(float* out) const {
    const double share = step_ > 0 ? 1 / static_cast<double>(step_) : 0;
    for (std::size_t f = 0; f < weights_.size(); ++f)
      out[f] = late_.empty() ? weights_[f]
                             : static_cast<float>(static_cast<double>(weights_[f]) -
                                                  share * static_cast<double>(late_[f]));
  }
  template <class Archive>
  void state(Archive& a) {
    a(weights_, squares_, late_, step_);
  }

 private:
  static constexpr double kTiny = 1e-8;
  double rate_;
  Buffer<float> weights_, squares_, late_;
  Index step_ = 0;
};

}  // namespace linnet
