// Minimum risk over candidates: what a phrase adds to the number of brackets that are expected to
// be right, less a threshold for each. A label of several names is as many brackets, and each of
// them is right, too, where another label over the same words has the same name.
#pragma once
#include "linnet/phrases/forest_templates.hpp"
#include "linnet/phrases/phrase_items.hpp"

namespace linnet {

class ExpectedBrackets {
 public:
  // p: by candidate, its probability.
  void find(const PhraseItems& items, const LabelCodes& labels, std::span<const double> p,
            double threshold) {
    gain_.assign(p.size(), 0.0);
    for (Id first = 0, last; first < items.phrases(); first = last) {
      last = first + 1;  // those over the same words stand side by side
      while (last < items.phrases() && same_words(items, first, last)) ++last;
      for (Id q = first; q < last; ++q) {
        const auto names = labels.all(items.candidate(q).label);
        for (std::size_t k = 0; k < names.size(); ++k) {
          const auto so_often = std::count(
              names.begin(), names.begin() + static_cast<std::ptrdiff_t>(k) + 1, names[k]);
          double right = 0;
          for (Id other = first; other < last; ++other) {
            const auto theirs = labels.all(items.candidate(other).label);
            if (std::count(theirs.begin(), theirs.end(), names[k]) >= so_often)
              right += p[static_cast<std::size_t>(other)];
          }
          gain_[static_cast<std::size_t>(q)] += right - threshold;
        }
      }
    }
  }
  double gain(Id q) const { return gain_[static_cast<std::size_t>(q)]; }

 private:
  static bool same_words(const PhraseItems& items, Id a, Id b) {
    return items.candidate(a).begin == items.candidate(b).begin &&
           items.candidate(a).end == items.candidate(b).end;
  }
  std::vector<double> gain_;
};

}  // namespace linnet
