// Sentences of running text, by rules over its tokens (word_tokens.hpp). A sentence ends
//
//   at an empty line;
//   after 。！？ and the like, with the closing quotes and brackets that follow;
//   after a period, ! or ?, an ellipsis, and closing quotes and brackets that touch it, if a blank
//     follows and then no lower-case letter; but not after a number or single letter that begins
//     the sentence (1. First), and never after a title or an initial (Dr. J. Smith);
//   after an abbreviation that may stand last (Inc., U.S., etc.) if a word with a capital follows
//     that often begins sentences (The, He, But).
#pragma once
#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "linnet/sentences/word_tokens.hpp"

namespace linnet {

struct Sentences {
  std::vector<TextSpan> tokens;
  std::vector<std::size_t> offsets{0};  // sentence i is the tokens [offsets[i], offsets[i + 1])
};

class SentenceFinder {
 public:
  SentenceFinder(std::string_view text, bool is_english) : text_(text), english_(is_english) {}

  Sentences find() {
    found_.tokens = WordFinder(text_, english_).find();
    const std::size_t size = found_.tokens.size();
    for (std::size_t k = 0; k < size; ++k) {
      const std::optional<std::size_t> last = sentence_end(k);
      if (!last) continue;
      k = *last;
      found_.offsets.push_back(k + 1);
    }
    return std::move(found_);
  }

 private:
  enum class Stop { none, word, period, mark, full };  // full: needs no blank after it

  std::string_view token(std::size_t k) const {
    const TextSpan& span = found_.tokens[k];
    return text_.substr(span.begin, span.end - span.begin);
  }
  std::string_view gap(std::size_t k) const {  // between token k and the next
    const std::size_t end = found_.tokens[k].end;
    return text_.substr(end, found_.tokens[k + 1].begin - end);
  }
  static char32_t first(std::string_view word) {
    return utf8::decode(word.data(), word.data() + word.size()).point;
  }
  static bool is_lower(char32_t point) {  // of Latin, Greek, Cyrillic and Armenian letters
    const unicode::CharKind kind = unicode::kind_of(point);
    return kind.kind == unicode::CharClass::letter && kind.to_lower == 0 && point < 0x590;
  }
  static bool is_capital(char32_t point) { return unicode::kind_of(point).to_lower != 0; }

  static bool closes(std::string_view word) {
    constexpr std::u32string_view kClosing = U")]}\"'\u201d\u2019\u00bb\u203a\u300d\u300f\uff09";
    return word == "''" || kClosing.find(first(word)) != kClosing.npos;
  }
  static bool opens(std::string_view word) {
    constexpr std::u32string_view kOpening = U"([{\"'`\u201c\u2018\u00ab\u2039\u300c\u300e\uff08";
    return kOpening.find(first(word)) != kOpening.npos && word.size() <= 4;
  }

  Stop stop_of(std::string_view word) const {
    constexpr std::u32string_view kMarks = U"!?\u2026\u203d\u061f\u06d4\u0964\u0965";
    constexpr std::u32string_view kFull = U"\u3002\uff01\uff1f\uff61";
    const char32_t point = first(word);
    if (word == ".") return Stop::period;
    if (kFull.find(point) != kFull.npos) return Stop::full;
    if (kMarks.find(point) != kMarks.npos || word.starts_with("..")) return Stop::mark;
    return word.back() == '.' ? Stop::word : Stop::none;
  }

  // The last token of the sentence that token k ends, which may be a quote or bracket after it.
  std::optional<std::size_t> sentence_end(std::size_t k) const {
    const std::size_t size = found_.tokens.size();
    if (k + 1 == size || has_empty_line(k)) return k;
    const Stop stop = stop_of(token(k));
    if (stop == Stop::none || (stop == Stop::period && numbers(k))) return {};
    std::size_t last = k;
    while (last + 1 < size && gap(last).empty() && closes(token(last + 1))) ++last;
    if (last + 1 == size || has_empty_line(last) || stop == Stop::full) return last;
    if (gap(last).empty()) return {};
    std::size_t next = last + 1;
    while (next + 1 < size && opens(token(next))) ++next;
    const bool goes_on = stop == Stop::word ? !ends_with(k, next) : is_lower(first(token(next)));
    return goes_on ? std::nullopt : std::optional(last);
  }

  bool has_empty_line(std::size_t k) const {
    const std::string_view blank = gap(k);
    return std::count(blank.begin(), blank.end(), '\n') > 1;
  }
  // "1." and "a." at the beginning of a sentence.
  bool numbers(std::size_t k) const {
    if (k == 0 || found_.offsets.back() != k - 1) return false;
    const std::string_view word = token(k - 1);
    return unicode::kind_of(first(word)).kind == unicode::CharClass::number || word.size() == 1;
  }
  bool ends_with(std::size_t k, std::size_t next) const {
    const std::string_view word = token(k).substr(0, token(k).size() - 1);
    const bool initial = word.size() == utf8::decode(word.data(), word.data() + word.size()).length;
    if (!english_ || initial || english::abbreviation(word) == english::Abbreviation::leading ||
        english::abbreviation(word) == english::Abbreviation::numbering)
      return false;
    return is_capital(first(token(next))) && english::starts_sentences(token(next));
  }

  std::string_view text_;
  bool english_;
  Sentences found_;
};

}  // namespace linnet
