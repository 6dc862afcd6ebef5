// Sentences: chains of labelled tokens. Tokens are rows of features; tied transitions, first and
// last labels and longer windows are groups of one site that has the constant feature alone, so
// that every learner of the library trains taggers through the same two waists.
#pragma once
#include "linnet/data/dataset.hpp"
#include "linnet/data/label_costs.hpp"
#include "linnet/inference/clamped.hpp"
#include "linnet/structures/chain_oracle.hpp"
#include "linnet/structures/higher_chain_oracle.hpp"

namespace linnet {

// What outputs may be: masks of transitions [labels][labels] (a → b), of first and last labels, and
// of the labels of each token (pinned tokens, tag dictionaries). Empty ones allow all.
struct ChainRules {
  Mask transitions{}, start{}, stop{}, tokens{};
  bool empty() const {
    return transitions.empty() && start.empty() && stop.empty() && tokens.empty();
  }
  void check(Id labels, Index num_tokens) const {
    const auto fits = [](Mask mask, Index size) {
      return mask.empty() || static_cast<Index>(mask.size()) == size;
    };
    const Index L = labels;
    if (!fits(transitions, L * L) || !fits(start, L) || !fits(stop, L) ||
        !fits(tokens, num_tokens * L))
      throw std::invalid_argument("a mask of allowed labels does not fit labels and tokens");
  }
  static bool allows(Mask mask, Index at) { return mask.empty() || mask[at]; }

  // Takes out of `allowed`, one entry per part, what is forbidden in a chain whose first token is
  // `first`. First and last labels are taken out at their tokens: they need no parts of their own.
  void apply(const Chain& c, Index first, std::span<std::uint8_t> allowed) const {
    for (Id y = 0; y < c.labels; ++y) {
      if (!allows(start, y)) allowed[c.at(0, y)] = 0;
      if (!allows(stop, y)) allowed[c.at(c.length - 1, y)] = 0;
      for (Id t = 0; t < c.length && !tokens.empty(); ++t)
        if (!tokens[(first + t) * c.labels + y]) allowed[c.at(t, y)] = 0;
    }
    for (Id ab = 0; ab < static_cast<Id>(transitions.size()); ++ab)
      if (!transitions[ab]) allowed[c.transition(0, 0) + ab] = 0;
  }
};

// Refuses windows that are too many, before there is memory for one of them.
inline void check_windows(Id labels, int order) {
  if (labels < 1) throw std::invalid_argument("there must be at least one label");
  if (order > 1) return HigherChain::check(1, labels, order);
  if (1.0 * labels * labels > 2e9)
    throw std::invalid_argument("a chain over " + std::to_string(labels) + " labels would have " +
                                std::to_string(static_cast<Index>(labels) * labels) +
                                " transitions");
}

// Where the weights of each kind of part begin. Tokens are rows of padded(labels) from 0 on, the
// constant feature first; all others are one row, but for pairs that see the observation.
struct ChainLayout {
  Id labels;
  int order;
  Index transitions, start, stop, pairs, end;
  std::vector<Index> windows;  // of 3 labels, of 4, ..., of order + 1
  ChainLayout(Id num_labels, Index features, bool ends, int chain_order, Index pair_features)
      : labels(num_labels), order(chain_order) {
    if (order < 1)
      throw std::invalid_argument(
          "chains are of order 1 or more; order 0 is a flat problem per token");
    check_windows(labels, order);
    const Id square = padded(labels * labels), row = padded(labels);
    transitions = (features + 1) * row;
    start = transitions + square;
    stop = start + (ends ? row : 0);
    Index next = stop + (ends ? row : 0);
    for (Id size = 3, width = labels * labels; size <= order + 1; ++size) {
      windows.push_back(next);
      next += padded(width *= labels);
    }
    pairs = next;
    end = pairs + (pair_features >= 0 ? (pair_features + 1) * square : 0);
  }
  // f(size, width, begin) for the windows of more than two labels.
  template <class F>
  void each_window(F&& f) const {
    Id width = labels * labels;
    for (std::size_t i = 0; i < windows.size(); ++i)
      f(static_cast<Id>(i) + 3, width *= labels, windows[i]);
  }
};

class ChainData final : public Dataset {
 public:
  // labels: of all tokens, -1 where missing (summed out). offsets: sentence i is tokens
  // [offsets[i], offsets[i + 1]); empty ones are skipped. pairs: features of each token and its
  // predecessor, one row per token, or nullptr. costs: of labels, [gold][predicted], and
  // token_weights, by which the costs of each token are multiplied; empty ones are 1. A token
  // without a label has no cost.
  ChainData(const Rows& rows, std::span<const Index> offsets, std::span<const Id> labels,
            Id num_labels, std::span<const double> weights, bool ends, int order, ChainRules rules,
            const Rows* pairs, std::span<const double> costs = {},
            std::span<const double> token_weights = {})
      : rows_(rows),
        pairs_(pairs),
        offsets_(offsets),
        labels_(labels),
        weights_(weights),
        costs_{costs, num_labels},
        token_weights_(token_weights),
        rules_(rules),
        ends_(ends),
        order_(order),
        layout_(num_labels, rows.features(), ends, order, pairs ? pairs->features() : -1) {
    if (static_cast<Index>(labels.size()) != rows.size())
      throw std::invalid_argument("there are " + std::to_string(rows.size()) + " tokens but " +
                                  std::to_string(labels.size()) + " labels");
    if (offsets.empty() || offsets.front() != 0 || offsets.back() != rows.size())
      throw std::invalid_argument("offsets must run from 0 to the number of tokens");
    if (!weights.empty() && weights.size() + 1 != offsets.size())
      throw std::invalid_argument("one weight per sentence is needed");
    if (pairs && pairs->size() != rows.size())
      throw std::invalid_argument("one row of pair features per token is needed");
    if (pairs && order > 1)
      throw std::invalid_argument("transitions that see the observation are of order 1");
    rules.check(num_labels, rows.size());
    costs_.check();
    if (!token_weights.empty() && static_cast<Index>(token_weights.size()) != rows.size())
      throw std::invalid_argument("one weight per token is needed");
    for (double weight : token_weights)
      if (!(weight >= 0 && weight < kInf))
        throw std::invalid_argument("weights of tokens are finite and not negative");
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
      if (offsets[i + 1] < offsets[i]) throw std::invalid_argument("offsets decrease");
      if (offsets[i + 1] == offsets[i]) continue;
      sentences_.push_back(static_cast<Index>(i));
      check_sentence(static_cast<Index>(i));
    }
  }

  Index size() const override { return static_cast<Index>(sentences_.size()); }
  Index dim() const override { return layout_.end; }
  Id width() const override { return layout_.labels; }
  bool partial() const override { return partial_; }
  const ChainLayout& layout() const { return layout_; }
  std::vector<WeightBlock> blocks() const override {
    const Id L = layout_.labels, square = padded(L * L);
    std::vector<WeightBlock> found{
        {"tokens", 0, static_cast<Index>(rows_.features()) + 1, stride(), {L}},
        {"transitions", layout_.transitions, 1, square, {L, L}}};
    if (ends_) {
      found.push_back({"start", layout_.start, 1, stride(), {L}});
      found.push_back({"stop", layout_.stop, 1, stride(), {L}});
    }
    layout_.each_window([&](Id size, Id width, Index begin) {
      const std::string name = size == 3 ? "triples" : "windows" + std::to_string(size);
      found.push_back({name, begin, 1, padded(width), std::vector<Id>(size, L)});
    });
    if (pairs_)
      found.push_back(
          {"pairs", layout_.pairs, static_cast<Index>(pairs_->features()) + 1, square, {L, L}});
    return found;
  }

  Instance read(Index i, InstanceBuffer& buffer) const override {
    const Index sentence = sentences_[i], first = offsets_[sentence];
    const Id length = static_cast<Id>(offsets_[sentence + 1] - first), L = layout_.labels;
    buffer.sites.assign(1, Group{&rows_, first, length, L, stride(), 0});
    const auto tied = [&](Id width, Index base) {
      buffer.sites.push_back({&constant_row(), 0, 1, width, padded(width), base});
    };
    tied(L * L, layout_.transitions);
    if (ends_) tied(L, layout_.start), tied(L, layout_.stop);
    layout_.each_window([&](Id, Id width, Index begin) { tied(width, begin); });
    if (pairs_)
      buffer.sites.push_back({pairs_, first + 1, length - 1, L * L, padded(L * L), layout_.pairs});

    const Chain chain{length, L, ends_, pairs_ != nullptr};
    const auto labels =
        labels_.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(length));
    set_gold(chain, labels, buffer);
    set_oracle(chain, first, buffer);
    Instance x{buffer.sites, buffer.oracle.get(), buffer.gold, weight(sentence)};
    if (partial_ && std::find(labels.begin(), labels.end(), -1) != labels.end()) {
      set_consistent(chain, labels, buffer);
      x.consistent = buffer.consistent;
    }
    if (!costs_.empty() || !token_weights_.empty()) {
      set_costs(chain, first, buffer);
      x.costs = buffer.costs;
    }
    return x;
  }

 private:
  double weight(Index sentence) const { return weights_.empty() ? 1 : weights_[sentence]; }

  void check_sentence(Index i) {
    const Id L = layout_.labels;
    const auto refuse = [&](Index t, const char* what) {
      throw std::invalid_argument("sentence " + std::to_string(i) + ", token " +
                                  std::to_string(t - offsets_[i]) + ": " + what);
    };
    const Index first = offsets_[i], end = offsets_[i + 1];
    const double T = static_cast<double>(end - first), square = 1.0 * L * L;
    if (T * L + square + 2 * L + (pairs_ ? T * square : 0) > std::numeric_limits<Id>::max())
      refuse(first, "the sentence has more than 2^31 parts");
    if (order_ > 1) HigherChain::check(T, L, order_);
    for (Index t = first; t < end; ++t) {
      const Id y = labels_[t];
      if (y < -1 || y >= L) refuse(t, "the label id is out of range");
      partial_ |= y < 0;
      if (y < 0) continue;
      if (!ChainRules::allows(rules_.tokens, t * L + y)) refuse(t, "its own label is not allowed");
      if (t == first && !ChainRules::allows(rules_.start, y))
        refuse(t, "its label cannot come first");
      if (t + 1 == end && !ChainRules::allows(rules_.stop, y))
        refuse(t, "its label cannot come last");
      if (t > first && labels_[t - 1] >= 0 &&
          !ChainRules::allows(rules_.transitions, static_cast<Index>(labels_[t - 1]) * L + y))
        refuse(t, "its label cannot follow the one before");
    }
  }

  // The parts of the labels that are known.
  void set_gold(const Chain& c, std::span<const Id> y, InstanceBuffer& buffer) const {
    buffer.gold.clear();
    const auto add = [&](Id part) { buffer.gold.emplace_back(part, 1.0); };
    if (order_ > 1) return HigherChain(c.length, c.labels, order_, c.ends).parts_of(y.data(), add);
    for (Id t = 0; t < c.length; ++t) {
      if (y[t] < 0) continue;
      add(c.at(t, y[t]));
      if (t == 0 || y[t - 1] < 0) continue;
      add(c.transition(y[t - 1], y[t]));
      if (c.observed) add(c.pair(t - 1, y[t - 1], y[t]));
    }
    if (c.ends && y.front() >= 0) add(c.start(y.front()));
    if (c.ends && y.back() >= 0) add(c.stop(y.back()));
  }

  void set_oracle(const Chain& c, Index first, InstanceBuffer& buffer) const {
    std::unique_ptr<Oracle> oracle;
    if (order_ > 1)
      oracle = std::make_unique<HigherChainOracle>(HigherChain(c.length, c.labels, order_, c.ends));
    else if (c.observed)
      oracle = std::make_unique<OracleOf<Chain>>(c);
    else
      oracle = std::make_unique<ChainOracle>(c);
    if (!rules_.empty()) {
      buffer.allowed.assign(static_cast<std::size_t>(oracle->parts()), 1);
      rules_.apply(c, first, buffer.allowed);
      oracle = std::make_unique<ClampedOracle>(std::move(oracle), buffer.allowed);
    }
    buffer.oracle = std::move(oracle);
  }

  void set_consistent(const Chain& c, std::span<const Id> y, InstanceBuffer& buffer) const {
    buffer.consistent.assign(static_cast<std::size_t>(buffer.oracle->parts()), 1);
    for (Id t = 0; t < c.length; ++t)
      for (Id b = 0; y[t] >= 0 && b < c.labels; ++b) buffer.consistent[c.at(t, b)] = b == y[t];
  }

  void set_costs(const Chain& c, Index first, InstanceBuffer& buffer) const {
    buffer.costs.assign(static_cast<std::size_t>(buffer.oracle->parts()), 0.0);
    for (Id t = 0; t < c.length; ++t) {
      const Id gold = labels_[first + t];
      if (gold < 0) continue;
      const double factor = token_weights_.empty() ? 1 : token_weights_[first + t];
      for (Id y = 0; y < c.labels; ++y)
        buffer.costs[c.at(t, y)] = factor * (costs_.empty() ? y != gold : costs_.row(gold)[y]);
    }
  }

  const Rows& rows_;
  const Rows* pairs_;
  std::span<const Index> offsets_;
  std::span<const Id> labels_;
  std::span<const double> weights_;
  LabelCosts costs_;
  std::span<const double> token_weights_;
  ChainRules rules_;
  bool ends_;
  int order_;
  ChainLayout layout_;
  std::vector<Index> sentences_;  // those that are not empty
  bool partial_ = false;
};

}  // namespace linnet
