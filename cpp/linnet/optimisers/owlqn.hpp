// OWL-QN (Andrew & Gao 2007): L-BFGS for F(w) = f(w) + Σ_j l1_j |w_j|. Within one orthant F is
// smooth; each iteration chooses the orthant into which F descends, takes the quasi-Newton
// direction of f, and never leaves the orthant: coordinates that would change sign stop at zero.
#pragma once
#include "linnet/optimisers/inverse_hessian.hpp"
#include "linnet/optimisers/minimiser.hpp"

namespace linnet {

class Owlqn : public Minimiser {
 public:
  // l1 has one non-negative entry per coordinate; 0: not penalised.
  Owlqn(Objective& objective, Vector l1, Stopping stopping, int history = 10)
      : Minimiser(objective, stopping),
        l1_(std::move(l1)),
        pseudo_(size()),
        hessian_(size(), history, objective.threads()) {
    if (l1_.size() != size()) throw std::invalid_argument("l1 needs one entry per coordinate");
    for (double l : l1_)
      if (!(l >= 0 && l < kInf)) throw std::invalid_argument("l1 must be finite and not negative");
  }

  void state(Archive& a) override {
    Minimiser::state(a);
    a(pseudo_, hessian_);
  }

 private:
  bool step() override {
    hessian_.descend(pseudo_, direction_);
    for (std::size_t j = 0; j < size(); ++j)  // only where −pseudo-gradient also points
      if (direction_[j] * pseudo_[j] >= 0) direction_[j] = 0;
    const double first = hessian_.empty() ? std::min(1.0, 1 / norm_) : 1;
    if (backtrack([&](double t) { return along_orthant(t); }, value_, first) == 0) {
      if (hessian_.empty()) return false;
      hessian_.clear();
      return step();
    }
    hessian_.learn(w_, trial_w_, gradient_, trial_gradient_);
    accept();
    return true;
  }

  // π(w + t d): the signs are those of w, or of the descent where w is zero.
  Trial along_orthant(double t) {
    double linear = 0;
    for (std::size_t j = 0; j < size(); ++j) {
      const double orthant = w_[j] != 0 ? w_[j] : -pseudo_[j];
      const double moved = w_[j] + t * direction_[j];
      trial_w_[j] = l1_[j] == 0 || moved * orthant > 0 ? moved : 0;
      linear += pseudo_[j] * (trial_w_[j] - w_[j]);
    }
    trial_value_ = evaluate(trial_w_, trial_gradient_);
    return {trial_value_, linear};
  }

  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    double penalty = 0;
    for (std::size_t j = 0; j < w.size(); ++j) penalty += l1_[j] * std::abs(w[j]);
    return Minimiser::evaluate(w, gradient) + penalty;
  }

  // The pseudo-gradient: the element of least norm of the subdifferential of F.
  double gradient_norm() override {
    for (std::size_t j = 0; j < size(); ++j) {
      const double g = gradient_[j], l = l1_[j];
      if (w_[j] != 0)
        pseudo_[j] = w_[j] > 0 ? g + l : g - l;
      else
        pseudo_[j] = g + l < 0 ? g + l : g - l > 0 ? g - l : 0;
    }
    return norm(pseudo_);
  }
  void forget() override { hessian_.clear(); }

  Vector l1_, pseudo_;
  InverseHessian hessian_;
};

}  // namespace linnet
