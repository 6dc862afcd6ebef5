// The oracles of dependency trees by their hand-tuned algorithms. Both join the relations of an arc
// first (the best of them, or all), find trees over arcs, and give relations their share.
#pragma once
#include "linnet/inference/kbest_partition.hpp"
#include "linnet/structures/eisner_kernel.hpp"
#include "linnet/structures/matrix_tree.hpp"
#include "linnet/structures/projective.hpp"
#include "linnet/structures/spanning_tree.hpp"

namespace linnet {

// Arcs and scores of one sentence between calls.
struct TreeScratch : OracleScratch {
  std::vector<double> score, arc_mu;  // [words][words + 1]
  std::vector<Id> heads;
  EisnerChart<double> chart;
  SpanningTree tree;
  MatrixTreeWork matrix;

  static TreeScratch& of(OracleWork& work) {
    if (!dynamic_cast<TreeScratch*>(work.scratch.get()))
      work.scratch = std::make_unique<TreeScratch>();
    return static_cast<TreeScratch&>(*work.scratch);
  }
};

// Projective trees; equal to OracleOf<Projective>.
class ProjectiveOracle final : public KernelOracle<Projective> {
 public:
  using KernelOracle::KernelOracle;

  double solve(Ring ring, std::span<const double> theta, std::span<double> mu,
               OracleWork& work) const override {
    TreeScratch& s = TreeScratch::of(work);
    const ArcParts& parts = structure().arc_parts();
    const Id words = structure().words();
    parts.join(ring, theta, s.score);
    if (ring == Ring::max) {
      s.heads.resize(static_cast<std::size_t>(words));
      const double value =
          eisner_viterbi(s.score.data(), words, structure().single_root, s.heads.data(), s.chart);
      if (!mu.empty() && value > -kInf) parts.choose(theta, s.heads.data(), mu);
      return value;
    }
    s.arc_mu.resize(s.score.size());
    const double value = eisner_marginals(s.score.data(), words, structure().single_root,
                                          mu.empty() ? nullptr : s.arc_mu.data(), s.chart);
    if (std::isnan(value)) return linnet::solve<Log>(structure(), theta, mu, work.real);
    if (!mu.empty() && value > -kInf) parts.share(theta, s.score, s.arc_mu, mu);
    return value;
  }
};

// All trees: the maximum spanning tree, and the matrix-tree theorem. No sweep derives them; parts
// of two arcs (siblings) are beyond both algorithms.
class NonProjectiveOracle final : public Oracle {
 public:
  NonProjectiveOracle(Arcs arcs, Id relations, bool single_root)
      : parts_(std::move(arcs), relations), single_root_(single_root) {}
  const ArcParts& arc_parts() const { return parts_; }
  bool single_root() const { return single_root_; }
  Id parts() const override { return parts_.size(); }

  double solve(Ring ring, std::span<const double> theta, std::span<double> mu,
               OracleWork& work) const override {
    TreeScratch& s = TreeScratch::of(work);
    const Id words = parts_.arcs.words();
    parts_.join(ring, theta, s.score);
    if (ring == Ring::max) {
      s.heads.resize(static_cast<std::size_t>(words));
      const double value = s.tree.best(s.score.data(), words, single_root_, s.heads.data());
      if (!mu.empty() && value > -kInf) parts_.choose(theta, s.heads.data(), mu);
      return value;
    }
    s.arc_mu.resize(s.score.size());
    const double value = matrix_tree(s.score.data(), words, single_root_,
                                     mu.empty() ? nullptr : s.arc_mu.data(), s.matrix);
    if (!mu.empty() && value > -kInf) parts_.share(theta, s.score, s.arc_mu, mu);
    return value;
  }
  // With p the share of a part in its arc and t̄ = Σ_r p t: d(μ p) = dμ p + μ p (t - t̄).
  void marginals_along(std::span<const double> theta, std::span<const double> tangent,
                       std::span<double> derivative, OracleWork& work) const override {
    TreeScratch& s = TreeScratch::of(work);
    const Id words = parts_.arcs.words(), relations = parts_.relations;
    parts_.join(Ring::log, theta, s.score);
    std::vector<double> mean(s.score.size(), 0.0), change(s.score.size());
    const auto share = [&](Id part, Id cell) {
      return theta[part] == -kInf ? 0.0 : exp(theta[part] - s.score[cell]);
    };
    parts_.each([&](Id m, Id h, Id a) {
      const Id cell = parts_.arcs.cell(h, m);
      for (Id part = a * relations; part < (a + 1) * relations; ++part)
        mean[cell] += share(part, cell) * tangent[part];
    });
    s.arc_mu.resize(s.score.size());
    matrix_tree_along(s.score.data(), mean.data(), words, single_root_, s.arc_mu.data(),
                      change.data());
    std::fill(derivative.begin(), derivative.end(), 0.0);
    parts_.each([&](Id m, Id h, Id a) {
      const Id cell = parts_.arcs.cell(h, m);
      for (Id part = a * relations; part < (a + 1) * relations; ++part)
        derivative[part] =
            share(part, cell) * (change[cell] + s.arc_mu[cell] * (tangent[part] - mean[cell]));
    });
  }
  void add_cost(Gold gold, double scale, std::span<double> theta) const override {
    parts_.add_cost(gold, scale, theta);
  }
  void holdings(std::vector<Holding>& found) const override {
    parts_.shifts([&](Id begin, Id end, Id times) { found.push_back({begin, end, times, times}); });
  }
  // k · words spanning trees.
  std::vector<Output> best_outputs(std::span<const double> theta, Id k) const override {
    std::vector<Id> bounds;
    for (Id m = 1; m <= parts_.arcs.words() + 1; ++m)
      bounds.push_back(parts_.arcs.begin(m) * parts_.relations);
    return kbest_by_partition(*this, bounds, theta, k);
  }

 private:
  ArcParts parts_;
  bool single_root_;
};

}  // namespace linnet
