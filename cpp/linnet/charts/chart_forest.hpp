// All trees of a sentence that scores allow, as a list of hyperedges: what the generic recursions
// run over in every ring. Nodes are made bottom-up from what there is, so that words with few tags,
// forbidden spans and rules of -inf cost nothing, and those that no tree has are taken out.
//
// A symbol over a span with at most u unary rules on top of it is
//   at(A, u) = base(A) + sum over A → B of at(B, u - 1),
// where base(A) is a word or a binary rule. Levels that have the same edges are one node.
#pragma once
#include "linnet/base/interrupt.hpp"
#include "linnet/charts/chart_parts.hpp"
#include "linnet/inference/solve.hpp"

namespace linnet {

class ChartForest {
 public:
  // theta: parts of -inf are in no tree. The result holds for any scores that have no others.
  ChartForest(const ChartParts& parts, std::span<const double> theta,
              const SpanFilter* filter = nullptr)
      : parts_(parts), grammar_(*parts.grammar), theta_(theta), filter_(filter) {
    cells_.resize(static_cast<std::size_t>(parts.num_spans()));
    for (Id end = 1; end <= parts.length; ++end)
      for (Id begin = end; begin-- > 0;) make_cell(begin, end);
    make_root();
    cells_.clear();
    keep_reached();
    theta_ = {};
  }

  Id num_nodes() const { return static_cast<Id>(starts_.size()) - 1; }
  Id num_parts() const { return parts_.num_parts(); }
  Index num_edges() const { return std::ssize(edges_); }
  Index first_edge(Id node) const { return starts_[node]; }
  Id root() const { return num_nodes() - 1; }
  const ChartParts& parts() const { return parts_; }

  template <class Use>
  void edges(Id node, Use&& use) const {
    for (Index e = starts_[node]; e < starts_[node + 1]; ++e) {
      const Edge& edge = edges_[e];
      use(std::span<const Id>(edge.parts, edge.num_parts),
          std::span<const Id>(edge.tails, edge.num_tails));
    }
  }
  template <Order O, class Visit>
  void sweep(Visit&& visit) const {
    range<O>(0, num_nodes(), [&](Id node) { visit(node, [&](auto&& use) { edges(node, use); }); });
  }
  template <class F>
  void shifts(F&& f) const {
    for (Id t = 0; t < parts_.length; ++t) f(parts_.tag(t, 0), parts_.tag(t + 1, 0), 1);
    f(parts_.rule(0), parts_.unary(0), parts_.length - 1);
  }
  void add_cost(PartCounts gold, double scale, std::span<double> theta) const {
    parts_.add_cost(gold, scale, theta);
  }
  void other_holdings(std::vector<Holding>& found) const {
    found.clear();
    parts_.holdings(found);
  }

 private:
  struct Edge {
    Id parts[2], tails[2];
    std::uint8_t num_parts, num_tails;
  };
  // A symbol over a span with which of the phrases known of that span, as a set of bits.
  struct Item {
    Id symbol;
    std::uint32_t seen;
    Id node;
    auto key() const { return std::pair(symbol, seen); }
  };
  using Items = std::vector<Item>;
  // Symbol and phrases seen; unary rule (-1: none) and tail.
  using Way = std::pair<std::pair<Id, std::uint32_t>, std::pair<Id, Id>>;

  bool possible(Id part) const { return theta_[part] != -kInf; }
  bool span_possible(Id begin, Id end, Id symbol) const {
    return !parts_.spans || possible(parts_.span(begin, end, grammar_.label[symbol]));
  }
  void add(std::initializer_list<Id> parts, std::initializer_list<Id> tails) {
    Edge edge{{-1, -1},
              {-1, -1},
              static_cast<std::uint8_t>(parts.size()),
              static_cast<std::uint8_t>(tails.size())};
    std::copy(parts.begin(), parts.end(), edge.parts);
    std::copy(tails.begin(), tails.end(), edge.tails);
    edges_.push_back(edge);
    steps_(8);
  }
  Id close_node() {
    starts_.push_back(std::ssize(edges_));
    if (starts_.size() > static_cast<std::size_t>(std::numeric_limits<Id>::max()) ||
        std::ssize(edges_) > kMostEdges)
      throw std::invalid_argument("the trees of a sentence of " + std::to_string(parts_.length) +
                                  " words have more than " + std::to_string(kMostEdges) +
                                  " ways to join phrases; prune them, or leave it out");
    return static_cast<Id>(starts_.size()) - 2;
  }

  void make_cell(Id begin, Id end) {
    if (filter_ && !filter_->any(parts_.span_number(begin, end))) return;
    wanted_.clear();
    made_.clear();
    for (Id k = 0; k < static_cast<Id>(parts_.known.size()); ++k)
      if (parts_.known[k].begin == begin && parts_.known[k].end == end) wanted_.push_back(k);
    if (wanted_.size() > 16)
      throw std::invalid_argument("more than 16 phrases are known of the same words");
    Items base;
    if (end == begin + 1)
      words(begin, base);
    else
      joined(begin, end, base);
    Items now = base;
    for (Id u = 0; u < grammar_.chains; ++u) {
      Items next = one_more(begin, end, base, now);
      const bool same = std::equal(next.begin(), next.end(), now.begin(), now.end(),
                                   [](const Item& a, const Item& b) { return a.node == b.node; });
      now = std::move(next);
      if (same) break;
    }
    cells_[parts_.span_number(begin, end)] = closed(now);
  }

  void words(Id t, Items& base) {
    for (Id number = 0; number < grammar_.tags(); ++number) {
      const Id symbol = grammar_.tagged[number];
      if (!possible(parts_.tag(t, number))) continue;
      if (filter_ && !filter_->allows(parts_.span_number(t, t + 1), symbol)) continue;
      add({parts_.tag(t, number)}, {});
      base.push_back({symbol, 0, close_node()});
    }
    std::sort(base.begin(), base.end(), before);
  }
  static bool before(const Item& a, const Item& b) { return a.key() < b.key(); }

  // Binary rules, splits in order, then rules in order.
  void joined(Id begin, Id end, Items& base) {
    found_.clear();
    at_.resize(static_cast<std::size_t>(grammar_.symbols), -1);
    for (Id split = begin + 1; split < end; ++split) {
      const Items& left = cells_[parts_.span_number(begin, split)];
      const Items& right = cells_[parts_.span_number(split, end)];
      if (left.empty() || right.empty()) continue;
      for (const Item& item : right) at_[item.symbol] = item.node;
      for (const Item& item : left) {
        const Id b = item.symbol;
        for (Id pair = grammar_.left_begin[b]; pair < grammar_.left_begin[b + 1]; ++pair) {
          const Id other = at_[grammar_.pair_right[pair]];
          if (other < 0) continue;
          for (const Id r : grammar_.rules_of_pair.of(pair))
            if (possible(parts_.rule(r)))
              found_.push_back({grammar_.binary[r].parent, split, r, item.node, other});
        }
        steps_(grammar_.left_begin[b + 1] - grammar_.left_begin[b]);
      }
      for (const Item& item : right) at_[item.symbol] = -1;
    }
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Found& a, const Found& b) { return a.parent < b.parent; });
    for (std::size_t f = 0; f < found_.size();) {
      const Id parent = found_[f].parent;
      const bool allowed = span_possible(begin, end, parent) &&
                           (!filter_ || filter_->allows(parts_.span_number(begin, end), parent));
      for (; f < found_.size() && found_[f].parent == parent; ++f) {
        if (!allowed) continue;
        const Found& way = found_[f];
        if (parts_.spans)
          add({parts_.rule(way.rule), parts_.span(begin, end, grammar_.label[parent])},
              {way.left, way.right});
        else
          add({parts_.rule(way.rule)}, {way.left, way.right});
      }
      if (allowed) base.push_back({parent, bits_of(parent), close_node()});
    }
  }

  // at(., u) of at(., u - 1).
  Items one_more(Id begin, Id end, const Items& base, const Items& now) {
    std::vector<Way> ways;
    for (const Item& item : base) ways.push_back({item.key(), {-1, item.node}});
    for (const Item& item : now)
      for (const Id r : grammar_.unaries_of_child.of(item.symbol)) {
        const Id parent = grammar_.unary[r].parent;
        if (!possible(parts_.unary(r)) || !span_possible(begin, end, parent)) continue;
        if (filter_ && !filter_->allows(parts_.span_number(begin, end), parent)) continue;
        ways.push_back({{parent, item.seen | bits_of(parent)}, {r, item.node}});
      }
    std::sort(ways.begin(), ways.end());
    Items next;
    for (std::size_t f = 0; f < ways.size();) {
      const auto key = ways[f].first;
      std::size_t last = f;
      while (last < ways.size() && ways[last].first == key) ++last;
      next.push_back({key.first, key.second, level_node(begin, end, {&ways[f], last - f})});
      f = last;
    }
    return next;
  }
  Id level_node(Id begin, Id end, std::span<const Way> ways) {
    if (ways.size() == 1 && ways[0].second.first < 0) return ways[0].second.second;
    // The same symbol one level lower may have the same edges.
    std::vector<Id> signature;
    for (const Way& way : ways) {
      signature.push_back(way.second.first);
      signature.push_back(way.second.second);
    }
    const auto same = std::find_if(made_.begin(), made_.end(),
                                   [&](const auto& m) { return m.first == signature; });
    if (same != made_.end()) return same->second;
    for (const auto& [key, way] : ways) {
      if (way.first < 0)
        add({}, {way.second});
      else if (parts_.spans)
        add({parts_.unary(way.first), parts_.span(begin, end, grammar_.label[key.first])},
            {way.second});
      else
        add({parts_.unary(way.first)}, {way.second});
    }
    const Id node = close_node();
    made_.emplace_back(std::move(signature), node);
    return node;
  }

  // Symbols as others use them: whether a phrase that is known is missed is a part.
  Items closed(const Items& now) {
    if (wanted_.empty()) return now;
    const auto all = static_cast<std::uint32_t>((1u << wanted_.size()) - 1);
    Items done;
    for (std::size_t f = 0; f < now.size();) {
      const Id symbol = now[f].symbol;
      const Index before = num_edges();
      for (; f < now.size() && now[f].symbol == symbol; ++f) {
        if (now[f].seen == all)
          add({}, {now[f].node});
        else if (possible(parts_.missed(wanted_[0])))
          add({parts_.missed(wanted_[0])}, {now[f].node});
      }
      if (num_edges() > before) done.push_back({symbol, 0, close_node()});
    }
    return done;
  }

  std::uint32_t bits_of(Id symbol) const {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < wanted_.size(); ++k)
      if (parts_.known[wanted_[k]].is(grammar_, grammar_.label[symbol])) bits |= 1u << k;
    return bits;
  }

  // One way to the start symbol over all words, or none.
  void make_root() {
    if (parts_.length > 0)
      for (const Item& item : cells_[parts_.span_number(0, parts_.length)])
        if (item.symbol == grammar_.start) add({}, {item.node});
    close_node();
  }

  // Takes out nodes that no tree has, and numbers the others anew.
  void keep_reached() {
    std::vector<Id> number(static_cast<std::size_t>(num_nodes()), -1);
    number[root()] = 0;
    for (Id node = num_nodes(); node-- > 0;)
      if (number[node] == 0)
        edges(node, [&](auto, std::span<const Id> tails) {
          for (const Id t : tails) number[t] = 0;
        });
    std::vector<Index> starts{0};
    Index kept = 0;
    Id next = 0;
    for (Id node = 0; node < num_nodes(); ++node) {
      if (number[node] < 0) continue;
      number[node] = next++;
      for (Index e = starts_[node]; e < starts_[node + 1]; ++e) {
        Edge edge = edges_[e];
        for (int i = 0; i < edge.num_tails; ++i) edge.tails[i] = number[edge.tails[i]];
        edges_[kept++] = edge;
      }
      starts.push_back(kept);
    }
    edges_.resize(static_cast<std::size_t>(kept));
    starts_ = std::move(starts);
  }

  struct Found {
    Id parent, split, rule, left, right;
  };
  static constexpr Index kMostEdges = 50'000'000;  // 1.2 GB

  ChartParts parts_;
  const ChartGrammar& grammar_;
  std::span<const double> theta_;
  const SpanFilter* filter_;
  std::vector<Index> starts_{0};
  std::vector<Edge> edges_;
  // while it is made
  std::vector<Items> cells_;
  std::vector<Id> wanted_, at_;  // phrases known of a span, by number; nodes by symbol
  std::vector<Found> found_;
  std::vector<std::pair<std::vector<Id>, Id>> made_;  // nodes of levels of a span by their edges
  Steps steps_;
};

}  // namespace linnet
