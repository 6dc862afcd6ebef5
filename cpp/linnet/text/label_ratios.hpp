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

// p[j][y], added up over documents that come some at a time.
class LabelSums {
 public:
  LabelSums(Index features, Id labels) : features_(features), labels_(labels) {
    if (labels < 2) throw std::invalid_argument("log-count ratios need at least two labels");
    sums_.resize(static_cast<std::size_t>(features * labels));
  }
  Index features() const { return features_; }
  Id labels() const { return labels_; }

  // `visit(i, add)` calls add(feature, t) for every entry of row i; the features are below
  // `features`.
  template <class Visit>
  void add(std::span<const Id> codes, Visit&& visit) {
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const Id y = codes[i];
      if (y < 0 || y >= labels_) throw std::invalid_argument("a label id is out of range");
      visit(static_cast<Index>(i),
            [&](Id j, float t) { sums_[static_cast<Index>(j) * labels_ + y] += t; });
    }
  }

  // (features, labels), in place of the sums, which are used up.
  std::vector<float> ratios(double alpha) {
    if (!(alpha > 0)) throw std::invalid_argument("alpha must be above 0");
    std::vector<float> ratios = std::move(sums_);
    const auto width = static_cast<std::size_t>(labels_);
    const auto rows = ratios.size() / width;
    const double smoothing = alpha * static_cast<double>(rows);
    std::vector<double> mass(width, smoothing);  // Σ_j (α + p)
    double total = 0;
    for (std::size_t j = 0; j < rows; ++j)
      for (std::size_t y = 0; y < width; ++y) {
        mass[y] += static_cast<double>(ratios[j * width + y]);
        total += static_cast<double>(ratios[j * width + y]);
      }
    std::vector<double> offset(width);
    for (std::size_t y = 0; y < width; ++y)
      offset[y] = std::log((total - (mass[y] - smoothing) + smoothing) / mass[y]);
    for (std::size_t j = 0; j < rows; ++j) {
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

 private:
  Index features_;
  Id labels_;
  std::vector<float> sums_;
};

// Of all documents at once.
template <class Visit>
std::vector<float> label_ratios(std::span<const Id> codes, Index features, Id labels, double alpha,
                                Visit&& visit) {
  LabelSums sums(features, labels);
  sums.add(codes, visit);
  return sums.ratios(alpha);
}

}  // namespace linnet
