#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bind/learners/online.hpp"
#include "bind/state.hpp"
#include "linnet/data/chain_data.hpp"
#include "linnet/learners/dual/frank_wolfe.hpp"
#include "linnet/learners/online/output_votes.hpp"

namespace linnet::bind {
namespace {

using OutputVoted = OnlineOf<OutputVotedRule>;
// dim, survived, end, weight, change
using VoteState = std::tuple<Index, Array<const Index>, Array<const Index>, Array<const Index>,
                             Array<const double>>;

OutputVotes from_state(const VoteState& state) {
  const auto& [dim, survived, end, weight, change] = state;
  const auto copied = [](const auto& a) { return std::vector(a.data(), a.data() + a.shape(0)); };
  return OutputVotes({dim, copied(survived), copied(end), copied(weight), copied(change)});
}
nb::tuple state_of(const OutputVotes& votes) {
  const OutputVoteHistory& h = votes.history();
  return nb::make_tuple(h.dim, to_numpy<Index>(h.survived), to_numpy<Index>(h.end),
                        to_numpy<Index>(h.weight), to_numpy<double>(h.change));
}

// Labels of all tokens, and the share of votes of every sentence that is not empty.
nb::tuple best_chains(const OutputVotes& votes, const ChainData& data) {
  std::vector<Id> labels;
  std::vector<double> shares;
  bool done;
  {
    nb::gil_scoped_release nogil;
    done = votes.count(data, [&](const Instance& x, std::span<const Id> parts, double share) {
      const Group& tokens = x.sites[0];  // its parts come first, one of each token
      for (Id t = 0; t < tokens.count; ++t)
        labels.push_back(parts[static_cast<std::size_t>(t)] - t * tokens.width);
      shares.push_back(share);
    });
  }
  if (!done) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }
  return nb::make_tuple(to_numpy<Id>(std::move(labels)), to_numpy<double>(std::move(shares)));
}

}  // namespace

void structured(nb::module_& m) {
  nb::class_<FrankWolfe> bound(
      m, "FrankWolfe",
      "The structural SVM by block-coordinate Frank-Wolfe; the weights of the "
      "instances are their c, inf for a hard margin.");
  bind_state(bound)
      .def(
          "__init__",
          [](FrankWolfe* self, const Dataset& data, const std::string& loss, double l2, double tol,
             double margin, bool shuffle, std::uint64_t seed, const std::string& cost,
             double min_margin) {
            using enum OutputCost;
            const OutputCost kind =
                named<OutputCost>("cost", cost, {{"parts", parts}, {"zero_one", zero_one}});
            nb::gil_scoped_release release;
            new (self) FrankWolfe(data, with_margin(loss_named(loss), margin),
                                  {l2, tol, kind, shuffle, seed, min_margin});
          },
          nb::arg("data"), nb::arg("loss") = "hinge", nb::arg("l2") = 1.0, nb::arg("tol") = 1e-3,
          nb::arg("margin") = 1.0, nb::arg("shuffle") = true, nb::arg("seed") = 0,
          nb::arg("cost") = "parts", nb::arg("min_margin") = 1e-4, nb::keep_alive<1, 2>())
      .def("epoch", &FrankWolfe::epoch, NoGil())
      .def("certify", nb::overload_cast<>(&FrankWolfe::certify), NoGil(),
           "The exact objective and gap of the weights as they are.")
      .def_prop_ro(
          "weights", [](const FrankWolfe& s) { return to_numpy<double>(s.weights()); },
          nb::rv_policy::automatic, "A copy, in the layout of the data.")
      .def_prop_ro(
          "support", [](const FrankWolfe& s) { return to_numpy<Index>(s.support()); },
          nb::rv_policy::automatic, "Instances with some dual mass on a wrong output.")
      .def_prop_ro(
          "separable", &FrankWolfe::separable,
          "Can hard margins be had? True: weights have them; False: it is proved that none do.");

  nb::class_<OutputVotes>(m, "OutputVotes",
                          "All past weights of a voted perceptron over chains; can be pickled.")
      .def("best", &best_chains, nb::arg("data"),
           "(labels of tokens, share of votes of each sentence that is not empty): of each "
           "sentence the output with most votes.")
      .def_prop_ro("updates", [](const OutputVotes& v) { return v.history().updates(); })
      .def("state", &state_of,
           "How many weights there are, instances that each vector survived, where the changes of "
           "each update end, the weights changed, and by what.")
      .def_static("from_state", &from_state, nb::arg("state"), "The inverse, checked.")
      .def("__getstate__", &state_of)
      .def("__setstate__", [](OutputVotes& self, const VoteState& given) {
        new (&self) OutputVotes(from_state(given));
      });
  nb::class_<OutputVoted, OnlineLearner>(m, "OutputVotedPerceptron")
      .def(
          "__init__",
          [](OutputVoted* self, Index dim, std::uint64_t seed) {
            new (self) OutputVoted(OutputVotedRule(), loss_named("perceptron"), dim, false, seed);
          },
          nb::arg("dim"), nb::arg("seed") = 0)
      .def(
          "votes", [](OutputVoted& self) { return OutputVotes(self.rule().history()); }, NoGil(),
          "The votes as they stand.");
}

}  // namespace linnet::bind
