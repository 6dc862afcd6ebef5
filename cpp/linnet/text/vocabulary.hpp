// Interned features: the 64-bit hash of a feature gets a number when it is first seen, 0, 1, 2, …
//
// The table is open addressing with linear probing, and detours past long runs. A slot is 8 bytes,
//   fingerprint << 32 | (id + 1),  0 if it is empty,
// the fingerprint being the low 32 bits of the hash; the home of a hash is its leading bits, scaled
// to the number of slots. Two features are taken for one if they share a fingerprint and a run of
// slots, which among two million features happens once in a thousand vocabularies.
//
// While it grows a table is a power of two, at most half full: searches end after a slot or two.
// Once it has settled it is of any size and two thirds full, and homes are whole cache lines, whose
// eight slots are compared at once.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "linnet/base/detour.hpp"
#include "linnet/base/page_array.hpp"
#include "linnet/base/simd.hpp"
#include "linnet/base/types.hpp"
#include "linnet/text/hash.hpp"

namespace linnet {

inline constexpr Id kNoFeature = -1;
// The eight slots of a cache line, which are filled from the first to the last.
inline constexpr std::size_t kLine = 8;

// Longer runs than any among hashes that nobody chose, even in a table that is two thirds full.
inline constexpr std::uint32_t kNear = 64 * kLine;
using SlotDetour = Detour<kNear>;

// Where searches begin in a table of so many slots.
class SlotHomes {
 public:
  SlotHomes() = default;
  explicit SlotHomes(std::size_t slots)
      : slots_(slots), mask_(std::has_single_bit(slots) ? ~std::uint64_t{0} : ~(kLine - 1)) {}
  std::uint64_t of(std::uint64_t hash) const { return scaled(hash, slots_) & mask_; }
  bool are_lines() const { return mask_ != ~std::uint64_t{0}; }
  std::uint64_t after(std::uint64_t at) const { return at + 1 == slots_ ? 0 : at + 1; }
  // Where a search goes on.
  std::uint64_t next(std::uint64_t at, SlotDetour& detour) const {
    return detour() ? of(detour.hash()) : after(at);
  }
  std::uint64_t slots() const { return slots_; }

 private:
  std::uint64_t slots_ = 0, mask_ = 0;
};

// Bit k is set if slot k of a line has the fingerprint.
LINNET_INLINE unsigned matches(const std::uint64_t* line, std::uint32_t fingerprint) {
#if defined(__SSE2__)
  const auto sought = _mm_set1_epi32(static_cast<int>(fingerprint));
  const auto four = [&](const std::uint64_t* at) {
    const auto* pairs = reinterpret_cast<const float*>(at);
    const __m128 high =
        _mm_shuffle_ps(_mm_loadu_ps(pairs), _mm_loadu_ps(pairs + 4), _MM_SHUFFLE(3, 1, 3, 1));
    const __m128i same = _mm_cmpeq_epi32(_mm_castps_si128(high), sought);
    return static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(same)));
  };
  return four(line) | four(line + 4) << 4;
#else
  unsigned found = 0;
  for (unsigned k = 0; k < kLine; ++k) found |= unsigned{line[k] >> 32 == fingerprint} << k;
  return found;
#endif
}

// A vocabulary that does not grow, read where it lies: the slots may be those of a mapped file.
// Whatever they hold, no lookup leaves them and no id is outside [0, features).
class FrozenVocabulary {
 public:
  FrozenVocabulary(std::span<const std::uint64_t> slots, Index features)
      : slots_(slots.data()),
        homes_(slots.size()),
        features_(features),
        near_(std::min<std::uint64_t>(slots.size(), kNear)) {
    if (slots.empty() || slots.size() % kLine != 0)
      throw std::invalid_argument("the vocabulary's table must have a multiple of eight slots");
    if (features < 0 || features > static_cast<Index>(slots.size()))
      throw std::invalid_argument("the vocabulary's table is too small for its features");
  }

  Index features() const { return features_; }

  void prefetch(std::uint64_t hash) const { LINNET_PREFETCH(slots_ + homes_.of(hash)); }

  static std::uint64_t relevant(std::uint64_t hash) { return hash; }

  // The id of a feature, or kNoFeature; calls looked() for every slot, or line of eight slots.
  template <class Looked = Unseen>
  Id find(std::uint64_t hash, Looked&& looked = {}) const {
    const std::uint64_t home = homes_.of(hash);
    Id id;
    if (homes_.are_lines() ? is_known_by_lines(hash, home, id, looked)
                           : is_known_by_slots(hash, home, id, looked))
      return id;
    return find_by_detours(hash, looked);
  }

 private:
  // Damaged tables may be full. In others nobody meets so many.
  static constexpr int kMostDetours = 32;

  // Is it known, from this home on, which id it has, if any? False: all slots are those of others.
  template <class Looked>
  LINNET_INLINE bool is_known_by_lines(std::uint64_t hash, std::uint64_t at, Id& id,
                                       Looked&& looked) const {
    for (std::uint64_t probes = 0; probes < near_; probes += kLine) {
      looked();
      const std::uint64_t* line = slots_ + at;
      const unsigned found = matches(line, static_cast<std::uint32_t>(hash));
      if (found != 0) return id = id_of(line[std::countr_zero(found)]), true;
      if (line[kLine - 1] == 0) return id = kNoFeature, true;
      at += kLine;
      if (at == homes_.slots()) at = 0;
    }
    return false;
  }
  template <class Looked>
  LINNET_INLINE bool is_known_by_slots(std::uint64_t hash, std::uint64_t at, Id& id,
                                       Looked&& looked) const {
    const auto fingerprint = static_cast<std::uint32_t>(hash);
    for (std::uint64_t probes = 0; probes < near_; ++probes, at = homes_.after(at)) {
      looked();
      const std::uint64_t slot = slots_[at];
      if (slot == 0) return id = kNoFeature, true;
      if (slot >> 32 == fingerprint) return id = id_of(slot), true;
    }
    return false;
  }
  template <class Looked>
  [[gnu::noinline, gnu::cold]] Id find_by_detours(std::uint64_t hash, Looked&& looked) const {
    std::uint64_t other = hash;
    Id id = kNoFeature;
    for (int k = 0; k < kMostDetours; ++k) {
      const std::uint64_t home = homes_.of(other = elsewhere(other));
      if (homes_.are_lines() ? is_known_by_lines(hash, home, id, looked)
                             : is_known_by_slots(hash, home, id, looked))
        return id;
    }
    return kNoFeature;
  }

  Id id_of(std::uint64_t slot) const {
    const auto id = static_cast<std::uint32_t>(slot) - 1;
    return id < static_cast<std::uint64_t>(features_) ? static_cast<Id>(id) : kNoFeature;
  }

  const std::uint64_t* slots_;
  SlotHomes homes_;
  Index features_;
  std::uint64_t near_;  // slots that are looked at before a detour
};

// A vocabulary that grows. The hash of every id is kept beside the table: it is what the table is
// built anew from, when it doubles and when features are dropped.
class Vocabulary {
 public:
  Vocabulary() { rebuild(kSmallest); }
  explicit Vocabulary(std::span<const std::uint64_t> hashes) {
    hashes_.append(hashes);
    rebuild(growing());
  }

  Index size() const { return static_cast<Index>(hashes_.size()); }
  std::span<const std::uint64_t> hashes() const { return hashes_.span(); }
  // The table, for readers that may outlive it: growing makes a new one.
  std::shared_ptr<const PageArray<std::uint64_t>> slots() const { return slots_; }

  void prefetch(std::uint64_t hash) const { LINNET_PREFETCH(table_ + homes_.of(hash)); }

  // The id of a feature; a new one gets the next, so that it is size() before the call.
  Id intern(std::uint64_t hash) {
    const auto fingerprint = static_cast<std::uint32_t>(hash);
    SlotDetour detour(hash);
    for (std::uint64_t at = homes_.of(hash);; at = homes_.next(at, detour)) {
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

  std::size_t growing() const { return std::max(kSmallest, std::bit_ceil(2 * hashes_.size())); }
  std::size_t settled() const {
    const std::size_t lines = (hashes_.size() + hashes_.size() / 2 + kLine - 1) / kLine;
    return std::max(kSmallest, lines * kLine);
  }

  Id add(std::uint64_t hash, std::uint64_t at) {
    if (hashes_.size() == kMost) throw std::length_error("more than 2^31 features: use hashing");
    const std::size_t id = hashes_.size();
    hashes_.push_back(hash);
    if (2 * hashes_.size() > slots_->size())
      rebuild(slots_->size() < kLarge ? 2 * growing() : growing());
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
    homes_ = SlotHomes(capacity);
    constexpr std::size_t kAhead = 24;
    for (std::size_t id = 0; id < hashes_.size(); ++id) {
      if (id + kAhead < hashes_.size()) prefetch(hashes_[id + kAhead]);
      std::uint64_t at = homes_.of(hashes_[id]);
      for (SlotDetour detour(hashes_[id]); table_[at] != 0;) at = homes_.next(at, detour);
      table_[at] = entry(hashes_[id], id);
    }
  }

  std::shared_ptr<PageArray<std::uint64_t>> slots_;
  std::uint64_t* table_ = nullptr;  // where the slots lie
  PageArray<std::uint64_t> hashes_;
  SlotHomes homes_;
};

}  // namespace linnet
