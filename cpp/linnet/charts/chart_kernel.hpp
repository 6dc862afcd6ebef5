// Inside–outside over the chart of CKY: from what is around a span to what is around its parts,
// from the last column to the first.
#pragma once
#include "linnet/charts/chart_inside.hpp"

namespace linnet {

template <class R>
class ChartKernel : public ChartInside<R> {
  using Base = ChartInside<R>;
  using typename Base::LeftCell;

 public:
  // As `Oracle::solve` of this ring; false: values left the range of doubles.
  bool solve(const ChartParts& parts, std::span<const double> theta, std::span<double> mu,
             double& value) {
    if (!this->inside(parts, theta)) return false;
    value = this->best();
    if (R::kScaled && !std::isfinite(value))
      return false;  // has a tree vanished, or is there none?
    if (mu.empty() || value == -kInf) return true;
    if constexpr (R::kScaled) return outside(mu);
    std::fill(mu.begin(), mu.end(), 0.0);
    this->trace([&](Id part) { mu[part] += 1; });
    return true;
  }

  // After `inside`, if there is a tree. For sums: the marginals of all parts. For best trees: the
  // score of the best tree through each part. through(begin, end, symbol, amount), as often as it
  // has news, does the same for symbols over spans. Of best trees, what is below `least` need not
  // be told, and what lies below it is not looked at.
  template <class Through>
  bool outside(std::span<double> mu, Through&& through, double least = -kInf) {
    least_ = least;
    std::fill(mu.begin(), mu.end(), R::kZero);
    const Id n = parts_->length;
    items_.out.assign(items_.symbol.size(), R::kZero);
    around_.assign(static_cast<std::size_t>(n) * width(), R::kZero);
    pair_out_.resize(pair_sum_.size());
    for (SymbolRow* row : {&down_, &next_}) row->resize(grammar_->symbols, R::kZero);
    const Index root = items_.find(at(0, n), grammar_->start);
    items_.out[root] = R::kScaled ? 1 / items_.top[root] : R::kOne;
    for (Id end = n; end > 0; --end) {
      for (Id k = 0; k < end; ++k) spread(k, at(k, end));
      for (Id begin = 0; begin < end; ++begin) {
        const ChartCell& cell = at(begin, end);
        if (!cell.empty()) hand_down(begin, end, cell, mu, through);
      }
      for (Id k = 0; k < end; ++k) unspread(k, at(k, end));
      std::fill(around_.begin(), around_.end(), R::kZero);
    }
    if constexpr (R::kScaled)
      for (const double m : mu)
        if (!std::isfinite(m)) return false;
    return true;
  }
  bool outside(std::span<double> mu) {
    return outside(mu, [](Id, Id, Id, double) {});
  }

 private:
  using Base::allowed;
  using Base::at;
  using Base::column_;
  using Base::core_;
  using Base::each_split;
  using Base::grammar_;
  using Base::items_;
  using Base::last_;
  using Base::lefts;
  using Base::levels_;
  using Base::pair_sum_;
  using Base::parts_;
  using Base::restore;
  using Base::row_;
  using Base::rule_;
  using Base::scale;
  using Base::span_weight;
  using Base::spread;
  using Base::steps_;
  using Base::tag_of_;
  using Base::unary_;
  using Base::unspread;
  using Base::width;

  bool worth(double out, double in) const { return R::kScaled || out + in >= least_; }
  void note(std::span<double> mu, Id part, double amount) { mu[part] = R::join(mu[part], amount); }
  // From what is around a span to what is around its parts.
  template <class Through>
  void hand_down(Id begin, Id end, const ChartCell& cell, std::span<double> mu, Through&& through) {
    down_.clear();
    const double* around = around_.data() + static_cast<std::size_t>(begin) * width();
    for (Index i = cell.begin; i < cell.end; ++i) {
      const Id a = items_.symbol[i];
      const double out = R::join(items_.out[i], around[a]);
      if (worth(out, items_.top[i])) down_.join<R>(a, out);
    }
    if (down_.live().empty()) return;
    restore(begin, end, cell, !R::kScaled);
    descend(begin, end, mu, through);
    if (end == begin + 1) {
      for (const Id a : core_.live())
        note(mu, parts_->tag(begin, tag_of_[a]), R::times(core_[a], row_[a]));
      return;
    }
    std::fill(pair_out_.begin(), pair_out_.end(), R::kZero);
    for (const Id a : core_.live()) {
      if (parts_->spans)
        note(mu, parts_->span(begin, end, grammar_->label[a]), R::times(core_[a], row_[a]));
      const double x = R::times(core_[a], span_weight(a));
      for (const Id r : grammar_->rules_of_parent.of(a)) {
        double& out = pair_out_[grammar_->pair_of[r]];
        out = R::join(out, R::times(x, rule_[r]));
      }
    }
    hand_to_children(begin, end, cell);
    for (const Id a : core_.live()) {
      const double x = R::times(core_[a], span_weight(a));
      for (const Id r : grammar_->rules_of_parent.of(a)) {
        const double sum = pair_sum_[grammar_->pair_of[r]];
        if (sum != R::kZero) note(mu, parts_->rule(r), R::times(R::times(x, rule_[r]), sum));
      }
    }
  }
  // Down the levels of unary rules; core_: what is around symbols without any on top.
  template <class Through>
  void descend(Id begin, Id end, std::span<double> mu, Through&& through) {
    core_.clear();
    for (Id u = last_;; --u) {
      next_.clear();
      for (const Id a : down_.live()) {
        through(begin, end, a, R::times(down_[a], levels_[u][a]));
        if (row_[a] != R::kZero && worth(down_[a], row_[a])) core_.template join<R>(a, down_[a]);
        if (u == 0) continue;
        for (const Id r : grammar_->unaries_of_parent.of(a)) {
          const Id b = grammar_->unary[r].child;
          if (levels_[u - 1][b] == R::kZero) continue;
          const double x = R::times(down_[a], R::times(unary_[r], span_weight(a)));
          if (x == R::kZero || !allowed(begin, end, a)) continue;
          next_.join<R>(b, x);
          const double amount = R::times(x, levels_[u - 1][b]);
          note(mu, parts_->unary(r), amount);
          if (parts_->spans) note(mu, parts_->span(begin, end, grammar_->label[a]), amount);
        }
      }
      if (u == 0) return;
      std::swap(down_, next_);
    }
  }
  // pair_out_ to the symbols of all splits; pair_sum_ is made anew on the way.
  void hand_to_children(Id begin, Id end, const ChartCell& cell) {
    std::fill(pair_sum_.begin(), pair_sum_.end(), R::kZero);
    Index taken = 0;
    each_split(begin, end, [&](Id k, const LeftCell& left, const ChartCell& right) {
      const double factor = scale(left, right, cell.exponent);
      const double* values = column_.data() + static_cast<std::size_t>(k) * width();
      double* around = around_.data() + static_cast<std::size_t>(k) * width();
      for (const LeftItem& b : lefts(begin).of(left)) {
        const double x = R::times(b.top, factor);
        double own = R::kZero;
        for (Id p = b.first; p < b.first + b.count; ++p) {
          const Id c = grammar_->pair_right[p];
          if (pair_out_[p] == R::kZero || values[c] == R::kZero) continue;
          own = R::join(own, R::times(pair_out_[p], values[c]));
          around[c] = R::join(around[c], R::times(pair_out_[p], x));
          pair_sum_[p] = R::join(pair_sum_[p], R::times(x, values[c]));
        }
        items_.out[b.item] = R::join(items_.out[b.item], R::times(own, factor));
        taken += 2 * b.count;
      }
    });
    steps_(taken + grammar_->pairs() / 8);
  }

  double least_ = -kInf;
  std::vector<double> around_;  // [begin][symbol] of the spans that end at one place
  std::vector<double> pair_out_;
  SymbolRow down_, next_;  // of one span
};

}  // namespace linnet
