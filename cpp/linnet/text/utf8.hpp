// UTF-8, read so that any bytes have a meaning: every maximal ill-formed subsequence reads as one
// U+FFFD (The Unicode Standard, section 3.9, "U+FFFD substitution of maximal subparts").
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace linnet::utf8 {

inline constexpr char32_t kReplacement = 0xfffd;

struct Decoded {
  char32_t point;
  std::uint32_t length;  // in bytes
};

// Requires p < end.
inline Decoded decode(const char* p, const char* end) {
  const auto byte = [](char c) { return static_cast<unsigned char>(c); };
  const unsigned lead = byte(*p);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xc2 || lead > 0xf4) return {kReplacement, 1};
  const std::uint32_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  // What may follow the lead byte; no overlong forms, no surrogates, nothing above U+10FFFF.
  unsigned lowest = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  unsigned highest = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  char32_t point = lead & (0x7fu >> length);
  for (std::uint32_t i = 1; i < length; ++i) {
    if (p + i == end || byte(p[i]) < lowest || byte(p[i]) > highest) return {kReplacement, i};
    point = point << 6 | (byte(p[i]) & 0x3fu);
    lowest = 0x80;
    highest = 0xbf;
  }
  return {point, length};
}

// Writes a code point at `out`, at most four bytes, and gives the end of what was written.
// Surrogates, which have no place in UTF-8, are written as U+FFFD.
inline char* encode(char32_t point, char* out) {
  const auto tail = [&](int shift) { *out++ = static_cast<char>(0x80 | (point >> shift & 0x3f)); };
  if (point >= 0xd800 && point < 0xe000) point = kReplacement;
  if (point < 0x80) {
    *out++ = static_cast<char>(point);
  } else if (point < 0x800) {
    *out++ = static_cast<char>(0xc0 | point >> 6);
    tail(0);
  } else if (point < 0x10000) {
    *out++ = static_cast<char>(0xe0 | point >> 12);
    tail(6);
    tail(0);
  } else {
    *out++ = static_cast<char>(0xf0 | point >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
  return out;
}
inline void append(std::string& out, char32_t point) {
  char bytes[4];
  out.append(bytes, encode(point, bytes));
}

// Calls visit(code point, begin, end) for each code point, begin and end in bytes.
template <class Visit>
void each_point(std::string_view text, Visit&& visit) {
  const char* const end = text.data() + text.size();
  std::uint32_t at = 0;
  for (const char* p = text.data(); p < end;) {
    const Decoded next = decode(p, end);
    visit(next.point, at, at + next.length);
    at += next.length;
    p += next.length;
  }
}

}  // namespace linnet::utf8
