// The k best outputs of an oracle that has no sweep, by solving again (Lawler 1972). Requires that
// every output takes one part of each group. The outputs other than the best are split by the first
// group where they differ from it: groups before are held to the best's part, this one is denied
// it. The best of each share is found by a clamp; the next best output is the best of them all.
#pragma once
#include <queue>

#include "linnet/inference/oracle.hpp"

namespace linnet {

// bounds: group g is parts [bounds[g], bounds[g + 1]).
inline std::vector<Output> kbest_by_partition(const Oracle& oracle, std::span<const Id> bounds,
                                              std::span<const double> theta, Id k) {
  const auto groups = static_cast<Id>(bounds.size()) - 1;
  struct Share {
    Output best;             // its parts are those of the groups, in order
    Id held = 0;             // groups before this one are held
    std::vector<Id> denied;  // parts of group `held`
    Id number = 0;           // equal scores: the earlier
  };
  const auto worse = [](const Share& a, const Share& b) {
    return a.best.score != b.best.score ? a.best.score < b.best.score : a.number > b.number;
  };
  std::priority_queue<Share, std::vector<Share>, decltype(worse)> shares(worse);
  OracleWork work;
  std::vector<double> clamped, mu(theta.size());
  Id made = 0;
  const auto add = [&](Id held, const std::vector<Id>& parts, std::vector<Id> denied) {
    clamped.assign(theta.begin(), theta.end());
    for (Id g = 0; g < held; ++g)
      for (Id p = bounds[g]; p < bounds[g + 1]; ++p)
        if (p != parts[g]) clamped[p] = -kInf;
    for (Id p : denied) clamped[p] = -kInf;
    const double score = oracle.solve(Ring::max, clamped, mu, work);
    if (score == -kInf) return;
    Share share{{score, {}}, held, std::move(denied), made++};
    for (Id p = bounds[0]; p < bounds[groups]; ++p)
      if (mu[p] != 0) share.best.parts.push_back(p);
    shares.push(std::move(share));
  };
  add(0, {}, {});
  std::vector<Output> outputs;
  while (!shares.empty() && static_cast<Id>(outputs.size()) < k) {
    const Share top = shares.top();
    shares.pop();
    outputs.push_back(top.best);
    if (static_cast<Id>(outputs.size()) == k) break;
    for (Id g = top.held; g < groups; ++g) {
      std::vector<Id> denied;
      if (g == top.held) denied = top.denied;
      denied.push_back(top.best.parts[g]);
      add(g, top.best.parts, std::move(denied));
    }
  }
  return outputs;
}

}  // namespace linnet
