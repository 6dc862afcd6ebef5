// Naive Bayes log-count ratios (Wang and Manning, 2012): how much more of a feature there is in the
// documents of a label than in the others,
//
//   r[j][y] = ln((α + p[j][y]) / Σ_j (α + p[j][y])) − ln((α + q[j][y]) / Σ_j (α + q[j][y])),
//
// p[j][y] the sum of t(count) of feature j over the documents of label y, q[j][y] that over all
// others.
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "linnet/base/types.hpp"

namespace linnet {

// p[j][y], added up over documents that come some at a time, in any order: every t is a multiple of
// 2⁻²³, so that sums in double precision are exact up to 2³⁰. Single precision is for counts, and
// holds those below 2²⁴.
template <class Sum = double>
class LabelSums {
 public:
  LabelSums(Index features, Id labels) : features_(features), labels_(labels) {
    if (labels < 2) throw std::invalid_argument("log-count ratios need at least two labels");
    sums_.resize(static_cast<std::size_t>(features * labels));
  }
  // Sums that were made elsewhere, (features, labels).
  LabelSums(std::vector<Sum> sums, Id labels)
      : LabelSums(static_cast<Index>(sums.size()) / std::max<Id>(labels, 1), labels) {
    if (sums_.size() != sums.size())
      throw std::invalid_argument("there must be a sum for each pair of feature and label");
    sums_ = std::move(sums);
  }
  Index features() const { return features_; }
  Id labels() const { return labels_; }
  std::span<const Sum> sums() const { return sums_; }
  // More features have come to be.
  void grow(Index features) {
    features_ = std::max(features_, features);
    sums_.resize(static_cast<std::size_t>(features_ * labels_));
  }

  // `visit(i, add)` calls add(feature, t) for every entry of row i; the features are below
  // `features`.
  template <class Visit>
  void add(std::span<const Id> codes, Visit&& visit) {
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const Id y = codes[i];
      if (y < 0 || y >= labels_) throw std::invalid_argument("a label id is out of range");
      visit(static_cast<Index>(i), [&](Id j, float t) {
        sums_[static_cast<Index>(j) * labels_ + y] += static_cast<Sum>(t);
      });
    }
  }

  // (features, labels), in place of the sums, which are used up.
  std::vector<float> ratios(double alpha) {
    if (!(alpha > 0)) throw std::invalid_argument("alpha must be above 0");
    std::vector<Sum> ratios = std::move(sums_);
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
      Sum* const row = ratios.data() + j * width;
      double all = 0;
      for (std::size_t y = 0; y < width; ++y) all += static_cast<double>(row[y]);
      for (std::size_t y = 0; y < width; ++y) {
        const auto p = static_cast<double>(row[y]);
        row[y] = static_cast<float>(std::log((alpha + p) / (alpha + (all - p))) + offset[y]);
      }
    }
    if constexpr (std::is_same_v<Sum, float>)
      return ratios;
    else
      return {ratios.begin(), ratios.end()};
  }

 private:
  Index features_;
  Id labels_;
  std::vector<Sum> sums_;
};

// Of all documents at once, where every t is a count.
template <class Visit>
std::vector<float> label_ratios(std::span<const Id> codes, Index features, Id labels, double alpha,
                                Visit&& visit) {
  LabelSums<float> sums(features, labels);
  sums.add(codes, visit);
  return sums.ratios(alpha);
}

}  // namespace linnet
