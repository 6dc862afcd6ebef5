// Chains of any order k: scores for labels and for windows of 2, 3, ..., k + 1 neighbours, so that
// a label is seen together with the k labels before it.
#pragma once
#include <array>
#include <cmath>
#include <string>

#include "linnet/structures/flat.hpp"

namespace linnet {

// L^from + ... + L^to, as a double: before it is known whether it can be counted.
inline double sum_of_powers(double labels, int from, int to) {
  if (to < from) return 0;
  if (labels == 1) return to - from + 1.0;
  return (std::pow(labels, to + 1) - std::pow(labels, from)) / (labels - 1);
}

// The memory that chains of this size would take, about: nodes and parts, each a few doubles while
// solving.
struct HigherChainSize {
  double tokens, labels;
  int order;
  double nodes() const {
    const int started = static_cast<int>(std::min<double>(order, tokens));
    return sum_of_powers(labels, 1, started) +
           2 * std::max(tokens - order, 0.0) * std::pow(labels, order) + 1;
  }
  double parts() const { return (tokens + 2) * labels + sum_of_powers(labels, 2, order + 1); }
  double bytes() const { return 20 * nodes() + 32 * parts(); }
};

// Parts: label y at token t; tied pairs a b; with `ends` the tied first and last label; tied
// windows of 3 labels, of 4, ..., of k + 1. A code is labels as digits, the last the lowest.
//
// Nodes: `state`, the best prefix that ends at token t with these k labels (fewer at the
// beginning); from token k on before it `join`, where the label k places back is forgotten: only
// the longest window sees that one, so that all others are added once a state and not once a pair
// of states. Then the root.
class HigherChain {
 public:
  static constexpr int kMostOrder = 30;  // one more, and two labels would have 2^32 windows

  HigherChain(Id num_tokens, Id num_labels, int chain_order, bool has_ends)
      : length(num_tokens), labels(num_labels), order(chain_order), ends(has_ends) {
    check(num_tokens, num_labels, chain_order);
    power_[0] = 1;
    for (int m = 1; m <= order + 1; ++m) power_[m] = power_[m - 1] * labels;
    window_[2] = length * labels;
    window_[3] = window_[2] + power_[2] + (ends ? 2 * labels : 0);
    for (int m = 4; m <= order + 2; ++m) window_[m] = window_[m - 1] + power_[m - 1];
    first_[0] = 0;
    for (int t = 1; t <= order; ++t) first_[t] = first_[t - 1] + (t <= length ? power_[t] : 0);
  }

  // Refuses what would not fit, with its size.
  static void check(double tokens, double labels, int order) {
    if (tokens < 1 || labels < 1) throw std::invalid_argument("sizes must be at least 1");
    if (order < 1) throw std::invalid_argument("the order of a chain is at least 1");
    const std::string what = "a chain of order " + std::to_string(order);
    if (order > kMostOrder)
      throw std::invalid_argument(
          what + " has windows of " + std::to_string(Index{order} + 1) +
          " labels: of two labels there would be 2^" + std::to_string(Index{order} + 1) +
          " of them, and of one label all " + "orders say the same; use order " +
          std::to_string(kMostOrder) + " or lower");
    const HigherChainSize size{tokens, labels, order};
    if (size.bytes() > 4e9) {
      const auto count = [](double x) { return std::to_string(static_cast<Index>(x)); };
      const double gigabytes = std::min(size.bytes() / 1e9 + 1, 1e15);
      throw std::invalid_argument(what + " over " + count(tokens) + " tokens and " + count(labels) +
                                  " labels would need about " + count(gigabytes) +
                                  " GB: use a lower order, fewer labels or shorter sentences");
    }
  }

  const Id length, labels;
  const int order;
  const bool ends;

  Id num_parts() const { return window_[order + 2]; }
  Id at(Id t, Id y) const { return t * labels + y; }
  // All labels of a window are in its code.
  Id window(int size, Id code) const { return window_[size] + code; }
  Id start(Id y) const { return window_[2] + power_[2] + y; }
  Id stop(Id y) const { return start(labels + y); }

  Id num_nodes() const { return root() + 1; }
  Id root() const { return first_[order] + 2 * std::max(length - order, 0) * states(); }
  Id state(Id t, Id code) const { return (t < order ? first_[t] : place(t) + states()) + code; }
  Id join(Id t, Id code) const { return place(t) + code; }

  // The parts of given labels; those that would hold a missing one, -1, are left out.
  template <class Visit>
  void parts_of(const Id* y, Visit&& visit) const {
    for (Id t = 0; t < length; ++t) {
      Id code = 0;
      for (int m = 1; m <= std::min(t, order) + 1 && y[t - m + 1] >= 0; ++m) {
        code += y[t - m + 1] * power_[m - 1];
        visit(m == 1 ? at(t, code) : window(m, code));
      }
    }
    if (ends && y[0] >= 0) visit(start(y[0]));
    if (ends && y[length - 1] >= 0) visit(stop(y[length - 1]));
  }

  template <class Edge>
  void edges(Id node, Edge&& edge) const {
    if (node == root()) return edges_of_root(edge);
    if (node < first_[order]) {
      Id t = 0;
      while (node >= first_[t + 1]) ++t;
      return edges_of_state(t, node - first_[t], edge);
    }
    const Id later = node - first_[order], t = order + later / (2 * states()),
             code = later % states();
    if (later / states() % 2 == 0)
      edges_of_join(t, code, edge);
    else
      edges_of_state(t, code, edge);
  }
  template <Order O, class Visit>
  void sweep(Visit&& visit) const {
    const auto end = [&] { visit(root(), [&](auto&& edge) { edges_of_root(edge); }); };
    const auto joins = [&](Id t) {
      for (Id code = 0; t >= order && code < states(); ++code)
        visit(join(t, code), [&](auto&& edge) { edges_of_join(t, code, edge); });
    };
    if constexpr (O == Order::down) end();
    range<O>(0, length, [&](Id t) {
      if constexpr (O == Order::up) joins(t);
      for (Id code = 0; code < states_at(t); ++code)
        visit(state(t, code), [&](auto&& edge) { edges_of_state(t, code, edge); });
      if constexpr (O == Order::down) joins(t);
    });
    if constexpr (O == Order::up) end();
  }
  template <class F>
  void shifts(F&& f) const {
    for (Id t = 0; t < length; ++t) f(at(t, 0), at(t + 1, 0), 1);
    if (ends) f(start(0), start(labels), 1), f(stop(0), stop(labels), 1);
    for (int m = 2; m <= order + 1; ++m)
      f(window(m, 0), window(m, power_[m]), std::max(length - m + 1, 0));
  }
  void add_cost(Gold gold, double scale, std::span<double> theta) const {
    add_hamming(0, length * labels, gold, scale, theta);
  }

 private:
  struct Parts {
    std::array<Id, kMostOrder + 2> id;
    int size = 0;
    const Id* begin() const { return id.data(); }
    const Id* end() const { return id.data() + size; }
  };

  Id states() const { return power_[order]; }
  Id states_at(Id t) const { return power_[std::min(t + 1, order)]; }
  Id place(Id t) const { return first_[order] + 2 * (t - order) * states(); }

  // All parts that end at token t but for the longest window, which is paid for at the join.
  template <class Edge>
  void edges_of_state(Id t, Id code, Edge&& edge) const {
    Parts parts;
    parts.id[0] = at(t, code % labels);
    parts.size = std::min(t + 1, order);
    for (int m = 2; m <= parts.size; ++m) parts.id[m - 1] = window(m, code % power_[m]);
    if (t > 0) return edge(parts, ids(t < order ? state(t - 1, code / labels) : join(t, code)));
    if (ends) parts.id[parts.size++] = start(code);
    edge(parts, ids());
  }
  template <class Edge>
  void edges_of_join(Id t, Id code, Edge&& edge) const {
    const Id before = state(t - 1, code / labels), longest = window(order + 1, code);
    const Id step = power_[order - 1];
    for (Id a = 0; a < labels; ++a) edge(ids(longest + a * states()), ids(before + a * step));
  }
  template <class Edge>
  void edges_of_root(Edge&& edge) const {
    for (Id code = 0; code < states_at(length - 1); ++code)
      if (ends)
        edge(ids(stop(code % labels)), ids(state(length - 1, code)));
      else
        edge(ids(), ids(state(length - 1, code)));
  }

  std::array<Id, kMostOrder + 2> power_{};   // of labels
  std::array<Id, kMostOrder + 3> window_{};  // where those of each size begin; the last is the end
  std::array<Id, kMostOrder + 1> first_{};   // where states of the first tokens begin
};

}  // namespace linnet
