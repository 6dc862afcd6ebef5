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
#include <cmath>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/rng.hpp"
#include "linnet/features/compact.hpp"
#include "linnet/learners/dual_losses.hpp"
#include "linnet/optimisers/vectors.hpp"

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
 public:
  // positive[i] > 0 marks the positive label; c[i] >= 0; `alpha`, if any, is where to start from.
  DualBinary(const Rows& rows, std::span<const std::int32_t> positive, std::span<const double> c,
             std::span<const double> alpha, const DualSettings& settings)
      : settings_(settings),
        rows_(rows),
        rng_(settings.seed),
        compact_(rows),
        w_(static_cast<std::size_t>(rows.features()) + 1, 0.0),
        instances_(c.size()),
        cold_(alpha.empty()),
        shortfall_(settings.loss == DualLoss::hinge ? 0.45 : 0.15) {  // measured on text
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
    if (settings.shuffle) rng_.shuffle(std::span(slots_));
    active_.resize(slots_.size());
    std::iota(active_.begin(), active_.end(), 0U);
    if (!cold_)
      for (Slot& slot : slots_) add(load(slot), slot.alpha, w_);
  }

  EpochStats epoch() {
    return with_loss(settings_.loss, [this](auto loss) { return run_epoch<decltype(loss)>(); });
  }

  // The objectives and the gap of the weights as they stand, at the cost of about half a pass.
  EpochStats evaluate() {
    return with_loss(settings_.loss, [this](auto loss) {
      EpochStats stats;
      measure<decltype(loss)>(stats);
      return stats;
    });
  }

  // Row 0 is the intercept, row f + 1 feature f; in hard-margin problems scaled to be feasible.
  std::vector<double> weights() const {
    std::vector<double> w(w_.begin(), w_.end());
    for (double& v : w) v *= scale_;
    return w;
  }
  std::vector<double> alpha() const {
    std::vector<double> a(instances_, 0.0);
    for (const Slot& s : slots_) a[static_cast<std::size_t>(s.instance)] = s.alpha;
    return a;
  }
  bool separable() const { return separable_; }
  std::size_t active() const { return active_.size(); }

 private:
  struct alignas(64) Slot {  // one cache line
    double alpha, c;
    double square;  // ‖x‖²
    double margin;  // after its last visit
    Index instance;
    float sign;  // y; the copied row is y x
    bool active = true;
    bool checked = false;  // is `square` known to be the squared norm?
  };

  template <class Loss>
  EpochStats run_epoch() {
    EpochStats stats;
    if (loaded() < slots_.size())
      first_pass<Loss>(stats);
    else
      pass<Loss>(stats);
    ++passes_;
    if (!stats.interrupted && due()) measure<Loss>(stats);
    return stats;
  }

  std::size_t loaded() const { return compact_.size(); }
  Entries load(Slot& slot) {
    const Entries x = compact_.append(slot.instance, slot.sign);
    slot.square = sum_of_squares(x);
    if (slot.square == 0 && slot.c == kInf) {  // no weights ever give an empty row a margin
      separable_ = false;
      slot.c = slot.alpha = 0;
    }
    return x;
  }

  double margin(Entries x) const {
    const double* const w = w_.data();
    double sum[4] = {0, 0, 0, 0};
    const Entry *e = x.data(), *const end = e + x.size();
    for (; end - e >= 4; e += 4)
      for (int j = 0; j < 4; ++j) sum[j] += static_cast<double>(e[j].value) * w[e[j].row];
    for (; e != end; ++e) sum[0] += static_cast<double>(e->value) * w[e->row];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
  static void add(Entries x, double step, LargeVector<double>& to) {
    double* const w = to.data();
    for (const Entry& e : x) w[e.row] += step * static_cast<double>(e.value);
  }

  void move(Slot& slot, Entries x, double margin_before, double alpha, EpochStats& stats) {
    const double step = alpha - slot.alpha;
    stats.mistakes += margin_before < 0 || (margin_before == 0 && slot.sign < 0);
    slot.margin = margin_before + slot.square * step;
    if (step == 0) return;
    add(x, step, w_);
    slot.alpha = alpha;
    ++stats.updates;
    if (!slot.checked) check_norm(slot, x, std::abs(step), margin_before);
  }
  // If a row repeats a feature its margin moves farther than the sum of squares says: one more dot
  // product, while all is at hand, costs less than a search. Tiny steps say nothing; wait for more.
  void check_norm(Slot& slot, Entries x, double step, double margin_before) {
    const double after = margin(x), scale = std::abs(margin_before) + std::abs(after);
    if (step * slot.square < 1e-9 * scale) return;
    if (std::abs(after - slot.margin) > 1e-3 * step * slot.square) slot.square = squared_norm(x);
    slot.margin = after;
    slot.checked = true;
  }

  // Early instances of the first pass meet a w that knows little of the data, and would take too
  // much upon themselves; so after t of n instances w is taken to be on its way to √(n/t) w. This
  // saves about one pass in three or four.
  template <class Loss>
  void first_pass(EpochStats& stats) {
    StopCheck stop;
    const auto n = static_cast<double>(slots_.size());
    while (loaded() < slots_.size()) {
      if (stop()) {
        stats.interrupted = true;
        return;
      }
      const std::size_t t = loaded();
      if (t + 1 < slots_.size()) rows_.prefetch(slots_[t + 1].instance);
      Slot& slot = slots_[t];
      const Entries x = load(slot);
      if (slot.c == 0) continue;
      const double m = margin(x), ahead = std::sqrt(n / static_cast<double>(t + 1));
      move(slot, x, m, Loss::step(0, m * ahead, slot.square * ahead, slot.c), stats);
    }
    if (!hard_) reference_ = std::abs(dual<Loss>());
  }

  // Shrinking: an instance at a bound, whose margin is farther from 1 than margins on average moved
  // since their last visit, is left out until an evaluation finds that it matters.
  template <class Loss>
  void pass(EpochStats& stats) {
    scale_ = 1;
    if (settings_.shuffle) rng_.shuffle(std::span(active_));
    StopCheck stop;
    double moved = 0;
    estimate_ = 0;
    for (std::size_t t = 0; t < active_.size(); ++t) {
      if (stop()) {
        stats.interrupted = true;
        break;
      }
      if (t + 1 < active_.size()) {
        LINNET_PREFETCH(&slots_[active_[t + 1]]);
        compact_.prefetch(active_[t + 1]);
      }
      Slot& slot = slots_[active_[t]];
      const Entries x = compact_[active_[t]];
      const double m = margin(x);
      moved += std::abs(m - slot.margin);
      const double slack = t < 100 ? kInf : moved / static_cast<double>(t + 1);
      if (settings_.shrink && Loss::settled(slot.alpha, m, slot.c, slack)) {
        slot.active = false;
        continue;
      }
      estimate_ += Loss::gap(slot.alpha, m, slot.c);
      move(slot, x, m, Loss::step(slot.alpha, m, slot.square, slot.c), stats);
    }
    if (stats.interrupted) return;
    std::erase_if(active_, [this](std::uint32_t s) { return !slots_[s].active; });
  }

  // Is it time to pay for an evaluation? The sum of the instances' gaps as they were met in the
  // pass overestimates the gap after it, by a factor learnt at the last evaluation.
  bool due() const {
    if (hard_) return passes_ % 4 == 0;
    if (passes_ - evaluated_ >= 20) return true;
    return estimate_ * shortfall_ <= settings_.tol * reference_;
  }

  template <class Loss>
  double dual() const {
    double sum = 0;
    for (const Slot& s : slots_)
      if (s.alpha > 0) sum += Loss::dual(s.alpha, s.c);
    return sum - 0.5 * dot(w_, w_);
  }

  // P(w), D(a) and the gap over all instances; takes back the instances that shrinking left out
  // wrongly.
  template <class Loss>
  void measure(EpochStats& stats) {
    scale_ = 1;
    if (hard_) check_hard_margin();
    active_.clear();
    for (std::uint32_t s = 0; s < slots_.size(); ++s) {
      Slot& slot = slots_[s];
      if (s + 1 < loaded()) compact_.prefetch(s + 1);
      slot.margin = margin(s < loaded() ? compact_[s] : load(slot));
      slot.active |= !Loss::settled(slot.alpha, slot.margin, slot.c, 0);
      if (slot.active) active_.push_back(s);
      if (slot.c == kInf) scale_ = std::max(scale_, slot.margin > 0 ? 1 / slot.margin : kInf);
    }
    double loss = 0;
    for (const Slot& s : slots_)
      if (s.c < kInf) loss += s.c * Loss::value(scale_ * s.margin);
    stats.dual = dual<Loss>();
    stats.objective = scale_ == kInf ? kInf : 0.5 * scale_ * scale_ * dot(w_, w_) + loss;
    stats.gap = stats.objective - stats.dual;
    if (scale_ == kInf) scale_ = 1;  // no multiple of w is feasible
    reference_ = std::abs(stats.objective);
    stats.converged =
        separable_ && stats.gap < kInf && stats.gap <= settings_.tol * std::max(reference_, 1e-300);
    if (estimate_ > 0) shortfall_ = std::clamp(stats.gap / estimate_, 0.01, 1.0);
    evaluated_ = passes_;
  }

  void check_hard_margin() {
    LargeVector<double> sum(w_.size(), 0.0);
    double total = 0, radius = 0;
    for (std::size_t s = 0; s < loaded(); ++s) {
      const Slot& slot = slots_[s];
      if (slot.c < kInf) continue;
      radius = std::max(radius, slot.square);
      total += slot.alpha;
      if (slot.alpha > 0) add(compact_[s], slot.alpha, sum);
    }
    if (norm(sum) < settings_.min_margin * std::sqrt(radius) * total) separable_ = false;
  }

  DualSettings settings_;
  const Rows& rows_;
  Rng rng_;
  CompactRows compact_;
  LargeVector<double> w_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> active_;  // slots, in the order of the last pass
  std::size_t instances_;
  bool cold_, hard_ = false, separable_ = true;
  double scale_ = 1;        // of w, when weights are handed out
  double estimate_ = kInf;  // of the gap, from the last pass
  double shortfall_;        // gap / estimate_, when last evaluated
  double reference_ = 0;    // about P
  int passes_ = 0, evaluated_ = 0;
};

}  // namespace linnet
