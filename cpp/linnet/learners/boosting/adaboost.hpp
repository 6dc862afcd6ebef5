// AdaBoost.MH (Schapire and Singer 1999, 2000) over word stumps. An example i with labels l weighs
// D(i, l), and y(i, l) is 1 for its label and -1 for all others (two labels are one column). In
// each round the stump "is feature f there?" is chosen whose answers c1(l) if it is and c0(l) if it
// is not leave the least Z = sum D(i, l) exp(-y(i, l) c(i, l)); then D <- D exp(-y c) / Z. The mean
// exponential loss of the sum of all stumps is the product of their Z.
//
// A stump is linear in the presence of its feature: c = c0 + (c1 - c0) x_f.
//
// Of a stump's answer what is said where the feature is absent changes the weights of all examples
// alike, by their sign and label: one factor. So a round changes those examples alone that have the
// feature, and the sums of weights of the features that occur in them; an inverted index finds
// them.
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "linnet/base/archive.hpp"
#include "linnet/base/math.hpp"
#include "linnet/base/simd.hpp"
#include "linnet/base/told.hpp"
#include "linnet/features/rows.hpp"

namespace linnet {

namespace boosting {

// The weights of one side of a stump, or of all examples: those that say yes, and no.
struct Sides {
  double yes, no;
};

// quality[f] of the stumps [begin, end); the smaller the better. Sums of features with labels side
// by side; `all` are those of all examples, after `yes` and `no` have scaled them.
LINNET_CLONES inline void weigh_real(const double* LINNET_RESTRICT plus,
                                     const double* LINNET_RESTRICT minus,
                                     const double* LINNET_RESTRICT yes,
                                     const double* LINNET_RESTRICT no,
                                     const double* LINNET_RESTRICT all_yes,
                                     const double* LINNET_RESTRICT all_no, Index features,
                                     Id labels, double* LINNET_RESTRICT quality) {
  for (Index f = 0; f < features; ++f) {
    double z = 0;
    for (Id l = 0; l < labels; ++l) {
      const double p = plus[f * labels + l] * yes[l], m = minus[f * labels + l] * no[l];
      const double q = all_yes[l] - p, n = all_no[l] - m;
      const double there = p > 0 && m > 0 ? p * m : 0, absent = q > 0 && n > 0 ? q * n : 0;
      z += std::sqrt(there) + std::sqrt(absent);
    }
    quality[f] = 2 * z;
  }
}
LINNET_CLONES inline void weigh_discrete(const double* LINNET_RESTRICT plus,
                                         const double* LINNET_RESTRICT minus,
                                         const double* LINNET_RESTRICT yes,
                                         const double* LINNET_RESTRICT no,
                                         const double* LINNET_RESTRICT all_yes,
                                         const double* LINNET_RESTRICT all_no, Index features,
                                         Id labels, double* LINNET_RESTRICT quality) {
  for (Index f = 0; f < features; ++f) {
    double r = 0;
    for (Id l = 0; l < labels; ++l) {
      const double edge = plus[f * labels + l] * yes[l] - minus[f * labels + l] * no[l];
      r += std::abs(2 * edge - (all_yes[l] - all_no[l]));
    }
    quality[f] = -r;
  }
}

}  // namespace boosting

struct AdaBoostSettings {
  bool real = true;      // c1 and c0 are half the log odds; else ±alpha, of opposite signs
  double smoothing = 0;  // added to both sides of odds; and no stump errs less
};

// A round: the stump that was chosen.
struct Stump {
  Id feature = 0;
  double z = 1;
  double size = 0;  // the largest answer, in absolute value
};

class AdaBoost {
 public:
  // label[i] is the column that says yes; one column says no to label 0. The rows outlive it.
  AdaBoost(const Rows& rows, std::span<const Id> label, std::span<const double> cost, Id columns,
           const AdaBoostSettings& settings)
      : rows_(rows),
        label_(label.begin(), label.end()),
        columns_(columns),
        settings_(settings),
        weight_(label.size() * static_cast<std::size_t>(columns)),
        plus_(static_cast<std::size_t>(rows.features()) * static_cast<std::size_t>(columns)),
        minus_(plus_.size()),
        quality_(static_cast<std::size_t>(rows.features())) {
    if (columns < 1) throw std::invalid_argument("there must be a label");
    if (Index(label.size()) != rows.size() || cost.size() != label.size())
      throw std::invalid_argument("rows, labels and costs differ in length");
    if (rows.size() > std::numeric_limits<Id>::max())
      throw std::invalid_argument("more than 2^31 rows");
    for (const Id y : label)
      if (y < 0 || y >= std::max(columns, Id{2})) throw std::invalid_argument("no such label");
    if (!(settings.smoothing > 0 && settings.smoothing < 1))
      throw std::invalid_argument("smoothing must be between 0 and 1");
    index_rows();
    double total = 0;
    for (const double c : cost) {
      if (!(c >= 0 && c < kInf)) throw std::invalid_argument("costs must be finite, not negative");
      total += c;
    }
    if (!(total > 0)) throw std::invalid_argument("no example weighs anything");
    for (Index i = 0; i < rows.size(); ++i)
      for (Id l = 0; l < columns_; ++l) weight(i, l) = cost[std::size_t(i)] / total / columns_;
    for (auto* scale : {&yes_, &no_}) scale->assign(std::size_t(columns_), 1.0);
    answers_.resize(std::size_t(columns_));
    block_.resize((std::size_t(rows.features()) + 1) * std::size_t(padded(columns_)));
    sum_up();
  }

  // One round. It has converged when no stump makes anything better.
  EpochStats epoch() {
    EpochStats stats;
    stats.objective = bound_;
    const Stump found = best();
    if (!(found.z < 1 - kLeastGain)) {
      stats.converged = true;
      return stats;
    }
    add(found);
    stumps_.push_back(found);
    bound_ *= found.z;
    stats.objective = bound_;
    stats.updates = Index(index_[std::size_t(found.feature)].size());
    if (++since_ >= kRefresh || far()) sum_up();
    return stats;
  }

  double bound() const { return bound_; }  // the product of all Z
  const std::vector<Stump>& stumps() const { return stumps_; }
  const std::vector<double>& absent() const { return absent_; }  // [rounds][columns]: all c0
  std::span<double> weights() { return block_; }                 // (features + 1) x padded(columns)

  void state(Archive& a) {
    a(weight_, plus_, minus_, yes_, no_, all_yes_, all_no_, block_, bound_, since_);
    std::vector<Id> features;
    std::vector<double> z, size;
    for (const Stump& s : stumps_)
      features.push_back(s.feature), z.push_back(s.z), size.push_back(s.size);
    a.places(features, quality_.size());
    a.list(z, size, absent_);
    Archive::require(z.size() == features.size() && size.size() == z.size() &&
                         absent_.size() == z.size() * answers_.size(),
                     "stumps are missing");
    stumps_.clear();
    for (std::size_t t = 0; t < z.size(); ++t) stumps_.push_back({features[t], z[t], size[t]});
  }

 private:
  struct Answer {
    double there, absent;
  };
  static constexpr double kLeastGain = 1e-12;
  static constexpr int kRefresh = 64;  // rounds until sums are made anew, before rounding adds up

  double& weight(Index i, Id l) { return weight_[std::size_t(i * columns_ + l)]; }
  bool says_yes(Index i, Id l) const {
    return columns_ == 1 ? label_[std::size_t(i)] > 0 : label_[std::size_t(i)] == l;
  }

  void index_rows() {
    (void)rows_.nonzeros();  // rows are read in any order: those of a file on a disk refuse
    std::vector<Id> count(quality_.size());
    RowBuffer buffer;
    for (Index i = 0; i < rows_.size(); ++i) {
      const Row row = rows_.row(i, buffer);
      for (Id k = 0; k < row.size; ++k) {
        if (row.value[k] == 0) continue;
        if (row.value[k] != 1)
          throw std::invalid_argument(
              "AdaBoost's stumps see whether a feature is there: values are 0 or 1, but feature " +
              std::to_string(row.index[k]) + " of row " + std::to_string(i) + " is " +
              told(row.value[k]) + "; use the estimator AdaBoost, or features of 0 and 1");
        ++count[std::size_t(row.index[k])];
      }
    }
    index_.resize(count.size());
    for (std::size_t f = 0; f < count.size(); ++f) index_[f].reserve(std::size_t(count[f]));
    for (Index i = 0; i < rows_.size(); ++i) {
      const Row row = rows_.row(i, buffer);
      for (Id k = 0; k < row.size; ++k)
        if (row.value[k] != 0) index_[std::size_t(row.index[k])].push_back(static_cast<Id>(i));
    }
  }

  // Weights as they are, without factors beside them; and the sums for each feature.
  void sum_up() {
    for (Index i = 0; i < rows_.size(); ++i)
      for (Id l = 0; l < columns_; ++l)
        weight(i, l) *= (says_yes(i, l) ? yes_ : no_)[std::size_t(l)];
    for (auto* scale : {&yes_, &no_}) std::fill(scale->begin(), scale->end(), 1.0);
    std::fill(plus_.begin(), plus_.end(), 0.0);
    std::fill(minus_.begin(), minus_.end(), 0.0);
    for (auto* all : {&all_yes_, &all_no_}) all->assign(std::size_t(columns_), 0.0);
    RowBuffer buffer;
    for (Index i = 0; i < rows_.size(); ++i) change(i, &weight(i, 0), buffer);
    since_ = 0;
  }
  // Adds to the sums of all features of an example, and to those of all examples.
  void change(Index i, const double* by, RowBuffer& buffer) {
    const Row row = rows_.row(i, buffer);
    for (Id l = 0; l < columns_; ++l)
      (says_yes(i, l) ? all_yes_ : all_no_)[std::size_t(l)] += by[l];
    for (Id k = 0; k < row.size; ++k) {
      if (row.value[k] == 0) continue;
      const std::size_t at = std::size_t(row.index[k]) * std::size_t(columns_);
      for (Id l = 0; l < columns_; ++l)
        (says_yes(i, l) ? plus_ : minus_)[at + std::size_t(l)] += by[l];
    }
  }
  // Factors that would leave the range of doubles.
  bool far() const {
    for (const auto* scale : {&yes_, &no_})
      for (const double s : *scale)
        if (s < 1e-60 || s > 1e60) return true;
    return false;
  }

  // The first of the best stumps, and its answers.
  Stump best() {
    std::vector<double> yes(yes_), no(no_);
    for (std::size_t l = 0; l < yes.size(); ++l) yes[l] *= all_yes_[l], no[l] *= all_no_[l];
    const auto weigh = settings_.real ? boosting::weigh_real : boosting::weigh_discrete;
    weigh(plus_.data(), minus_.data(), yes_.data(), no_.data(), yes.data(), no.data(),
          rows_.features(), columns_, quality_.data());
    Stump found;
    if (quality_.empty()) return found;
    const auto at = std::min_element(quality_.begin(), quality_.end()) - quality_.begin();
    found.feature = static_cast<Id>(at);
    std::vector<boosting::Sides> there, absent;
    for (std::size_t l = 0; l < yes.size(); ++l) {
      const std::size_t place = std::size_t(at) * yes.size() + l;
      there.push_back(
          {std::max(plus_[place] * yes_[l], 0.0), std::max(minus_[place] * no_[l], 0.0)});
      absent.push_back({std::max(yes[l] - there[l].yes, 0.0), std::max(no[l] - there[l].no, 0.0)});
    }
    settings_.real ? answer_by_odds(there, absent) : answer_by_sign(there, absent);
    found.z = 0;
    for (std::size_t l = 0; l < yes.size(); ++l) {
      const auto left = [](boosting::Sides w, double c) { return w.yes * exp(-c) + w.no * exp(c); };
      found.z += left(there[l], answers_[l].there) + left(absent[l], answers_[l].absent);
      found.size =
          std::max({found.size, std::abs(answers_[l].there), std::abs(answers_[l].absent)});
    }
    return found;
  }
  // c = ½ log (W+ / W-), which minimises W+ e^-c + W- e^c on either side.
  void answer_by_odds(std::span<const boosting::Sides> there,
                      std::span<const boosting::Sides> absent) {
    const double e = settings_.smoothing;
    const auto odds = [e](boosting::Sides w) { return std::log((w.yes + e) / (w.no + e)) / 2; };
    for (std::size_t l = 0; l < there.size(); ++l) answers_[l] = {odds(there[l]), odds(absent[l])};
  }
  // ±alpha with alpha = ½ log ((1 - error) / error), and the sign that errs less for each label.
  void answer_by_sign(std::span<const boosting::Sides> there,
                      std::span<const boosting::Sides> absent) {
    double error = 0;
    std::vector<double> sign;
    for (std::size_t l = 0; l < there.size(); ++l) {
      const double if_plus = there[l].no + absent[l].yes, if_minus = there[l].yes + absent[l].no;
      sign.push_back(if_plus <= if_minus ? 1 : -1);
      error += std::min(if_plus, if_minus);
    }
    error = std::clamp(error, settings_.smoothing, 0.5);
    const double alpha = std::log((1 - error) / error) / 2;
    for (std::size_t l = 0; l < sign.size(); ++l) answers_[l] = {sign[l] * alpha, -sign[l] * alpha};
  }

  void add(const Stump& stump) {
    const auto stride = std::size_t(padded(columns_));
    std::vector<double> up(answers_.size()), down(answers_.size()), by(answers_.size());
    for (std::size_t l = 0; l < answers_.size(); ++l) {
      const auto [there, absent] = answers_[l];
      absent_.push_back(absent);
      block_[l] += absent;
      block_[(std::size_t(stump.feature) + 1) * stride + l] += there - absent;
      yes_[l] *= exp(-absent) / stump.z;
      no_[l] *= exp(absent) / stump.z;
      up[l] = exp(absent - there) - 1;  // of those who say yes, where the feature is there
      down[l] = exp(there - absent) - 1;
    }
    RowBuffer buffer;
    for (const Id i : index_[std::size_t(stump.feature)]) {
      for (Id l = 0; l < columns_; ++l) {
        const auto at = std::size_t(l);
        const double old = weight(i, l);
        weight(i, l) += old * (says_yes(i, l) ? up : down)[at];
        by[at] = weight(i, l) - old;
      }
      change(i, by.data(), buffer);
    }
  }

  const Rows& rows_;
  std::vector<Id> label_;
  Id columns_;
  AdaBoostSettings settings_;
  std::vector<double> weight_;        // D(i, l), up to yes_ and no_
  std::vector<double> yes_, no_;      // factors of D by sign and label
  std::vector<double> plus_, minus_;  // sums of D over examples with a feature, by sign and label
  std::vector<double> all_yes_, all_no_;  // the same over all examples
  std::vector<double> quality_;           // of each feature's stump
  std::vector<std::vector<Id>> index_;    // examples of each feature
  std::vector<Answer> answers_;           // of the stump at hand
  std::vector<Stump> stumps_;
  std::vector<double> absent_, block_;
  double bound_ = 1;
  int since_ = 0;  // rounds since the sums were made
};

}  // namespace linnet
