// Junction trees. The cliques of an elimination order, those within others left out, form a tree in
// which the cliques of each variable hang together; sums and maxima over all variables are two
// sweeps over it (Lauritzen and Spiegelhalter 1988).
//
// The variables of every clique stand in one order: the last to be eliminated first. So what a
// clique shares with its parent, its separator, comes before what it eliminates: the message to the
// parent sums neighbouring entries.
#pragma once
#include "linnet/graphs/elimination_search.hpp"
#include "linnet/graphs/tables.hpp"

namespace linnet {

struct Clique {
  std::vector<Id> scope;  // the separator first
  Id shared = 0;          // how many of them are the separator
  Id parent = -1;         // a later clique, or -1: a root
  Index entries = 1;      // of the table
  Index messages = 1;     // entries of the separator's
  Index begin = 0;        // of its table among those of all cliques
  Index message = 0;      // of its message to the parent
  Walk to_parent;         // the message over the parent's table
  Walk own;               // the message over its own
  std::vector<Index> factors;
};

class JunctionTree {
 public:
  // observed[v]: the value of variable v, -1 where it is not given; empty: none are. `limit`: of
  // entries, of all tables together.
  JunctionTree(const Scopes& scopes, std::span<const Id> observed, double limit)
      : JunctionTree(scopes, observed, best_order(scopes, observed, limit)) {}

  JunctionTree(const Scopes& scopes, std::span<const Id> observed, Elimination found)
      : rule_(found.rule) {
    position_.assign(scopes.sizes.size(), -1);
    for (std::size_t i = 0; i < found.order.size(); ++i)
      position_[found.order[i]] = static_cast<Id>(i);
    set_cliques(scopes, found);
    set_tables(scopes);
    set_factors(scopes, observed);
    set_homes(scopes);
  }

  std::span<const Clique> cliques() const { return cliques_; }
  const Clique& clique(Index c) const { return cliques_[static_cast<std::size_t>(c)]; }
  Index entries() const { return entries_; }    // of all tables
  Index messages() const { return messages_; }  // of all messages
  Index largest() const { return largest_; }
  const char* rule() const { return rule_; }
  // Of a factor: the clique it is in (-1: all of its variables are observed), and how its table
  // lies over the clique's.
  Id home(Index f) const { return homes_[static_cast<std::size_t>(f)]; }
  const Walk& walk(Index f) const { return walks_[static_cast<std::size_t>(f)]; }
  // Of a variable that is not observed: the smallest table that has it, a clique's or (message) a
  // separator's.
  struct Place {
    Id clique = -1;
    bool message = false;
    Walk walk;
  };
  const Place& place(Id variable) const { return places_[static_cast<std::size_t>(variable)]; }

 private:
  void set_cliques(const Scopes& scopes, const Elimination& found) {
    const auto steps = static_cast<Id>(found.order.size());
    // into[i]: the step whose clique has become that of step i; last[i]: the last it took in.
    std::vector<Id> into(static_cast<std::size_t>(steps)), last(into), next(into);
    for (Id i = 0; i < steps; ++i) {
      into[i] = last[i] = i;
      next[i] = -1;
      for (std::size_t k = 1; k < found.cliques[i].size(); ++k) {
        const Id p = position_[found.cliques[i][k]];
        if (next[i] < 0 || p < next[i]) next[i] = p;
      }
    }
    for (Id i = 0; i < steps; ++i) {
      const Id p = next[i];
      if (p < 0 || into[p] != p || found.cliques[p].size() + 1 != found.cliques[i].size()) continue;
      into[p] = into[i];
      last[into[i]] = p;
    }
    std::vector<Id> kept;  // in the order of the last steps that they took in
    for (Id i = 0; i < steps; ++i)
      if (last[into[i]] == i) kept.push_back(into[i]);
    std::vector<Id> number(static_cast<std::size_t>(steps), -1);
    for (std::size_t k = 0; k < kept.size(); ++k) number[kept[k]] = static_cast<Id>(k);
    clique_of_step_.resize(static_cast<std::size_t>(steps));
    for (Id i = 0; i < steps; ++i) clique_of_step_[i] = number[into[i]];
    for (Id first : kept) {
      Clique clique;
      clique.scope = found.cliques[first];
      std::sort(clique.scope.begin(), clique.scope.end(),
                [&](Id a, Id b) { return position_[a] > position_[b]; });
      const Id end = last[first], after = next[end];
      for (Id v : clique.scope) clique.shared += position_[v] > end;
      clique.parent = after < 0 ? -1 : clique_of_step_[after];
      for (Id k = 0; k < static_cast<Id>(clique.scope.size()); ++k) {
        clique.entries *= scopes.sizes[clique.scope[k]];
        if (k < clique.shared) clique.messages = clique.entries;
      }
      cliques_.push_back(std::move(clique));
    }
  }
  void set_tables(const Scopes& scopes) {
    for (Clique& c : cliques_) {
      c.begin = entries_;
      c.message = messages_;
      entries_ += c.entries;
      messages_ += c.messages;
      largest_ = std::max(largest_, c.entries);
      const auto shared = std::span<const Id>(c.scope).first(static_cast<std::size_t>(c.shared));
      c.own = over(scopes, c.scope, shared);
      if (c.parent >= 0) c.to_parent = over(scopes, cliques_[c.parent].scope, shared);
    }
  }
  // How a table over `small`, in the order of cliques, lies over one over `large`.
  Walk over(const Scopes& scopes, std::span<const Id> large, std::span<const Id> small) const {
    std::vector<Index> sizes, strides(large.size(), 0);
    for (Id v : large) sizes.push_back(scopes.sizes[v]);
    Index stride = 1;
    std::size_t d = large.size();
    for (std::size_t k = small.size(); k-- > 0; stride *= scopes.sizes[small[k]]) {
      while (large[--d] != small[k]) {
      }
      strides[d] = stride;
    }
    return Walk::of(sizes, strides);
  }
  void set_factors(const Scopes& scopes, std::span<const Id> observed) {
    homes_.assign(static_cast<std::size_t>(scopes.factors()), -1);
    walks_.resize(homes_.size());
    std::vector<Index> stride_of(scopes.sizes.size(), 0), sizes, strides;
    for (Index f = 0; f < scopes.factors(); ++f) {
      const auto scope = scopes.of(f);
      Index stride = 1, offset = 0;
      Id first = -1;
      for (std::size_t k = scope.size(); k-- > 0; stride *= scopes.sizes[scope[k]]) {
        const Id v = scope[k];
        if (!observed.empty() && observed[v] >= 0) {
          offset += stride * observed[v];
          continue;
        }
        stride_of[v] = stride;
        if (first < 0 || position_[v] < first) first = position_[v];
      }
      if (first < 0) {
        walks_[f].offset = offset;
        continue;
      }
      homes_[f] = clique_of_step_[first];
      Clique& home = cliques_[homes_[f]];
      home.factors.push_back(f);
      sizes.clear(), strides.clear();
      for (Id v : home.scope) sizes.push_back(scopes.sizes[v]), strides.push_back(stride_of[v]);
      walks_[f] = Walk::of(sizes, strides, offset);
      for (Id v : scope) stride_of[v] = 0;
    }
  }
  void set_homes(const Scopes& scopes) {
    places_.resize(scopes.sizes.size());
    std::vector<Index> smallest(scopes.sizes.size(), std::numeric_limits<Index>::max());
    for (std::size_t c = 0; c < cliques_.size(); ++c)
      for (Id k = 0; k < static_cast<Id>(cliques_[c].scope.size()); ++k) {
        const Id v = cliques_[c].scope[k];
        const bool message = k < cliques_[c].shared;
        const Index size = message ? cliques_[c].messages : cliques_[c].entries;
        if (size >= smallest[v]) continue;
        smallest[v] = size;
        places_[v] = {static_cast<Id>(c), message, {}};
      }
    for (Id v = 0; v < scopes.variables(); ++v) {
      if (places_[v].clique < 0) continue;
      const Clique& c = cliques_[places_[v].clique];
      const auto scope = std::span<const Id>(c.scope).first(
          static_cast<std::size_t>(places_[v].message ? c.shared : c.scope.size()));
      places_[v].walk = over(scopes, scope, std::span<const Id>(&v, 1));
    }
  }

  std::vector<Clique> cliques_;  // children before their parents
  std::vector<Id> position_;     // of a variable in the order; -1: observed
  std::vector<Id> clique_of_step_, homes_;
  std::vector<Walk> walks_;
  std::vector<Place> places_;
  Index entries_ = 0, messages_ = 0, largest_ = 0;
  const char* rule_;
};

}  // namespace linnet
