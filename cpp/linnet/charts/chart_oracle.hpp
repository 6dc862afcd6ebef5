// Trees of a grammar as learners see them.
#pragma once
#include "linnet/charts/chart_forest.hpp"
#include "linnet/charts/chart_kernel.hpp"

namespace linnet {

// By the kernel where it can; phrases that are known, and scores beyond its range, take the forest.
class ChartOracle final : public Oracle {
 public:
  explicit ChartOracle(ChartParts parts) : parts_(std::move(parts)) {}
  const ChartParts& chart() const { return parts_; }
  Id parts() const override { return parts_.num_parts(); }

  double solve(Ring ring, std::span<const double> theta, std::span<double> mu,
               OracleWork& work) const override {
    double value;
    if (parts_.known.empty() && solve_fast(ring, theta, mu, work, value)) return value;
    const ChartForest forest(parts_, theta);
    if (ring == Ring::max) return linnet::solve<Max>(forest, theta, mu, work.real);
    return linnet::solve<Log>(forest, theta, mu, work.real);
  }
  void marginals_along(std::span<const double> theta, std::span<const double> tangent,
                       std::span<double> derivative, OracleWork& work) const override {
    OracleOf<ChartForest>(ChartForest(parts_, theta))
        .marginals_along(theta, tangent, derivative, work);
  }
  void add_cost(PartCounts gold, double scale, std::span<double> theta) const override {
    parts_.add_cost(gold, scale, theta);
  }
  std::vector<Output> best_outputs(std::span<const double> theta, Id k) const override {
    return OracleOf<ChartForest>(ChartForest(parts_, theta)).best_outputs(theta, k);
  }
  void holdings(std::vector<Holding>& found) const override { parts_.holdings(found); }

 private:
  struct Scratch final : OracleScratch {
    ChartKernel<MaxPlus> best;
    ChartKernel<SumProduct> sums;
  };
  bool solve_fast(Ring ring, std::span<const double> theta, std::span<double> mu, OracleWork& work,
                  double& value) const {
    auto* scratch = dynamic_cast<Scratch*>(work.scratch.get());
    if (!scratch) {
      work.scratch = std::make_unique<Scratch>();
      scratch = static_cast<Scratch*>(work.scratch.get());
    }
    if (ring == Ring::max) return scratch->best.solve(parts_, theta, mu, value);
    return scratch->sums.solve(parts_, theta, mu, value);
  }

  ChartParts parts_;
};

}  // namespace linnet
