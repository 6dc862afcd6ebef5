// Of phrases that are worth something each: the row of children of each that is worth most. So a
// tree is found that has most of what is expected, and what a phrase most likely consists of.
#pragma once
#include "linnet/phrases/phrase_items.hpp"

namespace linnet {

class BestRows {
 public:
  // gain(q): what phrase q is worth itself.
  template <class Gain>
  void find(const PhraseItems& items, Gain&& gain) {
    const auto size = static_cast<std::size_t>(items.size());
    value_.assign(size, 0.0);
    child_.clear();
    starts_.assign(1, 0);
    so_far_.resize(size);
    before_.resize(size);
    for (Id q = 0; q < items.phrases(); ++q) {
      const auto whole = static_cast<std::size_t>(items.words() + q);
      double best = -kInf;
      Id last = -1;
      items.rows(q, [&](Id item, std::span<const Id> from) {
        const bool first = item >= 0 && items.begin(item) == items.candidate(q).begin;
        double top = first ? 0.0 : -kInf;
        Id chosen = -1;
        for (const Id f : from)
          if (so_far_[static_cast<std::size_t>(f)] > top)
            top = so_far_[static_cast<std::size_t>(f)], chosen = f;
        if (item < 0) {
          best = top;
          last = chosen;
          return;
        }
        so_far_[static_cast<std::size_t>(item)] = top + value_[static_cast<std::size_t>(item)];
        before_[static_cast<std::size_t>(item)] = chosen;
      });
      value_[whole] = best + gain(q);
      const auto begin = child_.size();
      for (Id item = last; item >= 0; item = before_[static_cast<std::size_t>(item)])
        child_.push_back(item);
      std::reverse(child_.begin() + static_cast<std::ptrdiff_t>(begin), child_.end());
      starts_.push_back(child_.size());
    }
  }
  double value(Id item) const { return value_[static_cast<std::size_t>(item)]; }
  // In their order; none if the phrase cannot be built.
  std::span<const Id> children(Id q) const {
    const auto at = static_cast<std::size_t>(q);
    return std::span(child_).subspan(starts_[at], starts_[at + 1] - starts_[at]);
  }
  // visit(q) for the phrases of the tree below q, itself first.
  template <class Visit>
  void walk(const PhraseItems& items, Id q, Visit&& visit) const {
    std::vector<Id> open{q};
    while (!open.empty()) {
      const Id at = open.back();
      open.pop_back();
      visit(at);
      const auto row = children(at);
      for (auto child = row.rbegin(); child != row.rend(); ++child)
        if (items.phrase(*child) >= 0) open.push_back(items.phrase(*child));
    }
  }

 private:
  std::vector<double> value_, so_far_;
  std::vector<Id> before_, child_;
  std::vector<std::size_t> starts_;
};

}  // namespace linnet
