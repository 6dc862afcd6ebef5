// Sparse rows of token features: numbers of features from the hashes that templates give, and from
// attributes that came with the tokens. The value of a feature is the sum of what gives it.
#pragma once
#include <array>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "linnet/base/interrupt.hpp"
#include "linnet/sentences/templates.hpp"
#include "linnet/text/feature_counter.hpp"
#include "linnet/text/numbering.hpp"
#include "linnet/text/pipeline.hpp"

namespace linnet {

struct TokenRows {
  std::vector<Index> starts{0};
  PageArray<Id> ids;
  PageArray<float> values;  // none while `ones`: all are 1
  bool ones = false;

  // Values of their own from here on.
  void need_values() {
    if (!std::exchange(ones, false)) return;
    values.resize(0);
    values.resize(ids.size(), 1.f);
  }
  void append(const TokenRows& more) {
    const auto before = static_cast<Index>(ids.size());
    ids.append(more.ids.span());
    values.append(more.values.span());
    for (std::size_t i = 1; i < more.starts.size(); ++i) starts.push_back(before + more.starts[i]);
  }
  void clear() {
    starts.assign(1, 0);
    ids.resize(0);
    values.resize(0);
  }
  // Features get new numbers; those with none leave their rows.
  void renumber(std::span<const Id> renumbered) {
    Index kept = 0, begin = 0;
    for (std::size_t i = 1; i < starts.size(); ++i) {
      const Index end = starts[i];
      for (Index k = begin; k < end; ++k) {
        const Id id = renumbered[ids[k]];
        ids[kept] = id;
        if (!ones) values[kept] = values[k];
        kept += id != kNoFeature;
      }
      begin = end;
      starts[i] = kept;
    }
    ids.shrink(static_cast<std::size_t>(kept));
    if (!ones) values.shrink(static_cast<std::size_t>(kept));
  }
};

// Attributes with values that the user made himself: rows (starts, ids, values) over names.
struct OwnAttributes {
  std::span<const Index> starts{};
  std::span<const Id> ids{};
  std::span<const float> values{};
  std::span<const std::string_view> names{};
  std::vector<std::uint64_t> hashes{};

  OwnAttributes() = default;
  OwnAttributes(std::span<const Index> row_starts, std::span<const Id> row_ids,
                std::span<const float> row_values, std::span<const std::string_view> all_names)
      : starts(row_starts), ids(row_ids), values(row_values), names(all_names) {
    if (starts.empty() || starts.front() != 0 || starts.back() != std::ssize(ids) ||
        !std::is_sorted(starts.begin(), starts.end()) || ids.size() != values.size())
      throw std::invalid_argument("the rows of attributes are damaged");
    for (Id id : ids)
      if (id < 0 || id >= std::ssize(names))
        throw std::invalid_argument("an attribute has no name");
    for (std::string_view name : names) hashes.push_back(combine(kHashSalts[7], hash_bytes(name)));
  }
};

// The features of a few sentences, not yet numbered.
struct TokenHashes {
  TemplateHashes::Scratch scratch;
  std::vector<std::uint64_t> hashes;
  std::vector<std::uint32_t> which;  // template that gave it; beyond these, the attribute
  std::vector<float> values;         // of attributes only
  std::vector<std::size_t> ends;     // of each token
  Index first = 0;                   // token
  static constexpr Index kTogether = 1024;

  void read(const TemplateHashes& templates, const OwnAttributes& own, Index from, Index to) {
    const std::span<const Index> offsets = templates.sentences().offsets();
    const auto most = static_cast<std::size_t>(templates.templates().size());
    const auto tokens = static_cast<std::size_t>(offsets[to] - offsets[from]);
    first = offsets[from];
    const std::size_t more =
        own.starts.empty() ? 0
                           : static_cast<std::size_t>(own.starts[offsets[to]] - own.starts[first]);
    hashes.resize(tokens * most + more);
    which.resize(hashes.size());
    values.clear();
    ends.clear();
    std::size_t at = 0;
    Steps steps;
    for (Index i = from; i < to; ++i) {
      templates.enter(i, scratch);
      for (Index t = offsets[i], pause = t; t < offsets[i + 1]; ++t) {
        if (t == pause) [[unlikely]]
          steps(std::min(kTogether, offsets[i + 1] - t) * static_cast<Index>(most + 1) * 16),
              pause += kTogether;
        at += templates.hashes(scratch, t - offsets[i], hashes.data() + at, which.data() + at);
        if (!own.starts.empty())
          for (Index k = own.starts[t]; k < own.starts[t + 1]; ++k, ++at) {
            hashes[at] = own.hashes[own.ids[k]];
            which[at] = static_cast<std::uint32_t>(most) + static_cast<std::uint32_t>(own.ids[k]);
            values.resize(at, 1.f);
            values.push_back(own.values[k]);
          }
        ends.push_back(at);
      }
    }
    hashes.resize(at);
    if (!values.empty()) values.resize(at, 1.f);
  }
};

// Adds rows while summing what falls on the same number. Which numbers a row has is known by a
// small table of their last bits; only if that has seen one is the row looked through.
class RowSums {
 public:
  // find(k) is the number of entry k, or kNoFeature.
  template <class Prefetch, class Find>
  void append(const TokenHashes& entries, TokenRows& rows, Prefetch&& prefetch, Find&& find) {
    constexpr std::size_t kAhead = 32;
    const std::size_t size = entries.hashes.size();
    std::size_t at = rows.ids.size(), k = 0;
    if (!entries.values.empty()) rows.need_values();
    rows.ids.resize(at + size);
    if (!rows.ones) rows.values.resize(at + size);
    Id* const ids = rows.ids.data();
    float* values = rows.ones ? nullptr : rows.values.data();
    for (std::size_t end : entries.ends) {
      const std::size_t begin = at;
      ++row_;
      for (; k < end; ++k) {
        if (k + kAhead < size) prefetch(entries.hashes[k + kAhead]);
        const Id id = find(k);
        if (id == kNoFeature) continue;
        const float x = entries.values.empty() ? 1.f : entries.values[k];
        std::uint64_t& seen = seen_[static_cast<std::size_t>(id) % seen_.size()];
        if (seen == row_) [[unlikely]]
          if (const Id* same = std::find(ids + begin, ids + at, id); same != ids + at) {
            rows.need_values();
            values = rows.values.data();
            values[same - ids] += x;
            continue;
          }
        seen = row_;
        ids[at] = id;
        if (values) values[at] = x;
        ++at;
      }
      rows.starts.push_back(static_cast<Index>(at));
    }
    rows.ids.resize(at);
    if (!rows.ones) rows.values.resize(at);
  }

 private:
  std::array<std::uint64_t, 1024> seen_{};  // the last row with a number that ends so
  std::uint64_t row_ = 0;
};

// Rows of sentences [from, to); features that have no number are left out.
inline void read_known(const TemplateHashes& templates, const OwnAttributes& own,
                       const Numbering& numbering, Index from, Index to, TokenHashes& hashes,
                       RowSums& sums, TokenRows& rows) {
  hashes.read(templates, own, from, to);
  rows.clear();
  std::visit(
      [&](const auto& kind) {
        sums.append(
            hashes, rows, [&](std::uint64_t hash) { kind.prefetch(hash); },
            [&](std::size_t k) { return kind.find(hashes.hashes[k]); });
      },
      numbering);
}

// Rows of all sentences.
inline TokenRows known_rows(const TemplateHashes& templates, const OwnAttributes& own,
                            const Numbering& numbering, int threads) {
  struct Shard {
    TokenHashes hashes;
    RowSums sums;
    TokenRows rows;
  };
  TokenRows rows;
  rows.starts.reserve(static_cast<std::size_t>(templates.sentences().tokens()) + 1);
  StopPoll poll;
  const std::vector<Index> starts = shard_starts(templates.sentences().offsets());
  make_and_take<Shard>(
      std::ssize(starts) - 1, threads,
      [&](Index s, Shard& shard) {
        poll();
        read_known(templates, own, numbering, starts[s], starts[s + 1], shard.hashes, shard.sums,
                   shard.rows);
      },
      [&](const Shard& shard) { rows.append(shard.rows); });
  return rows;
}

// A token that has a feature, and the template that gave it; beyond these, the attribute.
struct FirstSeen {
  Index token;
  std::uint32_t which;
};

inline void name_features(const Templates& templates, const TokenColumns& sentences,
                          const GivenFlags& given, std::span<const std::string_view> attributes,
                          std::span<const FirstSeen> seen, Names& names) {
  FeatureNames made(templates, sentences, given);
  std::string name;
  for (const auto& [token, which] : seen) {
    name.clear();
    const Index m = which;
    if (m < templates.size())
      made.append(m, token, name);
    else
      name = attributes[m - templates.size()];
    names.append(name);
  }
}

// Learns features while it makes rows: numbers by first occurrence, in how many tokens each occurs,
// and names.
class TokenFeatureCounter {
 public:
  TokenFeatureCounter() = default;
  // Continues from features that were counted before.
  TokenFeatureCounter(std::span<const std::uint64_t> hashes, std::span<const std::uint32_t> df,
                      std::span<const char> name_bytes, std::span<const std::int64_t> name_offsets)
      : vocabulary_(hashes) {
    if (df.size() != hashes.size() || name_offsets.size() != hashes.size() + 1)
      throw std::invalid_argument("a vocabulary needs one hash, count and name for each feature");
    df_.append(df);
    names_.bytes.append(name_bytes);
    names_.offsets.assign(name_offsets.begin(), name_offsets.end());
  }

  const Vocabulary& vocabulary() const { return vocabulary_; }
  std::span<const std::uint32_t> document_frequencies() const { return df_.span(); }
  const Names& names() const { return names_; }

  // Of the new features, those stay that occur in at least `lowest` tokens, of these the `most`
  // frequent (of equally frequent ones those seen first). Unless `named`, new ones have no names,
  // and what `take_first` gives is for `name_features`.
  TokenRows learn(const TemplateHashes& templates, const OwnAttributes& own, double lowest,
                  Index most, int threads, bool named = true) {
    const Index known = vocabulary_.size();
    std::vector<FirstSeen> first;
    TokenRows rows;
    try {
      rows = intern(templates, own, first, threads);
    } catch (...) {
      std::vector<Id> before(static_cast<std::size_t>(vocabulary_.size()), kNoFeature);
      std::iota(before.begin(), before.begin() + known, 0);
      vocabulary_.keep(before);
      throw;
    }
    df_.resize(static_cast<std::size_t>(vocabulary_.size()), 0);
    for (Id id : rows.ids.span()) ++df_[id];
    select(known, lowest, most, first, rows);
    if (named)
      name_features(templates.templates(), templates.sentences(), templates.given(), own.names,
                    first, names_);
    else
      names_.offsets.resize(static_cast<std::size_t>(vocabulary_.size()) + 1,
                            names_.offsets.back());
    if (!named) first_ = std::move(first);
    return rows;
  }

  // Where the features that got no names were seen first.
  std::vector<FirstSeen> take_first() { return std::exchange(first_, {}); }

  // What another one has counted in later tokens: features that are new get the next numbers, in
  // its order, as if their tokens had been seen here.
  void merge(std::span<const std::uint64_t> hashes, std::span<const std::uint32_t> df,
             std::string_view name_bytes, std::span<const std::int64_t> name_offsets) {
    if (df.size() != hashes.size() || name_offsets.size() != hashes.size() + 1)
      throw std::invalid_argument("there must be a number and a name for each feature");
    std::vector<Id> ids(hashes.size());
    for (std::size_t k = 0; k < hashes.size(); ++k) {
      const Index known = vocabulary_.size();
      ids[k] = vocabulary_.intern(hashes[k]);
      if (ids[k] < known) continue;
      const auto begin = static_cast<std::size_t>(name_offsets[k]),
                 end = static_cast<std::size_t>(name_offsets[k + 1]);
      if (begin > end || end > name_bytes.size())
        throw std::invalid_argument("the names of features are damaged");
      names_.append(name_bytes.substr(begin, end - begin));
    }
    df_.resize(static_cast<std::size_t>(vocabulary_.size()), 0);
    for (std::size_t k = 0; k < hashes.size(); ++k) df_[ids[k]] += df[k];
  }

 private:
  TokenRows intern(const TemplateHashes& templates, const OwnAttributes& own,
                   std::vector<FirstSeen>& first, int threads) {
    TokenRows rows;
    rows.ones = true;
    rows.starts.reserve(static_cast<std::size_t>(templates.sentences().tokens()) + 1);
    RowSums sums;
    StopPoll poll;
    Id known = static_cast<Id>(vocabulary_.size());
    const std::vector<Index> starts = shard_starts(templates.sentences().offsets());
    make_and_take<TokenHashes>(
        std::ssize(starts) - 1, threads,
        [&](Index s, TokenHashes& shard) {
          poll();
          shard.read(templates, own, starts[s], starts[s + 1]);
        },
        [&](const TokenHashes& shard) {
          std::size_t row = 0;
          sums.append(
              shard, rows, [&](std::uint64_t hash) { vocabulary_.prefetch(hash); },
              [&](std::size_t k) {
                const Id id = vocabulary_.intern(shard.hashes[k]);
                if (id == known) {
                  while (shard.ends[row] <= k) ++row;
                  first.push_back({shard.first + static_cast<Index>(row), shard.which[k]});
                  ++known;
                }
                return id;
              });
        });
    return rows;
  }

  void select(Index known, double lowest, Index most, std::vector<FirstSeen>& first,
              TokenRows& rows) {
    std::vector<Id> kept;  // of the new ones
    for (Index id = known; id < vocabulary_.size(); ++id)
      if (df_[id] >= lowest) kept.push_back(static_cast<Id>(id));
    if (std::ssize(kept) > most) {
      std::nth_element(kept.begin(), kept.begin() + most, kept.end(),
                       [&](Id a, Id b) { return df_[a] != df_[b] ? df_[a] > df_[b] : a < b; });
      kept.resize(static_cast<std::size_t>(most));
      std::sort(kept.begin(), kept.end());
    }
    if (known + std::ssize(kept) == vocabulary_.size()) return;
    std::vector<Id> renumbered(static_cast<std::size_t>(vocabulary_.size()), kNoFeature);
    std::iota(renumbered.begin(), renumbered.begin() + known, 0);
    Index next = known;
    for (Id id : kept) {
      renumbered[id] = static_cast<Id>(next);
      df_[next] = df_[id];
      first[next++ - known] = first[id - known];
    }
    df_.shrink(static_cast<std::size_t>(next));
    first.resize(kept.size());
    vocabulary_.keep(renumbered);
    rows.renumber(renumbered);
  }

  Vocabulary vocabulary_;
  PageArray<std::uint32_t> df_;
  Names names_;
  std::vector<FirstSeen> first_;  // of features without names
};

}  // namespace linnet
