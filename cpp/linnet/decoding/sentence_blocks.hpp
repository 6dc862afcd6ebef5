// Sentences decoded in parallel: blocks of them do not depend on the number of threads and share
// nothing, nor do the results.
#pragma once
#include <mutex>

#include "linnet/decoding/token_input.hpp"

namespace linnet {

// Several outputs of one sentence.
struct SentenceOutputs {
  std::vector<double> scores;  // of k-best lists
  std::vector<Id> labels;      // [outputs][length]
};

inline void check_input(const TokenInput& input, Index features, int threads) {
  if (threads < 1) throw std::invalid_argument("threads must be at least 1");
  if (input.features() != features)
    throw std::invalid_argument("the tokens have " + std::to_string(input.features()) +
                                " features, but the weights are of " + std::to_string(features));
}

// visit(number, first token, length, scratch) of all sentences that are not empty. A scratch of
// `make` serves one thread at a time, and its enter(input, from, to) is told which ones come next.
template <class Make, class Visit>
void for_each_sentence(const TokenInput& input, int threads, Make&& make, Visit&& visit) {
  const std::span<const Index> offsets = input.offsets();
  const std::vector<Index> blocks = shard_starts(offsets);
  std::vector<decltype(make())> idle;
  std::mutex mutex;
  StopPoll poll;
  parallel_for(std::ssize(blocks) - 1, threads, [&](Index b) {
    decltype(make()) scratch;
    {
      const std::lock_guard lock(mutex);
      if (!idle.empty()) scratch = std::move(idle.back()), idle.pop_back();
    }
    if (!scratch) scratch = make();
    scratch->enter(input, blocks[b], blocks[b + 1]);
    for (Index i = blocks[b]; i < blocks[b + 1]; ++i) {
      poll();
      const Index length = offsets[i + 1] - offsets[i];
      if (length > 0) visit(i, offsets[i], length, *scratch);
    }
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(scratch));
  });
}

}  // namespace linnet
