// What is known of few places of a large table, kept apart from it: it stays in the cache.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "linnet/base/detour.hpp"
#include "linnet/base/types.hpp"

namespace linnet {

template <class Value>
class FewPlaces {
 public:
  struct Known {
    Index place;
    Value value;
    std::uint32_t slot;
  };

  // What is known of a place, Value() at first; valid until the next call.
  Value& operator[](Index place) {
    if (2 * known_.size() >= slots_.size()) grow();
    const std::size_t slot = find(place);
    if (slots_[slot] == 0) {
      known_.push_back({place, Value(), static_cast<std::uint32_t>(slot)});
      slots_[slot] = static_cast<std::uint32_t>(known_.size());
    }
    return known_[slots_[slot] - 1].value;
  }
  // In the order in which places were first asked for.
  std::span<const Known> all() const { return known_; }
  void clear() {
    for (const Known& known : known_) slots_[known.slot] = 0;
    known_.clear();
  }

 private:
  // The slot of a place, or the one that it would get.
  std::size_t find(Index place) const {
    const std::size_t mask = slots_.size() - 1;
    Detour<64> detour(static_cast<std::uint64_t>(place) * 0x9e3779b97f4a7c15u);
    std::size_t at = (detour.hash() >> 32) & mask;
    while (slots_[at] != 0 && known_[slots_[at] - 1].place != place)
      at = (detour() ? detour.hash() >> 32 : at + 1) & mask;
    return at;
  }
  void grow() {
    slots_.assign(slots_.empty() ? 1024 : 2 * slots_.size(), 0);
    for (std::size_t k = 0; k < known_.size(); ++k) {
      const std::size_t slot = find(known_[k].place);
      known_[k].slot = static_cast<std::uint32_t>(slot);
      slots_[slot] = static_cast<std::uint32_t>(k + 1);
    }
  }

  std::vector<Known> known_;
  std::vector<std::uint32_t> slots_;  // number of the place + 1; 0 if it is empty
};
using FewSums = FewPlaces<float>;

}  // namespace linnet
