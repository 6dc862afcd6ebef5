// CKY, fast: the chart goes by columns (spans that end at the same place), of which one is spread
// out by symbol, while all others are lists of the symbols that there are. Of the splits of a span
// the children (B, C) are joined first and their rules after that, once.
#pragma once
#include <numbers>

#include "linnet/base/interrupt.hpp"
#include "linnet/charts/chart_cells.hpp"
#include "linnet/charts/chart_parts.hpp"

namespace linnet {

template <class R>
class ChartInside {
 public:
  // The values of all symbols over all spans. parts and theta stay where they are while the chart
  // is asked for more. Of best trees, symbols that are more than `beam` behind the best over the
  // same words may be left out: a search that is not exact any more.
  bool inside(const ChartParts& parts, std::span<const double> theta,
              const SpanFilter* filter = nullptr, double beam = kInf) {
    parts_ = &parts, theta_ = theta, filter_ = filter, grammar_ = parts.grammar.get();
    beam_ = beam;
    if (!in_range()) return false;
    prepare();
    for (Id end = 1; end <= parts.length; ++end) {
      for (Id begin = end; begin-- > 0;) {
        ChartCell& cell = at(begin, end);
        cell.begin = cell.end = std::ssize(items_.symbol);
        if (filter && !filter->any(parts.span_number(begin, end))) continue;
        row_.clear();
        if (end == begin + 1)
          words(begin, cell);
        else
          joined(begin, end, cell);
        if (row_.live().empty()) continue;
        climb(begin, end);
        if (!store(begin, end, cell)) return false;
        spread(begin, cell);
      }
      for (Id k = 0; k < end; ++k) unspread(k, at(k, end));
    }
    return true;
  }
  // The logarithm of the root's value, -inf: there is no tree.
  double best() const {
    if (parts_->length == 0) return -kInf;
    const ChartCell& cell = items_.cells[ChartParts::span_number(0, parts_->length)];
    const Index i = items_.find(cell, grammar_->start);
    if (i < 0) return -kInf;
    if constexpr (!R::kScaled) return items_.top[i];
    return std::log(items_.top[i]) + cell.exponent * std::numbers::ln2 + shift_;
  }

  // The parts of the best tree, from the root down and from right to left, as k-best lists have
  // them.
  template <class Tell>
  void trace(Tell&& tell) {
    struct Wanted {
      Id begin, end, symbol;
    };
    std::vector<Wanted> stack{{0, parts_->length, grammar_->start}};
    while (!stack.empty()) {
      const auto [begin, end, top] = stack.back();
      stack.pop_back();
      const ChartCell& cell = at(begin, end);
      restore(begin, end, cell);
      const Id a = trace_chain(begin, end, top, tell);
      if (end == begin + 1) {
        tell(parts_->tag(begin, tag_of_[a]));
        continue;
      }
      const Split way = best_split(begin, end, a);
      tell(parts_->rule(way.rule));
      if (parts_->spans) tell(parts_->span(begin, end, grammar_->label[a]));
      stack.push_back({begin, way.split, grammar_->binary[way.rule].left});
      stack.push_back({way.split, end, grammar_->binary[way.rule].right});
    }
  }

 protected:
  using LeftCell = LeftChildren::Cell;
  struct Split {
    Id split, rule;
  };
  std::size_t width() const { return static_cast<std::size_t>(grammar_->symbols); }
  ChartCell& at(Id begin, Id end) { return items_.cells[ChartParts::span_number(begin, end)]; }
  const LeftChildren& lefts(Id begin) const {
    return items_.lefts[static_cast<std::size_t>(begin)];
  }
  bool allowed(Id begin, Id end, Id a) const {
    return !filter_ || filter_->allows(ChartParts::span_number(begin, end), a);
  }

  // Are potentials far from what vanishes or overflows?
  bool in_range() const {
    if constexpr (!R::kScaled) return true;
    return std::all_of(theta_.begin(), theta_.end(),
                       [](double x) { return x == -kInf || std::abs(x) < kRange; });
  }
  static constexpr double kRange = 200;
  // Scores as values of the ring; shifts are exact, since every tree has so many of these parts.
  void prepare() {
    const ChartGrammar& g = *grammar_;
    const Id n = parts_->length;
    items_.clear(n, parts_->num_spans());
    column_.assign(static_cast<std::size_t>(n) * width(), R::kZero);
    row_.resize(g.symbols, R::kZero);
    core_.resize(g.symbols, R::kZero);
    levels_.resize(static_cast<std::size_t>(g.chains) + 1);
    for (SymbolRow& level : levels_) level.resize(g.symbols, R::kZero);
    pair_sum_.resize(static_cast<std::size_t>(g.pairs()));
    is_met_.assign(pair_sum_.size(), 0);
    met_.clear();
    tag_of_.assign(width(), -1);
    for (Id k = 0; k < g.tags(); ++k) tag_of_[g.tagged[k]] = k;
    span_.assign(static_cast<std::size_t>(g.labels()), R::kOne);
    rule_.resize(g.binary.size());
    unary_.resize(g.unary.size());
    shift_ = 0;
    double top = 0;
    if (R::kScaled && n > 1 && g.size() > 0) {
      top = -kInf;
      for (Id r = 0; r < g.size(); ++r) top = std::max(top, theta_[parts_->rule(r)]);
      if (top == -kInf) top = 0;
      shift_ = (n - 1) * top;
    }
    for (Id r = 0; r < g.size(); ++r) rule_[r] = R::weight(theta_[parts_->rule(r)] - top);
    if (beam_ < kInf) {
      top_rule_ = -kInf;
      pair_best_.assign(pair_sum_.size(), -kInf);
      for (Id r = 0; r < g.size(); ++r) {
        pair_best_[g.pair_of[r]] = std::max(pair_best_[g.pair_of[r]], rule_[r]);
        top_rule_ = std::max(top_rule_, rule_[r]);
      }
      left_best_.assign(pair_sum_.size(), -kInf);
      for (Id p = 0; p < g.pairs(); ++p) {
        double& of_left = left_best_[g.left_begin[g.pair_left[p]]];
        of_left = std::max(of_left, pair_best_[p]);
      }
    }
    for (Id r = 0; r < g.unaries(); ++r) unary_[r] = R::weight(theta_[parts_->unary(r)]);
  }
  // Factors of the labels over a span.
  void weigh(Id begin, Id end) {
    if (!parts_->spans) return;
    for (Id l = 0; l < grammar_->labels(); ++l)
      span_[l] = R::weight(theta_[parts_->span(begin, end, l)]);
  }
  double span_weight(Id a) const { return span_[grammar_->label[a]]; }

  void words(Id t, ChartCell& cell) {
    weigh(t, t + 1);
    double top = 0;
    const auto score = [&](Id k) { return theta_[parts_->tag(t, k)]; };
    if (R::kScaled) {
      top = -kInf;
      for (Id k = 0; k < grammar_->tags(); ++k) top = std::max(top, score(k));
      if (top == -kInf) return;
      shift_ += top;
    }
    for (Id k = 0; k < grammar_->tags(); ++k)
      if (allowed(t, t + 1, grammar_->tagged[k]))
        row_.join<R>(grammar_->tagged[k], R::weight(score(k) - top));
    cell.exponent = 0;
  }

  void joined(Id begin, Id end, ChartCell& cell) {
    if (!join_splits(begin, end, cell.exponent)) return;
    weigh(begin, end);
    for (const auto& [first, count] : met_)
      for (Id p = first; p < first + count; ++p) {
        if (pair_sum_[p] == R::kZero) continue;
        for (const Id r : grammar_->rules_of_pair.of(p))
          row_.join<R>(grammar_->binary[r].parent, R::times(pair_sum_[p], rule_[r]));
      }
    core_.clear();
    for (const Id a : row_.live())
      if (allowed(begin, end, a)) core_.join<R>(a, R::times(row_[a], span_weight(a)));
    std::swap(core_, row_);
  }
  // How a split is scaled against the exponent of the whole.
  double scale(const LeftCell& left, const ChartCell& right, int whole) const {
    if constexpr (!R::kScaled) return R::kOne;
    return std::ldexp(1.0, left.exponent + right.exponent - whole);
  }
  // use(split, left, right) where there are both.
  template <class Use>
  void each_split(Id begin, Id end, Use&& use) {
    for (const LeftCell& left : lefts(begin).cells) {
      if (left.end >= end) return;
      const ChartCell& right = at(left.end, end);
      if (!right.empty()) use(left.end, left, right);
    }
  }
  // Children (B, C) over all splits; false: there are none.
  bool join_splits(Id begin, Id end, int& exponent) {
    int most = std::numeric_limits<int>::min();
    double least = -kInf;  // what children must reach to be worth while
    if constexpr (R::kScaled)
      each_split(begin, end, [&](Id, const LeftCell& left, const ChartCell& right) {
        most = std::max(most, left.exponent + right.exponent);
      });
    else
      most = 0, least = within_beam(begin, end);
    if (most == std::numeric_limits<int>::min()) return false;
    exponent = most;
    for (const auto& [first, count] : met_) is_met_[first] = 0;
    met_.clear();
    Index taken = 0;
    each_split(begin, end, [&](Id k, const LeftCell& left, const ChartCell& right) {
      std::span<const LeftItem> own = lefts(begin).of(left);
      if (least > -kInf) {
        if (left.best + right.best + top_rule_ < least) return;
        promising_.clear();
        for (const LeftItem& b : own)
          if (b.top + left_best_[b.first] + right.best >= least) promising_.push_back(b);
        own = promising_;
      }
      const double factor = scale(left, right, most);
      const double* values = column_.data() + static_cast<std::size_t>(k) * width();
      for (const LeftItem& b : own) meet(b);
      join_split(R{}, own, factor, values, grammar_->pair_right.data(), pair_sum_.data());
      taken += 16 * std::ssize(own);
    });
    steps_(taken + grammar_->pairs() / 8);
    return !met_.empty();
  }

  // What the children of a split must reach together with their rule to lead to anything within the
  // beam: the best of the split whose children are best is tried.
  double within_beam(Id begin, Id end) {
    if (beam_ == kInf || parts_->spans) return -kInf;
    const LeftCell* best = nullptr;
    double most = -kInf;
    each_split(begin, end, [&](Id, const LeftCell& left, const ChartCell& right) {
      if (left.best + right.best > most) most = left.best + right.best, best = &left;
    });
    if (!best) return -kInf;
    double found = -kInf;
    const double right = at(best->end, end).best;
    const double* values = column_.data() + static_cast<std::size_t>(best->end) * width();
    for (const LeftItem& b : lefts(begin).of(*best)) {
      if (b.top + right + left_best_[b.first] <= found) continue;
      for (Id p = b.first; p < b.first + b.count; ++p)
        found = std::max(found, b.top + values[grammar_->pair_right[p]] + pair_best_[p]);
    }
    return found - beam_;
  }
  // The pairs of a left child begin with nothing.
  void meet(const LeftItem& b) {
    if (is_met_[b.first]) return;
    is_met_[b.first] = 1;
    met_.emplace_back(b.first, b.count);
    std::fill_n(pair_sum_.begin() + b.first, b.count, R::kZero);
  }

  // levels_[u] = at(., u) of the row without unary rules, up to where no value is new; `all`: up to
  // the last, since worse ways are asked for, too.
  void climb(Id begin, Id end, bool all = false) {
    levels_[0].clear();
    for (const Id a : row_.live()) levels_[0].set(a, row_[a]);
    last_ = 0;
    while (last_ < grammar_->chains) {
      SymbolRow &now = levels_[last_], &next = levels_[last_ + 1];
      next.clear();
      for (const Id a : row_.live()) next.set(a, row_[a]);
      for (const Id b : now.live())
        for (const Id r : grammar_->unaries_of_child.of(b)) {
          const Id a = grammar_->unary[r].parent;
          if (allowed(begin, end, a))
            next.template join<R>(a, R::times(R::times(unary_[r], span_weight(a)), now[b]));
        }
      if (!all && next.same(now)) return;
      ++last_;
    }
  }
  // Without a filter what is stored is what was climbed; the row again, for those who come back.
  void restore(Id begin, Id end, const ChartCell& cell, bool all = false) {
    weigh(begin, end);
    row_.clear();
    for (Index i = cell.begin; i < cell.end; ++i)
      if (items_.base[i] != R::kZero) row_.set(items_.symbol[i], items_.base[i]);
    climb(begin, end, all);
  }
  bool store(Id begin, Id end, ChartCell& cell) {
    SymbolRow& top = levels_[last_];
    top.sort();
    double largest = 0;
    if constexpr (R::kScaled) {
      for (const Id a : top.live()) largest = std::max(largest, top[a]);
      if (!std::isfinite(largest)) return false;
    }
    double least = -kInf;
    if constexpr (!R::kScaled)
      if (beam_ < kInf) {
        for (const Id a : top.live()) least = std::max(least, top[a]);
        cell.best = least;
        least -= beam_;
      }
    const int exponent = R::kScaled ? std::ilogb(largest) : 0;
    const double factor = R::kScaled ? std::ldexp(1.0, -exponent) : 0;
    cell.exponent += exponent;
    for (const Id a : top.live())
      if constexpr (R::kScaled)
        items_.add(a, top[a] * factor, row_[a] * factor);
      else if (top[a] >= least)
        items_.add(a, top[a], row_[a] >= least ? row_[a] : R::kZero);
    cell.end = std::ssize(items_.symbol);
    LeftChildren& left = items_.lefts[static_cast<std::size_t>(begin)];
    const Index before = std::ssize(left.items);
    for (Index i = cell.begin; i < cell.end; ++i) {
      const Id first = grammar_->left_begin[items_.symbol[i]];
      const Id count = grammar_->left_begin[items_.symbol[i] + 1] - first;
      if (count > 0) left.items.push_back({items_.top[i], first, count, i});
    }
    if (const Index last = std::ssize(left.items); last > before)
      left.cells.push_back({end, cell.exponent, cell.best, before, last});
    return true;
  }
  void spread(Id k, const ChartCell& cell) {
    double* values = column_.data() + static_cast<std::size_t>(k) * width();
    for (Index i = cell.begin; i < cell.end; ++i) values[items_.symbol[i]] = items_.top[i];
  }
  void unspread(Id k, const ChartCell& cell) {
    double* values = column_.data() + static_cast<std::size_t>(k) * width();
    for (Index i = cell.begin; i < cell.end; ++i) values[items_.symbol[i]] = R::kZero;
  }

  // Unary rules of the best tree on top of a symbol; the symbol below them.
  template <class Tell>
  Id trace_chain(Id begin, Id end, Id a, Tell&& tell) {
    for (Id u = last_; u > 0 && levels_[u][a] != row_[a]; --u) {
      double most = -kInf;
      Id rule = -1;
      for (const Id r : grammar_->unaries_of_parent.of(a)) {
        const double x =
            R::times(R::times(unary_[r], span_weight(a)), levels_[u - 1][grammar_->unary[r].child]);
        if (x > most) most = x, rule = r;
      }
      tell(parts_->unary(rule));
      if (parts_->spans) tell(parts_->span(begin, end, grammar_->label[a]));
      a = grammar_->unary[rule].child;
    }
    return a;
  }
  // Items and rules by their left child go side by side.
  Split best_split(Id begin, Id end, Id a) {
    Split best{-1, -1};
    double most = -kInf;
    const auto rules = grammar_->rules_of_parent.of(a);
    each_split(begin, end, [&](Id k, const LeftCell&, const ChartCell& right) {
      const ChartCell& left = at(begin, k);
      Index i = left.begin;
      for (const Id r : rules) {
        const auto& [parent, b, c] = grammar_->binary[r];
        while (i < left.end && items_.symbol[i] < b) ++i;
        if (i == left.end) break;
        if (items_.symbol[i] != b) continue;
        const Index j = items_.find(right, c);
        if (j < 0) continue;
        const double x = R::times(R::times(items_.top[i], items_.top[j]), rule_[r]);
        if (x > most) most = x, best = {k, r};
      }
    });
    return best;
  }

  const ChartParts* parts_ = nullptr;
  const ChartGrammar* grammar_ = nullptr;
  const SpanFilter* filter_ = nullptr;
  std::span<const double> theta_;
  double shift_ = 0, beam_ = kInf, top_rule_ = 0;
  ChartItems items_;
  std::vector<double> rule_, unary_, span_;  // weights
  std::vector<double> column_;               // [begin][symbol] of the spans that end at one place
  std::vector<double> pair_sum_;
  std::vector<double> pair_best_,
      left_best_;                       // the best rule; of all pairs of a left child, by the first
  std::vector<LeftItem> promising_;     // those of a split that may lead to what is in the beam
  std::vector<std::pair<Id, Id>> met_;  // ranges of pairs whose left child is in some split
  std::vector<std::uint8_t> is_met_;    // by the first of a range
  std::vector<Id> tag_of_;
  SymbolRow row_, core_;  // of one span
  std::vector<SymbolRow> levels_;
  Id last_ = 0;  // of the levels
  Steps steps_;
};

}  // namespace linnet
