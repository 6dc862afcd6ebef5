// Binary problems in the dual: descent, and for hinge losses the exact solution, of the whole or of
// the part that moves most, where descent takes too long; hard margins, with a verdict.
//
// An instance is a row d = y x of a margin programme, its dual variable a multiplier. The squared
// hinge c ξ² is a hard margin with one more feature for each instance, of value 1 / √(2c).
#pragma once
#include <optional>

#include "linnet/learners/dual/binary_descent.hpp"
#include "linnet/learners/dual/exact_margins.hpp"

namespace linnet {

class DualBinary {
 public:
  // See BinaryDescent.
  DualBinary(const Rows& rows, std::span<const std::int32_t> positive, std::span<const double> c,
             std::span<const double> alpha, const DualSettings& settings)
      : settings_(with_intercept(settings, rows)), descent_(rows, positive, c, alpha, settings_) {
    bool sides[2] = {false, false};
    for (const auto& slot : slots()) {
      const PackedRow x = row(slot);
      const auto entries = static_cast<double>(x.size) + 2;
      products_ += entries * entries / 2;
      sides[slot.sign > 0] = true;
      soft_ |= slot.c < kInf;
      // No weights give a margin to an instance without features.
      if (slot.c == kInf && x.square<double>() == 0 && !settings_.free_intercept)
        separable_ = false;
    }
    const bool margins = settings.loss != DualLoss::logistic;
    if (settings_.free_intercept && margins && sides[0] != sides[1]) settle(sides[1]);
  }

  EpochStats epoch() {
    if (final_) return *final_;
    if (separable_ == false) return certify();
    if (!pass().goes_on()) began_ = descent_.work();
    EpochStats stats = descent_.epoch();
    if (stats.paused) return stats;
    patience_.spend(descent_.work() - began_, descent_.excess());
    if (!stats.converged && !stats.interrupted && settings_.loss != DualLoss::logistic) {
      const auto rows = static_cast<double>(slots().size());
      const auto weights = static_cast<double>(descent_.rows().features());
      if (patience_.allows(rows, products_, weights))
        solve(stats);
      else if (descent_.exact() && patience_.passes() >= next_part_)
        solve_part(stats);
    }
    if (descent_.hard() && stats.objective < kInf) separable_ = true;
    return stats;
  }
  EpochStats certify() { return final_ ? *final_ : descent_.certify(); }

  std::vector<double> weights() const { return final_ ? found_ : descent_.weights(); }
  std::vector<double> alpha() const { return descent_.alpha(); }
  std::vector<Index> support() const { return descent_.support(); }
  // Can the hard margins be had? Yes once weights have them, no once that is proved to be
  // impossible.
  std::optional<bool> separable() const { return separable_; }
  std::size_t active() const { return descent_.active(); }

  void state(Archive& a) {
    a(descent_, separable_, patience_, next_part_, work_before_, began_, final_);
    a.list(before_, found_);
    Archive::require(before_.empty() || before_.size() == slots().size(), "duals are missing");
    Archive::require(!final_ || found_.size() == descent_.weights().size(), "weights are missing");
  }
  Pass& pass() { return descent_.visits(); }

 private:
  using Slot = BinarySlot;
  static constexpr int kPassesBetween = 20;  // two parts
  static constexpr double kMostRows = 1000;  // of a part

  // What is not there cannot be free.
  static DualSettings with_intercept(DualSettings settings, const Rows& rows) {
    settings.free_intercept &= rows.bias() != 0;
    return settings;
  }
  const std::vector<Slot>& slots() const { return descent_.slots(); }
  std::vector<double> duals() const {
    std::vector<double> a;
    for (const Slot& slot : slots()) a.push_back(slot.alpha);
    return a;
  }
  // With the constant feature as it was given, or without it if its weight is free.
  PackedRow row(const Slot& slot) const {
    PackedRow x = descent_.rows()[slot.instance];
    if (settings_.free_intercept) x.bias = 0;
    return x;
  }
  // Below it there is none; where weights have one, it is what it is.
  double least_margin() const { return separable_ == true ? 0 : settings_.min_margin; }
  // An intercept alone does for a single label, and costs nothing.
  void settle(bool positive) {
    if (descent_.hard()) separable_ = true;
    final_ = EpochStats{};
    final_->objective = final_->dual = final_->gap = 0;
    final_->converged = true;
    found_.assign(descent_.weights().size(), 0.0);
    found_[0] = (positive ? 1 : -1) / static_cast<double>(descent_.rows().bias());
  }

  void add_row(MarginProgramme& programme, const Slot& slot, const PackedRow& x, double bound,
               bool free) const {
    const auto y = static_cast<double>(slot.sign);
    if (x.bias != 0) programme.add(0, y * static_cast<double>(x.bias));
    for (Id k = 0; k < x.size; ++k)
      if (x.value[k] != 0)
        programme.add(x.index[k] + Index{1}, y * static_cast<double>(x.value[k]));
    const bool squared = settings_.loss == DualLoss::squared_hinge;
    if (squared && slot.c < kInf)
      programme.add(descent_.rows().features() + Index{1} + slot.instance,
                    1 / std::sqrt(2 * slot.c));
    programme.end_row(bound, {&y, free ? std::size_t{1} : 0});
    programme.end_group(squared ? kInf : slot.c);
  }
  MarginProgramme whole(std::span<const std::size_t> chosen) const {
    MarginProgramme programme(settings_.free_intercept ? 1 : 0);
    for (std::size_t s : chosen)
      add_row(programme, slots()[s], row(slots()[s]), 1, settings_.free_intercept);
    return programme;
  }

  void solve(EpochStats& stats) {
    patience_.tried();
    std::vector<std::size_t> all(slots().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    // The squared hinge has slack in features of its own, so that all its margins are hard: they
    // can be had, if with large weights.
    const bool slack = soft_ && settings_.loss == DualLoss::squared_hinge;
    if (slack && refuted(all, stats)) return;
    const MarginProgramme programme = whole(all);
    const MarginVerdict verdict =
        solve_exactly(programme, kExactly * settings_.tol, slack ? 0 : least_margin());
    stats.interrupted |= verdict.solution.interrupted;
    if (!verdict.separable) separable_ = false;
    if (stats.interrupted || !verdict.separable) return;
    std::vector<double> alpha(slots().size(), 0.0);
    put_back(all, programme, verdict.solution, alpha);
    const double intercept = settings_.free_intercept ? verdict.solution.v[0] : 0;
    descent_.restart(alpha, intercept);
    stats = descent_.certify();
    // Multipliers that were found beside the weights are not as exact as these.
    const auto inner = verdict.solution.inner_rows(programme);
    if (!stats.converged && !inner.empty() && static_cast<double>(inner.size()) <= kMostRows) {
      resolve(inner, stats);
      const EpochStats again = descent_.certify();
      if (again.dual > stats.dual)
        stats = again;
      else
        descent_.restart(alpha, intercept);
    }
    if (!stats.converged && !stats.interrupted) look_at(verdict.solution, intercept, stats);
  }
  void put_back(std::span<const std::size_t> chosen, const MarginProgramme& programme,
                const MarginSolution& solution, std::vector<double>& alpha) const {
    for (std::size_t j = 0; j < chosen.size(); ++j) {
      const Slot& slot = slots()[chosen[j]];
      const double most = settings_.loss == DualLoss::squared_hinge ? kInf : slot.c;
      alpha[chosen[j]] = solution.full(programme, j)       ? most
                         : solution.tight(programme, j, j) ? std::min(solution.a[j], most)
                                                           : 0;
    }
  }
  // The weights found beside the multipliers: more exact than w(a) where prices are high.
  void look_at(const MarginSolution& solution, double intercept, EpochStats& stats) {
    found_.assign(descent_.weights().size(), 0.0);
    double penalty = 0;
    for (std::size_t k = 0; k < solution.columns.size(); ++k) {
      if (solution.columns[k] >= static_cast<Index>(found_.size())) continue;
      found_[static_cast<std::size_t>(solution.columns[k])] = solution.w[k];
      penalty += 0.5 * solution.w[k] * solution.w[k];
    }
    std::vector<Slot> seen = slots();
    for (Slot& slot : seen)
      slot.margin = static_cast<double>(slot.sign) * (row(slot).dot(found_.data()) + intercept);
    const auto objective = [&](auto loss) {
      BinaryCertificate<decltype(loss)> gap(seen, penalty);
      gap.improve(settings_.free_intercept);
      if (settings_.free_intercept)
        found_[0] = (intercept + gap.shift) / static_cast<double>(descent_.rows().bias());
      for (double& w : found_) w *= gap.scale;
      return gap.objective;
    };
    const double found = with_loss(settings_.loss, objective);
    if (!(found < kInf && found - stats.dual <= settings_.tol * found)) return;
    stats.objective = found;
    stats.gap = found - stats.dual;
    stats.converged = true;
    final_ = stats;
  }

  // Are the hard margins among these impossible?
  bool refuted(std::span<const std::size_t> chosen, EpochStats& stats) {
    MarginProgramme programme(settings_.free_intercept ? 1 : 0);
    for (std::size_t s : chosen)
      if (slots()[s].c == kInf)
        add_row(programme, slots()[s], row(slots()[s]), 1, settings_.free_intercept);
    if (programme.rows() == 0) return false;
    const MarginVerdict verdict =
        solve_exactly(programme, kExactly * settings_.tol, least_margin());
    stats.interrupted |= verdict.solution.interrupted;
    if (!verdict.separable) separable_ = false;
    return !verdict.separable;
  }

  // The instances that moved most in the last passes, as many as these passes pay for, with all
  // others as they are: see CrammerSinger.
  void solve_part(EpochStats& stats) {
    next_part_ = patience_.passes() + kPassesBetween;
    const std::vector<double> now = duals(), before = std::exchange(before_, now);
    const double spent = descent_.work() - std::exchange(work_before_, descent_.work());
    if (before.empty()) return;
    if (descent_.hard() && !separable_ && grew_too_much(now, before)) {
      separable_ = false;
      return;
    }
    std::vector<std::size_t> chosen;
    for (std::size_t s = 0; s < now.size(); ++s)
      if (now[s] != before[s]) chosen.push_back(s);
    const auto most = static_cast<std::size_t>(std::min(kMostRows, Patience::rows_for(spent)));
    if (chosen.size() > most) {
      const auto moved = [&](std::size_t s) { return std::abs(now[s] - before[s]); };
      std::nth_element(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(most),
                       chosen.end(), [&](std::size_t a, std::size_t b) {
                         return moved(a) != moved(b) ? moved(a) > moved(b) : a < b;
                       });
      chosen.resize(most);
    }
    std::sort(chosen.begin(), chosen.end());
    if (chosen.empty() || refuted(chosen, stats) || stats.interrupted) return;
    const double reached = descent_.dual_value(), intercept = descent_.intercept();
    resolve(chosen, stats);
    if (!(descent_.dual_value() > reached)) {
      descent_.restart(now, intercept);
      next_part_ += patience_.passes();
    }
    before_ = duals();
  }
  // The best duals of these slots given all others.
  void resolve(std::span<const std::size_t> chosen, EpochStats& stats) {
    std::vector<double> alpha = duals();
    for (std::size_t s : chosen) alpha[s] = 0;
    descent_.restart(alpha);
    descent_.find_margins();
    MarginProgramme programme;
    for (std::size_t s : chosen)
      add_row(programme, slots()[s], descent_.row(slots()[s]), 1 - slots()[s].margin, false);
    const MarginSolution solution =
        InteriorPoint(programme, kExactly * settings_.tol, 0, Equations::by_rows).solve();
    put_back(chosen, programme, solution, alpha);
    descent_.restart(alpha);
    stats.interrupted |= solution.interrupted;
  }
  // Do the hard margins refute each other, with all of their dual variables for multipliers, or
  // with what these grew by in the last passes? On data that are not separable w settles in the
  // end, while Σ a grows without bound.
  bool grew_too_much(const std::vector<double>& now, const std::vector<double>& before) const {
    if (settings_.free_intercept) return false;
    std::vector<double> grown = now;
    for (std::size_t s = 0; s < now.size(); ++s) grown[s] -= before[s];
    return leaves_no_margin(now) || leaves_no_margin(grown);
  }
  bool leaves_no_margin(const std::vector<double>& a) const {
    Buffer<double> sum(static_cast<std::size_t>(descent_.rows().features()) + 1, 0.0);
    double total = 0, radius = 0, square = 0;
    for (std::size_t s = 0; s < a.size(); ++s) {
      const Slot& slot = slots()[s];
      if (slot.c < kInf) continue;
      radius = std::max(radius, slot.square);
      if (a[s] <= 0) continue;
      total += a[s];
      row(slot).add(a[s] * static_cast<double>(slot.sign), sum.data());
    }
    for (double v : sum) square += v * v;
    return std::sqrt(square) < settings_.min_margin * std::sqrt(radius) * total;
  }

  DualSettings settings_;
  BinaryDescent descent_;
  std::optional<bool> separable_;
  bool soft_ = false;    // some margins are
  double products_ = 0;  // of entries of rows, see MarginEquations
  Patience patience_;
  double next_part_ = 0;
  std::vector<double> before_;       // duals at the last part,
  double work_before_ = 0;           // and the work up to it
  double began_ = 0;                 // the work before the pass
  std::vector<double> found_;        // weights of the exact solution
  std::optional<EpochStats> final_;  // what there is to say of them
};

}  // namespace linnet
