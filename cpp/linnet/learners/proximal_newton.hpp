// Proximal Newton steps on a few columns of
//   P(w) = sum_j l1_j |w_j| + l2_j / 2 w_j^2 + sum_i c_i l(m_i),   m = Z w,  z_i = y_i x_i.
// Each step minimises the quadratic model of the loss plus the penalty by coordinate descent over
// the coordinates that want to move, then searches along the direction found
// (Yuan, Ho and Lin 2012, "An improved GLMNET for L1-regularized logistic regression").
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/types.hpp"
#include "linnet/features/columns.hpp"
#include "linnet/losses/smooth_margin.hpp"

namespace linnet {

struct Penalty {
  double l1, l2;
  double operator()(double w) const { return l1 * std::abs(w) + 0.5 * l2 * w * w; }
  // How far the subdifferential of slope·w + penalty at w is from containing 0; `slope` without l2.
  double violation(double slope, double w) const {
    if (w == 0) return std::max(0.0, std::abs(slope) - l1);
    return std::abs(slope + l2 * w + std::copysign(l1, w));
  }
  // argmin over v of slope (v - w) + bend / 2 (v - w)^2 + l2 / 2 v^2 + l1 |v|
  double step(double slope, double bend, double w) const {
    const double target = bend * w - slope;
    return target > l1    ? (target - l1) / (bend + l2)
           : target < -l1 ? (target + l1) / (bend + l2)
                          : 0;
  }
};

template <class Loss>
class ProximalNewton {
 public:
  explicit ProximalNewton(std::span<const double> cost)
      : cost_(cost.begin(), cost.end()), margin_(cost.size()), pull_(cost.size()), row_(cost.size()) {
    loss_ = evaluate(0);
  }

  double loss() const { return loss_; }                      // sum_i c_i l(m_i)
  std::span<const double> pull() const { return pull_; }     // -c_i l'(m_i)
  std::span<const double> cost() const { return cost_; }

  // Moves the weights of the columns in `set` until their violations sum to at most `target`;
  // `weight(column)` and `penalty(column)` give a reference to the weight and its penalty.
  // Returns the number of Newton steps.
  template <class Weight, class PenaltyOf>
  Index descend(const Columns& columns, std::span<const Id> set, Weight weight, PenaltyOf penalty,
                double target, StopCheck& stop) {
    for (Index steps = 0; steps < kMaxSteps; ++steps) {
      const double violation = model(columns, set, weight, penalty);
      if (violation <= target || stop()) return steps;
      minimise_model(columns, kModelTolerance * violation, stop);
      if (!line_search(weight)) return steps;
    }
    return kMaxSteps;
  }

 private:
  static constexpr Index kMaxSteps = 50;
  static constexpr int kMaxPasses = 20;
  static constexpr double kModelTolerance = 0.1;

  // Side by side, because every entry of a column needs both.
  struct RowState {
    double bend = 0;  // c l''(m)
    double step = 0;  // change of the margin, z·(next - w)
  };
  struct Coordinate {
    Id column;
    Penalty penalty;
    double slope, bend;  // of the loss at w, and of the model
    double w, next;
  };

  // The quadratic model at w, of the coordinates that are non-zero or want to be.
  template <class Weight, class PenaltyOf>
  double model(const Columns& columns, std::span<const Id> set, Weight weight, PenaltyOf penalty) {
    active_.clear();
    double sum = 0;
    for (const Id column : set) {
      const Penalty p = penalty(column);
      const double w = weight(column);
      double slope = 0, bend = 1e-12;
      for (const Entry e : columns[column]) {
        const double z = e.value;
        slope -= z * pull_[e.row];
        bend += z * z * row_[e.row].bend;
      }
      const double violation = p.violation(slope, w);
      sum += violation;
      if (w != 0 || violation > 0) active_.push_back({column, p, slope, bend, w, w});
    }
    return sum;
  }

  void minimise_model(const Columns& columns, double tolerance, StopCheck& stop) {
    for (RowState& row : row_) row.step = 0;
    for (int pass = 0; pass < kMaxPasses && !stop(); ++pass) {
      double violation = 0;
      for (Coordinate& c : active_) {
        const std::span<const Entry> entries = columns[c.column];
        double slope = c.slope;
        for (const Entry e : entries) slope += e.value * row_[e.row].bend * row_[e.row].step;
        violation += c.penalty.violation(slope, c.next);
        const double next = c.penalty.step(slope, c.bend, c.next), change = next - c.next;
        if (change == 0) continue;
        c.next = next;
        for (const Entry e : entries) row_[e.row].step += e.value * change;
      }
      if (violation <= tolerance) break;
    }
  }

  // Halves the step until P falls by a fraction of what the model's linear part promises.
  template <class Weight>
  bool line_search(Weight weight) {
    double promise = 0;
    for (const Coordinate& c : active_)
      promise += c.slope * (c.next - c.w) + c.penalty(c.next) - c.penalty(c.w);
    if (!(promise < 0)) return keep(0, weight), false;
    for (double t = 1; t > 1e-9; t /= 2) {
      const double loss = evaluate(t);
      double change = loss - loss_;
      for (const Coordinate& c : active_)
        change += c.penalty(c.w + t * (c.next - c.w)) - c.penalty(c.w);
      if (change <= 0.01 * t * promise) return keep(t, weight), true;
    }
    return keep(0, weight), false;
  }

  template <class Weight>
  void keep(double t, Weight weight) {
    for (const Coordinate& c : active_)
      weight(c.column) = t == 1 ? c.next : c.w + t * (c.next - c.w);
    for (std::size_t i = 0; i < row_.size(); ++i) {
      margin_[i] += t * row_[i].step;
      row_[i].step = 0;
    }
    loss_ = evaluate(0);
  }

  // The loss at margins m + t step; leaves the pulls and bends there.
  double evaluate(double t) {
    double sum = 0;
    for (std::size_t i = 0; i < row_.size(); ++i) {
      const MarginPoint point = Loss::at(margin_[i] + t * row_[i].step);
      sum += cost_[i] * point.value;
      pull_[i] = cost_[i] * point.pull;
      row_[i].bend = cost_[i] * point.curvature;
    }
    return sum;
  }

  std::vector<double> cost_, margin_, pull_;
  std::vector<RowState> row_;
  std::vector<Coordinate> active_;
  double loss_ = 0;
};

}  // namespace linnet
