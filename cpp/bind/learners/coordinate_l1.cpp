#include "linnet/learners/batch/coordinate_l1.hpp"

#include "bind/state.hpp"

namespace linnet::bind {
namespace {

template <class Loss>
void learner(nb::module_& m, const char* name, const char* doc) {
  using Learner = CoordinateL1<Loss>;
  nb::class_<Learner> bound(m, name, doc);
  bind_state(bound)
      .def(
          "__init__",
          [](Learner* self, const Rows& rows, Array<const Id> labels, Array<const double> costs,
             double l1, double l2, bool penalize_intercept, double tol) {
            nb::gil_scoped_release release;
            new (self) Learner(rows, view(labels), view(costs), {l1, l2, tol, penalize_intercept});
          },
          nb::arg("rows"), nb::arg("labels"), nb::arg("costs"), nb::arg("l1") = 1.0,
          nb::arg("l2") = 0.0, nb::arg("penalize_intercept") = true, nb::arg("tol") = 1e-4,
          nb::keep_alive<1, 2>())
      .def(
          "start_at",
          [](Learner& self, Array<const double> weights) { self.start_at(view(weights)); },
          nb::arg("weights"), NoGil())
      .def("epoch", &Learner::epoch, NoGil())
      .def_prop_ro("nonzeros", &Learner::nonzeros)
      .def_prop_ro("weights", [](nb::handle self) {
        const auto weights = nb::cast<Learner&>(self).weights();
        return nb::ndarray<nb::numpy, double, nb::ndim<2>>(weights.data(), {weights.size(), 1},
                                                           self);
      });
}

}  // namespace

void coordinate_l1(nb::module_& m) {
  learner<LogisticMargin>(m, "CoordinateL1Logistic", "L1 or elastic net with the logistic loss.");
  learner<SquaredHingeMargin>(m, "CoordinateL1SquaredHinge",
                              "L1 or elastic net with the squared hinge, max(0, 1 - m)^2.");
  learner<SquaredMargin>(m, "CoordinateL1Squared",
                         "L1 or elastic net with the squared error, (1 - m)^2 / 2.");
}

}  // namespace linnet::bind
