// X^T delta as a sparse vector: sites of one instance may share features, so what they give the
// same weight is summed before a norm or a product is taken of it.
#pragma once
#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "linnet/features/sites.hpp"

namespace linnet {

class SparseGradient {
 public:
  // Entries (weight, value), each weight once. Those of several sites are put in the order of the
  // weights and summed; a single row names a feature once, in any order, and is left as it is.
  void collect(std::span<const Group> sites, std::span<const double> delta, SiteBuffer& buffer) {
    entries_.clear();
    for_each_weight_row(sites, delta, buffer,
                        [&](Index offset, double value, const double* d, const Group& g) {
                          for (Id y = 0; y < g.width; ++y)
                            if (d[y] != 0) entries_.emplace_back(offset + y, value * d[y]);
                        });
    const bool one_site = sites.size() == 1 && sites[0].count == 1;
    if (one_site || entries_.empty()) return;
    // Equal weights by the bits of their values: a total order even of NaN, which sort relies on.
    std::sort(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
      if (a.first != b.first) return a.first < b.first;
      return std::bit_cast<std::int64_t>(a.second) < std::bit_cast<std::int64_t>(b.second);
    });
    auto last = entries_.begin();
    for (auto e = last + 1; e != entries_.end(); ++e)
      if (e->first == last->first)
        last->second += e->second;
      else
        *++last = *e;
    entries_.erase(last + 1, entries_.end());
  }

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  double squared_norm() const {
    double sum = 0;
    for (const auto& [at, value] : entries_) sum += value * value;
    return sum;
  }
  // Requires both to be of several sites.
  double dot(const SparseGradient& other) const {
    double sum = 0;
    auto b = other.begin();
    for (const auto& [at, value] : entries_) {
      while (b != other.end() && b->first < at) ++b;
      if (b == other.end()) break;
      if (b->first == at) sum += value * b->second;
    }
    return sum;
  }

 private:
  std::vector<std::pair<Index, double>> entries_;
};

}  // namespace linnet
