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
//
// A feature f of one instance i alone has weights c_i ([k = y_i] − α_ik) x_if: they follow from
// α_i, and are worked out when the weights are asked for. Until then such features, of text more
// than half of all, need no memory that a visit would wait for.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/rng.hpp"
#include "linnet/base/types.hpp"
#include "linnet/learners/dual/label_rows.hpp"
#include "linnet/learners/dual/visit_order.hpp"

namespace linnet {

// scores −= scale · alpha; `size` is a multiple of 8.
LINNET_CLONES inline void subtract_point(float scale, const float* alpha, Index size,
                                         float* scores) {
  const Lanes by = all_lanes(scale);
  for (Index k = 0; k < size; k += 8)
    store_lanes(scores + k, load_lanes(scores + k) - by * load_lanes(alpha + k));
}
LINNET_CLONES inline void subtract_point(double scale, const float* alpha, Index size,
                                         double* scores) {
  for (Index k = 0; k < size; ++k) scores[k] -= scale * static_cast<double>(alpha[k]);
}
// The point of the simplex that rounding has moved alpha from.
LINNET_CLONES inline void renormalised(const float* alpha, Index size, double* point) {
  double sum[8] = {};
  for (Index k = 0; k < size; k += 8)
    for (int j = 0; j < 8; ++j) sum[j] += point[k + j] = static_cast<double>(alpha[k + j]);
  const double total =
      ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
  for (Index k = 0; k < size; ++k) point[k] /= total;
}

template <class Block>
class DualMulticlass {
 public:
  // Requires: a label in [0, width) and a finite cost ≥ 0 for each row; no index twice in a row.
  // `rows` outlives the solver.
  DualMulticlass(const Rows& rows, std::span<const Id> labels, std::span<const double> costs,
                 Id width, double tolerance, std::uint64_t seed)
      : rows_(rows),
        width_(width),
        stride_(padded(width)),
        lanes_((Index{width} + 7) / 8 * 8),
        tolerance_(tolerance),
        rng_(seed),
        block_(width) {
    check(labels, costs);
    const auto n = static_cast<std::size_t>(rows.size());
    weights_.assign(static_cast<std::size_t>((rows.features() + Index{1}) * stride_), 0.f);
    alpha_.assign(n * static_cast<std::size_t>(lanes_), 0.f);
    scores_.assign(static_cast<std::size_t>(lanes_), 0.f);
    next_.assign(scores_.size(), 0.f);
    moved_.assign(scores_.size(), 0);
    slots_.resize(n);
    for (Index i = 0; i < rows.size(); ++i) {
      slots_[i].gold = labels[i];
      slots_[i].cost = costs[i];
      alpha(i)[labels[i]] = 1;  // W(α) = 0
      slots_[i].norm = linnet::squared_norm(rows.row(i, buffer_), rows.bias());
    }
    keep_shared();
  }

  EpochStats epoch() {
    EpochStats stats;
    order_.clear();
    for (Index i = 0; i < rows_.size(); ++i)
      if (slots_[i].cost > 0 && slots_[i].due <= pass_) order_.push_back(i);
    shuffle_groups(order_, group_size(order_.size()), rng_);
    const double mean_gap = gap_sum_ / static_cast<double>(rows_.size());
    StopCheck stop;
    for (std::size_t t = 0; t < order_.size(); ++t) {
      if (stop()) {
        stats.interrupted = true;
        break;
      }
      if (t + 4 < order_.size()) LINNET_PREFETCH(&slots_[order_[t + 4]]);
      if (t + 2 < order_.size()) expect(order_[t + 2]);
      if (t + 1 < order_.size()) expect_weights(order_[t + 1]);
      visit(order_[t], mean_gap, pass_ == 0 ? ahead_after(t) : 1, stats);
    }
    ++pass_;
    gap_sum_ = total(&Slot::gap);
    if (!stats.interrupted && worth_certifying()) {
      const double penalty = half_squared_norm();
      objective_ = penalty + total(&Slot::loss);
      if (worth_certifying()) add_certificate(penalty, stats);
    }
    return stats;
  }

  // The exact objective and gap of the weights as they are, in float64 and over all instances.
  EpochStats certify() {
    EpochStats stats;
    add_certificate(half_squared_norm(), stats);
    return stats;
  }

  std::span<float> weights() {
    for (const auto& [i, feature, x] : own_) {
      float* const w = weights_of(feature);
      const float *const a = alpha(i), step = static_cast<float>(slots_[i].cost) * x;
      for (Id k = 0; k < width_; ++k) w[k] = -step * a[k];
      w[slots_[i].gold] = step * (1 - a[slots_[i].gold]);
    }
    own_written_ = true;
    return weights_;
  }
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
        if (k != slots_[i].gold && a[k] > 0 && slots_[i].cost > 0) {
          found.push_back(static_cast<Id>(i));
          break;
        }
    }
    return found;
  }

 private:
  struct alignas(64) Slot {  // what is known of an instance: one cache line
    double cost = 0;
    double norm = 0, own = 0;  // ‖x‖²; the part of it of features that no other instance has
    double loss = 0, gap = 0;  // of the block when last seen, times the cost
    Index start = 0;           // of its shared features
    Id size = 0, gold = 0;
    int due = 0;             // the pass of the next visit
    std::int16_t wait = 0;   // passes left out before it
    std::uint16_t rare = 0;  // how many of the features are not in the cache, the first ones
  };
  double total(double Slot::* part) const {
    double sum = 0;
    for (const Slot& slot : slots_) sum += slot.*part;
    return sum;
  }
  static constexpr double kSkip = 0.2;  // of the mean gap: not worth moving the weights
  static constexpr int kLongestWait = 3;
  static constexpr Index kCache = 512 << 10;  // bytes of weights that visits find in the cache
  static constexpr Index kMostRare = std::numeric_limits<std::uint16_t>::max();

  void check(std::span<const Id> labels, std::span<const double> costs) const {
    const auto n = static_cast<std::size_t>(rows_.size());
    if (labels.size() != n || costs.size() != n)
      throw std::invalid_argument("rows, labels and costs differ in length");
    if (width_ < 1) throw std::invalid_argument("there must be at least one label");
    for (std::size_t i = 0; i < n; ++i) {
      if (labels[i] < 0 || labels[i] >= width_)
        throw std::invalid_argument("label " + std::to_string(labels[i]) + " is outside [0, " +
                                    std::to_string(width_) + ")");
      if (!(costs[i] >= 0 && std::isfinite(costs[i])))
        throw std::invalid_argument("costs must be finite and not negative");
    }
  }

  // Rows are visited many times: they are kept here as (int32, float32), without the features that
  // they have for themselves, and those first whose weights are hardly ever in the cache.
  void keep_shared() {
    std::vector<std::uint32_t> counts(static_cast<std::size_t>(rows_.features()));
    for (Index i = 0; i < rows_.size(); ++i) {
      const Row row = rows_.row(i, buffer_);
      for (Id j = 0; j < row.size; ++j) ++counts[row.index[j]];
    }
    const std::uint32_t cached = least_count_cached(counts);
    shared_index_.resize(static_cast<std::size_t>(rows_.nonzeros()));
    shared_value_.resize(shared_index_.size());
    Index at = 0;
    for (Index i = 0; i < rows_.size(); ++i) {
      const Row row = rows_.row(i, buffer_);
      Slot& slot = slots_[i];
      const auto keep = [&](Id j) {
        shared_index_[at] = row.index[j];
        shared_value_[at++] = row.value[j];
      };
      slot.start = at;
      for (Id j = 0; j < row.size; ++j)
        if (counts[row.index[j]] == 1) {
          own_.push_back({i, row.index[j], row.value[j]});
          slot.own += static_cast<double>(row.value[j]) * static_cast<double>(row.value[j]);
        } else if (counts[row.index[j]] < cached) {
          keep(j);
        }
      slot.rare = static_cast<std::uint16_t>(std::min<Index>(at - slot.start, kMostRare));
      for (Id j = 0; j < row.size; ++j)
        if (counts[row.index[j]] >= cached) keep(j);
      slot.size = static_cast<Id>(at - slot.start);
    }
  }
  // How often a feature must occur for its weights to be among those that stay in the cache.
  std::uint32_t least_count_cached(std::vector<std::uint32_t> counts) const {
    const auto rows = static_cast<std::size_t>(kCache / (Index{4} * stride_));
    if (counts.size() <= rows) return 2;
    std::nth_element(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(rows),
                     counts.end(), std::greater<>());
    return std::max<std::uint32_t>(counts[rows], 2);
  }
  Row row(Index i) const {
    const Slot& s = slots_[i];
    return {shared_index_.data() + s.start, shared_value_.data() + s.start, s.size};
  }
  // The scores of an instance in `lanes_` numbers, those beyond its labels very negative.
  template <class Real>
  void score(const Slot& slot, const Row& row, const float* a, Real* scores) const {
    score_row(row, rows_.bias(), weights_.data(), stride_, scores);
    if (slot.own != 0) {
      const Real scale = static_cast<Real>(slot.cost * slot.own), gold = scores[slot.gold];
      subtract_point(scale, a, lanes_, scores);
      scores[slot.gold] = gold + scale * static_cast<Real>(1 - a[slot.gold]);
    }
    std::fill(scores + width_, scores + lanes_, static_cast<Real>(kNever));
  }

  float* alpha(Index i) { return alpha_.data() + i * lanes_; }
  float* weights_of(Id feature) { return weights_.data() + (feature + Index{1}) * stride_; }

  // Visits jump through memory, so the next ones are announced: first the row of an instance and
  // its duals, then its weights.
  LINNET_INLINE void expect(Index i) {
    const float* a = alpha(i);
    for (Index k = 0; k < lanes_; k += 16) LINNET_PREFETCH(a + k);
    const Row coming = row(i);
    for (Id j = 0; j < coming.size; j += 16) {
      LINNET_PREFETCH(coming.index + j);
      LINNET_PREFETCH(coming.value + j);
    }
  }

  LINNET_INLINE void expect_weights(Index i) {
    Row coming = row(i);
    coming.size = slots_[i].rare;
    expect_row(coming, weights_.data(), stride_);
  }

  // Early instances of the first pass meet weights that know little of the data, and would take too
  // much upon themselves: after t of n instances W is taken to be on its way to √(n/t) W.
  double ahead_after(std::size_t t) const {
    return std::sqrt(static_cast<double>(order_.size()) / static_cast<double>(t + 1));
  }

  void visit(Index i, double mean_gap, double ahead, EpochStats& stats) {
    const Row row = this->row(i);
    float* a = alpha(i);
    Slot& slot = slots_[i];
    score(slot, row, a, scores_.data());
    if (ahead != 1)
      for (Id k = 0; k < width_; ++k) scores_[k] *= static_cast<float>(ahead);
    const BlockState<float> seen = block_.look(scores_.data(), a, slot.gold, lanes_);
    stats.mistakes += seen.mistaken;
    slot.loss = slot.cost * static_cast<double>(seen.loss);
    slot.gap = slot.cost * static_cast<double>(seen.gap);
    if (slot.gap <= mean_gap) {
      slot.wait = static_cast<std::int16_t>(std::min(kLongestWait, 2 * slot.wait + 1));
      slot.due = pass_ + 1 + slot.wait;
      if (slot.gap <= kSkip * mean_gap) return;
    } else {
      slot.wait = 0;
    }
    block_.best(scores_.data(), a, slot.cost * slot.norm * ahead, lanes_, next_.data());
    float* delta = scores_.data();  // from here on c δ
    const Id count =
        moves(static_cast<float>(slot.cost), next_.data(), a, lanes_, delta, moved_.data());
    if (count == 0) return;
    ++stats.updates;
    if (stride_ % 8 == 0)
      update_row(row, rows_.bias(), weights_.data(), stride_, delta, moved_.data(), count);
    else
      update_few(row, rows_.bias(), weights_.data(), stride_, delta);
  }

  // The gaps last seen are a little too small by now: the weights have moved since.
  bool worth_certifying() const { return gap_sum_ <= 0.95 * tolerance_ * objective_; }
  double half_squared_norm() {
    if (std::exchange(own_written_, false))
      for (const Own& own : own_) std::fill_n(weights_of(own.feature), stride_, 0.f);
    double sum = squared_norm(weights_.data(), static_cast<Index>(weights_.size()));
    for (Index i = 0; i < rows_.size(); ++i) {
      const Slot& slot = slots_[i];
      if (slot.own == 0) continue;
      const double gold = static_cast<double>(alpha(i)[slot.gold]);
      const double apart = squared_norm(alpha(i), lanes_) - gold * gold + (1 - gold) * (1 - gold);
      sum += slot.cost * slot.cost * slot.own * apart;
    }
    return 0.5 * sum;
  }

  void add_certificate(double penalty, EpochStats& stats) {
    StopCheck stop;
    Buffer<double> scores(static_cast<std::size_t>(lanes_)), point(scores.size());
    double losses = 0, gap = 0;
    for (Index i = 0; i < rows_.size(); ++i) {
      Slot& slot = slots_[i];
      if (slot.cost == 0) continue;
      if (stop()) {
        stats.interrupted = true;
        return;
      }
      if (i + 1 < rows_.size()) expect_weights(i + 1);
      const float* a = alpha(i);
      score(slot, row(i), a, scores.data());
      renormalised(a, lanes_, point.data());
      const BlockState<double> state =
          block_.certify(scores.data(), point.data(), slot.gold, lanes_);
      slot.loss = slot.cost * state.loss;
      slot.gap = slot.cost * std::max(0., state.gap);
      losses += slot.loss;
      gap += slot.gap;
    }
    objective_ = penalty + losses;
    stats.objective = objective_;
    stats.gap = gap;
    stats.dual = objective_ - gap;
    gap_sum_ = gap;
    stats.converged = gap <= tolerance_ * std::max(objective_, kTiny);
    const double mean_gap = gap / static_cast<double>(rows_.size());
    for (Slot& slot : slots_)
      if (slot.gap > mean_gap) slot.due = pass_, slot.wait = 0;
  }

  static constexpr float kNever = -1e30f;  // the score of a label that is only padding
  static constexpr double kTiny = 1e-300;

  const Rows& rows_;
  Id width_;
  Index stride_, lanes_;  // of a row of weights; of a row of duals (a multiple of 8)
  double tolerance_;
  Rng rng_;
  Block block_;
  RowBuffer buffer_;
  std::vector<Slot> slots_;
  std::vector<Id> shared_index_;  // rows, features of one instance alone left out
  std::vector<float> shared_value_;
  struct Own {
    Index instance;
    Id feature;
    float value;
  };
  std::vector<Own> own_;           // those left out
  bool own_written_ = false;       // among the weights
  Buffer<float> weights_, alpha_;  // [features + 1][stride], [rows][lanes]
  Buffer<float> scores_, next_;    // [lanes]
  std::vector<Id> moved_;
  std::vector<Index> order_;
  int pass_ = 0;
  double objective_ = kInf;  // the last estimate or value of P
  double gap_sum_ = 0;       // Σ gaps_
};

}  // namespace linnet
