// The inverse of token_lines.hpp: cells of tokens as lines, the lines kept aside where they stood,
// an empty line after each sentence.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linnet/text/texts.hpp"

namespace linnet {

// One cell per token: texts[t], or with codes texts[codes[t]], where a code below 0 says nothing.
struct CellColumn {
  static constexpr std::string_view unsaid = "_";
  const Texts* texts = nullptr;
  std::span<const std::int32_t> codes;
  bool coded = false;

  Index size() const { return coded ? static_cast<Index>(codes.size()) : texts->size(); }
  std::string_view operator[](Index t) const {
    if (!coded) return (*texts)[t];
    const std::int32_t code = codes[static_cast<std::size_t>(t)];
    return code < 0 ? unsaid : (*texts)[code];
  }
  bool in_range() const {
    return std::all_of(codes.begin(), codes.end(), [&](Index k) { return k < texts->size(); });
  }
  Index size_in_bytes() const {
    if (!coded) return texts->size_in_bytes();
    Index sum = 0;
    for (Index t = 0; t < size(); ++t) sum += static_cast<Index>((*this)[t].size());
    return sum;
  }
};

// Sentence i is the tokens [offsets[i], offsets[i + 1]); cell c of token t is columns[c][t].
// The aside lines of sentence i are [aside_offsets[i], aside_offsets[i + 1]), each before the token
// `places` of its sentence; without any, aside_offsets may be empty. Those after the last sentence
// are left out.
struct TokenCells {
  std::vector<CellColumn> columns;
  std::span<const Index> offsets;
  const Texts* aside = nullptr;
  std::span<const Index> places, aside_offsets;
};

struct TokenForm {
  bool tabs = true;         // between cells; otherwise blanks, unless a cell holds one
  bool empty_cells = true;  // whether a cell may be empty
  bool plain = false;       // every line must be one that a reader takes for a token
  std::string boundary;     // how lines aside begin that have an empty line after them
};

// Why a token cannot be written.
enum class TokenFault { none, empty, broken, unreadable };

// Sentence i is the bytes [ends[i], ends[i + 1]); `bad` is the first token with a fault, or -1.
struct WrittenTokens {
  std::unique_ptr<char[]> bytes;
  std::vector<std::size_t> ends;
  Index bad = -1;
  TokenFault fault = TokenFault::none;
};

class TokenWriter {
 public:
  TokenWriter(const TokenCells& cells, const TokenForm& form) : cells_(cells), form_(form) {
    check();
  }

  WrittenTokens write() {
    out_.bytes = std::make_unique_for_overwrite<char[]>(capacity());
    separator_ = form_.tabs ? '\t' : ' ';
    if (!write_all()) {  // a cell holds a blank
      separator_ = '\t';
      write_all();
    }
    return std::move(out_);
  }

 private:
  void check() const {
    const auto ascend = [](std::span<const Index> offsets, Index size) {
      return !offsets.empty() && offsets.front() == 0 && offsets.back() == size &&
             std::is_sorted(offsets.begin(), offsets.end());
    };
    bool good = !cells_.columns.empty() && !cells_.offsets.empty();
    for (const CellColumn& column : cells_.columns)
      good = good && ascend(cells_.offsets, column.size()) && column.in_range();
    if (!cells_.aside_offsets.empty())
      good = good && cells_.aside != nullptr &&
             ascend(cells_.aside_offsets, cells_.aside_offsets.back()) &&
             cells_.aside_offsets.back() <= cells_.aside->size() &&
             cells_.places.size() == static_cast<std::size_t>(cells_.aside->size()) &&
             cells_.aside_offsets.size() == cells_.offsets.size();
    if (!good) throw std::invalid_argument("columns, offsets and lines aside do not fit together");
  }

  std::size_t capacity() const {
    Index size = static_cast<Index>(cells_.offsets.size());
    for (const CellColumn& column : cells_.columns) size += column.size_in_bytes() + column.size();
    if (cells_.aside != nullptr) size += cells_.aside->size_in_bytes() + 2 * cells_.aside->size();
    return static_cast<std::size_t>(size);
  }

  // False if other separators are needed. A fault ends it early.
  bool write_all() {
    at_ = out_.bytes.get();
    out_.ends.assign(1, 0);
    blanks_ = false;
    for (std::size_t i = 0; i + 1 < cells_.offsets.size() && out_.bad < 0 && !blanks_; ++i) {
      sentence(i);
      out_.ends.push_back(static_cast<std::size_t>(at_ - out_.bytes.get()));
    }
    return !blanks_ || out_.bad >= 0;
  }

  void sentence(std::size_t i) {
    Index at = cells_.offsets[i];
    const Index end = cells_.offsets[i + 1];
    if (!cells_.aside_offsets.empty())
      for (Index k = cells_.aside_offsets[i]; k < cells_.aside_offsets[i + 1]; ++k) {
        const Index place = cells_.offsets[i] + cells_.places[static_cast<std::size_t>(k)];
        for (; at < std::min(place, end); ++at) token(at);
        const std::string_view line = (*cells_.aside)[k];
        put(line);
        *at_++ = '\n';
        if (is_boundary(line)) *at_++ = '\n';
      }
    for (; at < end; ++at) token(at);
    *at_++ = '\n';
  }

  void token(Index t) {
    const char* const begin = at_;
    bool empty = false;
    for (std::size_t c = 0; c < cells_.columns.size(); ++c) {
      const std::string_view cell = cells_.columns[c][t];
      if (c > 0) *at_++ = separator_;
      put(cell);
      empty = empty || cell.empty();
    }
    check(t, {begin, static_cast<std::size_t>(at_ - begin)}, empty);
    *at_++ = '\n';
  }

  void check(Index t, std::string_view line, bool empty) {
    const std::size_t separators = cells_.columns.size() - 1;
    const auto spaces = static_cast<std::size_t>(std::count_if(line.begin(), line.end(), is_space));
    if (empty && !form_.empty_cells && separators > 0)
      complain(t, TokenFault::empty);
    else if (spaces != separators)
      check_cells(t);
    if (form_.plain && (is_boundary(line) || line.find_first_not_of(" \t\v\f") == line.npos))
      complain(t, TokenFault::unreadable);
  }

  void check_cells(Index t) {
    for (const CellColumn& column : cells_.columns)
      for (char c : column[t]) {
        if (is_space(c) && c != ' ') complain(t, TokenFault::broken);
        if (c == ' ' && separator_ == ' ') blanks_ = true;
      }
  }

  void complain(Index t, TokenFault fault) {
    if (out_.bad >= 0) return;
    out_.bad = t;
    out_.fault = fault;
  }

  void put(std::string_view text) { at_ = std::copy(text.begin(), text.end(), at_); }
  bool is_boundary(std::string_view line) const {
    return !form_.boundary.empty() && line.starts_with(form_.boundary);
  }
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  const TokenCells& cells_;
  const TokenForm& form_;
  WrittenTokens out_;
  char* at_ = nullptr;
  char separator_ = '\t';
  bool blanks_ = false;  // a cell holds a blank where blanks part cells
};

}  // namespace linnet
