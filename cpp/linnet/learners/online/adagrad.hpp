// AdaGrad (Duchi, Hazan and Singer 2011), diagonal, on (1/n) sum_i c_i l_i(w) + l1 |w|_1 +
// l2 |w|^2 / 2: every weight has its own step h = eta / sqrt(G + epsilon), G the sum of its squared
// gradients. Step t takes the gradient at w, regularises, then updates:
//   w <- prox_h(w) - h' g,   prox_h(w) = sign(w) max(0, |w| - h l1) / (1 + h l2),
// h before and h' after g^2 joins G. The penalty is a composite step, not a gradient step: h is
// large where G is small, and prox never turns a weight around.
#pragma once
#include <cmath>

#include "linnet/features/sparse_gradient.hpp"
#include "linnet/learners/online/online.hpp"

namespace linnet {

namespace detail {

// One weight row at one step: w <- prox_h(w), the penalties given as eta l1 and eta l2.
LINNET_CLONES inline void adagrad_prox(float* LINNET_RESTRICT w,
                                       const float* LINNET_RESTRICT squares, Id width, float l1,
                                       float l2, float epsilon) {
  for (Id y = 0; y < width; ++y) {
    const float root = std::sqrt(squares[y] + epsilon);
    const float size = std::abs(w[y]) * root - l1;  // above and below times root
    w[y] = std::copysign((size > 0 ? size : 0.f) / (root + l2), w[y]);
  }
}
// G += g^2, w -= eta g / sqrt(G + epsilon), where g = value * delta.
LINNET_CLONES inline void adagrad_row(float* LINNET_RESTRICT w, float* LINNET_RESTRICT squares,
                                      const float* LINNET_RESTRICT delta, Id width, float value,
                                      float eta, float epsilon) {
  for (Id y = 0; y < width; ++y) {
    const float g = value * delta[y];
    squares[y] += g * g;
    w[y] -= eta * g / std::sqrt(squares[y] + epsilon);
  }
}

}  // namespace detail

class AdaGradRule {
 public:
  // `stride` weights share the number of their last settled step.
  AdaGradRule(double eta, double epsilon, double l1, double l2, bool penalize_intercept, Id stride)
      : eta_(eta),
        epsilon_(epsilon),
        l1_(l1),
        l2_(l2),
        penalize_intercept_(penalize_intercept),
        stride_(stride) {
    if (!(eta > 0)) throw std::invalid_argument("the step size must be positive");
    if (!(epsilon > 0)) throw std::invalid_argument("epsilon must be positive");
    if (!(l1 >= 0) || !(l2 >= 0)) throw std::invalid_argument("a penalty is at least 0");
    if (stride < 1) throw std::invalid_argument("the stride is at least 1");
  }
  bool can_average() const { return !penalised(); }
  void grow(Index dim) {
    squares_.resize(dim);
    if (penalised()) settled_.resize((dim + stride_ - 1) / stride_);
  }

  void remap(const OnlineWeights& w, const Remap& to) {
    to(squares_, 0.f);
    stride_ = to.unit;
    if (penalised()) settled_.assign((w.dim() + stride_ - 1) / stride_, w.steps());
  }

  // Weights are read as they were after the step before.
  void settle(OnlineWeights& w, const Instance& x, InstanceBuffer& buffer) {
    settle_until(w, x, buffer, w.steps() - 1);
  }
  void step(OnlineWeights& w, const Instance& x, InstanceBuffer& buffer, const Outcome&) {
    settle_until(w, x, buffer, w.steps());
    const bool one_site = x.sites.size() == 1 && x.sites[0].count == 1;
    if (one_site && !w.averaging()) return move_rows(w, x, buffer);
    gradient_.collect(x.sites, buffer.delta, buffer.site);
    for (const auto& [at, g] : gradient_) move(w, at, x.weight * g);
  }
  // The same along the average gradient of a batch.
  void step_along(OnlineWeights& w, const RowGradient& gradient) {
    gradient.for_each_row([&](Index offset, const double* g, Id width) {
      const Index last = (offset + width - 1) / stride_;
      for (Index u = offset / stride_; penalised() && u <= last; ++u) settle_unit(w, u, w.steps());
      for (Id y = 0; y < width; ++y)
        if (g[y] != 0) move(w, offset + y, g[y]);
    });
  }
  void state(Archive& a) { a(squares_, settled_); }
  void finish(OnlineWeights& w) {
    for (Index u = 0; u < static_cast<Index>(settled_.size()); ++u) settle_unit(w, u, w.steps());
  }

 private:
  static constexpr Index kNever = -1;  // the mark of an intercept that is not penalised

  bool penalised() const { return l1_ > 0 || l2_ > 0; }
  double step_of(Index at) const {
    return eta_ / std::sqrt(static_cast<double>(squares_[at]) + epsilon_);
  }
  void move_rows(OnlineWeights& w, const Instance& x, InstanceBuffer& buffer) {
    delta_.resize(buffer.delta.size());
    for (std::size_t y = 0; y < delta_.size(); ++y)
      delta_[y] = static_cast<float>(x.weight * buffer.delta[y]);
    const float eta = static_cast<float>(eta_), epsilon = static_cast<float>(epsilon_);
    for_each_weight_row(x.sites, buffer.delta, buffer.site,
                        [&](Index offset, double value, const double*, const Group& g) {
                          detail::adagrad_row(w.data() + offset, squares_.data() + offset,
                                              delta_.data(), g.width, static_cast<float>(value),
                                              eta, epsilon);
                        });
  }
  void move(OnlineWeights& w, Index at, double g) {
    squares_[at] += static_cast<float>(g * g);
    w.add(at, -step_of(at) * g);
  }

  void settle_until(OnlineWeights& w, const Instance& x, InstanceBuffer& buffer, Index t) {
    if (!penalised()) return;
    for (const Group& g : x.sites) {
      if (g.stride % stride_ != 0)
        throw std::invalid_argument("the stride of the penalty must divide that of the weights");
      const Index first = g.base / stride_, units = g.stride / stride_;
      const auto settle_row = [&](Index row) {
        for (Index u = 0; u < units; ++u) settle_unit(w, first + row * units + u, t);
      };
      if (penalize_intercept_ || g.base != 0)  // those of tied parts are features like any other
        settle_row(0);
      else
        std::fill_n(settled_.begin() + first, units, kNever);
      for (Id s = 0; s < g.count; ++s) {
        const Row row = g.rows->row(g.first + s, buffer.site.row);
        for (Id k = 0; k < row.size; ++k) settle_row(static_cast<Index>(row.index[k]) + 1);
      }
    }
  }

  // log(1 + x); nearly all arguments are small, and the series is exact to rounding there.
  static double log1p_small(double x) {
    if (x > 1e-3) return std::log1p(x);
    return x * (1 - x * (1.0 / 2 - x * (1.0 / 3 - x * (1.0 / 4 - x * (1.0 / 5)))));
  }

  // The penalty of all steps after the last settled one, up to t. G has not changed since, so with
  // r = 1 / (1 + h l2) it is a geometric series: |w| <- max(0, r^n |w| - h l1 (r + ... + r^n)),
  // and h r / (1 - r) = 1 / l2.
  void settle_unit(OnlineWeights& w, Index unit, Index t) {
    if (settled_[unit] == kNever || settled_[unit] >= t) return;
    if (settled_[unit] + 1 == t && (unit + 1) * stride_ <= w.dim()) {
      settled_[unit] = t;
      return detail::adagrad_prox(w.data() + unit * stride_, squares_.data() + unit * stride_,
                                  stride_, static_cast<float>(eta_ * l1_),
                                  static_cast<float>(eta_ * l2_), static_cast<float>(epsilon_));
    }
    const double n = static_cast<double>(t - settled_[unit]);
    settled_[unit] = t;
    const Index begin = unit * stride_, end = std::min<Index>(begin + stride_, w.dim());
    for (Index at = begin; at < end; ++at) {
      const double old = static_cast<double>(w.data()[at]);
      if (old == 0) continue;
      const double h = step_of(at);
      double size = std::abs(old);
      if (l2_ > 0) {
        const double shrink = exp(-n * log1p_small(h * l2_));
        size = shrink * size - l1_ / l2_ * (1 - shrink);
      } else {
        size -= n * h * l1_;
      }
      w.data()[at] = static_cast<float>(std::copysign(std::max(0.0, size), old));
    }
  }

  double eta_, epsilon_, l1_, l2_;
  bool penalize_intercept_;
  Id stride_;
  Buffer<float> squares_;       // G
  std::vector<Index> settled_;  // of every `stride` weights
  SparseGradient gradient_;     // of instances of several sites
  std::vector<float> delta_;
};

}  // namespace linnet
