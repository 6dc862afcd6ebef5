// Context-free grammars in Chomsky normal form by the CKY algorithm.
#pragma once
#include "linnet/structures/flat.hpp"

namespace linnet {

struct BinaryRule {
  Id parent, left, right;
};

// Parts: symbol a over token i (the lexical scores), then one tied part per binary rule.
struct Cky {
  Id length, symbols, start;
  std::vector<BinaryRule> rules;
  std::vector<std::vector<Id>> rules_of;  // by parent

  Cky(Id length_, Id symbols_, Id start_, std::vector<BinaryRule> rules_)
      : length(length_),
        symbols(symbols_),
        start(start_),
        rules(std::move(rules_)),
        rules_of(static_cast<std::size_t>(symbols_)) {
    for (Id r = 0; r < static_cast<Id>(rules.size()); ++r) rules_of[rules[r].parent].push_back(r);
  }
  Id num_nodes() const { return length * length * symbols; }
  Id num_parts() const { return length * symbols + static_cast<Id>(rules.size()); }
  Id root() const { return cell(0, length - 1, start); }
  Id cell(Id i, Id j, Id symbol) const { return (i * length + j) * symbols + symbol; }

  template <class Edge>
  void edges(Id node, Edge&& edge) const {
    const Id a = node % symbols, j = node / symbols % length, i = node / symbols / length;
    if (i == j) return edge(ids(i * symbols + a), ids());
    for (Id r : rules_of[a])
      for (Id k = i; k < j; ++k)
        edge(ids(length * symbols + r),
             ids(cell(i, k, rules[r].left), cell(k + 1, j, rules[r].right)));
  }
  template <Order O, class Visit>
  void sweep(Visit&& visit) const {
    range<O>(0, length, [&](Id width) {
      for (Id i = 0; i + width < length; ++i)
        for (Id a = 0; a < symbols; ++a) {
          const Id node = cell(i, i + width, a);
          visit(node, [&](auto&& edge) { edges(node, edge); });
        }
    });
  }
  template <class F>
  void shifts(F&& f) const {
    for (Id i = 0; i < length; ++i) f(i * symbols, (i + 1) * symbols, 1);
    f(length * symbols, num_parts(), length - 1);
  }
  void add_cost(Gold gold, double scale, std::span<double> theta) const {
    add_hamming(0, length * symbols, gold, scale, theta);
  }
};

}  // namespace linnet
