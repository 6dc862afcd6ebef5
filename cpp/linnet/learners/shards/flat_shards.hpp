// Shards of rows with one label each.
#pragma once
#include "linnet/features/rows.hpp"
#include "linnet/learners/dual/crammer_singer.hpp"
#include "linnet/learners/dual/dual_losses.hpp"
#include "linnet/learners/dual/dual_maxent.hpp"
#include "linnet/learners/shards/shard_dual.hpp"

namespace linnet {

// As many dual variables for each instance: `lanes`.
class FlatShard : public ShardDual {
 public:
  Index dim() const override { return (rows_.features() + Index{1}) * stride_; }
  void check(std::span<const double> alpha) const override {
    require(static_cast<Index>(alpha.size()) == rows_.size() * lanes_);
  }
  Point steps(std::span<const double> w, std::span<const double> alpha, double sigma, int passes,
              std::uint64_t seed) override {
    Buffer<double> v(w.begin(), w.end());  // w, and σ times what the shard has moved it
    Point next(alpha.begin(), alpha.end());
    std::vector<Index> order;
    for (Index i = 0; i < rows_.size(); ++i)
      if (costs_[i] > 0) order.push_back(i);
    walk(std::move(order), passes, seed,
         [&](Index i) { visit(i, next.data() + i * lanes_, sigma, v.data()); });
    return next;
  }

 protected:
  FlatShard(const Rows& rows, std::span<const Id> labels, std::span<const double> costs, Id width,
            Index lanes)
      : rows_(rows),
        labels_(labels.begin(), labels.end()),
        costs_(costs.begin(), costs.end()),
        width_(width),
        stride_(padded(width)),
        lanes_(lanes) {
    const auto n = static_cast<std::size_t>(rows.size());
    if (labels.size() != n || costs.size() != n)
      throw std::invalid_argument("rows, labels and costs differ in length");
    RowBuffer buffer;
    for (std::size_t i = 0; i < n; ++i) {
      if (!(costs[i] >= 0 && costs[i] < kInf))
        throw std::invalid_argument("costs must be finite and not negative");
      if (labels[i] < 0 || labels[i] >= std::max<Id>(width, 2))
        throw std::invalid_argument("a label is out of range");
      norms_.push_back(squared_norm(rows.row(static_cast<Index>(i), buffer), rows.bias()));
    }
  }
  virtual void visit(Index i, double* alpha, double sigma, double* v) = 0;

  const Rows& rows_;
  std::vector<Id> labels_;
  std::vector<double> costs_, norms_;
  Id width_;
  Index stride_, lanes_;
  RowBuffer buffer_;
};

// Two labels: a margin m = y w·x each, and one dual variable.
template <class Loss>
class BinaryShard final : public FlatShard {
 public:
  BinaryShard(const Rows& rows, std::span<const Id> labels, std::span<const double> costs)
      : FlatShard(rows, labels, costs, 1, 1) {}

  Point start() const override { return Point(static_cast<std::size_t>(rows_.size()), 0.0); }
  Sums value(std::span<const double> w, std::span<const double> alpha) override {
    Sums sums;
    for (Index i = 0; i < rows_.size(); ++i) {
      if (costs_[i] == 0) continue;
      sums.loss += costs_[i] * Loss::value(margin(i, w.data()));
      sums.dual += Loss::dual(alpha[i], costs_[i]);
    }
    return sums;
  }
  void weights(std::span<const double> alpha, std::span<double> sum) override {
    std::fill(sum.begin(), sum.end(), 0.0);
    RowBuffer buffer;
    for (Index i = 0; i < rows_.size(); ++i)
      if (alpha[i] != 0) add(rows_.row(i, buffer), -sign(i) * alpha[i], sum.data());
  }

 private:
  void visit(Index i, double* alpha, double sigma, double* v) override {
    const double m = margin(i, v), before = *alpha;
    *alpha = Loss::step(before, m, sigma * norms_[i], costs_[i]);
    if (*alpha != before) add(rows_.row(i, buffer_), -sigma * sign(i) * (*alpha - before), v);
  }
  double sign(Index i) const { return labels_[i] > 0 ? 1 : -1; }
  double margin(Index i, const double* w) {
    double score;
    score_row(rows_.row(i, buffer_), rows_.bias(), w, 1, &score);
    return sign(i) * score;
  }
  void add(const Row& row, double step, double* w) const {
    update_few(row, rows_.bias(), w, 1, &step);
  }
};

// Several labels: a point of their simplex for each instance.
template <class Block>
class JointShard final : public FlatShard {
 public:
  JointShard(const Rows& rows, std::span<const Id> labels, std::span<const double> costs, Id width)
      : FlatShard(rows, labels, costs, width, (Index{width} + 7) / 8 * 8),
        block_(width),
        scores_(room()),
        next_(room()),
        mass_(room()) {}

  Point start() const override {
    Point alpha(static_cast<std::size_t>(rows_.size() * lanes_), 0.0);
    for (Index i = 0; i < rows_.size(); ++i) alpha[i * lanes_ + labels_[i]] = 1;
    return alpha;
  }
  Sums value(std::span<const double> w, std::span<const double> alpha) override {
    Sums sums;
    for (Index i = 0; i < rows_.size(); ++i) {
      if (costs_[i] == 0) continue;
      score(i, w.data());
      std::copy_n(alpha.data() + i * lanes_, lanes_, mass_.data());
      const BlockCertificate block =
          block_.certify(scores_.data(), mass_.data(), wrong(i, alpha), labels_[i], lanes_);
      sums.loss += costs_[i] * block.loss;
      sums.dual += costs_[i] * block.value;
    }
    return sums;
  }
  void weights(std::span<const double> alpha, std::span<double> sum) override {
    std::fill(sum.begin(), sum.end(), 0.0);
    RowBuffer buffer;
    Buffer<double> delta(room());
    for (Index i = 0; i < rows_.size(); ++i) {
      if (costs_[i] == 0) continue;
      for (Index k = 0; k < lanes_; ++k) delta[k] = costs_[i] * alpha[i * lanes_ + k];
      delta[labels_[i]] = -costs_[i] * wrong(i, alpha);
      update_few(rows_.row(i, buffer), rows_.bias(), sum.data(), stride_, delta.data());
    }
  }

 private:
  std::size_t room() const { return static_cast<std::size_t>(std::max(lanes_, stride_)); }
  void visit(Index i, double* alpha, double sigma, double* v) override {
    score(i, v);
    block_.look(scores_.data(), alpha, labels_[i], lanes_);
    block_.best(scores_.data(), alpha, sigma * costs_[i] * norms_[i], lanes_, next_.data());
    double left = 0, rest = 0;  // mass of wrong labels: the right one has what is left of 1
    for (Id k = 0; k < width_; ++k)
      if (k != labels_[i]) left += next_[k];
    if (left > 1)
      for (Id k = 0; k < width_; ++k) next_[k] /= left;
    next_[labels_[i]] = std::max(0.0, 1 - left);
    for (Id k = 0; k < width_; ++k) {
      mass_[k] = sigma * costs_[i] * (next_[k] - alpha[k]);
      if (k != labels_[i]) rest += mass_[k];
      alpha[k] = next_[k];
    }
    mass_[labels_[i]] = -rest;
    std::fill(mass_.begin() + width_, mass_.end(), 0.0);
    update_few(rows_.row(i, buffer_), rows_.bias(), v, stride_, mass_.data());
  }
  void score(Index i, const double* w) {
    score_row(rows_.row(i, buffer_), rows_.bias(), w, stride_, scores_.data());
    std::fill(scores_.begin() + width_, scores_.end(), -1e30);
  }
  double wrong(Index i, std::span<const double> alpha) const {
    double sum = 0;
    for (Id k = 0; k < width_; ++k)
      if (k != labels_[i]) sum += alpha[i * lanes_ + k];
    return std::min(sum, 1.0);
  }

  Block block_;
  Buffer<double> scores_, next_, mass_;
};

}  // namespace linnet
