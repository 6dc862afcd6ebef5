// A context-free grammar as charts use it: symbols by number, binary rules A → B C, unary rules
// A → B, and the symbols that become words. Weights are no part of it.
//
// A tree has at most `chains` unary rules in a row over the same words. So trees are finite in
// number though unary rules go in circles, and every ring has its sums whatever the weights are.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "linnet/base/types.hpp"

namespace linnet {

struct BinaryRule {
  Id parent, left, right;
};
struct UnaryRule {
  Id parent, child;
};

// Numbers listed by another number: those of k are all[starts[k]] to all[starts[k + 1]].
struct Listed {
  std::vector<Id> starts, all;
  template <class KeyOf>
  static Listed by(Id keys, Id count, KeyOf&& key_of) {
    Listed made{std::vector<Id>(static_cast<std::size_t>(keys) + 1),
                std::vector<Id>(static_cast<std::size_t>(count))};
    for (Id i = 0; i < count; ++i) ++made.starts[key_of(i) + 1];
    for (Id k = 0; k < keys; ++k) made.starts[k + 1] += made.starts[k];
    std::vector<Id> at(made.starts.begin(), made.starts.end() - 1);
    for (Id i = 0; i < count; ++i) made.all[at[key_of(i)]++] = i;
    return made;
  }
  std::span<const Id> of(Id key) const {
    return {all.data() + starts[key], static_cast<std::size_t>(starts[key + 1] - starts[key])};
  }
};

struct ChartGrammar {
  Id symbols, start, chains;
  std::vector<Id> tagged;            // symbols that become words, by number of the tag
  std::vector<Id> label;             // of each symbol: what features of spans know it by
  std::vector<std::uint8_t> counts;  // is a phrase of this label one that is scored?
  std::vector<BinaryRule> binary;
  std::vector<UnaryRule> unary;

  // Right-hand sides (B, C), each once, ordered by B; rules by pair, by parent.
  std::vector<Id> pair_left, pair_right, pair_of;  // of pairs; of rules
  std::vector<Id> left_begin;                      // pairs of B from here to that of B + 1
  Listed rules_of_pair, rules_of_parent, unaries_of_parent, unaries_of_child;

  ChartGrammar(Id symbols_, Id start_, Id chains_, std::vector<Id> tagged_, std::vector<Id> label_,
               std::vector<std::uint8_t> counts_, std::vector<BinaryRule> binary_,
               std::vector<UnaryRule> unary_)
      : symbols(symbols_),
        start(start_),
        chains(chains_),
        tagged(std::move(tagged_)),
        label(std::move(label_)),
        counts(std::move(counts_)),
        binary(std::move(binary_)),
        unary(std::move(unary_)) {
    check();
    number_pairs();
    rules_of_pair = Listed::by(pairs(), size(), [&](Id r) { return pair_of[r]; });
    rules_of_parent = Listed::by(symbols, size(), [&](Id r) { return binary[r].parent; });
    for (Id a = 0; a < symbols; ++a)  // by their left child, as items of a span are
      std::stable_sort(rules_of_parent.all.begin() + rules_of_parent.starts[a],
                       rules_of_parent.all.begin() + rules_of_parent.starts[a + 1],
                       [&](Id r, Id s) { return pair_of[r] < pair_of[s]; });
    unaries_of_parent = Listed::by(symbols, unaries(), [&](Id r) { return unary[r].parent; });
    unaries_of_child = Listed::by(symbols, unaries(), [&](Id r) { return unary[r].child; });
  }

  Id size() const { return static_cast<Id>(binary.size()); }
  Id unaries() const { return static_cast<Id>(unary.size()); }
  Id tags() const { return static_cast<Id>(tagged.size()); }
  Id labels() const { return static_cast<Id>(counts.size()); }
  Id pairs() const { return static_cast<Id>(pair_left.size()); }

 private:
  void check() const {
    const auto known = [&](Id a) {
      if (a < 0 || a >= symbols) throw std::invalid_argument("a rule names an unknown symbol");
    };
    if (symbols < 1) throw std::invalid_argument("a grammar has at least one symbol");
    if (start < 0 || start >= symbols) throw std::invalid_argument("the start symbol is unknown");
    if (chains < 0 || chains > 64)
      throw std::invalid_argument("chains of unary rules are of 0 to 64 rules");
    if (std::ssize(label) != symbols)
      throw std::invalid_argument("there must be one label for each symbol");
    for (const Id l : label)
      if (l < 0 || l >= labels()) throw std::invalid_argument("a symbol has an unknown label");
    if (tagged.empty()) throw std::invalid_argument("a grammar has symbols that become words");
    std::vector<bool> seen(static_cast<std::size_t>(symbols));
    for (const Id a : tagged) {
      known(a);
      if (seen[a]) throw std::invalid_argument("a symbol has two tags");
      seen[a] = true;
    }
    for (const auto& [a, b, c] : binary) known(a), known(b), known(c);
    for (const auto& [a, b] : unary) known(a), known(b);
    // Every rule once: outputs are lists of rules.
    std::vector<std::array<Id, 3>> all;
    for (const auto& [a, b, c] : binary) all.push_back({a, b, c});
    for (const auto& [a, b] : unary) all.push_back({a, b, -1});
    std::sort(all.begin(), all.end());
    if (std::adjacent_find(all.begin(), all.end()) != all.end())
      throw std::invalid_argument("a rule is there twice");
  }
  void number_pairs() {
    std::vector<std::pair<Id, Id>> found;
    for (const BinaryRule& rule : binary) found.emplace_back(rule.left, rule.right);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    left_begin.assign(static_cast<std::size_t>(symbols) + 1, 0);
    for (const auto& [left, right] : found) {
      pair_left.push_back(left);
      pair_right.push_back(right);
      ++left_begin[left + 1];
    }
    for (Id a = 0; a < symbols; ++a) left_begin[a + 1] += left_begin[a];
    for (const BinaryRule& rule : binary) {
      const auto at =
          std::lower_bound(found.begin(), found.end(), std::pair(rule.left, rule.right));
      pair_of.push_back(static_cast<Id>(at - found.begin()));
    }
  }
};

}  // namespace linnet
