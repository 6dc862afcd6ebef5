#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>

#include "bind/structures/structure.hpp"
#include "linnet/inference/entropy.hpp"
#include "linnet/losses/loss.hpp"
#include "linnet/structures/chain.hpp"
#include "linnet/structures/higher_chain_oracle.hpp"
#include "linnet/structures/semi_markov.hpp"

namespace linnet::bind {
namespace {

Ring ring_named(std::string_view name) {
  return named<Ring>("ring", name, {{"max", Ring::max}, {"log", Ring::log}});
}

nb::tuple solve_any(const Oracle& oracle, const std::string& ring, Vector theta) {
  check_size(oracle, theta.shape(0), "theta");
  std::vector<double> mu(theta.shape(0));
  OracleWork work;
  const double value = oracle.solve(ring_named(ring), view(theta), mu, work);
  return nb::make_tuple(value, to_numpy<double>(std::move(mu)));
}

Id positive(Id n) {
  if (n < 1) throw std::invalid_argument("sizes must be at least 1");
  return n;
}
// Nodes and parts are numbered by Id: what has more of them is refused, with its size.
void check_numbers(double nodes_or_parts) {
  if (nodes_or_parts > std::numeric_limits<Id>::max())
    throw std::invalid_argument("the structure is too large: it would have " +
                                std::to_string(static_cast<Index>(nodes_or_parts)) +
                                " nodes or parts");
}
Chain make_chain(Id length, Id labels, bool ends, bool observed) {
  const double square = 1.0 * positive(labels) * labels;
  check_numbers((positive(length) + 2.0) * labels + (observed ? length : 1) * square);
  return {length, labels, ends, observed};
}
HigherChain make_higher_chain(Id length, Id labels, int order, bool ends) {
  return {length, labels, order, ends};
}
SemiMarkov make_semi_markov(Id length, Id types, Id lengths, Id longest) {
  if (!SemiMarkov::fits(positive(length), positive(types), positive(lengths), longest))
    throw std::invalid_argument("the structure is too large");
  return {length, types, lengths, std::max(longest, 0)};
}

}  // namespace

void inference(nb::module_& m) {
  nb::class_<Oracle>(m, "Oracle",
                     "solve(ring, theta) -> value, mu: all that learners see of a structure.")
      .def_prop_ro("parts", &Oracle::parts)
      .def("solve", &solve_any, nb::arg("ring"), nb::arg("theta"))
      .def(
          "marginals_along",
          [](const Oracle& oracle, Vector theta, Vector tangent) {
            check_size(oracle, theta.shape(0), "theta");
            check_size(oracle, tangent.shape(0), "tangent");
            std::vector<double> out(theta.shape(0));
            OracleWork work;
            oracle.marginals_along(view(theta), view(tangent), out, work);
            return to_numpy<double>(std::move(out));
          },
          nb::arg("theta"), nb::arg("tangent"))
      .def(
          "kbest",
          [](const Oracle& oracle, Vector theta, Id k) {
            check_size(oracle, theta.shape(0), "theta");
            if (k < 1) throw std::invalid_argument("k must be at least 1");
            std::vector<std::pair<double, std::vector<Id>>> result;
            for (Output& output : oracle.best_outputs(view(theta), k))
              result.emplace_back(output.score, std::move(output.parts));
            return result;
          },
          nb::arg("theta"), nb::arg("k"), "The k best outputs, (score, parts), best first.")
      .def(
          "best_other",
          [](const Oracle& oracle, Vector theta, std::vector<Id> gold) {
            check_size(oracle, theta.shape(0), "theta");
            std::vector<std::pair<Id, double>> counts;
            for (Id p : gold) {
              if (p < 0 || p >= oracle.parts()) throw std::invalid_argument("no such gold part");
              counts.emplace_back(p, 1.0);
            }
            OracleWork work;
            return oracle.best_other(view(theta), counts, work);
          },
          nb::arg("theta"), nb::arg("gold"),
          "The score of the best output that does not have the gold parts; None: there is none.")
      .def(
          "holdings",
          [](const Oracle& oracle) {
            std::vector<Holding> found;
            oracle.holdings(found);
            std::vector<std::array<Id, 4>> rows;
            for (const auto& [begin, end, least, most] : found)
              rows.push_back({begin, end, least, most});
            return rows;
          },
          "(begin, end, least, most): how many of these parts every output holds.")
      .def(
          "entropy",
          [](const Oracle& oracle, Vector theta) {
            check_size(oracle, theta.shape(0), "theta");
            std::vector<double> mu(theta.shape(0));
            OracleWork work;
            return entropy(oracle, view(theta), mu, work);
          },
          nb::arg("theta"))
      .def(
          "loss",
          [](const Oracle& oracle, const std::string& name, Vector theta, std::vector<Id> gold) {
            check_size(oracle, theta.shape(0), "theta");
            std::vector<double> scores(view(theta).begin(), view(theta).end()),
                delta(scores.size());
            std::vector<std::pair<Id, double>> counts;
            for (Id p : gold) {
              if (p < 0 || p >= oracle.parts()) throw std::invalid_argument("no such gold part");
              counts.emplace_back(p, 1.0);
            }
            OracleWork work;
            const Outcome outcome = evaluate(loss_named(name), oracle, counts, scores, delta, work);
            return nb::make_tuple(outcome.loss, to_numpy<double>(std::move(delta)));
          },
          nb::arg("name"), nb::arg("theta"), nb::arg("gold"),
          "Loss and its gradient by theta; `gold` lists the parts of the gold output.");

  nb::class_<MulticlassOracle, Oracle>(m, "FlatOracle").def(nb::init<Id>(), nb::arg("labels"));
  nb::class_<BinaryOracle, Oracle>(m, "BinaryOracle").def(nb::init<>());
  bind_structure(
      m, "MulticlassSweep", +[](Id labels) { return Multiclass{positive(labels)}; },
      nb::arg("labels"));
  bind_structure(m, "BinarySweep", +[] { return Binary{}; });
  bind_structure(m, "Chain", &make_chain, nb::arg("length"), nb::arg("labels"),
                 nb::arg("ends") = false, nb::arg("observed") = false);
  bind_structure(m, "HigherChain", &make_higher_chain, nb::arg("length"), nb::arg("labels"),
                 nb::arg("order"), nb::arg("ends") = false)
      .def_static("check", &HigherChain::check, nb::arg("tokens"), nb::arg("labels"),
                  nb::arg("order"), "Refuses what would not fit, with the memory it would need.");
  nb::class_<HigherChainOracle, Oracle>(m, "HigherChainOracle",
                                        "Chains of order 2 and more, best labels by the kernel.")
      .def(
          "__init__",
          [](HigherChainOracle* self, Id length, Id labels, int order, bool ends) {
            new (self) HigherChainOracle(make_higher_chain(length, labels, order, ends));
          },
          nb::arg("length"), nb::arg("labels"), nb::arg("order"), nb::arg("ends") = false);
  bind_structure(m, "SemiMarkov", &make_semi_markov, nb::arg("length"), nb::arg("types"),
                 nb::arg("lengths"), nb::arg("longest") = 0);
}

}  // namespace linnet::bind
