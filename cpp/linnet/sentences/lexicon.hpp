// Lists of the user's: values of tokens (clusters, dictionaries) and of phrases (gazetteers). What
// is not there as it stands is looked for in lower case. Of equal keys the first one counts.
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "linnet/sentences/token_columns.hpp"
#include "linnet/text/keyed_hash.hpp"
#include "linnet/text/unicode.hpp"

namespace linnet {

class Lexicon {
 public:
  Lexicon(const Texts& keys, Texts values) : values_(std::move(values)) {
    if (keys.size() != values_.size())
      throw std::invalid_argument("a lexicon needs one value for each key");
    places_.reserve(static_cast<std::size_t>(keys.size()));
    for (Index i = 0; i < keys.size(); ++i) places_.try_emplace(hash_bytes(keys[i]), i);
  }

  std::optional<std::string_view> value_of(std::string_view token, std::string_view lower) const {
    auto found = places_.find(hash_bytes(token));
    if (found == places_.end()) found = places_.find(hash_bytes(lower));
    if (found == places_.end()) return std::nullopt;
    return values_[found->second];
  }

 private:
  Texts values_;
  std::unordered_map<std::uint64_t, Index, KeyedHash> places_;
};

// Phrases are tokens with spaces between them. In a sentence the longest phrase is found first from
// left to right; its first token has the value "B-value", the others "I-value" ("B" and "I" if the
// phrase's value is empty).
class Gazetteer {
 public:
  Gazetteer(const Texts& phrases, const Texts& values) {
    if (phrases.size() != values.size())
      throw std::invalid_argument("a gazetteer needs one value for each phrase");
    std::unordered_map<std::string_view, Id, KeyedHash> codes;
    for (Index i = 0; i < phrases.size(); ++i) {
      const auto [code, fresh] = codes.try_emplace(values[i], static_cast<Id>(tags_.size()));
      if (fresh) {
        const std::string value(values[i]);
        tags_.push_back(value.empty() ? "B" : "B-" + value);
        tags_.push_back(value.empty() ? "I" : "I-" + value);
      }
      add(phrases[i], code->second);
    }
  }

  // A column of its own; its values are the gazetteer's, which must live as long.
  TokenColumn match(const TokenColumns& sentences, Id column, int threads) const {
    const TokenColumn& tokens = sentences.column(column);
    std::vector<std::uint64_t> exact, lower;  // hashes of distinct tokens
    for (std::string_view token : tokens.values) {
      exact.push_back(hash_bytes(token));
      std::string lowered;
      unicode::append_normalised(lowered, token, true);
      lower.push_back(hash_bytes(lowered));
    }
    TokenColumn found;
    found.values.assign(tags_.begin(), tags_.end());
    found.codes.resize(tokens.codes.size(), kNoFeature);
    const std::vector<Index> shards = shard_starts(sentences.offsets());
    parallel_for(static_cast<Index>(shards.size()) - 1, threads, [&](Index s) {
      for (Index i = shards[s]; i < shards[s + 1]; ++i)
        for (Index t = sentences.offsets()[i]; t < sentences.offsets()[i + 1];) {
          const auto rest =
              tokens.codes.span().subspan(static_cast<std::size_t>(t),
                                          static_cast<std::size_t>(sentences.offsets()[i + 1] - t));
          const Match match = std::max(longest(rest, exact), longest(rest, lower), shorter);
          for (Index k = 0; k < match.length; ++k) found.codes[t + k] = match.code + (k > 0);
          t += std::max<Index>(match.length, 1);
        }
    });
    return found;
  }

 private:
  struct Match {
    Index length;
    Id code;
  };
  static bool shorter(const Match& a, const Match& b) { return a.length < b.length; }

  void add(std::string_view phrase, Id code) {
    std::uint64_t hash = 0, first = 0;
    Id length = 0;
    for (std::size_t begin; (begin = phrase.find_first_not_of(" \t")) != phrase.npos; ++length) {
      const std::size_t end = std::min(phrase.find_first_of(" \t", begin), phrase.size());
      const std::uint64_t token = hash_bytes(phrase.substr(begin, end - begin));
      if (length == 0) first = token;
      hash = combine(hash, token);
      phrase.remove_prefix(end);
    }
    if (length == 0) return;
    codes_.try_emplace(hash, code);
    Id& longest = longest_[first];
    longest = std::max(longest, length);
  }

  // The longest phrase at the beginning of `tokens`, whose hashes are these.
  Match longest(std::span<const Id> tokens, std::span<const std::uint64_t> hashes) const {
    Match best{0, 0};
    const auto hash_at = [&](Index k) { return hashes[static_cast<std::size_t>(tokens[k])]; };
    const auto first = longest_.find(hash_at(0));
    if (first == longest_.end()) return best;
    std::uint64_t hash = 0;
    for (Index k = 0; k < std::min<Index>(first->second, std::ssize(tokens)); ++k) {
      hash = combine(hash, hash_at(k));
      if (const auto found = codes_.find(hash); found != codes_.end())
        best = {k + 1, found->second};
    }
    return best;
  }

  std::vector<std::string> tags_;
  std::unordered_map<std::uint64_t, Id, KeyedHash>
      codes_;  // the place of "B-value", by the tokens' hash
  std::unordered_map<std::uint64_t, Id, KeyedHash> longest_;  // phrase, by its first token
};

}  // namespace linnet
