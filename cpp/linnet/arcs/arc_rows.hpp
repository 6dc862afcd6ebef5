// Features of arcs as sparse rows, computed when they are read: the sites of trees for learners
// that know nothing of arcs.
#pragma once
#include <array>

#include "linnet/arcs/arc_sentence.hpp"
#include "linnet/features/rows.hpp"

namespace linnet {

// Requires candidates for each token that are positions of its sentence and not itself, ascending.
inline void check_arcs(const CandidateArcs& arcs, std::span<const Index> offsets) {
  const Index tokens = offsets.back();
  if (std::ssize(arcs.starts) != tokens + 1 || arcs.starts.front() != 0 ||
      arcs.starts.back() != std::ssize(arcs.heads) ||
      !std::is_sorted(arcs.starts.begin(), arcs.starts.end()))
    throw std::invalid_argument("starts of arcs run from 0 to the number of arcs, one per token");
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    for (Index t = offsets[i]; t < offsets[i + 1]; ++t) {
      const Id words = static_cast<Id>(offsets[i + 1] - offsets[i]);
      const Id m = static_cast<Id>(t - offsets[i]) + 1;
      Id before = -1;
      for (Index a = arcs.starts[t]; a < arcs.starts[t + 1]; before = arcs.heads[a++])
        if (arcs.heads[a] <= before || arcs.heads[a] > words || arcs.heads[a] == m)
          throw std::invalid_argument("sentence " + std::to_string(i) + ", token " +
                                      std::to_string(m) + ": " + std::to_string(arcs.heads[a]) +
                                      " is no head, or not in ascending order");
    }
}

// Makes rows of distinct features. Which numbers a row has is known by a small table of their last
// bits; only if that has seen one is the row looked through.
class ArcRowMaker {
 public:
  Row make(const ArcSentence& sentence, Id head, Id modifier, RowBuffer& buffer) {
    return make_of([&](auto&& visit) { sentence.each_feature(head, modifier, visit); }, buffer);
  }
  // Of the features that `each` visits.
  template <class Each>
  Row make_of(Each&& each, RowBuffer& buffer) {
    buffer.index.clear();
    buffer.value.clear();
    ++row_;
    each([&](Id id) {
      std::uint64_t& seen = seen_[static_cast<std::size_t>(id) % seen_.size()];
      if (seen == row_) [[unlikely]]
        if (const auto same = std::find(buffer.index.begin(), buffer.index.end(), id);
            same != buffer.index.end()) {
          buffer.value[static_cast<std::size_t>(same - buffer.index.begin())] += 1;
          return;
        }
      seen = row_;
      buffer.index.push_back(id);
      buffer.value.push_back(1);
    });
    return {buffer.index.data(), buffer.value.data(), static_cast<Id>(buffer.index.size())};
  }

 private:
  std::array<std::uint64_t, 1024> seen_{};
  std::uint64_t row_ = 0;
};

class ArcRows final : public RowSource {
 public:
  // One row for each arc. `tree` holds the heads of all tokens, where templates look at it.
  ArcRows(const ArcTokens& tokens, const CandidateArcs& arcs, std::span<const Id> tree)
      : tokens_(tokens), arcs_(arcs), tree_(tree) {
    check_arcs(arcs, offsets());
    if (tokens.templates().needs_tree() && std::ssize(tree) != offsets().back())
      throw std::invalid_argument("templates look at a tree: the heads of all tokens are wanted");
  }

  Index size() const override { return std::ssize(arcs_.heads); }
  Index features() const override { return tokens_.templates().features(); }
  Row read(Index i, RowBuffer& buffer) const override {
    Cache& cache = cache_of<Cache>(this, buffer);
    const auto& starts = arcs_.starts;
    if (i < starts[cache.token] || i >= starts[cache.token + 1])
      cache.token = std::upper_bound(starts.begin(), starts.end(), i) - starts.begin() - 1;
    if (cache.sentence < 0 || cache.token < offsets()[cache.sentence] ||
        cache.token >= offsets()[cache.sentence + 1]) {
      cache.sentence = tokens_.sentences().sentence_of(cache.token);
      enter(cache.sentence, cache.seen);
    }
    const Id modifier = static_cast<Id>(cache.token - offsets()[cache.sentence]) + 1;
    return cache.maker.make(cache.seen, arcs_.heads[i], modifier, buffer);
  }

 private:
  struct Cache final : RowCache {
    std::uint64_t owner = 0;
    Index token = 0, sentence = -1;
    ArcSentence seen;
    ArcRowMaker maker;
  };
  std::span<const Index> offsets() const { return tokens_.sentences().offsets(); }
  void enter(Index sentence, ArcSentence& to) const {
    const Index begin = offsets()[sentence], size = offsets()[sentence + 1] - begin;
    to.enter(tokens_, sentence,
             tree_.empty()
                 ? tree_
                 : tree_.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(size)));
  }

  const ArcTokens& tokens_;
  CandidateArcs arcs_;
  std::span<const Id> tree_;
};

}  // namespace linnet
