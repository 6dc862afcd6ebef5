// Searches in tables of open addressing that chosen hashes cannot make long. How hashes are made is
// no secret, so that somebody may choose words which share a home, and each would be sought past
// all others. So a search goes on at another place after `Near` slots in vain, where a further
// mixing of the hash sends it, and so forth. Hashes that nobody chose have no runs of that length:
// their tables are those of linear probing, bit by bit.
#pragma once
#include <cstdint>

#include "linnet/base/simd.hpp"

namespace linnet {

// Stafford's mixing, as in SplitMix64; out of the way of those who never need it.
[[gnu::noinline, gnu::cold]] inline std::uint64_t elsewhere(std::uint64_t hash) {
  hash = (hash ^ hash >> 32) * 0xbf58476d1ce4e5b9u;
  hash = (hash ^ hash >> 29) * 0x94d049bb133111ebu;
  return hash ^ hash >> 32;
}

template <std::uint32_t Near>
class Detour {
 public:
  explicit Detour(std::uint64_t hash) : hash_(hash) {}

  // To be called after slots in vain: is the search to go on at the home of `hash()`?
  LINNET_INLINE bool operator()(std::uint32_t slots = 1) {
    if ((seen_ += slots) < Near) [[likely]]
      return false;
    seen_ = 0;
    hash_ = elsewhere(hash_);
    return true;
  }
  std::uint64_t hash() const { return hash_; }

 private:
  std::uint64_t hash_;
  std::uint32_t seen_ = 0;
};

// Counts nothing; in place of a function that is told of every slot looked at.
struct Unseen {
  void operator()() const {}
};

}  // namespace linnet
