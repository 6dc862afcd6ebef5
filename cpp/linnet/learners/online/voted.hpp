// The voted perceptron (Freund and Schapire 1999): every weight vector w_k that the perceptron
// passed through votes for its prediction, as often as it survived instances, c_k.
#pragma once
#include "linnet/learners/online/online.hpp"
#include "linnet/learners/online/votes.hpp"

namespace linnet {

class VotedRule {
 public:
  explicit VotedRule(Id width) {
    if (width < 1) throw std::invalid_argument("the width is at least 1");
    history_.width = width;
  }
  const VoteHistory& history() const { return history_; }

  void grow(Index) {}
  void settle(OnlineWeights&, const Instance& x, InstanceBuffer&) {
    const Id width = history_.width;
    if (x.sites.size() != 1 || x.sites[0].count != 1 || x.sites[0].width != width)
      throw std::invalid_argument("voting needs one site of " + std::to_string(width) +
                                  " labels an instance");
    ++history_.survived.back();
  }
  void step(OnlineWeights& w, const Instance& x, InstanceBuffer& buffer, const Outcome&) {
    --history_.survived.back();  // it did not survive this instance; its successor did
    history_.survived.push_back(1);
    remember(x, buffer);
    w.add_rows(x, buffer, -x.weight);
  }
  void finish(OnlineWeights&) {}
  void state(Archive& a) { a(history_); }
  void restart(OnlineWeights&) {
    throw std::invalid_argument("every vector since zero votes: there is no starting elsewhere");
  }

 private:
  void remember(const Instance& x, InstanceBuffer& buffer) {
    VoteHistory& h = history_;
    const Group& g = x.sites[0];
    const Row row = g.rows->row(g.first, buffer.site.row);
    h.feature.insert(h.feature.end(), row.index, row.index + row.size);
    h.value.insert(h.value.end(), row.value, row.value + row.size);
    h.row_end.push_back(static_cast<Index>(h.feature.size()));
    h.bias.push_back(g.rows->bias());
    for (Id y = 0; y < h.width; ++y)
      if (buffer.delta[y] != 0) {
        h.moved_label.push_back(y);
        h.moved_by.push_back(-x.weight * buffer.delta[y]);
      }
    h.moved_end.push_back(static_cast<Index>(h.moved_label.size()));
  }

  VoteHistory history_;
};

}  // namespace linnet
