// The parts of dependency trees: an arc and its relation.
#pragma once
#include "linnet/base/exp_sums.hpp"
#include "linnet/structures/arcs.hpp"
#include "linnet/structures/flat.hpp"

namespace linnet {

// Part (arc, relation) has number arc · relations + relation.
struct ArcParts {
  Arcs arcs;
  Id relations = 1;

  ArcParts(Arcs a, Id r) : arcs(std::move(a)), relations(r) {
    if (relations < 1) throw std::invalid_argument("there must be at least one relation");
    if (1.0 * arcs.size() * relations > std::numeric_limits<Id>::max())
      throw std::invalid_argument("the tree is too large: it has more than 2^31 parts");
  }
  Id size() const { return arcs.size() * relations; }

  // Calls f(modifier, head, arc) for every arc.
  template <class F>
  void each(F&& f) const {
    for (Id m = 1; m <= arcs.words(); ++m)
      for (Id a = arcs.begin(m); a < arcs.end(m); ++a)
        if (const Id h = arcs.head(a); h != m) f(m, h, a);
  }

  Id best_relation(std::span<const double> theta, Id arc) const {
    const double* first = theta.data() + static_cast<Index>(arc) * relations;
    return static_cast<Id>(std::max_element(first, first + relations) - first);
  }
  // The score of each arc over all of its relations, by cells; -inf where there is no arc.
  void join(Ring ring, std::span<const double> theta, std::vector<double>& score) const {
    score.assign(static_cast<std::size_t>(arcs.cells()), -kInf);
    each([&](Id m, Id h, Id a) {
      const double* of = theta.data() + static_cast<Index>(a) * relations;
      double& s = score[arcs.cell(h, m)];
      s = relations == 1 ? *of : detail::largest(of, relations);
      if (ring == Ring::log && relations > 1 && s > -kInf)
        s += std::log(detail::sum_of_exp(of, s, relations));
    });
  }
  // From arcs back to parts: the best relation of each chosen arc, or P(relation | arc) P(arc).
  void choose(std::span<const double> theta, const Id* heads, std::span<double> mu) const {
    std::fill(mu.begin(), mu.end(), 0.0);
    for (Id m = 1; m <= arcs.words(); ++m) {
      const Id a = arcs.find(heads[m - 1], m);
      mu[a * relations + best_relation(theta, a)] = 1;
    }
  }
  void share(std::span<const double> theta, const std::vector<double>& score,
             const std::vector<double>& arc_mu, std::span<double> mu) const {
    std::fill(mu.begin(), mu.end(), 0.0);
    each([&](Id m, Id h, Id a) {
      const double p = arc_mu[arcs.cell(h, m)], s = score[arcs.cell(h, m)];
      if (p == 0) return;
      const Index first = static_cast<Index>(a) * relations;
      if (relations == 1)
        mu[first] = p;
      else
        detail::share_of_exp(theta.data() + first, s, p, relations, mu.data() + first);
    });
  }

  // A partial tree as a clamp: heads[m - 1] and relations[m - 1] are given, or -1 (relations may be
  // left out altogether). Clears what does not agree with it.
  void clamp_to(std::span<const Id> heads, std::span<const Id> labels,
                std::span<std::uint8_t> allowed) const {
    for (Id m = 1; m <= arcs.words(); ++m) {
      const Id h = heads[m - 1], label = labels.empty() ? -1 : labels[m - 1];
      if (h >= 0 && (h > arcs.words() || arcs.find(h, m) < 0))
        throw std::invalid_argument("the given head " + std::to_string(h) + " of word " +
                                    std::to_string(m) + " is no candidate");
      if (label >= relations) throw std::invalid_argument("a given relation is unknown");
      for (Id a = arcs.begin(m); a < arcs.end(m); ++a)
        for (Id r = 0; r < relations; ++r)
          if ((h >= 0 && arcs.head(a) != h) || (label >= 0 && r != label))
            allowed[a * relations + r] = 0;
    }
  }
  // Hamming distance: a word whose head or relation is wrong costs one.
  void add_cost(Gold gold, double scale, std::span<double> theta) const {
    add_hamming(0, size(), gold, scale, theta);
  }
  template <class F>
  void shifts(F&& f) const {
    for (Id m = 1; m <= arcs.words(); ++m) f(arcs.begin(m) * relations, arcs.end(m) * relations, 1);
  }
};

}  // namespace linnet
