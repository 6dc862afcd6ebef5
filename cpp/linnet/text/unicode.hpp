// Classes and lower case of characters, one at a time and eight bytes at a time.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "linnet/base/simd.hpp"
#include "linnet/text/unicode_tables.hpp"
#include "linnet/text/utf8.hpp"

namespace linnet::unicode {

constexpr CharKind look_up(char32_t point) {
  if (point >= kEnd) return kKinds[0];
  return kKinds[kPoints[kPages[point / kPage] * kPage + point % kPage]];
}
// ASCII once more, for it is most of most texts.
inline constexpr auto kAscii = [] {
  std::array<CharKind, 128> kinds{};
  for (char32_t point = 0; point < 128; ++point) kinds[point] = look_up(point);
  return kinds;
}();
LINNET_INLINE CharKind kind_of(char32_t point) {
  return point < 128 ? kAscii[point] : look_up(point);
}
inline char32_t lower(char32_t point) {
  return point + static_cast<char32_t>(kind_of(point).to_lower);
}

inline constexpr std::uint64_t kHighBits = 0x8080808080808080;

LINNET_INLINE bool is_ascii(std::uint64_t bytes) { return (bytes & kHighBits) == 0; }

// Lower case of eight ASCII characters: bit 5 is set where the byte lies in 'A'..'Z'.
LINNET_INLINE std::uint64_t lower_ascii(std::uint64_t bytes) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  const std::uint64_t from_a = bytes + (0x80 - 'A') * kOnes;
  const std::uint64_t past_z = bytes + (0x7f - 'Z') * kOnes;
  return bytes | (from_a & ~past_z & kHighBits) >> 2;
}

// Well-formed UTF-8, in lower case if asked for. Character by character: capital sigma becomes σ
// even at the end of a word, and İ becomes i.
inline void append_normalised(std::string& out, std::string_view text, bool lowercase) {
  utf8::each_point(text, [&](char32_t point, std::uint32_t, std::uint32_t) {
    utf8::append(out, lowercase ? lower(point) : point);
  });
}

}  // namespace linnet::unicode
