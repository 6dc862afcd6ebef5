// What all batch optimisers share: the point reached, when to stop, and what an iteration reports.
// An algorithm adds `step()`, one iteration of it.
#pragma once
#include <algorithm>
#include <deque>

#include "linnet/base/archive.hpp"
#include "linnet/base/interrupt.hpp"
#include "linnet/optimisers/line_search.hpp"
#include "linnet/optimisers/objective.hpp"
#include "linnet/optimisers/vectors.hpp"

namespace linnet {

struct Stopping {
  double tol = 1e-5;            // converged when ‖gradient‖ ≤ tol · reference, and f is certainly
                                // within tol · f of the minimum if its curvature tells;
  double decrease_tol = 1e-10;  // or when five iterations lowered f by less than this share of it
  double reference = 0;         // 0: the norm of the gradient at the first point
};

class Minimiser {
 public:
  // The caller keeps the objective alive. Starts from zero unless `weights()` is written to before
  // the first epoch.
  Minimiser(Objective& objective, Stopping stopping)
      : objective_(objective),
        stopping_(stopping),
        w_(size()),
        gradient_(size()),
        direction_(size()),
        trial_w_(size()),
        trial_gradient_(size()) {
    if (objective.dim() < 1) throw std::invalid_argument("the objective has no variables");
  }
  virtual ~Minimiser() = default;
  Minimiser(const Minimiser&) = delete;
  Minimiser& operator=(const Minimiser&) = delete;

  // One iteration. Whatever happens, interruption or an exception of the objective, weights() is
  // the best point so far. `converged` with updates = 0 and a gradient that is not small: no step
  // lowers f, because of rounding or because f is not smooth here.
  EpochStats epoch() {
    EpochStats stats;
    try {
      bool stuck = false;
      if (!started_) start();
      if (!small_gradient()) {
        stuck = !step();
        stats.updates = !stuck;
        past_.push_back(value_);
        if (past_.size() > kPeriod + 1) past_.pop_front();
      }
      stats.converged = stuck || small_gradient() || small_decrease();
      if (stuck) started_ = false;  // the objective last saw some other point
    } catch (const Interrupted&) {
      started_ = false;
      stats.interrupted = true;
    } catch (...) {
      started_ = false;
      throw;
    }
    stats.objective = value_;
    stats.gradient_norm = norm_;
    return stats;
  }

  // The point; it stays where it is in memory. Call restart() after writing to it between epochs.
  std::span<double> weights() { return w_; }
  void restart(std::span<const double> from) {
    if (from.size() != size()) throw std::invalid_argument("one starting weight per variable");
    std::copy(from.begin(), from.end(), w_.begin());
    restart();
  }
  void restart() {
    started_ = false;
    past_.clear();
    forget();
  }
  Index evaluations() const { return evaluations_; }
  virtual void state(Archive& a) {
    a(w_, gradient_, direction_, value_, norm_, stopping_.reference, evaluations_, started_);
    a.list(past_);
  }

 protected:
  static constexpr std::size_t kPeriod = 5;

  // Moves to a lower point by accept(); false when there is none to be found.
  virtual bool step() = 0;
  // Drops what was learnt from earlier points.
  virtual void forget() {}
  // The norm that is zero at a minimum.
  virtual double gradient_norm() { return std::sqrt(product(gradient_, gradient_)); }
  // f and its gradient; +inf where either is not finite.
  virtual double evaluate(std::span<const double> w, std::span<double> gradient) {
    ++evaluations_;
    const double value = objective_.evaluate(w, gradient);
    if (objective_.interrupted()) throw Interrupted{};
    return std::isfinite(value) && std::isfinite(product(gradient, gradient)) ? value : kInf;
  }

  // φ(t) along direction_; leaves the point in trial_w_, trial_gradient_, trial_value_.
  Sample along(double t) {
    in_blocks(size(), objective_.threads(), [&](std::size_t begin, std::size_t count) {
      sum_scaled({w_.data() + begin, count}, t, {direction_.data() + begin, count},
                 {trial_w_.data() + begin, count});
    });
    trial_value_ = evaluate(trial_w_, trial_gradient_);
    return {t, trial_value_, product(trial_gradient_, direction_)};
  }
  void accept() {
    std::copy(trial_w_.begin(), trial_w_.end(), w_.begin());  // which no Ctrl-C may cut in two
    gradient_.swap(trial_gradient_);
    value_ = trial_value_;
    norm_ = gradient_norm();
  }

  std::size_t size() const { return static_cast<std::size_t>(objective_.dim()); }
  double product(std::span<const double> a, std::span<const double> b) const {
    return long_dot(a, b, objective_.threads());
  }

  Objective& objective_;
  Stopping stopping_;
  Vector w_, gradient_, direction_, trial_w_, trial_gradient_;
  double value_ = kNaN, norm_ = kNaN, trial_value_ = kNaN;

 private:
  void start() {
    for (double x : w_)
      if (!std::isfinite(x)) throw std::domain_error("the starting point is not finite");
    value_ = evaluate(w_, gradient_);
    if (!std::isfinite(value_))
      throw std::domain_error(
          "the objective or its gradient is NaN or infinite at the starting point: look for NaN, "
          "infinite or huge values in the data and the weights");
    norm_ = gradient_norm();
    if (stopping_.reference <= 0) stopping_.reference = norm_;
    if (past_.empty()) past_.push_back(value_);
    started_ = true;
  }
  // Where data weigh much more than the penalty a gradient may be small beside the first one, and
  // yet there is far to go: the penalty's curvature bounds how far.
  bool small_gradient() const {
    const double m = objective_.strong_convexity();
    return norm_ <= stopping_.tol * stopping_.reference &&
           (m == 0 || norm_ * norm_ <= 2 * m * stopping_.tol * std::abs(value_));
  }
  bool small_decrease() const {
    return past_.size() > kPeriod &&
           past_.front() - value_ <= stopping_.decrease_tol * std::abs(value_);
  }

  std::deque<double> past_;
  Index evaluations_ = 0;
  bool started_ = false;
};

}  // namespace linnet
