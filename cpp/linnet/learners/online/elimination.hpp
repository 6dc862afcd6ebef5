// The elimination algorithm for monotone disjunctions of boolean features (Valiant 1984): start
// with all features, remove those active in a negative example, say yes iff an active one is left.
// Every mistake removes at least one, so there are at most n on data some disjunction explains.
#pragma once
#include "linnet/learners/online/winnow.hpp"

namespace linnet {

// Weights are 1 or 0 with a threshold of 1/2. A negative that is rejected has no feature to
// remove, so acting on mistakes is acting on every negative; a missed positive teaches nothing.
class EliminationRule {
 public:
  void check(const Dataset& data) const {
    check_positive(data, "the elimination algorithm", "features that are 0 or 1", "Winnow",
                   [](float v) { return v == 0 || v == 1; });
  }
  void grow(Index) {}
  void settle(OnlineWeights& w, const Instance&, InstanceBuffer&) { threshold_.start(w); }
  void step(OnlineWeights& w, const Instance& x, InstanceBuffer& buffer, const Outcome&) {
    if (buffer.delta[0] < 0) return;
    for_each_weight_row(x.sites, buffer.delta, buffer.site,
                        [&](Index at, double value, const double*, const Group&) {
                          if (at != 0 && value != 0) w.set(at, 0);
                        });
  }
  void state(Archive& a) { a(threshold_); }
  void finish(OnlineWeights& w) { threshold_.start(w); }

 private:
  FixedThreshold threshold_{1, 0.5};
};

}  // namespace linnet
