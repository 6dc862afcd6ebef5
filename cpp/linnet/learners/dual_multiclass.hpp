// Dual block coordinate descent for joint multiclass problems,
//   P(W) = ½‖W‖² + Σ_i c_i ℓ(W x_i, y_i),
//   D(α) = −½‖W(α)‖² − Σ_i c_i ℓ*(…),  W(α)_k = Σ_i c_i ([k = y_i] − α_ik) x_i,
// with one point α_i of the simplex of K labels per instance. A visit scores all labels of the
// instance, replaces α_i by the best point given all the others, and moves W. The loss is a
// `Block`: CrammerSingerBlock or MaxEntBlock.
//
// The duality gap splits into the gaps of the blocks, c_i (ℓ(s_i) + ℓ*(…) + …) ≥ 0 by Fenchel and
// Young, where s are scores by the weights as they are; W(α) and the float32 weights differ by
// rounding, which enters the certificate only squared. So a visit knows how far its own block is
// from the optimum: blocks that hardly count are left alone for 1, then 3 passes (shrinking), and
// the sum of the gaps last seen says when the exact gap, over all instances, is worth its pass.
#pragma once
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/rng.hpp"
#include "linnet/base/types.hpp"
#include "linnet/learners/label_rows.hpp"
#include "linnet/learners/visit_order.hpp"

namespace linnet {

template <class Block>
class DualMulticlass {
 public:
  // Requires: a label in [0, width) and a finite cost ≥ 0 for each row; no index twice in a row.
  // `rows` outlives the solver.
  DualMulticlass(const Rows& rows, std::span<const Id> labels, std::span<const double> costs,
                 Id width, double tolerance, std::uint64_t seed)
      : rows_(rows),
        labels_(labels.begin(), labels.end()),
        costs_(costs.begin(), costs.end()),
        width_(width),
        stride_(padded(width)),
        lanes_((Index{width} + 7) / 8 * 8),
        tolerance_(tolerance),
        rng_(seed),
        block_(width) {
    check();
    const auto n = static_cast<std::size_t>(rows.size());
    weights_.assign(static_cast<std::size_t>((rows.features() + Index{1}) * stride_), 0.f);
    alpha_.assign(n * static_cast<std::size_t>(lanes_), 0.f);
    scores_.assign(static_cast<std::size_t>(lanes_), 0.f);
    next_.assign(scores_.size(), 0.f);
    moved_.assign(scores_.size(), 0);
    norms_.resize(n);
    gaps_.assign(n, 0.);
    losses_.assign(n, 0.);
    due_.assign(n, 0);
    wait_.assign(n, 0);
    for (Index i = 0; i < rows.size(); ++i) {
      alpha(i)[labels_[i]] = 1;  // W(α) = 0
      const Row row = rows.row(i, buffer_);
      keep_if_converted(row, i);
      norms_[i] = linnet::squared_norm(row, rows.bias());
    }
  }

  EpochStats epoch() {
    EpochStats stats;
    order_.clear();
    for (Index i = 0; i < rows_.size(); ++i)
      if (costs_[i] > 0 && due_[i] <= pass_) order_.push_back(i);
    shuffle_groups(order_, group_size(order_.size()), rng_);
    const double mean_gap = gap_sum_ / static_cast<double>(rows_.size());
    StopCheck stop;
    for (std::size_t t = 0; t < order_.size(); ++t) {
      if (stop()) {
        stats.interrupted = true;
        break;
      }
      if (t + 2 < order_.size()) expect(order_[t + 2]);
      if (t + 1 < order_.size()) expect_row(row(order_[t + 1]), weights_.data(), stride_);
      visit(order_[t], mean_gap, pass_ == 0 ? ahead_after(t) : 1, stats);
    }
    ++pass_;
    gap_sum_ = std::accumulate(gaps_.begin(), gaps_.end(), 0.);
    if (!stats.interrupted && worth_certifying()) {
      objective_ = half_squared_norm() + std::accumulate(losses_.begin(), losses_.end(), 0.);
      if (worth_certifying()) add_certificate(stats);
    }
    return stats;
  }

  // The exact objective and gap of the weights as they are, in float64 and over all instances.
  EpochStats certify() {
    EpochStats stats;
    add_certificate(stats);
    return stats;
  }

  std::span<float> weights() { return weights_; }
  std::span<const float> duals() const { return alpha_; }
  Index stride() const { return stride_; }
  Index lanes() const { return lanes_; }
  Id width() const { return width_; }

  // Instances that hold some mass on a wrong label.
  std::vector<Id> support() const {
    std::vector<Id> found;
    for (Index i = 0; i < rows_.size(); ++i) {
      const float* a = alpha_.data() + i * lanes_;
      for (Id k = 0; k < width_; ++k)
        if (k != labels_[i] && a[k] > 0 && costs_[i] > 0) {
          found.push_back(static_cast<Id>(i));
          break;
        }
    }
    return found;
  }

 private:
  static constexpr double kSkip = 0.2;  // of the mean gap: not worth moving the weights
  static constexpr int kLongestWait = 3;

  void check() const {
    const auto n = static_cast<std::size_t>(rows_.size());
    if (labels_.size() != n || costs_.size() != n)
      throw std::invalid_argument("rows, labels and costs differ in length");
    if (width_ < 1) throw std::invalid_argument("there must be at least one label");
    for (std::size_t i = 0; i < n; ++i) {
      if (labels_[i] < 0 || labels_[i] >= width_)
        throw std::invalid_argument("label " + std::to_string(labels_[i]) + " is outside [0, " +
                                    std::to_string(width_) + ")");
      if (!(costs_[i] >= 0 && std::isfinite(costs_[i])))
        throw std::invalid_argument("costs must be finite and not negative");
    }
  }

  // Rows are visited many times: those that are not (int32, float32) already are converted once.
  void keep_if_converted(const Row& row, Index i) {
    if (i == 0 && row.value != buffer_.value.data() && row.index != buffer_.index.data()) return;
    if (i > 0 && kept_value_.capacity() == 0) return;
    if (i == 0) {
      kept_index_.reserve(static_cast<std::size_t>(rows_.nonzeros()) + 1);
      kept_value_.reserve(static_cast<std::size_t>(rows_.nonzeros()) + 1);
    }
    kept_index_.insert(kept_index_.end(), row.index, row.index + row.size);
    kept_value_.insert(kept_value_.end(), row.value, row.value + row.size);
  }
  Row row(Index i) {
    if (kept_value_.empty()) return rows_.row(i, buffer_);
    const Index begin = rows_.start(i);
    return {kept_index_.data() + begin, kept_value_.data() + begin,
            static_cast<Id>(rows_.start(i + 1) - begin)};
  }

  float* alpha(Index i) { return alpha_.data() + i * lanes_; }

  // Visits jump through memory, so the next ones are announced: first the row of an instance
  // and its duals, then its weights (expect_row).
  void expect(Index i) {
    const float* a = alpha(i);
    for (Index k = 0; k < lanes_; k += 16) LINNET_PREFETCH(a + k);
    const Row coming = row(i);
    for (Id j = 0; j < coming.size; j += 16) {
      LINNET_PREFETCH(coming.index + j);
      LINNET_PREFETCH(coming.value + j);
    }
  }

  // Early instances of the first pass meet weights that know little of the data, and would take too
  // much upon themselves: after t of n instances W is taken to be on its way to √(n/t) W.
  double ahead_after(std::size_t t) const {
    return std::sqrt(static_cast<double>(order_.size()) / static_cast<double>(t + 1));
  }

  void visit(Index i, double mean_gap, double ahead, EpochStats& stats) {
    const Row row = this->row(i);
    float* a = alpha(i);
    const Id gold = labels_[i];
    score_row(row, rows_.bias(), weights_.data(), stride_, scores_.data());
    if (ahead != 1)
      for (Id k = 0; k < width_; ++k) scores_[k] *= static_cast<float>(ahead);
    std::fill(scores_.begin() + width_, scores_.end(), kNever);
    stats.mistakes += mistaken(scores_.data(), gold, lanes_);
    const BlockState<float> seen = block_.look(scores_.data(), a, gold, lanes_);
    losses_[i] = costs_[i] * static_cast<double>(seen.loss);
    gaps_[i] = costs_[i] * static_cast<double>(seen.gap);
    if (gaps_[i] <= mean_gap) {
      wait_[i] = std::min(kLongestWait, 2 * wait_[i] + 1);
      due_[i] = pass_ + 1 + wait_[i];
      if (gaps_[i] <= kSkip * mean_gap) return;
    } else {
      wait_[i] = 0;
    }
    block_.best(scores_.data(), a, costs_[i] * norms_[i] * ahead, lanes_, next_.data());
    float* delta = scores_.data();  // from here on c δ
    const Id count =
        moves(static_cast<float>(costs_[i]), next_.data(), a, lanes_, delta, moved_.data());
    if (count == 0) return;
    std::copy(next_.begin(), next_.end(), a);
    ++stats.updates;
    if (stride_ % 8 == 0)
      update_row(row, rows_.bias(), weights_.data(), stride_, delta, moved_.data(), count);
    else
      update_few(row, rows_.bias(), weights_.data(), stride_, delta);
  }

  // The gaps last seen are a little too small by now: the weights have moved since.
  bool worth_certifying() const { return gap_sum_ <= 0.95 * tolerance_ * objective_; }
  double half_squared_norm() const {
    return 0.5 * squared_norm(weights_.data(), static_cast<Index>(weights_.size()));
  }

  void add_certificate(EpochStats& stats) {
    StopCheck stop;
    std::vector<double> scores(static_cast<std::size_t>(stride_)), point(scores.size());
    double losses = 0, gap = 0;
    for (Index i = 0; i < rows_.size(); ++i) {
      if (costs_[i] == 0) continue;
      if (stop()) {
        stats.interrupted = true;
        return;
      }
      if (i + 1 < rows_.size()) expect_row(row(i + 1), weights_.data(), stride_);
      score_row(row(i), rows_.bias(), weights_.data(), stride_, scores.data());
      const float* a = alpha(i);
      const double scale = 1 / std::accumulate(a, a + width_, 0.);
      for (Id k = 0; k < width_; ++k) point[k] = static_cast<double>(a[k]) * scale;
      const BlockState<double> state = block_.certify(scores.data(), point.data(), labels_[i]);
      losses_[i] = costs_[i] * state.loss;
      gaps_[i] = costs_[i] * std::max(0., state.gap);
      losses += losses_[i];
      gap += gaps_[i];
    }
    objective_ = half_squared_norm() + losses;
    stats.objective = objective_;
    stats.gap = gap;
    stats.dual = objective_ - gap;
    gap_sum_ = gap;
    stats.converged = gap <= tolerance_ * std::max(objective_, kTiny);
    const double mean_gap = gap / static_cast<double>(rows_.size());
    for (Index i = 0; i < rows_.size(); ++i)
      if (gaps_[i] > mean_gap) due_[i] = pass_, wait_[i] = 0;
  }

  static constexpr float kNever = -1e30f;  // the score of a label that is only padding
  static constexpr double kTiny = 1e-300;

  const Rows& rows_;
  std::vector<Id> labels_;
  std::vector<double> costs_;
  Id width_;
  Index stride_, lanes_;  // of a row of weights; of a row of duals (a multiple of 8)
  double tolerance_;
  Rng rng_;
  Block block_;
  RowBuffer buffer_;
  std::vector<Id> kept_index_;  // all rows, or empty where they can be read in place
  std::vector<float> kept_value_;
  Buffer<float> weights_, alpha_;  // [features + 1][stride], [rows][lanes]
  Buffer<float> scores_, next_;    // [lanes]
  std::vector<Id> moved_;
  std::vector<double> norms_;          // ‖x_i‖²
  std::vector<double> losses_, gaps_;  // c_i ℓ_i and the gap of block i when last seen
  std::vector<int> due_, wait_;        // the pass of the next visit; passes left out before it
  std::vector<Index> order_;
  int pass_ = 0;
  double objective_ = kInf;  // the last estimate or value of P
  double gap_sum_ = 0;       // Σ gaps_
};

}  // namespace linnet
