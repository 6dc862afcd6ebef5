#include "linnet/sentences/sentences.hpp"

#include "bind/bind.hpp"
#include "bind/text/text.hpp"
#include "linnet/sentences/token_lines.hpp"
#include "linnet/sentences/token_writer.hpp"

namespace linnet::bind {
namespace {

NumPy<Index> moved(std::vector<Index>& values) { return to_numpy<Index>(std::move(values)); }

nb::dict token_lines(const Array<const std::uint8_t>& buffer, std::size_t first, bool tabs,
                     bool ragged, bool conllu, const std::string& comment,
                     const std::string& boundary) {
  if (first > buffer.shape(0)) throw std::invalid_argument("first lies outside the buffer");
  const TokenRules rules{tabs, ragged, conllu, comment, boundary};
  TokenLines found;
  {
    nb::gil_scoped_release nogil;
    const std::string_view bytes(reinterpret_cast<const char*>(buffer.data()), buffer.shape(0));
    found = TokenLineFinder(bytes, rules).find(first);
  }
  const Texts::Owner owner = keep(nb::cast(buffer));
  nb::list columns;
  for (auto& column : found.columns) columns.append(Texts(std::move(column), {owner}));
  nb::dict out;
  out["columns"] = columns;
  out["cells"] = moved(found.cells);
  out["lines"] = moved(found.lines);
  out["offsets"] = moved(found.offsets);
  out["aside"] = Texts(std::move(found.aside), {owner});
  out["aside_places"] = moved(found.aside_places);
  out["aside_offsets"] = moved(found.aside_offsets);
  out["uneven"] = found.uneven;
  out["uneven_cells"] = found.uneven_cells;
  out["hollow"] = found.hollow;
  return out;
}

using Codes = Array<const std::int32_t>;

const char* name_of(TokenFault fault) {
  switch (fault) {
    case TokenFault::empty:
      return "empty";
    case TokenFault::broken:
      return "broken";
    case TokenFault::unreadable:
      return "unreadable";
    case TokenFault::none:
      break;
  }
  return "";
}

// Columns are Texts, or pairs of Texts and codes.
auto write_tokens(const nb::list& columns, const Array<const Index>& offsets, const Texts& aside,
                  const Array<const Index>& places, const Array<const Index>& aside_offsets,
                  bool tabs, bool empty_cells, bool plain, const std::string& boundary) {
  TokenCells cells{.columns = {},
                   .offsets = view(offsets),
                   .aside = &aside,
                   .places = view(places),
                   .aside_offsets = view(aside_offsets)};
  std::vector<Codes> kept;
  for (nb::handle column : columns) {
    if (nb::isinstance<nb::tuple>(column)) {
      kept.push_back(nb::cast<Codes>(column[1]));
      cells.columns.push_back({&nb::cast<const Texts&>(column[0]), view(kept.back()), true});
    } else {
      cells.columns.push_back({&nb::cast<const Texts&>(column), {}, false});
    }
  }
  const TokenForm form{tabs, empty_cells, plain, boundary};
  WrittenTokens written;
  {
    nb::gil_scoped_release nogil;
    written = TokenWriter(cells, form).write();
  }
  nb::list sentences;
  for (std::size_t i = 1; i < written.ends.size(); ++i)
    sentences.append(nb::bytes(written.bytes.get() + written.ends[i - 1],
                               written.ends[i] - written.ends[i - 1]));
  return nb::make_tuple(sentences, written.bad, name_of(written.fault));
}

auto attributes(const Texts& cells) {
  Attributes found;
  {
    nb::gil_scoped_release nogil;
    found = read_attributes(cells);
  }
  return nb::make_tuple(std::move(found.names), to_numpy<float>(std::move(found.values)),
                        found.bad);
}

struct SplitTexts {
  std::vector<std::string_view> words;
  std::vector<Index> spans, lines, offsets{0}, documents;

  void add(std::string_view text, Index document, bool is_english) {
    const Sentences found = SentenceFinder(text, is_english).find();
    const auto before = static_cast<Index>(words.size());
    std::size_t at = 0;
    Index characters = 0, newlines = 0;
    const auto advance = [&](std::size_t end) {
      while (at < end) {
        newlines += text[at] == '\n';
        at += utf8::decode(text.data() + at, text.data() + text.size()).length;
        ++characters;
      }
    };
    for (const TextSpan& token : found.tokens) {
      words.push_back(text.substr(token.begin, token.end - token.begin));
      advance(token.begin);
      lines.push_back(newlines);
      spans.push_back(characters);
      advance(token.end);
      spans.push_back(characters);
    }
    for (std::size_t i = 1; i < found.offsets.size(); ++i) {
      offsets.push_back(before + static_cast<Index>(found.offsets[i]));
      documents.push_back(document);
    }
  }
};

auto split_texts(const Texts& texts, bool is_english) {
  SplitTexts found;
  {
    nb::gil_scoped_release nogil;
    for (Index i = 0; i < texts.size(); ++i) found.add(texts[i], i, is_english);
  }
  return nb::make_tuple(texts.viewed(std::move(found.words)),
                        to_numpy<Index>(std::move(found.spans), 2), moved(found.offsets),
                        moved(found.documents), moved(found.lines));
}

}  // namespace

void sentences(nb::module_& m) {
  m.def("find_tokens", &token_lines, nb::arg("buffer"), nb::arg("first") = 0,
        nb::arg("tabs") = false, nb::arg("ragged") = false, nb::arg("conllu") = false,
        nb::arg("comment") = "", nb::arg("boundary") = "",
        "Cells of the tokens of a file of columns, its sentences and the lines kept aside.");
  m.def("write_tokens", &write_tokens, nb::arg("columns"), nb::arg("offsets"), nb::arg("aside"),
        nb::arg("aside_places"), nb::arg("aside_offsets"), nb::arg("tabs") = true,
        nb::arg("empty_cells") = true, nb::arg("plain") = false, nb::arg("boundary") = "",
        "The bytes of each sentence in a file of columns, the first token that cannot be written "
        "so (-1: none), and why: 'empty', 'broken' or 'unreadable'. A column is Texts, or Texts "
        "and codes.");
  m.def(
      "read_attributes", &attributes, nb::arg("cells"),
      "Names and values of attributes as CRFsuite writes them, and the first bad one (-1: none).");
  m.def("split_texts", &split_texts, nb::arg("texts"), nb::arg("english") = true,
        "Words of texts, their spans in characters (tokens, 2), offsets of sentences, the text of "
        "each sentence, and the line of each word in its text (from 0).");
}

}  // namespace linnet::bind
