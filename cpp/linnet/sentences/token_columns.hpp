// Sentences as columns of tokens. What is computed from a token is computed once for each distinct
// one: a column is the distinct strings and, for each token, which of them it is.
#pragma once
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "linnet/base/thread_pool.hpp"
#include "linnet/text/hash.hpp"
#include "linnet/text/texts.hpp"
#include "linnet/text/vocabulary.hpp"

namespace linnet {

struct TokenColumn {
  PageArray<Id> codes;  // of each token; kNoFeature if it has no value
  std::vector<std::string_view> values;
};

inline TokenColumn distinct_tokens(const Texts& tokens) {
  TokenColumn column;
  column.codes.resize(static_cast<std::size_t>(tokens.size()));
  Vocabulary seen;
  Id known = 0;
  for (Index t = 0; t < tokens.size(); ++t) {
    const Id code = column.codes[t] = seen.intern(hash_bytes(tokens[t]));
    if (code < known) continue;
    column.values.push_back(tokens[t]);
    ++known;
  }
  return column;
}

class TokenColumns {
 public:
  // Sentence i is tokens [offsets[i], offsets[i + 1]). The strings stay where they are.
  TokenColumns(std::span<const Texts* const> columns, std::span<const Index> offsets, int threads)
      : columns_(columns.size()), offsets_(offsets.begin(), offsets.end()) {
    if (offsets.empty() || offsets.front() != 0)
      throw std::invalid_argument("the offsets of sentences must begin with 0");
    for (std::size_t i = 1; i < offsets.size(); ++i)
      if (offsets[i] < offsets[i - 1])
        throw std::invalid_argument("sentence " + std::to_string(i - 1) + " ends before it begins");
    for (const Texts* column : columns)
      if (column->size() != tokens())
        throw std::invalid_argument("a column has " + std::to_string(column->size()) +
                                    " tokens, but the sentences have " + std::to_string(tokens()));
    parallel_for(static_cast<Index>(columns.size()), threads,
                 [&](Index c) { columns_[c] = distinct_tokens(*columns[c]); });
  }
  TokenColumns(const TokenColumns&) = delete;
  TokenColumns& operator=(const TokenColumns&) = delete;

  Index size() const { return static_cast<Index>(offsets_.size()) - 1; }
  Index tokens() const { return offsets_.back(); }
  std::span<const Index> offsets() const { return offsets_; }
  Id columns() const { return static_cast<Id>(columns_.size()); }
  const TokenColumn& column(Id c) const { return columns_[static_cast<std::size_t>(c)]; }
  void add(TokenColumn column) { columns_.push_back(std::move(column)); }

  // The sentence of a token.
  Index sentence_of(Index token) const {
    return std::upper_bound(offsets_.begin(), offsets_.end(), token) - offsets_.begin() - 1;
  }

 private:
  std::vector<TokenColumn> columns_;
  std::vector<Index> offsets_;
};

// Sentences cut into shards of some 512 tokens: shard s holds sentences [starts[s], starts[s + 1]).
inline std::vector<Index> shard_starts(std::span<const Index> offsets) {
  constexpr Index kTokens = 512;
  const Index size = std::ssize(offsets) - 1;
  std::vector<Index> starts{0};
  for (Index i = 1; i <= size; ++i)
    if (offsets[i] - offsets[starts.back()] >= kTokens) starts.push_back(i);
  if (starts.back() != size) starts.push_back(size);
  return starts;
}

}  // namespace linnet
