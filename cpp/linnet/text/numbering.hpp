// From the hash of a feature to its number. Three ways with the same two calls,
//   prefetch(hash)   asks for the memory that find will read
//   find(hash)       the number in [0, features()), or kNoFeature
// (the first two also `relevant(hash)`, the part of the hash that decides on the number)
// chosen once by `std::visit`, outside of the loops.
#pragma once
#include <variant>

#include "linnet/text/vocabulary.hpp"

namespace linnet {

// The leading bits of the hash: no table, no names, and now and then two features in one bucket.
class HashedNumbering {
 public:
  explicit HashedNumbering(int bits) : shift_(64 - bits) {
    if (bits < 1 || bits > 30) throw std::invalid_argument("hash_bits must be from 1 to 30");
  }
  Index features() const { return Index{1} << (64 - shift_); }
  void prefetch(std::uint64_t) const {}
  std::uint64_t relevant(std::uint64_t hash) const { return hash >> shift_ << shift_; }
  Id find(std::uint64_t hash) const { return static_cast<Id>(hash >> shift_); }

 private:
  int shift_;
};

// The table of small models: 16 bits per slot, the number of a feature is the slot it lies in.
// Linear probing with detours; any capacity. A feature that was never stored is taken for a stored
// one about once in 2^16 slots it looks at.
class PackedNumbering {
 public:
  explicit PackedNumbering(std::span<const std::uint16_t> fingerprints)
      : fingerprints_(fingerprints.data()), capacity_(fingerprints.size()) {
    if (capacity_ < 1 || capacity_ >= (std::uint64_t{1} << 31))
      throw std::invalid_argument("the packed vocabulary must have from 1 to 2^31 slots");
  }
  Index features() const { return static_cast<Index>(capacity_); }
  void prefetch(std::uint64_t hash) const { LINNET_PREFETCH(fingerprints_ + home(hash)); }
  template <class Looked = Unseen>
  Id find(std::uint64_t hash, Looked&& looked = {}) const {
    const std::uint16_t fingerprint = fingerprint_of(hash);
    std::uint64_t at = home(hash);
    PackedDetour detour(hash);
    for (std::uint64_t probes = 0; probes < std::min(capacity_, kMostProbes); ++probes) {
      looked();
      if (fingerprints_[at] == fingerprint) return static_cast<Id>(at);
      if (fingerprints_[at] == 0) return kNoFeature;
      at = next(at, capacity_, detour);
    }
    return kNoFeature;
  }

  static std::uint16_t fingerprint_of(std::uint64_t hash) {
    const auto low = static_cast<std::uint16_t>(hash);
    return low == 0 ? std::uint16_t{1} : low;
  }
  // The leading 32 bits scaled to [0, capacity): multiply, then shift.
  static std::uint64_t home(std::uint64_t hash, std::uint64_t capacity) {
    return ((hash >> 32) * capacity) >> 32;
  }
  // Where a search goes on.
  using PackedDetour = Detour<1024>;  // fuller than other tables, and slots are a quarter as large
  static std::uint64_t next(std::uint64_t at, std::uint64_t capacity, PackedDetour& detour) {
    if (detour()) return home(detour.hash(), capacity);
    return at + 1 == capacity ? 0 : at + 1;
  }

 private:
  static constexpr std::uint64_t kMostProbes = 1 << 15;
  std::uint64_t home(std::uint64_t hash) const { return home(hash, capacity_); }
  const std::uint16_t* fingerprints_;
  std::uint64_t capacity_;
};

// Packs features, in the order given, into `capacity` slots: the table, and the slot of each. Two
// that cannot be told apart share a slot, the number of which the caller may count.
struct PackedTable {
  std::vector<std::uint16_t> fingerprints;
  std::vector<Id> slots;
};
inline PackedTable pack_features(std::span<const std::uint64_t> hashes, std::size_t capacity) {
  if (capacity <= hashes.size()) throw std::invalid_argument("the packed table must have room");
  PackedTable packed{std::vector<std::uint16_t>(capacity), {}};
  packed.slots.reserve(hashes.size());
  for (std::uint64_t hash : hashes) {
    const std::uint16_t fingerprint = PackedNumbering::fingerprint_of(hash);
    std::uint64_t at = PackedNumbering::home(hash, capacity);
    PackedNumbering::PackedDetour detour(hash);
    while (packed.fingerprints[at] != 0 && packed.fingerprints[at] != fingerprint)
      at = PackedNumbering::next(at, capacity, detour);
    packed.fingerprints[at] = fingerprint;
    packed.slots.push_back(static_cast<Id>(at));
  }
  return packed;
}

using Numbering = std::variant<FrozenVocabulary, HashedNumbering, PackedNumbering>;

inline Index features_of(const Numbering& numbering) {
  return std::visit([](const auto& n) { return n.features(); }, numbering);
}

}  // namespace linnet
