// The oracle of a factor graph: parts are the entries of its factors, one after the other. The best
// assignment and sums by the tables of the junction tree; equal to the generic recursions over the
// same tree.
#pragma once
#include "linnet/base/rng.hpp"
#include "linnet/graphs/calibration.hpp"
#include "linnet/graphs/junction_sweep.hpp"

namespace linnet {

struct GraphScratch : OracleScratch {
  Calibration calibration;
  std::vector<double> potential;
  std::vector<Id> values;

  static GraphScratch& of(OracleWork& work) {
    if (!dynamic_cast<GraphScratch*>(work.scratch.get()))
      work.scratch = std::make_unique<GraphScratch>();
    return static_cast<GraphScratch&>(*work.scratch);
  }
};

// exp(theta), each factor divided by its largest entry: the sum of what was divided by. What an
// entry may lack because it is below the range goes into `lost`.
inline double to_potentials(std::span<const double> theta, std::span<const Index> starts,
                            std::vector<double>& potential, double& lost) {
  potential.resize(theta.size());
  double shift = 0;
  lost = 0;
  for (std::size_t f = 0; f + 1 < starts.size(); ++f) {
    const auto begin = static_cast<std::size_t>(starts[f]),
               end = static_cast<std::size_t>(starts[f + 1]);
    const double top = most_of(theta.subspan(begin, end - begin));
    if (top > -kInf) shift += top;
    for (std::size_t p = begin; p < end; ++p) {
      potential[p] = top > -kInf ? exp(theta[p] - top) : 0;
      if (potential[p] == 0 && theta[p] > -kInf) lost = 0x1p-1020;
    }
  }
  return shift;
}

// The part of each factor that agrees with the values of all variables.
inline Id part_of(const GraphShape& shape, Index f, std::span<const Id> values) {
  Index at = 0;
  for (Id v : shape.scopes.of(f)) at = at * shape.scopes.sizes[v] + values[v];
  return static_cast<Id>(shape.starts[f] + at);
}

// After collect in Space::max: the best values. Equal ones: the earlier entry of the clique.
inline void best_values(const GraphShape& shape, Calibration& calibration,
                        std::vector<Id>& values) {
  values.assign(shape.observed.begin(), shape.observed.end());
  values.resize(shape.scopes.sizes.size(), -1);
  calibration.descend(shape.scopes.sizes, values, [](std::span<const double> block) {
    return std::max_element(block.begin(), block.end()) - block.begin();
  });
}
// After collect in another space: values drawn from the distribution.
inline void draw_values(const GraphShape& shape, Calibration& calibration, bool logs, Rng& rng,
                        std::vector<Id>& values) {
  values.assign(shape.observed.begin(), shape.observed.end());
  values.resize(shape.scopes.sizes.size(), -1);
  std::vector<double> shares;
  calibration.descend(shape.scopes.sizes, values, [&](std::span<const double> block) {
    shares.assign(block.begin(), block.end());
    const double top = most_of(block);
    double total = 0;
    for (double& x : shares) total += x = logs ? exp(x - top) : x / top;
    double left = rng.uniform() * total;
    Index taken = 0;
    for (std::size_t i = 0; i < shares.size() && left >= 0; ++i)
      if (shares[i] > 0) taken = static_cast<Index>(i), left -= shares[i];
    return taken;
  });
}

class GraphOracle final : public KernelOracle<JunctionSweep> {
 public:
  explicit GraphOracle(std::shared_ptr<const GraphShape> shape)
      : KernelOracle(JunctionSweep(std::move(shape))) {}
  const GraphShape& shape() const { return structure().shape(); }

  double solve(Ring ring, std::span<const double> theta, std::span<double> mu,
               OracleWork& work) const override {
    GraphScratch& s = GraphScratch::of(work);
    s.calibration.use(shape().tree);
    if (ring == Ring::max) {
      const double value = s.calibration.collect(Space::max, theta, shape().starts);
      if (mu.empty() || value == -kInf) return value;
      best_values(shape(), s.calibration, s.values);
      std::fill(mu.begin(), mu.end(), 0.0);
      for (Index f = 0; f < shape().scopes.factors(); ++f) mu[part_of(shape(), f, s.values)] = 1;
      return value;
    }
    double lost;
    const double shift = to_potentials(theta, shape().starts, s.potential, lost);
    double value = s.calibration.collect(Space::scaled, s.potential, shape().starts, lost) + shift;
    if (std::isnan(value)) value = s.calibration.collect(Space::log, theta, shape().starts);
    if (mu.empty() || value == -kInf) return value;
    s.calibration.distribute();
    for (Index f = 0; f < shape().scopes.factors(); ++f)
      s.calibration.factor(f, mu.subspan(static_cast<std::size_t>(shape().starts[f]),
                                         static_cast<std::size_t>(shape().scopes.entries(f))));
    return value;
  }
};

}  // namespace linnet
