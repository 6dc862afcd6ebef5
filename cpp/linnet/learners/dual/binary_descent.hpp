// Dual coordinate descent for binary problems (Hsieh et al. 2008; Yu, Huang and Lin 2011).
//
//   minimise over w    P(w) = ½‖w‖² + Σ cᵢ ℓ(mᵢ),  mᵢ = yᵢ w·xᵢ
//   maximise over a    D(a) = Σ dual(aᵢ, cᵢ) − ½‖w(a)‖²,  w(a) = Σ aᵢ yᵢ xᵢ
//
// One instance at a time, aᵢ is set to its best value and w follows. P(w) − D(a) bounds how far
// either is from the optimum; it is the stopping rule, always over all instances. It is the sum of
// what each instance lacks of Fenchel and Young's equality, and ½‖w − w(a)‖² for what rounding made
// of w. What a multiple of w is worth depends on the margins alone, so where c is large the best
// one is taken. Hard margins, cᵢ = ∞ for hinge losses, hold for that multiple.
//
// A free intercept b asks for r = Σ aᵢ yᵢ = 0 (free_intercepts.hpp).
#pragma once
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "linnet/base/pass.hpp"
#include "linnet/features/packed_rows.hpp"
#include "linnet/learners/dual/binary_certificate.hpp"
#include "linnet/learners/dual/binary_problem.hpp"
#include "linnet/learners/dual/float_drift.hpp"
#include "linnet/learners/dual/free_intercepts.hpp"
#include "linnet/learners/dual/visit_order.hpp"

namespace linnet {

class BinaryDescent {
  using Slot = BinarySlot;

  // What a pass has seen so far.
  struct Met {
    double moved = 0;               // Σ |changes of margins|
    double seen = 0, mean_gap = 0;  // Σ gaps in this part of it, their mean in the one before
    void state(Archive& a) { a(moved, seen, mean_gap); }
  };

  // Calls f with the loss as a type, and the weights.
  template <class F>
  EpochStats visit(F f) {
    return with_loss(settings_.loss, [&](auto loss) {
      return exact_ ? f(loss, exact_w_.data()) : f(loss, rough_w_.data());
    });
  }

 public:
  // See make_slots.
  BinaryDescent(const Rows& rows, std::span<const std::int32_t> positive, std::span<const double> c,
                std::span<const double> alpha, const DualSettings& settings)
      : settings_(settings),
        rows_(rows),
        rng_(settings.seed),
        bias_(rows.bias()),
        slots_(
            make_slots(static_cast<std::size_t>(rows.size()), positive, c, alpha, settings.loss)),
        instances_(c.size()),
        cold_(alpha.empty()),
        contraction_(settings.loss == DualLoss::hinge      ? 0.5
                     : settings.loss == DualLoss::logistic ? 0.15
                                                           : 0.25) {
    for (const Slot& slot : slots_) hard_ |= slot.c == kInf;
    exact_ = settings.tol < kRoughTol || hard_;
    const auto weights = static_cast<std::size_t>(rows.features()) + 1;
    exact_w_.assign(exact_ ? weights : 0, 0.0);
    rough_w_.assign(exact_ ? 0 : weights, 0.f);
    if (settings.free_intercept) bias_ = constant_feature();
    active_.resize(slots_.size());
    std::iota(active_.begin(), active_.end(), 0U);
    arrange();
    if (!cold_) find_weights();
  }

  EpochStats epoch() {
    if (stalled_ && !exact_ && !visits_.goes_on()) refine();
    return visit([this](auto loss, auto* w) { return run_epoch<decltype(loss)>(w); });
  }

  // The objectives and the gap of the weights as they stand, at the cost of about half a pass.
  EpochStats certify() {
    return visit([this](auto loss, auto* w) {
      EpochStats stats;
      measure<decltype(loss)>(w, stats);
      return stats;
    });
  }

  // Row 0 is the intercept, row f + 1 feature f; in hard-margin problems scaled to be feasible.
  std::vector<double> weights() const {
    std::vector<double> w(exact_w_.begin(), exact_w_.end());
    if (!exact_) w.assign(rough_w_.begin(), rough_w_.end());
    if (settings_.free_intercept) w[0] = (intercept() + shift_) / static_cast<double>(rows_.bias());
    for (double& v : w) v *= scale_;
    return w;
  }
  std::vector<double> alpha() const {
    std::vector<double> a(instances_, 0.0);
    for (const Slot& s : slots_) a[static_cast<std::size_t>(s.instance)] = s.alpha;
    return a;
  }
  std::vector<Index> support() const {
    std::vector<Index> found;
    for (const Slot& s : slots_)
      if (s.alpha > 0) found.push_back(s.instance);
    std::sort(found.begin(), found.end());
    return found;
  }
  std::size_t active() const { return active_.size(); }

  void state(Archive& a) {
    a(rng_, exact_);
    if (exact_ && a.reading()) exact_w_.resize(static_cast<std::size_t>(rows_.features()) + 1);
    if (exact_)
      a(exact_w_);
    else
      a(rough_w_);
    a.members(slots_, &Slot::alpha, &Slot::square, &Slot::margin, &Slot::active);
    a.places(order_, slots_.size());
    a.places(active_, slots_.size());
    a(loaded_, free_, scale_, shift_, updates_, size_, longest_, drift_, work_, excess_, estimate_);
    a(correction_, reference_, least_gap_, stalled_, passes_, evaluated_, visits_, met_);
    Archive::require(loaded_ >= slots_.size() || order_.size() == slots_.size(),
                     "the first pass lacks some instances");
  }
  Pass& visits() { return visits_; }

  // For those who solve the problem in another way: what it is made of, and the point reached.
  const std::vector<Slot>& slots() const { return slots_; }
  PackedRow row(const Slot& slot) const {
    PackedRow x = rows_[slot.instance];
    x.bias = bias_;
    return x;
  }
  const PackedRows& rows() const { return rows_; }
  // Puts these duals in place of those of the slots, a free intercept in place of the one reached,
  // and goes on from there, in double.
  void restart(std::span<const double> alpha, double intercept) {
    for (std::size_t s = 0; s < slots_.size(); ++s) slots_[s].alpha = alpha[s];
    exact_ = true;
    scale_ = 1, shift_ = 0;
    find_weights();
    if (settings_.free_intercept) free_.put(0, intercept, exact_w_.data(), bias_);
    for (Slot& s : slots_) s.active = true;
    active_.resize(slots_.size());
    std::iota(active_.begin(), active_.end(), 0U);
  }
  void restart(std::span<const double> alpha) { restart(alpha, intercept()); }
  // Margins by the weights as they are, into the slots.
  void find_margins() {
    visit([this](auto, auto* w) {
      for (Slot& slot : slots_) slot.margin = margin(slot, row(slot), w);
      return EpochStats{};
    });
  }
  // What the descent maximises; a free intercept has its part in the penalty.
  double dual_value() {
    double value = 0;
    visit([&](auto loss, auto* w) {
      value = dual<decltype(loss)>(w);
      if (settings_.free_intercept)
        value -= free_.centre(0) * static_cast<double>(w[0]) / static_cast<double>(bias_);
      return EpochStats{};
    });
    return value;
  }
  double intercept() const {
    return exact_ ? free_.value(0, exact_w_.data(), bias_) : free_.value(0, rough_w_.data(), bias_);
  }
  bool hard() const { return hard_; }
  bool exact() const { return exact_; }
  // How many times as large as it may be is the gap, as far as is known?
  double excess() const {
    return hard_ || evaluated_ > 0 ? excess_ : estimate_ / (settings_.tol * reference_);
  }
  // About how many multiplications the visits took so far.
  double work() const { return work_; }

 private:
  template <class Loss, class Weight>
  EpochStats run_epoch(Weight* w) {
    EpochStats stats = loaded_ < slots_.size() ? first_pass<Loss>(w) : pass<Loss>(w);
    if (stats.paused) return stats;
    ++passes_;
    if (stats.interrupted || stats.converged) return stats;
    if (settings_.free_intercept) free_.follow(w, bias_);
    const bool wanted = hard_ ? passes_ % 4 == 0 : passes_ - evaluated_ >= 20;
    if (wanted || (settings_.free_intercept && due())) measure<Loss>(w, stats);
    return stats;
  }
  float constant_feature() const {
    double sum = 0;
    for (const Slot& slot : slots_) {
      PackedRow x = rows_[slot.instance];
      x.bias = 0;
      sum += x.square<double>();
    }
    const auto n = static_cast<double>(slots_.size());
    return FreeIntercepts::constant_feature(sum / std::max(n, 1.0), n);
  }

  // The row of an instance when it is met for the first time.
  PackedRow load(Slot& slot) {
    const PackedRow x = row(slot);
    slot.square = exact_ ? x.square<double>() : x.square<float>();
    size_ += slot.c < kInf ? slot.c * slot.c * slot.square : 0;
    longest_ = std::max(longest_, x.size);
    return x;
  }
  template <class Weight>
  double margin(const Slot& slot, const PackedRow& x, const Weight* w) const {
    return static_cast<double>(slot.sign) * (x.dot(w) + free_.centre(0));
  }

  template <class Weight>
  void move(Slot& slot, const PackedRow& x, double margin_before, double alpha, Weight* w,
            EpochStats& stats) {
    const double step = alpha - slot.alpha;
    drift_.step(step * margin_before, step * step * slot.square);
    stats.mistakes += margin_before < 0 || (margin_before == 0 && slot.sign > 0);
    slot.margin = margin_before + slot.square * step;
    if (step == 0) return;
    x.add(step * slot.sign, w);
    slot.alpha = alpha;
    ++updates_;
    ++stats.updates;
  }

  void arrange() {
    order_ = active_;
    if (settings_.shuffle) shuffle_groups(order_, group_size(order_.size()), rng_);
  }

  // Early instances of the first pass meet a w that knows little of the data, and would take too
  // much upon themselves; so after t of n instances w is taken to be on its way to (n/t)ᵉ w. This
  // saves about one pass in three or four.
  template <class Loss, class Weight>
  EpochStats first_pass(Weight* w) {
    const std::size_t n = slots_.size();
    const auto visit = [&](std::size_t t, EpochStats& stats) {
      if (t + 1 < n) rows_.prefetch(slots_[order_[t + 1]].instance);
      Slot& slot = slots_[order_[t]];
      const PackedRow x = load(slot);
      loaded_ = t + 1;
      if (slot.square == 0 && slot.c == kInf) return;  // there is nothing to be done for it
      work_ += 2 * static_cast<double>(x.size + 1);
      const double m = margin(slot, x, w),
                   ratio = static_cast<double>(n) / static_cast<double>(t + 1);
      move(slot, x, m, Loss::first(m, slot.square, slot.c, ratio), w, stats);
    };
    const EpochStats stats = visits_.over(n, visit, {}, loaded_);
    if (loaded_ == n && !stats.interrupted && !hard_) reference_ = std::abs(dual<Loss>(w));
    return stats;
  }

  // The second pass keeps the order of the first, for the instances visited first know least of the
  // data. Part of a pass may do: the gaps as they were met in the last part of a pass are those of
  // the instances not met yet, and `contraction_` of it is left of the others after their visit.
  //
  // An instance whose gap is small beside the mean is not worth moving w for. Shrinking: one at a
  // bound, whose margin is farther from 1 than half of what margins on average moved since their
  // last visit, is left out until an evaluation finds that it matters.
  template <class Loss, class Weight>
  EpochStats pass(Weight* w) {
    scale_ = 1, shift_ = 0;
    const bool second = cold_ && passes_ == 1;
    if (!visits_.goes_on()) {
      if (!second) arrange();
      met_ = {};
    }
    const std::size_t n = order_.size(), part = std::max<std::size_t>((n + 15) / 16, 64);
    Met met = met_;
    const auto visit = [&](std::size_t t, EpochStats& stats) {
      if (t + 2 < n) LINNET_PREFETCH(&slots_[order_[t + 2]]);
      if (t + 1 < n) rows_.prefetch(slots_[order_[t + 1]].instance);
      Slot& slot = slots_[order_[t]];
      const PackedRow x = row(slot);
      if (slot.square == 0 && slot.c == kInf) return;
      work_ += static_cast<double>(x.size + 1);
      const double m = margin(slot, x, w);
      met.moved += std::abs(m - slot.margin);
      const double slack = t < 100 ? kInf : 0.5 * met.moved / static_cast<double>(t + 1);
      if (settings_.shrink && Loss::settled(slot.alpha, m, slot.c, slack)) {
        slot.active = false;
      } else {
        const double gap = Loss::gap(slot.alpha, m, slot.c);
        met.seen += gap;
        const bool stay = gap < kSkip * met.mean_gap;
        const double alpha = stay ? slot.alpha : Loss::step(slot.alpha, m, slot.square, slot.c);
        move(slot, x, m, alpha, w, stats);
      }
      const std::size_t since = t % part + 1;
      if (since < part && t + 1 < n) return;
      // (c = ∞ has no gap to speak of)
      met.mean_gap = hard_ ? 0 : met.seen / static_cast<double>(since);
      met.seen = 0;
      const double done = static_cast<double>(t + 1) / static_cast<double>(n);
      estimate_ =
          static_cast<double>(n) * met.mean_gap * (second ? 0.6 : 1 - (1 - contraction_) * done);
      if (!settings_.free_intercept && due()) measure<Loss>(w, stats, false);
    };
    const EpochStats stats = visits_.over(n, visit);
    met_ = met;
    if (!stats.converged && !stats.interrupted && !stats.paused)
      std::erase_if(active_, [this](std::uint32_t s) { return !slots_[s].active; });
    return stats;
  }

  // Is it time to pay for an evaluation? The last one told how far such estimates can be trusted.
  bool due() const { return !hard_ && estimate_ * correction_ <= settings_.tol * reference_; }

  template <class Loss, class Weight>
  double dual(const Weight* w) const {
    double sum = 0;
    for (const Slot& s : slots_)
      if (s.alpha > 0) sum += Loss::dual(s.alpha, s.c);
    return sum - 0.5 * square(w);
  }
  template <class Weight>
  double square(const Weight* w) const {
    double sum[4] = {0, 0, 0, 0};
    for (Index k = 0; k <= rows_.features(); ++k)
      sum[k % 4] += static_cast<double>(w[k]) * static_cast<double>(w[k]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }

  // P(w), D(a) and the gap over all instances; takes back the instances that shrinking left out
  // wrongly. The rows are read in the order they lie in memory. To look for a better multiple of w,
  // too, is `thorough`, and takes longer than the rest. Else there is nothing to tell of a gap that
  // is not small enough.
  template <class Loss, class Weight>
  void measure(Weight* w, EpochStats& stats, bool thorough = true) {
    for (; loaded_ < slots_.size(); ++loaded_) load(slots_[order_[loaded_]]);
    if (exact_) find_weights();  // the drift of w is what would count
    active_.clear();
    for (std::uint32_t s = 0; s < slots_.size(); ++s) {
      Slot& slot = slots_[s];
      slot.margin = static_cast<double>(slot.sign) * (row(slot).exact_dot(w) + free_.centre(0));
      slot.active |= !Loss::settled(slot.alpha, slot.margin, slot.c, 0);
      if (slot.active) active_.push_back(s);
    }
    const bool free = settings_.free_intercept;
    const auto w0 = static_cast<double>(w[0]);
    const double penalty = 0.5 * (square(w) - (free ? w0 * w0 : 0));
    BinaryCertificate<Loss> primal(slots_, penalty);
    const auto small = [&](double gap) {
      return primal.objective < kInf &&
             gap <= settings_.tol * std::max(std::abs(primal.objective), 1e-300);
    };
    double gap = hard_ || free ? kInf : primal.lacking() + rounding();
    const bool promising = small(gap);
    if (thorough || hard_ || free || promising) {
      const double dual = certain_dual<Loss>(w, primal);
      const bool margins = settings_.loss != DualLoss::logistic;
      if (hard_ || (thorough && margins && (exact_ || free) && !small(primal.objective - dual)))
        primal.improve(free);
      scale_ = primal.scale;
      shift_ = primal.shift;
      stats.objective = primal.objective;
      stats.dual = dual;
      stats.gap = gap = stats.objective - stats.dual;
      stats.converged = small(gap);
      stalled_ |= promising && !stats.converged;  // only what rounding made of w is in the way
    }
    note(gap, std::abs(primal.objective));
  }
  // D, or less.
  template <class Loss, class Weight>
  double certain_dual(const Weight* w, const BinaryCertificate<Loss>& primal) const {
    if (!settings_.free_intercept) {
      if (exact_) return dual<Loss>(w);  // w is w(a)
      const double off = drift_.bound(static_cast<double>(longest_));
      const double gap = primal.lacking() + 0.5 * off * off;
      if (gap <= settings_.tol * primal.objective) return primal.objective - gap;
    }
    return BinaryDual<Loss>(slots_, rows_.features(), settings_.free_intercept,
                            [this](const Slot& s) { return row(s); })
        .value;
  }
  // What an evaluation tells about the next ones, and about float.
  void note(double gap, double objective) {
    reference_ = objective;
    excess_ = gap / (settings_.tol * reference_);
    stalled_ |= passes_ > kPatience && gap > 0.75 * least_gap_;
    stalled_ |= rounding() > 0.1 * settings_.tol * reference_;
    least_gap_ = std::min(least_gap_, gap);
    if (estimate_ > 0) correction_ = std::clamp(1.1 * gap / estimate_, 0.1, 3.0);
    evaluated_ = passes_;
  }
  // About how large ½‖w − w(a)‖² can be: every update rounds weights whose squares sum to about
  // Σ c² ‖x‖² at most.
  double rounding() const {
    const double half = exact_ ? 0x1p-53 : 0x1p-24;
    return half * half * updates_ * size_;
  }
  // w(a)
  void find_weights() {
    if (exact_) exact_w_.assign(static_cast<std::size_t>(rows_.features()) + 1, 0.0);
    visit([this](auto, auto* w) {
      drift_.lose_track();
      for (loaded_ = 0, size_ = 0; loaded_ < slots_.size(); ++loaded_) {
        const PackedRow x = load(slots_[loaded_]);
        if (slots_[loaded_].alpha > 0) x.add(slots_[loaded_].alpha * slots_[loaded_].sign, w);
      }
      return EpochStats{};
    });
  }
  // Large c magnify what rounding loses of w, until the gap no longer falls: go on in double, from
  // w(a) itself.
  void refine() {
    exact_ = true;
    find_weights();
  }

  // Down to this tolerance weights are float32, half the memory traffic. What rounding loses of
  // w(a) = Σ aᵢ yᵢ xᵢ is small beside it; where a large c magnifies it, refine() goes on in double.
  static constexpr double kRoughTol = 1e-4;
  static constexpr double kSkip = 0.2;  // of the mean gap: not worth moving w
  static constexpr int kPatience = 20;  // passes before a gap that does not fall is looked at

  DualSettings settings_;
  PackedRows rows_;
  Rng rng_;
  float bias_;  // the value of the constant feature
  bool exact_ = false;
  Buffer<float> rough_w_;  // one of the two is in use
  Buffer<double> exact_w_;
  std::vector<Slot> slots_;
  std::size_t loaded_ = 0;             // slots met so far
  std::vector<std::uint32_t> order_;   // of the pass
  std::vector<std::uint32_t> active_;  // slots, in the order of the last pass
  Pass visits_;
  Met met_;
  std::size_t instances_;
  bool cold_, hard_ = false;
  FreeIntercepts free_{1};
  double scale_ = 1, shift_ = 0;   // of w and of a free intercept, when they are handed out
  double updates_ = 0, size_ = 0;  // of w so far; Σ c² ‖x‖²
  Id longest_ = 0;                 // row
  FloatDrift drift_;
  double work_ = 0, excess_ = kInf;
  double estimate_ = kInf;   // of the gap, from what the pass has seen
  double correction_ = 1.2;  // gap / estimate_ when last evaluated, and a bit: to fail is dear
  double contraction_;       // of the gap, by a pass; measured on text
  double reference_ = 0;     // about P
  double least_gap_ = kInf;
  bool stalled_ = false;
  int passes_ = 0, evaluated_ = 0;
};

}  // namespace linnet
