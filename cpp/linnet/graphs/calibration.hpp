// Sums and maxima over all assignments by two sweeps over a junction tree (Jensen, Lauritzen and
// Olesen 1990): messages to the roots, and back. Tables hold products of probabilities, shifted by
// powers of two; or their logarithms, which are slower and have no range to leave; or, for the best
// assignment, logarithms that are maximised.
#pragma once
#include <memory>

#include "linnet/base/interrupt.hpp"
#include "linnet/graphs/junction_tree.hpp"

namespace linnet {

enum class Space { scaled, log, max };

class Calibration {
 public:
  // Works on this tree from now on, in the memory that it has; the caller keeps the tree alive.
  void use(const JunctionTree& tree) { tree_ = &tree; }

  // entries: the tables of all factors, one after the other from starts[f] on; probabilities in
  // Space::scaled, logarithms elsewhere. Returns the logarithm of the sum, or the maximum; -inf if
  // no assignment is possible, NaN if Space::scaled left the range of a double.
  double collect(Space space, std::span<const double> entries, std::span<const Index> starts,
                 double lost = 0) {
    space_ = space;
    // Memory that is not touched costs nothing: tables are written before they are read.
    if (tables_size_ < tree_->entries()) {
      tables_ =
          std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(tree_->entries()));
      tables_size_ = tree_->entries();
    }
    messages_.resize(static_cast<std::size_t>(tree_->messages()));
    const auto count = tree_->cliques().size();
    filled_.assign(count, 0);
    multiplied_.assign(count, 0);
    lost_.assign(count, lost);
    exponents_.assign(count, 0);
    exponent_ = 0;
    total_lost_ = 0;
    double value = space == Space::scaled ? 1 : 0;
    for (Index f = 0; f < std::ssize(starts) - 1; ++f)
      if (tree_->home(f) < 0) join_root(value, entries[starts[f] + tree_->walk(f).offset]);
    for (std::size_t c = 0; c < count; ++c) {
      const Clique& clique = tree_->clique(static_cast<Index>(c));
      for (Index f : clique.factors)
        join(static_cast<Id>(c), tree_->walk(f), entries.data() + starts[f], 0);
      if (!filled_[c]) fill(static_cast<Id>(c));
      up(static_cast<Id>(c), value);
      steps_(4 * clique.entries);
    }
    if (space != Space::scaled) return value;
    if (value == 0 && total_lost_ == 0) return -kInf;
    if (!(value > 0) || total_lost_ > 1e-14 * value) return kNaN;
    return std::log(value) + static_cast<double>(exponent_) * kLn2;
  }

  // After collect: the marginals of all cliques, or, where tables are maximised, the value of the
  // best assignment with each entry.
  void distribute() {
    for (std::size_t c = tree_->cliques().size(); c-- > 0;) {
      const Clique& clique = tree_->clique(static_cast<Index>(c));
      steps_(4 * clique.entries);
      if (clique.parent < 0) {
        if (space_ == Space::scaled) scale(table(c), 1 / root_sum(clique));
        if (space_ == Space::log) shift(table(c), -root_sum(clique));
        continue;
      }
      // What the parent knows of the separator, by what it was told of it.
      std::span<double> told = message(c);
      scratch_.assign(told.size(), space_ == Space::scaled ? 0.0 : -kInf);
      reduce(clique.to_parent, table(clique.parent), scratch_);
      // The message was divided by a power of two, the table was not. Half of it at a time: 2^1074
      // is beyond the range.
      const int half = exponents_[c] / 2;
      const double low = std::ldexp(1.0, -half), high = std::ldexp(1.0, half - exponents_[c]);
      for (std::size_t s = 0; s < told.size(); ++s) {
        const double known = scratch_[s];
        if (space_ == Space::scaled)
          scratch_[s] = told[s] > 0 ? known / told[s] * low * high : 0;
        else
          scratch_[s] = told[s] > -kInf ? known - told[s] : -kInf;
        told[s] = known;
      }
      if (space_ == Space::scaled)
        multiply(clique.own, table(c).data(), scratch_.data());
      else
        add(clique.own, table(c).data(), scratch_.data());
    }
  }

  // After distribute: what is known of one variable, and of the entries of one factor; sums of
  // probabilities (in the log space too), or maxima.
  void variable(Id v, std::span<double> out) {
    const JunctionTree::Place& place = tree_->place(v);
    std::fill(out.begin(), out.end(), space_ == Space::scaled ? 0.0 : -kInf);
    reduce(place.walk,
           place.message ? message(static_cast<std::size_t>(place.clique))
                         : table(static_cast<std::size_t>(place.clique)),
           out);
    finish(out);
  }
  void factor(Index f, std::span<double> out) {
    std::fill(out.begin(), out.end(), space_ == Space::scaled ? 0.0 : -kInf);
    const Walk& walk = tree_->walk(f);
    if (tree_->home(f) < 0)
      out[walk.offset] = space_ == Space::scaled ? 1 : 0;
    else
      reduce(walk, table(static_cast<std::size_t>(tree_->home(f))), out);
    finish(out);
  }

  // After collect, from the roots down: values[v] of all variables that are not observed.
  // choose(block) -> index of an entry.
  template <class Choose>
  void descend(std::span<const Id> sizes, std::span<Id> values, Choose&& choose) {
    for (std::size_t c = tree_->cliques().size(); c-- > 0;) {
      const Clique& clique = tree_->clique(static_cast<Index>(c));
      Index at = 0;
      for (Id k = 0; k < clique.shared; ++k)
        at = at * sizes[clique.scope[k]] + values[clique.scope[k]];
      const Index block = clique.entries / clique.messages;
      Index chosen = choose(
          table(c).subspan(static_cast<std::size_t>(at * block), static_cast<std::size_t>(block)));
      for (auto k = static_cast<Id>(clique.scope.size()); k-- > clique.shared;) {
        const Id v = clique.scope[k];
        values[v] = static_cast<Id>(chosen % sizes[v]);
        chosen /= sizes[v];
      }
      steps_(block);
    }
  }
  std::span<double> table(std::size_t c) {
    const Clique& clique = tree_->clique(static_cast<Index>(c));
    return {tables_.get() + clique.begin, static_cast<std::size_t>(clique.entries)};
  }

 private:
  static constexpr double kLn2 = 0.69314718055994530942;
  std::span<double> message(std::size_t c) {
    const Clique& clique = tree_->clique(static_cast<Index>(c));
    return std::span<double>(messages_).subspan(static_cast<std::size_t>(clique.message),
                                                static_cast<std::size_t>(clique.messages));
  }
  void join_root(double& value, double x) {
    value = space_ == Space::scaled ? value * x : value + x;
  }
  void fill(Id c) {
    std::span<double> all = table(static_cast<std::size_t>(c));
    std::fill(all.begin(), all.end(), space_ == Space::scaled ? 1.0 : 0.0);
    filled_[c] = 1;
  }
  // Joins a table into that of a clique; `lost`: what its entries may lack, with the largest at 1.
  void join(Id c, const Walk& walk, const double* small, double lost) {
    double* into = table(static_cast<std::size_t>(c)).data();
    if (!filled_[c]) {
      assign(walk, into, small);
      filled_[c] = 1;
    } else if (space_ == Space::scaled) {
      multiply(walk, into, small);
      lost_[c] += 0x1p-1074;
      // Many small ones would leave the range.
      if (++multiplied_[c] % 16 == 0) normalise(table(static_cast<std::size_t>(c)), lost_[c]);
    } else {
      add(walk, into, small);
    }
    lost_[c] += lost;
  }
  // Divides by a power of two, so that the largest entry is between ½ and 1.
  int normalise(std::span<double> values, double& lost) {
    const double most = most_of(values);
    if (!(most > 0)) return 0;
    int exponent;
    std::frexp(most, &exponent);
    exponent_ += exponent;
    if (exponent > -1000) {
      scale(values, std::ldexp(1.0, -exponent));
    } else {
      scale(values, 0x1p500);
      scale(values, std::ldexp(1.0, -exponent - 500));
    }
    lost = std::ldexp(lost, -exponent);
    return exponent;
  }
  void up(Id c, double& value) {
    const Clique& clique = tree_->clique(c);
    std::span<double> told = message(static_cast<std::size_t>(c));
    std::fill(told.begin(), told.end(), space_ == Space::scaled ? 0.0 : -kInf);
    reduce(clique.own, table(static_cast<std::size_t>(c)), told);
    double lost = lost_[c] * static_cast<double>(clique.entries / clique.messages);
    if (clique.parent >= 0) {
      if (space_ == Space::scaled) exponents_[c] = normalise(told, lost);
      return join(clique.parent, clique.to_parent, told.data(), lost);
    }
    if (space_ == Space::scaled) {
      const double sum = told[0];
      total_lost_ = (total_lost_ + 0x1p-1074) * std::max(sum, 0x1p-1000) + value * lost;
      join_root(value, sum);
      int exponent;
      value = std::frexp(value, &exponent);
      if (value > 0) {
        exponent_ += exponent;
        total_lost_ = std::ldexp(total_lost_, -exponent);
      }
    } else {
      join_root(value, told[0]);
    }
  }
  double root_sum(const Clique& clique) const { return messages_[clique.message]; }
  static void shift(std::span<double> values, double by) {
    for (double& x : values) x += by;
  }
  void reduce(const Walk& walk, std::span<const double> from, std::span<double> to) {
    if (space_ == Space::scaled) return sum_into(walk, from.data(), to.data());
    if (space_ == Space::max) return max_into(walk, from.data(), to.data());
    // log Σ exp, shifted by the largest of each sum.
    max_into(walk, from.data(), to.data());
    std::vector<double> shifts(to.begin(), to.end()), shifted(from.begin(), from.end()),
        sums(to.size(), 0.0);
    for (double& x : shifts) x = x == -kInf ? 0 : -x;
    add(walk, shifted.data(), shifts.data());
    for (double& x : shifted) x = exp(x);
    sum_into(walk, shifted.data(), sums.data());
    for (std::size_t i = 0; i < to.size(); ++i)
      if (to[i] > -kInf) to[i] += std::log(sums[i]);
  }
  void finish(std::span<double> out) const {
    if (space_ == Space::log)
      for (double& x : out) x = exp(x);
  }

  const JunctionTree* tree_ = nullptr;
  Space space_ = Space::scaled;
  std::unique_ptr<double[]> tables_;
  Index tables_size_ = 0;
  std::vector<double> messages_, scratch_;
  std::vector<char> filled_;
  std::vector<Id> multiplied_;
  std::vector<int> exponents_;  // by how many powers of two each message was divided
  std::vector<double> lost_;    // of each clique: what an entry may lack by underflow
  double total_lost_ = 0;
  Index exponent_ = 0;
  Steps steps_;
};

}  // namespace linnet
