// The weights of an online learner, so kept that a step costs its active features only.
#pragma once
#include "linnet/base/archive.hpp"
#include "linnet/data/targets.hpp"

namespace linnet {

namespace detail {

// w[y] += value d[y] for the constant feature and every feature of a row; padding of d is zero.
LINNET_CLONES inline void add_rows(float* LINNET_RESTRICT w, const float* LINNET_RESTRICT d,
                                   Id stride, Row row, float bias) {
  if (bias != 0)
    for (Id y = 0; y < stride; ++y) w[y] += bias * d[y];
  float* features = w + stride;
  for (Id k = 0; k < row.size; ++k) {
    const float value = row.value[k];
    float* LINNET_RESTRICT r = features + static_cast<Index>(row.index[k]) * stride;
    for (Id y = 0; y < stride; ++y) r[y] += value * d[y];
  }
}

// The same with drift[y] += area * (what v[y] changed by); see OnlineWeights.
LINNET_CLONES inline void add_row_averaged(float* LINNET_RESTRICT v, double* LINNET_RESTRICT drift,
                                           const float* LINNET_RESTRICT d, Id stride, float value,
                                           double area) {
  for (Id y = 0; y < stride; ++y) {
    const float before = v[y];
    v[y] += value * d[y];
    drift[y] += area * (static_cast<double>(v[y]) - static_cast<double>(before));
  }
}

}  // namespace detail

// float32 weights w = scale * v: a penalty that shrinks all of them changes one number. If wanted,
// the average of all past values is kept lazily as well. With A(t) = sum of the scales after steps
// 1..t, a change D of v made at step t is in all values but the first t - 1, so that
// sum_t w_t = A(T) v - sum_t A(t - 1) D_t (Daume 2006, figure 2.3, where all scales are one).
class OnlineWeights {
 public:
  OnlineWeights(Index dim, bool averaging) : v_(dim), drift_(averaging ? dim : 0) {}

  // v, which is w itself for a rule that never shrinks.
  float* data() { return v_.data(); }
  const float* data() const { return v_.data(); }
  double scale() const { return scale_; }
  Index dim() const { return static_cast<Index>(v_.size()); }
  bool averaging() const { return !drift_.empty(); }
  Index steps() const { return steps_; }
  void next_step() {
    if (steps_++ > 0) area_ += scale_;
  }

  // w[offset ..] += scale * d, at the current step.
  void add(Index offset, const double* d, Id width, double scale) {
    for (Id y = 0; y < width; ++y) add(offset + y, scale * d[y]);
  }
  void add(Index at, double change) { assign(at, v_[at] + static_cast<float>(change * inverse_)); }
  // w[at] = value, without the rounding of a difference.
  void set(Index at, double value) { assign(at, static_cast<float>(value * inverse_)); }

  // w += step X^T delta. Of a max-ring delta only two labels a site are not zero: only they move.
  void add_rows(const Instance& x, InstanceBuffer& buffer, double step) {
    const double* d = buffer.delta.data();
    for (const Group& g : x.sites)
      for (Id s = 0; s < g.count; ++s, d += g.width) {
        moved_.clear();
        for (Id y = 0; y < g.width; ++y)
          if (d[y] != 0) moved_.emplace_back(y, step * d[y]);
        if (moved_.empty()) continue;
        const Row row = g.rows->row(g.first + s, buffer.site.row);
        const bool few = static_cast<Id>(moved_.size()) * 4 <= g.width || g.width <= 2;
        if (tracking_ || (averaging() && few))
          add_tracked(g, row);
        else if (few)
          add_labels(g, row);
        else
          add_all_labels(g, row);
      }
  }

  // w <- factor * w.
  void shrink(double factor) {
    scale_ *= factor;
    inverse_ = 1 / scale_;
  }
  // Makes the scale one again, before 1 / scale overflows; the values so far leave the lazy sum.
  void rescale(double factor) {
    scale_ *= factor;
    squared_norm_ = 0;
    for (std::size_t i = 0; i < v_.size(); ++i) {
      if (averaging()) drift_[i] -= area_ * static_cast<double>(v_[i]);
      v_[i] = static_cast<float>(scale_ * static_cast<double>(v_[i]));
      squared_norm_ += static_cast<double>(v_[i]) * static_cast<double>(v_[i]);
    }
    area_ = 0;
    scale_ = inverse_ = 1;
  }

  // |w|^2, once asked for, is kept up to date.
  void track_norm() { tracking_ = true; }
  double squared_norm() const { return scale_ * scale_ * squared_norm_; }

  // New features append rows, new labels columns.
  void grow(Index dim) {
    v_.resize(dim);
    if (averaging()) drift_.resize(dim);
  }
  void remap(const Remap& to) {
    to(v_, 0.f);
    if (averaging()) to(drift_, 0.0);
  }
  void state(Archive& a) {
    a(v_, drift_, scale_, inverse_, area_, squared_norm_, tracking_, steps_);
  }
  // Averages, if they are kept and wanted; else the weights as they are.
  void average_into(std::span<float> out, bool average = true) const {
    average = average && averaging() && steps_ > 0;
    for (std::size_t i = 0; i < v_.size(); ++i) {
      const double v = static_cast<double>(v_[i]);
      out[i] = static_cast<float>(
          average ? ((area_ + scale_) * v - drift_[i]) / static_cast<double>(steps_) : scale_ * v);
    }
  }

 private:
  // v[at] = value. Averages follow the rounded values: their error is that of one rounding.
  void assign(Index at, float value) {
    const double before = static_cast<double>(v_[at]), after = static_cast<double>(value);
    v_[at] = value;
    if (averaging()) drift_[at] += area_ * (after - before);
    if (tracking_) squared_norm_ += after * after - before * before;
  }
  void add_tracked(const Group& g, Row row) {
    const auto add_row = [&](Index offset, double value) {
      for (const auto& [y, d] : moved_) add(offset + y, d * value);
    };
    if (g.rows->bias() != 0) add_row(g.base, static_cast<double>(g.rows->bias()));
    for (Id k = 0; k < row.size; ++k)
      add_row(g.base + (static_cast<Index>(row.index[k]) + 1) * g.stride,
              static_cast<double>(row.value[k]));
  }
  void add_labels(const Group& g, Row row) {
    for (const auto& [y, d] : moved_) {
      const float step = static_cast<float>(d * inverse_);
      float* v = v_.data() + g.base + y;
      if (g.rows->bias() != 0) *v += g.rows->bias() * step;
      v += g.stride;
      for (Id k = 0; k < row.size; ++k)
        v[static_cast<Index>(row.index[k]) * g.stride] += row.value[k] * step;
    }
  }
  void add_all_labels(const Group& g, Row row) {
    dense_.assign(static_cast<std::size_t>(g.stride), 0.f);
    for (const auto& [y, d] : moved_) dense_[y] = static_cast<float>(d * inverse_);
    if (!averaging())
      return detail::add_rows(v_.data() + g.base, dense_.data(), g.stride, row, g.rows->bias());
    const auto add_row = [&](Index offset, float value) {
      detail::add_row_averaged(v_.data() + offset, drift_.data() + offset, dense_.data(), g.stride,
                               value, area_);
    };
    add_row(g.base, g.rows->bias());
    for (Id k = 0; k < row.size; ++k)
      add_row(g.base + (static_cast<Index>(row.index[k]) + 1) * g.stride, row.value[k]);
  }

  Buffer<float> v_;
  Buffer<double> drift_;
  double scale_ = 1, inverse_ = 1;
  double area_ = 0;  // A(t - 1) during step t
  double squared_norm_ = 0;
  bool tracking_ = false;
  Index steps_ = 0;
  std::vector<std::pair<Id, double>> moved_;  // (label, step * delta) of one site
  Buffer<float> dense_;
};

struct Judged {
  Outcome outcome;
  bool mistake;  // of the prediction, before any cost
};

// The loss of an instance at the weights as they are, and its delta.
inline Judged judge(const Loss& loss, const Instance& x, const OnlineWeights& w,
                    InstanceBuffer& buffer) {
  score_instance(x, w.data(), buffer);
  if (w.scale() != 1)
    for (double& score : buffer.theta) score *= w.scale();
  // Without a cost the loss already asks for the best output: no second solve.
  const bool moved_is_mistake =
      loss.ring == Ring::max && loss.cost == 0 && loss.link == Link::identity;
  // Numbers are never quite right, and no mistakes.
  const bool mistake = !moved_is_mistake && !has_target(x) && is_mistake(x, buffer);
  const Outcome outcome = loss_of(loss, x, buffer);
  return {outcome, moved_is_mistake ? outcome.moved : mistake};
}

}  // namespace linnet
