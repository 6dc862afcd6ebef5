// Features of spans as sparse rows, computed when they are read: the sites of bracketings for
// learners that know nothing of spans.
#pragma once
#include "linnet/features/rows.hpp"
#include "linnet/phrases/span_templates.hpp"
#include "linnet/structures/brackets/bracketing.hpp"

namespace linnet {

class SpanRows final : public RowSource {
 public:
  // One row for each span, sentence by sentence, by begin, then end.
  SpanRows(const PhraseTokens& tokens, const SpanTemplates& templates)
      : tokens_(tokens), templates_(templates) {
    for (Index s = 0; s < tokens.sentences(); ++s)
      starts_.push_back(starts_.back() + Bracketing{tokens.words(s), 1}.spans());
  }
  Index size() const override { return starts_.back(); }
  Index features() const override { return templates_.features(); }
  std::span<const Index> starts() const { return starts_; }  // of each sentence
  Row read(Index row, RowBuffer& buffer) const override {
    Cache& cache = cache_of<Cache>(this, buffer);
    if (cache.sentence < 0 || row < starts_[cache.sentence] || row >= starts_[cache.sentence + 1]) {
      cache.sentence = std::upper_bound(starts_.begin(), starts_.end(), row) - starts_.begin() - 1;
      cache.seen.enter(tokens_, cache.sentence);
    }
    const Bracketing trees{tokens_.words(cache.sentence), 1};
    const auto [i, j] = trees.bounds(static_cast<Id>(row - starts_[cache.sentence]));
    buffer.index.clear();
    buffer.value.clear();
    templates_.of_span(cache.seen, i, j, [&](Id id) { buffer.index.push_back(id); });
    std::sort(buffer.index.begin(), buffer.index.end());
    std::size_t kept = 0;
    for (std::size_t k = 0; k < buffer.index.size(); ++k) {
      if (k > 0 && buffer.index[k] == buffer.index[kept - 1]) {
        buffer.value[kept - 1] += 1;
        continue;
      }
      buffer.index[kept++] = buffer.index[k];
      buffer.value.push_back(1);
    }
    return {buffer.index.data(), buffer.value.data(), static_cast<Id>(kept)};
  }

 private:
  struct Cache final : RowCache {
    std::uint64_t owner = 0;
    Index sentence = -1;
    PhraseSentence seen;
  };
  const PhraseTokens& tokens_;
  const SpanTemplates& templates_;
  std::vector<Index> starts_{0};
};

}  // namespace linnet
