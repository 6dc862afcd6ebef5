// Which child of a phrase is its head: searches of its label, tried one after the other. Children
// are named by codes: of labels, then of tags.
#pragma once
#include <algorithm>
#include <vector>

#include "linnet/base/types.hpp"

namespace linnet {

class HeadRules {
 public:
  HeadRules() = default;
  // Searches of label x are [starts[x], starts[x + 1]): from the left or the right for the first
  // child with one of the codes [begins[k], begins[k + 1]). kinds: of each code, kConjunction,
  // kPunctuation, or 0. last: for [label][code], 1 where a last child with this code is the head.
  static constexpr std::uint8_t kConjunction = 1, kPunctuation = 2;
  HeadRules(std::vector<Index> starts, std::vector<std::uint8_t> from_left,
            std::vector<Index> begins, std::vector<Id> codes, std::vector<std::uint8_t> kinds,
            std::vector<std::uint8_t> last)
      : starts_(std::move(starts)),
        from_left_(std::move(from_left)),
        begins_(std::move(begins)),
        codes_(std::move(codes)),
        kinds_(std::move(kinds)),
        last_(std::move(last)) {
    const bool fits = !starts_.empty() && starts_.front() == 0 &&
                      std::is_sorted(starts_.begin(), starts_.end()) &&
                      starts_.back() == std::ssize(from_left_) &&
                      begins_.size() == from_left_.size() + 1 && begins_.front() == 0 &&
                      std::is_sorted(begins_.begin(), begins_.end()) &&
                      begins_.back() == std::ssize(codes_) &&
                      last_.size() == kinds_.size() * (starts_.size() - 1);
    if (!fits) throw std::invalid_argument("arrays of rules of heads do not fit together");
  }
  Id labels() const { return static_cast<Id>(starts_.size()) - 1; }
  Id codes() const { return static_cast<Id>(kinds_.size()); }

  // The place of the head among the children of a phrase, of which there is one at least.
  Id head(Id label, std::span<const Id> children) const {
    const auto count = static_cast<Id>(children.size());
    if (last_[static_cast<std::size_t>(label) * kinds_.size() + kind_at(children.back())])
      return count - 1;
    return first_conjunct(found(label, children), children);
  }

 private:
  std::size_t kind_at(Id code) const { return static_cast<std::size_t>(code); }
  Id found(Id label, std::span<const Id> children) const {
    const auto count = static_cast<Id>(children.size());
    bool left = true;
    for (Index k = starts_[label]; k < starts_[label + 1]; ++k) {
      left = from_left_[k] != 0;
      const std::span<const Id> wanted(codes_.data() + begins_[k], codes_.data() + begins_[k + 1]);
      for (Id c = 0; c < count; ++c) {
        const Id at = left ? c : count - 1 - c;
        if (std::find(wanted.begin(), wanted.end(), children[at]) != wanted.end()) return at;
      }
    }
    return left ? 0 : count - 1;
  }
  // What stands before a conjunction that stands before the head, but no punctuation.
  Id first_conjunct(Id head, std::span<const Id> children) const {
    if (head < 2 || kinds_[kind_at(children[head - 1])] != kConjunction) return head;
    Id before = head - 2;
    while (before >= 0 && kinds_[kind_at(children[before])] == kPunctuation) --before;
    return before >= 0 ? before : head;
  }

  std::vector<Index> starts_{0};
  std::vector<std::uint8_t> from_left_;
  std::vector<Index> begins_{0};
  std::vector<Id> codes_;
  std::vector<std::uint8_t> kinds_, last_;
};

}  // namespace linnet
