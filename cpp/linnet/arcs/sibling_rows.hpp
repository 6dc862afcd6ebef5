// Features of arcs and their siblings as sparse rows, computed when they are read: the sites of
// trees of second order that follow their arcs.
#pragma once
#include "linnet/arcs/arc_rows.hpp"
#include "linnet/structures/siblings.hpp"

namespace linnet {

class SiblingRows final : public RowSource {
 public:
  // One row for each sibling part, sentence by sentence, in the order of `SiblingFactors`.
  SiblingRows(const ArcTokens& tokens, const CandidateArcs& arcs) : tokens_(tokens) {
    const auto offsets = tokens.sentences().offsets();
    check_arcs(arcs, offsets);
    std::vector<Id> begin;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
      if (offsets[i] < offsets[i + 1]) {
        const Index first = arcs.starts[offsets[i]], end = arcs.starts[offsets[i + 1]];
        begin.clear();
        for (Index t = offsets[i]; t <= offsets[i + 1]; ++t)
          begin.push_back(static_cast<Id>(arcs.starts[t] - first));
        add(Arcs(begin, arcs.heads.subspan(static_cast<std::size_t>(first),
                                           static_cast<std::size_t>(end - first))));
      }
      starts_.push_back(std::ssize(parts_));
    }
  }

  // Rows of sentence i are [starts[i], starts[i + 1]).
  std::span<const Index> starts() const { return starts_; }
  Index size() const override { return std::ssize(parts_); }
  Index features() const override { return tokens_.templates().features(); }
  Row read(Index i, RowBuffer& buffer) const override {
    Cache& cache = cache_of<Cache>(this, buffer);
    if (cache.sentence < 0 || i < starts_[cache.sentence] || i >= starts_[cache.sentence + 1]) {
      cache.sentence = std::upper_bound(starts_.begin(), starts_.end(), i) - starts_.begin() - 1;
      cache.seen.enter(tokens_, cache.sentence);
    }
    const Part& part = parts_[static_cast<std::size_t>(i)];
    return cache.maker.make_of(
        [&](auto&& visit) {
          cache.seen.each_sibling_feature(part.head, part.modifier, part.sibling, visit);
        },
        buffer);
  }

 private:
  struct Part {
    Id head, modifier, sibling;  // 0: none
  };
  struct Cache final : RowCache {
    std::uint64_t owner = 0;
    Index sentence = -1;
    ArcSentence seen;
    ArcRowMaker maker;
  };
  void add(Arcs arcs) {
    const SiblingFactors factors(ArcParts(std::move(arcs), 1));
    factors.arc_parts().each([&](Id m, Id h, Id a) {
      parts_.push_back({h, m, 0});
      factors.each(a, h, m, [&](Id s, Id) { parts_.push_back({h, m, s}); });
    });
  }

  const ArcTokens& tokens_;
  std::vector<Part> parts_;
  std::vector<Index> starts_{0};
};

}  // namespace linnet
