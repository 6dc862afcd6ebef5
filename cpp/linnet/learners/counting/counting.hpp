// Counting: the table sum_i c_i X_i^T gold_i, from which naive Bayes (and later the HMM and the
// PCFG) take their relative frequencies.
#pragma once
#include "linnet/data/dataset.hpp"

namespace linnet {

inline void check_counts(const Instance& x, Index i, InstanceBuffer& buffer) {
  for (const Group& g : x.sites)
    for (Id s = 0; s < g.count; ++s) {
      const Row row = g.rows->row(g.first + s, buffer.site.row);
      for (Id k = 0; k < row.size; ++k)
        if (row.value[k] < 0)
          throw std::invalid_argument(
              "naive Bayes counts things, but feature " + std::to_string(row.index[k]) +
              " of row " + std::to_string(i) +
              " is negative; use non-negative counts or a discriminative learner");
    }
}

// counts: one number per weight, in the layout of the weights.
inline void count_gold(const Dataset& data, std::span<double> counts) {
  InstanceBuffer buffer;
  std::vector<double> gold;
  if (data.partial())
    throw std::invalid_argument(
        "counting needs the label of every token; EM sums missing ones out");
  for (Index i = 0; i < data.size(); ++i) {
    const Instance x = data.read(i, buffer);
    check_counts(x, i, buffer);
    gold.assign(static_cast<std::size_t>(x.oracle->parts()), 0.0);
    for (const auto& [p, count] : x.gold) gold[p] += count;
    scatter(x.sites, gold, x.weight, counts.data(), buffer.site);
  }
}

}  // namespace linnet
