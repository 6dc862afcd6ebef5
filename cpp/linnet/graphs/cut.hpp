// The best assignment of two-valued variables whose pairs prefer to agree, as a minimum cut: exact
// on graphs of any shape (Greig, Porteous and Seheult 1989; Kolmogorov and Zabih 2004). The flow is
// found by two trees, one from each terminal, that are kept from path to path (Boykov and
// Kolmogorov 2004).
#pragma once
#include <deque>
#include <stdexcept>
#include <vector>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/types.hpp"

namespace linnet {

class Cut {
 public:
  explicit Cut(Id nodes) : nodes_(static_cast<std::size_t>(nodes)) {}

  // What it costs a node to be on the side of the sink (1), beside that of the source (0).
  void terminal(Id v, double cost) { nodes_[v].left += cost; }
  // What it costs that u is 0 and v is 1, and the other way round; neither is negative.
  void edge(Id u, Id v, double cost, double back) {
    arcs_.push_back({v, nodes_[u].first, cost});
    nodes_[u].first = static_cast<Index>(arcs_.size()) - 1;
    arcs_.push_back({u, nodes_[v].first, back});
    nodes_[v].first = static_cast<Index>(arcs_.size()) - 1;
  }

  // Sides of all nodes: 0 with the source, else 1. Nodes that may be on either are 0.
  void solve(std::vector<Id>& sides) {
    for (std::size_t v = 0; v < nodes_.size(); ++v) {
      Node& node = nodes_[v];
      if (node.left == 0) continue;
      node.tree = node.left > 0 ? kSource : kSink;
      node.parent = kTerminal;
      activate(static_cast<Id>(v));
    }
    for (;;) {
      const Index path = grow();
      if (path < 0) break;
      augment(path);
      adopt();
    }
    sides.resize(nodes_.size());
    for (std::size_t v = 0; v < nodes_.size(); ++v) sides[v] = nodes_[v].tree == kSink;
  }

 private:
  static constexpr Index kNone = -1, kTerminal = -2, kOrphan = -3;
  static constexpr char kFree = 0, kSource = 1, kSink = 2;
  struct Arc {
    Id to;
    Index next;  // of the same node
    double left;
  };
  struct Node {
    Index first = kNone, parent = kNone;  // arcs; the parent's leads to it
    double left = 0;                      // from the source if positive, else to the sink
    Index known = 0;                      // when it was last found to hang from its terminal
    char tree = kFree;
    bool active = false;
  };
  static Index sister(Index a) { return a ^ 1; }
  // What can still flow along arc a, seen from the root of a tree down to its leaves.
  double downward(Index a, char tree) const { return arcs_[tree == kSource ? a : sister(a)].left; }
  void activate(Id v) {
    if (nodes_[v].active) return;
    nodes_[v].active = true;
    active_.push_back(v);
  }

  // Extends the trees until they touch: the arc from the source's tree to the sink's, or -1.
  Index grow() {
    while (!active_.empty()) {
      const Id v = active_.front();
      Node& node = nodes_[v];
      if (node.tree != kFree) {
        for (Index a = node.first; a >= 0; a = arcs_[a].next) {
          steps_(4);
          if (!(downward(a, node.tree) > 0)) continue;
          Node& other = nodes_[arcs_[a].to];
          if (other.tree == kFree) {
            other.tree = node.tree;
            other.parent = sister(a);
            activate(arcs_[a].to);
          } else if (other.tree != node.tree) {
            return node.tree == kSource ? a : sister(a);
          }
        }
      }
      node.active = false;
      active_.pop_front();
    }
    return -1;
  }
  void augment(Index path) {
    double flow = arcs_[path].left;
    const auto along = [&](Id v, char tree, auto&& f) {
      while (nodes_[v].parent != kTerminal) {
        const Index a = nodes_[v].parent;  // leads to the parent
        f(v, tree == kSource ? sister(a) : a);
        v = arcs_[a].to;
      }
      return v;
    };
    const Id s = arcs_[sister(path)].to, t = arcs_[path].to;
    const auto narrow = [&](Id, Index a) { flow = std::min(flow, arcs_[a].left); };
    const Id source = along(s, kSource, narrow), sink = along(t, kSink, narrow);
    flow = std::min({flow, nodes_[source].left, -nodes_[sink].left});
    if (flow == kInf) throw std::invalid_argument("no assignment is possible");
    const auto push = [&](Id v, Index a) {
      arcs_[a].left -= flow;
      arcs_[sister(a)].left += flow;
      if (!(arcs_[a].left > 0)) orphan(v);
    };
    push_arc(path, flow);
    along(s, kSource, push);
    along(t, kSink, push);
    nodes_[source].left -= flow;
    if (!(nodes_[source].left > 0)) orphan(source);
    nodes_[sink].left += flow;
    if (!(nodes_[sink].left < 0)) orphan(sink);
  }
  void push_arc(Index a, double flow) {
    arcs_[a].left -= flow;
    arcs_[sister(a)].left += flow;
  }
  void orphan(Id v) {
    if (nodes_[v].parent != kTerminal && nodes_[v].parent < 0) return;
    lost_.push_back(v);
  }
  // A new parent in the same tree for each orphan, or freedom.
  void adopt() {
    for (Id v : lost_) nodes_[v].parent = kOrphan;
    ++now_;
    std::deque<Id> waiting(lost_.begin(), lost_.end());
    lost_.clear();
    while (!waiting.empty()) {
      const Id v = waiting.front();
      waiting.pop_front();
      Node& node = nodes_[v];
      Index found = kNone;
      for (Index a = node.first; a >= 0 && found < 0; a = arcs_[a].next) {
        const Node& other = nodes_[arcs_[a].to];
        steps_(4);
        if (other.tree == node.tree && downward(sister(a), node.tree) > 0 && rooted(arcs_[a].to))
          found = a;
      }
      if (found >= 0) {
        node.parent = found;
        continue;
      }
      for (Index a = node.first; a >= 0; a = arcs_[a].next) {
        Node& other = nodes_[arcs_[a].to];
        if (other.tree != node.tree) continue;
        if (downward(sister(a), node.tree) > 0) activate(arcs_[a].to);
        if (other.parent == sister(a)) other.parent = kOrphan, waiting.push_back(arcs_[a].to);
      }
      node.tree = kFree;
      node.parent = kNone;
    }
  }
  // Whether a node hangs from its terminal. While orphans are adopted, what does so stays there.
  bool rooted(Id v) {
    Id at = v;
    for (;;) {
      steps_(2);
      const Index p = nodes_[at].parent;
      if (p == kTerminal || nodes_[at].known == now_) break;
      if (p < 0) return false;
      at = arcs_[p].to;
    }
    for (; nodes_[v].known != now_ && nodes_[v].parent >= 0; v = arcs_[nodes_[v].parent].to)
      nodes_[v].known = now_;
    return true;
  }

  std::vector<Node> nodes_;
  std::vector<Arc> arcs_;
  std::deque<Id> active_;
  std::vector<Id> lost_;
  Index now_ = 0;
  Steps steps_;
};

}  // namespace linnet
