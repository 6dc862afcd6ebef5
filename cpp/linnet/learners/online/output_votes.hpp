// The voted perceptron over structures (Collins 2002): every weight vector w_0 = 0, w_1, ... votes
// for the whole output it finds best, as often as it survived instances. The vectors are kept as
// what each of them added to the one before; counting replays them, one solve each.
#pragma once
#include <algorithm>
#include <cmath>
#include <map>

#include "linnet/features/sparse_gradient.hpp"
#include "linnet/learners/online/online.hpp"

namespace linnet {

struct OutputVoteHistory {
  Index dim = 0;                   // weights
  std::vector<Index> survived{0};  // updates + 1: instances that w_k survived
  std::vector<Index> end;          // updates: where the changes of each end
  std::vector<Index> weight;       // changes
  std::vector<double> change;

  std::size_t updates() const { return end.size(); }

  void state(Archive& a) {
    a(dim);
    a.list(survived, end, weight, change);
    if (a.reading()) check();
  }
  // Nothing read later may leave the arrays, wherever they come from.
  void check() const {
    const auto refuse_unless = [](bool fine, const char* what) {
      if (!fine) throw std::invalid_argument(std::string("not the state of a vote: ") + what);
    };
    refuse_unless(survived.size() == end.size() + 1 && weight.size() == change.size(),
                  "its arrays differ in length");
    refuse_unless(end.size() <= std::numeric_limits<Id>::max(), "too many updates");
    refuse_unless(std::is_sorted(end.begin(), end.end()) && (end.empty() || end.front() >= 0) &&
                      static_cast<std::size_t>(end.empty() ? 0 : end.back()) == weight.size(),
                  "the ends of its updates are out of order");
    for (Index n : survived) refuse_unless(n >= 0, "a count is negative");
    for (Index w : weight) refuse_unless(w >= 0 && w < dim, "there is no such weight");
    for (double by : change) refuse_unless(std::isfinite(by), "a change is not finite");
  }
};

class OutputVotedRule {
 public:
  const OutputVoteHistory& history() const { return history_; }

  void grow(Index dim) { history_.dim = dim; }
  void settle(OnlineWeights&, const Instance&, InstanceBuffer&) { ++history_.survived.back(); }
  void step(OnlineWeights& w, const Instance& x, InstanceBuffer& buffer, const Outcome&) {
    --history_.survived.back();  // it did not survive this instance; its successor did
    history_.survived.push_back(1);
    difference_.collect(x.sites, buffer.delta, buffer.site);
    for (const auto& [at, value] : difference_) {
      if (value == 0) continue;
      history_.weight.push_back(at);
      history_.change.push_back(-x.weight * value);
      w.add(at, -x.weight * value);
    }
    history_.end.push_back(static_cast<Index>(history_.weight.size()));
  }
  void finish(OnlineWeights&) {}
  void state(Archive& a) { a(history_); }
  void restart(OnlineWeights&) {
    throw std::invalid_argument("every vector since zero votes: there is no starting elsewhere");
  }

 private:
  OutputVoteHistory history_;
  SparseGradient difference_;
};

class OutputVotes {
 public:
  explicit OutputVotes(OutputVoteHistory history) : history_(std::move(history)) {
    history_.check();
    for (std::size_t k = 0, j = 0; k < history_.updates(); ++k)
      for (; j < static_cast<std::size_t>(history_.end[k]); ++j)
        changes_.push_back({history_.weight[j], static_cast<Id>(k), history_.change[j]});
    std::stable_sort(changes_.begin(), changes_.end(),
                     [](const Change& a, const Change& b) { return a.weight < b.weight; });
  }
  const OutputVoteHistory& history() const { return history_; }

  // take(instance, parts of the output with most votes, its share of all votes), one instance after
  // the other; of equal ones the output that was voted for first. False: interrupted.
  template <class Take>
  bool count(const Dataset& data, Take&& take) const {
    if (data.dim() != history_.dim)
      throw std::invalid_argument("the data have " + std::to_string(data.dim()) +
                                  " weights, but those that vote are " +
                                  std::to_string(history_.dim));
    Replay replay;
    StopCheck stop;
    for (Index i = 0; i < data.size(); ++i) {
      const Instance x = data.read(i, replay.buffer);
      if (!vote(x, replay, stop)) return false;
      const Ballot* best = nullptr;
      const std::vector<Id>* output = nullptr;
      Index all = 0;
      for (const auto& [parts, ballot] : replay.ballots) {
        all += ballot.votes;
        if (!best || ballot.votes > best->votes ||
            (ballot.votes == best->votes && ballot.rank < best->rank))
          best = &ballot, output = &parts;
      }
      take(x, *output, all > 0 ? static_cast<double>(best->votes) / static_cast<double>(all) : 1);
    }
    return true;
  }

 private:
  struct Change {
    Index weight;
    Id update;
    double by;
  };
  struct Event {  // what an update does to the score of a part
    Id update, part;
    double by;
  };
  struct Ballot {
    Index votes;
    std::size_t rank;
  };
  struct Replay {
    InstanceBuffer buffer;
    std::vector<Event> events;
    std::map<std::vector<Id>, Ballot> ballots;
    std::vector<Id> output;
  };

  // Every change that the features of x see, in the order of the updates.
  void list_events(const Instance& x, Replay& r) const {
    r.events.clear();
    Id part = 0;
    const auto see = [&](Index row, Id width, double value) {
      auto c = std::lower_bound(changes_.begin(), changes_.end(), row,
                                [](const Change& a, Index w) { return a.weight < w; });
      for (; c != changes_.end() && c->weight < row + width; ++c)
        r.events.push_back({c->update, part + static_cast<Id>(c->weight - row), value * c->by});
    };
    for (const Group& g : x.sites)
      for (Id s = 0; s < g.count; ++s, part += g.width) {
        const Row row = g.rows->row(g.first + s, r.buffer.site.row);
        if (g.rows->bias() != 0) see(g.base, g.width, static_cast<double>(g.rows->bias()));
        for (Id k = 0; k < row.size; ++k)
          see(g.base + (static_cast<Index>(row.index[k]) + 1) * g.stride, g.width,
              static_cast<double>(row.value[k]));
      }
    std::stable_sort(r.events.begin(), r.events.end(),
                     [](const Event& a, const Event& b) { return a.update < b.update; });
  }

  bool vote(const Instance& x, Replay& r, StopCheck& stop) const {
    list_events(x, r);
    auto& theta = r.buffer.theta;
    theta.assign(static_cast<std::size_t>(x.oracle->parts()), 0.0);
    r.buffer.delta.resize(theta.size());
    r.ballots.clear();
    Ballot* current = ballot(x, r);
    current->votes += history_.survived[0];
    auto event = r.events.begin();
    for (std::size_t k = 0; k < history_.updates(); ++k) {
      if (event != r.events.end() && static_cast<std::size_t>(event->update) == k) {
        for (; event != r.events.end() && static_cast<std::size_t>(event->update) == k; ++event)
          theta[event->part] += event->by;
        current = ballot(x, r);
        if (stop()) return false;
      }
      current->votes += history_.survived[k + 1];
    }
    return true;
  }
  // Of the best output at these scores.
  Ballot* ballot(const Instance& x, Replay& r) const {
    if (x.oracle->solve(Ring::max, r.buffer.theta, r.buffer.delta, r.buffer.work) == -kInf)
      throw std::invalid_argument("no output is allowed");
    r.output.clear();
    for (std::size_t p = 0; p < r.buffer.delta.size(); ++p)
      if (r.buffer.delta[p] != 0) r.output.push_back(static_cast<Id>(p));
    return &r.ballots.try_emplace(r.output, Ballot{0, r.ballots.size()}).first->second;
  }

  OutputVoteHistory history_;
  std::vector<Change> changes_;  // by weight, then by update
};

}  // namespace linnet
