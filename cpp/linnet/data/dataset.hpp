// Instances, as learners see them: sites, an oracle, the gold parts and a weight. They live in a
// few packed arrays; an Instance is a view that is filled in when it is needed.
#pragma once
#include <memory>

#include "linnet/features/sites.hpp"
#include "linnet/losses/loss.hpp"

namespace linnet {

struct Instance {
  std::span<const Group> sites;
  const Oracle* oracle;
  Gold gold;
  double weight;
  Mask consistent{};  // partial labels: what gold outputs may hold; empty if gold is all there is
  PartCosts costs{};  // of parts; empty: Hamming
};

// Scratch for reading one instance and working on it; one per thread.
struct InstanceBuffer {
  std::vector<Group> sites;
  std::vector<std::pair<Id, double>> gold;
  std::vector<std::uint8_t> allowed, consistent;
  std::vector<double> costs;
  std::unique_ptr<Oracle> oracle;  // when the instance needs one of its own
  SiteBuffer site;
  OracleWork work;
  std::vector<double> theta, delta;
};

// What it costs to take label `gold` for label `predicted`: [gold][predicted], row by row.
// Empty: 1.
struct LabelCosts {
  std::span<const double> table{};
  Id labels = 0;

  bool empty() const { return table.empty(); }
  std::span<const double> row(Id gold) const {
    return table.subspan(static_cast<std::size_t>(gold) * static_cast<std::size_t>(labels),
                         static_cast<std::size_t>(labels));
  }
  void check() const {
    if (empty()) return;
    const auto n = static_cast<std::size_t>(labels);
    if (table.size() != n * n)
      throw std::invalid_argument("costs are a table of " + std::to_string(n) + " x " +
                                  std::to_string(n) + " labels, [gold, predicted]");
    for (std::size_t k = 0; k < table.size(); ++k)
      if (!(table[k] >= 0 && table[k] < kInf) || (k % (n + 1) == 0 && table[k] != 0))
        throw std::invalid_argument("costs are finite, not negative, and 0 for the right label");
  }
};

// One site with the constant feature alone: that of tied parts.
inline const Rows& constant_row() {
  static const std::int64_t nothing[2] = {0, 0};
  static const Rows row{
      1, 0, nothing, IndexType::i64, nothing, IndexType::i32, nothing, ValueType::f32, 1.f};
  return row;
}

class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual Index size() const = 0;
  virtual Index dim() const = 0;  // how many weights
  virtual Instance read(Index i, InstanceBuffer& buffer) const = 0;
  // One weight block of (rows x stride), of which `width` columns are used.
  virtual Id width() const = 0;
  // Are some labels missing? They are summed out, and the loss is not convex any more.
  virtual bool partial() const { return false; }
  Id stride() const { return padded(width()); }
};

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
  const Rows& rows() const { return rows_; }
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

// theta of an instance, and its loss with delta: what every learner but the dual ones starts from.
template <class Real>
void score_instance(const Instance& x, const Real* w, InstanceBuffer& buffer) {
  const auto parts = static_cast<std::size_t>(x.oracle->parts());
  buffer.theta.resize(parts);
  buffer.delta.resize(parts);
  score(x.sites, w, std::span<double>(buffer.theta), buffer.site);
}
inline Outcome evaluate(const Loss& loss, const Instance& x, InstanceBuffer& buffer) {
  return evaluate(loss, *x.oracle, x.gold, buffer.theta, buffer.delta, buffer.work, x.consistent,
                  x.costs);
}
// Is the best output, before any cost, the gold one? Costs a solve with the max ring; uses delta.
inline bool is_mistake(const Instance& x, InstanceBuffer& buffer) {
  x.oracle->solve(Ring::max, buffer.theta, buffer.delta, buffer.work);
  for (std::size_t p = 0; p < x.consistent.size(); ++p)
    if (buffer.delta[p] != 0 && !x.consistent[p]) return true;
  if (!x.consistent.empty()) return false;
  for (const auto& [p, count] : x.gold) buffer.delta[p] -= count;
  for (double d : buffer.delta)
    if (d != 0) return true;
  return false;
}

}  // namespace linnet
