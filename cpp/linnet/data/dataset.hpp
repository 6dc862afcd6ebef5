// Instances, as learners see them: sites, an oracle, the gold parts and a weight. They live in a
// few packed arrays; an Instance is a view that is filled in when it is needed.
#pragma once
#include <memory>
#include <numeric>
#include <string>
#include <vector>

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
  const Oracle* agreeing = nullptr;  // that of outputs that agree, where a mask does not say it all
};

// Scratch for reading one instance and working on it; one per thread.
struct InstanceBuffer {
  std::vector<Group> sites;
  std::vector<std::pair<Id, double>> gold;
  std::vector<std::uint8_t> allowed, consistent;
  std::vector<double> costs;
  std::unique_ptr<Oracle> oracle;  // when the instance needs one of its own
  std::unique_ptr<Oracle> agreeing;
  SiteBuffer site;
  OracleWork work;
  std::vector<double> theta, delta;
};

// One site with the constant feature alone: that of tied parts.
inline const Rows& constant_row() {
  static const std::int64_t nothing[2] = {0, 0};
  static const Rows row{
      1, 0, nothing, IndexType::i64, nothing, IndexType::i32, nothing, ValueType::f32, 1.f};
  return row;
}

// Where the weights of one kind of part lie: `rows` rows, `stride` apart, of which each is a table
// of the shape `shape`. Of parts with features, row 0 is the constant feature and row f + 1 feature
// f; tied parts have one row.
struct WeightBlock {
  std::string name;
  Index begin, rows;
  Id stride;
  std::vector<Id> shape;
};

class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual Index size() const = 0;
  virtual Index dim() const = 0;  // how many weights
  virtual Instance read(Index i, InstanceBuffer& buffer) const = 0;
  // The layout of the weights, block after block; the first is that of the sites with features.
  virtual std::vector<WeightBlock> blocks() const = 0;
  // Of the first block, the columns that are used.
  virtual Id width() const = 0;
  // Has an instance few outputs, each of them one part?
  virtual bool listed() const { return false; }
  // How many neighbours had better be read together, since they lie in a file; 0: it does not
  // matter.
  virtual Index together() const { return 0; }
  // Are some labels missing? They are summed out, and the loss is not convex any more.
  virtual bool partial() const { return false; }
  Id stride() const { return padded(width()); }
  // The largest number that divides all strides: what lazy penalties may share one settled step by.
  Id unit() const {
    Id found = 0;
    for (const WeightBlock& block : blocks()) found = std::gcd(found, block.stride);
    return found;
  }
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
                  x.costs, x.agreeing);
}
// Is the best output, before any cost, the gold one? Costs a solve with the max ring; uses delta.
inline bool is_mistake(const Instance& x, InstanceBuffer& buffer) {
  x.oracle->solve(Ring::max, buffer.theta, buffer.delta, buffer.work);
  for (std::size_t p = 0; p < x.consistent.size(); ++p)
    if (buffer.delta[p] != 0 && !x.consistent[p]) return true;
  if (x.agreeing)  // what is known must be there as well
    for (const auto& [p, count] : x.gold)
      if (buffer.delta[p] != count) return true;
  if (!x.consistent.empty()) return false;
  for (const auto& [p, count] : x.gold) buffer.delta[p] -= count;
  for (double d : buffer.delta)
    if (d != 0) return true;
  return false;
}

}  // namespace linnet
