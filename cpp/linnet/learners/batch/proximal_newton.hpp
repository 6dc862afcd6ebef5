// Proximal Newton steps on a few columns of
//   P(w) = sum_j l1_j |w_j| + l2_j / 2 w_j^2 + sum_i c_i l(m_i),   m = Z w,  z_i = y_i x_i.
// Each step minimises the quadratic model of the loss plus the penalty, over the coordinates that
// want to move, and searches along the direction found (Yuan, Ho and Lin 2012, "An improved GLMNET
// for L1-regularized logistic regression"). The model is minimised by turns of coordinate descent,
// which finds the zeros, and conjugate gradients on the others (as Byrd et al. 2016, "A family of
// second-order methods for convex l1-regularized optimization").
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "linnet/base/archive.hpp"
#include "linnet/base/interrupt.hpp"
#include "linnet/base/types.hpp"
#include "linnet/features/columns.hpp"
#include "linnet/features/support_rows.hpp"
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
      : cost_(cost.begin(), cost.end()),
        margin_(cost.size()),
        pull_(cost.size()),
        row_(cost.size()),
        along_(cost.size()),
        start_(cost.size()) {
    loss_ = evaluate(0);
  }

  // Goes on from weights whose margins these are.
  void start_at(std::span<const double> margin) {
    std::copy(margin.begin(), margin.end(), margin_.begin());
    for (RowState& row : row_) row.step = 0;
    loss_ = evaluate(0);
  }

  void state(Archive& a) {
    a(margin_, pull_, loss_);
    a.members(row_, &RowState::bend, &RowState::step);
  }

  double loss() const { return loss_; }                   // sum_i c_i l(m_i)
  std::span<const double> pull() const { return pull_; }  // -c_i l'(m_i)
  std::span<const double> cost() const { return cost_; }

  // Moves the weights of the columns in `set`, in at most so many steps, until the sum of their
  // violations has fallen to a fraction; `weight(column)` and `penalty(column)` give a reference to
  // the weight and its penalty. Returns the number of steps.
  template <class Weight, class PenaltyOf>
  Index descend(const Columns& columns, std::span<const Id> set, Weight weight, PenaltyOf penalty,
                double reduction, Index most_steps, StopCheck& stop) {
    double target = 0;
    for (Index steps = 0; steps < most_steps; ++steps) {
      const double violation = model(columns, set, weight, penalty);
      if (steps == 0) target = reduction * violation;
      if (violation <= target || stop()) return steps;
      const int iterations =
          kConjugate * static_cast<int>(1 + steps / 4);  // many steps: a hard case
      minimise_model(columns, kModelTolerance * violation, iterations, stop);
      if (!line_search(weight)) return steps;
    }
    return most_steps;
  }

 private:
  static constexpr double kModelTolerance = 0.3;  // of the violations before the step
  static constexpr int kMaxRounds = 5, kPasses = 2, kConjugate = 10;
  static constexpr double kConjugateTolerance = 0.01;  // of the squared residual
  static constexpr double kDamping = 1e-4;             // of the diagonal
  static constexpr double kLeastBend = 1e-12;
  static constexpr double kRounding = 1e-14;  // of P; near the optimum only slopes can tell more

  // Side by side, because every entry of a column needs both.
  struct RowState {
    double bend = 0;  // c l''(m)
    double step = 0;  // change of the margin, z·(next - w)
  };
  struct Coordinate {
    Id column;
    Penalty penalty;
    double slope, bend;     // first and second derivative of the loss at w
    double w, next;         // the weight now, and where the model wants it
    double residual, move;  // of conjugate gradients
    double start;           // `next` before it followed `move`
    double at(double t) const { return t == 1 ? next : w + t * (next - w); }
  };

  // The quadratic model at w, of the coordinates that are non-zero or want to be.
  template <class Weight, class PenaltyOf>
  double model(const Columns& columns, std::span<const Id> set, Weight weight, PenaltyOf penalty) {
    active_.clear();
    double total = 0;
    for (const Id column : set) {
      const Penalty p = penalty(column);
      const double w = weight(column);
      const auto [slope, bend] = derivatives(columns[column]);
      const double violation = p.violation(slope, w);
      total += violation;
      if (w == 0 && violation == 0) continue;
      active_.push_back({column, p, slope, bend, w, w, 0, 0, 0});
    }
    return total;
  }

  // First and second derivative of the loss along one weight.
  std::pair<double, double> derivatives(Entries entries) const {
    double slope[2] = {0, 0}, bend[2] = {kLeastBend, 0};
    std::size_t lane = 0;
    for (const Entry e : entries) {
      slope[lane] -= e.value * pull_[e.row];
      bend[lane] += e.value * e.value * row_[e.row].bend;
      lane ^= 1;
    }
    return {slope[0] + slope[1], bend[0] + bend[1]};
  }

  // Coordinate descent finds which weights are zero and the signs of the others; with these fixed
  // the model is a quadratic, on which conjugate gradients do in a few passes what coordinate
  // descent needs hundreds for when columns are alike.
  void minimise_model(const Columns& columns, double tolerance, int iterations, StopCheck& stop) {
    for (RowState& row : row_) row.step = 0;
    for (int round = 0; round < kMaxRounds && !stop(); ++round) {
      for (int pass = 0; pass < kPasses; ++pass) coordinate_pass(columns, stop);
      if (find_support(columns) <= tolerance) return;
      conjugate_gradients(columns, iterations, stop);
      follow_move(columns);
    }
  }

  void coordinate_pass(const Columns& columns, StopCheck& stop) {
    for (Coordinate& c : active_) {
      if (stop()) return;
      const double next = c.penalty.step(model_slope(columns[c.column], c), c.bend, c.next);
      move(columns[c.column], c, next);
    }
  }

  // Derivative of the model's loss at `next`.
  double model_slope(std::span<const Entry> entries, const Coordinate& c) const {
    return c.slope +
           sum(entries, [this](Entry e) { return e.value * row_[e.row].bend * row_[e.row].step; });
  }

  void move(std::span<const Entry> entries, Coordinate& c, double next) {
    const double change = next - c.next;
    if (change == 0) return;
    c.next = next;
    for (const Entry e : entries) row_[e.row].step += e.value * change;
  }

  // Lists the weights that are not zero, each with its residual; returns the sum of the violations
  // of the model's optimality.
  double find_support(const Columns& columns) {
    support_.clear();
    double total = 0;
    for (Coordinate& c : active_) {
      const double slope = model_slope(columns[c.column], c);
      total += c.penalty.violation(slope, c.next);
      if (c.next == 0) continue;
      c.residual = -slope - c.penalty.l2 * c.next - std::copysign(c.penalty.l1, c.next);
      support_.push_back(&c);
    }
    return total;
  }

  // Leaves in `move` about the way to the minimum of the quadratic; preconditioned by its diagonal.
  void conjugate_gradients(const Columns& columns, int iterations, StopCheck& stop) {
    hessian_.assign(
        support_.size(), [&](std::size_t k) { return columns[support_[k]->column]; }, row_.size(),
        [&](std::size_t i) { return row_[i].bend; });
    direction_.resize(support_.size());
    product_.resize(support_.size());
    double rho = 0;
    for (std::size_t k = 0; k < support_.size(); ++k) {
      Coordinate& c = *support_[k];
      direction_[k] = c.residual / diagonal(c);
      c.move = 0;
      rho += c.residual * direction_[k];
    }
    const double first = rho;
    for (int iteration = 0; iteration < iterations && !stop(); ++iteration) {
      if (rho <= kConjugateTolerance * first) break;
      double curvature = hessian_.multiply(direction_, product_);
      for (std::size_t k = 0; k < support_.size(); ++k) {
        const double damped = ridge(*support_[k]) * direction_[k];
        curvature += damped * direction_[k];
        product_[k] += damped;
      }
      if (!(curvature > 0)) break;
      const double t = rho / curvature;
      double next_rho = 0;
      for (std::size_t k = 0; k < support_.size(); ++k) {
        Coordinate& c = *support_[k];
        c.move += t * direction_[k];
        c.residual -= t * product_[k];
        next_rho += c.residual * c.residual / diagonal(c);
      }
      for (std::size_t k = 0; k < support_.size(); ++k)
        direction_[k] =
            support_[k]->residual / diagonal(*support_[k]) + next_rho / rho * direction_[k];
      rho = next_rho;
    }
  }

  // To next + t move, with t halved until the model gains; a weight stops where it would change
  // sign.
  void follow_move(const Columns& columns) {
    std::fill(along_.begin(), along_.end(), 0.0);
    for (const Coordinate* c : support_)
      for (const Entry e : columns[c->column]) along_[e.row] += e.value * c->move;
    const double before = model_value();
    for (Coordinate* c : support_) c->start = c->next;
    for (std::size_t i = 0; i < row_.size(); ++i) start_[i] = row_[i].step;
    for (double t = 1; t > 1e-3; t /= 2) {
      for (std::size_t i = 0; i < row_.size(); ++i) row_[i].step = start_[i] + t * along_[i];
      for (Coordinate* c : support_) {
        c->next = c->start + t * c->move;
        if (c->start * c->next < 0 && c->penalty.l1 > 0) move(columns[c->column], *c, 0);
      }
      if (model_value() < before) return;
    }
    for (Coordinate* c : support_) c->next = c->start;
    for (std::size_t i = 0; i < row_.size(); ++i) row_[i].step = start_[i];
  }

  // Columns that repeat each other leave the quadratic flat: a little damping bounds the move.
  static double ridge(const Coordinate& c) { return c.penalty.l2 + kDamping * c.bend; }
  static double diagonal(const Coordinate& c) { return c.bend + ridge(c); }

  double model_value() const {
    double value = 0;
    for (const Coordinate* c : support_) value += c->slope * (c->next - c->w) + c->penalty(c->next);
    for (const RowState& row : row_) value += 0.5 * row.bend * row.step * row.step;
    return value;
  }

  // Halves the step until P falls by a fraction of what the model's linear part promises.
  template <class Weight>
  bool line_search(Weight weight) {
    double promise = 0;
    for (const Coordinate& c : active_)
      promise += c.slope * (c.next - c.w) + c.penalty(c.next) - c.penalty(c.w);
    if (!(promise < kRounding * loss_)) return false;
    for (double t = 1; t > 1e-9; t /= 2) {
      const double loss = evaluate(t);
      double change = loss - loss_;
      for (const Coordinate& c : active_) change += c.penalty(c.at(t)) - c.penalty(c.w);
      if (change > 0.01 * t * promise + kRounding * loss_) continue;
      for (const Coordinate& c : active_) weight(c.column) = c.at(t);
      for (std::size_t i = 0; i < row_.size(); ++i) margin_[i] += t * row_[i].step;
      loss_ = loss;
      return true;
    }
    evaluate(0);
    return false;
  }

  // The loss at margins m + t step; leaves the pulls and bends there.
  double evaluate(double t) {
    double total = 0;
    for (std::size_t i = 0; i < row_.size(); ++i) {
      const MarginPoint point = Loss::at(margin_[i] + t * row_[i].step);
      total += cost_[i] * point.value;
      pull_[i] = cost_[i] * point.pull;
      row_[i].bend = cost_[i] * point.curvature;
    }
    return total;
  }

  std::vector<double> cost_, margin_, pull_;
  std::vector<RowState> row_;
  std::vector<Coordinate> active_;
  std::vector<Coordinate*> support_;
  SupportRows hessian_;
  std::vector<double> direction_, product_;  // support
  std::vector<double> along_, start_;        // rows
  double loss_ = 0;
};

}  // namespace linnet
