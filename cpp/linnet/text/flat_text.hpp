// A text as character n-grams see it: one space for each run of whitespace, lower case if asked
// for, a space before the beginning and after the end; and where each character comes from.
#pragma once
#include <string_view>
#include <vector>

#include "linnet/text/hash.hpp"
#include "linnet/text/unicode.hpp"

namespace linnet {

class FlatText {
 public:
  void assign(std::string_view text, bool lowercase) {
    make_room(text.size());
    const auto end = static_cast<std::uint32_t>(text.size());
    char* bytes = bytes_.data();
    std::size_t count = 0;
    const auto add = [&](char32_t point, std::uint32_t origin) {
      starts_[count] = static_cast<std::uint32_t>(bytes - bytes_.data());
      origins_[count++] = origin;
      bytes = utf8::encode(point, bytes);
    };
    add(' ', 0);
    bool in_space = false;
    utf8::each_point(text, [&](char32_t point, std::uint32_t begin, std::uint32_t) {
      const unicode::CharKind kind = unicode::kind_of(point);
      const bool space = kind.kind == unicode::CharClass::space;
      if (!(space && in_space))
        add(space ? U' ' : lowercase ? point + static_cast<char32_t>(kind.to_lower) : point, begin);
      in_space = space;
    });
    add(' ', end);
    size_ = count - 2;
    add(' ', end);  // so that the space after the end is followed by the start of another
  }

  // Characters 1 to size() are the text's; 0 and size() + 1 are the spaces around it.
  std::size_t size() const { return size_; }
  bool is_space(std::size_t i) const { return bytes_[starts_[i]] == ' '; }
  std::uint32_t origin(std::size_t i) const { return origins_[i]; }  // its first byte in the text

  // The hash of characters i to j - 1.
  std::uint64_t hash(std::size_t i, std::size_t j, std::uint64_t salt) const {
    const char* const p = bytes_.data() + starts_[i];
    const std::size_t length = starts_[j] - starts_[i];
    if (length <= 8) [[likely]]
      return hash_word(load_bytes(p) & first_bytes(length), length, salt);
    return hash_words(length, salt, [p, length](std::size_t at) {
      return load_bytes(p + at) & first_bytes(length - at);
    });
  }
  std::string_view bytes() const {  // of the text's own characters
    return {bytes_.data() + 1, starts_[size_ + 1] - std::size_t{1}};
  }

 private:
  // A byte grows to at most three, those of U+FFFD; hashing reads up to 8 bytes more.
  void make_room(std::size_t size) {
    if (starts_.size() >= size + 3) return;
    bytes_.resize(3 * size + 16);
    starts_.resize(size + 3);
    origins_.resize(size + 3);
  }

  std::vector<char> bytes_;
  std::vector<std::uint32_t> starts_, origins_;  // of each character: in bytes_, and in the text
  std::size_t size_ = 0;
};

}  // namespace linnet
