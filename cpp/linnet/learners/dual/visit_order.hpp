// The order in which instances are visited: random, but by groups of neighbours, whose rows lie
// side by side in memory and often share features. Few instances fit the cache anyway, and are
// mixed one by one.
#pragma once
#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "linnet/base/rng.hpp"

namespace linnet {

inline std::size_t group_size(std::size_t instances) {
  return std::clamp<std::size_t>(instances / 1024, 1, 16);
}

// Shuffles groups of `size` instances, and the instances within each.
template <class Instance>
void shuffle_groups(std::vector<Instance>& order, std::size_t size, Rng& rng) {
  const std::size_t n = order.size();
  std::vector<std::size_t> group((n + size - 1) / size);
  std::iota(group.begin(), group.end(), std::size_t{0});
  rng.shuffle(std::span(group));
  std::vector<Instance> mixed;
  mixed.reserve(n);
  for (std::size_t g : group) {
    const std::size_t at = mixed.size(), begin = g * size, end = std::min(begin + size, n);
    mixed.insert(mixed.end(), order.data() + begin, order.data() + end);
    rng.shuffle(std::span(mixed).subspan(at));
  }
  order.swap(mixed);
}

}  // namespace linnet
