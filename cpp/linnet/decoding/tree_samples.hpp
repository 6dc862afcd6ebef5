// Trees drawn from P(tree) = exp(θ · parts) / Z, whatever their shape.
#pragma once
#include "linnet/decoding/tree_search.hpp"
#include "linnet/inference/sample.hpp"
#include "linnet/structures/spanning_tree_samples.hpp"

namespace linnet {

// Spanning trees with their relations.
class NonProjectiveSampler {
 public:
  // The caller keeps theta alive.
  NonProjectiveSampler(ArcParts parts, bool single_root, std::span<const double> theta)
      : parts_(std::move(parts)), theta_(theta), heads_(parts_.arcs.words()) {
    parts_.join(Ring::log, theta, score_);
    trees_.emplace(score_.data(), parts_.arcs.words(), single_root);
  }
  double log_z() const { return trees_->log_z(); }

  void sample(Rng& rng, std::vector<Id>& output) {
    trees_->sample(rng, heads_.data());
    output.clear();
    for (Id m = 1; m <= parts_.arcs.words(); ++m) {
      const Id h = heads_[m - 1], first = parts_.arcs.find(h, m) * parts_.relations;
      share_.clear();
      for (Id r = 0; r < parts_.relations; ++r)
        share_.push_back(exp(theta_[first + r] - score_[parts_.arcs.cell(h, m)]));
      output.push_back(
          first + (parts_.relations > 1 ? detail::draw(rng, std::span<const double>(share_)) : 0));
    }
  }

 private:
  ArcParts parts_;
  std::span<const double> theta_;
  std::vector<double> score_, share_;
  std::vector<Id> heads_;
  std::optional<SpanningTreeSampler> trees_;
};

// visit(sampler), which has log_z() and sample(rng, parts).
template <class Visit>
void with_tree_sampler(const TreeShape& shape, Arcs arcs, std::span<const double> theta,
                       Visit&& visit) {
  const auto over = [&](const auto& structure) {
    Sampler sampler(structure, theta);
    visit(sampler);
  };
  if (shape.projective && shape.order == 1)
    over(Projective(std::move(arcs), 1, shape.single_root));
  else if (shape.projective)
    over(Siblings(std::move(arcs), 1, shape.single_root));
  else {
    NonProjectiveSampler sampler(ArcParts(std::move(arcs), 1), shape.single_root, theta);
    visit(sampler);
  }
}

}  // namespace linnet
