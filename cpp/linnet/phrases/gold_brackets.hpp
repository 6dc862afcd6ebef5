// The brackets of all training sentences, as arrays; of some only a part is known.
#pragma once
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "linnet/base/types.hpp"
#include "linnet/structures/brackets/bracketing.hpp"

namespace linnet {

class GoldBrackets {
 public:
  static constexpr Id kUnknown = -2;  // of a span, may be anything

  // Bracket k is label labels[k] over words [begins[k], ends[k]) of its sentence; those of sentence
  // s are [starts[s], starts[s + 1]). partial: 1 for sentences of which these are not all; or
  // empty. The caller keeps the arrays alive.
  GoldBrackets(std::span<const Index> starts, std::span<const Id> begins, std::span<const Id> ends,
               std::span<const Id> codes, Id labels, std::span<const std::uint8_t> partial)
      : starts_(starts),
        begins_(begins),
        ends_(ends),
        codes_(codes),
        labels_(labels),
        partial_(partial) {
    if (starts.empty() || starts.front() != 0 || starts.back() != std::ssize(begins) ||
        !std::is_sorted(starts.begin(), starts.end()) || begins.size() != ends.size() ||
        begins.size() != codes.size() || (!partial.empty() && partial.size() + 1 != starts.size()))
      throw std::invalid_argument("arrays of brackets do not fit together");
    for (const Id code : codes)
      if (code < 0 || code >= labels)
        throw std::invalid_argument("the label of a bracket is out of range");
  }
  Id labels() const { return labels_; }
  Index sentences() const { return std::ssize(starts_) - 1; }
  bool complete(Index s) const { return partial_.empty() || partial_[s] == 0; }
  bool any_partial() const {
    return std::any_of(partial_.begin(), partial_.end(), [](auto p) { return p != 0; });
  }

  // Do they fit sentences whose words are [offsets[s], offsets[s + 1])?
  void check(std::span<const Index> offsets) const {
    if (offsets.size() != starts_.size())
      throw std::invalid_argument("there must be brackets for each sentence");
    for (Index s = 0; s < sentences(); ++s) {
      const auto words = static_cast<Id>(offsets[s + 1] - offsets[s]);
      for (Index k = starts_[s]; k < starts_[s + 1]; ++k) {
        const bool again =
            k > starts_[s] && begins_[k] == begins_[k - 1] && ends_[k] == ends_[k - 1];
        if (begins_[k] < 0 || begins_[k] >= ends_[k] || ends_[k] > words || again)
          throw std::invalid_argument("sentence " + std::to_string(s) + ": the bracket [" +
                                      std::to_string(begins_[k]) + ", " + std::to_string(ends_[k]) +
                                      ") holds none of its words, or is there twice");
      }
    }
  }
  // visit(begin, end, label) for each bracket of a sentence.
  template <class Visit>
  void each(Index s, Visit&& visit) const {
    for (Index k = starts_[s]; k < starts_[s + 1]; ++k) visit(begins_[k], ends_[k], codes_[k]);
  }
  // By span: its label, -1 if it is no bracket, kUnknown if nobody knows.
  void find(Index s, const Bracketing& trees, std::vector<Id>& found) const {
    found.assign(static_cast<std::size_t>(trees.spans()), complete(s) ? -1 : kUnknown);
    if (!complete(s)) {
      const SpanDemands wanted = demands(s, trees);
      for (Id i = 0; i < trees.length; ++i)
        for (Id j = i + 1; j <= trees.length; ++j)
          if (wanted.crossed(i, j)) found[static_cast<std::size_t>(trees.span(i, j))] = -1;
    }
    for (Index k = starts_[s]; k < starts_[s + 1]; ++k)
      found[static_cast<std::size_t>(trees.span(begins_[k], ends_[k]))] = codes_[k];
  }
  SpanDemands demands(Index s, const Bracketing& trees) const {
    std::vector<std::pair<Id, Id>> wanted;
    for (Index k = starts_[s]; k < starts_[s + 1]; ++k) wanted.emplace_back(begins_[k], ends_[k]);
    return SpanDemands(trees.length, wanted);
  }

 private:
  std::span<const Index> starts_;
  std::span<const Id> begins_, ends_, codes_;
  Id labels_;
  std::span<const std::uint8_t> partial_;
};

}  // namespace linnet
