// Generalised iterative scaling (Darroch & Ratcliff 1972) for maximum entropy with non-negative
// features f(x, y):
//
//   w_j ← w_j + (1/M) log(E~_j / E_j),   M = max over x, y of Σ_j f_j(x, y)
//
// with E~ the observed and E the expected counts. Where Σ_j f_j(x, y) is not M, the textbook adds a
// slack feature that makes it so; its weight never needs to be known, because the bound that each
// step maximises holds for Σ_j f_j ≤ M as well (Curran & Clark 2003). With an L2 penalty the step
// d_j solves E~_j − E_j exp(M d_j) − l2 (w_j + d_j) = 0 (Chen & Rosenfeld 1999). The objective
// never rises, and there is no line search.
//
// Without a penalty, a feature that is never observed would get weight −∞; it is left out of the
// model (weight 0) instead.
#pragma once
#include "linnet/learners/batch/batch_objective.hpp"
#include "linnet/optimisers/minimiser.hpp"

namespace linnet {

class Gis : public Minimiser {
 public:
  Gis(BatchObjective& objective, Stopping stopping)
      : Minimiser(objective, stopping), problem_(objective), observed_(size()) {
    if (objective.loss().ring != Ring::log || objective.loss().link != Link::identity ||
        objective.loss().cost != 0)
      throw std::invalid_argument(
          "iterative scaling maximises likelihood: it needs the logistic loss");
    count();
  }
  double constant() const { return most_; }  // M

 private:
  bool in_model(std::size_t j) const { return observed_[j] > 0 || l2(j) > 0; }
  double l2(std::size_t j) const { return problem_.l2(static_cast<Index>(j)); }

  bool step() override {
    for (std::size_t j = 0; j < size(); ++j) {
      // The gradient is E − E~ + l2 w.
      const double expected = std::max(0.0, gradient_[j] + observed_[j] - l2(j) * w_[j]);
      direction_[j] = in_model(j) ? scaling_step(j, expected) : 0;
    }
    along(1);
    if (!(trial_value_ < value_)) return false;
    accept();
    return true;
  }

  double scaling_step(std::size_t j, double expected) const {
    const double l = l2(j), plain = std::log(observed_[j] / expected) / most_;
    if (l == 0) return expected > 0 ? plain : 0;
    if (expected == 0) return observed_[j] / l - w_[j];
    // The root lies between the step without a penalty and the step to zero. The function falls and
    // is concave, so that Newton's method from the right end comes down to the root.
    double d = std::max(plain, -w_[j]);
    for (int k = 0; k < 100; ++k) {
      const double e = expected * exp(most_ * d);
      const double change = (observed_[j] - e - l * (w_[j] + d)) / (most_ * e + l);
      d += change;
      if (!(std::abs(change) > 1e-15 * std::abs(d))) break;
    }
    return d;
  }

  double gradient_norm() override {
    for (std::size_t j = 0; j < size(); ++j) direction_[j] = in_model(j) ? gradient_[j] : 0;
    return norm(direction_);
  }

  // E~ and M: the latter is the best output when every weight is one.
  void count() {
    const Dataset& data = problem_.data();
    if (data.partial())
      throw std::invalid_argument("iterative scaling needs the label of every token: use L-BFGS");
    const Vector ones(size(), 1.0);
    InstanceBuffer b;
    for (Index i = 0; i < data.size(); ++i) {
      const Instance x = data.read(i, b);
      check_features(x, b);
      score_instance(x, ones.data(), b);
      most_ = std::max(most_, x.oracle->solve(Ring::max, b.theta, {}, b.work));
      std::fill(b.delta.begin(), b.delta.end(), 0.0);
      for (const auto& [p, times] : x.gold) b.delta[p] += times;
      scatter(x.sites, b.delta, x.weight, observed_.data(), b.site);
    }
    if (!(most_ > 0))
      throw std::invalid_argument("no instance has any feature: there is nothing to learn from");
  }
  static void check_features(const Instance& x, InstanceBuffer& b) {
    for (const Group& g : x.sites)
      for (Id s = 0; s < g.count; ++s) {
        const Row row = g.rows->row(g.first + s, b.site.row);
        bool fine = g.rows->bias() >= 0;
        for (Id k = 0; k < row.size; ++k) fine &= row.value[k] >= 0;
        if (!fine)
          throw std::invalid_argument(
              "iterative scaling needs features that are not negative: use L-BFGS");
      }
  }

  BatchObjective& problem_;
  Vector observed_;
  double most_ = 0;
};

}  // namespace linnet
