// The arcs of dependency trees. Word 0 is the artificial root, words 1..n are the sentence, and
// every one of them has exactly one head.
#pragma once
#include <algorithm>
#include <span>
#include <string>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/types.hpp"

namespace linnet {

// Arcs are numbered by modifier, then by head: with all arcs, "m has head h" is number
// (m - 1)(n + 1) + h, where the place of m itself stays empty; with a list of candidates for each
// word, the numbers follow the lists.
class Arcs {
 public:
  explicit Arcs(Id words) : words_(words) {
    if (words < 1) throw std::invalid_argument("a tree has at least one word");
    if ((words + 1.0) * words > std::numeric_limits<Id>::max())
      throw std::invalid_argument("a tree of " + std::to_string(words) +
                                  " words is too large: it has more than 2^31 arcs");
  }
  // Word m may have the heads candidates[offsets[m - 1] .. offsets[m]), in any order. The word
  // before it is always added, so that the chain 0 → 1 → ... → n is left: one tree, projective and
  // with one root.
  Arcs(std::span<const Id> offsets, std::span<const Id> candidates)
      : Arcs(static_cast<Id>(offsets.size()) - 1) {
    constexpr Id kKept = 0;
    number_.assign(static_cast<std::size_t>(cells()), -1);
    first_modifier_.assign(static_cast<std::size_t>(words_) + 2, 0);
    begin_.reserve(offsets.size());
    head_.reserve(candidates.size() + offsets.size());
    Steps steps;
    for (Id m = 1; m <= words_; ++m) {
      steps(words_);
      number_[cell(m - 1, m)] = kKept;
      for (Id c = offsets[m - 1]; c < offsets[m]; ++c) {
        const Id h = candidates[c];
        if (h < 0 || h > words_ || h == m)
          throw std::invalid_argument("word " + std::to_string(m) + " cannot have the head " +
                                      std::to_string(h));
        number_[cell(h, m)] = kKept;
      }
      begin_.push_back(static_cast<Id>(head_.size()));
      for (Id h = 0; h <= words_; ++h)
        if (Id& number = number_[cell(h, m)]; number == kKept) {
          number = static_cast<Id>(head_.size());
          head_.push_back(h);
          ++first_modifier_[h + 1];
        }
    }
    begin_.push_back(static_cast<Id>(head_.size()));
    for (Id h = 0; h <= words_; ++h) first_modifier_[h + 1] += first_modifier_[h];
    modifiers_.resize(head_.size());
    std::vector<Id> next = first_modifier_;
    for (Id m = 1; m <= words_; ++m)
      for (Id a = begin(m); a < end(m); ++a) modifiers_[next[head_[a]]++] = m;
  }

  Id words() const { return words_; }
  Id size() const { return pruned() ? static_cast<Id>(head_.size()) : cells(); }
  bool pruned() const { return !head_.empty(); }
  Id begin(Id modifier) const { return pruned() ? begin_[modifier - 1] : cell(0, modifier); }
  Id end(Id modifier) const { return begin(modifier + 1); }
  Id head(Id arc) const { return pruned() ? head_[arc] : arc % (words_ + 1); }
  // The number of an arc, or -1: a word is not its own head, and not every arc is a candidate.
  Id find(Id head, Id modifier) const {
    if (head == modifier) return -1;
    return pruned() ? number_[cell(head, modifier)] : cell(head, modifier);
  }

  // Calls f for every word strictly between two words that `head`, one of them, may govern.
  template <class F>
  void between(Id head, Id other, F&& f) const {
    const auto [low, high] = std::minmax(head, other);
    if (!pruned()) {
      for (Id m = low + 1; m < high; ++m) f(m);
      return;
    }
    const auto end = modifiers_.begin() + first_modifier_[head + 1];
    auto m = std::upper_bound(modifiers_.begin() + first_modifier_[head], end, low);
    for (; m != end && *m < high; ++m) f(*m);
  }

  // Matrices of arcs that kernels work on: [modifier - 1][head].
  Id cells() const { return words_ * (words_ + 1); }
  Id cell(Id head, Id modifier) const { return (modifier - 1) * (words_ + 1) + head; }

 private:
  Id words_;
  std::vector<Id> begin_, head_;                // of candidates
  std::vector<Id> number_;                      // of each cell
  std::vector<Id> first_modifier_, modifiers_;  // of each head, ascending
};

}  // namespace linnet
