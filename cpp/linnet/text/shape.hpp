// The shape of a token: capital letters X, other letters x, numbers d, anything else as it is, and
// each run of the same is written once. "McDonald" is XxXx, "USA" X, "1,000" (as one token) d,d.
#pragma once
#include <string>
#include <string_view>

#include "linnet/text/unicode.hpp"

namespace linnet {

inline void append_shape(std::string& out, std::string_view token) {
  using enum unicode::CharClass;
  char32_t before = 0;
  bool first = true;
  utf8::each_point(token, [&](char32_t point, std::uint32_t, std::uint32_t) {
    const unicode::CharKind kind = unicode::kind_of(point);
    if (kind.kind == mark) return;
    if (kind.kind == number) point = U'd';
    if (kind.kind == ideograph || (kind.kind == letter && point != U'_'))
      point = kind.to_lower != 0 ? U'X' : U'x';
    if (first || point != before) utf8::append(out, point);
    before = point;
    first = false;
  });
}

}  // namespace linnet
