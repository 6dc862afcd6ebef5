// What is certain of the trees of some sentences: spans that must be brackets, perhaps with a label
// that is given, and spans or labels that must not be there.
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "linnet/base/types.hpp"
#include "linnet/structures/brackets/span_demands.hpp"

namespace linnet {

class SpanRules {
 public:
  SpanRules() = default;
  // Rule k is of the words [begins[k], ends[k]) of its sentence, those of sentence s are
  // [starts[s], starts[s + 1]); label -1: any; must: 1 if the bracket must be there, 0 if not. The
  // caller keeps the arrays alive.
  SpanRules(std::span<const Index> starts, std::span<const Id> begins, std::span<const Id> ends,
            std::span<const Id> labels, std::span<const std::uint8_t> must, Id n_labels)
      : starts_(starts), begins_(begins), ends_(ends), labels_(labels), must_(must) {
    if (starts.empty()) return;
    if (starts.front() != 0 || starts.back() != std::ssize(begins) ||
        !std::is_sorted(starts.begin(), starts.end()) || begins.size() != ends.size() ||
        begins.size() != labels.size() || begins.size() != must.size())
      throw std::invalid_argument("arrays of what is certain do not fit together");
    for (const Id label : labels)
      if (label < -1 || label >= n_labels)
        throw std::invalid_argument("a label that is certain is out of range");
  }
  bool empty() const { return starts_.empty(); }
  bool any(Index s) const { return !empty() && starts_[s] < starts_[s + 1]; }
  Index sentences() const { return std::ssize(starts_) - 1; }
  // Spans that must be brackets.
  void wanted(Index s, std::vector<std::pair<Id, Id>>& found) const {
    found.clear();
    each(s, [&](Id i, Id j, Id, bool must) {
      if (must) found.emplace_back(i, j);
    });
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
  }
  SpanDemands demands(Index s, Id length) const {
    std::vector<std::pair<Id, Id>> spans;
    wanted(s, spans);
    return SpanDemands(length, spans);
  }
  // Scores of labels that must not be there become -inf.
  void apply(Index s, Id begin, Id end, std::span<float> scores) const {
    constexpr float kNever = -std::numeric_limits<float>::infinity();
    each(s, [&](Id i, Id j, Id label, bool must) {
      if (i != begin || j != end) return;
      for (std::size_t y = 0; y < scores.size(); ++y)
        if (must ? label >= 0 && static_cast<Id>(y) != label
                 : label < 0 || static_cast<Id>(y) == label)
          scores[y] = kNever;
    });
  }

 private:
  template <class Visit>
  void each(Index s, Visit&& visit) const {
    if (empty()) return;
    for (Index k = starts_[s]; k < starts_[s + 1]; ++k)
      visit(begins_[k], ends_[k], labels_[k], must_[k] != 0);
  }
  std::span<const Index> starts_;
  std::span<const Id> begins_, ends_, labels_;
  std::span<const std::uint8_t> must_;
};

}  // namespace linnet
