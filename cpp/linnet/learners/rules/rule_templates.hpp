// What rules look at: a template is a conjunction of conditions, a condition a column and offsets
// at one of which a value must stand. A rule is a template with values, a tag and the tag in its
// place.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "linnet/base/types.hpp"

namespace linnet::rules {

constexpr Id kNothing = -1;  // beyond a sentence, and what no rule knows

struct Condition {
  Id column;                // 0: the tag as it is at the moment
  std::vector<Id> offsets;  // any of which will do
};
using Template = std::vector<Condition>;

struct Rule {
  Id pattern;  // which template
  Id from, to;
  std::vector<Id> values;  // one for each condition
  Index fixed = 0;         // tags of the training data set right, less `broken`: its score
  Index broken = 0;
};

// Columns of tokens, column 0 the tags, with `margin` places of nothing around each sentence: what
// is beyond its ends needs no question.
class PaddedColumns {
 public:
  PaddedColumns(std::span<const Index> offsets, const std::vector<std::span<const Id>>& columns,
                Index first, Index last, Index margin) {
    const Index tokens = offsets[last] - offsets[first];
    const Index size = tokens + (last - first + 1) * margin;
    columns_.assign(columns.size(), std::vector<Id>(size, kNothing));
    place_.reserve(tokens);
    Index at = margin;
    for (Index s = first; s < last; ++s, at += margin)
      for (Index i = offsets[s]; i < offsets[s + 1]; ++i, ++at) {
        for (std::size_t c = 0; c < columns.size(); ++c) columns_[c][at] = columns[c][i];
        place_.push_back(at);
      }
  }

  Index size() const { return static_cast<Index>(columns_[0].size()); }
  // Where the tokens are, in order.
  const std::vector<Index>& places() const { return place_; }
  std::vector<Id>& tags() { return columns_[0]; }
  const std::vector<Id>& column(Id c) const { return columns_[c]; }

  bool holds(const Condition& condition, Id value, Index place) const {
    const Id* at = columns_[condition.column].data() + place;
    for (Id offset : condition.offsets)
      if (at[offset] == value) return true;
    return false;
  }

  bool matches(const Template& pattern, const Id* values, Index place) const {
    for (std::size_t c = 0; c < pattern.size(); ++c)
      if (!holds(pattern[c], values[c], place)) return false;
    return true;
  }

 private:
  std::vector<std::vector<Id>> columns_;
  std::vector<Index> place_;
};

inline Index margin_of(const std::vector<Template>& templates) {
  Index most = 0;
  for (const Template& pattern : templates)
    for (const Condition& condition : pattern)
      for (Id offset : condition.offsets)
        most = std::max<Index>(most, offset < 0 ? -offset : offset);
  return most;
}

// A rule changes all places at once: what it looks at is what was there before it.
// `changed` is told the places, in order.
template <class Changed>
void apply(const Rule& rule, const Template& pattern, PaddedColumns& columns,
           std::vector<Index>& found, const Changed& changed) {
  found.clear();
  std::vector<Id>& tags = columns.tags();
  constexpr Index kTogether = 32;  // places that are compared at once: few have the tag
  for (Index begin = 0, size = columns.size(); begin < size; begin += kTogether) {
    const Index end = std::min(size, begin + kTogether);
    Id any = 0;
    for (Index p = begin; p < end; ++p) any |= tags[p] == rule.from;
    if (!any) continue;
    for (Index p = begin; p < end; ++p)
      if (tags[p] == rule.from && columns.matches(pattern, rule.values.data(), p))
        found.push_back(p);
  }
  changed(found);
  for (Index p : found) tags[p] = rule.to;
}

}  // namespace linnet::rules
