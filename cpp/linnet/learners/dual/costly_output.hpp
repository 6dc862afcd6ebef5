// The output that scores best with its cost, θ·y' + cost(y', y): what a margin asks about first.
// The cost is a sum over parts, that of the structure (Hamming) or a user's; or zero-one, the same
// for all wrong outputs, so that the best of them is wanted: the first or the second of all.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "linnet/data/dataset.hpp"

namespace linnet {

enum class OutputCost { parts, zero_one };

using Parts = std::vector<Id>;  // in order; one that is held twice is named twice

inline Parts gold_parts(const Instance& x) {
  Parts parts;
  for (const auto& [p, count] : x.gold)
    for (double held = count; held > 0; --held) parts.push_back(p);
  std::sort(parts.begin(), parts.end());
  return parts;
}
inline double score_of(const Parts& parts, std::span<const double> theta) {
  double sum = 0;
  for (Id p : parts) sum += theta[p];
  return sum;
}

class CostlyOutput {
 public:
  // `scale` is the cost of one wrong part, or of all. Where every wrong output is one part
  // (`listed`), zero-one is the cost of parts.
  CostlyOutput(OutputCost cost, double scale, bool listed)
      : zero_one_(cost == OutputCost::zero_one && !listed),
        own_costs_(cost == OutputCost::parts),
        scale_(scale) {}

  // The y' for which t θ·y' + cost(y') is largest; t > 0.
  void find(const Instance& x, std::span<const double> theta, double t, OracleWork& work) {
    if (zero_one_)
      find_wrong(x, theta, t);
    else
      find_costly(x, theta, t, work);
  }
  const Parts& parts() const { return parts_; }
  double cost() const { return cost_; }

 private:
  void find_costly(const Instance& x, std::span<const double> theta, double t, OracleWork& work) {
    costs_.assign(theta.size(), 0.0);
    add_cost(*x.oracle, x.gold, own_costs_ ? x.costs : PartCosts(), scale_, costs_);
    together_.resize(theta.size());
    for (std::size_t p = 0; p < theta.size(); ++p) together_[p] = t * theta[p] + costs_[p];
    held_.resize(theta.size());
    x.oracle->solve(Ring::max, together_, held_, work);
    parts_.clear();
    for (std::size_t p = 0; p < held_.size(); ++p)
      for (double held = held_[p]; held > 0; --held) parts_.push_back(static_cast<Id>(p));
    cost_ = score_of(parts_, costs_);
    for (const auto& [p, count] : x.gold) cost_ -= costs_[p] * count;
  }
  void find_wrong(const Instance& x, std::span<const double> theta, double t) {
    const Parts gold = gold_parts(x);
    const double right = score_of(gold, theta);
    parts_ = gold;
    cost_ = 0;
    for (Id k = 2;; k *= 2) {  // an output may have several derivations
      const std::vector<Output> best = x.oracle->best_outputs(theta, k);
      for (const Output& output : best) {
        Parts parts = output.parts;
        std::sort(parts.begin(), parts.end());
        if (parts == gold) continue;
        if (t * (score_of(parts, theta) - right) + scale_ <= 0) return;
        parts_ = std::move(parts);
        cost_ = scale_;
        return;
      }
      if (best.size() < static_cast<std::size_t>(k)) return;  // there is no other
    }
  }

  bool zero_one_, own_costs_;
  double scale_;
  Parts parts_;
  double cost_ = 0;
  std::vector<double> costs_, together_, held_;
};

}  // namespace linnet
