// From online to batch: what becomes of the hypotheses that an online learner goes through. A
// learner that keeps them is conservative (Littlestone 1989): it steps on mistakes alone, so that a
// hypothesis stays as it is until it errs, and has survived the examples in between.
//
// - The survivor is the hypothesis that survived most examples in a row. One that errs with a
//   probability above epsilon survives s examples with one of at most (1 - epsilon)^s.
// - Votes: each hypothesis votes as often as it survived (Freund and Schapire 1999). They are kept
//   as what each adds to the one before, label by label: any rule may have made the step, as long
//   as it starts from zero and moves the weights of the example's own features.
#pragma once
#include "linnet/learners/online/online_weights.hpp"
#include "linnet/learners/online/votes.hpp"

namespace linnet {

class Hypotheses {
 public:
  enum class Keep { none, survivor, votes };

  void keep(Keep what, Id width) {
    what_ = what;
    history_.width = width;
  }
  bool conservative() const { return what_ != Keep::none; }
  const VoteHistory& history() const { return history_; }
  Index survived() const { return best_; }  // examples that the survivor survived
  Index number() const { return number_; }  // of the survivor, from 1
  Index seen() const { return mistakes_ + 1; }

  // Right without a step.
  void survives() {
    ++streak_;
    if (what_ == Keep::votes) ++history_.survived.back();
  }
  // A mistake, before the step that follows; `settle` brings all weights up to date.
  template <class Settle>
  void dies(OnlineWeights& w, const Instance& x, InstanceBuffer& buffer, Settle&& settle) {
    if (what_ == Keep::survivor && (streak_ > best_ || number_ == 0)) {
      settle();
      take(w);
    }
    ++mistakes_;
    streak_ = 0;
    if (what_ == Keep::votes) {
      before_.clear();
      for_each_weight(x, buffer, [&](Index at) { before_.push_back(w.data()[at]); });
    }
  }
  // The same example, after the step.
  void steps(const OnlineWeights& w, const Instance& x, InstanceBuffer& buffer) {
    if (what_ != Keep::votes) return;
    VoteHistory& h = history_;
    const Group& g = x.sites[0];
    const Row row = g.rows->row(g.first, buffer.site.row);
    bool first = true;
    for (Id y = 0; y < g.width; ++y) {
      std::size_t k = static_cast<std::size_t>(y);  // of the weights remembered, row by row
      const auto change = [&](Index at) {
        const float by = w.data()[at] - before_[k];
        k += static_cast<std::size_t>(g.width);
        return by;
      };
      const std::size_t size = h.feature.size();
      float bias = 0;
      if (g.rows->bias() != 0) bias = change(g.base + y);
      for (Id j = 0; j < row.size; ++j) {
        const float by = change(g.base + (static_cast<Index>(row.index[j]) + 1) * g.stride + y);
        if (by == 0) continue;
        h.feature.push_back(row.index[j]);
        h.value.push_back(by);
      }
      if (h.feature.size() == size && bias == 0) continue;
      h.row_end.push_back(static_cast<Index>(h.feature.size()));
      h.bias.push_back(bias);
      h.moved_label.push_back(y);
      h.moved_by.push_back(1);
      h.moved_end.push_back(static_cast<Index>(h.moved_label.size()));
      h.survived.push_back(0);  // until all labels have moved there is nobody to vote
      first = false;
    }
    if (!first)
      ++h.survived.back();  // as Freund and Schapire count: it survives what it learnt from
  }
  // The weights of the survivor, be it the one at hand; there are others only after a mistake.
  bool survivor_into(const OnlineWeights& w, std::span<float> out) {
    if (streak_ > best_ || number_ == 0) take(w);
    if (out.size() < weights_.size()) return false;
    std::copy(weights_.begin(), weights_.end(), out.begin());
    return true;
  }
  bool keeps_survivor() const { return what_ == Keep::survivor; }
  void check(const Dataset& data) const {
    if (what_ == Keep::votes && (!data.listed() || data.width() != history_.width))
      throw std::invalid_argument("votes are kept for labels, of one site an instance");
  }

  void state(Archive& a) {
    a(streak_, best_, number_, mistakes_, history_);
    a.list(weights_);
  }

 private:
  void take(const OnlineWeights& w) {
    weights_.resize(static_cast<std::size_t>(w.dim()));
    w.average_into(weights_, false);
    best_ = streak_;
    number_ = mistakes_ + 1;
  }
  template <class Visit>
  static void for_each_weight(const Instance& x, InstanceBuffer& buffer, Visit&& visit) {
    const Group& g = x.sites[0];
    const Row row = g.rows->row(g.first, buffer.site.row);
    const auto all = [&](Index offset) {
      for (Id y = 0; y < g.width; ++y) visit(offset + y);
    };
    if (g.rows->bias() != 0) all(g.base);
    for (Id j = 0; j < row.size; ++j)
      all(g.base + (static_cast<Index>(row.index[j]) + 1) * g.stride);
  }

  Keep what_ = Keep::none;
  Index streak_ = 0;  // of the hypothesis at hand
  Index best_ = 0, number_ = 0, mistakes_ = 0;
  std::vector<float> weights_;  // of the survivor so far
  std::vector<float> before_;   // weights of an example's features before a step
  VoteHistory history_;
};

}  // namespace linnet
