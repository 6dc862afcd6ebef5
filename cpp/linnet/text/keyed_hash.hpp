// Hashes for tables of the standard library, whose buckets nobody can foresee: the keys are drawn
// anew in each process. What is counted and numbered must not depend on them.
#pragma once
#include <cstdint>
#include <random>
#include <string_view>

#include "linnet/text/hash.hpp"

namespace linnet {

struct KeyedHash {
  std::size_t operator()(std::uint64_t number) const {
    const std::uint64_t* const key = keys();
    return static_cast<std::size_t>(fold(number ^ key[0], key[1]));
  }
  std::size_t operator()(std::string_view text) const {
    const std::uint64_t* const key = keys();
    std::uint64_t h = key[1] ^ text.size();
    for (std::size_t at = 0; at < text.size(); at += 8) {
      const std::size_t left = text.size() - at;
      const std::uint64_t word =
          left >= 8 ? load_bytes(text.data() + at) : load_bytes(text.data() + at, left);
      h = fold(word ^ key[0], h ^ key[2]);
    }
    return static_cast<std::size_t>(h);
  }

 private:
  struct Keys {
    std::uint64_t of[3];
    Keys() {
      std::random_device source;
      for (std::uint64_t& key : of) key = std::uint64_t{source()} << 32 | source();
      of[1] |= 1;
    }
  };
  static const std::uint64_t* keys() {
    static const Keys drawn;
    return drawn.of;
  }
};

}  // namespace linnet
