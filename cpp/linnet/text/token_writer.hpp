// The inverse of token_lines.hpp: cells of tokens as lines, the lines kept aside where they stood,
// an empty line after each sentence.
#pragma once
#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "linnet/text/texts.hpp"

namespace linnet {

// Sentence i is the tokens [offsets[i], offsets[i + 1]); cell c of token t is (*columns[c])[t].
// The aside lines of sentence i are [aside_offsets[i], aside_offsets[i + 1]), each before the token
// `places` of its sentence; without any, aside_offsets may be empty.
struct TokenCells {
  std::vector<const Texts*> columns;
  std::span<const Index> offsets;
  const Texts* aside = nullptr;
  std::span<const Index> places, aside_offsets;
};

class TokenWriter {
 public:
  explicit TokenWriter(const TokenCells& cells) : cells_(cells) { check(); }

  std::string write() {
    Index size = 0;
    for (const Texts* column : cells_.columns) size += column->size_in_bytes() + column->size();
    if (cells_.aside != nullptr) size += cells_.aside->size_in_bytes() + cells_.aside->size();
    out_.reserve(static_cast<std::size_t>(size) + cells_.offsets.size());
    for (std::size_t i = 0; i + 1 < cells_.offsets.size(); ++i) sentence(i);
    return std::move(out_);
  }
  // The first token with a cell that holds a tab or the end of a line, or -1.
  Index bad() const { return bad_; }

 private:
  void check() const {
    const auto ascend = [](std::span<const Index> offsets, Index size) {
      return !offsets.empty() && offsets.front() == 0 && offsets.back() == size &&
             std::is_sorted(offsets.begin(), offsets.end());
    };
    bool good = !cells_.columns.empty() && !cells_.offsets.empty();
    for (const Texts* column : cells_.columns)
      good = good && ascend(cells_.offsets, column->size());
    if (!cells_.aside_offsets.empty())
      good = good && cells_.aside != nullptr &&
             ascend(cells_.aside_offsets, cells_.aside->size()) &&
             cells_.places.size() == static_cast<std::size_t>(cells_.aside->size()) &&
             cells_.aside_offsets.size() == cells_.offsets.size();
    if (!good) throw std::invalid_argument("columns, offsets and lines aside do not fit together");
  }

  void sentence(std::size_t i) {
    Index at = cells_.offsets[i];
    const Index end = cells_.offsets[i + 1];
    if (!cells_.aside_offsets.empty())
      for (Index k = cells_.aside_offsets[i]; k < cells_.aside_offsets[i + 1]; ++k) {
        const Index place = cells_.offsets[i] + cells_.places[static_cast<std::size_t>(k)];
        for (; at < std::min(place, end); ++at) token(at);
        out_ += (*cells_.aside)[k];
        out_ += '\n';
      }
    for (; at < end; ++at) token(at);
    out_ += '\n';
  }

  void token(Index t) {
    for (std::size_t c = 0; c < cells_.columns.size(); ++c) {
      const std::string_view cell = (*cells_.columns[c])[t];
      if (bad_ < 0 && std::any_of(cell.begin(), cell.end(), ends_cell)) bad_ = t;
      if (c > 0) out_ += '\t';
      out_ += cell;
    }
    out_ += '\n';
  }
  static bool ends_cell(char c) { return c == '\t' || c == '\n' || c == '\r'; }

  const TokenCells& cells_;
  std::string out_;
  Index bad_ = -1;
};

}  // namespace linnet
