// n-grams of the tokens and of the characters of a text: a hash, and the bytes each of them covers.
#pragma once
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "linnet/text/flat_text.hpp"
#include "linnet/text/hash.hpp"

namespace linnet {

struct Gram {
  std::uint64_t hash;
  std::uint32_t begin, end;  // the bytes of the text it covers
  std::uint16_t block;       // which of the analyzer's blocks it is of
  std::uint8_t pad;          // of chars_wb: a space before (bit 0), a space after (bit 1)
};

struct Block {
  enum class Kind { word, lead, skip, chars, chars_wb, shape };
  Kind kind;
  int shortest, longest;  // lengths of n-grams; of skip: the smallest and the largest gap
  int first = 0;          // look at so many tokens (of chars: characters) only; 0: at all
};

struct TokenSpan {
  std::uint32_t begin, end;
};

// Kinds of features hash differently though they cover the same letters.
inline constexpr std::uint64_t kCharsSalt = 0x9216d5d98979fb1b, kCharsWbSalt = 0xd1310ba698dfb5ac,
                               kShapeSalt = 0x2ffd72dbd01adfb7, kSkipSalt = 0xb8e1afed6a267e96,
                               kLeadSalt = 0xba7c9045f12c7f99;

// Writes what is found over what `out` held, making room for many at a time.
template <class Item>
class GramSink {
 public:
  explicit GramSink(std::vector<Item>& out) : out_(out) {}
  void make_room(std::size_t count) {
    if (out_.size() < size_ + count) out_.resize(size_ + count);
  }
  void add(std::uint64_t hash, std::uint32_t begin, std::uint32_t end, std::size_t block,
           unsigned pad = 0) {
    if constexpr (std::is_same_v<Item, Gram>)
      out_[size_++] = {hash, begin, end, static_cast<std::uint16_t>(block),
                       static_cast<std::uint8_t>(pad)};
    else
      out_[size_++] = hash;
  }
  std::size_t size() const { return size_; }
  void finish() { out_.resize(size_); }

 private:
  std::vector<Item>& out_;
  std::size_t size_ = 0;
};

// n-grams of items, one per token: the hash of n items is that of the first n - 1 combined with
// that of the last. A salt makes them features of their own. `grams` is room to work in.
template <class Item>
void sequences(const Block& block, std::size_t b, const std::vector<TokenSpan>& tokens,
               const std::vector<std::uint64_t>& items, std::uint64_t salt,
               std::vector<std::uint64_t>& grams, GramSink<Item>& sink) {
  std::size_t size = items.size();
  if (block.first > 0) size = std::min(size, static_cast<std::size_t>(block.first));
  grams.assign(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(size));
  if (salt != 0)
    for (std::uint64_t& h : grams) h = combine(salt, h);
  for (std::size_t n = 1; n <= static_cast<std::size_t>(block.longest) && n <= size; ++n) {
    const std::size_t count = size - n + 1;
    if (n > 1)
      for (std::size_t i = 0; i < count; ++i) grams[i] = combine(grams[i], items[i + n - 1]);
    if (n < static_cast<std::size_t>(block.shortest)) continue;
    sink.make_room(count);
    for (std::size_t i = 0; i < count; ++i)
      sink.add(grams[i], tokens[i].begin, tokens[i + n - 1].end, b);
  }
}
// Pairs of tokens with `gap` tokens left out between them.
template <class Item>
void skip_pairs(const Block& block, std::size_t b, const std::vector<TokenSpan>& tokens,
                const std::vector<std::uint64_t>& hashes, GramSink<Item>& sink) {
  for (std::size_t gap = block.shortest; gap <= static_cast<std::size_t>(block.longest); ++gap) {
    if (gap + 1 >= tokens.size()) break;
    const std::size_t count = tokens.size() - gap - 1;
    sink.make_room(count);
    for (std::size_t i = 0, j = gap + 1; i < count; ++i, ++j)
      sink.add(finalise(combine(hashes[i], hashes[j]) ^ kSkipSalt), tokens[i].begin, tokens[j].end,
               b);
  }
}
template <class Item>
void char_grams(const Block& block, std::size_t b, const FlatText& flat, GramSink<Item>& sink) {
  for (std::size_t n = block.shortest; n <= static_cast<std::size_t>(block.longest); ++n) {
    if (n > flat.size()) break;
    sink.make_room(flat.size() - n + 1);
    for (std::size_t i = 1; i + n <= flat.size() + 1; ++i)
      sink.add(flat.hash(i, i + n, kCharsSalt), flat.origin(i), flat.origin(i + n), b);
  }
}
// Within words and the space on each side of them. A word too short for any n-gram, with its
// spaces, is taken whole, once; a space alone is no n-gram.
template <class Item>
void char_grams_in_words(const Block& block, std::size_t b, const FlatText& flat,
                         GramSink<Item>& sink) {
  for (std::size_t first = 1; first <= flat.size(); ++first) {
    if (flat.is_space(first)) continue;
    std::size_t last = first;  // of the word's characters
    while (!flat.is_space(last + 1)) ++last;
    const std::size_t padded = last - first + 3;
    for (std::size_t n = block.shortest; n <= static_cast<std::size_t>(block.longest); ++n) {
      const std::size_t length = n < padded ? n : padded;
      sink.make_room(padded - length + 1);
      for (std::size_t i = first - 1; i + length <= last + 2; ++i) {
        const std::size_t j = i + length;
        const bool before = i < first, after = j == last + 2;
        if (length == 1 && (before || after)) continue;
        sink.add(flat.hash(i, j, kCharsWbSalt), flat.origin(before ? first : i),
                 flat.origin(after ? last + 1 : j), b, (before ? 1u : 0u) | (after ? 2u : 0u));
      }
      if (length == padded) break;
    }
    first = last;
  }
}

}  // namespace linnet
