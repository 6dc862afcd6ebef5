// Dual coordinate descent for binary problems (Hsieh et al. 2008; Yu, Huang and Lin 2011).
//
//   minimise over w    P(w) = ½‖w‖² + Σ cᵢ ℓ(mᵢ),  mᵢ = yᵢ w·xᵢ
//   maximise over a    D(a) = Σ dual(aᵢ, cᵢ) − ½‖w(a)‖²,  w(a) = Σ aᵢ yᵢ xᵢ
//
// One instance at a time, aᵢ is set to its best value and w follows. P(w) − D(a) bounds how far
// either is from the optimum; it is the stopping rule, always over all instances.
//
// Hard margin (cᵢ = ∞ for hinge losses): w is scaled up until it satisfies every such instance
// before P is computed, so the gap is a certificate there too. If such data cannot be separated the
// dual has no maximum. For every a >= 0 a separating direction has a margin of at most
// ‖Σ aᵢ yᵢ xᵢ‖ / Σ aᵢ (over the hard instances), for the smallest of several numbers is no more
// than their weighted mean. Descent on inseparable data keeps w bounded while Σ a grows without
// end; so once that bound falls below min_margin · max ‖x‖, `separable` is false: a proof that no
// direction has a larger margin.
#pragma once
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/rng.hpp"
#include "linnet/features/packed_rows.hpp"
#include "linnet/learners/dual/dual_losses.hpp"
#include "linnet/learners/dual/visit_order.hpp"

namespace linnet {

struct DualSettings {
  DualLoss loss = DualLoss::hinge;
  double tol = 1e-3;  // converged when gap <= tol · P
  std::uint64_t seed = 0;
  bool shuffle = true;
  bool shrink = true;
  double min_margin = 1e-4;  // hard margin: a smaller one, relative to max ‖x‖, counts as none
};

class DualBinary {
  // Calls f with the loss as a type, and the weights.
  template <class F>
  EpochStats visit(F f) {
    return with_loss(settings_.loss, [&](auto loss) {
      return exact_ ? f(loss, exact_w_.data()) : f(loss, rough_w_.data());
    });
  }

 public:
  // positive[i] > 0 marks the positive label; c[i] >= 0; `alpha`, if any, is where to start from.
  DualBinary(const Rows& rows, std::span<const std::int32_t> positive, std::span<const double> c,
             std::span<const double> alpha, const DualSettings& settings)
      : settings_(settings),
        rows_(rows),
        rng_(settings.seed),
        exact_(settings.tol < kRoughTol),
        rough_w_(exact_ ? 0 : static_cast<std::size_t>(rows.features()) + 1, 0.f),
        exact_w_(exact_ ? static_cast<std::size_t>(rows.features()) + 1 : 0, 0.0),
        instances_(c.size()),
        cold_(alpha.empty()),
        contraction_(settings.loss == DualLoss::hinge      ? 0.5
                     : settings.loss == DualLoss::logistic ? 0.15
                                                           : 0.25) {
    const auto n = static_cast<std::size_t>(rows.size());
    if (n > std::numeric_limits<std::uint32_t>::max())
      throw std::invalid_argument("more than 2^32 rows");
    if (positive.size() != n || c.size() != n || (!cold_ && alpha.size() != n))
      throw std::invalid_argument("labels, c and alpha must have one entry per row");
    for (std::size_t i = 0; i < n; ++i) {
      const bool logistic = settings.loss == DualLoss::logistic;
      if (!(c[i] >= 0) || (logistic && c[i] == kInf))
        throw std::invalid_argument(
            "c must not be negative or NaN, nor infinite for logistic loss");
      if (c[i] == 0) continue;  // an instance without weight takes no part
      const double bound = settings.loss == DualLoss::squared_hinge ? kInf : c[i];
      if (!cold_ && !(alpha[i] >= 0 && alpha[i] <= bound && alpha[i] < kInf))
        throw std::invalid_argument("alpha must lie between 0 and c");
      slots_.push_back({cold_ ? 0.0 : alpha[i], c[i], 0, kNaN, static_cast<Index>(i),
                        positive[i] > 0 ? 1.f : -1.f});
      hard_ |= c[i] == kInf;
    }
    active_.resize(slots_.size());
    std::iota(active_.begin(), active_.end(), 0U);
    arrange();
    if (!cold_)
      visit([&](auto, auto* w) {
        for (; loaded_ < slots_.size(); ++loaded_) {
          Slot& slot = slots_[loaded_];
          const PackedRow x = load(slot);
          x.add(slot.alpha * slot.sign, w);
        }
        return EpochStats{};
      });
  }

  EpochStats epoch() {
    if (stalled_ && !exact_) refine();
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
  bool separable() const { return separable_; }
  std::size_t active() const { return active_.size(); }

 private:
  struct alignas(64) Slot {  // one cache line
    double alpha, c;
    double square;  // ‖x‖²
    double margin;  // after its last visit
    Index instance;
    float sign;  // y
    bool active = true;
  };

  template <class Loss, class Weight>
  EpochStats run_epoch(Weight* w) {
    EpochStats stats;
    if (loaded_ < slots_.size())
      first_pass<Loss>(w, stats);
    else
      pass<Loss>(w, stats);
    ++passes_;
    const bool wanted = hard_ ? passes_ % 4 == 0 : passes_ - evaluated_ >= 20;
    if (!stats.interrupted && !stats.converged && wanted) measure<Loss>(w, stats);
    return stats;
  }

  // The row of an instance when it is met for the first time.
  PackedRow load(Slot& slot) {
    const PackedRow x = rows_[slot.instance];
    slot.square = exact_ ? x.square<double>() : x.square<float>();
    if (slot.square == 0 && slot.c == kInf) {  // no weights ever give an empty row a margin
      separable_ = false;
      slot.c = slot.alpha = 0;
    }
    return x;
  }

  template <class Weight>
  void move(Slot& slot, const PackedRow& x, double margin_before, double alpha, Weight* w,
            EpochStats& stats) {
    const double step = alpha - slot.alpha;
    stats.mistakes += margin_before < 0 || (margin_before == 0 && slot.sign > 0);
    slot.margin = margin_before + slot.square * step;
    if (step == 0) return;
    x.add(step * slot.sign, w);
    slot.alpha = alpha;
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
  void first_pass(Weight* w, EpochStats& stats) {
    StopCheck stop;
    const auto n = static_cast<double>(slots_.size());
    for (; loaded_ < slots_.size(); ++loaded_) {
      if (stop()) {
        stats.interrupted = true;
        return;
      }
      if (loaded_ + 1 < slots_.size()) rows_.prefetch(slots_[order_[loaded_ + 1]].instance);
      Slot& slot = slots_[order_[loaded_]];
      const PackedRow x = load(slot);
      if (slot.c == 0) continue;
      const double m = slot.sign * x.dot(w), ratio = n / static_cast<double>(loaded_ + 1);
      move(slot, x, m, Loss::first(m, slot.square, slot.c, ratio), w, stats);
    }
    if (!hard_) reference_ = std::abs(dual<Loss>(w));
  }

  // The second pass keeps the order of the first, for the instances visited first know least of the
  // data. Part of a pass may do: the gaps as they were met in the last part of a pass are those of
  // the instances not met yet, and `contraction_` of it is left of the others after their visit.
  //
  // An instance whose gap is small beside the mean is not worth moving w for. Shrinking: one at a
  // bound, whose margin is farther from 1 than half of what margins on average moved since their
  // last visit, is left out until an evaluation finds that it matters.
  template <class Loss, class Weight>
  void pass(Weight* w, EpochStats& stats) {
    scale_ = 1;
    const bool second = cold_ && passes_ == 1;
    if (!second) arrange();
    StopCheck stop;
    const std::size_t n = order_.size(), part = std::max<std::size_t>((n + 15) / 16, 64);
    double moved = 0, seen = 0, mean_gap = 0;
    for (std::size_t t = 0; t < n; ++t) {
      if (stop()) {
        stats.interrupted = true;
        return;
      }
      if (t + 2 < n) LINNET_PREFETCH(&slots_[order_[t + 2]]);
      if (t + 1 < n) rows_.prefetch(slots_[order_[t + 1]].instance);
      Slot& slot = slots_[order_[t]];
      const PackedRow x = rows_[slot.instance];
      const double m = slot.sign * x.dot(w);
      moved += std::abs(m - slot.margin);
      const double slack = t < 100 ? kInf : 0.5 * moved / static_cast<double>(t + 1);
      if (settings_.shrink && Loss::settled(slot.alpha, m, slot.c, slack)) {
        slot.active = false;
      } else {
        const double gap = Loss::gap(slot.alpha, m, slot.c);
        seen += gap;
        const bool stay = gap < kSkip * mean_gap;
        const double alpha = stay ? slot.alpha : Loss::step(slot.alpha, m, slot.square, slot.c);
        move(slot, x, m, alpha, w, stats);
      }
      const std::size_t since = t % part + 1;
      if (since < part && t + 1 < n) continue;
      mean_gap = hard_ ? 0 : seen / static_cast<double>(since);  // (c = ∞ has no gap to speak of)
      seen = 0;
      const double done = static_cast<double>(t + 1) / static_cast<double>(n);
      estimate_ =
          static_cast<double>(n) * mean_gap * (second ? 0.6 : 1 - (1 - contraction_) * done);
      if (due()) measure<Loss>(w, stats);
      if (stats.converged) return;
    }
    std::erase_if(active_, [this](std::uint32_t s) { return !slots_[s].active; });
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
  // wrongly. The rows are read in the order they lie in memory.
  template <class Loss, class Weight>
  void measure(Weight* w, EpochStats& stats) {
    scale_ = 1;
    for (; loaded_ < slots_.size(); ++loaded_) load(slots_[order_[loaded_]]);
    if (hard_) check_hard_margin();
    active_.clear();
    double loss = 0;
    for (std::uint32_t s = 0; s < slots_.size(); ++s) {
      Slot& slot = slots_[s];
      slot.margin = slot.sign * rows_[slot.instance].dot(w);
      slot.active |= !Loss::settled(slot.alpha, slot.margin, slot.c, 0);
      if (slot.active) active_.push_back(s);
      if (slot.c == kInf) scale_ = std::max(scale_, slot.margin > 0 ? 1 / slot.margin : kInf);
    }
    for (const Slot& s : slots_)
      if (s.c < kInf) loss += s.c * Loss::value(scale_ * s.margin);
    stats.dual = dual<Loss>(w);
    stats.objective = scale_ == kInf ? kInf : 0.5 * scale_ * scale_ * square(w) + loss;
    stats.gap = stats.objective - stats.dual;
    if (scale_ == kInf) scale_ = 1;  // no multiple of w is feasible
    reference_ = std::abs(stats.objective);
    stats.converged =
        separable_ && stats.gap < kInf && stats.gap <= settings_.tol * std::max(reference_, 1e-300);
    stalled_ |= passes_ > kPatience && stats.gap > 0.75 * least_gap_;
    least_gap_ = std::min(least_gap_, stats.gap);
    if (estimate_ > 0) correction_ = std::clamp(1.1 * stats.gap / estimate_, 0.1, 3.0);
    evaluated_ = passes_;
  }
  // Large c magnify what rounding loses of w, until the gap no longer falls: go on in double, from
  // w(a) itself.
  void refine() {
    exact_w_ = Buffer<double>(rough_w_.size(), 0.0);
    for (Slot& s : slots_) {
      const PackedRow x = rows_[s.instance];
      s.square = x.square<double>();
      if (s.alpha > 0) x.add(s.alpha * s.sign, exact_w_.data());
    }
    exact_ = true;
  }
  void check_hard_margin() {
    earlier_.resize(instances_, 0.0);  // by instance: those without weight have no slot
    // The dual variables prove it in the end; what they grew by does so sooner, once w has settled.
    if (refutes([](const Slot& slot, double) { return slot.alpha; }) ||
        refutes([](const Slot& slot, double earlier) { return slot.alpha - earlier; }))
      separable_ = false;
    if (passes_ < 2 * earlier_passes_) return;
    earlier_passes_ = passes_;
    for (const Slot& slot : slots_) earlier_[slot.instance] = slot.alpha;
  }
  // Do these multiples of the hard instances, those above 0, leave no margin worth the name?
  template <class Multiple>
  bool refutes(Multiple&& multiple) const {
    Buffer<double> sum(static_cast<std::size_t>(rows_.features()) + 1, 0.0);
    double total = 0, radius = 0;
    for (const Slot& slot : slots_) {
      if (slot.c < kInf) continue;
      radius = std::max(radius, slot.square);
      const double a = multiple(slot, earlier_[slot.instance]);
      if (a <= 0) continue;
      total += a;
      rows_[slot.instance].add(a * slot.sign, sum.data());
    }
    return std::sqrt(square(sum.data())) < settings_.min_margin * std::sqrt(radius) * total;
  }

  // Down to this tolerance weights are float32, half the memory traffic. What rounding loses of
  // w(a) = Σ aᵢ yᵢ xᵢ is small beside it; where a large c magnifies it, refine() goes on in double.
  static constexpr double kRoughTol = 1e-4;
  static constexpr double kSkip = 0.2;  // of the mean gap: not worth moving w
  static constexpr int kPatience = 20;  // passes before a gap that does not fall is looked at

  DualSettings settings_;
  PackedRows rows_;
  Rng rng_;
  bool exact_;
  Buffer<float> rough_w_;  // one of the two is in use
  Buffer<double> exact_w_;
  std::vector<Slot> slots_;
  std::size_t loaded_ = 0;             // slots met so far
  std::vector<std::uint32_t> order_;   // of the pass
  std::vector<std::uint32_t> active_;  // slots, in the order of the last pass
  std::size_t instances_;
  bool cold_, hard_ = false, separable_ = true;
  std::vector<double> earlier_;  // dual variables some passes ago, for the proof of inseparability
  Index earlier_passes_ = 1;
  double scale_ = 1;         // of w, when weights are handed out
  double estimate_ = kInf;   // of the gap, from what the pass has seen
  double correction_ = 1.2;  // gap / estimate_ when last evaluated, and a bit: to fail is dear
  double contraction_;       // of the gap, by a pass; measured on text
  double reference_ = 0;     // about P
  double least_gap_ = kInf;
  bool stalled_ = false;
  int passes_ = 0, evaluated_ = 0;
};

}  // namespace linnet
