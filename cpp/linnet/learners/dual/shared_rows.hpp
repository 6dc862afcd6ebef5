// Rows for joint solvers, which visit them many times: kept as (int32, float32), without the
// features that a row has for itself, and those first whose weights are hardly ever in the cache.
//
// A feature f of one instance i alone has weights c_i ([k = y_i] − α_ik) x_if: they follow from
// α_i, and are worked out when the weights are asked for. Until then such features, of text more
// than half of all, need no memory that a visit would wait for.
#pragma once
#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "linnet/base/types.hpp"
#include "linnet/features/rows.hpp"

namespace linnet {

class SharedRows {
 public:
  struct Place {
    Index start = 0;  // of the shared features
    Id size = 0;
    std::uint16_t rare = 0;  // how many of them are not in the cache, the first ones
  };
  struct Own {
    Index instance;
    Id feature;
    float value;
  };

  // `bytes` is the size of a row of weights. found(i, its place, the square of its own features).
  template <class Found>
  SharedRows(const Rows& rows, Index bytes, Found&& found) {
    RowBuffer buffer;
    std::vector<std::uint32_t> counts(static_cast<std::size_t>(rows.features()));
    for (Index i = 0; i < rows.size(); ++i) {
      const Row row = rows.row(i, buffer);
      for (Id j = 0; j < row.size; ++j) ++counts[row.index[j]];
    }
    const std::uint32_t cached = least_count_cached(counts, bytes);
    index_.resize(static_cast<std::size_t>(rows.nonzeros()));
    value_.resize(index_.size());
    Index at = 0;
    for (Index i = 0; i < rows.size(); ++i) {
      const Row row = rows.row(i, buffer);
      const auto keep = [&](Id j) {
        index_[at] = row.index[j];
        value_[at++] = row.value[j];
      };
      Place place{at};
      double own = 0;
      for (Id j = 0; j < row.size; ++j)
        if (counts[row.index[j]] == 1) {
          own_.push_back({i, row.index[j], row.value[j]});
          own += static_cast<double>(row.value[j]) * static_cast<double>(row.value[j]);
        } else if (counts[row.index[j]] < cached) {
          keep(j);
        }
      place.rare = static_cast<std::uint16_t>(std::min<Index>(at - place.start, kMostRare));
      for (Id j = 0; j < row.size; ++j)
        if (counts[row.index[j]] >= cached) keep(j);
      place.size = static_cast<Id>(at - place.start);
      found(i, place, own);
    }
  }

  Row row(const Place& p) const {
    return {index_.data() + p.start, value_.data() + p.start, p.size};
  }
  const std::vector<Own>& own() const { return own_; }

 private:
  static constexpr Index kCache = 512 << 10;  // bytes of weights that visits find in the cache
  static constexpr Index kMostRare = std::numeric_limits<std::uint16_t>::max();

  // How often a feature must occur for its weights to be among those that stay in the cache.
  static std::uint32_t least_count_cached(std::vector<std::uint32_t> counts, Index bytes) {
    const auto rows = static_cast<std::size_t>(kCache / bytes);
    if (counts.size() <= rows) return 2;
    std::nth_element(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(rows),
                     counts.end(), std::greater<>());
    return std::max<std::uint32_t>(counts[rows], 2);
  }

  std::vector<Id> index_;
  std::vector<float> value_;
  std::vector<Own> own_;
};

}  // namespace linnet
