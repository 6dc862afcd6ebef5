// Dual block coordinate descent for joint multiclass problems,
//   P(W) = ½‖W‖² + Σ_i c_i ℓ(W x_i, y_i),
//   D(α) = −½‖W(α)‖² − Σ_i c_i ℓ*(…),  W(α)_k = Σ_i c_i ([k = y_i] − α_ik) x_i,
// with one point α_i of the simplex of K labels per instance. A visit scores all labels of the
// instance, replaces α_i by the best point given all the others, and moves W. The loss is a
// `Block`: CrammerSingerBlock or MaxEntBlock, in float or in double.
//
// The duality gap splits into the gaps of the blocks, c_i (ℓ(s_i) + ℓ*(…) + …) ≥ 0 by Fenchel and
// Young, where s are scores by the weights as they are, and ½‖W − W(α)‖² for what rounding made of
// them. So a visit knows how far its own block is from the optimum: blocks that hardly count are
// left alone for 1, then 3 passes (shrinking), and the sum of the gaps last seen says when the
// exact gap, over all instances, is worth its pass. Rounding is bounded beforehand: where it might
// count, or where it keeps the gap from falling, the solver wants to go on in double.
#pragma once
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

#include "linnet/base/pass.hpp"
#include "linnet/learners/dual/best_multiple.hpp"
#include "linnet/learners/dual/feasible_point.hpp"
#include "linnet/learners/dual/float_drift.hpp"
#include "linnet/learners/dual/visit_order.hpp"

namespace linnet {

template <class Block>
class DualMulticlass {
 public:
  using Real = typename Block::Real;
  static constexpr bool kFine = sizeof(Real) == 8;

  // See JointPoint; hard margins are for blocks that have margins, in double.
  DualMulticlass(const Rows& rows, std::span<const Id> labels, std::span<const double> costs,
                 Id width, bool free, double tolerance, std::uint64_t seed)
      : point_(rows, labels, costs, width, Block::kHard && kFine, free),
        tolerance_(tolerance),
        rng_(seed),
        block_(width) {
    make_room();
  }
  // Goes on where another solver is.
  template <class Other>
  explicit DualMulticlass(const DualMulticlass<Other>& other)
      : point_(other.point_),
        tolerance_(other.tolerance_),
        rng_(other.rng_),
        block_(point_.width()),
        pass_(other.pass_),
        objective_(other.objective_),
        gap_sum_(other.gap_sum_) {
    make_room();
  }

  EpochStats epoch() {
    scale_ = 1;
    if (!visits_.goes_on()) arrange();
    const double mean_gap = gap_sum_ / static_cast<double>(size());
    EpochStats stats = visits_.over(order_.size(), [&](std::size_t t, EpochStats& so_far) {
      if (t + 4 < order_.size()) LINNET_PREFETCH(&slot(order_[t + 4]));
      if (t + 2 < order_.size()) point_.expect(order_[t + 2]);
      if (t + 1 < order_.size()) point_.expect_weights(order_[t + 1]);
      visit(order_[t], mean_gap, pass_ == 0 ? ahead_after(t) : 1, so_far);
    });
    if (stats.paused) return stats;
    ++pass_;
    mean_gain_ = gain_sum_ / static_cast<double>(size());
    gain_sum_ = 0;
    updates_ += static_cast<double>(stats.updates);
    gap_sum_ = total(&JointSlot::gap);
    watch_progress();
    if (stats.interrupted) return stats;
    point_.follow();
    if (kFine && pass_ % (point_.hard() ? 4 : kPatience) == 0) {
      add_certificate(stats);
    } else if (!point_.hard() && worth_certifying()) {
      objective_ = point_.half_squared_norm() + total(&JointSlot::loss);
      if (worth_certifying()) add_certificate(stats);
    }
    return stats;
  }

  // The exact objective and gap of the weights as they are, in float64 and over all instances.
  EpochStats certify() {
    EpochStats stats;
    add_certificate(stats);
    return stats;
  }

  void state(Archive& a) {
    a(point_, rng_, drift_, pass_, updates_, work_, mean_gain_, gain_sum_, objective_, gap_sum_);
    a(gap_before_, stalled_, scale_, visits_);
    if (visits_.goes_on()) a.places(order_, static_cast<std::size_t>(size()));
  }
  Pass& pass() { return visits_; }

  JointPoint<Real>& point() { return point_; }
  const JointPoint<Real>& point() const { return point_; }
  // Goes on from another point (JointPoint::put).
  void restart(std::span<const Real> alpha, std::span<const double> intercept = {}) {
    scale_ = 1;
    drift_.lose_track();
    point_.put(alpha, intercept);
    for (JointSlot& slot : point_.slots()) slot.due = pass_, slot.wait = 0;
  }
  // By which the weights are to be multiplied, as the last certificate found.
  double scale() const { return scale_; }
  // How many times as large as it may be is the gap, as far as the visits have seen?
  double excess() const { return gap_sum_ / (tolerance_ * objective_); }
  // About how many multiplications the visits took so far.
  double work() const { return work_; }
  // Has rounding become what keeps the gap from falling, or what it cannot vouch for?
  bool wants_precision() const { return stalled_ || rounding() > 0.1 * tolerance_ * objective_; }

 private:
  template <class Other>
  friend class DualMulticlass;
  static constexpr double kSkip = 0.2;  // of the mean gap: not worth moving the weights
  static constexpr int kLongestWait = 3;
  static constexpr int kPatience = 20;  // passes by which the gap should have fallen
  static constexpr double kTiny = 1e-300;

  Index size() const { return point_.rows().size(); }
  JointSlot& slot(Index i) { return point_.slots()[i]; }
  double total(double JointSlot::* part) const {
    double sum = 0;
    for (const JointSlot& slot : point_.slots()) sum += slot.*part;
    return sum;
  }
  void make_room() {
    scores_.assign(static_cast<std::size_t>(point_.lanes()), Real(0));
    next_.assign(scores_.size(), Real(0));
    raw_.assign(scores_.size(), Real(0));
    for (const JointSlot& slot : point_.slots())
      longest_ = std::max(longest_, static_cast<double>(slot.size));
    moved_.assign(scores_.size(), 0);
  }

  // Those whose turn it is.
  void arrange() {
    order_.clear();
    for (Index i = 0; i < size(); ++i)
      if (slot(i).cost > 0 && slot(i).due <= pass_) order_.push_back(i);
    shuffle_groups(order_, group_size(order_.size()), rng_);
  }

  // Early instances of the first pass meet weights that know little of the data, and would take too
  // much upon themselves: after t of n instances W is taken to be on its way to √(n/t) W.
  double ahead_after(std::size_t t) const {
    return std::sqrt(static_cast<double>(order_.size()) / static_cast<double>(t + 1));
  }

  void visit(Index i, double mean_gap, double ahead, EpochStats& stats) {
    Real* a = point_.alpha(i);
    JointSlot& slot = this->slot(i);
    const Index lanes = point_.lanes();
    point_.score(i, scores_.data());
    if (!kFine) std::copy_n(scores_.data(), point_.width(), raw_.data());
    if (ahead != 1)
      for (Id k = 0; k < point_.width(); ++k) scores_[k] *= static_cast<Real>(ahead);
    const BlockState<Real> seen = block_.look(scores_.data(), a, slot.gold, lanes);
    stats.mistakes += seen.mistaken;
    work_ += static_cast<double>((slot.size + 1) * lanes);
    slot.loss = slot.cost * static_cast<double>(seen.loss);
    slot.gap = slot.cost * static_cast<double>(seen.gap);
    double promise = slot.gap, mean = mean_gap;
    if constexpr (kFine) {
      promise = most_gain(slot, a);
      gain_sum_ += promise;
      mean = mean_gain_;
    }
    if (promise <= mean) {
      slot.wait = static_cast<std::int8_t>(std::min(kLongestWait, 2 * slot.wait + 1));
      slot.due = pass_ + 1 + slot.wait;
      if (promise <= kSkip * mean) return;
    } else {
      slot.wait = 0;
    }
    if (slot.hard)
      block_.best_hard(scores_.data(), a, slot.norm * ahead, slot.gold, lanes, next_.data());
    else
      block_.best(scores_.data(), a, slot.cost * slot.norm * ahead, lanes, next_.data());
    Real* delta = scores_.data();  // from here on c δ
    Id count = moves(static_cast<Real>(slot.cost), next_.data(), a, lanes, delta, moved_.data());
    if (count == 0) return;
    ++stats.updates;
    if constexpr (kFine)
      count = balance(slot.gold, delta, count);
    else
      drift_.step(-dot(raw_.data(), delta, lanes), dot(delta, delta, lanes) * slot.norm);
    point_.move(i, delta, moved_.data(), count);
  }

  // What the right label loses is what the others gain: its own mass may be close to one, where
  // changes have few digits. Its group of labels is among those that moved from here on.
  Id balance(Id gold, Real* delta, Id count) {
    delta[gold] = 0;
    delta[gold] = -std::accumulate(delta, delta + point_.width(), Real(0));
    const Id group = gold / 8 * 8;
    const auto end = moved_.begin() + count;
    if (std::find(moved_.begin(), end, group) == end)
      moved_[static_cast<std::size_t>(count++)] = group;
    return count;
  }

  // What a visit can gain at most: by a move from the worst label with mass to the best one, and
  // not more than the gap. Where prices are high the gap tells only which margins are too narrow,
  // not which are too wide.
  double most_gain(const JointSlot& slot, const Real* a) const {
    Real worst = 0;
    for (Id k = 0; k < point_.width(); ++k)
      if (a[k] > 0 || (slot.hard && k == slot.gold)) worst = std::min(worst, scores_[k]);
    const double gain = static_cast<double>(worst * worst) / (4 * slot.norm);
    return slot.hard ? gain : std::min(gain, slot.gap);
  }
  void watch_progress() {
    if (pass_ % kPatience != 0) return;
    stalled_ |= pass_ > kPatience && gap_sum_ > 0.8 * gap_before_;
    gap_before_ = gap_sum_;
  }
  // About how large ½‖W − W(α)‖² can be: every update rounds weights of which the squares sum to
  // at most Σ_i 2 c_i² ‖x_i‖² where rows are not all alike.
  double rounding() const {
    constexpr double half = 0.5 * std::numeric_limits<Real>::epsilon();
    double size = 0;
    for (const JointSlot& slot : point_.slots()) size += slot.cost * slot.cost * slot.norm;
    return half * half * updates_ * size;
  }

  // The gaps last seen are a little too small by now: the weights have moved since.
  bool worth_certifying() const { return gap_sum_ <= 0.95 * tolerance_ * objective_; }

  // How far the weights that are handed out can be from W(α′). (Those of features that one instance
  // has for itself are products that were rounded.)
  double drift_bound(const FeasiblePoint<Real>& feasible, double penalty) const {
    if (kFine) return kInf;
    const double n = longest_ + static_cast<double>(point_.lanes());
    return drift_.bound(n) + feasible.moved() + 0x1p-20 * std::sqrt(2 * penalty);
  }

  // P in double of the weights as they are handed out, and D of a point that is feasible, with the
  // weights that belong to it. (In double the weights become those of the point beforehand, so that
  // no drift is between them.)
  void add_certificate(EpochStats& stats) {
    StopCheck stop;
    if (kFine) point_.find_weights();
    point_.weights();
    const FeasiblePoint<Real> feasible(point_);
    Buffer<double> scores(scores_.size()), mass(scores_.size());
    RowBuffer buffer;
    JointMargins margins(point_.width());
    double gap = 0, losses = 0, dual = 0;
    for (Index i = 0; i < size(); ++i) {
      JointSlot& slot = this->slot(i);
      if (slot.cost == 0) continue;
      if (stop()) {
        stats.interrupted = true;
        return;
      }
      if (i + 1 < size()) point_.expect_weights(i + 1);
      point_.score_exactly(i, buffer, scores.data());
      const double left = feasible.masses(i, mass.data());
      if constexpr (Block::kHard) margins.see(slot.cost, slot.hard, slot.gold, scores.data());
      const BlockCertificate block =
          block_.certify(scores.data(), mass.data(), left, slot.gold, point_.lanes());
      slot.loss = slot.cost * block.loss;
      slot.gap = slot.cost * std::max(0., block.gap);
      losses += slot.loss;
      gap += slot.gap;
      dual += slot.cost * block.value;
    }
    gap_sum_ = gap;
    const double penalty = point_.half_squared_norm_exactly();
    objective_ = penalty + losses;
    stats.objective = objective_;
    const double off = drift_bound(feasible, penalty), certain = gap + 0.5 * off * off;
    stats.dual = certain <= tolerance_ * objective_ ? objective_ - certain
                                                    : dual - feasible.half_squared_norm();
    scale_ = 1;
    if constexpr (Block::kHard)
      if (point_.hard() || stats.objective - stats.dual > tolerance_ * stats.objective)
        std::tie(scale_, stats.objective) = margins.best_multiple(penalty);
    stats.gap = stats.objective - stats.dual;
    stats.converged =
        stats.objective < kInf && stats.gap <= tolerance_ * std::max(stats.objective, kTiny);
    // Where the blocks are near enough, only what rounding made of the weights is in the way.
    stalled_ |= !stats.converged && !point_.free() && gap <= tolerance_ * objective_;
    const double mean_gap = gap / static_cast<double>(size());
    for (JointSlot& slot : point_.slots())
      if (!kFine && slot.gap > mean_gap) slot.due = pass_, slot.wait = 0;
  }

  JointPoint<Real> point_;
  double tolerance_;
  Rng rng_;
  Block block_;
  Buffer<Real> scores_, next_, raw_;  // [lanes]; scores as they were
  FloatDrift drift_;                  // in float
  double longest_ = 0;                // row
  std::vector<Id> moved_;
  Pass visits_;
  std::vector<Index> order_;  // of the pass
  int pass_ = 0;
  double updates_ = 0, work_ = 0;
  double mean_gain_ = 0, gain_sum_ = 0;
  double objective_ = kInf;                 // the last estimate or value of P
  double gap_sum_ = 0, gap_before_ = kInf;  // Σ gaps, now and some passes ago
  bool stalled_ = false;
  double scale_ = 1;  // of the weights, when they are handed out
};

}  // namespace linnet
