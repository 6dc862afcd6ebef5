// Any oracle, held to a mask: parts that are not allowed are in no output. Legal transitions,
// pinned tokens and tag dictionaries are masks, in training as in prediction.
#pragma once
#include <memory>

#include "linnet/inference/oracle.hpp"

namespace linnet {

class ClampedOracle final : public Oracle {
 public:
  // The caller keeps the mask alive.
  ClampedOracle(std::unique_ptr<Oracle> oracle, Mask allowed)
      : oracle_(std::move(oracle)), allowed_(allowed) {}
  Id parts() const override { return oracle_->parts(); }
  double solve(Ring ring, std::span<const double> theta, std::span<double> mu,
               OracleWork& work) const override {
    return oracle_->solve(ring, clamped(theta, work), mu, work);
  }
  void marginals_along(std::span<const double> theta, std::span<const double> tangent,
                       std::span<double> derivative, OracleWork& work) const override {
    oracle_->marginals_along(clamped(theta, work), tangent, derivative, work);
  }
  void add_cost(std::span<const std::pair<Id, double>> gold, double scale,
                std::span<double> theta) const override {
    oracle_->add_cost(gold, scale, theta);
  }
  std::vector<Output> best_outputs(std::span<const double> theta, Id k) const override {
    OracleWork work;
    return oracle_->best_outputs(clamped(theta, work), k);
  }
  std::optional<double> best_other(std::span<const double> theta, PartCounts gold,
                                   OracleWork& work) const override {
    return oracle_->best_other(clamped(theta, work), gold, work);
  }
  void holdings(std::vector<Holding>& found) const override { oracle_->holdings(found); }

 private:
  std::span<const double> clamped(std::span<const double> theta, OracleWork& work) const {
    work.constrained.assign(theta.begin(), theta.end());
    clamp(allowed_, work.constrained);
    return work.constrained;
  }
  std::unique_ptr<Oracle> oracle_;
  Mask allowed_;
};

}  // namespace linnet
