#include "linnet/text/analyzer.hpp"

#include "bind/bind.hpp"
#include "bind/text/text.hpp"
#include "linnet/text/texts.hpp"

namespace linnet::bind {
namespace {

Block::Kind block_kind(const std::string& name) {
  using enum Block::Kind;
  constexpr std::pair<const char*, Block::Kind> kinds[] = {
      {"word", word},   {"lead", lead},         {"skip", skip},
      {"chars", chars}, {"chars_wb", chars_wb}, {"shape", shape}};
  for (const auto& [known, kind] : kinds)
    if (name == known) return kind;
  throw std::invalid_argument("there is no kind of features called '" + name + "'");
}

Analyzer make(const std::vector<std::tuple<std::string, int, int>>& blocks, bool lowercase,
              bool punctuation, const std::string& tokens, std::vector<std::string> stop_words,
              int min_length, const std::vector<int>& first, bool apart) {
  AnalyzerSpec spec;
  if (!first.empty() && first.size() != blocks.size())
    throw std::invalid_argument("first must have one number for each block");
  for (const auto& [kind, shortest, longest] : blocks)
    spec.blocks.push_back({block_kind(kind), shortest, longest});
  for (std::size_t b = 0; b < first.size(); ++b) spec.blocks[b].first = first[b];
  if (tokens != "unicode" && tokens != "whitespace")
    throw std::invalid_argument("tokens must be 'unicode' or 'whitespace', not '" + tokens + "'");
  spec.lowercase = lowercase;
  spec.punctuation = punctuation;
  spec.tokens = tokens == "unicode" ? TokenRule::unicode : TokenRule::whitespace;
  spec.stop_words = std::move(stop_words);
  spec.min_length = min_length;
  spec.apart = apart;
  return Analyzer(std::move(spec));
}

std::vector<Gram> grams_of(const Analyzer& analyzer, std::string_view text) {
  AnalyzerScratch scratch;
  std::vector<Gram> grams;
  analyzer.grams(text, scratch, grams);
  return grams;
}

// One field of every gram, as an array.
template <class T>
NumPy<T> field(const std::vector<Gram>& grams, T Gram::* member) {
  std::vector<T> values;
  values.reserve(grams.size());
  for (const Gram& gram : grams) values.push_back(gram.*member);
  return to_numpy<T>(std::move(values));
}

}  // namespace

void analyzer(nb::module_& m) {
  nb::class_<Analyzer>(m, "Analyzer", "Texts to n-grams.")
      .def(
          "__init__",
          [](Analyzer* self, const std::vector<std::tuple<std::string, int, int>>& blocks,
             bool lowercase, bool punctuation, const std::string& tokens,
             std::vector<std::string> stop_words, int min_length, const std::vector<int>& first,
             bool apart) {
            new (self) Analyzer(make(blocks, lowercase, punctuation, tokens, std::move(stop_words),
                                     min_length, first, apart));
          },
          nb::arg("blocks"), nb::arg("lowercase") = true, nb::arg("punctuation") = true,
          nb::arg("tokens") = "unicode", nb::arg("stop_words") = std::vector<std::string>(),
          nb::arg("min_length") = 1, nb::arg("first") = std::vector<int>(),
          nb::arg("apart") = false,
          "Blocks are (kind, shortest, longest), kind one of word, lead, skip, chars, chars_wb, "
          "shape; first: of each, how many tokens or characters are looked at, 0 for all; "
          "apart: each block is a part of the row by itself.")
      .def(
          "grams",
          [](const Analyzer& self, nb::handle given) {
            const TextArg text(given);
            const std::vector<Gram> grams = grams_of(self, text.view());
            return std::make_tuple(field(grams, &Gram::hash), field(grams, &Gram::begin),
                                   field(grams, &Gram::end), field(grams, &Gram::block),
                                   field(grams, &Gram::pad));
          },
          nb::arg("text"), "Arrays: hash, begin, end, block, pad; begin and end count bytes.")
      .def(
          "names",
          [](const Analyzer& self, nb::handle given) {
            const TextArg text(given);
            std::vector<std::string> names;
            for (const Gram& gram : grams_of(self, text.view()))
              names.push_back(self.name(text.view(), gram));
            return names;
          },
          nb::arg("text"), "What each gram stands for, in the order of `grams`.")
      .def(
          "tokens",
          [](const Analyzer& self, nb::handle given) {
            const TextArg text(given);
            AnalyzerScratch scratch;
            self.tokenise(text.view(), scratch);
            std::vector<std::string> tokens;
            for (const auto& [begin, end] : scratch.tokens) {
              unicode::append_normalised(tokens.emplace_back(),
                                         text.view().substr(begin, end - begin),
                                         self.spec().lowercase);
            }
            return tokens;
          },
          nb::arg("text"), "The tokens n-grams are formed of, as they are hashed.")
      .def(
          "hashes",
          [](const Analyzer& self, nb::handle given) {
            const TextArg text(given);
            AnalyzerScratch scratch;
            std::vector<std::uint64_t> hashes;
            self.hashes(text.view(), scratch, hashes);
            return to_numpy<std::uint64_t>(std::move(hashes));
          },
          nb::arg("text"), "The hashes of `grams`, in the same order.")
      .def(
          "checksum",
          [](const Analyzer& self, const Texts& texts) {
            AnalyzerScratch scratch;
            std::vector<std::uint64_t> hashes;
            Index count = 0;
            std::uint64_t sum = 0;
            for (std::string_view text : texts.views()) {
              self.hashes(text, scratch, hashes);
              count += static_cast<Index>(hashes.size());
              for (std::uint64_t h : hashes) sum += h;
            }
            return std::make_pair(count, sum);
          },
          nb::arg("texts"), NoGil(),
          "How many grams the texts have and the sum of their hashes: hashing alone, to time it.");
}

}  // namespace linnet::bind
