// The one recursion. A structure enumerates its hyperedges by sweep<Order>(visit); solve runs the
// inside pass and then the reverse sweep, so that Viterbi with its back-pointers, forward-backward,
// CKY, inside-outside and Eisner are the same code.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "linnet/base/interrupt.hpp"
#include "linnet/inference/rings.hpp"

namespace linnet {

enum class Order { up, down };

// Requires of sweep<O>(visit): calls visit(node, edges) with every node after (up) or before (down)
// all of its tails; edges(edge) calls edge(parts, tails) for each way to build the node, as does
// the structure's own edges(node, edge) out of turn. Acyclic, and every output is derived exactly
// once. shifts(f) calls f(begin, end, times) for disjoint
// ranges of parts of which every output holds exactly `times`.
template <class S>
concept Structure = requires(const S s) {
  { s.num_nodes() } -> std::convertible_to<Id>;
  { s.num_parts() } -> std::convertible_to<Id>;
  { s.root() } -> std::convertible_to<Id>;
};

template <class... I>
constexpr std::array<Id, sizeof...(I)> ids(I... i) {
  return {static_cast<Id>(i)...};
}

// Ascending on the way up, descending on the way down.
template <Order O, class F>
void range(Id low, Id high, F&& f) {
  if constexpr (O == Order::up)
    for (Id i = low; i < high; ++i) f(i);
  else
    for (Id i = high; i-- > low;) f(i);
}

template <class V>
struct Workspace {
  std::vector<V> inside, adjoint;
  std::vector<Id> choice;
};

// Ensures: the value is the ring sum over all outputs of the ring product of their parts, and mu
// (unless empty) its derivative by theta: one-hot on the best output for Max, marginals for Log.
template <class R, Structure S>
typename R::Value solve(const S& structure, std::span<const typename R::Value> theta,
                        std::span<typename R::Value> mu, Workspace<typename R::Value>& work) {
  using V = typename R::Value;
  const auto nodes = static_cast<std::size_t>(structure.num_nodes());
  work.inside.assign(nodes, V(R::kZero));
  work.choice.assign(nodes, 0);
  Steps steps;
  const auto product = [&](const auto& parts, const auto& tails) {
    V x = V(R::kOne);
    for (Id p : parts) x = R::times(x, theta[p]);
    for (Id t : tails) x = R::times(x, work.inside[t]);
    return x;
  };
  structure.template sweep<Order::up>([&](Id node, auto&& edges) {
    typename R::Sum sum;
    Index taken = 4;
    edges([&](const auto& parts, const auto& tails) {
      sum.add(product(parts, tails));
      taken += 8;
    });
    steps(taken);
    work.inside[node] = sum.get();
    work.choice[node] = sum.choice();
  });
  const V value = work.inside[structure.root()];
  if (mu.empty()) return value;

  for (V& m : mu) m = V(0);
  work.adjoint.assign(nodes, V(0));
  work.adjoint[structure.root()] = V(1);
  structure.template sweep<Order::down>([&](Id node, auto&& edges) {
    const V adjoint = work.adjoint[node];
    if (value_of(adjoint) == 0) return;
    Id edge = 0;
    steps(4);
    edges([&](const auto& parts, const auto& tails) {
      const V flow =
          adjoint * R::share(product(parts, tails), work.inside[node], edge++, work.choice[node]);
      if (value_of(flow) == 0) return;
      for (Id p : parts) mu[p] += flow;
      for (Id t : tails) work.adjoint[t] += flow;
    });
    steps(8 * Index{edge});
  });
  return value;
}

// log Z and marginals through the probability ring: theta is shifted, exactly, by the maximum of
// each declared range. Returns false when the result left the range of a double; use Log then.
template <Structure S>
bool solve_scaled(const S& structure, std::span<const double> theta, std::span<double> mu,
                  Workspace<double>& work, std::vector<double>& potential, double& value) {
  potential.assign(theta.begin(), theta.end());
  double shift = 0;
  structure.shifts([&](Id begin, Id end, Id times) {
    if (times == 0) return;
    double top = -kInf;
    for (Id p = begin; p < end; ++p) top = std::max(top, theta[p]);
    if (top == -kInf) return;
    for (Id p = begin; p < end; ++p) potential[p] -= top;
    shift += times * top;
  });
  for (double& p : potential) p = exp(p);
  const double z = solve<Probability>(structure, std::span<const double>(potential), mu, work);
  if (!(z > 1e-250 && z < 1e250)) return false;
  value = std::log(z) + shift;
  return true;
}

}  // namespace linnet
