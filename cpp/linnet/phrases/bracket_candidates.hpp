// Brackets that a first look has left for a second: of each sentence a list, with the logarithm of
// the probability that it gave them.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "linnet/base/types.hpp"

namespace linnet {

struct Candidate {
  Id begin, end, label;
  float log_p;
};

class BracketCandidates {
 public:
  // Those of sentence s are [starts[s], starts[s + 1]). The caller keeps the arrays alive.
  BracketCandidates(std::span<const Index> starts, std::span<const Id> begins,
                    std::span<const Id> ends, std::span<const Id> labels,
                    std::span<const float> log_p, Id n_labels)
      : starts_(starts), begins_(begins), ends_(ends), labels_(labels), log_p_(log_p) {
    if (starts.empty() || starts.front() != 0 || starts.back() != std::ssize(begins) ||
        !std::is_sorted(starts.begin(), starts.end()) || begins.size() != ends.size() ||
        begins.size() != labels.size() || begins.size() != log_p.size())
      throw std::invalid_argument("arrays of candidates do not fit together");
    for (std::size_t k = 0; k < labels.size(); ++k)
      if (labels[k] < 0 || labels[k] >= n_labels || !(log_p[k] <= 0))
        throw std::invalid_argument("the label or the probability of a candidate is out of range");
  }
  Index sentences() const { return std::ssize(starts_) - 1; }
  // By width, then begin, then label: what is inside of a bracket comes before it.
  static void in_order(std::vector<Candidate>& all) {
    std::sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
      const Id x = a.end - a.begin, y = b.end - b.begin;
      return x != y ? x < y : a.begin != b.begin ? a.begin < b.begin : a.label < b.label;
    });
  }
  // Those of a sentence, in order.
  void find(Index s, Id words, std::vector<Candidate>& found) const {
    found.clear();
    for (Index k = starts_[s]; k < starts_[s + 1]; ++k) {
      if (begins_[k] < 0 || begins_[k] >= ends_[k] || ends_[k] > words)
        throw std::invalid_argument("sentence " + std::to_string(s) +
                                    ": a candidate holds none of its words");
      found.push_back({begins_[k], ends_[k], labels_[k], log_p_[k]});
    }
    in_order(found);
    const auto same = [](const Candidate& a, const Candidate& b) {
      return a.begin == b.begin && a.end == b.end && a.label == b.label;
    };
    if (std::adjacent_find(found.begin(), found.end(), same) != found.end())
      throw std::invalid_argument("sentence " + std::to_string(s) + ": a candidate is there twice");
  }

 private:
  std::span<const Index> starts_;
  std::span<const Id> begins_, ends_, labels_;
  std::span<const float> log_p_;
};

}  // namespace linnet
