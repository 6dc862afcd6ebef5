// From the counts of a document to the values of its row:
//
//   x_j = transform(v_j t(c_j)) / norm,   t(c) = c | 1 if c > 0 | 1 + ln c,
//
// v one value per feature (idf, naive Bayes log-count ratio) or 1 throughout, the norm Σ|x| or √Σx²
// of the row or 1. A row of several parts (words, characters) is normalised part by part, each part
// then weighs what `mix` says, and the whole has the norm 1 again.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "linnet/base/simd.hpp"
#include "linnet/base/types.hpp"

namespace linnet {

enum class Tf { count, binary, sublinear };
enum class Norm { none, l1, l2 };
enum class Transform { none, absolute, square };

class Weighting {
 public:
  Weighting(Tf tf_rule, Norm norm_rule, Transform transform_rule, std::vector<float> mix_rule = {})
      : tf(tf_rule), norm(norm_rule), transform(transform_rule), mix(std::move(mix_rule)) {
    for (std::uint32_t c = 0; c < kSmall; ++c) small_[c] = formula(c);
  }

  Tf tf;
  Norm norm;
  Transform transform;
  std::vector<float> mix;  // the weight of each part; none if there is but one

  void check(Index parts) const {
    if (parts != 1 && static_cast<Index>(mix.size()) != parts)
      throw std::invalid_argument("every block of features needs a weight");
  }

  LINNET_INLINE float tf_of(std::uint32_t count) const {
    return count < kSmall ? small_[count] : formula(count);
  }

  // The row of features `ids`, all below the number of `values` unless there are none (v = 1).
  // Without counts (binary) every count is 1. Is there anything but zeros?
  bool weigh(std::span<const Id> ids, std::span<const std::uint32_t> counts,
             std::span<const float> values, float* x) const {
    const std::size_t n = ids.size();
    if (counts.empty() || tf == Tf::binary)
      for (std::size_t k = 0; k < n; ++k) x[k] = 1;
    else
      for (std::size_t k = 0; k < n; ++k) x[k] = tf_of(counts[k]);
    if (!values.empty())
      for (std::size_t k = 0; k < n; ++k) x[k] *= values[static_cast<std::size_t>(ids[k])];
    if (transform == Transform::absolute)
      for (std::size_t k = 0; k < n; ++k) x[k] = std::fabs(x[k]);
    if (transform == Transform::square)
      for (std::size_t k = 0; k < n; ++k) x[k] *= x[k];
    return normalise({x, n});
  }

 private:
  static constexpr std::uint32_t kSmall = 64;

  float formula(std::uint32_t count) const {
    if (count == 0) return 0;
    switch (tf) {
      case Tf::count:
        return static_cast<float>(count);
      case Tf::sublinear:
        return static_cast<float>(1 + std::log(static_cast<double>(count)));
      default:
        return 1;
    }
  }
  // A row of zeros stays one.
  bool normalise(std::span<float> x) const {
    if (norm == Norm::none) return !x.empty();
    double sums[4] = {0, 0, 0, 0};  // four hide the latency of an addition
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double v = static_cast<double>(x[k]);
      sums[k % 4] += norm == Norm::l1 ? std::fabs(v) : v * v;
    }
    const double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    if (sum <= 0) return false;
    const double scale = 1 / (norm == Norm::l1 ? sum : std::sqrt(sum));
    for (float& v : x) v = static_cast<float>(static_cast<double>(v) * scale);
    return true;
  }

  std::array<float, kSmall> small_;
};

// What each part of a row is multiplied by so that the whole has the norm 1: its weight over the
// norm of the weights of all parts that are there.
class PartMix {
 public:
  explicit PartMix(const Weighting& weighting) : weighting_(&weighting) {}
  // The next part; is there anything in it?
  void add(bool present) {
    const double w = weight(next_++);
    if (present) size_ += weighting_->norm == Norm::l1 ? w : w * w;
  }
  double factor(Index part) const {
    if (weighting_->norm == Norm::none || size_ <= 0) return weight(part);
    return weight(part) / (weighting_->norm == Norm::l1 ? size_ : std::sqrt(size_));
  }

 private:
  double weight(Index part) const {
    return weighting_->mix.empty() ? 1. : static_cast<double>(weighting_->mix[part]);
  }
  const Weighting* weighting_;
  Index next_ = 0;
  double size_ = 0;
};

}  // namespace linnet
