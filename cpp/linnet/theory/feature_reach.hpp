// How far the features of an output may lie from those of the gold one: an upper bound of
//   ‖f(x, y) − f(x, y′)‖  and  ‖f(x, y) − f(x, y′)‖∞  over all outputs y′,
// R and its fellow for Winnow, without a look at any output.
//
// f(x, y′) is a sum over the parts that y′ holds, and what it holds of each range of parts is
// bounded from both sides (Oracle::holdings). Take one row of weights, that of feature j in a
// block: a vector over labels, to which a part adds x_j at its label. What is positive of F = f(x,
// y′)_j sums to a number between P₋ and P₊ and what is negative to one between N₋ and N₊,
//   P₊ = Σ_ranges most · max x_j⁺  (over the sites of a range),  P₋ = Σ least · min x_j⁺,
// and so on. The squared distance from G = f(x, y)_j is convex in F, hence largest at a corner,
// where all that is positive is at one label, and all that is negative at one:
//   ‖G − F‖² ≤ ‖G‖² + max_{p ∈ {P₋, P₊}} (p² − 2p min G) + max_{n ∈ {N₋, N₊}} (n² + 2n max G).
// With one label F is a number between P₋ − N₊ and P₊ − N₋. The bound is the sum over all rows. It
// is exact where an instance has one site, and for tied parts; where words choose one of several
// sites each, as heads, the triangle inequality may give less:
//   ‖f(x, y) − f(x, y′)‖ ≤ Σ_words max over its sites ‖x_gold − x_site‖,
// which is exact for lists of candidates. Of each block the smaller of the two is taken.
#pragma once
#include "linnet/data/dataset.hpp"
#include "linnet/features/few_places.hpp"

namespace linnet {

struct Reach {
  double norm = 0, largest = 0;  // ‖·‖ and ‖·‖∞
};

class FeatureReach {
 public:
  // Requires that no label of the instance is missing.
  Reach of(const Instance& x, InstanceBuffer& buffer) {
    start(x);
    Id part = 0;
    auto held = held_.begin();
    auto gold = gold_parts_.begin();
    for (const Group& g : x.sites) {
      const Id block = block_of(g), end = part + g.count * g.width;
      for (; held != held_.end() && held->begin < end; ++held)
        if (held->most > 0) add(*held, g, part, block, buffer);
      for (; gold != gold_parts_.end() && gold->first < end; ++gold) {
        const Id site = (gold->first - part) / g.width, label = (gold->first - part) % g.width;
        each_feature(g, site, buffer, [&, count = gold->second](Index at, double value) {
          Held& weight = gold_[at + label];
          weight.row = at;
          weight.value += count * value;
        });
      }
      part = end;
    }
    return sum();
  }

 private:
  // What the outputs may hold of one row of weights, P₋, P₊, N₋ and N₊, and what gold holds of it.
  struct Row {
    Id block = 0, named = 0;
    double least = 0, most = 0, negative_least = 0, negative_most = 0;
    double squares = 0, smallest = kInf, greatest = -kInf;

    void add(Id of, double least_times, double most_times, double from, double to) {
      block = of;
      least += least_times * std::max(from, 0.0);
      most += most_times * std::max(to, 0.0);
      negative_least += least_times * std::max(-to, 0.0);
      negative_most += most_times * std::max(-from, 0.0);
    }
    void add_gold(double value) {
      ++named;
      squares += value * value;
      smallest = std::min(smallest, value);
      greatest = std::max(greatest, value);
    }
  };
  struct Held {  // f(x, y) at one weight
    Index row = 0;
    double value = 0;
  };
  struct Block {
    Index base;
    Id width;
    double squared = 0;  // row by row
    double apart = 0;    // range by range
  };
  struct Seen {  // of a range of several sites
    Index at;
    Id site;
    double value;
  };

  void start(const Instance& x) {
    held_.clear();
    x.oracle->holdings(held_);
    std::sort(held_.begin(), held_.end(),
              [](const Holding& a, const Holding& b) { return a.begin < b.begin; });
    gold_parts_.assign(x.gold.begin(), x.gold.end());
    std::sort(gold_parts_.begin(), gold_parts_.end());
    rows_.clear();
    gold_.clear();
    blocks_.clear();
  }
  Id block_of(const Group& g) {
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      if (blocks_[b].base == g.base) return static_cast<Id>(b);
    blocks_.push_back({g.base, g.width});
    return static_cast<Id>(blocks_.size()) - 1;
  }

  void add(const Holding& held, const Group& g, Id part, Id block, InstanceBuffer& buffer) {
    const Id first = (held.begin - part) / g.width, last = (held.end - 1 - part) / g.width;
    if (first < last) return add_sites(held, g, part, first, last, block, buffer);
    each_feature(g, first, buffer, [&](Index at, double value) {
      rows_[at].add(block, held.least, held.most, value, value);
    });
    // One site and one label leave no choice; of several labels the rows say all.
    if (g.width > 1 || held.least < held.most) blocks_[block].apart = kInf;
  }
  // A range of several sites: what all of them have in common is always there.
  void add_sites(const Holding& held, const Group& g, Id part, Id first, Id last, Id block,
                 InstanceBuffer& buffer) {
    const Id sites = last - first + 1;
    seen_.clear();
    norms_.assign(static_cast<std::size_t>(sites), 0.0);
    products_.assign(static_cast<std::size_t>(sites), 0.0);
    for (Id s = 0; s < sites; ++s)
      each_feature(g, first + s, buffer, [&](Index at, double value) {
        seen_.push_back({at, s, value});
        norms_[s] += value * value;
      });
    std::sort(seen_.begin(), seen_.end(), [](const Seen& a, const Seen& b) {
      return a.at != b.at ? a.at < b.at : a.site < b.site;
    });
    const auto begin = std::lower_bound(gold_parts_.begin(), gold_parts_.end(),
                                        std::pair<Id, double>(held.begin, -kInf));
    double held_by_gold = 0;
    for (auto p = begin; p != gold_parts_.end() && p->first < held.end; ++p)
      held_by_gold += p->second;
    const bool one = held.least == 1 && held.most == 1 && held_by_gold == 1;
    const Id gold = one ? (begin->first - part) / g.width - first : -1;
    for (std::size_t i = 0, j = 0; i < seen_.size(); i = j) {
      double from = kInf, to = -kInf, of_gold = 0;
      for (; j < seen_.size() && seen_[j].at == seen_[i].at; ++j) {
        from = std::min(from, seen_[j].value);
        to = std::max(to, seen_[j].value);
        if (seen_[j].site == gold) of_gold = seen_[j].value;
      }
      if (static_cast<Id>(j - i) < sites) from = std::min(from, 0.0), to = std::max(to, 0.0);
      rows_[seen_[i].at].add(block, held.least, held.most, from, to);
      for (std::size_t k = i; k < j && of_gold != 0; ++k)
        products_[seen_[k].site] += of_gold * seen_[k].value;
    }
    blocks_[block].apart += one ? farthest(gold, g.width) : kInf;
  }
  // The largest ‖x_gold ⊗ e_y − x_site ⊗ e_y′‖.
  double farthest(Id gold, Id width) const {
    double squared = 0;
    for (std::size_t s = 0; s < norms_.size(); ++s) {
      const double common = width == 1 ? products_[s] : std::min(products_[s], 0.0);
      squared = std::max(squared, norms_[gold] + norms_[s] - 2 * common);
    }
    return std::sqrt(squared);
  }

  template <class Visit>
  static void each_feature(const Group& g, Id site, InstanceBuffer& buffer, Visit&& visit) {
    const linnet::Row row = g.rows->row(g.first + site, buffer.site.row);
    if (g.rows->bias() != 0) visit(g.base, static_cast<double>(g.rows->bias()));
    for (Id k = 0; k < row.size; ++k)
      visit(g.base + (static_cast<Index>(row.index[k]) + 1) * g.stride,
            static_cast<double>(row.value[k]));
  }

  Reach sum() {
    for (const auto& weight : gold_.all()) rows_[weight.value.row].add_gold(weight.value.value);
    Reach reach;
    for (const auto& known : rows_.all()) {
      const Row& row = known.value;
      Block& block = blocks_[row.block];
      const bool all = row.named == block.width;
      const double smallest = all ? row.smallest : std::min(row.smallest, 0.0),
                   greatest = all ? row.greatest : std::max(row.greatest, 0.0);
      if (block.width == 1) {
        const double farthest = std::max(std::abs(row.least - row.negative_most - greatest),
                                         std::abs(row.most - row.negative_least - greatest));
        block.squared += farthest * farthest;
        reach.largest = std::max(reach.largest, farthest);
        continue;
      }
      const auto positive = [&](double p) { return p * p - 2 * p * smallest; };
      const auto negative = [&](double n) { return n * n + 2 * n * greatest; };
      block.squared += row.squares + std::max(positive(row.least), positive(row.most)) +
                       std::max(negative(row.negative_least), negative(row.negative_most));
      reach.largest = std::max({reach.largest, row.most - smallest, row.negative_most + greatest});
    }
    double squared = 0;
    for (const Block& block : blocks_)
      squared += std::min(std::max(block.squared, 0.0), block.apart * block.apart);
    reach.norm = std::sqrt(squared);
    return reach;
  }

  std::vector<Holding> held_;
  std::vector<std::pair<Id, double>> gold_parts_;  // in order
  FewPlaces<Row> rows_;
  FewPlaces<Held> gold_;
  std::vector<Block> blocks_;
  std::vector<Seen> seen_;
  std::vector<double> norms_, products_;  // ‖x_site‖², x_gold · x_site
};

}  // namespace linnet
