#include "linnet/learners/adagrad.hpp"
#include "linnet/learners/sgd.hpp"
#include "linnet/learners/voted.hpp"
#include "online.hpp"

namespace linnet::bind {
namespace {

using Voted = OnlineOf<VotedRule>;

// (rows, labels) vote totals.
nb::object votes(Voted& self, const Rows& rows) {
  const auto n = static_cast<std::size_t>(rows.size());
  const auto labels = static_cast<std::size_t>(self.rule().labels());
  auto* out = new std::vector<double>(n * labels);
  nb::capsule owner(out, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  bool done;
  {
    nb::gil_scoped_release no_gil;
    done = self.rule().votes(rows, out->data());
  }
  if (!done) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }
  return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<2>>(out->data(), {n, labels}, owner));
}

}  // namespace

void learners_sgd(nb::module_& m) {
  nb::enum_<Schedule>(m, "Schedule", "How step sizes fall.")
      .value("constant", Schedule::constant, "eta")
      .value("power", Schedule::power, "eta t^-decay")
      .value("inverse", Schedule::inverse, "eta / (decay + t)");

  bind_online(
      m, "Sgd",
      +[](Schedule schedule, double eta, double decay, double l1, double l2,
          bool penalize_intercept, double radius, Id stride) {
        return SgdRule(StepSize(schedule, eta, decay),
                       LazyPenalty(l1, l2, penalize_intercept, stride), radius);
      },
      nb::arg("schedule") = Schedule::constant, nb::arg("eta") = 1.0, nb::arg("decay") = 0.0,
      nb::arg("l1") = 0.0, nb::arg("l2") = 0.0, nb::arg("penalize_intercept") = true,
      nb::arg("radius") = 0.0, nb::arg("stride") = 1)
      .def(
          "scale_step",
          [](OnlineOf<SgdRule>& self, double factor) { self.rule().step_size().multiply(factor); },
          nb::arg("factor"), "Multiplies all later step sizes.")
      .def_prop_ro("eta", [](OnlineOf<SgdRule>& self) { return self.rule().step_size().eta(); });

  bind_online(
      m, "AdaGrad",
      +[](double eta, double epsilon, double l1, double l2, bool penalize_intercept, Id stride) {
        return AdaGradRule(eta, epsilon, l1, l2, penalize_intercept, stride);
      },
      nb::arg("eta") = 0.1, nb::arg("epsilon") = 1e-8, nb::arg("l1") = 0.0, nb::arg("l2") = 0.0,
      nb::arg("penalize_intercept") = true, nb::arg("stride") = 1);

  nb::class_<Voted, OnlineLearner>(m, "VotedPerceptron")
      .def(
          "__init__",
          [](Voted* self, Index dim, Id width, std::uint64_t seed) {
            new (self) Voted(VotedRule(width), loss_named("perceptron"), dim, false, seed);
          },
          nb::arg("dim"), nb::arg("width"), nb::arg("seed") = 0)
      .def("votes", &votes, nb::arg("rows"),
           "How many survivals of all past weights vote for each label: (rows, labels).")
      .def_prop_ro("updates", [](Voted& self) { return self.rule().updates(); })
      .def_prop_ro("survived", [](Voted& self) { return self.rule().survived(); });
}

}  // namespace linnet::bind
