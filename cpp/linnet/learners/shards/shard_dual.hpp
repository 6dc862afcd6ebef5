// Dual steps of one shard of the data, where others take theirs at the same time (CoCoA+, Ma et al.
// 2015). All shards begin a round at the same w = Σ_p w_p, where w_p = Σ_i of what the dual point
// of shard p says, and add up what they find: so that all together do not go too far, a shard takes
// its own moves for σ times as long as they are, σ being the number of shards.
//
// A shard remembers nothing from round to round. Whoever drives it keeps the dual points; so a
// shard that was lost and read again goes on as if nothing had been.
#pragma once
#include <span>
#include <stdexcept>
#include <vector>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/rng.hpp"
#include "linnet/learners/dual/visit_order.hpp"

namespace linnet {

class ShardDual {
 public:
  using Point = std::vector<double>;  // dual variables, as the kind of shard writes them down
  struct Sums {
    double loss = 0, dual = 0;  // Σ c ℓ at w, and what the point adds to D, without ½‖w‖²
  };
  virtual ~ShardDual() = default;

  virtual Index dim() const = 0;                                // how many weights
  virtual Point start() const = 0;                              // the point whose w_p is 0
  virtual void check(std::span<const double> alpha) const = 0;  // throws if it is of another shard
  // Σ over the shard at w of what a certificate needs.
  virtual Sums value(std::span<const double> w, std::span<const double> alpha) = 0;
  // w_p of a point.
  virtual void weights(std::span<const double> alpha, std::span<double> sum) = 0;
  // Where some passes over the shard from w and alpha lead.
  virtual Point steps(std::span<const double> w, std::span<const double> alpha, double sigma,
                      int passes, std::uint64_t seed) = 0;

 protected:
  static void require(bool right) {
    if (!right) throw std::invalid_argument("dual variables are not those of this shard");
  }
  template <class Visit>
  static void walk(std::vector<Index> order, int passes, std::uint64_t seed, Visit&& visit) {
    Rng rng(seed);
    StopCheck stop;
    for (int pass = 0; pass < passes; ++pass) {
      shuffle_groups(order, group_size(order.size()), rng);
      for (Index i : order) {
        if (stop()) throw Interrupted();
        visit(i);
      }
    }
  }
};

}  // namespace linnet
