// Entropy regularisation (Grandvalet & Bengio 2005; over chains Jiao et al. 2006) for any structure
// with exact sums: P(w) = L(w) + λ Σ_u H(p(·|x_u; w)), the entropies of examples without labels.
//
// Let U(w) = Σ_u (log Z_u(w) − w·g_u) be a log loss of these examples for outputs g_u, whichever
// they are. Then ∇U = Σ_u (E_u[f] − g_u), and since H = log Z − w·E[f],
//
//     Σ_u H_u = U(w) − w·∇U(w),     ∇ Σ_u H_u = −∇²U(w) w :
//
// g_u cancels, and the gradient is a Hessian-vector product, which dual numbers make exact.
#pragma once
#include "linnet/learners/batch/batch_objective.hpp"

namespace linnet {

class EntropyObjective final : public Objective {
 public:
  // `unlabelled` is U, without a penalty; the caller keeps both alive.
  EntropyObjective(Objective& labelled, BatchObjective& unlabelled, double weight)
      : labelled_(labelled),
        unlabelled_(unlabelled),
        weight_(weight),
        slope_(static_cast<std::size_t>(unlabelled.dim())),
        bent_(static_cast<std::size_t>(unlabelled.dim())) {
    if (labelled.dim() != unlabelled.dim())
      throw std::invalid_argument("both objectives must be of the same weights");
    const Loss& loss = unlabelled.loss();
    if (loss.ring != Ring::log || loss.link != Link::identity || loss.cost != 0)
      throw std::invalid_argument("entropy is that of the loss 'logistic'");
    if (unlabelled.l2(unlabelled.dim() - 1) != 0 || !unlabelled.has_hessian())
      throw std::invalid_argument("unlabelled examples need an output each, and no penalty");
    if (!(weight >= 0 && weight < kInf))
      throw std::invalid_argument("the weight of entropies must be finite and not negative");
  }

  Index dim() const override { return labelled_.dim(); }
  int threads() const override { return labelled_.threads(); }
  bool interrupted() const override { return labelled_.interrupted() || unlabelled_.interrupted(); }

  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    double value = labelled_.evaluate(w, gradient);
    if (weight_ == 0 || labelled_.interrupted()) return value;
    const double u = unlabelled_.evaluate(w, slope_);
    value += weight_ * (u - long_dot(w, std::span<const double>(slope_), threads()));
    if (unlabelled_.interrupted()) return value;
    unlabelled_.hessian_times(w, bent_);
    long_add(-weight_, std::span<const double>(bent_), gradient, threads());
    return value;
  }

 private:
  Objective& labelled_;
  BatchObjective& unlabelled_;
  double weight_;
  Vector slope_, bent_;
};

}  // namespace linnet
