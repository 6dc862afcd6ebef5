// L1, L2 and elastic net for steps of size eta_t, at the cost of the active features.
//
// One step of the penalty shrinks, then thresholds:
//   |w| <- max(0, (1 - eta_t l2) |w| - eta_t l1).
// With P(t) = prod_s (1 - eta_s l2), which is the scale of the weights w = P v, it is
//   |v| <- max(0, |v| - eta_t l1 / P(t)),
// so skipped steps add up: B(t) = sum_s eta_s l1 / P(s), and a row last settled at step a owes
// |v| <- max(0, |v| - (B(t) - B(a))). L2 alone owes nothing: the scale is all of it.
#pragma once
#include <algorithm>

#include "linnet/base/told.hpp"
#include "linnet/learners/online/online_weights.hpp"

namespace linnet {

class LazyPenalty {
 public:
  // The intercept is the constant feature of the first block; those of tied parts are features like
  // any other.
  // `stride` weights share one B(a); it divides the stride of every group.
  LazyPenalty(double l1, double l2, bool penalize_intercept, Id stride)
      : l1_(l1), l2_(l2), penalize_intercept_(penalize_intercept), stride_(stride) {
    if (!(l1 >= 0) || !(l2 >= 0)) throw std::invalid_argument("a penalty is at least 0");
    if (stride < 1) throw std::invalid_argument("the stride is at least 1");
  }
  double l1() const { return l1_; }
  double l2() const { return l2_; }
  void grow(Index dim) {
    dim_ = dim;
    if (l1_ > 0) settled_.resize((dim + stride_ - 1) / stride_);
  }

  // Weights laid out anew, all of them settled.
  void remap(const OnlineWeights& w, Id unit) {
    stride_ = unit;
    held_.clear();
    settled_.clear();
    grow(w.dim());
  }

  // Brings the weights that an instance reads up to date.
  void settle(OnlineWeights& w, const Instance& x, InstanceBuffer& buffer) {
    if (!penalize_intercept_) hold_intercepts(w, x);
    if (l1_ == 0) return;
    for (const Group& g : x.sites) {
      if (g.stride % stride_ != 0)
        throw std::invalid_argument("the stride of the penalty must divide that of the weights");
      if ((penalize_intercept_ || g.base != 0) && g.rows->bias() != 0) settle_row(w, g, -1);
      for (Id s = 0; s < g.count; ++s) {
        const Row row = g.rows->row(g.first + s, buffer.site.row);
        for (Id k = 0; k < row.size; ++k) {
          if (k + kAhead < row.size) prefetch(w, g, row.index[k + kAhead]);
          settle_row(w, g, row.index[k]);
        }
      }
    }
  }

  // The same for the weights of one row.
  void settle(OnlineWeights& w, Index offset, Id width) {
    if (l1_ == 0 || (offset == 0 && !penalize_intercept_)) return;
    const Index last = (offset + width - 1) / stride_;
    for (Index u = offset / stride_; u <= last; ++u) settle_unit(w, u);
  }

  // One step of size eta, on all weights.
  void advance(OnlineWeights& w, double eta) {
    if (l1_ == 0 && l2_ == 0) return;
    if (l2_ > 0) {
      const double factor = 1 - eta * l2_;
      if (factor < -kRounding)
        throw std::invalid_argument("the step size " + told(eta) + " times the L2 penalty " +
                                    told(l2_) +
                                    " exceeds 1: the step would turn weights around; use a smaller "
                                    "step or a weaker penalty");
      if (w.scale() * factor < kSmallestScale) {
        finish(w);
        w.rescale(std::max(factor, 0.0));
      } else {
        w.shrink(factor);
      }
    }
    owed_ += eta * l1_ / w.scale();
    restore_intercepts(w);
  }

  // After weights moved: what the intercepts are kept at.
  void note_intercepts(const OnlineWeights& w) {
    for (Held& h : held_)
      for (std::size_t y = 0; y < h.value.size(); ++y)
        h.value[y] = w.scale() * static_cast<double>(w.data()[h.offset + static_cast<Index>(y)]);
  }

  void state(Archive& a) {
    a(owed_, settled_);
    a.list(held_);
    for (const Held& h : held_)
      Archive::require(h.offset == 0 && std::ssize(h.value) <= dim_, "an intercept is elsewhere");
  }

  // Settles every weight.
  void finish(OnlineWeights& w) {
    if (l1_ == 0) return;
    const Index units = static_cast<Index>(settled_.size());
    for (Index u = 0; u < units; ++u) threshold(w, u, owed_ - settled_[u]);
    std::fill(settled_.begin(), settled_.end(), 0.0);
    owed_ = 0;
    restore_intercepts(w);
  }

 private:
  static constexpr double kRounding = 1e-9;       // of eta l2 = 1, the first step of Pegasos
  static constexpr double kSmallestScale = 1e-8;  // keeps half the digits of an average
  static constexpr Id kAhead = 12;                // features to fetch before they are settled
  // A debt this small beside its weights would be lost or doubled by float32 rounding: it waits.
  static constexpr float kWorthSettling = 0x1p-16f;

  // Intercepts that are not penalised: the scale shrinks them, so they are divided by it again.
  struct Held {
    Index offset = 0;
    std::vector<double> value{};
    void state(Archive& a) {
      a(offset);
      a.list(value);
    }
  };

  // The row of the constant feature is that of feature -1.
  LINNET_INLINE void settle_row(OnlineWeights& w, const Group& g, Id feature) {
    const Index row = static_cast<Index>(feature) + 1;
    if (g.stride == 1) return settle_weight(w, g.base + row);
    const Index units = g.stride / stride_, first = g.base / stride_ + row * units;
    for (Index u = first; u < first + units; ++u) settle_unit(w, u);
  }
  LINNET_INLINE void prefetch(const OnlineWeights& w, const Group& g, Id feature) const {
    const Index row = static_cast<Index>(feature) + 1;
    LINNET_PREFETCH(settled_.data() + g.base / stride_ + row * (g.stride / stride_));
    LINNET_PREFETCH(w.data() + g.base + row * g.stride);
  }
  LINNET_INLINE void settle_weight(OnlineWeights& w, Index at) {
    double& settled = settled_[at];
    float& v = w.data()[at];
    const float size = std::abs(v), t = static_cast<float>(owed_ - settled);
    const bool waits = t < kWorthSettling * size;  // no branch: it would be hard to foresee
    const float thresholded = std::copysign(std::max(0.f, size - t), v);
    v = waits ? v : thresholded;
    settled = waits ? settled : owed_;
  }
  void settle_unit(OnlineWeights& w, Index unit) {
    const double debt = owed_ - settled_[unit];
    if (debt == 0) return;
    const float* v = w.data() + unit * stride_;
    float largest = 0;
    for (Id y = 0; y < stride_; ++y) largest = std::max(largest, std::abs(v[y]));
    if (static_cast<float>(debt) < kWorthSettling * largest) return;
    if (largest > 0) threshold(w, unit, debt);
    settled_[unit] = owed_;
  }
  void threshold(OnlineWeights& w, Index unit, double debt) {
    float* v = w.data() + unit * stride_;
    const Index size = std::min<Index>(stride_, w.dim() - unit * stride_);
    const float t = static_cast<float>(debt);
    for (Index y = 0; y < size; ++y) v[y] = std::copysign(std::max(0.f, std::abs(v[y]) - t), v[y]);
  }
  void hold_intercepts(const OnlineWeights& w, const Instance& x) {
    for (const Group& g : x.sites) {
      const auto known = [&](const Held& h) { return h.offset == g.base; };
      if (g.base != 0 || std::any_of(held_.begin(), held_.end(), known)) continue;
      held_.push_back({g.base, std::vector<double>(static_cast<std::size_t>(g.width))});
      note_intercepts(w);
    }
  }
  void restore_intercepts(OnlineWeights& w) {
    for (const Held& h : held_)
      for (std::size_t y = 0; y < h.value.size(); ++y)
        w.set(h.offset + static_cast<Index>(y), h.value[y]);
  }

  double l1_, l2_;
  bool penalize_intercept_;
  Id stride_;
  Index dim_ = 0;                // of the weights
  double owed_ = 0;              // B(t)
  std::vector<double> settled_;  // B(a) of every `stride` weights
  std::vector<Held> held_;
};

}  // namespace linnet
