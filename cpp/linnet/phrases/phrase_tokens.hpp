// Tokens as templates of phrases see them: a code for tag, word and class of each. Tags are
// numbered from 0, and some sets of them are counted within phrases.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "linnet/base/simd.hpp"
#include "linnet/base/types.hpp"
#include "linnet/text/hash.hpp"

namespace linnet {

class PhraseTokens {
 public:
  // Codes of all tokens, not negative; sentence i is tokens [offsets[i], offsets[i + 1]). sets:
  // [set][tag], 1 where a tag belongs to it. The caller keeps arrays alive.
  PhraseTokens(std::span<const Index> offsets, std::span<const Id> tags, std::span<const Id> words,
               std::span<const Id> classes, Id n_tags, std::span<const std::uint8_t> sets)
      : offsets_(offsets), codes_{tags, words, classes}, n_tags_(n_tags), sets_(sets) {
    if (offsets.empty() || offsets[0] != 0 || n_tags < 1)
      throw std::invalid_argument("offsets of sentences begin with 0, and there are tags");
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
      if (offsets[i + 1] < offsets[i])
        throw std::invalid_argument("offsets of sentences must not decrease");
    for (const auto& codes : codes_) {
      if (std::ssize(codes) != offsets.back())
        throw std::invalid_argument("there must be one code of each kind for each token");
      for (const Id code : codes)
        if (code < 0) throw std::invalid_argument("codes of tokens must not be negative");
    }
    for (const Id tag : tags)
      if (tag >= n_tags) throw std::invalid_argument("the code of a tag is out of range");
    if (sets.size() % static_cast<std::size_t>(n_tags) != 0)
      throw std::invalid_argument("sets of tags have an entry for each tag");
  }
  std::span<const Index> offsets() const { return offsets_; }
  Index sentences() const { return std::ssize(offsets_) - 1; }
  Id words(Index sentence) const {
    return static_cast<Id>(offsets_[sentence + 1] - offsets_[sentence]);
  }
  Id n_tags() const { return n_tags_; }
  Id n_sets() const { return static_cast<Id>(sets_.size()) / n_tags_; }
  std::span<const Id> codes(int view) const { return codes_[view]; }
  bool in_set(Id set, Id tag) const {
    return sets_[static_cast<std::size_t>(set * n_tags_ + tag)] != 0;
  }

 private:
  std::span<const Index> offsets_;
  std::span<const Id> codes_[3];
  Id n_tags_;
  std::span<const std::uint8_t> sets_;
};

// One sentence, with places before and after it.
class PhraseSentence {
 public:
  static constexpr Id kMargin = 8;

  void enter(const PhraseTokens& tokens, Index sentence) {
    words_ = tokens.words(sentence);
    const auto first = static_cast<std::size_t>(tokens.offsets()[sentence]);
    const std::size_t size = static_cast<std::size_t>(words_) + 2 * kMargin;
    for (int view = 0; view < 3; ++view) {
      auto& codes = codes_[view];
      codes.assign(size, kAfter);
      std::fill_n(codes.begin(), kMargin, kBefore);
      for (std::size_t t = 0; t < static_cast<std::size_t>(words_); ++t)
        codes[t + kMargin] = tokens.codes(view)[first + t] + kFirst;
    }
    tags_ = tokens.codes(0).subspan(first, static_cast<std::size_t>(words_));
    const Id sets = tokens.n_sets();
    counts_.assign(static_cast<std::size_t>(sets * (words_ + 1)), 0);
    for (Id set = 0; set < sets; ++set)
      for (Id t = 0; t < words_; ++t)
        counts_[static_cast<std::size_t>(set * (words_ + 1) + t + 1)] =
            counts_[static_cast<std::size_t>(set * (words_ + 1) + t)] +
            tokens.in_set(set, tags_[static_cast<std::size_t>(t)]);
  }
  Id words() const { return words_; }
  Id tag(Id at) const { return tags_[static_cast<std::size_t>(at)]; }
  LINNET_INLINE Id code(int view, Id at) const {
    return codes_[view][static_cast<std::size_t>(at + kMargin)];
  }
  Id count(Id set, Id begin, Id end) const {
    const Id* sums = counts_.data() + set * (words_ + 1);
    return sums[end] - sums[begin];
  }
  // A hash of the tags in order, that fits into a number of 63 bits.
  std::int64_t tags_between(Id begin, Id end) const {
    std::uint64_t hash = static_cast<std::uint64_t>(end - begin);
    for (Id t = begin; t < end; ++t) hash = combine(hash, static_cast<std::uint64_t>(code(0, t)));
    return static_cast<std::int64_t>(hash >> 1);
  }

 private:
  static constexpr Id kBefore = 1, kAfter = 2, kFirst = 3;
  Id words_ = 0;
  std::vector<Id> codes_[3];
  std::span<const Id> tags_;
  std::vector<Id> counts_;  // [set][place], of the tokens before
};

}  // namespace linnet
