// Interned features: the 64-bit hash of a feature gets a number when it is first seen, 0, 1, 2, …
//
// The table is open addressing with linear probing, at most half full while it grows and two thirds
// once it has settled. A slot is 8 bytes,
//   fingerprint << 32 | (id + 1),  0 if it is empty,
// the fingerprint being the low 32 bits of the hash; the home of a hash is its leading bits, scaled
// to the number of slots. Two features are taken for one if they share a fingerprint and a run of
// slots, which among two million features happens once in a thousand vocabularies.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "linnet/base/page_array.hpp"
#include "linnet/base/simd.hpp"
#include "linnet/base/types.hpp"
#include "linnet/text/hash.hpp"

namespace linnet {

inline constexpr Id kNoFeature = -1;
inline constexpr std::size_t kSlotUnit = 8;  // a table is whole cache lines

// A vocabulary that does not grow, read where it lies: the slots may be those of a mapped file.
// Whatever they hold, no lookup leaves them and no id is outside [0, features).
class FrozenVocabulary {
 public:
  FrozenVocabulary(std::span<const std::uint64_t> slots, Index features)
      : slots_(slots.data()), capacity_(slots.size()), features_(features) {
    if (slots.empty() || slots.size() % kSlotUnit != 0)
      throw std::invalid_argument("the vocabulary's table must have a multiple of eight slots");
    if (features < 0 || features > static_cast<Index>(slots.size()))
      throw std::invalid_argument("the vocabulary's table is too small for its features");
  }

  Index features() const { return features_; }

  void prefetch(std::uint64_t hash) const { LINNET_PREFETCH(slots_ + scaled(hash, capacity_)); }

  static std::uint64_t relevant(std::uint64_t hash) { return hash; }

  // The id of a feature, or kNoFeature. An empty slot ends the search like the right one, and is
  // told by its id: whether a feature is known cannot be foreseen, so that no branch depends on it.
  Id find(std::uint64_t hash) const {
    const auto fingerprint = static_cast<std::uint32_t>(hash);
    std::uint64_t at = scaled(hash, capacity_);
    for (std::uint64_t probes = 0; probes < capacity_; ++probes) {
      const std::uint64_t slot = slots_[at];
      if (std::min(slot, slot >> 32 ^ fingerprint) == 0) {
        const auto id = static_cast<std::uint32_t>(slot) - 1;
        return id < static_cast<std::uint64_t>(features_) ? static_cast<Id>(id) : kNoFeature;
      }
      if (++at == capacity_) at = 0;
    }
    return kNoFeature;
  }

 private:
  const std::uint64_t* slots_;
  std::uint64_t capacity_;
  Index features_;
};

// A vocabulary that grows. The hash of every id is kept beside the table: it is what the table is
// built anew from, when it doubles and when features are dropped.
class Vocabulary {
 public:
  Vocabulary() { rebuild(kSmallest); }
  explicit Vocabulary(std::span<const std::uint64_t> hashes) {
    hashes_.append(hashes);
    rebuild(in_units(2 * hashes_.size()));
  }

  Index size() const { return static_cast<Index>(hashes_.size()); }
  std::span<const std::uint64_t> hashes() const { return hashes_.span(); }
  // The table, for readers that may outlive it: growing makes a new one.
  std::shared_ptr<const PageArray<std::uint64_t>> slots() const { return slots_; }

  void prefetch(std::uint64_t hash) const { LINNET_PREFETCH(table_ + scaled(hash, capacity_)); }

  // The id of a feature; a new one gets the next, so that it is size() before the call.
  Id intern(std::uint64_t hash) {
    const auto fingerprint = static_cast<std::uint32_t>(hash);
    for (std::uint64_t at = scaled(hash, capacity_);; at = after(at)) {
      const std::uint64_t slot = table_[at];
      if (slot == 0) return add(hash, at);
      if (static_cast<std::uint32_t>(slot >> 32) == fingerprint)
        return static_cast<Id>(static_cast<std::uint32_t>(slot) - 1);
    }
  }

  // Keeps the features whose new number is not kNoFeature; new numbers run 0, 1, … in the old
  // order.
  void keep(std::span<const Id> renumbered) {
    std::size_t kept = 0;
    for (std::size_t id = 0; id < renumbered.size(); ++id)
      if (renumbered[id] != kNoFeature) hashes_[kept++] = hashes_[id];
    hashes_.shrink(kept);
    rebuild(settled());
  }

  // No more features for now: a smaller table is found in the cache more often.
  void settle() {
    if (slots_->size() > settled()) rebuild(settled());
  }

 private:
  static constexpr std::size_t kSmallest = 1 << 10;
  static constexpr std::size_t kLarge = 1 << 21;  // slots; from here memory matters more than time
  static constexpr std::size_t kMost = (std::size_t{1} << 31) - 2;  // ids are 31 bits

  static std::size_t in_units(std::size_t slots) {
    return std::max(kSmallest, (slots + kSlotUnit - 1) / kSlotUnit * kSlotUnit);
  }
  std::size_t settled() const { return in_units(hashes_.size() + hashes_.size() / 2); }
  std::uint64_t after(std::uint64_t at) const { return at + 1 == capacity_ ? 0 : at + 1; }

  Id add(std::uint64_t hash, std::uint64_t at) {
    if (hashes_.size() == kMost) throw std::length_error("more than 2^31 features: use hashing");
    const std::size_t id = hashes_.size();
    hashes_.push_back(hash);
    if (2 * hashes_.size() > slots_->size())
      rebuild(slots_->size() < kLarge ? 4 * slots_->size() : 2 * slots_->size());
    else
      table_[at] = entry(hash, id);
    return static_cast<Id>(id);
  }

  static std::uint64_t entry(std::uint64_t hash, std::size_t id) {
    return hash << 32 | static_cast<std::uint32_t>(id + 1);
  }

  void rebuild(std::size_t capacity) {
    slots_.reset();  // the old table goes before the new one comes
    slots_ = std::make_shared<PageArray<std::uint64_t>>(PageArray<std::uint64_t>::zeros(capacity));
    table_ = slots_->data();
    capacity_ = capacity;
    constexpr std::size_t kAhead = 24;
    for (std::size_t id = 0; id < hashes_.size(); ++id) {
      if (id + kAhead < hashes_.size()) prefetch(hashes_[id + kAhead]);
      std::uint64_t at = scaled(hashes_[id], capacity_);
      while (table_[at] != 0) at = after(at);
      table_[at] = entry(hashes_[id], id);
    }
  }

  std::shared_ptr<PageArray<std::uint64_t>> slots_;
  std::uint64_t* table_ = nullptr;  // where the slots lie
  PageArray<std::uint64_t> hashes_;
  std::uint64_t capacity_ = 0;
};

}  // namespace linnet
