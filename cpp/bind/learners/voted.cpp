#include "linnet/learners/online/voted.hpp"

#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bind/learners/online.hpp"

namespace linnet::bind {
namespace {

using Voted = OnlineOf<VotedRule>;
// width, survived, row_end, feature, value, bias, moved_end, moved_label, moved_by
using State =
    std::tuple<Id, Array<const Index>, Array<const Index>, Array<const Id>, Array<const float>,
               Array<const float>, Array<const Index>, Array<const Id>, Array<const double>>;

template <class T>
std::vector<T> copied(const Array<const T>& a) {
  return {a.data(), a.data() + a.shape(0)};
}

Votes from_state(const State& state) {
  const auto& [width, survived, row_end, feature, value, bias, moved_end, moved_label, moved_by] =
      state;
  return Votes({width, copied(survived), copied(row_end), copied(feature), copied(value),
                copied(bias), copied(moved_end), copied(moved_label), copied(moved_by)});
}

nb::tuple state(const Votes& votes) {
  const VoteHistory& h = votes.history();
  return nb::make_tuple(h.width, to_numpy<Index>(h.survived), to_numpy<Index>(h.row_end),
                        to_numpy<Id>(h.feature), to_numpy<float>(h.value), to_numpy<float>(h.bias),
                        to_numpy<Index>(h.moved_end), to_numpy<Id>(h.moved_label),
                        to_numpy<double>(h.moved_by));
}

// (rows, labels) vote totals.
NumPy<double, 2> count(const Votes& votes, const Rows& rows) {
  const auto labels = static_cast<std::size_t>(votes.labels());
  std::vector<double> out(static_cast<std::size_t>(rows.size()) * labels);
  bool done;
  {
    nb::gil_scoped_release no_gil;
    done = votes.count(rows, out.data());
  }
  if (!done) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }
  return to_numpy(std::move(out), labels);
}

}  // namespace

void voted(nb::module_& m) {
  nb::class_<Votes>(m, "Votes", "All past weights of a voted perceptron; can be pickled.")
      .def("count", &count, nb::arg("rows"),
           "How many survivals of all past weights vote for each label: (rows, labels).")
      .def("state", &state, "The width, and eight arrays that it can be made from again.")
      .def_static("from_state", &from_state, nb::arg("state"))
      .def("__getstate__", &state)
      .def("__setstate__",
           [](Votes& self, const State& given) { new (&self) Votes(from_state(given)); });

  nb::class_<Voted, OnlineLearner>(m, "VotedPerceptron")
      .def(
          "__init__",
          [](Voted* self, Index dim, Id width, std::uint64_t seed) {
            new (self) Voted(VotedRule(width), loss_named("perceptron"), dim, false, seed);
          },
          nb::arg("dim"), nb::arg("width"), nb::arg("seed") = 0)
      .def(
          "votes", [](Voted& self) { return Votes(self.rule().history()); }, NoGil(),
          "The votes as they stand.")
      .def_prop_ro("updates", [](Voted& self) { return self.rule().history().updates(); })
      .def_prop_ro("survived", [](Voted& self) { return self.rule().history().survived; });
}

}  // namespace linnet::bind
