// Sentences in files of columns: one token per line, its cells divided by blanks or tabs, and an
// empty line after each sentence. Cells are found as spans of the buffer; nothing is copied.
#pragma once
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linnet/text/texts.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace linnet {

struct TokenRules {
  bool tabs = false;     // each tab ends a cell; otherwise each run of blanks and tabs
  bool ragged = false;   // lines may differ in their number of cells
  bool conllu = false;   // words are numbered 1, 2, …; ids such as 1-2 and 1.1 are no words
  std::string comment;   // how lines begin that are no tokens; empty: none do
  std::string boundary;  // how lines begin that part documents, such as -DOCSTART-
};

// Cell c of token t is columns[c][t]; if lines are ragged it is columns[0][cells[t] + c]. Sentence
// i is the tokens [offsets[i], offsets[i + 1]). Lines that are no tokens are kept aside: those of
// sentence i are [aside_offsets[i], aside_offsets[i + 1]), each before the token `aside_places` of
// its sentence.
struct TokenLines {
  std::vector<std::vector<std::string_view>> columns;
  std::vector<Index> cells, lines, offsets{0};
  std::vector<std::string_view> aside;
  std::vector<Index> aside_places, aside_offsets{0};
  Index uneven = -1, uneven_cells = 0;  // the first line with another number of cells, or -1
  Index hollow = -1;                    // the first line with comments and no token after them
};

class TokenLineFinder {
 public:
  TokenLineFinder(std::string_view buffer, const TokenRules& rules) : all_(buffer), rules_(rules) {}

  TokenLines find(std::size_t first) {
    const auto size = static_cast<std::size_t>(std::count(all_.begin(), all_.end(), '\n')) + 1;
    found_.lines.reserve(size);  // memory that is not touched costs nothing
    if (rules_.ragged) found_.cells.push_back(0);
    if (rules_.ragged) found_.columns.resize(1);
    Index number = 0;
    for (std::size_t at = first; at < all_.size(); ++number) {
      const auto* newline =
          static_cast<const char*>(std::memchr(all_.data() + at, '\n', all_.size() - at));
      const std::size_t next =
          newline ? static_cast<std::size_t>(newline - all_.data()) + 1 : all_.size();
      std::size_t stop = newline ? next - 1 : next;
      while (stop > at && all_[stop - 1] == '\r') --stop;
      take(all_.substr(at, stop - at), number);
      if (found_.uneven >= 0 || found_.hollow >= 0) break;
      at = next;
    }
    end_sentence(number);
    return std::move(found_);
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t'; }
  Index tokens() const { return static_cast<Index>(found_.lines.size()); }

  void take(std::string_view line, Index number) {
    if (std::all_of(line.begin(), line.end(), is_blank)) return end_sentence(number);
    const bool boundary = begins_with(line, rules_.boundary);
    if (boundary) end_sentence(number);
    if (boundary || begins_with(line, rules_.comment) || (rules_.conllu && !is_word(line))) {
      found_.aside.push_back(line);
      found_.aside_places.push_back(tokens() - found_.offsets.back());
      comments_ += !boundary;
      return;
    }
    row_.clear();
    if (rules_.tabs)
      cut_at_tabs(line);
    else
      cut_at_blanks(line);
    found_.lines.push_back(number);
    if (rules_.ragged) {
      found_.columns[0].insert(found_.columns[0].end(), row_.begin(), row_.end());
      found_.cells.push_back(static_cast<Index>(found_.columns[0].size()));
      return;
    }
    if (found_.columns.empty()) {
      found_.columns.resize(row_.size());
      for (auto& column : found_.columns) column.reserve(found_.lines.capacity());
    }
    if (row_.size() != found_.columns.size()) {
      found_.uneven = number;
      found_.uneven_cells = static_cast<Index>(row_.size());
      return;
    }
    for (std::size_t c = 0; c < row_.size(); ++c) found_.columns[c].push_back(row_[c]);
  }

  static bool begins_with(std::string_view line, const std::string& what) {
    return !what.empty() && line[0] == what[0] && line.starts_with(what);
  }
  // Whether the first cell is a whole number: 1-2 is a multiword token, 1.1 an empty node.
  static bool is_word(std::string_view line) {
    if (line[0] < '0' || line[0] > '9') return true;  // for the reader to complain of
    for (char c : line) {
      if (c == '\t') break;
      if (c == '-' || c == '.') return false;
    }
    return true;
  }

  void end_sentence(Index number) {
    if (tokens() > found_.offsets.back()) {
      found_.offsets.push_back(tokens());
      found_.aside_offsets.push_back(static_cast<Index>(found_.aside.size()));
    } else if (comments_ > 0 && rules_.conllu && found_.hollow < 0) {
      found_.hollow = number - 1;
    }
    comments_ = 0;
  }

  // The first tab in [at, stop), or blank too, or stop: most cells end within 16 bytes.
  template <bool Tabs>
  const char* cell_end(const char* at, const char* stop) const {
    const auto ends = [](char c) { return c == '\t' || (!Tabs && c == ' '); };
#if defined(__SSE2__)
    const char* const end = all_.data() + all_.size();
    for (; at < stop && end - at >= 16; at += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      __m128i found = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\t'));
      if constexpr (!Tabs) found = _mm_or_si128(found, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')));
      const auto mask = static_cast<unsigned>(_mm_movemask_epi8(found));
      if (mask != 0) return std::min(at + std::countr_zero(mask), stop);
    }
    at = std::min(at, stop);
#endif
    while (at < stop && !ends(*at)) ++at;
    return at;
  }
  void cut_at_blanks(std::string_view line) {
    const char* at = line.data();
    const char* const stop = at + line.size();
    for (;;) {
      while (at < stop && is_blank(*at)) ++at;
      if (at == stop) return;
      const char* const begin = at;
      at = cell_end<false>(at, stop);
      row_.push_back({begin, static_cast<std::size_t>(at - begin)});
    }
  }
  void cut_at_tabs(std::string_view line) {
    const char* at = line.data();
    const char* const stop = at + line.size();
    for (;; ++at) {
      const char* const begin = at;
      at = cell_end<true>(at, stop);
      row_.push_back({begin, static_cast<std::size_t>(at - begin)});
      if (at == stop) return;
    }
  }

  std::string_view all_;
  const TokenRules& rules_;
  TokenLines found_;
  std::vector<std::string_view> row_;  // cells of one line
  std::size_t comments_ = 0;           // in this sentence
};

// Attributes as CRFsuite writes them, name:value, where \: and \\ stand for : and \ in a name; a
// missing value is 1. `bad` is the first cell whose value is no finite number, or -1.
struct Attributes {
  Texts names;
  std::vector<float> values;
  Index bad = -1;
};

inline Attributes read_attributes(const Texts& cells) {
  Attributes found;
  auto unescaped = std::make_shared<std::vector<std::unique_ptr<std::string>>>();
  std::vector<std::string_view> names;
  for (std::string_view cell : cells.views()) {
    std::size_t colon = 0;
    bool escapes = false;
    for (; colon < cell.size() && cell[colon] != ':'; ++colon)
      if (cell[colon] == '\\' && colon + 1 < cell.size()) {
        escapes = true;
        ++colon;
      }
    float value = 1;
    if (colon < cell.size()) {
      const char* const end = cell.data() + cell.size();
      const char* begin = cell.data() + colon + 1;
      if (begin + 1 < end && *begin == '+' && begin[1] != '-') ++begin;
      const auto [stop, code] = std::from_chars(begin, end, value);
      if ((code != std::errc() || stop != end || !std::isfinite(value)) && found.bad < 0)
        found.bad = static_cast<Index>(names.size());
    }
    std::string_view name = cell.substr(0, colon);
    if (escapes) {
      auto plain = std::make_unique<std::string>();
      for (std::size_t i = 0; i < name.size(); ++i) {
        if (name[i] == '\\' && i + 1 < name.size()) ++i;
        plain->push_back(name[i]);
      }
      name = *plain;
      unescaped->push_back(std::move(plain));
    }
    names.push_back(name);
    found.values.push_back(value);
  }
  found.names = cells.viewed(std::move(names), std::move(unescaped));
  return found;
}

}  // namespace linnet
