// Labelled brackets, fast: labels of a span are joined first, so that the search is over spans
// (BracketChart), and get their share of it afterwards. Held equal to the generic sweep.
#pragma once
#include "linnet/inference/oracle.hpp"
#include "linnet/structures/brackets/bracket_chart.hpp"

namespace linnet {

class BracketingOracle final : public KernelOracle<Bracketing> {
 public:
  using KernelOracle::KernelOracle;

  double solve(Ring ring, std::span<const double> theta, std::span<double> mu,
               OracleWork& work) const override {
    Scratch& s = scratch(work);
    s.chart.enter(structure());
    std::fill(mu.begin(), mu.end(), 0.0);
    return ring == Ring::max ? best(theta, mu, s) : sum(theta, mu, s);
  }

 private:
  struct Scratch final : OracleScratch {
    BracketChart chart;
    std::vector<Id> top;  // label of each span
  };
  static Scratch& scratch(OracleWork& work) {
    auto* found = dynamic_cast<Scratch*>(work.scratch.get());
    if (!found) {
      work.scratch = std::make_unique<Scratch>();
      found = static_cast<Scratch*>(work.scratch.get());
    }
    return *found;
  }
  template <class Visit>
  void each_span(Visit&& visit) const {
    for (Id i = 0, number = 0; i < structure().length; ++i)
      for (Id j = i + 1; j <= structure().length; ++j) visit(i, j, number++);
  }

  double best(std::span<const double> theta, std::span<double> mu, Scratch& s) const {
    const Id labels = structure().labels;
    s.top.resize(static_cast<std::size_t>(structure().spans()));
    each_span([&](Id i, Id j, Id number) {
      const double* score = theta.data() + number * labels;
      const auto top = std::max_element(score, score + labels);
      s.chart.label(i, j) = *top;
      s.top[static_cast<std::size_t>(number)] = static_cast<Id>(top - score);
    });
    const double value = s.chart.best();
    if (!mu.empty() && value > -kInf)
      s.chart.walk([&](Id i, Id j) {
        const Id number = structure().span(i, j);
        mu[static_cast<std::size_t>(number * labels + s.top[static_cast<std::size_t>(number)])] = 1;
      });
    return value;
  }
  double sum(std::span<const double> theta, std::span<double> mu, Scratch& s) const {
    const Id labels = structure().labels;
    each_span([&](Id i, Id j, Id number) {
      s.chart.label(i, j) = log_sum(theta.data() + number * labels, labels);
    });
    const double value = s.chart.sum();
    if (!mu.empty() && value > -kInf)
      s.chart.flow([&](Id i, Id j, double share) {
        const Id first = structure().part(i, j, 0);
        share_labels(theta.data() + first, labels, share, s.chart.label(i, j), mu.data() + first);
      });
    return value;
  }
  LINNET_CLONES static double log_sum(const double* terms, Id count) {
    double top = -kInf, sum = 0;
    for (Id k = 0; k < count; ++k) top = std::max(top, terms[k]);
    if (top == -kInf) return -kInf;
    for (Id k = 0; k < count; ++k) sum += exp(terms[k] - top);
    return top + std::log(sum);
  }
  LINNET_CLONES static void share_labels(const double* LINNET_RESTRICT score, Id count, double all,
                                         double joined, double* LINNET_RESTRICT share) {
    for (Id l = 0; l < count; ++l) share[l] = all * exp(score[l] - joined);
  }
};

}  // namespace linnet
