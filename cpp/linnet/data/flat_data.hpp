// One output of a few that can be listed: labels, each with a block of weights, or candidates, each
// with features of its own; or a number.
#pragma once
#include <array>
#include <cmath>

#include "linnet/data/dataset.hpp"
#include "linnet/data/label_costs.hpp"
#include "linnet/data/targets.hpp"

namespace linnet {

// Block features: every label has its own copy of the features of x. Binary: width 1.
class BlockData final : public Dataset {
 public:
  BlockData(const Rows& rows, std::span<const Id> labels, Id num_labels, bool binary,
            std::span<const double> weights, std::span<const double> costs = {})
      : rows_(rows),
        labels_(labels),
        weights_(weights),
        costs_{costs, num_labels},
        binary_(binary),
        width_(binary ? 1 : num_labels) {
    if (static_cast<Index>(labels.size()) != rows.size())
      throw std::invalid_argument("X has " + std::to_string(rows.size()) + " rows but y has " +
                                  std::to_string(labels.size()));
    if (!weights.empty() && weights.size() != labels.size())
      throw std::invalid_argument("one weight per instance is needed");
    if (num_labels < 1) throw std::invalid_argument("there must be at least one label");
    if (binary && num_labels != 2) throw std::invalid_argument("binary means two labels");
    for (Id y : labels)
      if (y < 0 || y >= num_labels) throw std::invalid_argument("a label id is out of range");
    costs_.check();
    if (binary && !costs.empty()) yes_costs_ = {costs[1], -costs[2]};
    if (binary)
      oracle_ = std::make_unique<BinaryOracle>();
    else
      oracle_ = std::make_unique<MulticlassOracle>(num_labels);
  }
  Index size() const override { return rows_.size(); }
  Index dim() const override { return (static_cast<Index>(rows_.features()) + 1) * stride(); }
  Id width() const override { return width_; }
  bool listed() const override { return true; }
  Index together() const override { return rows_.together(); }
  std::vector<WeightBlock> blocks() const override {
    return {{"labels", 0, static_cast<Index>(rows_.features()) + 1, stride(), {width_}}};
  }
  std::span<const Id> labels() const { return labels_; }
  double weight(Index i) const { return weights_.empty() ? 1 : weights_[i]; }

  Instance read(Index i, InstanceBuffer& buffer) const override {
    buffer.sites.assign(1, Group{&rows_, i, 1, width_, stride(), 0});
    buffer.gold.clear();
    if (binary_)
      buffer.gold.emplace_back(0, static_cast<double>(labels_[i]));
    else
      buffer.gold.emplace_back(labels_[i], 1.0);
    return {buffer.sites, oracle_.get(), buffer.gold, weight(i), {}, costs(labels_[i])};
  }

 private:
  // One part stands for yes; no has cost 0 up to the constant.
  PartCosts costs(Id gold) const {
    if (costs_.empty()) return {};
    return binary_ ? PartCosts(&yes_costs_[static_cast<std::size_t>(gold)], 1) : costs_.row(gold);
  }

  const Rows& rows_;
  std::span<const Id> labels_;
  std::span<const double> weights_;
  LabelCosts costs_;
  std::array<double, 2> yes_costs_{};
  bool binary_;
  Id width_;
  std::unique_ptr<Oracle> oracle_;
};

// Joint features f(x, y): every candidate output of an instance is a site of its own, row
// offsets[i] + j, and all share one weight per feature. Reranking, and any user-written f.
class CandidateData final : public Dataset {
 public:
  CandidateData(const Rows& rows, std::span<const Index> offsets, std::span<const Id> gold,
                std::span<const double> weights)
      : rows_(rows), offsets_(offsets), gold_(gold), weights_(weights) {
    if (offsets.size() != gold.size() + 1 || offsets.front() != 0 || offsets.back() != rows.size())
      throw std::invalid_argument("offsets must run from 0 to the number of candidate rows");
    if (!weights.empty() && weights.size() != gold.size())
      throw std::invalid_argument("one weight per instance is needed");
    for (std::size_t i = 0; i < gold.size(); ++i) {
      if (offsets[i + 1] <= offsets[i])
        throw std::invalid_argument("instance " + std::to_string(i) + " has no candidates");
      if (gold[i] < 0 || gold[i] >= offsets[i + 1] - offsets[i])
        throw std::invalid_argument("the gold candidate of instance " + std::to_string(i) +
                                    " is not among its candidates");
    }
  }
  Index size() const override { return static_cast<Index>(gold_.size()); }
  Index dim() const override { return static_cast<Index>(rows_.features()) + 1; }
  Id width() const override { return 1; }
  bool listed() const override { return true; }
  std::vector<WeightBlock> blocks() const override { return {{"candidates", 0, dim(), 1, {1}}}; }

  Instance read(Index i, InstanceBuffer& buffer) const override {
    const Id count = static_cast<Id>(offsets_[i + 1] - offsets_[i]);
    buffer.sites.assign(1, Group{&rows_, offsets_[i], count, 1, 1, 0});
    buffer.gold.assign(1, {gold_[i], 1.0});
    if (!buffer.oracle || buffer.oracle->parts() != count)
      buffer.oracle = std::make_unique<MulticlassOracle>(count);
    return {buffer.sites, buffer.oracle.get(), buffer.gold, weights_.empty() ? 1 : weights_[i]};
  }

 private:
  const Rows& rows_;
  std::span<const Index> offsets_;
  std::span<const Id> gold_;
  std::span<const double> weights_;
};

// Regression: one score per row, which is to be a number.
class RegressionData final : public Dataset {
 public:
  RegressionData(const Rows& rows, std::span<const double> targets, std::span<const double> weights)
      : rows_(rows), targets_(targets), weights_(weights) {
    if (static_cast<Index>(targets.size()) != rows.size())
      throw std::invalid_argument("X has " + std::to_string(rows.size()) + " rows but y has " +
                                  std::to_string(targets.size()));
    if (!weights.empty() && weights.size() != targets.size())
      throw std::invalid_argument("one weight per instance is needed");
    for (const double y : targets)
      if (!(std::abs(y) < kInf)) throw std::invalid_argument("a target is not a finite number");
  }
  Index size() const override { return rows_.size(); }
  Index dim() const override { return static_cast<Index>(rows_.features()) + 1; }
  Id width() const override { return 1; }
  Index together() const override { return rows_.together(); }
  std::vector<WeightBlock> blocks() const override { return {{"labels", 0, dim(), 1, {1}}}; }

  Instance read(Index i, InstanceBuffer& buffer) const override {
    buffer.sites.assign(1, Group{&rows_, i, 1, 1, 1, 0});
    buffer.gold.assign(1, {0, targets_[i]});
    return {buffer.sites, &target_oracle(), buffer.gold, weights_.empty() ? 1 : weights_[i]};
  }

 private:
  const Rows& rows_;
  std::span<const double> targets_;
  std::span<const double> weights_;
};

}  // namespace linnet
