// Words of running text, much as the Penn Treebank cuts them, as spans of its bytes: whatever is
// not whitespace lies in exactly one token. The rules, the first that fits wins:
//
//   URLs and e-mail addresses are one token, without punctuation that follows them.
//   Letters, numbers and marks are a word; so are words joined by a hyphen (well-known) or an
//     apostrophe between letters (O'Neill), numbers joined by . , : / (1,000.50, 10:30), capitals
//     by & (AT&T), and what a period joins: single letters (U.S), lower case after it (linnet.org).
//   A period belongs to the word before it after letters joined by periods (U.S.), an initial
//     before a capital (J. Smith) and an abbreviation (Dr.); otherwise it is a token.
//   An ideograph is a token. @name and #name are tokens; so are smileys that stand alone.
//   Runs of periods, of ! and ?, and of the same dash, star or the like are one token, and `` and
//     '' are. Any other mark or symbol is a token, with the combining marks that follow it.
//   English: n't, 's, 'm, 'd, 'll, 're and 've are tokens of their own (do n't); so are the halves
//     of cannot, gonna, gotta, wanna, gimme and lemme. 'em, 'til, 'tis, 'twas, '90s are one token.
//
// Without English, abbreviations and the last rule are left out; the rest serves any language that
// puts blanks between words.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "linnet/sentences/abbreviations.hpp"
#include "linnet/text/unicode.hpp"

namespace linnet {

struct TextSpan {
  std::size_t begin, end;  // in bytes
};

class WordFinder {
 public:
  WordFinder(std::string_view text, bool is_english) : text_(text), english_(is_english) {}

  std::vector<TextSpan> find() {
    for (std::size_t at = 0; at < text_.size();) {
      const Char c = look(at);
      if (c.kind == space) {
        at += c.length;
        continue;
      }
      const std::size_t end = token_end(at, c);
      if (english_)
        split(at, end);
      else
        tokens_.push_back({at, end});
      at = end;
    }
    return std::move(tokens_);
  }

 private:
  using enum unicode::CharClass;
  struct Char {
    char32_t point;
    std::size_t length;
    unicode::CharClass kind;
    bool capital;
    bool word() const { return kind == letter || kind == number || kind == mark; }
    bool alphanumeric() const { return kind == letter || kind == number; }
    bool digit() const { return point >= '0' && point <= '9'; }
  };
  static constexpr std::size_t kLocalPart = 64;  // of an e-mail address (RFC 5321)

  Char look(std::size_t at) const {
    if (at >= text_.size()) return {0, 0, space, false};
    const auto next = utf8::decode(text_.data() + at, text_.data() + text_.size());
    const unicode::CharKind kind = unicode::kind_of(next.point);
    return {next.point, next.length, kind.kind, kind.kind == letter && kind.to_lower != 0};
  }
  char byte(std::size_t at) const { return at < text_.size() ? text_[at] : ' '; }
  static bool is_letter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  bool starts(std::size_t at, std::string_view lower) const {  // in any case of letters
    if (text_.size() - at < lower.size()) return false;
    for (std::size_t i = 0; i < lower.size(); ++i) {
      const char c = text_[at + i];
      if ((is_letter(c) ? static_cast<char>(c | 32) : c) != lower[i]) return false;
    }
    return true;
  }
  std::size_t marks(std::size_t at) const {
    for (Char c = look(at); c.kind == mark; c = look(at)) at += c.length;
    return at;
  }
  std::size_t run(std::size_t at, std::string_view of) const {
    return std::min(text_.find_first_not_of(of, at), text_.size());
  }
  bool after_space(std::size_t at) const {  // of ASCII; enough to tell a sign from a dash
    return at == 0 || text_[at - 1] == ' ' || (text_[at - 1] >= '\t' && text_[at - 1] <= '\r') ||
           text_[at - 1] == '(';
  }

  std::size_t token_end(std::size_t at, const Char& c) const {
    if (std::size_t end = url_end(at); end > at) return end;
    if (std::size_t end = mail_end(at); end > at) return end;
    if (c.kind == ideograph) return marks(at + c.length);
    if (c.word()) return word_end(at);
    const char next = byte(at + 1);
    switch (c.point) {
      case '.':
        if (next == '.') return run(at, ".");
        if (is_digit(next) && after_space(at)) return word_end(at + 1);
        break;
      case '!':
      case '?':
        return run(at, "!?");
      case '\'':
        if (next == '\'') return at + 2;
        [[fallthrough]];
      case 0x2019:
        if (std::size_t end = elided_end(at, at + c.length); end > at) return end;
        break;
      case '`':
        if (next == '`') return at + 2;
        break;
      case '-':
        if (is_digit(next) && after_space(at)) return word_end(at + 1);
        [[fallthrough]];
      case '*':
      case '~':
      case '+':
        return run(at, text_.substr(at, 1));
      case '#':
      case '@':
        if (look(at + 1).kind == letter && after_space(at)) return word_end(at + 1);
        return run(at, text_.substr(at, 1));
      case ':':
      case ';':
      case '=':
        if (std::size_t end = smiley_end(at); end > at) return end;
        return c.point == '=' ? run(at, "=") : at + 1;
      default:
        break;
    }
    return marks(at + c.length);
  }

  std::size_t url_end(std::size_t at) const {
    std::size_t begin = at;
    for (std::string_view scheme : {"http://", "https://", "ftp://", "www."})
      if (starts(at, scheme)) begin = at + scheme.size();
    if (begin == at || !look(begin).alphanumeric()) return at;
    std::size_t end = begin;
    std::ptrdiff_t open = 0;  // round brackets that are not closed
    for (Char c = look(end); c.kind != space && c.point != '<' && c.point != '>' && c.point != '"';
         c = look(end)) {
      open += (c.point == '(') - (c.point == ')');
      end += c.length;
    }
    while (end > begin && std::string_view(".,;:!?'*)]}").find(text_[end - 1]) != text_.npos) {
      if (text_[end - 1] == ')' && open++ >= 0) break;
      --end;
    }
    return end;
  }

  std::size_t mail_end(std::size_t at) const {
    const auto run_of = [&](std::size_t i, std::size_t limit, std::string_view further) {
      while (i < limit &&
             (is_letter(text_[i]) || is_digit(text_[i]) || further.find(text_[i]) != further.npos))
        ++i;
      return i;
    };
    const std::size_t local = run_of(at, std::min(text_.size(), at + kLocalPart), "._%+-");
    if (local == at || byte(local) != '@' || text_[at] == '.') return at;
    std::size_t end = run_of(local + 1, std::min(text_.size(), local + 1 + 255), "-."), dot = end;
    while (end > local + 1 && (text_[end - 1] == '.' || text_[end - 1] == '-')) --end;
    for (dot = end; dot > local + 1 && is_letter(text_[dot - 1]);) --dot;
    return end - dot >= 2 && dot > local + 2 && text_[dot - 1] == '.' ? end : at;
  }

  // 'em, '90s: from the apostrophe at `at`; the word begins at `word`.
  std::size_t elided_end(std::size_t at, std::size_t word) const {
    if (!english_ || !after_space(at)) return at;
    if (is_digit(byte(word)) && is_digit(byte(word + 1)) && (byte(word + 2) | 32) == 's' &&
        !look(word + 3).word())
      return word + 3;
    for (std::string_view rest : {"em", "til", "tis", "twas", "cause"})
      if (starts(word, rest) && !look(word + rest.size()).word()) return word + rest.size();
    return at;
  }

  std::size_t smiley_end(std::size_t at) const {
    const std::size_t mouth = at + 1 + (byte(at + 1) == '-');
    if (!after_space(at) ||
        std::string_view(")(DPp|/\\*]").find(byte(mouth)) == std::string_view::npos)
      return at;
    return look(mouth + 1).kind == space ? mouth + 1 : at;
  }

  std::size_t word_end(std::size_t begin) const {
    std::size_t at = begin;
    Char last = look(begin);
    bool letters = true;       // single ones so far, joined by periods
    std::size_t part = begin;  // where the letters after the last period begin
    for (;;) {
      for (Char c = look(at); c.word(); c = look(at)) {
        if (c.kind != mark) last = c;
        at += c.length;
      }
      const Char joint = look(at), next = look(at + joint.length);
      letters = letters && last.kind == letter && marks(part + look(part).length) == at;
      if (!joins(joint, last, next, part, at)) break;
      at += joint.length;
      if (joint.point != '.') letters = false;
      part = at;
    }
    const std::string_view word = text_.substr(begin, at - begin);
    if (byte(at) == '$' && word.size() <= 2 && last.capital) return at + 1;  // US$
    if (byte(at) != '.' || byte(at + 1) == '.') return at;
    const bool joined = letters && part > begin;
    return joined || owns_period(word, last, at) ? at + 1 : at;
  }

  bool joins(const Char& joint, const Char& last, const Char& next, std::size_t part,
             std::size_t at) const {
    if (!next.alphanumeric()) return false;
    switch (joint.point) {
      case '-':
      case 0x2010:
      case 0x2011:
        return true;
      case '\'':
      case 0x2019:
        return next.kind == letter;
      case '.':
        if (next.kind == number) return last.kind == number;
        return marks(part + look(part).length) == at || !next.capital;
      case ',':
      case ':':
      case '/':
        return last.digit() && next.digit();
      case '&':
        return last.capital && next.capital;
      default:
        return false;
    }
  }

  // Whether the period at `at` is part of the word before it.
  bool owns_period(std::string_view word, const Char& last, std::size_t at) const {
    std::size_t ahead = at + 1;
    for (Char c = look(ahead); c.kind == space && c.length > 0; c = look(ahead)) ahead += c.length;
    const Char next = look(ahead);
    const bool initial = last.capital && word.size() == look(at - word.size()).length;
    if (initial && !(english_ && word == "I")) return ahead > at + 1 && next.capital;
    if (!english_) return false;
    switch (english::abbreviation(word)) {
      case english::Abbreviation::none:
        return false;
      case english::Abbreviation::numbering:
        return next.digit();
      default:
        return true;
    }
  }

  // English clitics, from the last to the first.
  void split(std::size_t begin, std::size_t end) {
    std::array<std::size_t, 8> cuts{};
    std::size_t count = 0;
    for (std::size_t rest = end; count < cuts.size();) {
      const std::size_t cut = clitic(begin, rest);
      if (cut == begin) break;
      cuts[count++] = rest = cut;
    }
    for (std::size_t at = begin; at < end;) {
      const std::size_t next = count > 0 ? cuts[--count] : end;
      tokens_.push_back({at, next});
      at = next;
    }
  }

  // Where the last clitic of [begin, end) begins; `begin` if there is none.
  std::size_t clitic(std::size_t begin, std::size_t end) const {
    const std::size_t size = end - begin;
    for (std::string_view suffix : {"s", "m", "d", "ll", "re", "ve", "t"}) {
      if (size <= suffix.size() + 1 || !starts(end - suffix.size(), suffix)) continue;
      std::size_t cut = end - suffix.size();
      if (text_[cut - 1] == '\'')
        cut -= 1;
      else if (cut >= begin + 3 && text_.substr(cut - 3, 3) == "\u2019")
        cut -= 3;
      else
        continue;
      if (suffix == "t") {
        if (cut <= begin || (text_[cut - 1] | 32) != 'n') continue;
        cut -= 1;
      }
      return cut;
    }
    struct Halves {
      std::string_view word;
      std::size_t first;
    };
    for (const Halves& known : {Halves{"cannot", 3}, Halves{"gonna", 3}, Halves{"gotta", 3},
                                Halves{"wanna", 3}, Halves{"gimme", 3}, Halves{"lemme", 3}})
      if (size == known.word.size() && starts(begin, known.word)) return begin + known.first;
    return begin;
  }

  std::string_view text_;
  bool english_;
  std::vector<TextSpan> tokens_;
};

}  // namespace linnet
