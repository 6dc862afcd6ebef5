// Exact samples from P(y) = exp(θ·y) / Z over any structure: from the root down, each node of the
// output takes one of its edges with the probability that the inside values give it.
#pragma once
#include "linnet/base/interrupt.hpp"
#include "linnet/base/rng.hpp"
#include "linnet/inference/solve.hpp"

namespace linnet {

template <Structure S>
class Sampler {
 public:
  // The caller keeps theta alive.
  Sampler(const S& structure, std::span<const double> theta)
      : structure_(structure), theta_(theta) {
    log_z_ = solve<Log>(structure_, theta_, std::span<double>(), work_);
  }
  double log_z() const { return log_z_; }  // -inf: no output is allowed

  // The parts of one output, tied ones as often as they are used.
  void sample(Rng& rng, std::vector<Id>& output) {
    if (log_z_ == -kInf) throw std::invalid_argument("no output is allowed: nothing to sample");
    output.clear();
    stack_.assign(1, structure_.root());
    while (!stack_.empty()) {
      const Id node = stack_.back();
      stack_.pop_back();
      double left = rng.uniform();
      Id edge = 0, taken = -1;  // the last edge that is possible, should rounding leave some over
      structure_.edges(node, [&](const auto& parts, const auto& tails) {
        double x = 0;
        for (Id p : parts) x += theta_[p];
        for (Id t : tails) x += work_.inside[t];
        const double share = x == -kInf ? 0 : exp(x - work_.inside[node]);
        if (left >= 0 && share > 0) taken = edge, left -= share;
        ++edge;
      });
      steps_(16 + 8 * Index{edge});
      edge = 0;
      structure_.edges(node, [&](const auto& parts, const auto& tails) {
        if (edge++ != taken) return;
        output.insert(output.end(), parts.begin(), parts.end());
        stack_.insert(stack_.end(), tails.begin(), tails.end());
      });
    }
  }

 private:
  const S& structure_;
  std::span<const double> theta_;
  Workspace<double> work_;
  std::vector<Id> stack_;
  Steps steps_;
  double log_z_;
};

}  // namespace linnet
