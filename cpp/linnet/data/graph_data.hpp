// Factor graphs with tied weights: a template is a kind of factor, whose sites have features and
// whose parts are the entries of its table. An instance is a graph; graphs of the same shape share
// one oracle.
#pragma once
#include <cstring>
#include <unordered_map>

#include "linnet/data/dataset.hpp"
#include "linnet/graphs/loopy_oracle.hpp"

namespace linnet {

// Site s of a template is over variables [arity * s, arity * (s + 1)) of `scopes`, counted from the
// first of its instance; sites [starts[i], starts[i + 1]) are those of instance i.
struct GraphTemplate {
  std::string name;
  const Rows* rows;
  std::vector<Id> shape;  // sizes of the domains
  std::span<const Index> starts;
  std::span<const Id> scopes;

  Id width() const {
    Index entries = 1;
    for (Id size : shape) entries *= size;
    if (entries > std::numeric_limits<Id>::max() / 8)
      throw std::invalid_argument("the table of template '" + name + "' is too large");
    return static_cast<Id>(entries);
  }
  auto arity() const { return static_cast<Index>(shape.size()); }
};

struct GraphTooLarge {
  TooLarge tables;
  Index graph;
};

class GraphData final : public Dataset {
 public:
  // Instance i has variables [offsets[i], offsets[i + 1]); gold values, -1 where they are missing
  // (summed out); given: 1 where the value is known when the rest is asked for. `loopy`: by belief
  // propagation, else exactly, with tables of at most `limit` entries, or GraphTooLarge is thrown.
  // The caller keeps all arrays alive.
  GraphData(std::vector<GraphTemplate> templates, std::span<const Index> offsets,
            std::span<const Id> sizes, std::span<const Id> gold,
            std::span<const std::uint8_t> given, std::span<const double> weights,
            std::optional<LoopyRules> loopy, double limit)
      : templates_(std::move(templates)),
        offsets_(offsets),
        sizes_(sizes),
        gold_(gold),
        given_(given),
        weights_(weights) {
    check();
    std::unordered_map<std::string, std::shared_ptr<const Oracle>> known;
    for (Index i = 0; i < size(); ++i) {
      auto [scopes, observed] = graph(i);
      auto& oracle = known[key(scopes, observed)];
      try {
        if (!oracle && loopy)
          oracle = std::make_shared<LoopyOracle>(std::move(scopes), std::move(observed), *loopy);
        else if (!oracle)
          oracle = std::make_shared<GraphOracle>(
              std::make_shared<GraphShape>(std::move(scopes), std::move(observed), limit));
      } catch (const TooLarge& large) {
        throw GraphTooLarge{large, i};
      }
      oracles_.push_back(oracle);
    }
  }

  Index size() const override { return std::ssize(offsets_) - 1; }
  Index dim() const override {
    const auto all = blocks();
    return all.back().begin + all.back().rows * all.back().stride;
  }
  Id width() const override { return templates_.front().width(); }
  bool partial() const override { return partial_; }
  std::vector<WeightBlock> blocks() const override {
    std::vector<WeightBlock> found;
    Index begin = 0;
    for (const GraphTemplate& t : templates_) {
      const Index rows = Index{t.rows->features()} + 1;
      found.push_back({t.name, begin, rows, padded(t.width()), t.shape});
      begin += rows * padded(t.width());
    }
    return found;
  }

  Instance read(Index i, InstanceBuffer& buffer) const override {
    buffer.sites.clear();
    buffer.gold.clear();
    Index begin = 0;
    for (const GraphTemplate& t : templates_) {
      const Id width = t.width();
      buffer.sites.push_back({t.rows, t.starts[i], static_cast<Id>(t.starts[i + 1] - t.starts[i]),
                              width, padded(width), begin});
      begin += (Index{t.rows->features()} + 1) * padded(width);
    }
    Instance x{buffer.sites,
               oracles_[static_cast<std::size_t>(i)].get(),
               {},
               weights_.empty() ? 1 : weights_[i]};
    const auto gold = values(i);
    if (std::find(gold.begin(), gold.end(), -1) == gold.end())
      set_gold(i, gold, buffer);
    else
      set_partial(i, gold, buffer, x);
    x.gold = buffer.gold;
    return x;
  }

 private:
  std::span<const Id> values(Index i) const {
    return gold_.subspan(static_cast<std::size_t>(offsets_[i]),
                         static_cast<std::size_t>(offsets_[i + 1] - offsets_[i]));
  }
  // Calls found(template, scope) for each factor of an instance, in the order of its parts.
  template <class Found>
  void each_factor(Index i, Found&& found) const {
    for (const GraphTemplate& t : templates_)
      for (Index s = t.starts[i]; s < t.starts[i + 1]; ++s)
        found(t, t.scopes.subspan(static_cast<std::size_t>(s * t.arity()), t.shape.size()));
  }
  std::pair<Scopes, std::vector<Id>> graph(Index i) const {
    Scopes scopes;
    const auto begin = sizes_.begin() + offsets_[i], end = sizes_.begin() + offsets_[i + 1];
    scopes.sizes.assign(begin, end);
    each_factor(i, [&](const GraphTemplate& t, std::span<const Id> scope) {
      for (std::size_t k = 0; k < scope.size(); ++k) {
        if (scope[k] < 0 || scope[k] >= scopes.variables())
          throw std::invalid_argument("graph " + std::to_string(i) + ", template '" + t.name +
                                      "': a variable is out of range");
        if (scopes.sizes[scope[k]] != t.shape[k])
          throw std::invalid_argument("graph " + std::to_string(i) + ", template '" + t.name +
                                      "': a variable has another number of values");
      }
      scopes.add(scope);
    });
    scopes.check();
    std::vector<Id> observed;
    const auto gold = values(i);
    for (std::size_t v = 0; v < gold.size(); ++v)
      if (!given_.empty() && given_[static_cast<std::size_t>(offsets_[i]) + v]) {
        observed.resize(gold.size(), -1);
        observed[v] = gold[v];
      }
    return {std::move(scopes), std::move(observed)};
  }
  static std::string key(const Scopes& scopes, const std::vector<Id>& observed) {
    std::string found;
    const auto append = [&](const auto& values) {
      const auto count = values.size();
      found.append(reinterpret_cast<const char*>(&count), sizeof count);
      found.append(reinterpret_cast<const char*>(values.data()), count * sizeof values[0]);
    };
    append(scopes.sizes), append(scopes.starts), append(scopes.members), append(observed);
    return found;
  }
  void set_gold(Index i, std::span<const Id> gold, InstanceBuffer& buffer) const {
    Index part = 0;
    each_factor(i, [&](const GraphTemplate& t, std::span<const Id> scope) {
      Index at = 0;
      for (std::size_t k = 0; k < scope.size(); ++k) at = at * t.shape[k] + gold[scope[k]];
      buffer.gold.emplace_back(static_cast<Id>(part + at), 1.0);
      part += t.width();
    });
  }
  // What agrees with the values that are known; others cost nothing.
  void set_partial(Index i, std::span<const Id> gold, InstanceBuffer& buffer, Instance& x) const {
    const auto parts = static_cast<std::size_t>(x.oracle->parts());
    buffer.consistent.assign(parts, 1);
    buffer.costs.assign(parts, 0.0);
    const auto [scopes, observed] = graph(i);
    const std::vector<Index> home = paying_factors(scopes);
    Index begin = 0;
    for (Index f = 0; f < scopes.factors(); ++f) {
      const Index entries = scopes.entries(f);
      each_stride(scopes, f, [&](Id v, Index stride) {
        if (gold[v] < 0) return;
        const bool pays = home[v] == f && (observed.empty() || observed[v] < 0);
        for (Index e = 0; e < entries; ++e) {
          if (e / stride % scopes.sizes[v] == gold[v]) continue;
          buffer.consistent[static_cast<std::size_t>(begin + e)] = 0;
          if (pays) buffer.costs[static_cast<std::size_t>(begin + e)] += 1;
        }
      });
      begin += entries;
    }
    x.consistent = buffer.consistent;
    x.costs = buffer.costs;
  }
  void check() {
    if (templates_.empty()) throw std::invalid_argument("graphs need at least one template");
    if (offsets_.empty() || offsets_.back() != std::ssize(sizes_) ||
        gold_.size() != sizes_.size() || (!given_.empty() && given_.size() != sizes_.size()))
      throw std::invalid_argument("there must be a size and a value for each variable");
    if (!weights_.empty() && weights_.size() + 1 != offsets_.size())
      throw std::invalid_argument("one weight per graph is needed");
    for (const GraphTemplate& t : templates_)
      if (t.starts.size() != offsets_.size() || t.starts.back() != t.rows->size() ||
          std::ssize(t.scopes) != t.rows->size() * t.arity())
        throw std::invalid_argument("the sites of template '" + t.name + "' do not fit");
    for (std::size_t v = 0; v < gold_.size(); ++v) {
      if (gold_[v] < -1 || gold_[v] >= sizes_[v])
        throw std::invalid_argument("variable " + std::to_string(v) + " has a value out of range");
      if (gold_[v] < 0 && !given_.empty() && given_[v])
        throw std::invalid_argument("variable " + std::to_string(v) + " is given without a value");
      partial_ |= gold_[v] < 0;
    }
  }

  std::vector<GraphTemplate> templates_;
  std::span<const Index> offsets_;
  std::span<const Id> sizes_, gold_;
  std::span<const std::uint8_t> given_;
  std::span<const double> weights_;
  std::vector<std::shared_ptr<const Oracle>> oracles_;
  bool partial_ = false;
};

}  // namespace linnet
