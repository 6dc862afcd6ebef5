// Where the tokens of a text are. Bytes are sorted into bitmaps, 64 at a time, and tokens begin and
// end where bits change: no branch depends on the length of a word.
//
// Unicode rule: a token is a maximal run of letters and numbers (Python's \w), a single punctuation
// mark or symbol, or a single Han ideograph. A combining mark or joiner belongs to the token it
// follows; after a space or at the beginning it begins a word.
// Whitespace rule: a token is a maximal run of anything but whitespace.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "linnet/text/unicode.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace linnet {

enum class TokenRule { unicode, whitespace };

// One bit per byte, for 64 bytes. Bytes in no class are punctuation and symbols.
struct ByteClasses {
  std::uint64_t word = 0, space = 0, high = 0;  // high: part of a non-ASCII character
};

#if defined(__SSE2__)
inline ByteClasses classify(const char* p) {
  const auto within = [](__m128i bytes, char first, char count) {  // first <= byte < first + count
    const __m128i shifted = _mm_sub_epi8(bytes, _mm_set1_epi8(first));
    return _mm_cmpeq_epi8(_mm_min_epu8(shifted, _mm_set1_epi8(static_cast<char>(count - 1))),
                          shifted);
  };
  const auto bits = [](__m128i mask) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(mask)));
  };
  ByteClasses classes;
  for (int part = 0; part < 64; part += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + part));
    const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
    const __m128i word = _mm_or_si128(_mm_or_si128(within(folded, 'a', 26), within(bytes, '0', 10)),
                                      _mm_cmpeq_epi8(bytes, _mm_set1_epi8('_')));
    // Tab to carriage return; the four separators and the space.
    const __m128i space = _mm_or_si128(within(bytes, '\t', 5), within(bytes, 0x1c, 5));
    classes.word |= bits(word) << part;
    classes.space |= bits(space) << part;
    classes.high |= bits(bytes) << part;
  }
  return classes;
}
#else
inline ByteClasses classify(const char* p) {
  ByteClasses classes;
  for (int i = 0; i < 64; ++i) {
    const auto byte = static_cast<unsigned char>(p[i]);
    const auto kind = unicode::kind_of(byte).kind;
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (byte >= 0x80)
      classes.high |= bit;
    else if (kind == unicode::CharClass::letter || kind == unicode::CharClass::number)
      classes.word |= bit;
    else if (kind == unicode::CharClass::space)
      classes.space |= bit;
  }
  return classes;
}
#endif

class Bitmap {
 public:
  // Room for `words` words and one to run over into; what they hold is to be assigned.
  void resize(std::size_t words) {
    if (words_.size() <= words) words_.resize(2 * words + 1);
    words_[words] = 0;
  }
  std::uint64_t& operator[](std::size_t word) { return words_[word]; }
  bool test(std::uint32_t at) const { return words_[at / 64] >> at % 64 & 1; }
  void clear(std::uint32_t at) { words_[at / 64] &= ~(std::uint64_t{1} << at % 64); }
  void set(std::uint32_t at, std::uint32_t count = 1) {  // count < 64
    const std::uint64_t ones = (std::uint64_t{1} << count) - 1;
    words_[at / 64] |= ones << at % 64;
    if (at % 64 + count > 64) words_[at / 64 + 1] |= ones >> (64 - at % 64);
  }

 private:
  std::vector<std::uint64_t> words_;
};

class TokenFinder {
 public:
  // Fills `begins` and `ends`; the text is shorter than 4 GB. Without punctuation, punctuation
  // marks and symbols only separate tokens.
  void find(std::string_view text, TokenRule rule, bool punctuation) {
    const std::size_t blocks = text.size() / 64 + 1;  // so that a space follows the last token
    for (Bitmap* map : {&word_, &rest_, &breaks_, &high_}) map->resize(blocks);
    std::uint64_t any_high = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
      const ByteClasses classes = classes_at(text, b * 64);
      const std::uint64_t rest = ~(classes.word | classes.space | classes.high);
      const bool unicode = rule == TokenRule::unicode;
      word_[b] = unicode ? classes.word : classes.word | rest;
      rest_[b] = breaks_[b] = unicode ? rest : 0;
      high_[b] = classes.high;
      any_high |= classes.high;
    }
    if (any_high != 0) sort_high(text, rule);
    read_off(blocks, punctuation ? ~std::uint64_t{0} : 0);
  }
  std::size_t size() const { return size_; }
  std::uint32_t begin(std::size_t i) const { return begins_[i]; }
  std::uint32_t end(std::size_t i) const { return ends_[i]; }

 private:
  static ByteClasses classes_at(std::string_view text, std::size_t at) {
    if (at + 64 <= text.size()) return classify(text.data() + at);
    char last[64];
    std::memset(last, ' ', sizeof last);
    if (at < text.size()) std::memcpy(last, text.data() + at, text.size() - at);
    return classify(last);
  }

  // Puts the bytes of non-ASCII characters into the maps, from left to right.
  void sort_high(std::string_view text, TokenRule rule) {
    const char* const end = text.data() + text.size();
    std::uint32_t at = 0;
    for (std::size_t b = 0; b * 64 < text.size(); ++b)
      for (;;) {
        const auto block = static_cast<std::uint32_t>(b * 64);
        if (at >= block + 64) break;
        const std::uint64_t ahead =
            at > block ? high_[b] >> (at - block) << (at - block) : high_[b];
        if (ahead == 0) break;
        at = block + static_cast<std::uint32_t>(std::countr_zero(ahead));
        const utf8::Decoded next = utf8::decode(text.data() + at, end);
        auto kind = unicode::kind_of(next.point).kind;
        if (rule == TokenRule::whitespace && kind != unicode::CharClass::space)
          kind = unicode::CharClass::letter;
        put(kind, at, next.length);
        at += next.length;
      }
  }
  void put(unicode::CharClass kind, std::uint32_t at, std::uint32_t length) {
    using enum unicode::CharClass;
    switch (kind) {
      case space:
        break;
      case letter:
      case number:
        word_.set(at, length);
        break;
      case ideograph:
        word_.set(at, length);
        breaks_.set(at);
        breaks_.set(at + length);
        break;
      case mark:
        if (at > 0 && rest_.test(at - 1)) {
          rest_.set(at, length);
        } else {
          word_.set(at, length);
          if (breaks_.test(at)) {  // after an ideograph: what ends there ends here instead
            breaks_.clear(at);
            breaks_.set(at + length);
          }
        }
        break;
      case other:
        rest_.set(at, length);
        breaks_.set(at);
        break;
    }
  }

  void read_off(std::size_t blocks, std::uint64_t punctuation) {
    std::size_t begins = 0, ends = 0;
    std::uint64_t word_before = 0, inside_before = 0;  // the last bit of the block before
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::uint64_t word = word_[b], inside = word | (rest_[b] & punctuation);
      const std::uint64_t starts = (word & ~(word << 1 | word_before)) | (breaks_[b] & inside);
      const std::uint64_t stops = (inside << 1 | inside_before) & (~inside | starts);
      word_before = word >> 63;
      inside_before = inside >> 63;
      if (begins_.size() < begins + 64) {
        begins_.resize(2 * begins + 64);
        ends_.resize(2 * begins + 64);
      }
      const auto block = static_cast<std::uint32_t>(b * 64);
      begins = read_bits(starts, block, begins_.data(), begins);
      ends = read_bits(stops, block, ends_.data(), ends);
    }
    size_ = ends;
  }
  static std::size_t read_bits(std::uint64_t bits, std::uint32_t block, std::uint32_t* out,
                               std::size_t at) {
    for (; bits != 0; bits &= bits - 1)
      out[at++] = block + static_cast<std::uint32_t>(std::countr_zero(bits));
    return at;
  }

  // Bytes of words and ideographs; of punctuation and symbols; where a token begins in any case.
  Bitmap word_, rest_, breaks_, high_;
  std::vector<std::uint32_t> begins_, ends_;
  std::size_t size_ = 0;
};

}  // namespace linnet
