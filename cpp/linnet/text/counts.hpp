// From texts to counts. Every document is cut into grams and these are counted among themselves
// (distinct.hpp) before anything is looked up, in batches whose memory has been asked for ahead.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "linnet/text/analyzer.hpp"
#include "linnet/text/counted_rows.hpp"
#include "linnet/text/distinct.hpp"
#include "linnet/text/numbering.hpp"
#include "linnet/text/pipeline.hpp"

namespace linnet {

// What is made of a few documents.
struct KnownShard {
  static constexpr std::size_t kAhead = 24;

  AnalyzerScratch scratch;
  DistinctHashes distinct;
  std::vector<std::uint64_t> hashes;  // of the grams of one document
  PageArray<std::uint64_t> found;     // the distinct ones
  std::vector<Id> numbers;
  PageArray<Id> ids;  // of all documents
  PageArray<std::uint32_t> counts;
  std::vector<std::size_t> ends;

  void clear() {
    ids.resize(0);
    counts.resize(0);
    ends.clear();
  }
  // The document whose grams are in `hashes`, part by part.
  template <class N>
  void add(const N& numbering, bool counted) {
    std::size_t begin = 0;
    for (std::size_t end : scratch.part_ends) {
      const auto part = std::span<const std::uint64_t>(hashes).subspan(begin, end - begin);
      add_part(part, numbering, counted);
      ends.push_back(ids.size());
      begin = end;
    }
  }

 private:
  // Distinct hashes first, then their numbers; different hashes have different numbers.
  template <class N>
  void add_part(std::span<const std::uint64_t> part, const N& numbering, bool counted) {
    const std::size_t begin = ids.size();
    found.resize(part.size() + 1);
    if (counted) counts.resize(begin + part.size() + 1);
    std::uint32_t* const count = counts.data() + begin;
    const auto gather = [&](auto&& candidate, auto&& met) {
      return distinct.gather(
          part, found.data(), [&](std::uint64_t hash) { return numbering.relevant(hash); },
          candidate, met);
    };
    const std::uint32_t size =
        counted ? gather([=](std::uint32_t place, std::uint64_t) { count[place] = 0; },
                         [=](std::uint32_t place) { ++count[place]; })
                : gather([](std::uint32_t, std::uint64_t) {}, [](std::uint32_t) {});
    ids.resize(begin + size);
    std::size_t at = begin;
    for (std::size_t k = 0; k < std::min<std::size_t>(kAhead, size); ++k)
      numbering.prefetch(found[k]);
    for (std::size_t k = 0; k < size; ++k) {
      if (k + kAhead < size) numbering.prefetch(found[k + kAhead]);
      ids[at] = numbering.find(found[k]);
      if (counted) counts[at] = count[k];
      at += ids[at] != kNoFeature;
    }
    ids.resize(at);
    if (counted) counts.resize(at);
  }
  // Two hashes may share a number: numbers first, then the distinct ones.
  void add_part(std::span<const std::uint64_t> part, const PackedNumbering& numbering,
                bool counted) {
    numbers.clear();
    for (std::uint64_t hash : part) numbering.prefetch(hash);
    for (std::uint64_t hash : part)
      if (const Id id = numbering.find(hash); id != kNoFeature) numbers.push_back(id);
    distinct.count(std::span<const Id>(numbers), [](Id id) {
      return static_cast<std::uint64_t>(id) * 0x9e3779b97f4a7c15ULL;  // odd: no two become one
    });
    for (std::uint32_t k : distinct.first()) ids.push_back(numbers[k]);
    if (counted) counts.append(distinct.counts());
  }
};

// Counts features that have their numbers already; others are left out.
inline CountedRows count_known(const Texts& texts, const Analyzer& analyzer,
                               const Numbering& numbering, bool counted, int threads) {
  CountedRows rows;
  rows.starts.reserve(static_cast<std::size_t>(texts.size()) + 1);
  rows.parts = static_cast<Index>(analyzer.parts());
  StopPoll poll;
  const std::vector<Index> starts = shard_starts(texts);
  make_and_take<KnownShard>(
      static_cast<Index>(starts.size()) - 1, threads,
      [&](Index s, KnownShard& shard) {
        shard.clear();
        for (Index i = starts[s]; i < starts[s + 1]; ++i) {
          poll();
          analyzer.hashes(texts[i], shard.scratch, shard.hashes);
          std::visit([&](const auto& kind) { shard.add(kind, counted); }, numbering);
        }
      },
      [&](KnownShard& shard) {
        const auto before = static_cast<Index>(rows.ids.size());
        rows.ids.append(shard.ids.span());
        if (counted) rows.counts.append(shard.counts.span());
        for (std::size_t end : shard.ends) rows.starts.push_back(before + static_cast<Index>(end));
      });
  return rows;
}

}  // namespace linnet
