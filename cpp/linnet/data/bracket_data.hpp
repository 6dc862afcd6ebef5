// Sentences: trees of labelled brackets. Sites are spans, with a column of weights for each label;
// so every learner of the library trains parsers of phrases through the same two waists.
#pragma once
#include "linnet/data/dataset.hpp"
#include "linnet/phrases/gold_brackets.hpp"
#include "linnet/structures/brackets/bracketing_kernel.hpp"

namespace linnet {

class BracketData final : public Dataset {
 public:
  // rows: of all spans of all sentences, by begin, then end. weights: of sentences; empty ones are
  // 1. whole: is every sentence a bracket? The caller keeps all of them alive.
  BracketData(const Rows& rows, std::span<const Index> offsets, const GoldBrackets& gold,
              bool whole, std::span<const double> weights)
      : rows_(rows), gold_(gold), whole_(whole), weights_(weights) {
    if (offsets.empty() || offsets.front() != 0)
      throw std::invalid_argument("offsets must begin with 0");
    gold.check(offsets);
    if (!weights.empty() && weights.size() + 1 != offsets.size())
      throw std::invalid_argument("one weight per sentence is needed");
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
      const auto words = static_cast<Id>(offsets[i + 1] - offsets[i]);
      if (!Bracketing::fits(words, gold.labels()))
        throw std::invalid_argument("sentence " + std::to_string(i) + " is too long");
      words_.push_back(words);
      starts_.push_back(starts_.back() + Bracketing{words, 1}.spans());
      if (words > 0) sentences_.push_back(static_cast<Index>(i));
    }
    if (rows.size() != starts_.back())
      throw std::invalid_argument("there must be one row for each span");
  }
  Index size() const override { return std::ssize(sentences_); }
  Index dim() const override { return (static_cast<Index>(rows_.features()) + 1) * stride(); }
  Id width() const override { return gold_.labels(); }
  std::vector<WeightBlock> blocks() const override {
    return {{"spans", 0, static_cast<Index>(rows_.features()) + 1, stride(), {width()}}};
  }
  bool partial() const override { return gold_.any_partial(); }

  Instance read(Index n, InstanceBuffer& buffer) const override {
    const Index i = sentences_[static_cast<std::size_t>(n)];
    const Bracketing trees{words_[static_cast<std::size_t>(i)], width(), whole_, {}};
    buffer.sites.assign(1, Group{&rows_, starts_[static_cast<std::size_t>(i)], trees.spans(),
                                 width(), stride(), 0});
    buffer.oracle = std::make_unique<BracketingOracle>(trees);
    std::vector<Id> known;
    gold_.find(i, trees, known);
    buffer.gold.clear();
    for (std::size_t span = 0; span < known.size(); ++span)
      if (known[span] >= 0)
        buffer.gold.emplace_back(static_cast<Id>(span) * width() + known[span], 1.0);
    Instance x{buffer.sites, buffer.oracle.get(), buffer.gold,
               weights_.empty() ? 1 : weights_[static_cast<std::size_t>(i)]};
    if (!gold_.complete(i)) set_partial(i, trees, known, buffer, x);
    return x;
  }

 private:
  // What agrees with the known brackets; spans of which nothing is known cost nothing.
  void set_partial(Index i, const Bracketing& trees, std::span<const Id> known,
                   InstanceBuffer& buffer, Instance& x) const {
    const auto parts = static_cast<std::size_t>(trees.num_parts());
    buffer.consistent.assign(parts, 1);
    buffer.costs.assign(parts, 0.0);
    for (std::size_t p = 0; p < parts; ++p) {
      const Id label = known[p / static_cast<std::size_t>(width())];
      if (label == GoldBrackets::kUnknown) continue;
      const bool right = static_cast<Id>(p % static_cast<std::size_t>(width())) == label;
      buffer.consistent[p] = right;
      buffer.costs[p] = right ? -1 : 1;
    }
    buffer.agreeing = std::make_unique<BracketingOracle>(
        Bracketing{trees.length, trees.labels, trees.whole, gold_.demands(i, trees)});
    x.consistent = buffer.consistent;
    x.costs = buffer.costs;
    x.agreeing = buffer.agreeing.get();
  }

  const Rows& rows_;
  const GoldBrackets& gold_;
  bool whole_;
  std::span<const double> weights_;
  std::vector<Id> words_;
  std::vector<Index> starts_{0}, sentences_;  // first rows; sentences that are not empty
};

}  // namespace linnet
