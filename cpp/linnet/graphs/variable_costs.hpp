// The Hamming distance between assignments, as costs of parts: each variable that has another value
// than in gold costs something, at the first of its smallest factors.
#pragma once
#include <algorithm>

#include "linnet/graphs/scopes.hpp"
#include "linnet/inference/oracle.hpp"

namespace linnet {

// The factor where each variable is paid for; -1: it is in none.
inline std::vector<Index> paying_factors(const Scopes& scopes) {
  std::vector<Index> home(scopes.sizes.size(), -1);
  for (Index f = 0; f < scopes.factors(); ++f)
    for (Id v : scopes.of(f))
      if (home[v] < 0 || scopes.of(home[v]).size() > scopes.of(f).size()) home[v] = f;
  return home;
}

// Calls found(variable, stride) for each variable of a factor, the last first.
template <class Found>
void each_stride(const Scopes& scopes, Index f, Found&& found) {
  const auto scope = scopes.of(f);
  Index stride = 1;
  for (std::size_t k = scope.size(); k-- > 0; stride *= scopes.sizes[scope[k]])
    found(scope[k], stride);
}

// Observed variables cost nothing. gold: one part of each factor.
inline void add_hamming_of_variables(const Scopes& scopes, std::span<const Id> observed,
                                     std::span<const Index> starts, PartCounts gold, double scale,
                                     std::span<double> theta) {
  const std::vector<Index> home = paying_factors(scopes);
  for (const auto& [part, count] : gold) {
    const Index f = std::upper_bound(starts.begin(), starts.end(), part) - starts.begin() - 1;
    const Index begin = starts[f], entries = starts[f + 1] - begin, at = part - begin;
    each_stride(scopes, f, [&](Id v, Index stride) {
      if (home[v] != f || (!observed.empty() && observed[v] >= 0)) return;
      const Id size = scopes.sizes[v];
      for (Index x = 0; x < entries; ++x)
        if (x / stride % size != at / stride % size) theta[begin + x] += scale * count;
    });
  }
}

}  // namespace linnet
