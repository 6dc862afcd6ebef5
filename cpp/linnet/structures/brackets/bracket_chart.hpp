// The chart of bracketings, over spans whose labels are joined: the best tree, sums over all trees,
// and the best tree through each bracket. Items are kept by their begin, rows by their end, so that
// the splits of a span lie side by side in both. Held equal to the generic sweep.
#pragma once
#include <cmath>
#include <cstring>

#include "linnet/base/math.hpp"
#include "linnet/structures/brackets/bracketing.hpp"

namespace linnet {

// Arrays over spans are square, [begin][end].
class BracketChart {
 public:
  // The caller sets a score of each bracket, label(i, j), before it asks.
  void enter(const Bracketing& trees) {
    trees_ = &trees;
    side_ = static_cast<std::size_t>(trees.length) + 1;
    for (auto* each : {&label_, &weight_, &inner_, &item_, &row_}) each->resize(side_ * side_);
    split_.resize(side_ * side_);
    terms_.resize(side_);
  }
  double& label(Id i, Id j) { return label_[at(i, j)]; }
  double label(Id i, Id j) const { return label_[at(i, j)]; }
  double inner(Id i, Id j) const { return inner_[at(i, j)]; }

  // The score of the best tree; -inf: there is none. Ties are broken as by the sweep.
  double best() { return up(BestTree{}); }
  // visit(i, j) for the brackets of the best tree, outer ones first.
  template <class Visit>
  void walk(Visit&& visit) {
    open_.assign(1, {0, length(), false});
    while (!open_.empty()) {
      const Open span = open_.back();
      open_.pop_back();
      const auto [i, j, item] = span;
      const std::size_t x = at(i, j);
      const bool word = j - i == 1;
      if (word ? (trees_->must(i, j) || label_[x] > 0)
               : item || trees_->must(i, j) || item_[x] >= inner_[x])
        visit(i, j);
      if (word) continue;
      open_.push_back({split_[x], j, false});
      open_.push_back({i, split_[x], true});
    }
  }

  // log Z; -inf: there is no tree. Weights of trees are products while these keep within a double,
  // else sums of logarithms.
  double sum() {
    const std::size_t size = side_ * side_;
    exponentials(label_.data(), size, weight_.data());
    least_ = 1;
    const double z = up(Products{});
    products_ = z <= 1 / kSmall && least_ >= kSmall;
    return products_ ? std::log(z) : up(Logarithms{terms_.data()});
  }
  // After sum(): tell(i, j, P(bracket)) for all that have any.
  template <class Tell>
  void flow(Tell&& tell) {
    products_ ? flow_of_products(tell) : flow_of_logarithms(tell);
  }

  // After best(): outside(i, j) is the best that a tree can have beside an item over [i, j), so
  // that a tree with a bracket there has at most outside(i, j) + label + inner(i, j).
  void best_outside() {
    const Id n = length();
    clear_outside(-kInf);
    of_row_[at(n, 0)] = 0;
    for (Id width = n; width >= 1; --width)
      for (Id i = 0; i + width <= n; ++i) {
        const Id j = i + width;
        const std::size_t x = at(i, j);
        const double row = of_row_[at(j, i)];
        double& item = of_item_[x];
        item = std::max(item, row);
        if (width == 1) continue;
        const double inner = std::max(trees_->must(i, j) ? -kInf : row, item + label_[x]);
        if (inner == -kInf) continue;
        const Id k = trees_->demands.first_split(i, j);
        steps_(2 * Index{j - k});
        raise_splits(&item_[at(i, k)], &row_[at(j, k)], j - k, inner, &of_item_[at(i, k)],
                     &of_row_[at(j, k)]);
      }
  }
  double outside(Id i, Id j) const { return of_item_[at(i, j)]; }
  // Of the best tree with a bracket over [i, j).
  double through(Id i, Id j) const {
    return outside(i, j) + label(i, j) + (j - i == 1 ? 0 : inner(i, j));
  }

 private:
  struct Open {
    Id i, j;
    bool item;
  };
  Id length() const { return trees_->length; }
  // Rows are at (end, begin).
  std::size_t at(Id i, Id j) const {
    return static_cast<std::size_t>(i) * side_ + static_cast<std::size_t>(j);
  }
  void clear_outside(double zero) {
    of_item_.assign(side_ * side_, zero);
    of_row_.assign(side_ * side_, zero);
  }

  // Inside, by width: joined(items, rows, how many, split) of all splits of a span, in a ring.
  template <class Ring>
  double up(Ring ring) {
    const Id n = length();
    const std::vector<double>& own = Ring::kWeights ? weight_ : label_;
    for (Id width = 1; width <= n; ++width)
      for (Id i = 0; i + width <= n; ++i) {
        const Id j = i + width;
        const std::size_t x = at(i, j);
        const bool must = trees_->must(i, j);
        if (trees_->demands.crossed(i, j)) label_[x] = -kInf, weight_[x] = 0;
        double& row = row_[at(j, i)];
        if (width == 1) {
          row = item_[x] = must ? own[x] : ring.either(Ring::kOne, own[x]);
        } else {
          const Id k = trees_->demands.first_split(i, j);
          steps_(2 * Index{j - k});
          inner_[x] = ring.joined(&item_[at(i, k)], &row_[at(j, k)], j - k, split_[x]);
          split_[x] += k;
          item_[x] = ring.both(inner_[x], own[x]);
          row = must ? item_[x] : ring.either(item_[x], inner_[x]);
        }
        // A row of 0 is none, or one whose weights are too small for a double.
        if (Ring::kWeights && (row > 0 || label_[x] > -kInf)) least_ = std::min(least_, row);
      }
    return row_[at(n, 0)];
  }
  // After sum() of products. Where no bracket must be, rows weigh 1 at least, so that what is
  // outside of them stays below 1 / Z.
  template <class Tell>
  void flow_of_products(Tell&& tell) {
    const Id n = length();
    clear_outside(0.0);
    of_row_[at(n, 0)] = 1 / row_[at(n, 0)];
    for (Id width = n; width >= 1; --width)
      for (Id i = 0; i + width <= n; ++i) {
        const Id j = i + width;
        const std::size_t x = at(i, j);
        const double row = of_row_[at(j, i)], item = of_item_[x] + row;
        const double share = item * (width == 1 ? weight_[x] : item_[x]);
        if (share > 0) tell(i, j, share);
        if (width == 1) continue;
        const double inner = item * weight_[x] + (trees_->must(i, j) ? 0.0 : row);
        if (!(inner > 0)) continue;
        const Id k = trees_->demands.first_split(i, j);
        steps_(2 * Index{j - k});
        add_splits(&item_[at(i, k)], &row_[at(j, k)], j - k, inner, &of_item_[at(i, k)],
                   &of_row_[at(j, k)]);
      }
  }
  template <class Tell>
  void flow_of_logarithms(Tell&& tell) {
    const Id n = length();
    clear_outside(0.0);
    of_row_[at(n, 0)] = 1;
    for (Id width = n; width >= 1; --width)
      for (Id i = 0; i + width <= n; ++i) {
        const Id j = i + width;
        const std::size_t x = at(i, j), y = at(j, i);
        const double row = of_row_[y];
        double item = of_item_[x], inner = 0;
        if (width == 1) {
          if ((item += row) > 0 && label_[x] > -kInf) tell(i, j, item * exp(label_[x] - item_[x]));
          continue;
        }
        if (row > 0) {
          item += row * exp(item_[x] - row_[y]);
          if (!trees_->must(i, j)) inner = row * exp(inner_[x] - row_[y]);
        }
        if (item > 0) tell(i, j, item);
        if (!((inner += item) > 0)) continue;
        const Id k = trees_->demands.first_split(i, j);
        steps_(4 * Index{j - k});
        share_splits(&item_[at(i, k)], &row_[at(j, k)], j - k, inner, inner_[x],
                     &of_item_[at(i, k)], &of_row_[at(j, k)]);
      }
  }

  // What items and rows are worth together, and what either of two ways is.
  struct BestTree {
    static constexpr bool kWeights = false;
    static constexpr double kOne = 0;
    static double both(double a, double b) { return a + b; }
    static double either(double a, double b) { return std::max(a, b); }
    static double joined(const double* item, const double* row, Id count, Id& split) {
      return best_split(item, row, count, split);
    }
  };
  struct Products {
    static constexpr bool kWeights = true;
    static constexpr double kOne = 1;
    static double both(double a, double b) { return a * b; }
    static double either(double a, double b) { return a + b; }
    static double joined(const double* item, const double* row, Id count, Id&) {
      return dot(item, row, count);
    }
  };
  struct Logarithms {
    static constexpr bool kWeights = false;
    static constexpr double kOne = 0;
    double* terms;
    static double both(double a, double b) { return a + b; }
    static double either(double a, double b) {
      const double top = std::max(a, b), low = std::min(a, b);
      return low == -kInf ? top : top + std::log1p(exp(low - top));
    }
    double joined(const double* item, const double* row, Id count, Id&) const {
      return log_sum_of(item, row, count, terms);
    }
  };
  LINNET_CLONES static void exponentials(const double* LINNET_RESTRICT from, std::size_t count,
                                         double* LINNET_RESTRICT to) {
    for (std::size_t k = 0; k < count; ++k) to[k] = exp(from[k]);
  }
  // In lanes, so that all clones add in the same order.
  LINNET_CLONES static double dot(const double* LINNET_RESTRICT item,
                                  const double* LINNET_RESTRICT row, Id count) {
    double lane[kLanes] = {};
    Id k = 0;
    for (; k + kLanes <= count; k += kLanes)
      for (Id l = 0; l < kLanes; ++l) lane[l] += item[k + l] * row[k + l];
    for (; k < count; ++k) lane[0] += item[k] * row[k];
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
  }
  LINNET_CLONES static double best_split(const double* LINNET_RESTRICT item,
                                         const double* LINNET_RESTRICT row, Id count, Id& split) {
    double best = -kInf;
    for (Id k = 0; k < count; ++k) best = std::max(best, item[k] + row[k]);
    split = 0;
    while (split + 1 < count && item[split] + row[split] != best) ++split;
    return best;
  }
  LINNET_CLONES static double log_sum_of(const double* LINNET_RESTRICT item,
                                         const double* LINNET_RESTRICT row, Id count,
                                         double* LINNET_RESTRICT terms) {
    double top = -kInf;
    for (Id k = 0; k < count; ++k) terms[k] = item[k] + row[k];
    for (Id k = 0; k < count; ++k) top = std::max(top, terms[k]);
    if (top == -kInf) return -kInf;
    for (Id k = 0; k < count; ++k) terms[k] = exp(terms[k] - top);
    double sum = 0;
    for (Id k = 0; k < count; ++k) sum += terms[k];
    return top + std::log(sum);
  }
  LINNET_CLONES static void add_splits(const double* LINNET_RESTRICT item,
                                       const double* LINNET_RESTRICT row, Id count, double beside,
                                       double* LINNET_RESTRICT to_item,
                                       double* LINNET_RESTRICT to_row) {
    for (Id k = 0; k < count; ++k) {
      to_item[k] += beside * row[k];
      to_row[k] += beside * item[k];
    }
  }
  LINNET_CLONES static void share_splits(const double* LINNET_RESTRICT item,
                                         const double* LINNET_RESTRICT row, Id count, double flow,
                                         double inner, double* LINNET_RESTRICT to_item,
                                         double* LINNET_RESTRICT to_row) {
    for (Id k = 0; k < count; ++k) {
      const double share = flow * exp(item[k] + row[k] - inner);
      to_item[k] += share;
      to_row[k] += share;
    }
  }
  LINNET_CLONES static void raise_splits(const double* LINNET_RESTRICT item,
                                         const double* LINNET_RESTRICT row, Id count, double beside,
                                         double* LINNET_RESTRICT to_item,
                                         double* LINNET_RESTRICT to_row) {
    for (Id k = 0; k < count; ++k) {
      to_item[k] = std::max(to_item[k], beside + row[k]);
      to_row[k] = std::max(to_row[k], beside + item[k]);
    }
  }

  static constexpr double kSmall =
      1e-200;  // weights below, and above 1 / kSmall, become logarithms
  static constexpr Id kLanes = 4;

  const Bracketing* trees_ = nullptr;
  std::size_t side_ = 0;
  std::vector<double> label_, weight_;  // of brackets; its exponential
  std::vector<double> inner_, item_, row_, of_item_, of_row_, terms_;
  std::vector<Id> split_;
  std::vector<Open> open_;
  double least_ = 1;       // weight of a row
  bool products_ = false;  // after sum()
  Steps steps_;
};

}  // namespace linnet
