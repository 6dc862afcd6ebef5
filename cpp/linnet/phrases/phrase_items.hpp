// What phrases of a sentence may consist of: its words, which are items 0 to n - 1, and candidates,
// in their order. A row is a sequence of items, each of which begins where the one before it ends;
// the children of a phrase are a row from its begin to its end that is not the phrase's own span.
#pragma once
#include <utility>

#include "linnet/phrases/bracket_candidates.hpp"

namespace linnet {

class PhraseItems {
 public:
  using Spans = std::span<const std::pair<Id, Id>>;

  // candidates: as BracketCandidates::find leaves them; wanted: spans that must be brackets. The
  // caller keeps candidates alive.
  void enter(Id words, std::span<const Candidate> candidates, Spans wanted = {}) {
    words_ = words;
    candidates_ = candidates;
    begin_at_.resize(static_cast<std::size_t>(words) + 1);
    for (auto& items : begin_at_) items.clear();
    narrowest_.assign(static_cast<std::size_t>(size()), {0, words});
    for (Id item = 0; item < size(); ++item)
      if (find_narrowest(item, wanted))
        begin_at_[static_cast<std::size_t>(begin(item))].push_back(item);
  }
  Id words() const { return words_; }
  Id phrases() const { return static_cast<Id>(candidates_.size()); }
  Id size() const { return words_ + phrases(); }
  const Candidate& candidate(Id q) const { return candidates_[static_cast<std::size_t>(q)]; }
  Id phrase(Id item) const { return item - words_; }  // negative: a word
  Id begin(Id item) const { return item < words_ ? item : candidate(phrase(item)).begin; }
  Id end(Id item) const { return item < words_ ? item + 1 : candidate(phrase(item)).end; }
  std::span<const Id> that_begin(Id at) const { return begin_at_[static_cast<std::size_t>(at)]; }

  // May the item be a child of phrase q? No child lies in a span that must be a bracket while its
  // parent goes beyond.
  bool may_hold(Id q, Id item) const {
    const Candidate& parent = candidate(q);
    const Id i = begin(item), j = end(item);
    if (j > parent.end || (item >= words_ && i == parent.begin && j == parent.end)) return false;
    const auto [a, b] = narrowest_[static_cast<std::size_t>(item)];
    return !(parent.begin <= a && b <= parent.end && b - a < parent.end - parent.begin);
  }
  // visit(item, from) in the order of begins, for each item that a row of phrase q may reach; from:
  // the items, as visited before, that end where it begins, none for those at the begin of q.
  // visit(-1, from) at last, for the end.
  template <class Visit>
  void rows(Id q, Visit&& visit) const {
    const Candidate& parent = candidate(q);
    reached_.resize(static_cast<std::size_t>(words_) + 1);
    for (Id at = parent.begin; at <= parent.end; ++at)
      reached_[static_cast<std::size_t>(at)].clear();
    for (Id at = parent.begin; at < parent.end; ++at) {
      const auto& from = reached_[static_cast<std::size_t>(at)];
      if (at > parent.begin && from.empty()) continue;
      for (const Id item : that_begin(at)) {
        if (!may_hold(q, item)) continue;
        visit(item, std::span<const Id>(from));
        reached_[static_cast<std::size_t>(end(item))].push_back(item);
      }
    }
    visit(Id{-1}, std::span<const Id>(reached_[static_cast<std::size_t>(parent.end)]));
  }

 private:
  // Of the spans that must be brackets, the narrowest that holds more than this phrase, or this
  // word. False if the item crosses one of them: it is in no row.
  bool find_narrowest(Id item, Spans wanted) {
    const Id i = begin(item), j = end(item);
    auto& found = narrowest_[static_cast<std::size_t>(item)];
    for (const auto& span : wanted) {
      const auto [a, b] = span;
      if ((i < a && a < j && j < b) || (a < i && i < b && b < j)) return false;
      const bool holds = a <= i && j <= b && (item < words_ || j - i < b - a);
      if (holds && b - a < found.second - found.first) found = span;
    }
    return true;
  }

  Id words_ = 0;
  std::span<const Candidate> candidates_;
  std::vector<std::vector<Id>> begin_at_;
  std::vector<std::pair<Id, Id>> narrowest_;      // by item
  mutable std::vector<std::vector<Id>> reached_;  // by the place where items end
};

}  // namespace linnet
