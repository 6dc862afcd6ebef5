// From tokens to scores of arcs, and to the best relation of each arc, without rows in between.
// Blocks of sentences do not depend on the number of threads, and share nothing.
#pragma once
#include "linnet/arcs/arc_rows.hpp"
#include "linnet/features/sites.hpp"
#include "linnet/text/pipeline.hpp"

namespace linnet {

// Scores of all candidate arcs: w[0] is the weight of the constant feature, w[f + 1] of feature f.
// The sums are those of the rows, in float32 and another order.
inline void score_all_arcs(const ArcTokens& tokens, const CandidateArcs& arcs,
                           std::span<const float> w, float bias, int threads, float* out) {
  const auto offsets = tokens.sentences().offsets();
  check_arcs(arcs, offsets);
  if (std::ssize(w) != tokens.templates().features() + 1)
    throw std::invalid_argument("there must be a weight for each feature, and the constant first");
  if (tokens.templates().needs_tree())
    throw std::invalid_argument("templates of arcs to be chosen cannot look at the tree");
  const std::vector<Index> shards = shard_starts(offsets);
  const float constant = bias * w[0];
  StopPoll poll;
  parallel_for(std::ssize(shards) - 1, threads, [&](Index s) {
    poll();
    ArcSentence sentence;
    for (Index i = shards[s]; i < shards[s + 1]; ++i) {
      sentence.enter(tokens, i);
      const Index first = arcs.starts[offsets[i]], end = arcs.starts[offsets[i + 1]];
      score_arcs(sentence, arcs, offsets[i], w.data() + 1, out + first);
      if (constant != 0)
        for (Index a = first; a < end; ++a) out[a] += constant;
    }
  });
}

// The best of `width` relations of the arc heads[t] → t for each token, −1 where there is no head;
// of equal ones the first. w: [features + 1][padded(width)], the constant first. To the bit what
// rows and then scores give.
inline void best_relations(const ArcTokens& tokens, std::span<const Id> heads,
                           std::span<const float> w, Id width, float bias, int threads, Id* out) {
  const auto offsets = tokens.sentences().offsets();
  const Id stride = padded(width);
  if (width < 1 || std::ssize(w) != (tokens.templates().features() + 1) * stride)
    throw std::invalid_argument(
        "there must be a row of weights for each feature, the constant "
        "first");
  if (std::ssize(heads) != offsets.back())
    throw std::invalid_argument("there must be one head for each token");
  const std::vector<Index> shards = shard_starts(offsets);
  StopPoll poll;
  parallel_for(std::ssize(shards) - 1, threads, [&](Index s) {
    poll();
    ArcSentence sentence;
    ArcRowMaker maker;
    RowBuffer buffer;
    Buffer<float> sums(static_cast<std::size_t>(stride));
    for (Index i = shards[s]; i < shards[s + 1]; ++i) {
      const Index begin = offsets[i];
      const Id words = static_cast<Id>(offsets[i + 1] - begin);
      sentence.enter(tokens, i, heads.subspan(static_cast<std::size_t>(begin), words));
      for (Id m = 1; m <= words; ++m) {
        const Id head = heads[static_cast<std::size_t>(begin) + m - 1];
        if (head > words || head == m)
          throw std::invalid_argument("sentence " + std::to_string(i) + ", token " +
                                      std::to_string(m) + " has the head " + std::to_string(head));
        Id& best = out[begin + m - 1] = -1;
        if (head < 0) continue;
        const Row row = maker.make(sentence, head, m, buffer);
        for (Id k = 0; k < row.size; ++k)
          for (Id y = 0; y < stride; y += 16)
            LINNET_PREFETCH(w.data() + (static_cast<Index>(row.index[k]) + 1) * stride + y);
        detail::score_row(w.data(), stride, width, row, bias, sums.data());
        best = static_cast<Id>(std::max_element(sums.begin(), sums.begin() + width) - sums.begin());
      }
    }
  });
}

}  // namespace linnet
