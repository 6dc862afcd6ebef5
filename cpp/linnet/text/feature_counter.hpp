// A vocabulary that learns new features as it counts.
#pragma once
#include <algorithm>
#include <numeric>
#include <string_view>

#include "linnet/text/analyzer.hpp"
#include "linnet/text/counted_rows.hpp"
#include "linnet/text/distinct.hpp"
#include "linnet/text/pipeline.hpp"

namespace linnet {

// Names one after the other: name i is bytes [offsets[i], offsets[i + 1]).
struct Names {
  PageArray<char> bytes;
  std::vector<std::int64_t> offsets{0};

  void append(std::string_view name) {
    bytes.append(std::span<const char>(name.data(), name.size()));
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  void append(const Names& more) {
    const auto before = static_cast<std::int64_t>(bytes.size());
    bytes.append(more.bytes.span());
    for (std::size_t i = 1; i < more.offsets.size(); ++i)
      offsets.push_back(before + more.offsets[i]);
  }
  void clear() {
    bytes.resize(0);
    offsets.assign(1, 0);
  }
  // These alone (ascending), in place.
  void keep(std::span<const Id> kept) {
    std::int64_t end = 0;
    for (std::size_t k = 0; k < kept.size(); ++k) {
      const std::int64_t begin = offsets[kept[k]], size = offsets[kept[k] + 1] - begin;
      std::memmove(bytes.data() + end, bytes.data() + begin, static_cast<std::size_t>(size));
      offsets[k] = end;
      end += size;
    }
    offsets[kept.size()] = end;
    offsets.resize(kept.size() + 1);
    offsets.shrink_to_fit();
    bytes.shrink(static_cast<std::size_t>(end));
  }
};

// A vocabulary that learns new features as it counts, numbered by their first occurrence; in how
// many documents each occurs; their names.
class FeatureCounter {
 public:
  FeatureCounter() = default;
  // Continues from features that were counted before.
  FeatureCounter(std::span<const std::uint64_t> hashes, std::span<const std::uint32_t> df,
                 std::span<const char> name_bytes, std::span<const std::int64_t> name_offsets)
      : vocabulary_(hashes) {
    df_.append(df);
    names_.bytes.append(name_bytes);
    names_.offsets.assign(name_offsets.begin(), name_offsets.end());
    if (df.size() != hashes.size() || name_offsets.size() != hashes.size() + 1)
      throw std::invalid_argument("a vocabulary needs one hash, count and name for each feature");
  }

  const Vocabulary& vocabulary() const { return vocabulary_; }
  std::span<const std::uint32_t> document_frequencies() const { return df_.span(); }
  const Names& names() const { return names_; }

  CountedRows count(const Texts& texts, const Analyzer& analyzer, bool counted, int threads) {
    CountedRows rows;
    rows.starts.reserve(static_cast<std::size_t>(texts.size()) + 1);
    const Index known = vocabulary_.size();
    before_.assign(1, static_cast<Id>(known));
    first_.resize(0);
    try {
      count(texts, analyzer, counted, threads, rows);
    } catch (...) {
      forget(known);  // what has neither count nor name
      throw;
    }
    // Afterwards, not feature by feature, where the vocabulary has the cache for itself.
    df_.resize(static_cast<std::size_t>(vocabulary_.size()), 0);
    for (Id id : rows.ids.span()) ++df_[id];
    return rows;
  }

  // Keeps the features that occur in at least `lowest` and at most `highest` documents, of these
  // the `most` frequent (of equally frequent ones those seen first), in vocabulary and rows.
  void select(double lowest, double highest, Index most, CountedRows& rows) {
    std::vector<Id> kept = chosen(lowest, highest, most);
    if (static_cast<Index>(kept.size()) == vocabulary_.size()) return vocabulary_.settle();
    for (std::size_t k = 0; k < kept.size(); ++k) first_[k] = first_[kept[k]];
    first_.shrink(kept.size());
    for (Id& before : before_)  // how many of those kept were there before a document
      before = static_cast<Id>(std::lower_bound(kept.begin(), kept.end(), before) - kept.begin());
    const std::vector<Id> renumbered = keep(std::move(kept));
    rows.renumber(renumbered);
  }

  // The same of features that have their names, whose rows are elsewhere: the new number of each
  // feature, kNoFeature if it is gone. Nothing if all stay.
  std::vector<Id> prune(double lowest, double highest, Index most) {
    if (static_cast<Index>(names_.offsets.size()) != vocabulary_.size() + 1)
      throw std::invalid_argument("features are to be named before they are pruned");
    std::vector<Id> kept = chosen(lowest, highest, most);
    if (static_cast<Index>(kept.size()) == vocabulary_.size()) {
      vocabulary_.settle();
      return {};
    }
    names_.keep(kept);
    std::vector<Id> renumbered = keep(std::move(kept));
    before_.assign(1, static_cast<Id>(vocabulary_.size()));
    return renumbered;
  }

  // Features that were counted elsewhere, in texts that come after all these: those that are new
  // get the next numbers. The number of each.
  std::vector<Id> merge(std::span<const std::uint64_t> hashes, std::span<const std::uint32_t> df,
                        std::span<const char> name_bytes,
                        std::span<const std::int64_t> name_offsets) {
    constexpr std::size_t kAhead = 32;
    const std::size_t size = hashes.size();
    bool sound = df.size() == size && name_offsets.size() == size + 1 && name_offsets[0] == 0 &&
                 name_offsets[size] == static_cast<std::int64_t>(name_bytes.size());
    for (std::size_t k = 0; sound && k < size; ++k) sound = name_offsets[k] <= name_offsets[k + 1];
    if (!sound)
      throw std::invalid_argument("a vocabulary needs one hash, count and name for each feature");
    if (static_cast<Index>(names_.offsets.size()) != vocabulary_.size() + 1)
      throw std::invalid_argument("features are to be named before others are added");
    std::vector<Id> ids(size);
    for (std::size_t k = 0; k < size; ++k) {
      if (k + kAhead < size) vocabulary_.prefetch(hashes[k + kAhead]);
      const Index known = vocabulary_.size();
      const Id id = ids[k] = vocabulary_.intern(hashes[k]);
      if (id < known) {
        df_[id] += df[k];
        continue;
      }
      const auto begin = static_cast<std::size_t>(name_offsets[k]);
      df_.push_back(df[k]);
      names_.append({name_bytes.data() + begin, name_offsets[k + 1] - begin});
    }
    before_.assign(1, static_cast<Id>(vocabulary_.size()));
    return ids;
  }

  // Bytes of the vocabulary, as they will be once its table, if it is nearly full, has doubled.
  Index bytes() const {
    const Index size = vocabulary_.size(), slots = static_cast<Index>(vocabulary_.slots()->size());
    const Index table = 9 * slots < 20 * size ? 2 * slots : slots;
    return 8 * table + (8 + 4 + 8) * size + static_cast<Index>(names_.bytes.size());
  }

  // Names the features that were new in the texts counted last.
  void name(const Texts& texts, const Analyzer& analyzer, int threads) {
    constexpr Index kBlock = 256;  // texts
    const auto counted = static_cast<Index>(before_.size()) - 1;
    const auto parts = static_cast<Index>(analyzer.parts());
    if (counted != texts.size() * parts)
      throw std::invalid_argument("these are not the texts counted last");
    struct Shard {
      AnalyzerScratch scratch;
      Names names;
    };
    make_and_take<Shard>(
        (counted + kBlock - 1) / kBlock, threads,
        [&](Index block, Shard& shard) {
          shard.names.clear();
          for (Index i = block * kBlock; i < std::min(counted, (block + 1) * kBlock); ++i)
            for (Id id = before_[i]; id < before_[i + 1]; ++id) {
              const FirstSeen& seen = first_[id - before_[0]];
              const Gram gram{0, seen.begin, seen.end, seen.block, seen.pad};
              shard.names.append(analyzer.name(texts[i / parts], gram, shard.scratch));
            }
        },
        [&](const Shard& shard) { names_.append(shard.names); });
    first_ = PageArray<FirstSeen>();
    before_.assign(1, static_cast<Id>(vocabulary_.size()));
  }

 private:
  struct FirstSeen {  // the bytes of a feature where it first occurred
    std::uint32_t begin, end;
    std::uint16_t block;
    std::uint8_t pad;
  };

  // The distinct grams of a few documents.
  struct Shard {
    AnalyzerScratch scratch;
    DistinctHashes distinct;
    std::vector<Gram> grams;
    PageArray<std::uint64_t> hashes;
    PageArray<FirstSeen> places;
    PageArray<std::uint32_t> counts;
    std::vector<std::size_t> ends;

    void clear() {
      hashes.resize(0);
      ends.clear();
    }
    void add(std::string_view text, const Analyzer& analyzer, bool counted) {
      analyzer.grams(text, scratch, grams);
      std::size_t begin = 0;
      for (std::size_t end : scratch.part_ends) {
        add(std::span<const Gram>(grams).subspan(begin, end - begin), counted);
        begin = end;
      }
    }
    void add(std::span<const Gram> part, bool counted) {
      const std::size_t at = hashes.size(), room = at + part.size() + 1;
      hashes.resize(room);
      places.resize(room);
      if (counted) counts.resize(room);
      FirstSeen* const seen = places.data() + at;
      const auto gather = [&](auto&& start, auto&& met) {
        return distinct.gather(
            part, hashes.data() + at, [](const Gram& gram) { return gram.hash; },
            [&](std::uint32_t place, const Gram& gram) {
              seen[place] = {gram.begin, gram.end, gram.block, gram.pad};
              start(place);
            },
            met);
      };
      std::uint32_t* const count = counts.data() + at;
      const std::uint32_t size = counted ? gather([=](std::uint32_t place) { count[place] = 0; },
                                                  [=](std::uint32_t place) { ++count[place]; })
                                         : gather([](std::uint32_t) {}, [](std::uint32_t) {});
      hashes.resize(at + size);
      ends.push_back(at + size);
    }
  };

  void count(const Texts& texts, const Analyzer& analyzer, bool counted, int threads,
             CountedRows& rows) {
    StopPoll poll;
    rows.parts = static_cast<Index>(analyzer.parts());
    const std::vector<Index> starts = shard_starts(texts);
    make_and_take<Shard>(
        static_cast<Index>(starts.size()) - 1, threads,
        [&](Index s, Shard& shard) {
          shard.clear();
          for (Index i = starts[s]; i < starts[s + 1]; ++i) {
            poll();
            shard.add(texts[i], analyzer, counted);
          }
        },
        [&](const Shard& shard) {
          intern(shard, rows);
          if (counted) rows.counts.append(shard.counts.span().first(shard.hashes.size()));
        });
  }

  // Features that occur in so many documents, of these the `most` frequent, ascending.
  std::vector<Id> chosen(double lowest, double highest, Index most) const {
    std::vector<Id> kept;
    for (Index id = 0; id < vocabulary_.size(); ++id)
      if (df_[id] >= lowest && df_[id] <= highest) kept.push_back(static_cast<Id>(id));
    if (static_cast<Index>(kept.size()) > most) {
      std::nth_element(kept.begin(), kept.begin() + most, kept.end(),
                       [&](Id a, Id b) { return df_[a] != df_[b] ? df_[a] > df_[b] : a < b; });
      kept.resize(static_cast<std::size_t>(most));
      std::sort(kept.begin(), kept.end());
    }
    return kept;
  }

  // These features alone; their new numbers.
  std::vector<Id> keep(std::vector<Id> kept) {
    std::vector<Id> renumbered(static_cast<std::size_t>(vocabulary_.size()), kNoFeature);
    for (std::size_t k = 0; k < kept.size(); ++k) {
      renumbered[kept[k]] = static_cast<Id>(k);
      df_[k] = df_[kept[k]];
    }
    df_.shrink(kept.size());
    kept = {};
    vocabulary_.keep(renumbered);
    return renumbered;
  }

  // Back to the first `known` features.
  void forget(Index known) {
    std::vector<Id> renumbered(static_cast<std::size_t>(vocabulary_.size()), kNoFeature);
    std::iota(renumbered.begin(), renumbered.begin() + known, 0);
    vocabulary_.keep(renumbered);
    first_.resize(0);
  }

  void intern(const Shard& shard, CountedRows& rows) {
    constexpr std::size_t kAhead = 32;
    const std::size_t size = shard.hashes.size();
    std::size_t at = rows.ids.size(), k = 0;
    rows.ids.resize(at + size);
    Id known = static_cast<Id>(vocabulary_.size());
    for (std::size_t end : shard.ends) {
      for (; k < end; ++k) {
        if (k + kAhead < size) vocabulary_.prefetch(shard.hashes[k + kAhead]);
        const Id id = vocabulary_.intern(shard.hashes[k]);
        rows.ids[at++] = id;
        if (id == known) {
          first_.push_back(shard.places[k]);
          ++known;
        }
      }
      rows.starts.push_back(static_cast<Index>(at));
      before_.push_back(known);
    }
  }

  Vocabulary vocabulary_;
  PageArray<std::uint32_t> df_;
  PageArray<FirstSeen> first_;  // of features that have no name yet
  std::vector<Id> before_{0};   // the size of the vocabulary before each part of the last count
  Names names_;
};

}  // namespace linnet
