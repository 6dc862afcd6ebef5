// Sentences with trees of a grammar: words are rows of features, with a column of weights for each
// tag; spans may have rows, with a column for each label; rules are tied. Counting makes it a
// probabilistic grammar, other learners a weighted one.
#pragma once
#include "linnet/charts/chart_oracle.hpp"
#include "linnet/data/dataset.hpp"

namespace linnet {

// Trees of sentences as arrays. `rules` are those used by the tree of sentence i, at
// [starts[i], starts[i + 1]), unary ones numbered after binary ones, over the words [begins, ends);
// `known_*` are phrases of sentences whose trees are hidden, and `hidden` says which these are; the
// label behind the last one is any, and -1 - label says that a phrase is not there. Tags are of all
// words, -1 where they are not known.
struct ChartGold {
  std::span<const Id> tags;
  std::span<const Index> starts;
  std::span<const Id> rules, begins, ends;
  std::span<const std::uint8_t> hidden;
  std::span<const Index> known_starts;
  std::span<const Id> known_begins, known_ends, known_labels;
};

class ChartData final : public Dataset {
 public:
  // spans: rows of spans, sentence after sentence, each from the spans that end first, then from
  // the longest; null: there are none, and spans have no weights. The caller keeps all alive.
  ChartData(const Rows& rows, std::span<const Index> offsets,
            std::shared_ptr<const ChartGrammar> grammar, ChartGold gold,
            std::span<const double> weights, const Rows* spans)
      : rows_(rows),
        spans_(spans),
        offsets_(offsets),
        grammar_(std::move(grammar)),
        gold_(gold),
        weights_(weights) {
    check_sizes();
    Index longest = 0, most = 0;
    span_starts_.push_back(0);
    for (Index i = 0; i + 1 < std::ssize(offsets); ++i) {
      const Index n = offsets[i + 1] - offsets[i];
      if (n < 0) throw std::invalid_argument("offsets decrease");
      if (!ChartParts::fits(*grammar_, static_cast<double>(n)))
        throw std::invalid_argument("sentence " + std::to_string(i) + " has more than 2^31 parts");
      span_starts_.push_back(span_starts_.back() + n * (n + 1) / 2);
      longest = std::max(longest, n);
      most = std::max(most, gold.known_starts[i + 1] - gold.known_starts[i]);
      partial_ |= gold.hidden[i] != 0;
      if (n > 0) check_sentence(i), sentences_.push_back(i);
    }
    if (spans && spans->size() != span_starts_.back())
      throw std::invalid_argument("there must be one row for each span");
    nothing_.assign(static_cast<std::size_t>(std::max(longest * (longest + 1) / 2, most)) + 1, 0);
    empty_ = std::make_unique<Rows>(std::ssize(nothing_) - 1, 0, nothing_.data(), IndexType::i64,
                                    nothing_.data(), IndexType::i32, nothing_.data(),
                                    ValueType::f32, 0.f);
  }

  Index size() const override { return std::ssize(sentences_); }
  Id width() const override { return grammar_->tags(); }
  Index dim() const override { return unary_begin() + padded(grammar_->unaries()); }
  bool partial() const override { return partial_; }
  std::vector<WeightBlock> blocks() const override {
    const ChartGrammar& g = *grammar_;
    std::vector<WeightBlock> found{
        {"tokens", 0, rows_.features() + Index{1}, stride(), {width()}},
        {"spans", span_begin(), span_rows(), padded(g.labels()), {g.labels()}}};
    if (g.size()) found.push_back({"rules", rule_begin(), 1, padded(g.size()), {g.size()}});
    if (g.unaries())
      found.push_back({"unaries", unary_begin(), 1, padded(g.unaries()), {g.unaries()}});
    return found;
  }
  const ChartGrammar& grammar() const { return *grammar_; }
  Index sentence(Index n) const { return sentences_[n]; }
  ChartParts parts(Index i) const {
    return {grammar_, static_cast<Id>(offsets_[i + 1] - offsets_[i]),
            spans_ || !gold_.known_begins.empty(), known(i)};
  }

  Instance read(Index number, InstanceBuffer& buffer) const override {
    const Index i = sentences_[static_cast<std::size_t>(number)];
    const ChartGrammar& g = *grammar_;
    ChartParts parts = this->parts(i);
    buffer.sites.assign(1, Group{&rows_, offsets_[i], parts.length, width(), stride(), 0});
    if (parts.spans)
      buffer.sites.push_back({spans_ ? spans_ : empty_.get(), spans_ ? span_starts_[i] : 0,
                              parts.num_spans(), g.labels(), padded(g.labels()), span_begin()});
    if (!parts.known.empty())
      buffer.sites.push_back(
          {empty_.get(), 0, static_cast<Id>(parts.known.size()), 1, 1, span_begin()});
    const auto tied = [&](Id count, Index base) {
      if (count) buffer.sites.push_back({&constant_row(), 0, 1, count, padded(count), base});
    };
    tied(g.size(), rule_begin());
    tied(g.unaries(), unary_begin());
    set_gold(i, parts, buffer);
    const bool hidden = gold_.hidden[i] != 0;
    if (hidden) set_partial(i, parts, buffer);
    buffer.oracle = std::make_unique<ChartOracle>(std::move(parts));
    Instance x{buffer.sites, buffer.oracle.get(), buffer.gold, weights_.empty() ? 1 : weights_[i]};
    if (hidden) {
      x.consistent = buffer.consistent;
      x.costs = buffer.costs;
    }
    return x;
  }

 private:
  Index span_rows() const { return spans_ ? spans_->features() + Index{1} : 1; }
  Index span_begin() const { return (rows_.features() + Index{1}) * stride(); }
  Index rule_begin() const { return span_begin() + span_rows() * padded(grammar_->labels()); }
  Index unary_begin() const { return rule_begin() + padded(grammar_->size()); }
  std::vector<KnownPhrase> known(Index i) const {
    std::vector<KnownPhrase> found;
    if (gold_.hidden[i])
      for (Index k = gold_.known_starts[i]; k < gold_.known_starts[i + 1]; ++k)
        if (gold_.known_labels[k] >= 0)
          found.push_back({gold_.known_begins[k], gold_.known_ends[k], gold_.known_labels[k]});
    return found;
  }

  void set_gold(Index i, const ChartParts& parts, InstanceBuffer& buffer) const {
    buffer.gold.clear();
    for (Id t = 0; t < parts.length; ++t)
      if (const Id tag = gold_.tags[offsets_[i] + t]; tag >= 0)
        buffer.gold.emplace_back(parts.tag(t, tag), 1.0);
    for (Index k = gold_.starts[i]; k < gold_.starts[i + 1]; ++k) {
      const Id r = gold_.rules[k];
      buffer.gold.emplace_back(parts.rule(r), 1.0);  // unary ones follow
      if (parts.spans)
        buffer.gold.emplace_back(
            parts.span(gold_.begins[k], gold_.ends[k], grammar_->label[parent(r)]), 1.0);
    }
  }
  Id parent(Id r) const {
    return r < grammar_->size() ? grammar_->binary[r].parent
                                : grammar_->unary[r - grammar_->size()].parent;
  }
  // What agrees with known tags and phrases: nothing crosses a phrase, and none is missed. A tag
  // that is wrong costs, and so does what crosses.
  void set_partial(Index i, const ChartParts& parts, InstanceBuffer& buffer) const {
    const auto count = static_cast<std::size_t>(parts.num_parts());
    buffer.consistent.assign(count, 1);
    buffer.costs.assign(count, 0.0);
    const auto forbid = [&](Id p, bool costs) {
      buffer.consistent[p] = 0;
      buffer.costs[p] = costs;
    };
    for (Id t = 0; t < parts.length; ++t) {
      const Id tag = gold_.tags[offsets_[i] + t];
      for (Id k = 0; tag >= 0 && k < width(); ++k)
        if (k != tag) forbid(parts.tag(t, k), true);
    }
    for (Index k = gold_.known_starts[i]; k < gold_.known_starts[i + 1]; ++k) {
      const Id label = -1 - gold_.known_labels[k];
      if (label < 0) continue;
      const KnownPhrase absent{gold_.known_begins[k], gold_.known_ends[k], label};
      for (Id l = 0; l < grammar_->labels(); ++l)
        if (absent.is(*grammar_, l)) forbid(parts.span(absent.begin, absent.end, l), true);
    }
    for (Id k = 0; k < static_cast<Id>(parts.known.size()); ++k) {
      forbid(parts.missed(k), true);
      const auto [first, last, label] = parts.known[k];
      for (Id end = 1; end <= parts.length; ++end)
        for (Id begin = 0; begin < end; ++begin) {
          const bool crosses = (begin < first && first < end && end < last) ||
                               (first < begin && begin < last && last < end);
          for (Id l = 0; crosses && l < grammar_->labels(); ++l)
            forbid(parts.span(begin, end, l), grammar_->counts[l] != 0);
        }
    }
  }

  void check_sizes() const {
    const auto ascending = [](std::span<const Index> starts, std::size_t all) {
      return !starts.empty() && starts.front() == 0 &&
             std::is_sorted(starts.begin(), starts.end()) &&
             starts.back() == static_cast<Index>(all);
    };
    if (offsets_.empty() || offsets_.front() != 0 || offsets_.back() != rows_.size() ||
        std::ssize(gold_.tags) != rows_.size())
      throw std::invalid_argument("there must be one row and one tag for each word");
    const std::size_t n = offsets_.size() - 1;
    if (gold_.starts.size() != n + 1 || gold_.hidden.size() != n ||
        gold_.known_starts.size() != n + 1 || !ascending(gold_.starts, gold_.rules.size()) ||
        gold_.begins.size() != gold_.rules.size() || gold_.ends.size() != gold_.rules.size() ||
        !ascending(gold_.known_starts, gold_.known_begins.size()) ||
        gold_.known_ends.size() != gold_.known_begins.size() ||
        gold_.known_labels.size() != gold_.known_begins.size())
      throw std::invalid_argument("the arrays of trees do not fit each other");
    if (!weights_.empty() && weights_.size() != n)
      throw std::invalid_argument("one weight per sentence is needed");
  }
  void check_sentence(Index i) const {
    const auto n = static_cast<Id>(offsets_[i + 1] - offsets_[i]);
    const auto refuse = [&](const char* what) {
      throw std::invalid_argument("sentence " + std::to_string(i) + ": " + what);
    };
    for (Index t = offsets_[i]; t < offsets_[i + 1]; ++t)
      if (gold_.tags[t] < (gold_.hidden[i] ? -1 : 0) || gold_.tags[t] >= width())
        refuse("the tag of a word is out of range");
    const auto inside = [&](Id begin, Id end) { return begin >= 0 && begin < end && end <= n; };
    Index binary = 0;
    for (Index k = gold_.starts[i]; k < gold_.starts[i + 1]; ++k) {
      if (!inside(gold_.begins[k], gold_.ends[k])) refuse("a rule has words that are not there");
      if (gold_.rules[k] < 0 || gold_.rules[k] >= grammar_->size() + grammar_->unaries())
        refuse("a rule is none of the grammar's");
      binary += gold_.rules[k] < grammar_->size();
    }
    if (!gold_.hidden[i] && binary != n - 1) refuse("its tree does not have all words");
    if (gold_.hidden[i] && gold_.starts[i] != gold_.starts[i + 1])
      refuse("a tree is hidden and has rules");
    for (Index k = gold_.known_starts[i]; k < gold_.known_starts[i + 1]; ++k) {
      if (!inside(gold_.known_begins[k], gold_.known_ends[k]))
        refuse("a phrase has words that are not there");
      if (gold_.known_labels[k] < -1 - grammar_->labels() ||
          gold_.known_labels[k] > grammar_->labels())
        refuse("a phrase has an unknown label");
    }
  }

  const Rows& rows_;
  const Rows* spans_;
  std::span<const Index> offsets_;
  std::shared_ptr<const ChartGrammar> grammar_;
  ChartGold gold_;
  std::span<const double> weights_;
  std::vector<Index> span_starts_, sentences_;  // sentences that are not empty
  std::vector<std::int64_t> nothing_;
  std::unique_ptr<Rows> empty_;
  bool partial_ = false;
};

}  // namespace linnet
