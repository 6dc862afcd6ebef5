// Waist two: the oracle. Learners ask solve(ring, theta) -> value, mu and never see structure.
#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "linnet/inference/kbest.hpp"

namespace linnet {

enum class Ring { max, log };

// What a hand-tuned oracle keeps between calls.
struct OracleScratch {
  virtual ~OracleScratch() = default;
};

struct OracleWork {
  Workspace<double> real;
  Workspace<Dual> dual;
  std::vector<double> potential;
  std::vector<Dual> dual_theta, dual_mu;
  std::unique_ptr<OracleScratch> scratch;
  std::vector<double> constrained, partial, partial_mu;
};

// A part, and how often an output holds it; a part may be named several times.
using PartCounts = std::span<const std::pair<Id, double>>;

// No output holds fewer than `least` or more than `most` of the parts [begin, end), those that it
// holds several times counted so often.
struct Holding {
  Id begin, end;
  Id least, most;
};

class Oracle {
 public:
  virtual ~Oracle() = default;
  virtual Id parts() const = 0;
  // Requires theta.size() == parts() and mu.size() == parts() or 0. Ensures: with Ring::max the
  // value is the best score and mu one-hot on the parts of the best output (equal scores: the
  // earlier); with Ring::log the value is log Z and mu the marginals. A part of -inf is never used;
  // when nothing is left the value is -inf and mu is not to be read.
  virtual double solve(Ring ring, std::span<const double> theta, std::span<double> mu,
                       OracleWork& work) const = 0;
  // The derivative of the marginals in the direction `tangent`: a Hessian-vector product over
  // parts.
  virtual void marginals_along(std::span<const double> theta, std::span<const double> tangent,
                               std::span<double> derivative, OracleWork& work) const = 0;
  // Adds to theta what each part adds to the Hamming distance from gold, times scale, up to a
  // constant (it cancels: the gold output has distance zero). Tied parts carry no cost.
  virtual void add_cost(std::span<const std::pair<Id, double>> gold, double scale,
                        std::span<double> theta) const = 0;
  // The k best outputs, best first; fewer if there are not so many.
  virtual std::vector<Output> best_outputs(std::span<const double>, Id) const {
    throw std::invalid_argument("this structure has no k-best lists");
  }
  // The score of the best output that does not have the parts of `gold`, which need not be an
  // output itself; nothing if there is no other. One of the two best is such an output, unless a
  // structure derives the same parts in several ways, as grammars do.
  virtual std::optional<double> best_other(std::span<const double> theta, PartCounts gold,
                                           OracleWork&) const {
    for (Id k = 2;; k *= 2) {
      const std::vector<Output> outputs = best_outputs(theta, k);
      for (const Output& output : outputs)
        if (!has_parts(output, gold)) return output.score;
      if (static_cast<Id>(outputs.size()) < k) return {};
    }
  }
  // Disjoint ranges that cover all parts; none has parts of two groups of sites.
  virtual void holdings(std::vector<Holding>& found) const = 0;

 protected:
  static bool has_parts(const Output& output, PartCounts gold) {
    std::vector<Id> held(output.parts), wanted;
    for (const auto& [p, count] : gold)
      wanted.insert(wanted.end(), static_cast<std::size_t>(count), p);
    std::sort(held.begin(), held.end());
    std::sort(wanted.begin(), wanted.end());
    return held == wanted;
  }
};

// A clamp is a mask of allowed parts (0: in no output): constrained decoding, partial labels,
// latent variables.
using Mask = std::span<const std::uint8_t>;
inline void clamp(Mask allowed, std::span<double> theta) {
  for (std::size_t p = 0; p < theta.size(); ++p)
    if (!allowed[p]) theta[p] = -kInf;
}

// The oracle of any structure that is a dynamic program.
template <Structure S>
class OracleOf final : public Oracle {
 public:
  explicit OracleOf(S structure) : structure_(std::move(structure)) {}
  const S& structure() const { return structure_; }
  Id parts() const override { return structure_.num_parts(); }

  double solve(Ring ring, std::span<const double> theta, std::span<double> mu,
               OracleWork& work) const override {
    if (ring == Ring::max) return linnet::solve<Max>(structure_, theta, mu, work.real);
    double value;
    if (solve_scaled(structure_, theta, mu, work.real, work.potential, value)) return value;
    return linnet::solve<Log>(structure_, theta, mu, work.real);
  }

  void marginals_along(std::span<const double> theta, std::span<const double> tangent,
                       std::span<double> derivative, OracleWork& work) const override {
    work.dual_theta.resize(theta.size());
    work.dual_mu.resize(theta.size());
    for (std::size_t p = 0; p < theta.size(); ++p) work.dual_theta[p] = {theta[p], tangent[p]};
    linnet::solve<LogOf<Dual>>(structure_, std::span<const Dual>(work.dual_theta),
                               std::span<Dual>(work.dual_mu), work.dual);
    for (std::size_t p = 0; p < theta.size(); ++p) derivative[p] = work.dual_mu[p].d;
  }

  void add_cost(std::span<const std::pair<Id, double>> gold, double scale,
                std::span<double> theta) const override {
    structure_.add_cost(gold, scale, theta);
  }

  std::vector<Output> best_outputs(std::span<const double> theta, Id k) const override {
    std::vector<Output> outputs;
    KBest<S> best(structure_, theta);
    Output next;
    for (Id rank = 0; rank < k && best.output(rank, next); ++rank) outputs.push_back(next);
    return outputs;
  }
  // Shifts say of how many parts every output has so many; what has none of them says more.
  void holdings(std::vector<Holding>& found) const override {
    structure_.shifts(
        [&](Id begin, Id end, Id times) { found.push_back({begin, end, times, times}); });
    if constexpr (requires { structure_.other_holdings(found); }) structure_.other_holdings(found);
  }

 private:
  S structure_;
};

// The base of hand-tuned oracles: they solve, and leave the rest to the generic recursions.
template <Structure S>
class KernelOracle : public Oracle {
 public:
  explicit KernelOracle(S structure) : generic_(std::move(structure)) {}
  const S& structure() const { return generic_.structure(); }
  Id parts() const override { return generic_.parts(); }
  void marginals_along(std::span<const double> theta, std::span<const double> tangent,
                       std::span<double> derivative, OracleWork& work) const override {
    generic_.marginals_along(theta, tangent, derivative, work);
  }
  void add_cost(std::span<const std::pair<Id, double>> gold, double scale,
                std::span<double> theta) const override {
    generic_.add_cost(gold, scale, theta);
  }
  std::vector<Output> best_outputs(std::span<const double> theta, Id k) const override {
    return generic_.best_outputs(theta, k);
  }
  void holdings(std::vector<Holding>& found) const override { generic_.holdings(found); }

 protected:
  OracleOf<S> generic_;
};

// Hamming cost over parts of which every output holds a fixed number (one label a token, one head
// a word): each chosen part that is not gold costs `scale`.
inline void add_hamming(Id begin, Id end, std::span<const std::pair<Id, double>> gold, double scale,
                        std::span<double> theta) {
  for (Id p = begin; p < end; ++p) theta[p] += scale;
  for (const auto& [p, count] : gold)
    if (p >= begin && p < end) theta[p] -= scale * count;
}

}  // namespace linnet
