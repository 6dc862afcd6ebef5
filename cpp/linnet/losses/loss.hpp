// Losses are a table, not code: which ring, whether wrong outputs get their cost added, and a link
// applied to the result. l = solve(ring, theta + cost) - theta . gold, loss = link(l).
#pragma once
#include <array>
#include <string_view>

#include "linnet/inference/oracle.hpp"
#include "linnet/structures/flat.hpp"

namespace linnet {

enum class Link { identity, square, complement, exponential, quadratic };

struct Loss {
  std::string_view name;
  Ring ring;
  double cost;
  Link link;
};

inline constexpr std::array<Loss, 8> kLosses{{
    {"perceptron", Ring::max, 0, Link::identity},
    {"hinge", Ring::max, 1, Link::identity},
    {"squared_hinge", Ring::max, 1, Link::square},
    {"logistic", Ring::log, 0, Link::identity},
    {"softmax_margin", Ring::log, 1, Link::identity},
    {"probability", Ring::log, 0, Link::complement},   // 1 - P(y | x)
    {"exponential", Ring::log, 0, Link::exponential},  // sum over y' != y of exp(s(y') - s(y))
    {"squared", Ring::max, 0, Link::quadratic},        // 1/2 sum over parts (theta_p - (+-1))^2
}};

inline const Loss& loss_named(std::string_view name) {
  for (const Loss& loss : kLosses)
    if (loss.name == name) return loss;
  throw std::invalid_argument("unknown loss '" + std::string(name) + "'");
}

// Scales the cost of a loss: hinge losses ask for that margin instead of 1.
inline Loss with_margin(Loss loss, double margin) {
  if (!(margin >= 0 && margin < kInf))
    throw std::invalid_argument("the margin must be finite and not negative");
  loss.cost *= margin;
  return loss;
}

// (link(l), link'(l))
inline std::pair<double, double> apply(Link link, double l) {
  switch (link) {
    case Link::square:
      return {l * l, 2 * l};
    case Link::complement: {
      const double p = exp(-l);
      return {1 - p, p};
    }
    case Link::exponential: {
      const double e = exp(l);
      return {e - 1, e};
    }
    default:
      return {l, 1};
  }
}

// What each part adds to the cost of an output, by a user's choice; none of it on gold parts, nor
// on tied ones. Empty: the Hamming cost of the structure.
using PartCosts = std::span<const double>;
inline void add_cost(const Oracle& oracle, Gold gold, PartCosts costs, double scale,
                     std::span<double> theta) {
  if (scale == 0) return;
  if (costs.empty()) return oracle.add_cost(gold, scale, theta);
  for (std::size_t p = 0; p < costs.size(); ++p) theta[p] += scale * costs[p];
}

struct Outcome {
  double loss;         // after the link
  double before_link;  // what passive-aggressive steps divide by the norm
  bool moved;          // delta is not zero (a tie can be a mistake of zero loss)
};

// The loss of one instance and delta = d loss / d theta. theta is used up. With Ring::max, delta is
// mu - gold even where the loss is zero: at a tie the prediction is wrong and the learner must
// move.
//
// Partial labels: with a mask `consistent`, any output within it is gold, and their parts are
// summed out (log ring) or the best of them is taken (max ring): l = solve(theta) - solve(theta,
// clamped). Where a mask cannot say what agrees, an oracle of these outputs alone, `agreeing`, is
// asked in place of the other. Costs of tokens without a label are the same for all their labels,
// hence cancel.
inline Outcome evaluate(const Loss& loss, const Oracle& oracle, Gold gold, std::span<double> theta,
                        std::span<double> delta, OracleWork& work, Mask consistent = {},
                        PartCosts costs = {}, const Oracle* agreeing = nullptr) {
  if (loss.link == Link::quadratic) {
    if (!consistent.empty())
      throw std::invalid_argument("the squared loss needs the label of every token");
    double sum = 0;
    for (std::size_t p = 0; p < theta.size(); ++p) delta[p] = theta[p] + 1;
    for (const auto& [p, count] : gold)
      if (count > 0) delta[p] = theta[p] - 1;
    for (double d : delta) sum += d * d / 2;
    return {sum, sum, sum != 0};
  }
  add_cost(oracle, gold, costs, loss.cost, theta);
  double l = oracle.solve(loss.ring, theta, delta, work);
  if (consistent.empty()) {
    for (const auto& [p, count] : gold) {
      l -= theta[p] * count;
      delta[p] -= count;
    }
  } else {
    work.partial.assign(theta.begin(), theta.end());
    work.partial_mu.resize(theta.size());
    clamp(consistent, work.partial);
    const double inside =
        (agreeing ? *agreeing : oracle).solve(loss.ring, work.partial, work.partial_mu, work);
    if (inside == -kInf) throw std::invalid_argument("no allowed output agrees with the labels");
    l -= inside;
    for (std::size_t p = 0; p < delta.size(); ++p) delta[p] -= work.partial_mu[p];
  }
  l = std::max(l, 0.0);  // it never is negative but for rounding
  const auto [value, slope] = apply(loss.link, l);
  bool moved = false;
  for (double& d : delta) {
    moved |= d != 0;
    d *= slope;
  }
  return {value, l, moved};
}

}  // namespace linnet
