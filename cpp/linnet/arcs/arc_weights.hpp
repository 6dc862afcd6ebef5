// Weights of arc features that a training loop moves, with their average over all steps, kept
// lazily: a change made at step t is in all weights but those of the t - 1 steps before, so that
// the mean of T steps is w - Σ (t - 1) change_t / T.
#pragma once
#include "linnet/base/types.hpp"

namespace linnet {

class ArcWeights {
 public:
  ArcWeights(Index features, bool averaging)
      : weights_(static_cast<std::size_t>(features)), late_(averaging ? weights_.size() : 0) {}

  const float* data() const { return weights_.data(); }
  void next_step() { ++step_; }
  void add(Id feature, double delta) {
    weights_[static_cast<std::size_t>(feature)] += static_cast<float>(delta);
    if (!late_.empty())
      late_[static_cast<std::size_t>(feature)] += delta * static_cast<double>(step_ - 1);
  }
  void start_at(std::span<const float> given) {
    std::copy(given.begin(), given.end(), weights_.begin());
  }
  // The mean of the weights after each step, or the last ones.
  void copy_to(float* out, bool average = true) const {
    const double share = step_ > 0 ? 1 / static_cast<double>(step_) : 0;
    for (std::size_t f = 0; f < weights_.size(); ++f)
      out[f] = late_.empty() || !average
                   ? weights_[f]
                   : static_cast<float>(static_cast<double>(weights_[f]) - share * late_[f]);
  }
  template <class Archive>
  void state(Archive& a) {
    a(weights_, late_, step_);
  }

 private:
  Buffer<float> weights_;
  Buffer<double> late_;
  Index step_ = 0;
};

}  // namespace linnet
