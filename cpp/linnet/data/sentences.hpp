// Sentences of labelled tokens: token t of sentence i is token offsets[i] + t of all. A label of −1
// is missing.
#pragma once
#include <algorithm>
#include <span>
#include <stdexcept>

#include "linnet/base/types.hpp"

namespace linnet {

struct Sentences {
  std::span<const Index> offsets;
  std::span<const Id> labels;
  std::span<const double> weights;  // of sentences; empty: all 1
  Id num_labels;

  Index size() const { return static_cast<Index>(offsets.size()) - 1; }
  Index begin(Index i) const { return offsets[i]; }
  Index length(Index i) const { return offsets[i + 1] - offsets[i]; }
  double weight(Index i) const { return weights.empty() ? 1 : weights[i]; }
  std::span<const Id> gold(Index i) const {
    return labels.subspan(static_cast<std::size_t>(begin(i)), static_cast<std::size_t>(length(i)));
  }
  bool partial(Index i) const {
    const auto y = gold(i);
    return std::find(y.begin(), y.end(), -1) != y.end();
  }

  // Requires all arrays to be of `tokens` tokens.
  void check(Index tokens) const {
    if (offsets.empty() || offsets.front() != 0 || offsets.back() != tokens ||
        !std::is_sorted(offsets.begin(), offsets.end()))
      throw std::invalid_argument("offsets must run from 0 to the number of tokens");
    for (Index i = 0; i < size(); ++i)
      if (length(i) > std::numeric_limits<Id>::max())
        throw std::invalid_argument("a sentence has more than 2^31 tokens");
    if (!weights.empty() && static_cast<Index>(weights.size()) != size())
      throw std::invalid_argument("one weight per sentence is needed");
    for (double c : weights)
      if (!(c >= 0 && c < kInf))
        throw std::invalid_argument("weights must be finite, not negative");
  }
};

}  // namespace linnet
