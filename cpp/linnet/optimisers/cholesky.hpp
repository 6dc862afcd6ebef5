// The Cholesky factor of a dense symmetric matrix, A = L Lᵀ, block of columns by block of columns.
#pragma once
#include <algorithm>
#include <cmath>

#include "linnet/optimisers/vectors.hpp"

namespace linnet {

// row[begin, end) −= Σ_k left[k] · panel[k][begin, end), four k at a time; `count` is divisible by
// four, the rows of the panel are `stride` apart.
LINNET_CLONES inline void subtract_products(const double* left, const double* panel,
                                            std::size_t count, std::size_t stride,
                                            std::size_t begin, std::size_t end,
                                            double* LINNET_RESTRICT row) {
  for (std::size_t k = 0; k < count; k += 4) {
    const double* LINNET_RESTRICT a = panel + k * stride;
    const double *LINNET_RESTRICT b = a + stride, *LINNET_RESTRICT c = b + stride;
    const double* LINNET_RESTRICT d = c + stride;
    const double x = left[k], y = left[k + 1], z = left[k + 2], u = left[k + 3];
    for (std::size_t j = begin; j < end; ++j)
      row[j] -= (x * a[j] + y * b[j]) + (z * c[j] + u * d[j]);
  }
}

class Cholesky {
 public:
  // Factors `a`, [size][size], in place; only its lower triangle is read. A variable that those
  // before it leave no curvature to stays where it is: its pivot is taken to be infinite.
  void factor(Vector& a, std::size_t size) {
    l_ = a.data();
    n_ = size;
    panel_.resize(kBlock * n_);
    left_.resize(kBlock);
    first_.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) first_[i] = row(i)[i];
    for (std::size_t begin = 0; begin < n_; begin += kBlock) {
      const std::size_t end = std::min(begin + kBlock, n_);
      for (std::size_t i = begin; i < n_; ++i) {
        for (std::size_t j = begin; j < std::min(i, end); ++j)
          row(i)[j] = (row(i)[j] - dot({row(i) + begin, j - begin}, {row(j) + begin, j - begin})) /
                      row(j)[j];
        if (i >= end) continue;
        const double left =
            row(i)[i] - dot({row(i) + begin, i - begin}, {row(i) + begin, i - begin});
        row(i)[i] = left > kTiny * first_[i] ? std::sqrt(left) : kStays;
      }
      if (end < n_) subtract_block(begin, end);
    }
  }
  // x becomes A⁻¹ x.
  void solve(std::span<double> x) const {
    for (std::size_t i = 0; i < n_; ++i) x[i] = (x[i] - dot({row(i), i}, x.first(i))) / row(i)[i];
    for (std::size_t i = n_; i-- > 0;) {
      x[i] /= row(i)[i];
      add_scaled(-x[i], {row(i), i}, x.first(i));
    }
  }

 private:
  static constexpr std::size_t kBlock = 48;
  static constexpr double kTiny = 1e-15, kStays = 1e100;

  // Takes the columns [begin, end) out of all that lies to the right of them.
  void subtract_block(std::size_t begin, std::size_t end) {
    const std::size_t width = end - begin;
    std::fill(panel_.begin(), panel_.end(), 0.0);
    for (std::size_t i = end; i < n_; ++i)
      for (std::size_t k = 0; k < width; ++k) panel_[k * n_ + i] = row(i)[begin + k];
    for (std::size_t i = end; i < n_; ++i) {
      std::copy_n(row(i) + begin, width, left_.begin());
      subtract_products(left_.data(), panel_.data(), kBlock, n_, end, i + 1, row(i));
    }
  }
  double* row(std::size_t i) { return l_ + i * n_; }
  const double* row(std::size_t i) const { return l_ + i * n_; }

  double* l_ = nullptr;
  std::size_t n_ = 0;
  Vector panel_, left_, first_;
};

}  // namespace linnet
