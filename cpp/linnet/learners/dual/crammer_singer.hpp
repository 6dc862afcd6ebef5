// The multiclass SVM of Crammer and Singer at any price of slack: descent, and the exact solution
// of the whole or of the part that moves most where descent takes too long; hard margins, with a
// verdict; intercepts free of the penalty.
#pragma once
#include <optional>

#include "linnet/learners/dual/dual_crammer_singer.hpp"
#include "linnet/learners/dual/exact_margins.hpp"
#include "linnet/learners/dual/joint_dual.hpp"
#include "linnet/learners/dual/joint_margins.hpp"

namespace linnet {

struct JointSettings {
  double tol = 1e-3;
  std::uint64_t seed = 0;
  bool free_intercept = false;
  double min_margin = 1e-4;  // a smaller one, relative to the largest ‖d‖, counts as none
};

class CrammerSinger {
 public:
  using Descent = JointDual<CrammerSingerBlock>;

  CrammerSinger(const Rows& rows, std::span<const Id> labels, std::span<const double> costs,
                Id width, const JointSettings& settings)
      : settings_(settings),
        bias_(static_cast<double>(rows.bias())),
        free_(settings.free_intercept && bias_ != 0),
        descent_(rows, labels, costs, width, free_, settings.tol, settings.seed) {
    RowBuffer buffer;
    const auto k = static_cast<double>(width);
    std::optional<Id> only;  // the label of all instances
    bool several = false;
    for (Index i = 0; i < rows.size(); ++i) {
      if (costs[i] == 0) continue;
      const Row row = rows.row(i, buffer);
      const auto entries = static_cast<double>(2 * row.size + 2);
      rows_ += k - 1;
      products_ += k * (k - 1) / 4 * entries * entries;
      several |= only.value_or(labels[i]) != labels[i];
      only = labels[i];
      if (costs[i] < kInf) continue;
      hard_ = true;
      // No weights give a margin to an instance without features.
      if (width > 1 && squared_norm(row, rows.bias()) == 0 && !free_) separable_ = false;
    }
    weights_ = (static_cast<double>(rows.features()) + 1) * k;
    if (free_ && only && !several) settle(*only);
  }

  EpochStats epoch() {
    if (final_) return *final_;
    if (separable_ == false) return certify();
    if (!pass().goes_on()) began_ = work();
    EpochStats stats = descent_.epoch();
    if (stats.paused) return stats;
    patience_.spend(work() - began_, descent_.visit([](auto& s) { return s.excess(); }));
    if (!stats.converged && !stats.interrupted) {
      if (patience_.allows(rows_, products_, weights_))
        solve(stats);
      else if (descent_.fine() && patience_.passes() >= next_part_)
        solve_part(stats);
    }
    if (hard_ && stats.objective < kInf) separable_ = true;
    return stats;
  }
  EpochStats certify() {
    return final_ ? *final_ : descent_.visit([](auto& s) { return s.certify(); });
  }

  // The weights are those of the descent as they are; else they are [features + 1][stride].
  bool plain() {
    return !final_ && !free_ && descent_.visit([](auto& s) { return s.scale() == 1; });
  }
  std::vector<double> weights() {
    if (final_) return found_;
    return descent_.visit([&](auto& s) {
      const auto w = s.point().weights();
      std::vector<double> copy(w.begin(), w.end());
      if (free_) put_intercept(s.point().intercept(), copy);
      for (double& v : copy) v *= s.scale();
      return copy;
    });
  }
  void state(Archive& a) {
    a(descent_, separable_, patience_, next_part_, work_before_, began_, final_);
    a.list(before_, found_);
    descent_.visit([&](auto& s) {
      Archive::require(before_.empty() || before_.size() == s.point().duals().size(),
                       "duals are missing");
      Archive::require(!final_ || found_.size() == s.point().weights().size(),
                       "weights are missing");
    });
  }
  Pass& pass() { return descent_.pass(); }
  Descent& descent() { return descent_; }
  // Can the hard margins be had? Yes once weights have them, no once that is proved to be
  // impossible.
  std::optional<bool> separable() const { return separable_; }

 private:
  using Fine = Descent::Fine;
  static constexpr int kPassesBetween = 20;  // two parts
  static constexpr double kMostRows = 1000;  // of a part

  double work() {
    return descent_.visit([](auto& s) { return s.work(); });
  }
  void put_intercept(const std::vector<double>& b, std::vector<double>& w) const {
    for (std::size_t k = 0; k < b.size(); ++k) w[k] = b[k] / bias_;
  }

  // Below it there is none; where weights have one, it is what it is.
  double least_margin() const { return separable_ == true ? 0 : settings_.min_margin; }
  // Intercepts alone do for a single label, and cost nothing.
  void settle(Id label) {
    if (hard_) separable_ = true;
    final_ = EpochStats{};
    final_->objective = final_->dual = final_->gap = 0;
    final_->converged = true;
    found_.assign(descent_.visit([](auto& s) { return s.point().weights().size(); }), 0.0);
    std::vector<double> b(static_cast<std::size_t>(label) + 1, 0.0);
    b.back() = 1;
    put_intercept(b, found_);
  }

  void solve(EpochStats& stats) {
    patience_.tried();
    Fine& descent = descent_.refine();
    const std::vector<JointPair> pairs = all_pairs(descent.point());
    const MarginProgramme programme = whole_programme(descent.point(), pairs);
    const MarginVerdict verdict =
        solve_exactly(programme, kExactly * settings_.tol, least_margin());
    stats.interrupted = verdict.solution.interrupted;
    if (!verdict.separable) separable_ = false;
    if (stats.interrupted || !verdict.separable) return;
    Buffer<double> alpha = without(descent.point(), pairs);
    put_back(descent.point(), pairs, programme, verdict.solution, alpha);
    std::vector<double> intercept;
    if (free_) {
      intercept.assign(1, 0.0);
      intercept.insert(intercept.end(), verdict.solution.v.begin(), verdict.solution.v.end());
    }
    descent.restart(alpha, intercept);
    stats = descent.certify();
    // Multipliers that were found beside the weights are not as exact as these.
    std::vector<JointPair> inner;
    for (std::size_t p : verdict.solution.inner_rows(programme)) inner.push_back(pairs[p]);
    if (!stats.converged && !inner.empty() && static_cast<double>(inner.size()) <= kMostRows) {
      resolve(inner, descent, stats);
      const EpochStats again = descent.certify();
      if (again.dual > stats.dual)
        stats = again;
      else
        descent.restart(alpha, intercept);
    }
    if (!stats.converged && !stats.interrupted)
      look_at(verdict.solution, intercept, descent, stats);
  }
  // The weights found beside the multipliers: more exact than W(α) where prices are high.
  void look_at(const MarginSolution& solution, const std::vector<double>& intercept, Fine& descent,
               EpochStats& stats) {
    found_.assign(descent.point().weights().size(), 0.0);
    for (std::size_t k = 0; k < solution.columns.size(); ++k)
      found_[static_cast<std::size_t>(solution.columns[k])] = solution.w[k];
    if (free_) put_intercept(intercept, found_);
    const double objective = scale_up(descent.point(), found_);
    if (!(objective < kInf && objective - stats.dual <= settings_.tol * objective)) return;
    stats.objective = objective;
    stats.gap = objective - stats.dual;
    stats.converged = true;
    final_ = stats;
  }

  // The rows that moved most in the last passes, as many as these passes pay for, with all others
  // as they are. Instances that contradict each other push each other up to their prices, which
  // takes descent as many passes as prices are high. What does not raise the dual is not taken.
  void solve_part(EpochStats& stats) {
    Fine& descent = descent_.refine();
    next_part_ = patience_.passes() + kPassesBetween;
    Buffer<double> now(descent.point().duals().begin(), descent.point().duals().end());
    const double spent = descent.work() - std::exchange(work_before_, descent.work());
    const Buffer<double> before = std::exchange(before_, now);
    if (before.empty()) return;
    const std::vector<JointPair> pairs =
        most_moved(descent.point(), before,
                   static_cast<std::size_t>(std::min(kMostRows, Patience::rows_for(spent))));
    if (pairs.empty()) return;
    if (hard_ && !separable_ && refuted(descent, pairs)) {
      separable_ = false;
      return;
    }
    const double reached = descent.point().dual_value();
    resolve(pairs, descent, stats);
    if (!(descent.point().dual_value() > reached)) {
      descent.restart(now);
      next_part_ += patience_.passes();
    }
    before_.assign(descent.point().duals().begin(), descent.point().duals().end());
  }
  // The best masses of these pairs given all others.
  void resolve(const std::vector<JointPair>& pairs, Fine& descent, EpochStats& stats) {
    Buffer<double> alpha = without(descent.point(), pairs);
    descent.restart(alpha);
    const MarginProgramme programme = part_programme(descent.point(), pairs);
    const MarginSolution solution =
        InteriorPoint(programme, kExactly * settings_.tol, 0, Equations::by_rows).solve();
    put_back(descent.point(), pairs, programme, solution, alpha);
    descent.restart(alpha);
    stats.interrupted |= solution.interrupted;
  }
  // Are these pairs alone impossible?
  bool refuted(const Fine& descent, const std::vector<JointPair>& pairs) const {
    std::vector<JointPair> hard;
    for (const JointPair& p : pairs)
      if (descent.point().cost(p.instance) == kInf) hard.push_back(p);
    if (hard.empty()) return false;
    const MarginProgramme rows = whole_programme(descent.point(), hard);
    return !solve_exactly(rows, kExactly * settings_.tol, least_margin()).separable;
  }

  JointSettings settings_;
  double bias_;  // the value of the constant feature
  bool free_;    // Is there an intercept, and is it free?
  Descent descent_;
  bool hard_ = false;
  std::optional<bool> separable_;
  double rows_ = 0, products_ = 0, weights_ = 0;  // of the whole programme
  Patience patience_;
  double next_part_ = 0;
  Buffer<double> before_;            // α at the last part,
  double work_before_ = 0;           // and the work up to it
  double began_ = 0;                 // the work before the pass
  std::vector<double> found_;        // weights of the exact solution
  std::optional<EpochStats> final_;  // what there is to say of them
};

}  // namespace linnet
