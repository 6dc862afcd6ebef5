#include "bind/state.hpp"
#include "linnet/learners/dual/crammer_singer.hpp"
#include "linnet/learners/dual/dual_maxent.hpp"

namespace linnet::bind {
namespace {

// A view of `rows` of `columns` numbers, float32 or float64.
template <class Real>
nb::object table(std::span<Real> values, Index columns, nb::handle owner) {
  const auto stride = static_cast<std::size_t>(columns);
  return nb::cast(nb::ndarray<nb::numpy, Real, nb::ndim<2>>(
      values.data(), {values.size() / stride, stride}, owner));
}

// What the solvers of joint problems have in common; descent_of(solver) is its JointDual.
template <class Solver, class DescentOf>
void bind_common(nb::class_<Solver>& c, DescentOf descent_of) {
  bind_state(c)
      .def("epoch", &Solver::epoch, NoGil())
      .def("certify", &Solver::certify, NoGil(),
           "The exact objective and gap of the weights as they are, over all instances.")
      .def_prop_ro("duals",
                   [descent_of](Solver& s) {
                     descent_of(s).lend();
                     return descent_of(s).visit([&](auto& solver) {
                       return table(solver.point().duals(), solver.point().lanes(), nb::find(s));
                     });
                   })
      .def_prop_ro(
          "support",
          [descent_of](Solver& s) {
            return to_numpy<Id>(
                descent_of(s).visit([](auto& solver) { return solver.point().support(); }));
          },
          nb::rv_policy::automatic,
          "int32 indices of the instances with some dual mass on a wrong label.");
}
template <class Descent>
nb::object weights_of(Descent& descent, nb::handle owner) {
  descent.lend();
  return descent.visit([&](auto& solver) {
    return table(solver.point().weights(), solver.point().stride(), owner);
  });
}

}  // namespace

void dual_multiclass(nb::module_& m) {
  nb::class_<CrammerSinger> hinge(
      m, "CrammerSingerDual",
      "The multiclass SVM in the dual: ½‖W‖² + Σ cᵢ max(0, 1 − (s_y − max s_k)); c = inf asks for\n"
      "a hard margin. Until gap <= tol · objective, or `separable` is False.");
  hinge.def(
      "__init__",
      [](CrammerSinger* self, const Rows& rows, Array<const Id> labels, Array<const double> costs,
         Id width, double tol, std::uint64_t seed, bool free_intercept, double min_margin) {
        nb::gil_scoped_release release;
        new (self) CrammerSinger(rows, view(labels), view(costs), width,
                                 {tol, seed, free_intercept, min_margin});
      },
      nb::arg("rows"), nb::arg("labels"), nb::arg("costs"), nb::arg("width"), nb::arg("tol") = 1e-3,
      nb::arg("seed") = 0, nb::arg("free_intercept") = false, nb::arg("min_margin") = 1e-4,
      nb::keep_alive<1, 2>());
  bind_common(hinge, [](CrammerSinger& s) -> auto& { return s.descent(); });
  hinge
      .def_prop_ro(
          "weights",
          [](CrammerSinger& s) -> nb::object {
            if (s.plain()) return weights_of(s.descent(), nb::find(s));
            const Index stride =
                s.descent().visit([](auto& solver) { return solver.point().stride(); });
            return nb::cast(to_numpy(s.weights(), static_cast<std::size_t>(stride)));
          },
          "(features + 1, stride), float32 or float64; row 0 is that of the constant feature.")
      .def_prop_ro(
          "separable", &CrammerSinger::separable,
          "Can hard margins be had? True: weights have them; False: it is proved that none do.");

  using MaxEnt = JointDual<MaxEntBlock>;
  nb::class_<MaxEnt> logistic(m, "MaxEntDual", "Dual coordinate descent, softmax regression.");
  logistic.def(
      "__init__",
      [](MaxEnt* self, const Rows& rows, Array<const Id> labels, Array<const double> costs,
         Id width, double tol, std::uint64_t seed) {
        nb::gil_scoped_release release;
        new (self) MaxEnt(rows, view(labels), view(costs), width, false, tol, seed);
      },
      nb::arg("rows"), nb::arg("labels"), nb::arg("costs"), nb::arg("width"), nb::arg("tol") = 1e-3,
      nb::arg("seed") = 0, nb::keep_alive<1, 2>());
  bind_common(logistic, [](MaxEnt& s) -> auto& { return s; });
  logistic.def_prop_ro(
      "weights", [](MaxEnt& s) { return weights_of(s, nb::find(s)); },
      "(features + 1, stride); a view of float32 or float64.");
}

}  // namespace linnet::bind
