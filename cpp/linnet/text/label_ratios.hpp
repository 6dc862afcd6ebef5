// Naive Bayes log-count ratios (Wang and Manning, 2012): how much more of a feature there is in the
// documents of a label than in the others,
//
//   r[j][y] = ln((α + p[j][y]) / Σ_j (α + p[j][y])) − ln((α + q[j][y]) / Σ_j (α + q[j][y])),
//
// p[j][y] the sum of t(count) of feature j over the documents of label y, q[j][y] that over all
// others.
#pragma once
#include <cmath>
#include <span>
#include <stdexcept>
#include <vector>

#include "linnet/base/types.hpp"

namespace linnet {

// `visit(i, add)` calls add(feature, t) for every entry of row i; the features are below
// `features`. The result is (features, labels).
template <class Visit>
std::vector<float> label_ratios(std::span<const Id> codes, Index features, Id labels, double alpha,
                                Visit&& visit) {
  if (labels < 2) throw std::invalid_argument("log-count ratios need at least two labels");
  if (!(alpha > 0)) throw std::invalid_argument("alpha must be above 0");
  std::vector<float> ratios(static_cast<std::size_t>(features * labels));  // p at first
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const Id y = codes[i];
    if (y < 0 || y >= labels) throw std::invalid_argument("a label id is out of range");
    visit(static_cast<Index>(i),
          [&](Id j, float t) { ratios[static_cast<Index>(j) * labels + y] += t; });
  }
  const auto width = static_cast<std::size_t>(labels);
  const double smoothing = alpha * static_cast<double>(features);
  std::vector<double> mass(width, smoothing);  // Σ_j (α + p)
  double total = 0;
  for (std::size_t j = 0; j < static_cast<std::size_t>(features); ++j)
    for (std::size_t y = 0; y < width; ++y) {
      mass[y] += static_cast<double>(ratios[j * width + y]);
      total += static_cast<double>(ratios[j * width + y]);
    }
  std::vector<double> offset(width);
  for (std::size_t y = 0; y < width; ++y)
    offset[y] = std::log((total - (mass[y] - smoothing) + smoothing) / mass[y]);
  for (std::size_t j = 0; j < static_cast<std::size_t>(features); ++j) {
    float* const row = ratios.data() + j * width;
    double all = 0;
    for (std::size_t y = 0; y < width; ++y) all += static_cast<double>(row[y]);
    for (std::size_t y = 0; y < width; ++y) {
      const auto p = static_cast<double>(row[y]);
      row[y] = static_cast<float>(std::log((alpha + p) / (alpha + (all - p))) + offset[y]);
    }
  }
  return ratios;
}

}  // namespace linnet
