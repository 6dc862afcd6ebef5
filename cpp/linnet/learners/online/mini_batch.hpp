// One step from several instances, all of them read at the same weights: their average gradient,
//   g = (1/b) Σ_i c_i X_iᵀ δ_i,
// b being their number. Instances are evaluated side by side and summed in their order, a few at a
// time: neither memory nor a bit of the result depends on the number of threads.
#pragma once
#include "linnet/base/interrupt.hpp"
#include "linnet/base/thread_pool.hpp"
#include "linnet/features/row_gradient.hpp"
#include "linnet/learners/online/online_weights.hpp"

namespace linnet {

// Rules that can take a step along a gradient that was summed beforehand.
template <class Rule>
concept TakesGradients =
    requires(Rule rule, OnlineWeights& w, const RowGradient& g) { rule.step_along(w, g); };

class MiniBatch {
 public:
  MiniBatch(Index size, int threads) : size_(size), threads_(threads) {
    if (size < 1) throw std::invalid_argument("a batch has at least one instance");
    if (threads < 1) throw std::invalid_argument("threads must be at least 1");
  }
  Index size() const { return size_; }

  // Sums the gradient of the instances `batch`, which all weigh something, at the weights before
  // this step. False: interrupted, and there is no gradient.
  template <class Rule>
  bool read(const Dataset& data, std::span<const Index> batch, const Loss& loss, Rule& rule,
            OnlineWeights& w, EpochStats& stats, StopCheck& stop) {
    gradient_.clear();
    moved_ = false;
    const double share = 1 / static_cast<double>(batch.size());
    while (!batch.empty()) {
      const auto some = batch.first(std::min(batch.size(), kTogether));
      if (at_once_.size() < some.size()) at_once_.resize(some.size());
      for (std::size_t k = 0; k < some.size(); ++k) {
        at_once_[k].x = data.read(some[k], at_once_[k].buffer);
        rule.settle(w, at_once_[k].x, at_once_[k].buffer);  // moves what several may share
      }
      parallel_for(static_cast<Index>(some.size()), threads_, [&](Index k) {
        Member& m = at_once_[k];
        m.judged = judge(loss, m.x, w, m.buffer);
      });
      for (std::size_t k = 0; k < some.size(); ++k) add(at_once_[k], share, stats);
      if (stop()) return false;
      batch = batch.subspan(some.size());
    }
    return true;
  }
  bool moved() const { return moved_; }
  const RowGradient& gradient() const { return gradient_; }

 private:
  static constexpr std::size_t kTogether = 64;  // instances in memory

  struct Member {
    Instance x{};
    InstanceBuffer buffer;
    Judged judged{};
  };

  void add(Member& member, double share, EpochStats& stats) {
    const auto& [outcome, mistake] = member.judged;
    stats.mistakes += mistake;
    stats.objective += member.x.weight * outcome.loss;
    if (!outcome.moved) return;
    ++stats.updates;
    moved_ = true;
    gradient_.add(member.x.sites, member.buffer.delta, share * member.x.weight, member.buffer.site);
  }

  Index size_;
  int threads_;
  bool moved_ = false;
  RowGradient gradient_;
  std::vector<Member> at_once_;
};

}  // namespace linnet
