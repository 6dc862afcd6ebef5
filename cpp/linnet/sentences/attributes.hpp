// What templates look at: values of a single token, such as its lower case or its last three
// characters. A token may lack a value, and then no feature comes of it.
#pragma once
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linnet/sentences/lexicon.hpp"
#include "linnet/sentences/token_columns.hpp"
#include "linnet/text/shape.hpp"

namespace linnet {

enum class AttributeKind : std::uint8_t {
  token,    // as it stands in its column
  found,    // the same, of a column that has no value for some tokens
  lower,    // in lower case
  prefix,   // its first `length` characters, if it has so many
  suffix,   // its last `length` characters, if it has so many
  shape,    // see shape.hpp
  kind,     // "" if it is of token kind `length`
  given,    // "" if the caller says so for its distinct value: flags of table `length`
  lexicon,  // its value there, the first `length` characters of it (0: all)
  bias,     // "" everywhere
  first,    // "" at the first token of a sentence
  last,     // "" at the last token of a sentence
};

struct Attribute {
  AttributeKind kind = AttributeKind::token;
  Id column = 0;
  Id length = 0;
  const Lexicon* lexicon = nullptr;

  // Every token has one, so that the place before the first token gets a mark in its stead.
  bool marked() const {
    return kind == AttributeKind::token || kind == AttributeKind::lower ||
           kind == AttributeKind::shape;
  }
  bool of_position() const {
    return kind == AttributeKind::bias || kind == AttributeKind::first ||
           kind == AttributeKind::last;
  }
};

// Kinds of tokens, in the order of `AttributeKind::kind`.
inline constexpr std::array<std::string_view, 10> kTokenKinds = {
    "initial-cap", "all-caps", "inner-cap", "has-digit",  "all-digits",
    "hyphen",      "period",   "number",    "apostrophe", "punctuation"};

// Bit k: the token is of kind k.
inline unsigned token_kinds(std::string_view token) {
  using enum unicode::CharClass;
  unsigned points = 0, capitals = 0, smalls = 0, digits = 0, others = 0, numeric = 0, inner = 0;
  unsigned hyphens = 0, periods = 0, apostrophes = 0;
  bool initial = false;
  utf8::each_point(token, [&](char32_t point, std::uint32_t, std::uint32_t) {
    const unicode::CharKind kind = unicode::kind_of(point);
    const bool alphabetic = (kind.kind == letter && point != U'_') || kind.kind == ideograph;
    const bool capital = alphabetic && kind.to_lower != 0;
    initial |= points == 0 && capital;
    inner += points > 0 && capital;
    ++points;
    capitals += capital;
    smalls += alphabetic && !capital;
    digits += kind.kind == number;
    others += kind.kind == other || point == U'_';
    numeric += point == U'.' || point == U',' || point == U':' || point == U'/' || point == U'-' ||
               point == U'+';
    hyphens += point == U'-' || point == U'\u2010' || point == U'\u2011';
    periods += point == U'.';
    apostrophes += point == U'\'' || point == U'\u2019';
  });
  const bool kinds[] = {initial,
                        capitals > 1 && smalls == 0,
                        inner > 0 && smalls > 0,
                        digits > 0,
                        points > 0 && digits == points,
                        hyphens > 0,
                        periods > 0,
                        digits > 0 && digits + numeric == points,
                        apostrophes > 0,
                        points > 0 && others == points};
  unsigned bits = 0;
  for (std::size_t k = 0; k < std::size(kinds); ++k) bits |= unsigned{kinds[k]} << k;
  return bits;
}

// A distinct token and what several of its attributes need; each is made when first asked for.
class TokenView {
 public:
  explicit TokenView(std::string_view token = {}) { assign(token); }
  void assign(std::string_view token) {
    token_ = token;
    begins_.clear();
    utf8::each_point(
        token, [&](char32_t, std::uint32_t begin, std::uint32_t) { begins_.push_back(begin); });
    begins_.push_back(static_cast<std::uint32_t>(token.size()));
    lower_.clear();
    shape_.clear();
    kinds_ = kUnknown;
  }

  std::string_view token() const { return token_; }
  Id characters() const { return static_cast<Id>(begins_.size()) - 1; }
  std::string_view first(Id count) const { return token_.substr(0, begins_[count]); }
  std::string_view last(Id count) const { return token_.substr(begins_[characters() - count]); }
  std::string_view lower() {
    if (lower_.empty()) unicode::append_normalised(lower_, token_, true);
    return lower_;
  }
  std::string_view shape() {
    if (shape_.empty()) append_shape(shape_, token_);
    return shape_;
  }
  unsigned kinds() {
    if (kinds_ == kUnknown) kinds_ = token_kinds(token_);
    return kinds_;
  }

 private:
  static constexpr unsigned kUnknown = ~0u;
  std::string_view token_;
  std::vector<std::uint32_t> begins_;  // of characters, and the end
  std::string lower_, shape_;
  unsigned kinds_ = kUnknown;
};

// Flags of distinct tokens, one table for each attribute of kind `given`.
using GivenFlags = std::vector<std::span<const std::uint8_t>>;
using TokenValue = std::optional<std::string_view>;

// The value of a token, which is at this place among the distinct ones of its column. It lives as
// long as the view and is the same.
inline TokenValue value_of(const Attribute& attribute, TokenView& token, std::size_t place,
                           const GivenFlags& given) {
  const auto if_so = [](bool so) { return so ? TokenValue("") : std::nullopt; };
  const Id length = attribute.length;
  switch (attribute.kind) {
    case AttributeKind::token:
    case AttributeKind::found:
      return token.token();
    case AttributeKind::lower:
      return token.lower();
    case AttributeKind::prefix:
      return length > token.characters() ? std::nullopt : TokenValue(token.first(length));
    case AttributeKind::suffix:
      return length > token.characters() ? std::nullopt : TokenValue(token.last(length));
    case AttributeKind::shape:
      return token.shape();
    case AttributeKind::kind:
      return if_so((token.kinds() >> length & 1) != 0);
    case AttributeKind::given:
      return if_so(given[static_cast<std::size_t>(length)][place] != 0);
    case AttributeKind::lexicon: {
      const TokenValue value = attribute.lexicon->value_of(token.token(), token.lower());
      if (!value || length == 0) return value;
      const TokenView whole(*value);
      return whole.first(std::min(length, whole.characters()));
    }
    case AttributeKind::bias:
    case AttributeKind::first:
    case AttributeKind::last:
      break;
  }
  return std::nullopt;
}

// 0 stands for no value.
inline constexpr std::uint64_t kNoValue = 0;
inline std::uint64_t hash_value(std::string_view value) {
  return std::max(hash_bytes(value), std::uint64_t{1});
}
// What stands before the first token and after the last, so far away from it: _B-1, _B+1.
inline std::string boundary_mark(Id away) {
  return (away < 0 ? "_B" : "_B+") + std::to_string(away);
}

}  // namespace linnet
