// The counts of documents as sparse rows, small while there are many of them: an id for each entry
// and, unless only presence matters, a byte for its count.
#pragma once
#include <span>
#include <utility>
#include <vector>

#include "linnet/base/page_array.hpp"
#include "linnet/base/thread_pool.hpp"
#include "linnet/text/vocabulary.hpp"
#include "linnet/text/weighting.hpp"

namespace linnet {

// Counts in a byte each; the few above 254 stand beside, in order.
class ByteCounts {
 public:
  bool empty() const { return bytes_.empty(); }
  void append(std::span<const std::uint32_t> counts) {
    std::size_t at = bytes_.size();
    bytes_.resize(at + counts.size());
    for (std::uint32_t count : counts) set(at++, count, large_.size());
  }
  // The counts at [begin, begin + out.size()).
  void read(std::size_t begin, std::span<std::uint32_t> out) const {
    const std::uint8_t* bytes = bytes_.data() + begin;
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = bytes[k];
    auto large = std::lower_bound(large_.begin(), large_.end(), begin,
                                  [](const Large& l, std::size_t at) { return l.first < at; });
    for (; large != large_.end() && large->first < begin + out.size(); ++large)
      out[large->first - begin] = large->second;
  }
  // Keeps the entries for which keep(place) is true, in place.
  template <class Keep>
  void filter(Keep&& keep) {
    std::size_t kept = 0, kept_large = 0, next_large = 0;
    for (std::size_t k = 0; k < bytes_.size(); ++k) {
      const bool large = bytes_[k] == kLarge;
      const std::uint32_t count = large ? large_[next_large++].second : bytes_[k];
      if (!keep(k)) continue;
      set(kept++, count, kept_large);
      kept_large += large;
    }
    large_.resize(kept_large);
    bytes_.shrink(kept);
  }

  using Large = std::pair<std::size_t, std::uint32_t>;  // place, count
  std::span<const std::uint8_t> bytes() const { return bytes_.span(); }
  std::span<const Large> large() const { return large_; }
  // What `bytes` and `large` have told.
  void restore(std::span<const std::uint8_t> bytes, std::vector<Large> large) {
    bytes_.resize(0);
    bytes_.append(bytes);
    large_ = std::move(large);
  }

 private:
  static constexpr std::uint8_t kLarge = 255;

  void set(std::size_t at, std::uint32_t count, std::size_t large_at) {
    bytes_[at] = count < kLarge ? static_cast<std::uint8_t>(count) : kLarge;
    if (count < kLarge) return;
    if (large_at == large_.size()) large_.emplace_back();
    large_[large_at] = {at, count};
  }
  PageArray<std::uint8_t> bytes_;
  std::vector<Large> large_;
};

// A row may consist of several parts, each weighed by itself: `starts` has one for each part.
struct CountedRows {
  Index parts = 1;
  std::vector<Index> starts{0};
  PageArray<Id> ids;
  ByteCounts counts;  // empty: only presence matters

  Index documents() const { return size() / parts; }
  Index size() const { return static_cast<Index>(starts.size()) - 1; }  // in parts
  std::span<const Id> row(Index i) const {
    return {ids.data() + starts[i], static_cast<std::size_t>(starts[i + 1] - starts[i])};
  }
  std::span<const std::uint32_t> counts_of(Index i, std::vector<std::uint32_t>& buffer) const {
    if (counts.empty()) return {};
    buffer.resize(row(i).size());
    counts.read(static_cast<std::size_t>(starts[i]), buffer);
    return buffer;
  }

  // Features get new numbers; those with none leave their rows.
  void renumber(std::span<const Id> renumbered) {
    if (!counts.empty())
      counts.filter([&](std::size_t k) { return renumbered[ids[k]] != kNoFeature; });
    Index kept = 0, begin = 0;
    for (Index i = 0; i < size(); ++i) {
      const Index end = starts[i + 1];
      for (Index k = begin; k < end; ++k) {
        const Id id = renumbered[ids[k]];
        ids[kept] = id;
        kept += id != kNoFeature;
      }
      begin = end;
      starts[i + 1] = kept;
    }
    ids.shrink(static_cast<std::size_t>(kept));
  }

  // In how many documents each feature occurs.
  std::vector<std::int64_t> document_frequencies(Index features) const {
    std::vector<std::int64_t> df(static_cast<std::size_t>(features));
    for (Id id : ids.span()) ++df[id];
    return df;
  }

  // The values of all entries, `values` being v or empty.
  PageArray<float> weigh(const Weighting& weighting, std::span<const float> values,
                         int threads) const {
    PageArray<float> x(ids.size());
    weighting.check(parts);
    constexpr Index kBlock = 256;
    parallel_for((documents() + kBlock - 1) / kBlock, threads, [&](Index block) {
      std::vector<std::uint32_t> buffer;
      for (Index i = block * kBlock; i < std::min(documents(), (block + 1) * kBlock); ++i) {
        PartMix mix(weighting);
        for (Index p = i * parts; p < (i + 1) * parts; ++p)
          mix.add(weighting.weigh(row(p), counts_of(p, buffer), values, x.data() + starts[p]));
        if (parts == 1) continue;
        for (Index p = i * parts; p < (i + 1) * parts; ++p) {
          const auto factor = static_cast<float>(mix.factor(p - i * parts));
          for (Index k = starts[p]; k < starts[p + 1]; ++k) x[k] *= factor;
        }
      }
    });
    return x;
  }
  // Where rows begin, whatever parts they have.
  std::vector<Index> row_starts() const {
    std::vector<Index> rows;
    rows.reserve(static_cast<std::size_t>(documents()) + 1);
    for (Index i = 0; i <= documents(); ++i) rows.push_back(starts[i * parts]);
    return rows;
  }
};

}  // namespace linnet
