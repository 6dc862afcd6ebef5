// Semi-Markov chains (Sarawagi and Cohen 2004): tokens are cut into segments of K types and tokens
// outside of them. A segment is scored by its first, inner and last tokens, by its length, and by
// the type before it.
//
// The sum over segments is made token by token: an open segment remembers its type and length, and
// is paid for when it closes. So a sentence takes length × K × (K + longest) edges instead of
// length × K² × longest, and lengths need not have a bound.
#pragma once
#include "linnet/structures/flat.hpp"

namespace linnet {

// Types are 1 .. K, 0 is outside. Parts: columns of each token, which are outside, first of a
// segment of type y, inside one and not first, and last of one, beside one of the former; then tied
// lengths, the last of which stands for all longer ones; then tied transitions from type a to b.
// Nodes, for each prefix of i tokens (i = 1 ..): open segments of type y with d tokens so far, then
// those that end there; then the root.
struct SemiMarkov {
  Id length, types, lengths;
  Id longest = 0;  // segment; 0: any

  Id columns() const { return 3 * types + 1; }
  Id codes() const { return 2 * types + 1; }  // columns of which every token has one
  Id at(Id t, Id column) const { return t * columns() + column; }
  Id first(Id t, Id y) const { return at(t, y); }
  Id inside(Id t, Id y) const { return at(t, types + y); }
  Id last(Id t, Id y) const { return at(t, 2 * types + y); }
  Id long_by(Id d, Id y) const {
    return at(length, 0) + (std::min(d, lengths) - 1) * types + y - 1;
  }
  Id transition(Id a, Id b) const { return at(length, 0) + lengths * types + a * (types + 1) + b; }
  Id num_parts() const { return transition(types + 1, 0); }

  // Lengths that are told apart; without a bound the last one goes on.
  Id durations() const { return longest > 0 ? longest : lengths; }
  Id row() const { return types * durations() + types + 1; }
  Id open(Id i, Id y, Id d) const { return (i - 1) * row() + (y - 1) * durations() + d - 1; }
  Id closed(Id i, Id y) const { return (i - 1) * row() + types * durations() + y; }
  Id root() const { return length * row(); }
  Id num_nodes() const { return root() + 1; }
  // Nodes and parts are numbered by Id.
  static bool fits(double length, double types, double lengths, double longest) {
    const double wide = types * std::max(std::max(lengths, longest), 3.0) + types + 1;
    return length * wide + lengths * types + (types + 1) * (types + 1) <
           std::numeric_limits<Id>::max();
  }

  template <class Edge>
  void edges(Id node, Edge&& edge) const {
    if (node == root()) {
      for (Id y = 0; y <= types; ++y) edge(ids(), ids(closed(length, y)));
      return;
    }
    const Id D = durations(), i = node / row() + 1, t = i - 1, k = node % row();
    if (k == types * D) return begin(t, at(t, 0), 0, edge);
    if (k > types * D) {
      const Id y = k - types * D;
      for (Id d = 1; d <= std::min(D, i); ++d)
        edge(ids(last(t, y), long_by(d, y)), ids(open(i, y, d)));
      return;
    }
    const Id y = k / D + 1, d = k % D + 1;
    if (d == 1) begin(t, first(t, y), y, edge);
    if (d > 1 && i >= d) edge(ids(inside(t, y)), ids(open(t, y, d - 1)));
    if (d == D && longest == 0 && i > D) edge(ids(inside(t, y)), ids(open(t, y, D)));
  }
  template <Order O, class Visit>
  void sweep(Visit&& visit) const {
    range<O>(0, num_nodes(),
             [&](Id node) { visit(node, [&](auto&& edge) { edges(node, edge); }); });
  }
  template <class F>
  void shifts(F&& f) const {
    for (Id t = 0; t < length; ++t) f(at(t, 0), at(t, codes()), 1);
  }
  // A token may be the last of a segment; there are as many lengths as segments.
  void other_holdings(std::vector<Holding>& found) const {
    for (Id t = 0; t < length; ++t) found.push_back({at(t, codes()), at(t + 1, 0), 0, 1});
    found.push_back({long_by(1, 1), transition(0, 0), 0, length});
    found.push_back({transition(0, 0), num_parts(), 0, length - 1});
  }
  // Hamming, over the codes of tokens: a segment cut in two has one mistake.
  void add_cost(Gold gold, double scale, std::span<double> theta) const {
    const auto costs = [&](Id p) { return p < at(length, 0) && p % columns() < codes(); };
    for (Id p = 0; p < at(length, 0); ++p)
      if (costs(p)) theta[p] += scale;
    for (const auto& [p, count] : gold)
      if (costs(p)) theta[p] -= scale * count;
  }

  // Outputs as codes of tokens: 0 outside, y first of a segment, K + y inside one. The token where
  // they are none, -1 if they are one, and the longest segment among them.
  Id fault(std::span<const Id> code, Id& longest_segment) const {
    Id size = 0;
    for (Id t = 0; t < length; ++t) {
      const Id c = code[t];
      if (c < 0 || c >= codes()) return t;
      if (c > types && (t == 0 || (code[t - 1] != c && code[t - 1] + types != c))) return t;
      size = c == 0 ? 0 : c <= types ? 1 : size + 1;
      longest_segment = std::max(longest_segment, size);
    }
    return -1;
  }
  // The parts of codes that are an output.
  template <class Visit>
  void parts_of(std::span<const Id> code, Visit&& visit) const {
    const auto type = [&](Id t) { return code[t] > types ? code[t] - types : code[t]; };
    Id size = 0;
    for (Id t = 0; t < length; ++t) {
      const Id y = type(t);
      visit(at(t, code[t]));
      if (code[t] <= types) {
        size = 0;
        if (t > 0) visit(transition(type(t - 1), y));
      }
      ++size;
      if (y > 0 && (t + 1 == length || code[t + 1] <= types)) {
        visit(last(t, y));
        visit(long_by(size, y));
      }
    }
  }
  // The codes among the parts of an output.
  void codes_of(std::span<const Id> parts, Id* code) const {
    for (Id p : parts)
      if (p < at(length, 0) && p % columns() < codes()) code[p / columns()] = p % columns();
  }

 private:
  // A segment, or a token outside, begins at token t.
  template <class Edge>
  void begin(Id t, Id part, Id y, Edge&& edge) const {
    if (t == 0) return edge(ids(part), ids());
    for (Id p = 0; p <= types; ++p) edge(ids(part, transition(p, y)), ids(closed(t, p)));
  }
};

}  // namespace linnet
