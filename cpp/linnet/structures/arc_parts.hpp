// The parts of dependency trees: an arc and its relation.
#pragma once
#include "linnet/base/lanes.hpp"
#include "linnet/structures/arcs.hpp"
#include "linnet/structures/flat.hpp"

namespace linnet {

namespace detail {

// The potentials of the heads of a word: to = exp(score - shift).
LINNET_INLINE void exp_heads(const double* score, double shift, Id size, double* to) {
  const DoubleLanes by = all_double_lanes(shift);
  Id h = 0;
  for (; h + 4 <= size; h += 4) store_lanes(to + h, exp(load_lanes(score + h) - by));
  for (; h < size; ++h) to[h] = exp(score[h] - shift);
}

// max, and with it Σ exp(a - max).
LINNET_CLONES inline double largest(const double* a, Id size) {
  double top = a[0];
  Id r = 0;
  if (size >= 4) {
    DoubleLanes tops = load_lanes(a);
    for (r = 4; r + 4 <= size; r += 4) tops = larger(load_lanes(a + r), tops);
    top = largest_of(tops);
  }
  for (; r < size; ++r) top = std::max(top, a[r]);
  return top;
}
LINNET_CLONES inline double sum_of_exp(const double* a, double top, Id size) {
  DoubleLanes sums = all_double_lanes(0);
  const DoubleLanes by = all_double_lanes(top);
  Id r = 0;
  for (; r + 4 <= size; r += 4) sums = sums + exp(load_lanes(a + r) - by);
  double sum = sum_of(sums);
  for (; r < size; ++r) sum += exp(a[r] - top);
  return sum;
}
// to = p exp(a - shift)
LINNET_CLONES inline void share_of_exp(const double* a, double shift, double p, Id size,
                                       double* to) {
  exp_heads(a, shift, size, to);
  for (Id r = 0; r < size; ++r) to[r] *= p;
}

}  // namespace detail

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
