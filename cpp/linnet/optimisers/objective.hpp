// All that a batch optimiser sees of a problem: a smooth function to be minimised. An L2 penalty is
// part of it; an L1 penalty is not smooth and belongs to the optimiser (OWL-QN).
#pragma once
#include <span>
#include <stdexcept>

#include "linnet/base/types.hpp"

namespace linnet {

struct Objective {
  virtual ~Objective() = default;
  virtual Index dim() const = 0;

  // Returns f(w) and writes ∇f(w); both have dim() entries. Where f is undefined it returns inf or
  // NaN, and the optimisers step back.
  virtual double evaluate(std::span<const double> w, std::span<double> gradient) = 0;

  // out = ∇²f v, at the last point evaluated.
  virtual bool has_hessian() const { return false; }
  virtual void hessian_times(std::span<const double> /*v*/, std::span<double> /*out*/) {
    throw std::logic_error("this objective has no Hessian");
  }
  // The diagonal of ∇²f at the last point evaluated, or an estimate of it, to precondition with;
  // false: not known.
  virtual bool hessian_diagonal(std::span<double> /*out*/) { return false; }

  // An m for which f is convex beyond ½ m ‖w‖²: then f(w) − min f ≤ ‖∇f(w)‖² / 2m. 0: not known.
  virtual double strong_convexity() const { return 0; }

  // By how many threads it is evaluated: whoever works on its vectors may take as many.
  virtual int threads() const { return 1; }

  // True when the user stopped the last call (Ctrl-C): what it wrote is to be thrown away.
  virtual bool interrupted() const { return false; }
};

}  // namespace linnet
