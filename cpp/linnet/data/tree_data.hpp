// Sentences: trees over candidate arcs. Sites are arcs, then, in second order, arcs with siblings;
// both have one weight per feature, of the same table. So every learner of the library trains
// parsers through the same two waists.
#pragma once
#include "linnet/arcs/arc_rows.hpp"
#include "linnet/arcs/sibling_rows.hpp"
#include "linnet/data/dataset.hpp"
#include "linnet/structures/tree_shape.hpp"

namespace linnet {

class TreeData final : public Dataset {
 public:
  // rows: of the candidate arcs. siblings: their rows and where those of each sentence begin, for
  // shapes of second order. gold: the head of each token, -1 where it is missing (summed out).
  // weights: of sentences; empty ones are 1. The caller keeps all of them alive.
  TreeData(const Rows& rows, const CandidateArcs& arcs, std::span<const Index> offsets,
           std::span<const Id> gold, std::span<const double> weights, TreeShape shape,
           const Rows* siblings = nullptr, std::span<const Index> sibling_starts = {})
      : rows_(rows),
        siblings_(siblings),
        arcs_(arcs),
        offsets_(offsets),
        sibling_starts_(sibling_starts),
        gold_(gold),
        weights_(weights),
        shape_(shape) {
    shape.check();
    check_arcs(arcs, offsets);
    if (rows.size() != std::ssize(arcs.heads))
      throw std::invalid_argument("there must be one row for each candidate arc");
    if (std::ssize(gold) != offsets.back())
      throw std::invalid_argument("there must be one head for each token");
    if (!weights.empty() && weights.size() + 1 != offsets.size())
      throw std::invalid_argument("one weight per sentence is needed");
    if ((shape.order == 2) != (siblings != nullptr))
      throw std::invalid_argument("rows of siblings belong to trees of second order");
    if (siblings &&
        (sibling_starts.size() != offsets.size() || sibling_starts.back() != siblings->size() ||
         siblings->features() != rows.features() || siblings->bias() != 0))
      throw std::invalid_argument("rows of siblings do not fit the sentences");
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
      if (offsets[i] == offsets[i + 1]) continue;
      sentences_.push_back(static_cast<Index>(i));
      check_sentence(static_cast<Index>(i));
    }
  }

  Index size() const override { return std::ssize(sentences_); }
  Index dim() const override { return static_cast<Index>(rows_.features()) + 1; }
  Id width() const override { return 1; }
  std::vector<WeightBlock> blocks() const override { return {{"arcs", 0, dim(), 1, {1}}}; }
  bool partial() const override { return partial_; }
  Index tokens() const { return offsets_.back(); }
  Index arcs() const { return rows_.size(); }
  Index first_token(Index n) const { return offsets_[sentences_[n]]; }
  Id words(Index n) const {
    return static_cast<Id>(offsets_[sentences_[n] + 1] - offsets_[sentences_[n]]);
  }

  Instance read(Index n, InstanceBuffer& buffer) const override {
    const Index i = sentences_[static_cast<std::size_t>(n)], first = arcs_.starts[offsets_[i]];
    const auto count = static_cast<Id>(arcs_.starts[offsets_[i + 1]] - first);
    buffer.sites.assign(1, Group{&rows_, first, count, 1, 1, 0});
    if (siblings_)
      buffer.sites.push_back({siblings_, sibling_starts_[i],
                              static_cast<Id>(sibling_starts_[i + 1] - sibling_starts_[i]), 1, 1,
                              0});
    const auto heads = gold_.subspan(static_cast<std::size_t>(offsets_[i]),
                                     static_cast<std::size_t>(offsets_[i + 1] - offsets_[i]));
    Instance x{buffer.sites, nullptr, {}, weights_.empty() ? 1 : weights_[i]};
    set_oracle(i, heads, buffer);
    x.oracle = buffer.oracle.get();
    x.gold = buffer.gold;
    if (std::find(heads.begin(), heads.end(), -1) == heads.end()) return x;
    set_partial(i, heads, buffer);
    x.consistent = buffer.consistent;
    x.costs = buffer.costs;
    return x;
  }

 private:
  Arcs local_arcs(Index i) const {
    std::vector<Id> begin;
    const Index first = arcs_.starts[offsets_[i]], end = arcs_.starts[offsets_[i + 1]];
    for (Index t = offsets_[i]; t <= offsets_[i + 1]; ++t)
      begin.push_back(static_cast<Id>(arcs_.starts[t] - first));
    return Arcs(begin, arcs_.heads.subspan(static_cast<std::size_t>(first),
                                           static_cast<std::size_t>(end - first)));
  }
  // The number of an arc in its sentence, or -1.
  Id find(Index i, Id head, Id modifier) const {
    const Index token = offsets_[i] + modifier - 1;
    for (Index a = arcs_.starts[token]; a < arcs_.starts[token + 1]; ++a)
      if (arcs_.heads[a] == head) return static_cast<Id>(a - arcs_.starts[offsets_[i]]);
    return -1;
  }
  void check_sentence(Index i) {
    const auto refuse = [&](Index t, const std::string& what) {
      throw std::invalid_argument("sentence " + std::to_string(i) + ", token " +
                                  std::to_string(t - offsets_[i] + 1) + ": " + what);
    };
    for (Index t = offsets_[i]; t < offsets_[i + 1]; ++t) {
      const auto m = static_cast<Id>(t - offsets_[i]) + 1;
      if (find(i, m - 1, m) < 0) refuse(t, "the word before is not among its candidates");
      if (gold_[t] < -1) refuse(t, "its head is out of range");
      if (gold_[t] >= 0 && find(i, gold_[t], m) < 0) refuse(t, "its head is no candidate");
      partial_ |= gold_[t] < 0;
    }
  }

  // The oracle, and the parts of the heads that are known.
  void set_oracle(Index i, std::span<const Id> heads, InstanceBuffer& buffer) const {
    buffer.gold.clear();
    for (Id m = 1; m <= static_cast<Id>(heads.size()); ++m)
      if (heads[m - 1] >= 0) buffer.gold.emplace_back(find(i, heads[m - 1], m), 1.0);
    buffer.oracle = tree_oracle(shape_, local_arcs(i));
    if (shape_.order == 1) return;
    const SiblingFactors& factors =
        static_cast<const SiblingsOracle&>(*buffer.oracle).structure().factors;
    const bool complete = buffer.gold.size() == heads.size();
    for (Id m = 1; complete && m <= static_cast<Id>(heads.size()); ++m) {
      const Id h = heads[m - 1], a = factors.arc_parts().arcs.find(h, m);
      buffer.gold.emplace_back(factors.part(a, h, m, heads.data()), 1.0);
    }
  }
  // What agrees with the known heads; words without one cost nothing.
  void set_partial(Index i, std::span<const Id> heads, InstanceBuffer& buffer) const {
    const auto parts = static_cast<std::size_t>(buffer.oracle->parts());
    buffer.consistent.assign(parts, 1);
    buffer.costs.assign(parts, 0.0);
    const Index first = arcs_.starts[offsets_[i]];
    for (Id m = 1; m <= static_cast<Id>(heads.size()); ++m) {
      if (heads[m - 1] < 0) continue;
      const Index token = offsets_[i] + m - 1;
      for (Index a = arcs_.starts[token]; a < arcs_.starts[token + 1]; ++a) {
        const bool wrong = arcs_.heads[a] != heads[m - 1];
        buffer.consistent[static_cast<std::size_t>(a - first)] = !wrong;
        buffer.costs[static_cast<std::size_t>(a - first)] = wrong;
      }
    }
  }

  const Rows& rows_;
  const Rows* siblings_;
  CandidateArcs arcs_;
  std::span<const Index> offsets_, sibling_starts_;
  std::span<const Id> gold_;
  std::span<const double> weights_;
  TreeShape shape_;
  std::vector<Index> sentences_;  // those that are not empty
  bool partial_ = false;
};

}  // namespace linnet
