#include "linnet/learners/dual/dual_binary.hpp"

#include "bind/state.hpp"

namespace linnet::bind {
namespace {

DualLoss dual_loss(std::string_view name) {
  using enum DualLoss;
  return named<DualLoss>(
      "loss", name, {{"hinge", hinge}, {"squared_hinge", squared_hinge}, {"logistic", logistic}});
}

}  // namespace

void dual_binary(nb::module_& m) {
  nb::class_<DualBinary> bound(
      m, "DualBinary",
      "Dual coordinate descent for ½‖w‖² + Σ cᵢ ℓ(yᵢ w·xᵢ): hinge, squared_hinge "
      "or logistic loss, until gap <= tol · objective.");
  bind_state(bound)
      .def(
          "__init__",
          [](DualBinary* self, const Rows& rows, Array<const std::int32_t> y, Array<const double> c,
             const std::string& loss, double tol, std::uint64_t seed, bool shuffle, bool shrink,
             double min_margin, std::optional<Array<const double>> alpha, bool free_intercept) {
            new (self) DualBinary(
                rows, view(y), view(c), view(alpha),
                {dual_loss(loss), tol, seed, shuffle, shrink, min_margin, free_intercept});
          },
          nb::arg("rows"), nb::arg("y"), nb::arg("c"), nb::arg("loss") = "hinge",
          nb::arg("tol") = 1e-3, nb::arg("seed") = 0, nb::arg("shuffle") = true,
          nb::arg("shrink") = true, nb::arg("min_margin") = 1e-4, nb::arg("alpha") = nb::none(),
          nb::arg("free_intercept") = false, nb::keep_alive<1, 2>())
      .def("epoch", &DualBinary::epoch, NoGil())
      .def("certify", &DualBinary::certify, NoGil(),
           "Objective, dual and gap of the weights as they stand.")
      .def_prop_ro(
          "weights", [](const DualBinary& self) { return to_numpy(self.weights(), 1); },
          nb::rv_policy::automatic, "A copy, (features + 1, 1); row 0 is the intercept.")
      .def_prop_ro(
          "alpha", [](const DualBinary& self) { return to_numpy<double>(self.alpha()); },
          nb::rv_policy::automatic, "Dual variables; support vectors have alpha > 0.")
      .def_prop_ro(
          "support", [](const DualBinary& self) { return to_numpy<Index>(self.support()); },
          nb::rv_policy::automatic, "Instances with a dual variable above 0.")
      .def_prop_ro(
          "separable", &DualBinary::separable,
          "Can hard margins be had? True: weights have them; False: it is proved that none do.")
      .def_prop_ro("active", &DualBinary::active, "Instances that shrinking has not left out.");
}

}  // namespace linnet::bind
