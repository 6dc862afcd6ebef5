// The distinct hashes of a document, in order of first occurrence, and how often each occurs. The
// table stays in the first-level cache: repetitions are met here and never reach the vocabulary.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "linnet/base/detour.hpp"
#include "linnet/base/simd.hpp"

namespace linnet {

class DistinctHashes {
 public:
  // Writes the distinct hashes of the items to `hashes`, which has room for one more than there are
  // items, and tells their number. For every item calls candidate(place, item), the place being
  // the item's if it is new, and then met(place) with the place its hash has. New and repeated
  // hashes take the same path, for which of the two comes next nobody can predict.
  // `hash_of(item)` must be well mixed in its leading bits. Calls looked() for every slot in vain.
  template <class Item, class HashOf, class Candidate, class Met, class Looked = Unseen>
  LINNET_INLINE std::uint32_t gather(std::span<const Item> items, std::uint64_t* hashes,
                                     HashOf&& hash_of, Candidate&& candidate, Met&& met,
                                     Looked&& looked = {}) {
    const std::size_t capacity = std::bit_ceil(std::max<std::size_t>(3 * items.size(), 64));
    const int shift = 64 - std::countr_zero(capacity);
    const std::uint64_t mask = capacity - 1;
    slots_.assign(capacity, 0);
    std::uint32_t* const slots = slots_.data();
    std::uint32_t size = 0;
    for (const Item& item : items) {
      const std::uint64_t hash = hash_of(item);
      hashes[size] = hash;
      candidate(size, item);
      std::uint64_t at = hash >> shift;
      std::uint32_t place = slots[at];
      for (Detour<64> detour(hash); place != 0 && hashes[place - 1] != hash;) {
        looked();
        at = detour() ? detour.hash() >> shift : (at + 1) & mask;
        place = slots[at];
      }
      place = place == 0 ? ++size : place;
      slots[at] = place;
      met(place - 1);
    }
    return size;
  }

  // The same, kept here, with counts.
  template <class Item, class HashOf>
  void count(std::span<const Item> items, HashOf&& hash_of) {
    if (hashes_.size() <= items.size()) {
      hashes_.resize(items.size() + 1);
      counts_.resize(items.size() + 1);
      first_.resize(items.size() + 1);
    }
    std::uint32_t k = 0;
    size_ = gather(
        items, hashes_.data(), hash_of,
        [&](std::uint32_t place, const Item&) {
          counts_[place] = 0;
          first_[place] = k++;
        },
        [&](std::uint32_t place) { ++counts_[place]; });
  }

  std::size_t size() const { return size_; }
  std::span<const std::uint64_t> hashes() const { return {hashes_.data(), size_}; }
  std::span<const std::uint32_t> counts() const { return {counts_.data(), size_}; }
  // Where among the items each occurred first.
  std::span<const std::uint32_t> first() const { return {first_.data(), size_}; }

 private:
  std::vector<std::uint32_t> slots_;  // place + 1; 0 if it is empty
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> counts_, first_;
  std::size_t size_ = 0;
};

}  // namespace linnet
