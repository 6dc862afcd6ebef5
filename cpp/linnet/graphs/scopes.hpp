// Which variables a factor is over, and how many values each variable has: all that elimination
// orders and junction trees need to know of a graph.
#pragma once
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "linnet/base/types.hpp"

namespace linnet {

// Factor f is over variables [starts[f], starts[f + 1]) of `members`; its table is row-major, the
// last variable fastest. Variable v has sizes[v] values.
struct Scopes {
  std::vector<Id> sizes;
  std::vector<Index> starts{0};
  std::vector<Id> members;

  Id variables() const { return static_cast<Id>(sizes.size()); }
  Index factors() const { return std::ssize(starts) - 1; }
  std::span<const Id> of(Index f) const {
    return std::span<const Id>(members).subspan(
        static_cast<std::size_t>(starts[f]), static_cast<std::size_t>(starts[f + 1] - starts[f]));
  }
  Index entries(Index f) const {
    Index size = 1;
    for (Id v : of(f)) size *= sizes[v];
    return size;
  }
  void add(std::span<const Id> scope) {
    members.insert(members.end(), scope.begin(), scope.end());
    starts.push_back(std::ssize(members));
  }

  void check() const {
    const auto refuse = [](Index f, const std::string& what) {
      throw std::invalid_argument("factor " + std::to_string(f) + " " + what);
    };
    for (Id size : sizes)
      if (size < 1) throw std::invalid_argument("every variable needs at least one value");
    if (starts.empty() || starts.front() != 0 || starts.back() != std::ssize(members))
      throw std::invalid_argument("the scopes of factors do not fit their variables");
    std::vector<Index> seen(sizes.size(), -1);
    for (Index f = 0; f < factors(); ++f) {
      if (starts[f + 1] < starts[f]) refuse(f, "ends before it begins");
      double entries = 1;
      for (Id v : of(f)) {
        if (v < 0 || v >= variables())
          refuse(f, "is over variable " + std::to_string(v) + ", which there is not");
        if (seen[v] == f) refuse(f, "is over variable " + std::to_string(v) + " twice");
        seen[v] = f;
        entries *= sizes[v];
      }
      if (entries > 0x1p40) refuse(f, "has a table of more than 2^40 entries");
    }
  }
};

}  // namespace linnet
