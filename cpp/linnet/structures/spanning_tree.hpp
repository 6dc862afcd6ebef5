// The best tree of any arcs, projective or not (Chu and Liu 1965, Edmonds 1967), in O(n²) for dense
// arcs (Tarjan 1977): follow best heads from word to word; contract a cycle into one node as soon
// as it closes; at the root, or at a node that leads there, start anew.
#pragma once
#include <algorithm>
#include <cmath>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/simd.hpp"
#include "linnet/base/types.hpp"

namespace linnet {

// Equal scores go to the earlier head whenever two arcs into the same node are compared. A
// contracted node compares by what an arc adds over the arc it would replace, so of several best
// trees the result is one, always the same, but not always the first in the order of heads.
class SpanningTree {
 public:
  // heads[m - 1] of the best tree, and its score; -inf: no tree is allowed. score:
  // [words][words + 1], word m has head h; m's own place is not read.
  //
  // A single root: arcs from it are ordered behind all others, whatever their score, as if each
  // cost one unit of a coin that no score can buy. Best trees then have as few of them as there
  // can be, and of those trees the best score: exact, without a penalty that eats up digits.
  template <class Real>
  double best(const Real* score, Id words, bool single_root, Id* heads) {
    start(score, words);
    single_root_ = single_root;
    for (Id m = 1; m <= words; ++m)
      if (!grow(m)) return -kInf;
    expand(heads);
    if (single_root && std::count(heads, heads + words, 0) != 1) return -kInf;
    double value = 0;
    for (Id m = 0; m < words; ++m) value += static_cast<double>(score[cell(m, heads[m])]);
    return value;
  }

 private:
  // Nodes 1..n are the words, n + 1.. the contracted cycles. The arcs into a node are a row of
  // scores and of the words they enter, both by head; a cycle takes over the row of a member.
  struct Node {
    Id row, parent = 0;  // parent: the cycle it is in; 0: none
    Id head = 0, entered = 0;
    double gain = 0;  // of the best arc, head → entered
    bool done = false, on_path = false;
  };
  Index cell(Id row, Id head) const { return static_cast<Index>(row) * width_ + head; }

  template <class Real>
  void start(const Real* score, Id words) {
    width_ = words + 1;
    const auto size = static_cast<std::size_t>(words) * static_cast<std::size_t>(width_);
    score_.resize(size);
    entered_.resize(size);
    nodes_.assign(1, {0});
    nodes_[0].done = true;  // the root
    node_of_.resize(static_cast<std::size_t>(width_));
    node_of_[0] = 0;
    for (Id m = 1; m <= words; ++m) {
      steps_(width_);
      for (Id h = 0; h < width_; ++h) {
        score_[cell(m - 1, h)] = static_cast<double>(score[cell(m - 1, h)]);
        entered_[cell(m - 1, h)] = m;
      }
      score_[cell(m - 1, m)] = -kInf;
      nodes_.push_back({m - 1});
      node_of_[m] = m;
    }
  }

  void choose(Node& node) const {
    const double* row = score_.data() + cell(node.row, 0);
    const Id first = single_root_ ? 1 : 0;
    Id best = first;
    for (Id h = first + 1; h < width_; ++h)
      if (row[h] > row[best]) best = h;
    if (row[best] == -kInf) best = 0;
    node.head = best;
    node.gain = row[best];
    node.entered = entered_[cell(node.row, best)];
  }

  // From a word along best heads to the root. False: there is no way.
  bool grow(Id word) {
    path_.clear();
    for (Id at = node_of_[word]; !nodes_[at].done;) {
      path_.push_back(at);
      nodes_[at].on_path = true;
      steps_(width_);
      choose(nodes_[at]);
      if (nodes_[at].gain == -kInf) return false;
      at = node_of_[nodes_[at].head];
      if (nodes_[at].on_path) at = contract(at);
    }
    for (Id at : path_) nodes_[at].done = true, nodes_[at].on_path = false;
    return true;
  }

  // The end of the path, from `first` on, is a cycle. An arc into it replaces the arc of the member
  // it enters, and is worth the difference.
  Id contract(Id first) {
    const auto cycle = static_cast<Id>(nodes_.size());
    const Id row = nodes_[first].row;
    double* to = score_.data() + cell(row, 0);
    Id* entered = entered_.data() + cell(row, 0);
    for (Id h = 0; h < width_; ++h) to[h] -= nodes_[first].gain;
    nodes_[first].parent = cycle;
    while (path_.back() != first) {
      Node& member = nodes_[path_.back()];
      const double* from = score_.data() + cell(member.row, 0);
      const Id* word = entered_.data() + cell(member.row, 0);
      for (Id h = 0; h < width_; ++h) {
        const double gain = from[h] - member.gain;
        entered[h] = gain > to[h] ? word[h] : entered[h];
        to[h] = gain > to[h] ? gain : to[h];
      }
      member.parent = cycle;
      path_.pop_back();
      steps_(width_);
    }
    path_.pop_back();
    for (Id w = 1; w < width_; ++w)
      if (nodes_[node_of_[w]].parent == cycle) {
        node_of_[w] = cycle;
        to[w] = -kInf;  // an arc from within
      }
    nodes_.push_back({row});
    return cycle;
  }

  // Outermost nodes first: an arc into a cycle is the arc of every node around the word it enters,
  // and breaks their cycles there; other members keep their own.
  void expand(Id* heads) {
    for (std::size_t at = nodes_.size(); at-- > 1;) {
      if (nodes_[at].parent < 0) continue;
      const Id head = nodes_[at].head, word = nodes_[at].entered;
      heads[word - 1] = head;
      for (Id inner = word, outer; inner != 0 && inner <= static_cast<Id>(at); inner = outer) {
        outer = nodes_[inner].parent;
        nodes_[inner].parent = -1;  // broken
      }
    }
  }

  Id width_ = 0;
  bool single_root_ = true;
  std::vector<double> score_;
  std::vector<Id> entered_, node_of_, path_;
  std::vector<Node> nodes_;
  Steps steps_;
};

}  // namespace linnet
