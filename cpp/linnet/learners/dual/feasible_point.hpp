// A feasible dual point of a joint multiclass problem, in double precision, and the weights that go
// with it.
//
// What an instance gives to wrong labels is taken as it is, and what is left belongs to the right
// one: α_y = 1 − Σ_{k ≠ y} α_k, whatever rounding made of it. Free intercepts make D a bound only
// where every label has as much mass as it has gold, r_k = Σ_i c_i ([k = y_i] − α_ik) = 0. So
// labels with too much of it give the surplus to those with too little, every instance in
// proportion: α′_ik = keep_k α_ik + given_i share_k.
#pragma once
#include <algorithm>
#include <vector>

#include "linnet/learners/dual/joint_point.hpp"

namespace linnet {

template <class Real>
class FeasiblePoint {
 public:
  explicit FeasiblePoint(const JointPoint<Real>& point)
      : point_(point),
        size_(static_cast<std::size_t>(point.rows().size())),
        wrong_(size_, 0.0),
        shrunk_(size_, 1.0),
        given_(size_, 0.0),
        keep_(static_cast<std::size_t>(point.lanes()), 1.0),
        share_(keep_.size(), 0.0) {
    for (std::size_t i = 0; i < size_; ++i) {
      wrong_[i] = point.taken(static_cast<Index>(i));
      if (point.slots()[i].hard || wrong_[i] <= 1) continue;
      shrunk_[i] = 1 / wrong_[i];
      wrong_[i] = 1;
    }
    if (point.free()) balance();
  }

  // α′ of an instance in `lanes` numbers; 1 − α′_y.
  double masses(Index i, double* mass) const {
    const auto at = static_cast<std::size_t>(i);
    const Real* const a = point_.alpha(i);
    const double shrunk = shrunk_[at];
    for (Index k = 0; k < point_.lanes(); ++k) mass[k] = shrunk * static_cast<double>(a[k]);
    for (Index k = 0; point_.free() && k < point_.lanes(); ++k) mass[k] = balanced(at, k, mass[k]);
    const double left = left_of_gold(at);
    mass[point_.gold(i)] = 1 - left;
    return left;
  }

  // At least ‖W(α) − W(α′)‖, for α as it was rounded.
  double moved() const {
    double sum = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      const JointSlot& slot = point_.slots()[i];
      const auto right = static_cast<double>(point_.alpha(static_cast<Index>(i))[slot.gold]);
      const double wrong = wrong_[i] / shrunk_[i];
      const double apart = std::abs(1 - wrong_[i] - right) + std::abs(wrong - wrong_[i]);
      sum += slot.cost * apart * std::sqrt(slot.norm);
    }
    return point_.free() ? kInf : sum;
  }
  // ½‖W(α′)‖² without free intercepts. A few labels at a time, so that it takes little memory.
  double half_squared_norm() const {
    const Rows& rows = point_.rows();
    const float bias = point_.free() ? 0.f : rows.bias();
    Buffer<double> w((static_cast<std::size_t>(rows.features()) + 1) * kTogether);
    RowBuffer buffer;
    double sum = 0;
    for (Index first = 0; first < point_.lanes(); first += kTogether) {
      std::fill(w.begin(), w.end(), 0.0);
      for (Index i = 0; i < rows.size(); ++i) {
        alignas(64) double delta[kTogether];
        if (differs(i, first, delta)) add(rows.row(i, buffer), bias, delta, w.data());
      }
      sum += squared_norm(w.data(), static_cast<Index>(w.size()));
    }
    return 0.5 * sum;
  }

 private:
  static constexpr Index kTogether = 8;

  double balanced(std::size_t i, Index k, double a) const {
    return (a > 0 ? keep_[static_cast<std::size_t>(k)] * a : a) +
           given_[i] * share_[static_cast<std::size_t>(k)];
  }
  // 1 − α′_y
  double left_of_gold(std::size_t i) const {
    const auto y = static_cast<std::size_t>(point_.gold(static_cast<Index>(i)));
    const double keep = wrong_[i] < 1 ? keep_[y] : 1;
    return (1 - keep) + keep * wrong_[i] - given_[i] * share_[y];
  }
  // c ([k = y] − α′_k) of eight labels; are any of them not zero?
  bool differs(Index i, Index first, double* delta) const {
    const auto at = static_cast<std::size_t>(i);
    const double cost = point_.slots()[at].cost;
    const Real* const a = point_.alpha(i) + first;
    bool some = false;
    for (Index k = 0; k < kTogether; ++k)
      delta[k] = -cost * balanced(at, first + k, shrunk_[at] * static_cast<double>(a[k]));
    if (const Index y = point_.gold(i) - first; y >= 0 && y < kTogether)
      delta[y] = cost * left_of_gold(at);
    for (Index k = 0; k < kTogether; ++k) some |= delta[k] != 0;
    return some;
  }
  static void add(const Row& row, float bias, const double* delta, double* w) {
    const auto step = [&](double* LINNET_RESTRICT feature, float x) {
      for (Index k = 0; k < kTogether; ++k) feature[k] += delta[k] * static_cast<double>(x);
    };
    step(w, bias);
    for (Id j = 0; j < row.size; ++j) {
      const Id ahead = row.index[std::min(j + 8, row.size - 1)];
      LINNET_PREFETCH(w + (ahead + Index{1}) * kTogether);
      step(w + (row.index[j] + Index{1}) * kTogether, row.value[j]);
    }
  }

  void balance() {
    std::vector<double> mass(keep_.size(), 0.0), lacks(keep_.size(), 0.0);
    Buffer<double> a(keep_.size());
    const auto each = [&](auto visit) {
      for (std::size_t i = 0; i < size_; ++i) {
        if (point_.slots()[i].cost == 0) continue;
        masses(static_cast<Index>(i), a.data());
        visit(i, point_.slots()[i].cost);
      }
    };
    each([&](std::size_t i, double cost) {
      for (std::size_t k = 0; k < a.size(); ++k) {
        mass[k] += cost * std::max(a[k], 0.0);
        lacks[k] -= cost * a[k];
      }
      lacks[static_cast<std::size_t>(point_.gold(static_cast<Index>(i)))] += cost;
    });
    double wanted = 0;
    for (double r : lacks) wanted += std::max(r, 0.0);
    if (wanted == 0) return;
    std::vector<double> keep(keep_.size(), 1.0);
    for (std::size_t k = 0; k < keep.size(); ++k)
      if (lacks[k] < 0 && mass[k] > 0) keep[k] = std::max(0.0, 1 + lacks[k] / mass[k]);
    each([&](std::size_t i, double) {
      for (std::size_t k = 0; k < a.size(); ++k) given_[i] += (1 - keep[k]) * std::max(a[k], 0.0);
    });
    keep_ = std::move(keep);
    for (std::size_t k = 0; k < share_.size(); ++k) share_[k] = std::max(lacks[k], 0.0) / wanted;
  }

  const JointPoint<Real>& point_;
  std::size_t size_;
  std::vector<double> wrong_, shrunk_, given_;  // by instance
  std::vector<double> keep_, share_;            // by label
};

}  // namespace linnet
