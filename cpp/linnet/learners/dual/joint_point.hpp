// A dual point of a joint multiclass problem, one point α_i of the simplex of K labels per
// instance, and the weights that go with it, W(α)_k = Σ_i c_i ([k = y_i] − α_ik) x_i.
//
// Features that one instance has for itself are left at zero among the weights, since they follow
// from α_i, until the weights are asked for (shared_rows.hpp).
#pragma once
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "linnet/learners/dual/free_intercepts.hpp"
#include "linnet/learners/dual/label_rows.hpp"
#include "linnet/learners/dual/shared_rows.hpp"

namespace linnet {

// What is known of an instance: one cache line.
struct alignas(64) JointSlot {
  double cost = 0;
  double norm = 0, own = 0;  // ‖x‖²; the part of it of features that no other instance has
  double loss = 0, gap = 0;  // of the block when last seen, times the cost
  Index start = 0;           // of its shared features
  Id size = 0, gold = 0;
  int due = 0;             // the pass of the next visit
  std::uint16_t rare = 0;  // how many of the features are not in the cache, the first ones
  std::int8_t wait = 0;    // passes left out before the next visit
  bool hard = false;       // c = ∞: then cost is 1, and α_y may be negative
};

template <class Real>
class JointPoint {
 public:
  // Requires: a label in [0, width) and a cost ≥ 0 for each row, infinite only if `may_be_hard`; no
  // index twice in a row. `rows` outlives the point. Intercepts may be free of the penalty.
  JointPoint(const Rows& rows, std::span<const Id> labels, std::span<const double> costs, Id width,
             bool may_be_hard, bool free)
      : rows_(rows), width_(width), free_(free), bias_(rows.bias()) {
    check(labels, costs, may_be_hard);
    slots_.resize(static_cast<std::size_t>(rows.size()));
    make_room();
    if (free) bias_ = constant_feature();
    RowBuffer buffer;
    for (Index i = 0; i < rows.size(); ++i) {
      JointSlot& slot = slots_[i];
      slot.gold = labels[i];
      slot.hard = costs[i] == kInf;
      slot.cost = slot.hard ? 1 : costs[i];
      hard_ |= slot.hard;
      alpha(i)[labels[i]] = 1;  // W(α) = 0
      slot.norm = squared_norm(rows.row(i, buffer), bias_);
    }
    shared_ =
        std::make_shared<SharedRows>(rows, static_cast<Index>(sizeof(Real)) * stride_,
                                     [&](Index i, const SharedRows::Place& place, double own) {
                                       slots_[i].start = place.start;
                                       slots_[i].size = place.size;
                                       slots_[i].rare = place.rare;
                                       slots_[i].own = own;
                                     });
  }
  // The same point in another precision, with W(α) itself for weights.
  template <class Other>
  explicit JointPoint(const JointPoint<Other>& other)
      : rows_(other.rows_),
        width_(other.width_),
        free_(other.free_),
        hard_(other.hard_),
        bias_(other.bias_),
        slots_(other.slots_),
        shared_(other.shared_) {
    make_room();
    std::copy(other.alpha_.begin(), other.alpha_.end(), alpha_.begin());
    for (Index i = 0; i < rows_.size(); ++i) restore(i);
    intercepts_ = other.intercepts_;
    find_weights();
  }

  const Rows& rows() const { return rows_; }
  Id width() const { return width_; }
  Index stride() const { return stride_; }  // of a row of weights
  Index lanes() const { return lanes_; }    // of a row of duals, a multiple of 8
  bool free() const { return free_; }
  bool hard() const { return hard_; }
  float bias() const { return bias_; }  // the value of the constant feature
  std::vector<JointSlot>& slots() { return slots_; }
  const std::vector<JointSlot>& slots() const { return slots_; }
  Id gold(Index i) const { return slots_[i].gold; }
  double cost(Index i) const { return slots_[i].hard ? kInf : slots_[i].cost; }

  std::span<const Real> duals() const { return alpha_; }
  const Real* alpha(Index i) const { return alpha_.data() + i * lanes_; }
  Real* alpha(Index i) { return alpha_.data() + i * lanes_; }
  // Puts α in place of all duals, and intercepts in place of free ones if any are given.
  void put(std::span<const Real> alpha, std::span<const double> intercept = {}) {
    std::copy(alpha.begin(), alpha.end(), alpha_.begin());
    find_weights();
    for (std::size_t k = 0; k < intercept.size(); ++k)
      intercepts_.put(k, intercept[k], weights_.data(), bias_);
  }

  // W(α), summed up anew.
  void find_weights() {
    std::fill(weights_.begin(), weights_.end(), Real(0));
    own_written_ = false;
    Buffer<Real> delta(static_cast<std::size_t>(lanes_), Real(0));
    for (Index i = 0; i < rows_.size(); ++i) {
      const auto cost = static_cast<Real>(slots_[i].cost);
      for (Id k = 0; k < width_; ++k) delta[k] = cost * alpha(i)[k];
      delta[slots_[i].gold] = static_cast<Real>(-slots_[i].cost * taken(i));
      update_few(row(i), bias_, weights_.data(), stride_, delta.data());
    }
  }

  // The row of an instance without what it has for itself.
  Row row(Index i) const {
    const JointSlot& s = slots_[i];
    return shared_->row({s.start, s.size, s.rare});
  }
  // The scores of an instance in `lanes` numbers, those beyond its labels very negative.
  template <class Score>
  void score(Index i, Score* scores) const {
    const JointSlot& slot = slots_[i];
    score_row(row(i), bias_, weights_.data(), stride_, scores);
    if (slot.own != 0) {
      const Real* const a = alpha(i);
      const Score scale = static_cast<Score>(slot.cost * slot.own), gold = scores[slot.gold];
      subtract_point(scale, a, lanes_, scores);
      scores[slot.gold] = gold + scale * static_cast<Score>(1 - a[slot.gold]);
    }
    if (free_)
      for (Id k = 0; k < width_; ++k)
        scores[k] += static_cast<Score>(intercepts_.centre(static_cast<std::size_t>(k)));
    std::fill(scores + width_, scores + lanes_, static_cast<Score>(kNever));
  }
  // The same in double by the weights as they are handed out (`weights` wrote them): all features,
  // each weight as it was rounded.
  void score_exactly(Index i, RowBuffer& buffer, double* scores) const {
    const float constant = free_ ? 0.f : bias_;
    score_row(rows_.row(i, buffer), constant, weights_.data(), stride_, scores);
    for (std::size_t k = 0; free_ && k < static_cast<std::size_t>(width_); ++k)
      scores[k] += intercepts_.value(k, weights_.data(), bias_);
    std::fill(scores + width_, scores + lanes_, static_cast<double>(kNever));
  }
  // W −= c δ xᵀ, in the `count` groups of labels that moved.
  void move(Index i, const Real* delta, const Id* groups, Id count) {
    if (stride_ % 8 == 0)
      update_row(row(i), bias_, weights_.data(), stride_, delta, groups, count);
    else
      update_few(row(i), bias_, weights_.data(), stride_, delta);
  }
  // Free intercepts move once a pass.
  void follow() {
    if (free_) intercepts_.follow(weights_.data(), bias_);
  }
  std::vector<double> intercept() const {
    std::vector<double> b(static_cast<std::size_t>(width_));
    for (std::size_t k = 0; k < b.size(); ++k) b[k] = intercepts_.value(k, weights_.data(), bias_);
    return b;
  }

  // The mass of wrong labels. (1 − α_y would lose all digits where c is large.)
  double taken(Index i) const {
    const Real* const a = alpha(i);
    return std::accumulate(a + gold(i) + 1, a + width_, std::accumulate(a, a + gold(i), 0.0));
  }

  std::span<Real> weights() {
    for (const auto& [i, feature, x] : shared_->own()) {
      Real* const w = weights_of(feature);
      const Real* const a = alpha(i);
      const Real step = static_cast<Real>(slots_[i].cost) * static_cast<Real>(x);
      for (Id k = 0; k < width_; ++k) w[k] = -step * a[k];
      w[slots_[i].gold] = step * static_cast<Real>(taken(i));
    }
    own_written_ = true;
    return weights_;
  }
  // ½‖W‖², with the part of it that belongs to intercepts or without.
  double half_squared_norm(bool with_intercepts = true) {
    if (std::exchange(own_written_, false))
      for (const auto& own : shared_->own()) std::fill_n(weights_of(own.feature), stride_, Real(0));
    const Index first = with_intercepts ? 0 : stride_;
    double sum = squared_norm(weights_.data() + first, static_cast<Index>(weights_.size()) - first);
    for (Index i = 0; i < rows_.size(); ++i) {
      const JointSlot& slot = slots_[i];
      if (slot.own == 0) continue;
      const Real* const a = alpha(i);
      const double mass = taken(i);
      const double apart = squared_norm(a, slot.gold) +
                           squared_norm(a + slot.gold + 1, lanes_ - slot.gold - 1) + mass * mass;
      sum += slot.cost * slot.cost * slot.own * apart;
    }
    return 0.5 * sum;
  }
  // The same of all weights as they are handed out.
  double half_squared_norm_exactly() const {
    const Index first = free_ ? stride_ : 0;
    return 0.5 * squared_norm(weights_.data() + first, static_cast<Index>(weights_.size()) - first);
  }
  // What descent maximises for hinge losses; free intercepts have their part in the penalty.
  double dual_value() {
    double sum = -half_squared_norm();
    for (Index i = 0; i < rows_.size(); ++i) sum += slots_[i].cost * taken(i);
    if (free_)
      for (Id k = 0; k < width_; ++k)
        sum -= intercepts_.centre(static_cast<std::size_t>(k)) * static_cast<double>(weights_[k]) /
               static_cast<double>(bias_);
    return sum;
  }
  // Instances that hold some mass on a wrong label.
  std::vector<Id> support() const {
    std::vector<Id> found;
    for (Index i = 0; i < rows_.size(); ++i) {
      const Real* a = alpha(i);
      bool some = false;
      for (Id k = 0; k < width_; ++k) some |= k != gold(i) && a[k] > 0;
      if (some && slots_[i].cost > 0) found.push_back(static_cast<Id>(i));
    }
    return found;
  }

  void state(Archive& a) {
    a.members(slots_, &JointSlot::loss, &JointSlot::gap, &JointSlot::due, &JointSlot::wait);
    a(weights_, alpha_, own_written_, intercepts_);
  }

  // Visits jump through memory, so the next ones are announced: first the row of an instance and
  // its duals, then its weights.
  LINNET_INLINE void expect(Index i) const {
    const Real* a = alpha(i);
    for (Index k = 0; k < lanes_; k += 2 * kLanesOf<Real>) LINNET_PREFETCH(a + k);
    const Row coming = row(i);
    for (Id j = 0; j < coming.size; j += 16) {
      LINNET_PREFETCH(coming.index + j);
      LINNET_PREFETCH(coming.value + j);
    }
  }
  LINNET_INLINE void expect_weights(Index i) const {
    Row coming = row(i);
    coming.size = slots_[i].rare;
    expect_row(coming, weights_.data(), stride_);
  }

 private:
  template <class Other>
  friend class JointPoint;
  static constexpr float kNever = -1e30f;  // the score of a label that is only padding

  void check(std::span<const Id> labels, std::span<const double> costs, bool may_be_hard) const {
    const auto n = static_cast<std::size_t>(rows_.size());
    if (labels.size() != n || costs.size() != n)
      throw std::invalid_argument("rows, labels and costs differ in length");
    if (width_ < 1) throw std::invalid_argument("there must be at least one label");
    for (std::size_t i = 0; i < n; ++i) {
      if (labels[i] < 0 || labels[i] >= width_)
        throw std::invalid_argument("label " + std::to_string(labels[i]) + " is outside [0, " +
                                    std::to_string(width_) + ")");
      if (!(costs[i] >= 0 && (costs[i] < kInf || may_be_hard)))
        throw std::invalid_argument("costs must be finite and not negative");
    }
  }
  void make_room() {
    stride_ = padded(width_);
    lanes_ = (Index{width_} + 7) / 8 * 8;
    weights_.assign(static_cast<std::size_t>((rows_.features() + Index{1}) * stride_), Real(0));
    alpha_.assign(slots_.size() * static_cast<std::size_t>(lanes_), Real(0));
    intercepts_ = FreeIntercepts(width_);
  }
  // Makes the sum of α_i one again, which rounding has moved.
  void restore(Index i) {
    const double mass = taken(i);
    Real* const a = alpha(i);
    if (mass > 1 && !slots_[i].hard)
      for (Id k = 0; k < width_; ++k) a[k] /= static_cast<Real>(mass);
    a[gold(i)] = static_cast<Real>(slots_[i].hard ? 1 - mass : std::max(0.0, 1 - mass));
  }
  float constant_feature() const {
    RowBuffer buffer;
    double sum = 0;
    for (Index i = 0; i < rows_.size(); ++i) sum += squared_norm(rows_.row(i, buffer), 0.f);
    const auto n = static_cast<double>(rows_.size());
    return FreeIntercepts::constant_feature(sum / std::max(n, 1.0),
                                            n / static_cast<double>(width_));
  }
  Real* weights_of(Id feature) { return weights_.data() + (feature + Index{1}) * stride_; }

  const Rows& rows_;
  Id width_;
  bool free_, hard_ = false;
  float bias_;
  Index stride_ = 0, lanes_ = 0;
  std::vector<JointSlot> slots_;
  std::shared_ptr<const SharedRows> shared_;
  bool own_written_ = false;      // among the weights: features of one instance alone
  Buffer<Real> weights_, alpha_;  // [features + 1][stride], [rows][lanes]
  FreeIntercepts intercepts_;
};

}  // namespace linnet
