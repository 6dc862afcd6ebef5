// The exact solution of a margin programme, or the proof that its hard margins cannot be had.
//
// For multipliers a >= 0 with Σ a_j e_j = 0, a direction of norm 1 has no margin, relative to what
// is asked for, above ‖Σ a_j d_j‖ / Σ a_j b_j. If that is below min_margin · max ‖d_j‖ / b_j, there
// is no margin worth the name, unless weights were found that have one nevertheless.
//
// Descent gains little at a time where rows are nearly alike and prices high, and nothing bounds
// the passes it needs. So when it has cost as much as the exact solution would, that is taken:
// whatever the problem is like, no more than twice the work of the better of the two is done. The
// longer descent takes the less it is trusted.
#pragma once
#include "linnet/base/archive.hpp"
#include "linnet/optimisers/interior_point.hpp"

namespace linnet {

// How much more exact than the tolerance the solution of a programme is.
inline constexpr double kExactly = 1e-4;

struct MarginVerdict {
  bool separable = true;
  MarginSolution solution;  // if it is
};

// Do the weights of a solution give all rows some of the margin they ask for, more than rounding?
inline bool separates(const MarginProgramme& hard, const MarginSolution& solution) {
  const auto weight = [&](Index column) {
    const auto at = std::lower_bound(solution.columns.begin(), solution.columns.end(), column);
    return solution.w[static_cast<std::size_t>(at - solution.columns.begin())];
  };
  for (std::size_t j = 0; j < hard.rows(); ++j) {
    double margin = 0, size = 0;
    const auto add = [&](double part) {
      margin += part;
      size += std::abs(part);
    };
    for (std::size_t k = hard.starts[j]; k < hard.starts[j + 1]; ++k)
      add(hard.values[k] * weight(hard.columns[k]));
    for (std::size_t k = 0; k < hard.free(); ++k)
      add(hard.free_values[j * hard.free() + k] * solution.v[k]);
    if (!(margin > 1e-9 * size)) return false;
  }
  return true;
}

// Do these multipliers leave no margin?
inline bool refutes(const MarginProgramme& hard, std::span<const double> a, double min_margin) {
  std::vector<std::pair<Index, double>> sum;
  std::vector<double> balance(hard.free(), 0.0);
  double asked = 0, all = 0;
  for (std::size_t j = 0; j < hard.rows(); ++j) {
    asked += a[j] * hard.bounds[j];
    all += a[j];
    for (std::size_t k = hard.starts[j]; k < hard.starts[j + 1]; ++k)
      sum.emplace_back(hard.columns[k], a[j] * hard.values[k]);
    for (std::size_t k = 0; k < hard.free(); ++k)
      balance[k] += a[j] * hard.free_values[j * hard.free() + k];
  }
  for (double r : balance)
    if (!(std::abs(r) <= 1e-7 * all)) return false;
  std::sort(sum.begin(), sum.end());
  double square = 0;
  for (std::size_t k = 0; k < sum.size();) {
    const Index column = sum[k].first;
    double total = 0;
    for (; k < sum.size() && sum[k].first == column; ++k) total += sum[k].second;
    square += total * total;
  }
  return std::sqrt(square) < min_margin * hard.radius() * asked;
}

inline MarginVerdict solve_exactly(const MarginProgramme& programme, double tol,
                                   double min_margin) {
  MarginVerdict verdict;
  const MarginProgramme hard = programme.hard_rows();
  if (hard.rows() > 0) {
    const double none = 0.1 * min_margin * hard.radius();
    const MarginProgramme wide = hard.widest();
    MarginSolution widest = InteriorPoint(wide, tol, 0.5 * none * none).solve();
    if (widest.interrupted) {
      verdict.solution.interrupted = true;
      return verdict;
    }
    widest.surplus.pop_back();
    const double spare = widest.a.back();  // 1 − Σ a b: all of it if no weights are needed
    widest.a.pop_back();
    verdict.separable =
        spare > 0.5 || separates(hard, widest) || !refutes(hard, widest.a, min_margin);
    if (!verdict.separable) return verdict;
    if (hard.rows() == programme.rows()) {  // a margin of 1 instead of the widest for ½‖w‖² = ρ / 2
      const double margin = widest.v.back();
      widest.v.pop_back();
      for (auto* part : {&widest.a, &widest.surplus, &widest.w, &widest.v})
        for (double& x : *part) x /= margin;
      verdict.solution = std::move(widest);
      return verdict;
    }
  }
  verdict.solution = InteriorPoint(programme, tol).solve();
  return verdict;
}

// When is it time for the exact solution?
class Patience {
 public:
  // A pass that took about so many multiplications, after which the gap is `excess` times as large
  // as it may be, as far as is known.
  void spend(double work, double excess) {
    spent_ += work;
    ++passes_;
    recent_ = 0.9 * recent_ + 0.1 * work;
    if (std::fmod(passes_, kPeriod) != 0) return;
    const double fall = std::log(excess_before_ / excess) / kPeriod;  // per pass
    passes_left_ = fall > 0 ? std::log(excess) / fall : kInf;
    excess_before_ = excess;
  }
  double passes() const { return passes_; }
  // Rows of which all pairs within groups have `products` products of two entries, over `weights`
  // weights: see MarginEquations.
  bool allows(double rows, double products, double weights) const {
    const double by_rows = rows * rows * rows / 6;
    const double by_columns = products + weights * weights * weights / 6;
    const double size = by_rows <= by_columns ? rows : weights;
    const double work = kSteps * std::min(by_rows, by_columns);
    const bool nearly_there = passes_ < kManyPasses && passes_left_ * recent_ < work;
    return work <= spent_ * std::max(1.0, 0.1 * passes_) && size <= kMostEquations && !nearly_there;
  }
  void tried() { spent_ = 0; }
  // How many rows a part may have for a share of that work.
  static double rows_for(double work) { return std::cbrt(6 * kShare * work / kSteps); }
  void state(Archive& a) { a(spent_, passes_, recent_, excess_before_, passes_left_); }

 private:
  static constexpr double kSteps = 25, kMostEquations = 3000, kPeriod = 20, kManyPasses = 500;
  static constexpr double kShare = 0.25;
  double spent_ = 0, passes_ = 0, recent_ = 0;
  double excess_before_ = kInf, passes_left_ = kInf;
};

}  // namespace linnet
