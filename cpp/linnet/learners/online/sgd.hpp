// Stochastic gradient descent on (1/n) sum_i c_i l_i(w) + l1 |w|_1 + l2 |w|^2 / 2. Step t takes the
// gradient of one loss at w, regularises, then updates:
//   w <- penalty_t(w) - eta_t c_i X_i^T delta_i,
// or the average of several losses: mini_batch.hpp.
// With loss "perceptron" and eta = 1 it is the regularised perceptron. With loss "hinge",
// eta_t = 1 / (l2 t) and, if wanted, the radius 1 / sqrt(l2) it is Pegasos (Shalev-Shwartz et al.
// 2007).
#pragma once
#include "linnet/learners/online/lazy_penalty.hpp"
#include "linnet/learners/online/online.hpp"
#include "linnet/learners/online/step_size.hpp"

namespace linnet {

class SgdRule {
 public:
  // radius: every step projects onto |w| <= radius; 0 for no bound.
  SgdRule(StepSize step_size, LazyPenalty penalty, double radius)
      : step_size_(step_size), penalty_(std::move(penalty)), radius_(radius) {
    if (!(radius >= 0)) throw std::invalid_argument("the radius is at least 0");
    if (radius > 0 && penalty_.l1() > 0)
      throw std::invalid_argument("a radius is not possible with an L1 penalty");
  }
  StepSize& step_size() { return step_size_; }
  bool can_average() const { return penalty_.l1() == 0; }

  void grow(Index dim) { penalty_.grow(dim); }
  void remap(const OnlineWeights& w, const Remap& to) { penalty_.remap(w, to.unit); }
  void settle(OnlineWeights& w, const Instance& x, InstanceBuffer& buffer) {
    if (radius_ > 0) w.track_norm();
    penalty_.settle(w, x, buffer);
  }
  void regularise(OnlineWeights& w) {
    eta_ = step_size_.at(w.steps());
    penalty_.advance(w, eta_);
  }
  void step(OnlineWeights& w, const Instance& x, InstanceBuffer& buffer, const Outcome&) {
    penalty_.settle(w, x, buffer);
    w.add_rows(x, buffer, -eta_ * x.weight);
    penalty_.note_intercepts(w);
    project(w);
  }
  // The same along the average gradient of a batch.
  void step_along(OnlineWeights& w, const RowGradient& gradient) {
    gradient.for_each_row([&](Index offset, const double* g, Id width) {
      penalty_.settle(w, offset, width);
      w.add(offset, g, width, -eta_);
    });
    penalty_.note_intercepts(w);
    project(w);
  }
  void finish(OnlineWeights& w) { penalty_.finish(w); }
  void state(Archive& a) { a(step_size_, penalty_, eta_); }
  void restart(const OnlineWeights& w) { penalty_.note_intercepts(w); }

 private:
  void project(OnlineWeights& w) {
    if (radius_ == 0 || w.squared_norm() <= radius_ * radius_) return;
    w.shrink(radius_ / std::sqrt(w.squared_norm()));
    penalty_.note_intercepts(w);
  }

  StepSize step_size_;
  LazyPenalty penalty_;
  double radius_;
  double eta_ = 0;  // of the current step
};

}  // namespace linnet
