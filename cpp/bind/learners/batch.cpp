#include "bind/bind.hpp"
#include "linnet/learners/batch/batch_objective.hpp"
#include "linnet/learners/batch/entropy_objective.hpp"
#include "linnet/learners/batch/gis.hpp"

namespace linnet::bind {

void batch(nb::module_& m) {
  nb::class_<BatchObjective, Objective>(
      m, "BatchObjective",
      "P(w) = ½ l2 ‖w‖² + Σ c_i loss_i(w) over a dataset; the same bits at any thread count.")
      .def(
          "__init__",
          [](BatchObjective* self, const Dataset& data, const std::string& loss, double l2,
             bool penalise_intercept, int threads, double margin) {
            new (self) BatchObjective(data, with_margin(loss_named(loss), margin), l2,
                                      penalise_intercept, threads);
          },
          nb::arg("data"), nb::arg("loss"), nb::arg("l2") = 1.0,
          nb::arg("penalise_intercept") = true, nb::arg("threads") = 1, nb::arg("margin") = 1.0,
          nb::keep_alive<1, 2>());

  nb::class_<EntropyObjective, Objective>(
      m, "EntropyObjective",
      "labelled(w) + weight · Σ H(p(·|x; w)) over the examples of ``unlabelled``, a logistic "
      "objective\n"
      "without a penalty; which outputs these have makes no difference.")
      .def(nb::init<Objective&, BatchObjective&, double>(), nb::arg("labelled"),
           nb::arg("unlabelled"), nb::arg("weight"), nb::keep_alive<1, 2>(),
           nb::keep_alive<1, 3>());

  nb::class_<Gis, Minimiser>(m, "GIS", "Generalised iterative scaling, without or with L2.")
      .def(
          "__init__",
          [](Gis* self, BatchObjective& f, double tol, double decrease_tol, double reference) {
            new (self) Gis(f, {tol, decrease_tol, reference});
          },
          nb::arg("objective"), nb::kw_only(), nb::arg("tol") = 1e-5,
          nb::arg("decrease_tol") = 1e-10, nb::arg("reference") = 0.0, nb::keep_alive<1, 2>())
      .def_prop_ro("constant", &Gis::constant, "The largest sum of the features of any output.");
}

}  // namespace linnet::bind
