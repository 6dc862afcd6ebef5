// Transformation-based learning of labels of rows (Brill 1995): again and again the rule that sets
// most labels right, "from -> to if the row has feature f".
//
//   score(f, from, to) = N(f, from, to) - N(f, from, from)
//   N(f, now, gold): rows with feature f that are labelled `now` and should be `gold`
//
// A rule changes some rows, and what it changes in N are the entries of their features alone, so
// all scores are exact after each step. Of equal scores the first by (feature, from, to) is taken.
#pragma once
#include <queue>
#include <tuple>

#include "linnet/base/interrupt.hpp"
#include "linnet/learners/rules/patterns.hpp"

namespace linnet::rules {

struct RowRule {
  Id feature, from, to;
  Index fixed, broken;
};

class RowTransformations {
 public:
  // rows: (begin, features), each feature of a row once; now and gold: labels of rows.
  RowTransformations(std::span<const Index> begin, std::span<const Id> features, Id n_features,
                     std::vector<Id> now, std::span<const Id> gold)
      : begin_(begin), features_(features), now_(std::move(now)), gold_(gold), counted_(3) {
    postings_begin_.assign(n_features + 1, 0);
    for (Id f : features) ++postings_begin_[f + 1];
    for (Id f = 0; f < n_features; ++f) postings_begin_[f + 1] += postings_begin_[f];
    postings_.resize(features.size());
    std::vector<Index> next(postings_begin_.begin(), postings_begin_.end() - 1);
    for (Id i = 0; i < static_cast<Id>(gold.size()); ++i)
      for (Index k = begin[i]; k < begin[i + 1]; ++k) postings_[next[features[k]]++] = i;
  }

  // At most so many rules, each of at least that score.
  std::vector<RowRule> learn(Index most, Index least) {
    least_ = std::max<Index>(1, least);
    for (Id i = 0; i < static_cast<Id>(gold_.size()); ++i) count(i, +1);
    settle();
    std::vector<RowRule> learnt;
    while (static_cast<Index>(learnt.size()) < most && !queue_.empty()) {
      const Entry top = queue_.top();
      queue_.pop();
      const Index score = this->score(top.feature, top.from, top.to);
      if (score != top.score) {  // it fell since, and comes later
        if (score >= least_) queue_.push({score, top.feature, top.from, top.to});
        continue;
      }
      const Index broken = number(top.feature, top.from, top.from);
      learnt.push_back({top.feature, top.from, top.to, score + broken, broken});
      for (Index k = postings_begin_[top.feature]; k < postings_begin_[top.feature + 1]; ++k) {
        const Id row = postings_[k];
        if (now_[row] != top.from) continue;
        count(row, -1);
        now_[row] = top.to;
        count(row, +1);
      }
      settle();
    }
    return learnt;
  }

 private:
  struct Entry {
    Index score;
    Id feature, from, to;
    bool operator<(const Entry& b) const {
      if (score != b.score) return score < b.score;
      return std::tuple(feature, from, to) > std::tuple(b.feature, b.from, b.to);
    }
  };

  void count(Id row, Index sign) {
    steps_(begin_[row + 1] - begin_[row]);
    for (Index k = begin_[row]; k < begin_[row + 1]; ++k) {
      const Id key[3] = {features_[k], now_[row], gold_[row]};
      const Id at = counted_.intern(key);
      if (at == static_cast<Id>(numbers_.size())) numbers_.push_back(0);
      numbers_[at] += sign;
      touched_.push_back(at);
    }
  }

  Index number(Id feature, Id now, Id gold) const {
    const Id key[3] = {feature, now, gold};
    const Id at = counted_.find(key);
    return at < 0 ? 0 : numbers_[at];
  }
  Index score(Id feature, Id from, Id to) const {
    return number(feature, from, to) - number(feature, from, from);
  }

  // Rules whose score may have risen are queued anew: of an entry that changed, those to its label;
  // where fewer right labels are left to break, all of its feature and label.
  void settle() {
    for (Id at : touched_) {
      const Id *key = counted_.key(at), feature = key[0], from = key[1], to = key[2];
      if (from != to) {
        queue(feature, from, to);
      } else {
        for (Id other : labels_of(feature, from)) queue(feature, from, other);
      }
    }
    touched_.clear();
  }

  void queue(Id feature, Id from, Id to) {
    const Index now = score(feature, from, to);
    if (now >= least_) queue_.push({now, feature, from, to});
  }

  // Right labels of the rows that have the feature and the label `from`.
  std::vector<Id> labels_of(Id feature, Id from) const {
    std::vector<Id> found;
    for (Index k = postings_begin_[feature]; k < postings_begin_[feature + 1]; ++k) {
      const Id row = postings_[k];
      if (now_[row] == from && gold_[row] != from) found.push_back(gold_[row]);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  std::span<const Index> begin_;
  std::span<const Id> features_;
  std::vector<Id> now_;
  std::span<const Id> gold_;
  std::vector<Index> postings_begin_;
  std::vector<Id> postings_;
  Patterns counted_;            // (feature, now, gold)
  std::vector<Index> numbers_;  // N of each
  std::vector<Id> touched_;
  std::priority_queue<Entry> queue_;
  Index least_ = 1;
  Steps steps_;
};

}  // namespace linnet::rules
