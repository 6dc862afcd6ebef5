#include "bind/learners/online.hpp"
#include "linnet/learners/online/arow.hpp"
#include "linnet/learners/online/elimination.hpp"
#include "linnet/learners/online/mira.hpp"
#include "linnet/learners/online/passive_aggressive.hpp"
#include "linnet/learners/online/small_qp.hpp"
#include "linnet/learners/online/winnow.hpp"

namespace linnet::bind {

void learners_margin(nb::module_& m) {
  bind_online(
      m, "PassiveAggressive", "PA-I, with squared_slack PA-II; C = inf is the step without slack.",
      +[](const Loss& loss, Index, double C, bool squared_slack) {
        return PassiveAggressiveRule(loss, C, squared_slack);
      },
      nb::arg("C") = 1.0, nb::arg("squared_slack") = false);

  bind_online(
      m, "Mira",
      "MIRA against every wrong output, of structures the k best; C = inf is the step without "
      "slack.",
      +[](const Loss& loss, Index, double C, Id k) { return MiraRule(loss, C, k); },
      nb::arg("C") = 1.0, nb::arg("k") = 1);

  bind_online(
      m, "Arow", "AROW with a diagonal covariance.",
      +[](const Loss& loss, Index, double r) { return ArowRule(loss, r); }, nb::arg("r") = 1.0)
      .def_prop_ro(
          "covariance",
          [](OnlineOf<ArowRule>& self) { return copy_to_numpy(self.rule().covariance()); },
          nb::rv_policy::automatic);

  bind_online(
      m, "Winnow", "Positive Winnow; with eliminate Winnow1. The threshold is n unless given.",
      +[](const Loss& loss, Index dim, double promotion, double demotion, bool eliminate,
          std::optional<double> threshold, double initial) {
        const double theta = threshold.value_or(static_cast<double>(std::max<Index>(dim - 1, 1)));
        return WinnowRule(loss, promotion, demotion, eliminate, theta, initial);
      },
      nb::arg("promotion") = 2.0, nb::arg("demotion") = 2.0, nb::arg("eliminate") = false,
      nb::arg("threshold") = nb::none(), nb::arg("initial") = 1.0)
      .def_prop_ro("threshold", [](OnlineOf<WinnowRule>& self) { return self.rule().threshold(); });

  bind_online(
      m, "BalancedWinnow", "Balanced Winnow: predicts by the difference of two positive weights.",
      +[](const Loss& loss, Index, double promotion, double demotion, double initial) {
        return BalancedWinnowRule(loss, promotion, demotion, initial);
      },
      nb::arg("promotion") = 1.5, nb::arg("demotion") = 1.5, nb::arg("initial") = 1.0)
      .def_prop_ro(
          "positive",
          [](OnlineOf<BalancedWinnowRule>& self) { return copy_to_numpy(self.rule().positive()); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "negative",
          [](OnlineOf<BalancedWinnowRule>& self) { return copy_to_numpy(self.rule().negative()); },
          nb::rv_policy::automatic);

  nb::class_<OnlineOf<EliminationRule>, OnlineLearner>(
      m, "Elimination", "The elimination algorithm for monotone disjunctions.")
      .def(
          "__init__",
          [](OnlineOf<EliminationRule>* self, Index dim, std::uint64_t seed) {
            new (self) OnlineOf<EliminationRule>({}, loss_named("perceptron"), dim, false, seed);
          },
          nb::arg("dim"), nb::arg("seed") = 0);

  m.def(
      "small_qp",
      [](Matrix<const double> H, Array<const double> l, double C) {
        const std::size_t n = l.shape(0);
        if (H.shape(0) != n || H.shape(1) != n) throw std::invalid_argument("H must be n x n");
        std::vector<double> a(n);
        const bool solved = solve_small_qp({H.data(), n * n}, {l.data(), n}, C, a);
        return nb::make_tuple(to_numpy<double>(std::move(a)), solved);
      },
      nb::arg("H"), nb::arg("l"), nb::arg("C"),
      "max l . a - a^T H a / 2 with a >= 0, sum a <= C: (a, whether it was solved).");
}

}  // namespace linnet::bind
