// The perceptron (Rosenblatt 1958; Collins 2002 for structures): on a mistake,
// w <- w + f(x, y) - f(x, y'), y' the predicted output. With loss "hinge" and its cost scaled to a
// margin it updates on small margins too.
#pragma once
#include "linnet/learners/online/online.hpp"

namespace linnet {

struct PerceptronRule {
  void grow(Index) {}
  void remap(const OnlineWeights&, const Remap&) {}
  void settle(OnlineWeights&, const Instance&, InstanceBuffer&) {}
  void step(OnlineWeights& w, const Instance& x, InstanceBuffer& buffer, const Outcome&) {
    w.add_rows(x, buffer, -x.weight);
  }
  void finish(OnlineWeights&) {}
};

}  // namespace linnet
