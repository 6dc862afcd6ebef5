// From a text to its n-grams: tokens are found, hashed and joined, block by block.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linnet/text/flat_text.hpp"
#include "linnet/text/hash.hpp"
#include "linnet/text/ngrams.hpp"
#include "linnet/text/shape.hpp"
#include "linnet/text/tokens.hpp"

namespace linnet {

struct AnalyzerSpec {
  std::vector<Block> blocks;
  bool lowercase = true;
  bool punctuation = true;  // each punctuation mark or symbol is a token
  TokenRule tokens = TokenRule::unicode;
  std::vector<std::string> stop_words;  // removed before n-grams are formed
  bool apart = false;                   // blocks are counted and normalised each by itself
  int min_length = 1;                   // in characters; shorter tokens are removed too
};

// A few hashes to look up in: open addressing, so sparse that most of the hashes that are not in it
// meet an empty slot (0) at once.
class HashSet {
 public:
  explicit HashSet(const std::vector<std::uint64_t>& hashes) {
    if (hashes.empty()) return;
    slots_.resize(std::bit_ceil(16 * hashes.size()));
    for (std::uint64_t h : hashes) slots_[find(h)] = h;
  }
  bool empty() const { return slots_.empty(); }
  bool contains(std::uint64_t h) const { return slots_[find(h)] == h; }  // requires: not empty

 private:
  std::size_t find(std::uint64_t h) const {
    std::size_t at = h & (slots_.size() - 1);
    while (slots_[at] != 0 && slots_[at] != h) at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  std::vector<std::uint64_t> slots_;
};

// Room to work in; one per thread, used again for every text.
struct AnalyzerScratch {
  TokenFinder finder;
  std::vector<TokenSpan> tokens;       // stop words left out
  std::vector<std::uint64_t> hashes;   // of the tokens
  std::vector<std::uint64_t> shapes;   // of the tokens' shapes
  std::vector<std::uint64_t> grams;    // of the n-grams that begin at each token
  std::vector<std::size_t> part_ends;  // where in the grams each part ends
  std::string token;                   // one token as it is hashed
  FlatText flat;
};

class Analyzer {
 public:
  explicit Analyzer(AnalyzerSpec spec) : spec_(checked(std::move(spec))), stop_words_(stops()) {
    for (const Block& block : spec_.blocks) any_tokens_ |= !is_chars(block);
  }
  const AnalyzerSpec& spec() const { return spec_; }
  // A document's row consists of so many parts: its blocks, or all of them together.
  std::size_t parts() const { return spec_.apart ? spec_.blocks.size() : 1; }

  // Replaces what is in `out`; block after block, in each the short n-grams before the long ones
  // (of chars_wb: word after word).
  void grams(std::string_view text, AnalyzerScratch& scratch, std::vector<Gram>& out) const {
    analyse(text, scratch, GramSink<Gram>(out));
  }
  // The hashes of `grams` alone, in the same order; the fastest way.
  void hashes(std::string_view text, AnalyzerScratch& scratch,
              std::vector<std::uint64_t>& out) const {
    analyse(text, scratch, GramSink<std::uint64_t>(out));
  }
  // The tokens that n-grams are formed of, into scratch.tokens and scratch.hashes.
  void tokenise(std::string_view text, AnalyzerScratch& scratch) const {
    check_size(text);
    spec_.lowercase ? hash_tokens<true>(text, scratch) : hash_tokens<false>(text, scratch);
  }

  // "of the", "lead:of the", "skip:new york", "chars: th", "chars_wb: th", "shape:Xx": exactly what
  // was hashed.
  std::string name(std::string_view text, const Gram& gram) const {
    AnalyzerScratch scratch;
    return name(text, gram, scratch);
  }
  std::string name(std::string_view text, const Gram& gram, AnalyzerScratch& scratch) const {
    const std::string_view covered = text.substr(gram.begin, gram.end - gram.begin);
    const auto normalised = [this](std::string& out, std::string_view token) {
      unicode::append_normalised(out, token, spec_.lowercase);
    };
    switch (spec_.blocks.at(gram.block).kind) {
      case Block::Kind::chars:
        return "chars:" + flat(covered);
      case Block::Kind::chars_wb:
        return std::string("chars_wb:") + (gram.pad & 1 ? " " : "") + flat(covered) +
               (gram.pad & 2 ? " " : "");
      case Block::Kind::word:
        return joined(covered, scratch, false, normalised);
      case Block::Kind::lead:
        return "lead:" + joined(covered, scratch, false, normalised);
      case Block::Kind::skip:
        return "skip:" + joined(covered, scratch, true, normalised);
      case Block::Kind::shape:
        return "shape:" + joined(covered, scratch, false, append_shape);
    }
    return {};
  }

 private:
  static bool is_chars(const Block& block) {
    return block.kind == Block::Kind::chars || block.kind == Block::Kind::chars_wb;
  }
  static AnalyzerSpec checked(AnalyzerSpec spec) {
    if (spec.blocks.size() > std::numeric_limits<std::uint16_t>::max())
      throw std::invalid_argument("too many blocks of features");
    for (const Block& block : spec.blocks)
      if (block.shortest < 1 || block.longest < block.shortest || block.longest > 1000)
        throw std::invalid_argument(
            "n-gram lengths and gaps must be at least 1, at most 1000, and the shorter first");
      else if (block.first < 0)
        throw std::invalid_argument("the tokens or characters looked at must be 0 (all) or more");
    if (spec.min_length < 1) throw std::invalid_argument("min_length must be at least 1");
    return spec;
  }
  HashSet stops() const {
    std::vector<std::uint64_t> hashes;
    for (const std::string& word : spec_.stop_words) {
      std::string normal;
      unicode::append_normalised(normal, word, spec_.lowercase);
      hashes.push_back(hash_bytes(normal));
    }
    return HashSet(hashes);
  }

  template <class Item>
  void analyse(std::string_view text, AnalyzerScratch& scratch, GramSink<Item> sink) const {
    check_size(text);
    if (any_tokens_) tokenise(text, scratch);
    std::string_view flattened;
    scratch.part_ends.clear();
    for (std::size_t b = 0; b < spec_.blocks.size(); ++b) {
      const Block& block = spec_.blocks[b];
      switch (block.kind) {
        case Block::Kind::word:
          sequences(block, b, scratch.tokens, scratch.hashes, 0, scratch.grams, sink);
          break;
        case Block::Kind::lead:
          sequences(block, b, scratch.tokens, scratch.hashes, kLeadSalt, scratch.grams, sink);
          break;
        case Block::Kind::shape:
          hash_shapes(text, scratch);
          sequences(block, b, scratch.tokens, scratch.shapes, 0, scratch.grams, sink);
          break;
        case Block::Kind::skip:
          skip_pairs(block, b, scratch.tokens, scratch.hashes, sink);
          break;
        case Block::Kind::chars:
        case Block::Kind::chars_wb:
          if (const std::string_view part = beginning(text, block.first);
              part.size() != flattened.size() || flattened.data() == nullptr) {
            scratch.flat.assign(part, spec_.lowercase);
            flattened = part;
          }
          if (block.kind == Block::Kind::chars)
            char_grams(block, b, scratch.flat, sink);
          else
            char_grams_in_words(block, b, scratch.flat, sink);
          break;
      }
      if (spec_.apart) scratch.part_ends.push_back(sink.size());
    }
    if (!spec_.apart) scratch.part_ends.push_back(sink.size());
    sink.finish();
  }

  // The first so many characters, 0: all.
  static std::string_view beginning(std::string_view text, int characters) {
    if (characters == 0 || text.size() <= static_cast<std::size_t>(characters)) return text;
    std::size_t at = 0;
    for (int seen = 0; at < text.size(); ++at)
      if ((static_cast<unsigned char>(text[at]) & 0xc0) != 0x80 && ++seen > characters) break;
    return text.substr(0, at);
  }

  static void check_size(std::string_view text) {
    if (text.size() >= std::numeric_limits<std::uint32_t>::max() - 64)
      throw std::length_error("a text of 4 GB or more; split it into smaller ones");
  }

  template <bool lowercase>
  void hash_tokens(std::string_view text, AnalyzerScratch& scratch) const {
    const TokenFinder& found = scratch.finder;
    scratch.finder.find(text, spec_.tokens, spec_.punctuation);
    if (scratch.tokens.size() < found.size()) {
      scratch.tokens.resize(found.size());
      scratch.hashes.resize(found.size());
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::uint64_t h = hash_token<lowercase>(text, found.begin(i), found.end(i), scratch);
      scratch.tokens[kept] = {found.begin(i), found.end(i)};
      scratch.hashes[kept] = h;
      kept += (stop_words_.empty() || !stop_words_.contains(h)) &&
              (spec_.min_length <= 1 ||
               is_long(text.substr(found.begin(i), found.end(i) - found.begin(i))));
    }
    scratch.tokens.resize(kept);
    scratch.hashes.resize(kept);
  }
  bool is_long(std::string_view token) const {
    const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
    return static_cast<std::ptrdiff_t>(token.size()) -
               std::count_if(token.begin(), token.end(), continues) >=
           spec_.min_length;
  }
  template <bool lowercase>
  static LINNET_INLINE std::uint64_t hash_token(std::string_view text, std::uint32_t begin,
                                                std::uint32_t end, AnalyzerScratch& scratch) {
    const char* const p = text.data() + begin;
    const std::size_t length = end - begin;
    if (length <= 8 && begin + std::size_t{8} <= text.size()) [[likely]] {
      const std::uint64_t word = load_bytes(p) & first_bytes(length);
      if (unicode::is_ascii(word)) [[likely]]
        return hash_word(lowercase ? unicode::lower_ascii(word) : word, length, 0);
    }
    std::uint64_t all = 0;  // the bits of all bytes
    const auto read = [&](std::size_t at) {
      const std::size_t left = length - at;
      std::uint64_t word;
      if (begin + at + 8 <= text.size()) [[likely]]
        word = load_bytes(p + at) & first_bytes(left);
      else
        word = load_bytes(p + at, left);
      all |= word;
      return lowercase ? unicode::lower_ascii(word) : word;
    };
    const std::uint64_t h = hash_words(length, 0, read);
    if (unicode::is_ascii(all)) [[likely]]
      return h;
    scratch.token.clear();
    unicode::append_normalised(scratch.token, text.substr(begin, length), lowercase);
    return hash_bytes(scratch.token);
  }
  static void hash_shapes(std::string_view text, AnalyzerScratch& scratch) {
    scratch.shapes.clear();
    for (const auto& [begin, end] : scratch.tokens) {
      scratch.token.clear();
      append_shape(scratch.token, text.substr(begin, end - begin));
      scratch.shapes.push_back(hash_bytes(scratch.token, kShapeSalt));
    }
  }

  std::string flat(std::string_view covered) const {
    FlatText flat;
    flat.assign(covered, spec_.lowercase);
    return std::string(flat.bytes());
  }
  // The tokens of a part of a text, all or only the first and the last, with spaces between.
  template <class Write>
  std::string joined(std::string_view covered, AnalyzerScratch& scratch, bool outer,
                     Write&& write) const {
    tokenise(covered, scratch);
    std::string out;
    const std::size_t count = scratch.tokens.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (outer && i > 0 && i + 1 < count) continue;
      if (i > 0) out += ' ';
      const auto [begin, end] = scratch.tokens[i];
      write(out, covered.substr(begin, end - begin));
    }
    return out;
  }

  AnalyzerSpec spec_;
  HashSet stop_words_;
  bool any_tokens_ = false;
};

}  // namespace linnet
