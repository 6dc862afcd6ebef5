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
#include <memory>
#include <numeric>
#include <optional>
#include <span>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/rng.hpp"
#include "linnet/features/compact.hpp"
#include "linnet/learners/dual_losses.hpp"

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
        rng_(settings.seed),
        compact_(rows),
        w_(static_cast<std::size_t>(rows.features()) + 1, 0.0),
        instances_(c.size()),
        cold_(alpha.empty()) {
    const auto n = static_cast<std::size_t>(rows.size());
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
                        positive[i] > 0 ? 1.f : -1.f, true});
      hard_ |= c[i] == kInf;
    }
    if (settings.shuffle) rng_.shuffle(std::span(slots_));
    active_.resize(slots_.size());
    std::iota(active_.begin(), active_.end(), Id{0});
    if (!cold_)
      for (std::size_t s = 0; s < slots_.size(); ++s) {
        load(s);
        add(s, slots_[s].alpha);
      }
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
    std::vector<double> w(w_);
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
  // An instance, at the place of its row in the compact copy.
  struct Slot {
    double alpha, c;
    double square;  // ‖x‖²
    double margin;  // after its last visit
    Index instance;
    float sign;  // y
    bool active;
  };
  static constexpr std::size_t kBlock = 16;

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
  void load(std::size_t s) {
    Slot& slot = slots_[s];
    slot.square = compact_.append(slot.instance, slot.sign);
    if (slot.square == 0 && slot.c == kInf) {  // no weights ever give an empty row a margin
      separable_ = false;
      slot.c = slot.alpha = 0;
    }
  }

  double dot(std::size_t s) const {
    const std::span<const Entry> x = compact_[s];
    const Entry *e = x.data(), *const end = e + x.size();
    const double* const w = w_.data();
    double sum[4] = {0, 0, 0, 0};
    for (; end - e >= 4; e += 4)
      for (int k = 0; k < 4; ++k) sum[k] += static_cast<double>(e[k].value) * w[e[k].row];
    for (; e != end; ++e) sum[0] += static_cast<double>(e->value) * w[e->row];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
  void add(std::size_t s, double step) {
    double* const w = w_.data();
    for (const Entry& e : compact_[s]) w[e.row] += step * static_cast<double>(e.value);
  }
  void prefetch(std::size_t s) const {
    const std::span<const Entry> x = compact_[s];
    for (std::size_t k = 0; k < x.size(); k += 64 / sizeof(Entry)) LINNET_PREFETCH(x.data() + k);
  }

  void move(std::size_t s, double margin, double alpha, EpochStats& stats) {
    Slot& slot = slots_[s];
    const double step = alpha - slot.alpha;
    stats.mistakes += margin < 0 || (margin == 0 && slot.sign < 0);
    slot.margin = margin + slot.square * step;
    if (step == 0) return;
    add(s, step);
    slot.alpha = alpha;
    ++stats.updates;
  }

  // The first pass copies each row just before it is used. Early instances meet a w that knows
  // little of the data, and would take too much upon themselves; so after t of n instances w is
  // taken to be on its way to √(n/t) w. This saves about one pass in three or four.
  template <class Loss>
  void first_pass(EpochStats& stats) {
    const auto n = static_cast<double>(slots_.size());
    while (loaded() < slots_.size()) {
      if (stop_()) {
        stats.interrupted = true;
        return;
      }
      const std::size_t s = loaded();
      load(s);
      Slot& slot = slots_[s];
      if (slot.c == 0) continue;
      const double margin = dot(s), ahead = std::sqrt(n / static_cast<double>(s + 1));
      move(s, margin, Loss::step(0, margin * ahead, slot.square * ahead, slot.c), stats);
    }
    if (!hard_) reference_ = std::abs(dual<Loss>());
  }

  // Instances at a bound whose margin is farther from 1 than margins lately move are left out until
  // an evaluation finds that they matter (shrinking).
  template <class Loss>
  void pass(EpochStats& stats) {
    scale_ = 1;
    const std::vector<Id> order = visiting_order();
    double moved = 0;
    estimate_ = 0;
    for (std::size_t t = 0; t < order.size(); ++t) {
      if (stop_()) {
        stats.interrupted = true;
        break;
      }
      const auto s = static_cast<std::size_t>(order[t]);
      if (t + 1 < order.size()) prefetch(static_cast<std::size_t>(order[t + 1]));
      Slot& slot = slots_[s];
      const double margin = dot(s);
      moved += std::abs(margin - slot.margin);
      if (settings_.shrink && Loss::settled(slot.alpha, margin, slot.c, slack_)) {
        stats.mistakes += margin < 0;
        slot.active = false;
        continue;
      }
      estimate_ += Loss::gap(slot.alpha, margin, slot.c);
      move(s, margin, Loss::step(slot.alpha, margin, slot.square, slot.c), stats);
    }
    if (stats.interrupted) return;
    slack_ = 3 * moved / static_cast<double>(order.size());
    std::erase_if(active_, [this](Id s) { return !slots_[static_cast<std::size_t>(s)].active; });
  }

  // Rows lie in memory in a random order already; later passes permute blocks of neighbours and the
  // rows within each, which is as good and keeps memory streaming.
  std::vector<Id> visiting_order() {
    if (!settings_.shuffle) return active_;
    std::vector<std::size_t> blocks((active_.size() + kBlock - 1) / kBlock);
    std::iota(blocks.begin(), blocks.end(), std::size_t{0});
    rng_.shuffle(std::span(blocks));
    std::vector<Id> order;
    order.reserve(active_.size());
    for (const std::size_t b : blocks) {
      const std::size_t begin = b * kBlock, size = std::min(kBlock, active_.size() - begin);
      order.insert(order.end(), active_.begin() + static_cast<std::ptrdiff_t>(begin),
                   active_.begin() + static_cast<std::ptrdiff_t>(begin + size));
      rng_.shuffle(std::span(order).last(size));
    }
    return order;
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
    return sum - 0.5 * square(w_);
  }
  static double square(std::span<const double> v) {
    double sum[4] = {0, 0, 0, 0};
    for (std::size_t k = 0; k < v.size(); ++k) sum[k % 4] += v[k] * v[k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }

  // P(w), D(a) and the gap over all instances; takes back the instances that shrinking left out
  // wrongly.
  template <class Loss>
  void measure(EpochStats& stats) {
    scale_ = 1;
    if (hard_) check_hard_margin();
    active_.clear();
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      Slot& slot = slots_[s];
      if (s + 1 < loaded()) prefetch(s + 1);
      slot.margin = s < loaded() ? dot(s) : 0;
      slot.active |= !Loss::settled(slot.alpha, slot.margin, slot.c, 0);
      if (slot.active) active_.push_back(static_cast<Id>(s));
      if (slot.c == kInf) scale_ = std::max(scale_, slot.margin > 0 ? 1 / slot.margin : kInf);
    }
    double loss = 0;
    for (const Slot& s : slots_)
      if (s.c < kInf) loss += s.c * Loss::value(scale_ * s.margin);
    stats.dual = dual<Loss>();
    stats.objective = scale_ == kInf ? kInf : 0.5 * scale_ * scale_ * square(w_) + loss;
    stats.gap = stats.objective - stats.dual;
    if (scale_ == kInf) scale_ = 1;  // no multiple of w is feasible
    reference_ = std::abs(stats.objective);
    stats.converged = separable_ && stats.gap <= settings_.tol * std::max(reference_, 1e-300);
    if (estimate_ > 0) shortfall_ = std::clamp(stats.gap / estimate_, 0.01, 1.0);
    evaluated_ = passes_;
  }

  void check_hard_margin() {
    Buffer<double> sum(w_.size(), 0.0);
    double total = 0, radius = 0;
    for (std::size_t s = 0; s < loaded(); ++s) {
      const Slot& slot = slots_[s];
      if (slot.c < kInf) continue;
      radius = std::max(radius, slot.square);
      if (slot.alpha == 0) continue;
      total += slot.alpha;
      for (const Entry& e : compact_[s])
        sum[static_cast<std::size_t>(e.row)] += slot.alpha * static_cast<double>(e.value);
    }
    if (std::sqrt(square(sum)) < settings_.min_margin * std::sqrt(radius) * total)
      separable_ = false;
  }

  DualSettings settings_;
  Rng rng_;
  CompactRows compact_;
  std::vector<double> w_;
  std::vector<Slot> slots_;
  std::vector<Id> active_;
  std::size_t instances_;
  StopCheck stop_;
  bool cold_, hard_ = false, separable_ = true;
  double scale_ = 1;        // of w, when weights are handed out
  double slack_ = kInf;     // how far from 1 a margin must be to be left alone
  double estimate_ = kInf;  // of the gap, from the last pass
  double shortfall_ = 0.2;  // gap / estimate_, when last evaluated
  double reference_ = 0;    // about P
  int passes_ = 0, evaluated_ = 0;
};

}  // namespace linnet
