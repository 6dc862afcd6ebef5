// Kernels of vectors, as functions of the product x·z and of the norms: linear x·z, polynomial
// (a x·z + c)^d, Gaussian exp(−γ‖x − z‖²) with γ = 1 / (2σ²).
#pragma once
#include <cmath>
#include <stdexcept>

#include "linnet/base/lanes.hpp"
#include "linnet/base/types.hpp"

namespace linnet {

enum class KernelForm { linear, polynomial, gaussian };

struct VectorKernel {
  KernelForm form = KernelForm::linear;
  int degree = 1;       // d
  float scale = 1;      // a
  float constant = 0;   // c
  float precision = 1;  // γ

  void check() const {
    if (degree < 1 || degree > 64) throw std::invalid_argument("degree must be from 1 to 64");
    if (!std::isfinite(scale) || !(scale > 0))
      throw std::invalid_argument("scale must be positive");
    if (!std::isfinite(constant) || constant < 0)
      throw std::invalid_argument("constant must be 0 or more");
    if (!std::isfinite(precision) || !(precision > 0))
      throw std::invalid_argument("sigma must be positive, and 1 / (2 sigma^2) a number");
  }
  // Of numbers or of lanes; x2 and z2 are squared norms.
  template <class Real>
  LINNET_INLINE Real polynomial(const Real& product, const Real& a, const Real& c) const {
    const Real base = product * a + c;
    Real power = base;
    for (int k = 1; k < degree; ++k) power = power * base;
    return power;
  }
  float of(float product, float x2, float z2) const {
    switch (form) {
      case KernelForm::polynomial:
        return polynomial(product, scale, constant);
      case KernelForm::gaussian:
        return exp_without_branches<float, std::int32_t>(-precision *
                                                         std::max(x2 + z2 - 2 * product, 0.f));
      default:
        return product;
    }
  }
};

}  // namespace linnet
