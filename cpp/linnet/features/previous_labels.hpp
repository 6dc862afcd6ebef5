// Tokens that see the label before them: the rows of a local classifier P(y_t | x, y_{t-1}), which
// is trained where the label before is known and becomes a chain when it is not.
#pragma once
#include <span>

#include "linnet/features/rows.hpp"

namespace linnet {

// Numbers of features: those of the token; the label before, one each; the start of a sentence, if
// `ends`; then for each label before the features of the pair, the constant one first.
struct PreviousLabelRows {
  std::vector<Index> indptr{0};
  std::vector<Id> index;
  std::vector<float> value;
  Index features = 0;

  // Requires labels in [0, num_labels) and offsets as of sentences over the rows.
  PreviousLabelRows(const Rows& rows, std::span<const Index> offsets, std::span<const Id> labels,
                    Id num_labels, bool ends, const Rows* pairs) {
    const Index before = rows.features(), start = before + num_labels;
    const Index first_pair = start + (ends ? 1 : 0);
    const Index block = pairs ? static_cast<Index>(pairs->features()) + 1 : 0;
    features = first_pair + num_labels * block;
    if (features > std::numeric_limits<Id>::max() - 8)
      throw std::invalid_argument(
          "more than 2^31 features of pairs of tokens and the label before");
    const auto put = [&](Index f, float v) {
      index.push_back(static_cast<Id>(f));
      value.push_back(v);
    };
    RowBuffer buffer;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
      for (Index t = offsets[s]; t < offsets[s + 1]; ++t) {
        const auto copy = [&](const Row& row, Index from) {
          for (Id k = 0; k < row.size; ++k) put(from + row.index[k], row.value[k]);
        };
        copy(rows.row(t, buffer), 0);
        if (t == offsets[s]) {
          if (ends) put(start, 1);
        } else {
          const Id a = labels[t - 1];
          put(before + a, 1);
          const Index base = first_pair + a * block;
          if (pairs && pairs->bias() != 0) put(base, pairs->bias());
          if (pairs) copy(pairs->row(t, buffer), base + 1);
        }
        indptr.push_back(static_cast<Index>(index.size()));
      }
  }
};

}  // namespace linnet
