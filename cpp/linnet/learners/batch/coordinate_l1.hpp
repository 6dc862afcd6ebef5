// Coordinate descent for sparse linear classifiers:
//   min P(w) = sum_j l1_j |w_j| + l2_j / 2 w_j^2 + sum_i c_i l(m_i),   m_i = y_i w·x_i,
// with l logistic, squared hinge or squared. At the optimum few weights differ from zero, so the
// work is done on a small working set that grows where the optimality conditions are violated most
// (Johnson and Guestrin 2015, "Blitz"; Massias et al. 2018, "Celer"). Between working sets one look
// at all features gives a dual point, and with it the duality gap that says when to stop.
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/types.hpp"
#include "linnet/features/columns.hpp"
#include "linnet/features/rows.hpp"
#include "linnet/learners/batch/proximal_newton.hpp"
#include "linnet/losses/smooth_margin.hpp"

namespace linnet {

struct CoordinateL1Settings {
  double l1 = 1;
  double l2 = 0;
  double tol = 1e-4;  // converged when gap <= tol |P|
  bool penalize_intercept = true;
};

template <class Loss>
class CoordinateL1 {
 public:
  // label[i] is 1 or 0 (y = 1 or -1); cost[i] = c_i >= 0. The rows outlive the learner.
  CoordinateL1(const Rows& rows, std::span<const Id> label, std::span<const double> cost,
               const CoordinateL1Settings& settings)
      : rows_(rows),
        settings_(settings),
        newton_(cost),
        weights_(static_cast<std::size_t>(rows.features()) + 1, 0.0) {
    if (!(settings.l1 > 0)) throw std::invalid_argument("l1 must be positive");
    if (!(settings.l2 >= 0)) throw std::invalid_argument("l2 must not be negative");
    if (Index(label.size()) != rows.size() || Index(cost.size()) != rows.size())
      throw std::invalid_argument("rows, labels and costs differ in length");
    if (rows.size() > std::numeric_limits<Id>::max())
      throw std::invalid_argument("more than 2^31 rows");
    for (const double c : cost)
      if (!(c >= 0 && c < kInf))
        throw std::invalid_argument("costs must be finite and not negative");
    for (const Id y : label) sign_.push_back(y > 0 ? 1.f : -1.f);
    measure_reach();
    choose_columns(Loss::strongest_pull);
    certify();
  }

  // Starts from other weights than zero, for instance the solution of a stronger penalty: the first
  // working set is then its non-zeros and what they leave unsatisfied.
  void start_at(std::span<const double> initial) {
    if (initial.size() != weights_.size())
      throw std::invalid_argument("there must be one initial weight per feature and one before");
    std::vector<double> margin(sign_.size(), 0.0);
    std::fill(weights_.begin(), weights_.end(), 0.0);
    for (Id j = 0; j < columns_.size(); ++j) {
      const double w = initial[std::size_t(columns_.weight_row(j))];
      if (w == 0) continue;
      weight(j) = w;
      for (const Entry e : columns_[j]) margin[std::size_t(e.row)] += e.value * w;
    }
    newton_.start_at(margin);
    certify();
  }

  // Solves one working set to a third of its violations; a single Newton step is enough while not
  // all violations found room in it, for the next set will be another. `updates` counts the steps:
  // none and not converged means that rounding allows no more.
  EpochStats epoch() {
    EpochStats stats;
    StopCheck stop;
    if (!converged()) {
      const std::span<const Id> set = working_set();
      stats.updates = newton_.descend(
          columns_, set, [this](Id column) -> double& { return weight(column); },
          [this](Id column) { return penalty(column); }, kSubproblemTolerance,
          crowded_ ? 1 : kMaxSteps, stop);
      certify();
    }
    stats.objective = objective_;
    stats.dual = dual_;
    stats.gap = objective_ - dual_;
    stats.converged = converged();
    stats.interrupted = stop();
    return stats;
  }

  void state(Archive& a) {
    double strongest = strongest_pull_;
    a(newton_, weights_, strongest);
    if (a.reading() && strongest != strongest_pull_) choose_columns(strongest);
    gradient_.resize(std::size_t(columns_.size()));
    a(gradient_, crowded_, objective_, dual_, violation_);
  }

  std::span<double> weights() { return weights_; }  // features + 1, the intercept first
  Index nonzeros() const {
    return Index(weights_.size()) - std::count(weights_.begin(), weights_.end(), 0.0);
  }

 private:
  static constexpr double kSubproblemTolerance = 0.3;  // of the violations in a working set
  static constexpr Index kMaxSteps = 50;
  static constexpr std::size_t kFirstSet = 500;
  static constexpr Id kAhead = 12;  // far enough to hide a trip to memory

  // For any pulls a, |sum_i c_i a_i z_ij| <= bound() max_i |a_i|.
  struct Reach {
    float side[2] = {0, 0};  // sums of c |z| over the entries above and below zero
    Id count = 0;
    double bound() const {
      const double sum = Loss::pulls_forward_only ? std::max(side[0], side[1]) : side[0] + side[1];
      return sum * (1 + 0x1.0p-22 * (count + 4.0));  // sums of floats err by less than that
    }
  };

  double& weight(Id column) { return weights_[std::size_t(columns_.weight_row(column))]; }
  Penalty penalty(Id column) const {
    const bool free = !settings_.penalize_intercept && columns_.weight_row(column) == 0;
    return free ? Penalty{0, 0} : Penalty{settings_.l1, settings_.l2};
  }
  bool converged() const {
    return objective_ - dual_ <= settings_.tol * std::max(std::abs(objective_), 1e-300);
  }

  void measure_reach() {
    reach_.resize(std::size_t(rows_.features()));
    RowBuffer buffer;
    for (Index i = 0; i < rows_.size(); ++i) {
      const Row row = rows_.row(i, buffer);
      const float c = float(newton_.cost()[std::size_t(i)]) * sign_[std::size_t(i)];
      for (Id k = 0; k < row.size; ++k) {
        if (k + kAhead < row.size) LINNET_PREFETCH(&reach_[std::size_t(row.index[k + kAhead])]);
        Reach& reach = reach_[std::size_t(row.index[k])];
        const float z = c * row.value[k];
        reach.side[z < 0] += std::abs(z);
        reach.count += row.value[k] != 0;
      }
    }
  }

  // A feature whose gradient stays within l1 as long as no pull exceeds `strongest` keeps its zero
  // weight and needs no column. On text those are most features.
  void choose_columns(double strongest) {
    strongest_pull_ = strongest;
    std::vector<Id> count(reach_.size());
    for (std::size_t f = 0; f < reach_.size(); ++f)
      count[f] = reach_[f].bound() * strongest > settings_.l1 ? reach_[f].count : 0;
    columns_ = Columns(rows_, sign_, count);
  }

  // All non-zero weights, and the worst violations: twice as many columns as there are non-zeros.
  std::span<const Id> working_set() {
    set_.clear();
    candidates_.clear();
    for (Id j = 0; j < columns_.size(); ++j) {
      if (weight(j) != 0 || penalty(j).l1 == 0)
        set_.push_back(j);
      else if (const double v = std::abs(gradient_[std::size_t(j)]) - settings_.l1; v > 0)
        candidates_.push_back({-v, j});
    }
    const std::size_t room = std::min(candidates_.size(), std::max(kFirstSet, set_.size()));
    crowded_ = room < candidates_.size();
    std::nth_element(candidates_.begin(), candidates_.begin() + Index(room), candidates_.end());
    for (std::size_t k = 0; k < room; ++k) set_.push_back(candidates_[k].second);
    std::sort(set_.begin(), set_.end());
    return set_;
  }

  // Gradient of the loss, violations, P and the dual value at the present weights.
  void certify() {
    std::span<const double> pull = dual_point();
    gradient_.resize(std::size_t(columns_.size()));
    violation_ = 0;
    objective_ = newton_.loss();
    double worst = 1;  // max_j |gradient_j| / l1_j
    for (Id j = 0; j < columns_.size(); ++j) {
      const double slope =
          -sum(columns_[j], [=](Entry e) { return e.value * pull[std::size_t(e.row)]; });
      gradient_[std::size_t(j)] = slope;
      const Penalty p = penalty(j);
      violation_ += p.violation(slope, weight(j));
      objective_ += p(weight(j));
      if (p.l1 > 0) worst = std::max(worst, std::abs(slope) / p.l1);
    }
    dual_ = std::max(dual_, dual_value(pull, 1 / worst));
    if (settings_.l2 > 0) dual_ = std::max(dual_, dual_value(pull, 1));
  }

  // c_i a_i for every row, such that a free intercept feels no force; columns reach far enough.
  std::span<const double> dual_point() {
    point_.assign(newton_.pull().begin(), newton_.pull().end());
    if (!settings_.penalize_intercept && rows_.bias() != 0) balance();
    if (Loss::pull_is_bounded) return point_;
    double strongest = 0;
    for (std::size_t i = 0; i < point_.size(); ++i)
      if (const double c = newton_.cost()[i]; c > 0)
        strongest = std::max(strongest, std::abs(point_[i]) / c);
    if (strongest > strongest_pull_) choose_columns(1.5 * strongest);
    return point_;
  }

  // Makes sum_i y_i c_i a_i = 0: weakens the stronger class, or where pulls may be negative,
  // shifts.
  void balance() {
    double positive = 0, negative = 0, cost = 0;
    for (std::size_t i = 0; i < point_.size(); ++i) {
      (sign_[i] > 0 ? positive : negative) += point_[i];
      cost += newton_.cost()[i];
    }
    const double weaker = std::min(positive, negative);
    for (std::size_t i = 0; i < point_.size(); ++i) {
      if (!Loss::pulls_forward_only)
        point_[i] -= sign_[i] * newton_.cost()[i] * (positive - negative) / cost;
      else if (weaker > 0)
        point_[i] *= weaker / (sign_[i] > 0 ? positive : negative);
      else
        point_[i] = 0;
    }
  }

  // D(s a) = sum_i c_i dual(s a_i) - sum_j max(0, s |gradient_j| - l1)^2 / (2 l2)
  double dual_value(std::span<const double> point, double s) const {
    double value = 0;
    for (std::size_t i = 0; i < point.size(); ++i)
      if (const double c = newton_.cost()[i]; c > 0) value += c * Loss::dual(s * point[i] / c);
    for (Id j = 0; j < columns_.size() && settings_.l2 > 0; ++j) {
      const double excess = s * std::abs(gradient_[std::size_t(j)]) - settings_.l1;
      if (excess > 0 && penalty(j).l1 > 0) value -= excess * excess / (2 * settings_.l2);
    }
    return value;
  }

  const Rows& rows_;
  CoordinateL1Settings settings_;
  std::vector<float> sign_;  // y
  ProximalNewton<Loss> newton_;
  std::vector<double> weights_;
  std::vector<Reach> reach_;  // features
  Columns columns_;
  double strongest_pull_ = 0;
  std::vector<double> point_;     // rows
  std::vector<double> gradient_;  // columns; of the loss, at the dual point
  std::vector<Id> set_;
  std::vector<std::pair<double, Id>> candidates_;
  bool crowded_ = false;  // more violations than the working set has room for
  double objective_ = kInf, dual_ = -kInf, violation_ = kInf;
};

}  // namespace linnet
