#include "bind/learners/online.hpp"
#include "linnet/learners/online/adagrad.hpp"
#include "linnet/learners/online/sgd.hpp"

namespace linnet::bind {

void learners_sgd(nb::module_& m) {
  nb::enum_<Schedule>(m, "Schedule", "How step sizes fall.")
      .value("constant", Schedule::constant, "eta")
      .value("power", Schedule::power, "eta t^-decay")
      .value("inverse", Schedule::inverse, "eta / (decay + t)");

  bind_online(
      m, "Sgd", "Stochastic gradient descent; Pegasos with an inverse schedule.",
      +[](const Loss&, Index, Schedule schedule, double eta, double decay, double l1, double l2,
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
      m, "AdaGrad", "AdaGrad with diagonal scaling.",
      +[](const Loss&, Index, double eta, double epsilon, double l1, double l2,
          bool penalize_intercept,
          Id stride) { return AdaGradRule(eta, epsilon, l1, l2, penalize_intercept, stride); },
      nb::arg("eta") = 0.1, nb::arg("epsilon") = 1e-8, nb::arg("l1") = 0.0, nb::arg("l2") = 0.0,
      nb::arg("penalize_intercept") = true, nb::arg("stride") = 1);
}

}  // namespace linnet::bind
