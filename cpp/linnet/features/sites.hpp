// Waist one: sites and parts. A site is a place that gets features, one sparse row; a part is the
// smallest piece of an output that gets a score. Every structure is a few groups of (sites x
// width) parts, so score (theta = W x) and scatter (w += X^T delta) are written once.
#pragma once
#include <span>
#include <vector>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/simd.hpp"
#include "linnet/features/rows.hpp"

namespace linnet {

// Parts of a group, in order: for each of its sites, `width` labels. The weights of the group are
// the block w[base ..), row-major with `stride`: row 0 the constant feature, row f + 1 feature f.
struct Group {
  const Rows* rows;
  Index first;  // sites are rows [first, first + count)
  Id count;
  Id width;
  Id stride;  // padded(width)
  Index base;
};

struct SiteBuffer {
  RowBuffer row;
  Buffer<float> sums;
};

namespace detail {

// theta[0..width) = sum_f value_f W[f][0..width), in the precision of the weights.
LINNET_CLONES inline void score_row(const float* LINNET_RESTRICT w, Id stride, Id width, Row row,
                                    float bias, float* LINNET_RESTRICT sum) {
  for (Id y = 0; y < width; ++y) sum[y] = bias * w[y];
  const float* features = w + stride;
  for (Id k = 0; k < row.size; ++k) {
    const float value = row.value[k];
    const float* LINNET_RESTRICT r = features + static_cast<Index>(row.index[k]) * stride;
    for (Id y = 0; y < width; ++y) sum[y] += value * r[y];
  }
}
LINNET_CLONES inline void score_row(const double* LINNET_RESTRICT w, Id stride, Id width, Row row,
                                    float bias, double* LINNET_RESTRICT sum) {
  for (Id y = 0; y < width; ++y) sum[y] = bias * w[y];
  const double* features = w + stride;
  for (Id k = 0; k < row.size; ++k) {
    const double value = row.value[k];
    if (value == 0) continue;  // a dense zero must not meet a weight of -inf (log of no counts)
    const double* LINNET_RESTRICT r = features + static_cast<Index>(row.index[k]) * stride;
    for (Id y = 0; y < width; ++y) sum[y] += value * r[y];
  }
}

// One weight per feature: a gather; four sums hide its latency. Double sums cost nothing here.
template <class Real>
double score_row(const Real* w, Row row, float bias) {
  const Real* features = w + 1;
  double s[4] = {static_cast<double>(bias) * static_cast<double>(w[0]), 0, 0, 0};
  Id k = 0;
  for (; k + 4 <= row.size; k += 4)
    for (Id j = 0; j < 4; ++j)
      s[j] +=
          static_cast<double>(row.value[k + j]) * static_cast<double>(features[row.index[k + j]]);
  for (; k < row.size; ++k)
    s[0] += static_cast<double>(row.value[k]) * static_cast<double>(features[row.index[k]]);
  return (s[0] + s[1]) + (s[2] + s[3]);
}

template <class Real>
LINNET_INLINE void add_row(Real* LINNET_RESTRICT w, const double* LINNET_RESTRICT delta, Id width,
                           double scale) {
  for (Id y = 0; y < width; ++y) w[y] += static_cast<Real>(scale * delta[y]);
}

}  // namespace detail

// theta = W x, over all groups and sites.
template <class Real>
void score(std::span<const Group> sites, const Real* w, std::span<double> theta,
           SiteBuffer& buffer) {
  double* out = theta.data();
  Steps steps;
  for (const Group& g : sites) {
    const Real* block = w + g.base;
    for (Id s = 0; s < g.count; ++s, out += g.width) {
      const Row row = g.rows->row(g.first + s, buffer.row);
      steps(8 + Index{row.size} * (1 + g.width / 4));
      if (g.width == 1) {
        *out = detail::score_row(block, row, g.rows->bias());
        continue;
      }
      if constexpr (std::is_same_v<Real, double>) {
        detail::score_row(block, g.stride, g.width, row, g.rows->bias(), out);
      } else {
        // Scoring whole padded rows lets the compiler drop the ragged tail; padding is zero.
        if (buffer.sums.size() < static_cast<std::size_t>(g.stride)) buffer.sums.resize(g.stride);
        detail::score_row(block, g.stride, g.stride, row, g.rows->bias(), buffer.sums.data());
        for (Id y = 0; y < g.width; ++y) out[y] = static_cast<double>(buffer.sums[y]);
      }
    }
  }
}

// Calls visit(offset of the weight row, value, delta of the site, group) for every feature of every
// site whose delta is not all zero: the one way weights are reached from a delta over parts.
template <class Visit>
void for_each_weight_row(std::span<const Group> sites, std::span<const double> delta,
                         SiteBuffer& buffer, Visit&& visit) {
  const double* d = delta.data();
  for (const Group& g : sites)
    for (Id s = 0; s < g.count; ++s, d += g.width) {
      bool zero = true;
      for (Id y = 0; y < g.width && zero; ++y) zero = d[y] == 0;
      if (zero) continue;
      const Row row = g.rows->row(g.first + s, buffer.row);
      if (g.rows->bias() != 0) visit(g.base, static_cast<double>(g.rows->bias()), d, g);
      for (Id k = 0; k < row.size; ++k)
        visit(g.base + (static_cast<Index>(row.index[k]) + 1) * g.stride,
              static_cast<double>(row.value[k]), d, g);
    }
}

// w += scale X^T delta.
template <class Real>
void scatter(std::span<const Group> sites, std::span<const double> delta, double scale, Real* w,
             SiteBuffer& buffer) {
  for_each_weight_row(sites, delta, buffer,
                      [&](Index offset, double value, const double* d, const Group& g) {
                        detail::add_row(w + offset, d, g.width, scale * value);
                      });
}

}  // namespace linnet
