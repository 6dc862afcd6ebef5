// Trees whose arcs compete together with their relations, as one linear model: an output has heads
// and relations, f(x, y) has the features of its arcs and, in a block of their own, those of its
// arcs with their relations. Perceptrons and MIRA take steps over it without rows in between
// (learners/parsers/joint_relations.hpp); here it is written out, to be measured.
#pragma once
#include "linnet/data/tree_data.hpp"

namespace linnet {

// Parts: those of the trees, arcs first; then for each arc one for each relation. As arcs compete
// with their best relations, the best tree is that of the trees' own oracle.
class LabelledTreeOracle final : public Oracle {
 public:
  LabelledTreeOracle(std::unique_ptr<Oracle> trees, Id arcs, Id relations)
      : trees_(std::move(trees)), arcs_(arcs), relations_(relations) {
    if (1.0 * arcs * relations + trees_->parts() > std::numeric_limits<Id>::max())
      throw std::invalid_argument("the tree is too large: it has more than 2^31 parts");
  }
  Id parts() const override { return relation(arcs_, 0); }
  Id relation(Id arc, Id r) const { return trees_->parts() + arc * relations_ + r; }

  double solve(Ring ring, std::span<const double> theta, std::span<double> mu,
               OracleWork& work) const override {
    if (ring != Ring::max) refuse();
    std::vector<double> joined = join(theta);
    const auto inner = static_cast<std::size_t>(trees_->parts());
    std::fill(mu.begin(), mu.end(), 0.0);
    const double value = trees_->solve(ring, joined, mu.empty() ? mu : mu.first(inner), work);
    for (Id a = 0; a < arcs_ && !mu.empty(); ++a)
      if (mu[a] != 0) mu[relation(a, best_relation(theta, a))] = 1;
    return value;
  }
  void marginals_along(std::span<const double>, std::span<const double>, std::span<double>,
                       OracleWork&) const override {
    refuse();
  }
  void add_cost(Gold gold, double scale, std::span<double> theta) const override {
    trees_->add_cost(gold, scale, theta);
  }
  // Either heads differ, or a relation does: then one word has another than its own, and all
  // others have their best.
  std::optional<double> best_other(std::span<const double> theta, Gold gold,
                                   OracleWork& work) const override {
    const std::vector<double> joined = join(theta);
    const auto of_tree = static_cast<std::size_t>(
        std::find_if(gold.begin(), gold.end(),
                     [&](const auto& held) { return held.first >= trees_->parts(); }) -
        gold.begin());
    std::optional<double> best = trees_->best_other(joined, gold.first(of_tree), work);
    double loss = kInf;
    for (const auto& [p, count] : gold.subspan(of_tree)) {
      const Id a = (p - trees_->parts()) / relations_;
      double other = -kInf;
      for (Id r = 0; r < relations_; ++r)
        if (relation(a, r) != p) other = std::max(other, theta[relation(a, r)]);
      loss = std::min(loss, theta[relation(a, best_relation(theta, a))] - other);
    }
    if (loss == kInf) return best;  // there is one relation only
    const double same = value_of_heads(joined, gold.first(of_tree), work) - loss;
    return !best || same > *best ? (same == -kInf ? best : std::optional(same)) : best;
  }
  void holdings(std::vector<Holding>& found) const override {
    const std::size_t first = found.size();
    trees_->holdings(found);
    for (std::size_t i = first, end = found.size(); i < end; ++i)
      if (const Holding h = found[i]; h.end <= arcs_)  // the heads of a word
        found.push_back({relation(h.begin, 0), relation(h.end, 0), h.least, h.most});
  }

 private:
  [[noreturn]] static void refuse() {
    throw std::invalid_argument("trees with relations are measured here, and trained by steps");
  }
  Id best_relation(std::span<const double> theta, Id arc) const {
    const double* first = theta.data() + relation(arc, 0);
    return static_cast<Id>(std::max_element(first, first + relations_) - first);
  }
  std::vector<double> join(std::span<const double> theta) const {
    std::vector<double> joined(theta.begin(), theta.begin() + trees_->parts());
    for (Id a = 0; a < arcs_; ++a) joined[a] += theta[relation(a, best_relation(theta, a))];
    return joined;
  }
  // The best score of trees with these heads; -inf if none is an output: their arcs may cross.
  double value_of_heads(std::vector<double> joined, Gold gold, OracleWork& work) const {
    std::vector<std::uint8_t> held(static_cast<std::size_t>(arcs_));
    for (const auto& [p, count] : gold)
      if (p < arcs_) held[p] = 1;
    for (Id a = 0; a < arcs_; ++a)
      if (!held[a]) joined[a] = -kInf;
    return trees_->solve(Ring::max, joined, {}, work);
  }

  std::unique_ptr<Oracle> trees_;
  Id arcs_, relations_;
};

class LabelledTreeData final : public Dataset {
 public:
  // rows: of the candidate arcs, as relations see them. gold: the relation of each token to its
  // head, -1 where it is missing. The caller keeps all of them alive.
  LabelledTreeData(const TreeData& trees, const Rows& rows, std::span<const Id> gold, Id relations)
      : trees_(trees), rows_(rows), gold_(gold), relations_(relations), partial_(trees.partial()) {
    if (relations < 1) throw std::invalid_argument("there must be at least one relation");
    if (std::ssize(gold) != trees.tokens() || rows.size() != trees.arcs())
      throw std::invalid_argument(
          "there must be a relation for each token, and a row for each candidate arc");
    for (Id r : gold) {
      if (r < -1 || r >= relations) throw std::invalid_argument("there is no such relation");
      partial_ |= r < 0;
    }
  }
  Index size() const override { return trees_.size(); }
  Index dim() const override {
    return trees_.dim() + (static_cast<Index>(rows_.features()) + 1) * padded(relations_);
  }
  Id width() const override { return 1; }
  std::vector<WeightBlock> blocks() const override {
    std::vector<WeightBlock> found = trees_.blocks();
    found.push_back({"relations",
                     trees_.dim(),
                     static_cast<Index>(rows_.features()) + 1,
                     padded(relations_),
                     {relations_}});
    return found;
  }
  bool partial() const override { return partial_; }

  Instance read(Index n, InstanceBuffer& buffer) const override {
    Instance x = trees_.read(n, buffer);
    const Group arcs = buffer.sites[0];
    buffer.sites.push_back(
        {&rows_, arcs.first, arcs.count, relations_, padded(relations_), trees_.dim()});
    auto oracle =
        std::make_unique<LabelledTreeOracle>(std::move(buffer.oracle), arcs.count, relations_);
    bool missing = !x.consistent.empty();
    const Index first = trees_.first_token(n);
    const Id words = missing ? 0 : trees_.words(n);
    for (Id m = 0; m < words; ++m) {  // arcs come first among the gold parts, word by word
      const Id r = gold_[first + m];
      missing |= r < 0;
      if (r >= 0) buffer.gold.emplace_back(oracle->relation(buffer.gold[m].first, r), 1.0);
    }
    buffer.consistent.assign(missing ? static_cast<std::size_t>(oracle->parts()) : 0, 1);
    buffer.oracle = std::move(oracle);
    x.sites = buffer.sites;
    x.oracle = buffer.oracle.get();
    x.gold = buffer.gold;
    x.consistent = buffer.consistent;
    x.costs = {};
    return x;
  }

 private:
  const TreeData& trees_;
  const Rows& rows_;
  std::span<const Id> gold_;
  Id relations_;
  bool partial_;
};

}  // namespace linnet
