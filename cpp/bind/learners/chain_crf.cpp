#include "linnet/learners/chains/chain_crf.hpp"

#include "bind/state.hpp"
#include "linnet/learners/chains/chain_dual.hpp"
#include "linnet/learners/chains/chain_perceptron.hpp"
#include "linnet/learners/chains/token_steps.hpp"

namespace linnet::bind {
namespace {

void check_size(const ChainCrf& f, const Array<const double>& u) {
  if (static_cast<Index>(u.shape(0)) != f.dim())
    throw std::invalid_argument("expected " + std::to_string(f.dim()) + " coordinates");
}

ChainStep step_named(std::string_view name) {
  using enum ChainStep;
  return named<ChainStep>("rule", name,
                          {{"perceptron", perceptron}, {"pa", pa}, {"pa1", pa1}, {"pa2", pa2}});
}

nb::tuple to_tuple(LabelRows&& rows) {
  return nb::make_tuple(to_numpy<Index>(std::move(rows.starts)),
                        to_numpy<Id>(std::move(rows.labels)),
                        to_numpy<float>(std::move(rows.weights)));
}

constexpr const char* kLabelRows =
    "The weights of pairs as rows of labels, (starts, labels, weights): of the constant feature,\n"
    "then of each feature. What is smaller than `smallest` is left out.";
constexpr const char* kTiedWeights =
    "The weights of transitions, [from, to], 0 where there is none; then of first and of last\n"
    "labels, if these have any.";

void bind_objective(nb::module_& m) {
  nb::class_<ChainCrf, Objective>(
      m, "ChainCRF",
      "P(u) = ½ l2 ‖u‖² + Σ c_i (log Z_i − gold score) over sentences of tokens, with weights for\n"
      "the (feature, label) pairs and transitions seen in training; the same bits at any thread\n"
      "count. Coordinates u are merged weights: see `pair_weights`.")
      .def(
          "__init__",
          [](ChainCrf* self, const Rows& rows, Array<const Id> labels, Array<const Index> offsets,
             Id num_labels, std::optional<Array<const double>> weights, double l2, bool all_pairs,
             bool all_transitions, bool ends, bool precise, int threads) {
            nb::gil_scoped_release nogil;
            new (self) ChainCrf(rows, {view(offsets), view(labels), view(weights), num_labels}, l2,
                                all_pairs, all_transitions, ends, precise, threads);
          },
          nb::arg("rows"), in_place("labels"), in_place("offsets"), nb::arg("num_labels"),
          in_place("weights").none() = nb::none(), nb::arg("l2") = 1.0,
          nb::arg("all_pairs") = false, nb::arg("all_transitions") = false, nb::arg("ends") = false,
          nb::arg("precise") = false, nb::arg("threads") = 1, nb::keep_alive<1, 3>(),
          nb::keep_alive<1, 4>(), nb::keep_alive<1, 6>())
      .def_prop_rw("precise", &ChainCrf::precise, &ChainCrf::set_precise,
                   "Double precision throughout; single is twice as fast and good to 1e-6.")
      .def_prop_ro(
          "pairs",
          [](const ChainCrf& self) {
            std::vector<Id> both;
            self.pairs().each_pair(
                [&](Id f, Id y, Id, const auto&) { both.insert(both.end(), {f, y}); });
            return to_numpy<Id>(std::move(both), 2);
          },
          nb::rv_policy::automatic,
          "The (row, label) pairs that have weights; row 0 is the constant feature, f + 1 feature "
          "f.")
      .def_prop_ro(
          "transitions", [](const ChainCrf& self) { return copy_to_numpy(self.transitions()); },
          nb::rv_policy::automatic, "The transitions that have weights, as from * num_labels + to.")
      .def(
          "pair_weights",
          [](const ChainCrf& self, Array<const double> u) {
            check_size(self, u);
            std::vector<double> w;
            self.pairs().each_pair([&](Id, Id, Id j, const SeenPairs::Weights& at) {
              w.push_back(u.data()[j] / std::sqrt(at.copies));
            });
            return to_numpy<double>(std::move(w));
          },
          nb::arg("u"), "The weight of each of `pairs` at the coordinates u.")
      .def(
          "label_rows",
          [](const ChainCrf& self, Array<const double> u, double smallest) {
            check_size(self, u);
            return to_tuple(
                label_rows(self.pairs(), smallest, [&](Id, Id j, const SeenPairs::Weights& at) {
                  return u.data()[j] / std::sqrt(at.copies);
                }));
          },
          nb::arg("u"), nb::arg("smallest") = 0.0, kLabelRows)
      .def(
          "transition_weights",
          [](const ChainCrf& self, Array<const double> u) {
            check_size(self, u);
            const auto labels = static_cast<std::size_t>(self.data().num_labels);
            std::vector<double> w(labels * labels);
            for (std::size_t k = 0; k < self.transitions().size(); ++k)
              w[self.transitions()[k]] = u.data()[self.pairs().dim() + static_cast<Index>(k)];
            return to_numpy<double>(std::move(w), labels);
          },
          nb::arg("u"), "The weights [from, to] at the coordinates u; 0 where there is none.")
      .def_prop_ro(
          "scale",
          [](const ChainCrf& self) {
            std::vector<double> all(static_cast<std::size_t>(self.dim()), 1.0);
            self.pairs().each_dense([&](Index, Id, Id j, double scale) { all[j] = scale; });
            self.pairs().each_single([&](Index, Index j, double scale) { all[j] = scale; });
            return to_numpy<double>(std::move(all));
          },
          nb::rv_policy::automatic,
          "√k of each coordinate, k the number of weights it stands for: a coordinate u is k "
          "weights u/√k.")
      .def(
          "end_weights",
          [](const ChainCrf& self, Array<const double> u) {
            check_size(self, u);
            const double* const from = u.data() + self.first_end();
            return to_numpy<double>(std::vector<double>(from, from + self.ends()),
                                    static_cast<std::size_t>(self.data().num_labels));
          },
          nb::arg("u"), "The weights of first and of last labels: (2, labels), or (0, labels).")
      .def(
          "coordinates",
          [](const ChainCrf& self, Array<const double> pair_weights, Matrix<const double> moves,
             std::optional<Matrix<const double>> ends) {
            const auto labels = static_cast<std::size_t>(self.data().num_labels);
            if (moves.shape(0) != labels || moves.shape(1) != labels)
              throw std::invalid_argument("transitions must be num_labels x num_labels");
            std::vector<double> u(static_cast<std::size_t>(self.dim()));
            std::size_t at = 0;
            self.pairs().each_pair([&](Id, Id, Id j, const SeenPairs::Weights& w) {
              if (at >= pair_weights.shape(0)) throw std::invalid_argument("too few pair weights");
              u[j] += pair_weights.data()[at++] / std::sqrt(w.copies);  // √k times the mean of k
            });
            if (at != pair_weights.shape(0)) throw std::invalid_argument("too many pair weights");
            for (std::size_t k = 0; k < self.transitions().size(); ++k)
              u[self.pairs().dim() + static_cast<Index>(k)] = moves.data()[self.transitions()[k]];
            const auto given = ends ? ends->shape(0) * ends->shape(1) : 0;
            if (given != 0 && given != static_cast<std::size_t>(self.ends()))
              throw std::invalid_argument("weights of ends must be 2 x num_labels");
            if (given != 0) std::copy_n(ends->data(), given, u.begin() + self.first_end());
            return to_numpy<double>(std::move(u));
          },
          nb::arg("pair_weights"), nb::arg("transitions"), nb::arg("ends") = nb::none(),
          "The coordinates of given weights, to start from; merged features get their mean.")
      .def(
          "marginals",
          [](ChainCrf& self, Array<const double> u) {
            check_size(self, u);
            const auto labels = static_cast<std::size_t>(self.data().num_labels);
            std::vector<double> mu(static_cast<std::size_t>(self.pairs().tokens()) * labels),
                losses(static_cast<std::size_t>(self.data().size()));
            {
              nb::gil_scoped_release nogil;
              self.marginals(view(u), mu, losses);
            }
            return nb::make_tuple(to_numpy<double>(std::move(mu), labels),
                                  to_numpy<double>(std::move(losses)));
          },
          nb::arg("u"),
          "The marginals [token, label] of the training data at u, and the loss of each sentence.");
}

void bind_dual(nb::module_& m) {
  nb::class_<ChainDual> bound(
      m, "ChainDual", "Stochastic dual coordinate ascent on a ChainCRF, to a relative gap of tol.");
  bind_state(bound)
      .def(nb::init<ChainCrf&, double, std::uint64_t>(), nb::arg("objective"),
           nb::arg("tol") = 1e-2, nb::arg("seed") = 0, nb::keep_alive<1, 2>())
      .def("epoch", &ChainDual::epoch, NoGil(), "One pass over the sentences.")
      .def("certify", &ChainDual::certify, NoGil(), "Objective, dual and gap as they are.")
      .def(
          "label_rows",
          [](const ChainDual& self, double smallest) {
            return to_tuple(self.label_rows(smallest));
          },
          nb::arg("smallest") = 0.0, kLabelRows)
      .def_prop_ro(
          "tied_weights",
          [](const ChainDual& self) { return to_numpy<double>(self.tied_weights()); },
          nb::rv_policy::automatic, kTiedWeights)
      .def_prop_ro(
          "weights", [](ChainDual& self) { return to_numpy<double>(self.weights()); },
          nb::rv_policy::automatic, "The coordinates reached.");
}

void bind_perceptron(nb::module_& m) {
  nb::class_<ChainPerceptron> bound(
      m, "ChainPerceptron",
      "Perceptron and passive-aggressive passes over the sentences and weights of a ChainCRF.");
  bind_state(bound)
      .def(
          "__init__",
          [](ChainPerceptron* self, const ChainCrf& model, const std::string& rule, double C,
             bool average, bool shuffle, std::uint64_t seed, double cost) {
            new (self) ChainPerceptron(model, step_named(rule), C, average, shuffle, seed, cost);
          },
          nb::arg("model"), nb::arg("rule") = "perceptron", nb::arg("C") = 1.0,
          nb::arg("average") = true, nb::arg("shuffle") = true, nb::arg("seed") = 0,
          nb::arg("cost") = 0.0, nb::keep_alive<1, 2>())
      .def(
          "start_at", [](ChainPerceptron& self, Array<const double> u) { self.start_at(view(u)); },
          nb::arg("u"), "Goes on from these coordinates.")
      .def("epoch", &ChainPerceptron::epoch, NoGil(), "One pass over the sentences.")
      .def(
          "label_rows",
          [](const ChainPerceptron& self, double smallest) {
            return to_tuple(self.label_rows(smallest));
          },
          nb::arg("smallest") = 0.0, kLabelRows)
      .def_prop_ro(
          "tied_weights",
          [](const ChainPerceptron& self) { return to_numpy<double>(self.tied_weights()); },
          nb::rv_policy::automatic, kTiedWeights)
      .def_prop_ro(
          "weights", [](ChainPerceptron& self) { return to_numpy<double>(self.weights()); },
          nb::rv_policy::automatic, "The (averaged) coordinates.");
}

void bind_token_steps(nb::module_& m) {
  nb::class_<TokenSteps> bound(
      m, "TokenSteps",
      "Perceptron and passive-aggressive passes over tokens by themselves, of any number of "
      "labels:\n"
      "the steps of a `ChainPerceptron` over chains of one token with weights for all pairs.");
  bind_state(bound)
      .def(
          "__init__",
          [](TokenSteps* self, const Rows& rows, Array<const Id> labels, Id num_labels,
             Array<const double> weights, const std::string& rule, double C, bool average,
             bool shuffle, std::uint64_t seed, double cost) {
            nb::gil_scoped_release nogil;
            new (self) TokenSteps(rows, view(labels), num_labels, view(weights), step_named(rule),
                                  C, average, shuffle, seed, cost);
          },
          nb::arg("rows"), nb::arg("labels"), nb::arg("num_labels"), nb::arg("weights"),
          nb::arg("rule") = "perceptron", nb::arg("C") = 1.0, nb::arg("average") = true,
          nb::arg("shuffle") = true, nb::arg("seed") = 0, nb::arg("cost") = 0.0)
      .def("epoch", &TokenSteps::epoch, NoGil(), "One pass over the tokens.")
      .def(
          "label_rows",
          [](const TokenSteps& self, double smallest) {
            return to_tuple(self.label_rows(smallest));
          },
          nb::arg("smallest") = 0.0, kLabelRows);
}

}  // namespace

void chain_crf(nb::module_& m) {
  bind_objective(m);
  bind_dual(m);
  bind_perceptron(m);
  bind_token_steps(m);
}

}  // namespace linnet::bind
