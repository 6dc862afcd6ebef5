// Numbers in place of outputs: regression. An instance whose oracle is `target_oracle()` has one
// part, and its gold count is what the score of that part is to be. No output is searched for.
#pragma once
#include "linnet/data/dataset.hpp"

namespace linnet {

inline const Oracle& target_oracle() {
  static const BinaryOracle oracle;
  return oracle;
}
inline bool has_target(const Instance& x) { return x.oracle == &target_oracle(); }

// The loss of any instance, and its delta: (theta - y)^2 / 2 of numbers.
inline Outcome loss_of(const Loss& loss, const Instance& x, InstanceBuffer& buffer) {
  if (!has_target(x)) return evaluate(loss, x, buffer);
  if (loss.link != Link::quadratic)
    throw std::invalid_argument("targets are numbers: their loss is 'squared'");
  const double d = buffer.theta[0] - x.gold[0].second;
  buffer.delta[0] = d;
  return {d * d / 2, d * d / 2, d != 0};
}

}  // namespace linnet
