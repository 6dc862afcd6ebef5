#include "linnet/learners/dual/dual_multiclass.hpp"

#include "bind/bind.hpp"
#include "linnet/learners/dual/dual_crammer_singer.hpp"
#include "linnet/learners/dual/dual_maxent.hpp"

namespace linnet::bind {
namespace {

template <class Block>
void bind_solver(nb::module_& m, const char* name, const char* doc) {
  using Solver = DualMulticlass<Block>;
  nb::class_<Solver>(m, name, doc)
      .def(
          "__init__",
          [](Solver* self, const Rows& rows, Array<const Id> labels, Array<const double> costs,
             Id width, double tolerance, std::uint64_t seed) {
            nb::gil_scoped_release release;
            new (self) Solver(rows, view(labels), view(costs), width, tolerance, seed);
          },
          nb::arg("rows"), nb::arg("labels"), nb::arg("costs"), nb::arg("width"),
          nb::arg("tol") = 1e-3, nb::arg("seed") = 0, nb::keep_alive<1, 2>())
      .def("epoch", &Solver::epoch, NoGil())
      .def("certify", &Solver::certify, NoGil(),
           "The exact objective and gap of the weights as they are, over all instances.")
      .def_prop_ro(
          "weights",
          [](Solver& s) {
            const auto stride = static_cast<std::size_t>(s.stride());
            return nb::ndarray<nb::numpy, float, nb::ndim<2>>(
                s.weights().data(), {s.weights().size() / stride, stride}, nb::find(s));
          },
          nb::rv_policy::reference_internal, "float32 (features + 1, stride); a view.")
      .def_prop_ro(
          "duals",
          [](const Solver& s) {
            const auto lanes = static_cast<std::size_t>(s.lanes());
            return nb::ndarray<nb::numpy, const float, nb::ndim<2>>(
                s.duals().data(), {s.duals().size() / lanes, lanes}, nb::find(s));
          },
          nb::rv_policy::reference_internal)
      .def_prop_ro(
          "support", [](const Solver& s) { return to_numpy<Id>(s.support()); },
          nb::rv_policy::automatic,
          "int32 indices of the instances with some dual mass on a wrong label.");
}

}  // namespace

void dual_multiclass(nb::module_& m) {
  bind_solver<CrammerSingerBlock>(m, "CrammerSingerDual", "Dual coordinate descent, joint hinge.");
  bind_solver<MaxEntBlock>(m, "MaxEntDual", "Dual coordinate descent, softmax regression.");
}

}  // namespace linnet::bind
