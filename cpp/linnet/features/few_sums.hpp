// Sums at few places of a large table, kept apart from it: they stay in the cache.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "linnet/base/types.hpp"

namespace linnet {

class FewSums {
 public:
  struct Sum {
    Index place;
    float value;
    std::uint32_t slot;
  };

  // The sum at a place, 0 at first; valid until the next call.
  float& operator[](Index place) {
    if (2 * sums_.size() >= slots_.size()) grow();
    const std::size_t slot = find(place);
    if (slots_[slot] == 0) {
      sums_.push_back({place, 0.f, static_cast<std::uint32_t>(slot)});
      slots_[slot] = static_cast<std::uint32_t>(sums_.size());
    }
    return sums_[slots_[slot] - 1].value;
  }
  // In the order in which places were first asked for.
  std::span<const Sum> all() const { return sums_; }
  void clear() {
    for (const Sum& sum : sums_) slots_[sum.slot] = 0;
    sums_.clear();
  }

 private:
  // The slot of a place, or the one that it would get.
  std::size_t find(Index place) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (static_cast<std::uint64_t>(place) * 0x9e3779b97f4a7c15u >> 32) & mask;
    while (slots_[at] != 0 && sums_[slots_[at] - 1].place != place) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    slots_.assign(slots_.empty() ? 1024 : 2 * slots_.size(), 0);
    for (std::size_t k = 0; k < sums_.size(); ++k) {
      const std::size_t slot = find(sums_[k].place);
      sums_[k].slot = static_cast<std::uint32_t>(slot);
      slots_[slot] = static_cast<std::uint32_t>(k + 1);
    }
  }

  std::vector<Sum> sums_;
  std::vector<std::uint32_t> slots_;  // number of the sum + 1; 0 if it is empty
};

}  // namespace linnet
