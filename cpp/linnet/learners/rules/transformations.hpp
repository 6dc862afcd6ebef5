// Transformation-based learning (Brill 1995): again and again the rule that mends most tags.
//
//   score(rule) = fixed - broken, over the places where its tag stands and its conditions hold
//   the best rule is the one of highest score; of equals the first by (template, from, to, values)
//
// What is learnt is what scoring every rule at every place anew would learn. Instead
// - `fixed` is counted for all rules: a rule that mends nothing is none, so each error lists its
// rules;
// - `broken` is a property of the pattern, whatever tag it puts there, and is counted when a rule
// is
//   the best by what it mends (its upper bound) and is not known yet, through the postings of its
//   rarest condition; from then on it is kept up to date;
// - after a rule, only places whose templates can see a changed tag are forgotten and met again
//   (the index of Ramshaw and Marcus 1994; Ngai and Florian 2001).
#pragma once
#include <algorithm>
#include <queue>

#include "linnet/base/interrupt.hpp"
#include "linnet/learners/rules/patterns.hpp"
#include "linnet/learners/rules/rule_templates.hpp"

namespace linnet::rules {

class TransformationLearner {
 public:
  // gold: the tag of each token, kNothing where it is missing.
  TransformationLearner(const std::vector<Template>& templates, PaddedColumns columns,
                        std::span<const Id> gold, Id tags)
      : templates_(templates),
        columns_(std::move(columns)),
        gold_(columns_.size(), kNothing),
        by_gold_(tags),
        patterns_(width_of(templates)),
        queue_(Later{this}),
        key_(width_of(templates), kNothing) {
    for (std::size_t i = 0; i < gold.size(); ++i) {
      const Index place = columns_.places()[i];
      gold_[place] = gold[i];
      if (gold[i] != kNothing) by_gold_[gold[i]].push_back(place);
    }
    index_postings();
  }

  // At most so many rules, of at least that score, and of at least that share of fixed among the
  // changes that fix or break.
  std::vector<Rule> learn(Index most, Index least_score, double least_accuracy) {
    std::vector<Rule> learnt;
    least_ = std::max<Index>(1, least_score);
    try {
      for (Index p : columns_.places())
        if (columns_.tags()[p] != gold_[p])  // no pattern has been counted that others could break
          for (std::size_t t = 0; t < templates_.size(); ++t) meet(static_cast<Id>(t), p, +1);
      settle();
      while (static_cast<Index>(learnt.size()) < most) {
        const Id best = best_rule(least_accuracy);
        if (best < 0) break;
        Rule rule = as_rule(best);
        apply_and_rescore(rule);
        learnt.push_back(std::move(rule));
        settle();
      }
    } catch (const Interrupted&) {  // what was learnt so far is a list of rules, too
      if (learnt.empty()) throw;
      interrupted_ = true;
    }
    return learnt;
  }

  bool interrupted() const { return interrupted_; }

 private:
  static constexpr Index kUncounted = -1, kNotQueued = -1;

  struct Known {  // of a pattern
    Index broken = kUncounted;
    Id first_rule = -1;  // of those with this pattern
    bool touched = false;
  };
  struct Candidate {  // a pattern, and the tag that it puts there
    Id pattern, to;
    Index fixed = 0;
    Index queued = kNotQueued;  // the bound that its entry in the queue was made with
    Id next = -1;
  };
  struct Entry {
    Index bound;
    Id rule;
  };
  struct Later {
    const TransformationLearner* self;
    bool operator()(const Entry& a, const Entry& b) const {
      return a.bound != b.bound ? a.bound < b.bound : self->comes_before(b.rule, a.rule);
    }
  };

  static std::size_t width_of(const std::vector<Template>& templates) {
    std::size_t most = 0;
    for (const Template& pattern : templates) most = std::max(most, pattern.size());
    return most + 2;
  }

  bool comes_before(Id a, Id b) const {
    const Id *x = patterns_.key(rules_[a].pattern), *y = patterns_.key(rules_[b].pattern);
    if (x[0] != y[0]) return x[0] < y[0];
    if (x[1] != y[1]) return x[1] < y[1];
    if (rules_[a].to != rules_[b].to) return rules_[a].to < rules_[b].to;
    const std::size_t width = templates_[x[0]].size() + 2;
    return std::lexicographical_compare(x + 2, x + width, y + 2, y + width);
  }

  // For each column that does not change, the places of each value.
  void index_postings() {
    Id columns = 1;
    for (const Template& pattern : templates_)
      for (const Condition& c : pattern) columns = std::max(columns, c.column + 1);
    postings_.resize(columns);
    for (Id c = 1; c < columns; ++c)
      for (Index p : columns_.places()) {
        const Id value = columns_.column(c)[p];
        if (value == kNothing) continue;
        if (value >= static_cast<Id>(postings_[c].size())) postings_[c].resize(value + 1);
        postings_[c][value].push_back(p);
      }
  }

  // ---------------------------------------------------------------- scores

  // All patterns of a template at a place, told as keys. A value at two offsets makes one pattern.
  template <class Told>
  void each_pattern(Id t, Index place, const Told& told) {
    const Template& pattern = templates_[t];
    std::fill(key_.begin(), key_.end(), kNothing);
    key_[0] = t;
    key_[1] = columns_.tags()[place];
    extend(pattern, 0, place, told);
  }

  template <class Told>
  void extend(const Template& pattern, std::size_t c, Index place, const Told& told) {
    if (c == pattern.size()) return told(key_.data());
    const Id* at = columns_.column(pattern[c].column).data() + place;
    const std::vector<Id>& offsets = pattern[c].offsets;
    for (std::size_t k = 0; k < offsets.size(); ++k) {
      const Id value = at[offsets[k]];
      bool seen = value == kNothing;
      for (std::size_t j = 0; j < k && !seen; ++j) seen = at[offsets[j]] == value;
      if (seen) continue;
      key_[c + 2] = value;
      extend(pattern, c + 1, place, told);
    }
    key_[c + 2] = kNothing;
  }

  // Counts what the patterns of a template fix or break at a place; sign -1 takes it back.
  void meet(Id t, Index place, int sign) {
    const Id right = gold_[place], tag = columns_.tags()[place];
    if (right == kNothing) return;
    steps_(50);
    each_pattern(t, place, [&](const Id* key) {
      if (tag != right) {
        const Id number = patterns_.intern(key);
        if (number == static_cast<Id>(known_.size())) known_.emplace_back();
        rules_[rule_of(number, right)].fixed += sign;
        touch(number);
      } else if (const Id number = known_.empty() ? -1 : patterns_.find(key);
                 number >= 0 && known_[number].broken != kUncounted) {
        known_[number].broken += sign;
        touch(number);
      }
    });
  }

  Id rule_of(Id pattern, Id to) {
    for (Id r = known_[pattern].first_rule; r >= 0; r = rules_[r].next)
      if (rules_[r].to == to) return r;
    rules_.push_back({.pattern = pattern, .to = to, .next = known_[pattern].first_rule});
    return known_[pattern].first_rule = static_cast<Id>(rules_.size()) - 1;
  }

  void touch(Id pattern) {
    if (!known_[pattern].touched) touched_.push_back(pattern);
    known_[pattern].touched = true;
  }

  Index bound(Id rule) const {
    return rules_[rule].fixed - std::max<Index>(0, known_[rules_[rule].pattern].broken);
  }

  // ---------------------------------------------------------------- the best rule

  // Whose bound has risen is in the queue with it; whose bound fell is found out when its turn
  // comes.
  void queue(Id rule) {
    const Index now = bound(rule);
    if (now < least_ || now <= rules_[rule].queued) return;
    rules_[rule].queued = now;
    queue_.push({now, rule});
  }

  void settle() {
    for (Id pattern : touched_) {
      known_[pattern].touched = false;
      for (Id r = known_[pattern].first_rule; r >= 0; r = rules_[r].next) queue(r);
    }
    touched_.clear();
  }

  Id best_rule(double least_accuracy) {
    std::vector<Id> inaccurate;
    Id best = -1;
    while (best < 0 && !queue_.empty()) {
      const auto [promised, rule] = queue_.top();
      queue_.pop();
      Candidate& candidate = rules_[rule];
      if (promised != candidate.queued) continue;  // there is a later entry
      candidate.queued = kNotQueued;
      Known& known = known_[candidate.pattern];
      if (bound(rule) == promised && known.broken == kUncounted)
        known.broken = count_broken(patterns_.key(candidate.pattern));
      if (bound(rule) < promised) {
        queue(rule);
      } else if (static_cast<double>(candidate.fixed) /
                     static_cast<double>(candidate.fixed + known.broken) <
                 least_accuracy) {
        inaccurate.push_back(rule);
      } else {
        best = rule;
      }
    }
    for (Id rule : inaccurate) queue(rule);
    if (best >= 0) touch(rules_[best].pattern);
    return best;
  }

  // Places that have the pattern and the right tag, by its rarest condition.
  Index count_broken(const Id* key) {
    const Template& pattern = templates_[key[0]];
    const Id from = key[1];
    const std::vector<Id>& tags = columns_.tags();
    std::size_t shortest = by_gold_[from].size();
    std::size_t rarest = pattern.size();
    for (std::size_t c = 0; c < pattern.size(); ++c) {
      if (pattern[c].column == 0) continue;
      const std::size_t length =
          postings_[pattern[c].column][key[c + 2]].size() * pattern[c].offsets.size();
      if (length < shortest) shortest = length, rarest = c;
    }
    steps_(static_cast<std::int64_t>(shortest) * 4);
    const auto breaks = [&](Index p) {
      return tags[p] == from && gold_[p] == from && columns_.matches(pattern, key + 2, p);
    };
    Index broken = 0;
    if (rarest == pattern.size()) {
      for (Index p : by_gold_[from]) broken += breaks(p);
      return broken;
    }
    const Condition& condition = pattern[rarest];
    const Id value = key[rarest + 2];
    const Id* column = columns_.column(condition.column).data();
    for (Index seen : postings_[condition.column][value])
      for (std::size_t k = 0; k < condition.offsets.size(); ++k) {
        const Index p = seen - condition.offsets[k];
        if (!breaks(p)) continue;
        bool before = false;  // met already, through another offset
        for (std::size_t j = 0; j < k; ++j) before |= column[p + condition.offsets[j]] == value;
        broken += !before;
      }
    return broken;
  }

  Rule as_rule(Id rule) const {
    const Candidate& found = rules_[rule];
    const Id* key = patterns_.key(found.pattern);
    const Id* end = key + 2 + templates_[key[0]].size();
    return {key[0], key[1], found.to, {key + 2, end}, found.fixed, known_[found.pattern].broken};
  }

  // ---------------------------------------------------------------- after a rule

  void apply_and_rescore(const Rule& rule) {
    std::vector<Index> changed;
    std::vector<std::vector<Index>> seeing(templates_.size());
    apply(rule, templates_[rule.pattern], columns_, changed, [&](const std::vector<Index>& places) {
      for (std::size_t t = 0; t < templates_.size(); ++t) {
        seeing[t] = places_seeing(templates_[t], places);
        for (Index p : seeing[t]) meet(static_cast<Id>(t), p, -1);
      }
    });
    for (std::size_t t = 0; t < templates_.size(); ++t)
      for (Index p : seeing[t]) meet(static_cast<Id>(t), p, +1);
  }

  // The changed places themselves, and those from which a condition sees one.
  static std::vector<Index> places_seeing(const Template& pattern,
                                          const std::vector<Index>& changed) {
    std::vector<Index> found = changed;
    for (const Condition& condition : pattern)
      if (condition.column == 0)
        for (Id offset : condition.offsets)
          for (Index p : changed) found.push_back(p - offset);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  const std::vector<Template>& templates_;
  PaddedColumns columns_;
  std::vector<Id> gold_;                                   // by place
  std::vector<std::vector<Index>> by_gold_;                // places, by their right tag
  std::vector<std::vector<std::vector<Index>>> postings_;  // places, by column and value
  Patterns patterns_;
  std::vector<Known> known_;  // by pattern
  std::vector<Candidate> rules_;
  std::vector<Id> touched_;  // patterns whose counts changed
  std::priority_queue<Entry, std::vector<Entry>, Later> queue_;
  std::vector<Id> key_;
  Index least_ = 1;
  Steps steps_;
  bool interrupted_ = false;
};

}  // namespace linnet::rules
