// What neighbours vote for: each of the k distances has a weight, each instance there one vote.
//
//   equal 1;  inverse distance 1/(d + ε);  inverse linear (d_k - d)/(d_k - d_1), 1 for the nearest;
//   exponential exp(-a d^b)                                       (Dudani 1976; Shepard 1987)
//
// Of labels with equally many votes one more distance decides, as in TiMBL, and if it does not, the
// label that is more frequent in training, then the first.
#pragma once
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "linnet/base/types.hpp"
#include "linnet/memory/neighbours.hpp"

namespace linnet::memory {

enum class Decay { kEqual, kInverse, kLinear, kExponential };

struct Voting {
  Decay decay = Decay::kEqual;
  double a = 1, b = 1;

  double weight(double distance, double nearest, double furthest) const {
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    switch (decay) {
      case Decay::kInverse:
        return 1 / (distance + epsilon);
      case Decay::kLinear:
        return distance == nearest ? 1 : (furthest - distance) / (furthest - nearest);
      case Decay::kExponential:
        return std::max(std::exp(-a * std::pow(distance, b)), epsilon);
      case Decay::kEqual:
        break;
    }
    return 1;
  }
};

// votes[label] of what was found, nearest first.
inline void count_votes(const InstanceTree& tree, const Search& search, const Voting& voting,
                        const std::vector<Found>& found, std::span<double> votes) {
  std::fill(votes.begin(), votes.end(), 0.0);
  if (found.empty()) return;
  const double nearest = search.distance(found.front().key);
  const double furthest = search.distance(found.back().key);
  for (const Found& f : found) {
    const double weight = voting.weight(search.distance(f.key), nearest, furthest);
    for (const auto& [label, number] : tree.counts(f.tuple))
      votes[label] += weight * static_cast<double>(number);
  }
}

// Distances are rounded to some 10⁻¹² of the largest: votes that differ by less than this are
// equal.
constexpr double kAlike = 1e-9;

// The label of most votes, and whether others have as many.
inline std::pair<Id, bool> most_votes(std::span<const double> votes,
                                      std::span<const Index> frequency) {
  Id best = 0;
  bool tied = false;
  for (Id c = 1; c < static_cast<Id>(votes.size()); ++c) {
    const double margin = votes[c] - votes[best];
    if (std::abs(margin) <= kAlike * votes[best]) {
      tied = true;
      if (frequency[c] > frequency[best]) best = c;
    } else if (margin > 0) {
      best = c, tied = false;
    }
  }
  return {best, tied};
}

}  // namespace linnet::memory
