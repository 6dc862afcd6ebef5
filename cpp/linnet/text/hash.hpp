// 64-bit hashes of tokens and n-grams. Every step is one multiplication folded to 64 bits (the high
// half of the product xor the low half), after which all bits are usable: the high ones choose a
// slot, the low ones a fingerprint.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "linnet/base/simd.hpp"

namespace linnet {

// Digits of pi, so that nobody need wonder where they come from.
inline constexpr std::uint64_t kHashSalts[] = {
    0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89,
    0x452821e638d01377, 0xbe5466cf34e90c6c, 0xc0ac29b7c97c50dd, 0x3f84d5b5b5470917};

// Both halves of a product.
struct Product {
  std::uint64_t low, high;
};
LINNET_INLINE Product multiply(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__)
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return {static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64)};
#else
  const std::uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
  const std::uint64_t low = a0 * b0, left = a1 * b0 + (low >> 32), right = a0 * b1;
  const std::uint64_t middle = (left & 0xffffffff) + right;
  const std::uint64_t high = a1 * b1 + (left >> 32) + (middle >> 32);
  return {middle << 32 | (low & 0xffffffff), high};
#endif
}

LINNET_INLINE std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  const Product product = multiply(a, b);
  return product.high ^ product.low;
}

// A hash scaled to [0, size): for a power of two its leading bits.
LINNET_INLINE std::uint64_t scaled(std::uint64_t hash, std::uint64_t size) {
  return multiply(hash, size).high;
}

// The hash of a sequence whose first part hashed to h, continued by one that hashed to `next`.
// Not symmetric: "new york" and "york new" differ.
LINNET_INLINE std::uint64_t combine(std::uint64_t h, std::uint64_t next) {
  return fold(h ^ kHashSalts[2], next ^ kHashSalts[3]);
}

// A further mixing, for a second hash that has little to do with the first.
LINNET_INLINE std::uint64_t finalise(std::uint64_t h) {
  return fold(h ^ kHashSalts[4], kHashSalts[5]);
}

// A number whose first `count` bytes, or all 8 if there are more, are ones; count > 0.
LINNET_INLINE std::uint64_t first_bytes(std::size_t count) {
  return ~std::uint64_t{0} >> (count < 8 ? 64 - 8 * count : 0);
}

// The 8 bytes at p as a little-endian number; the first `count` of them, if so many are there.
LINNET_INLINE std::uint64_t load_bytes(const char* p) {
  std::uint64_t word;
  std::memcpy(&word, p, 8);
  if constexpr (std::endian::native == std::endian::big) {
    std::uint64_t turned = 0;
    for (int i = 0; i < 8; ++i) turned = turned << 8 | (word >> (8 * i) & 0xff);
    word = turned;
  }
  return word;
}
LINNET_INLINE std::uint64_t load_bytes(const char* p, std::size_t count) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < count && i < 8; ++i)
    word |= static_cast<std::uint64_t>(static_cast<unsigned char>(p[i])) << (8 * i);
  return word;
}

// The hash of at most 8 bytes, given as one word.
LINNET_INLINE std::uint64_t hash_word(std::uint64_t word, std::size_t length, std::uint64_t salt) {
  return fold(word ^ kHashSalts[0], length ^ salt ^ kHashSalts[1]);
}

// The hash of a byte string: of 8-byte words, the last one filled up with zeros. `read(at)` gives
// the word at a position in 0, 8, 16, ... below `length`, zeros included, so that callers may fold
// the case of letters and read past the end where they know that they may.
template <class Read>
LINNET_INLINE std::uint64_t hash_words(std::size_t length, std::uint64_t salt, Read&& read) {
  std::uint64_t h = salt ^ length;
  std::size_t at = 0;
  for (; at + 8 < length; at += 8) h = fold(read(at) ^ kHashSalts[0], h ^ kHashSalts[1]);
  const std::uint64_t last = at < length ? read(at) : 0;
  return fold(last ^ kHashSalts[0], h ^ kHashSalts[1]);
}

inline std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t salt = 0) {
  return hash_words(bytes.size(), salt, [&](std::size_t at) {
    const std::size_t left = bytes.size() - at;
    return left >= 8 ? load_bytes(bytes.data() + at) : load_bytes(bytes.data() + at, left);
  });
}

}  // namespace linnet
