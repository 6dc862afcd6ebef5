// Winnow (Littlestone 1988): weights move by factors, so that irrelevant features fade at a cost
// logarithmic in their number. Positive Winnow keeps w >= 0 and predicts yes iff w . x >= theta;
// balanced Winnow predicts by w+ - w-, and so knows features that speak against a label.
#pragma once
#include <limits>

#include "linnet/base/math.hpp"
#include "linnet/base/told.hpp"
#include "linnet/features/sparse_gradient.hpp"
#include "linnet/learners/online/online.hpp"

namespace linnet {

// Every active weight is multiplied by promotion^x or divided by demotion^x. Without end on either
// side it would leave the floats on data no Winnow can learn.
class Factors {
 public:
  Factors(double promotion, double demotion)
      : promotion_(promotion),
        demotion_(demotion),
        log_promotion_(std::log(promotion)),
        log_demotion_(std::log(demotion)) {
    if (!(promotion > 1 && promotion < kInf) || !(demotion > 1 && demotion < kInf))
      throw std::invalid_argument("promotion and demotion are factors above 1");
  }
  double promoted(double w, double x) const {
    return inside(w * (x == 1 ? promotion_ : exp(within(x, log_promotion_))));
  }
  double demoted(double w, double x) const {
    return inside(x == 1 ? w / demotion_ : w * exp(-within(x, log_demotion_)));
  }

 private:
  // One step may lead from end to end, but not beyond: all values above would be alike.
  static double within(double x, double log_factor) {
    const double power = x * log_factor;
    if (power > kMost)
      throw std::overflow_error("a value of " + told(x) +
                                ", with the weight of its instance, multiplies weights by " +
                                told(std::exp(log_factor)) +
                                " to that power, which no number can hold; scale the values to "
                                "about 1, or use factors closer to 1");
    return power;
  }
  static constexpr double kMost = 138.2;  // log 1e60
  static double inside(double w) { return std::clamp(w, 1e-30, 1e30); }
  double promotion_, demotion_, log_promotion_, log_demotion_;
};

// `targets`: steps by factors of the distance to a number, which are exponentiated gradient steps
// without normalisation (Kivinen and Warmuth 1997), are taken too.
inline void check_winnow_loss(const Loss& loss, bool targets = false) {
  if (targets && loss.link == Link::quadratic) return;
  if (loss.ring != Ring::max || loss.link != Link::identity)
    throw std::invalid_argument(
        "Winnow moves on mistakes ('perceptron') or small margins ('hinge'), not by the loss '" +
        std::string(loss.name) + "'");
}

// Weights that start at `initial` and a fixed threshold: the constant feature, of value 1, weighs
// -threshold, so that the decision is the common one, score > 0.
class FixedThreshold {
 public:
  FixedThreshold(double initial, double threshold) : initial_(initial), threshold_(threshold) {}
  double value() const { return threshold_; }
  void start(OnlineWeights& w) {
    if (started_ >= w.dim()) return;
    std::fill(w.data() + started_, w.data() + w.dim(), static_cast<float>(initial_));
    // The largest float below the threshold: w . x = threshold is yes, for the score is above 0.
    if (started_ == 0) w.data()[0] = -std::nextafter(static_cast<float>(threshold_), 0.f);
    started_ = w.dim();
  }
  void state(Archive& a) {
    a(started_);
    Archive::require(started_ >= 0, "a number of weights is negative");
  }

 private:
  double initial_, threshold_;
  Index started_ = 0;  // new features start when they are first needed
};

// Two labels, a constant feature of value 1, and values that `fits` accepts; `instead` takes
// others.
template <class Fits>
void check_positive(const Dataset& data, const char* name, const char* values, const char* instead,
                    Fits&& fits) {
  InstanceBuffer buffer;
  for (Index i = 0; i < data.size(); ++i) {
    const Group site = data.read(i, buffer).sites[0];
    if (!data.listed() || site.width != 1 || site.count != 1)
      throw std::invalid_argument(std::string(name) + " knows two labels only");
    if (site.rows->bias() != 1)
      throw std::invalid_argument(std::string(name) +
                                  " keeps its threshold as the weight of a constant feature: rows "
                                  "need a bias of 1");
    const Row row = site.rows->row(site.first, buffer.site.row);
    for (Id k = 0; k < row.size; ++k)
      if (!fits(row.value[k]))
        throw std::invalid_argument(std::string(name) + " needs " + values + ": feature " +
                                    std::to_string(row.index[k]) + " of row " + std::to_string(i) +
                                    " is " + told(row.value[k]) + "; use " + instead);
  }
}

// A missed positive promotes the active weights. A negative that was accepted demotes them, or, as
// Winnow1, eliminates them for good.
class WinnowRule {
 public:
  WinnowRule(const Loss& loss, double promotion, double demotion, bool eliminate, double threshold,
             double initial)
      : factors_(promotion, demotion), eliminate_(eliminate), threshold_(initial, threshold) {
    check_winnow_loss(loss);
    if (!(threshold > 0)) throw std::invalid_argument("the threshold must be positive");
    if (!(initial > 0)) throw std::invalid_argument("weights must start above 0");
  }

  void check(const Dataset& data) const {
    check_positive(data, "positive Winnow", "features that are not negative", "balanced Winnow",
                   [](float v) { return v >= 0; });
  }
  double threshold() const { return threshold_.value(); }
  void grow(Index) {}
  void settle(OnlineWeights& w, const Instance&, InstanceBuffer&) { threshold_.start(w); }
  void step(OnlineWeights& w, const Instance& x, InstanceBuffer& buffer, const Outcome&) {
    const bool missed = buffer.delta[0] < 0;
    for_each_weight_row(x.sites, buffer.delta, buffer.site,
                        [&](Index at, double value, const double*, const Group&) {
                          if (at == 0 || value == 0) return;
                          const double old = w.data()[at], power = value * x.weight;
                          if (old == 0) return;  // eliminated
                          if (missed)
                            w.set(at, factors_.promoted(old, power));
                          else
                            w.set(at, eliminate_ ? 0 : factors_.demoted(old, power));
                        });
  }
  void finish(OnlineWeights& w) { threshold_.start(w); }
  void state(Archive& a) { a(threshold_); }

 private:
  Factors factors_;
  bool eliminate_;
  FixedThreshold threshold_;
};

// Where the gold output has more of a feature than the predicted one, w+ is promoted and w-
// demoted; where it has less, the other way round. Any outputs: with K labels, the features of the
// gold label go up and those of the predicted label go down.
class BalancedWinnowRule {
 public:
  BalancedWinnowRule(const Loss& loss, double promotion, double demotion, double initial)
      : factors_(promotion, demotion), initial_(initial) {
    check_winnow_loss(loss, true);
    if (!(initial > 0)) throw std::invalid_argument("weights must start above 0");
  }

  std::span<const float> positive() const { return positive_; }
  std::span<const float> negative() const { return negative_; }
  void grow(Index dim) {
    positive_.resize(static_cast<std::size_t>(dim), static_cast<float>(initial_));
    negative_.resize(static_cast<std::size_t>(dim), static_cast<float>(initial_));
  }
  void remap(const OnlineWeights&, const Remap& to) {
    to(positive_, static_cast<float>(initial_));
    to(negative_, static_cast<float>(initial_));
  }
  void settle(OnlineWeights&, const Instance&, InstanceBuffer&) {}
  void step(OnlineWeights& w, const Instance& x, InstanceBuffer& buffer, const Outcome&) {
    gradient_.collect(x.sites, buffer.delta, buffer.site);
    for (const auto& [at, g] : gradient_) {
      if (w.data()[at] != positive_[at] - negative_[at]) split(at, w.data()[at]);
      const double power = std::abs(g) * x.weight;
      float& up = g < 0 ? positive_[at] : negative_[at];
      float& down = g < 0 ? negative_[at] : positive_[at];
      up = static_cast<float>(factors_.promoted(up, power));
      down = static_cast<float>(factors_.demoted(down, power));
      w.set(at, positive_[at] - negative_[at]);
    }
  }
  void finish(OnlineWeights&) {}
  void state(Archive& a) { a(positive_, negative_); }

 private:
  // Weights given from outside: w+ - w- = w with w+ w- = initial^2, as equal rates would keep it.
  void split(Index at, double w) {
    const double larger = (std::abs(w) + std::sqrt(w * w + 4 * initial_ * initial_)) / 2;
    const double smaller = initial_ * initial_ / larger;
    positive_[at] = static_cast<float>(w > 0 ? larger : smaller);
    negative_[at] = static_cast<float>(w > 0 ? smaller : larger);
  }

  Factors factors_;
  double initial_;
  Buffer<float> positive_, negative_;
  SparseGradient gradient_;
};

}  // namespace linnet
