#include "bind/bind.hpp"
#include "linnet/base/interrupt.hpp"
#include "linnet/base/types.hpp"

namespace linnet::bind {

void base(nb::module_& m) {
  nb::class_<EpochStats>(m, "EpochStats", "What one pass of a learner reports; NaN: not computed.")
      .def(nb::init<>())
      .def_rw("objective", &EpochStats::objective)
      .def_rw("dual", &EpochStats::dual)
      .def_rw("gap", &EpochStats::gap)
      .def_rw("gradient_norm", &EpochStats::gradient_norm)
      .def_rw("mistakes", &EpochStats::mistakes)
      .def_rw("updates", &EpochStats::updates)
      .def_rw("converged", &EpochStats::converged)
      .def_rw("interrupted", &EpochStats::interrupted);

  m.def("padded", &padded, nb::arg("width"), "The stride of a row of weights for `width` labels.");

  // Signals reach Python only in its main thread; elsewhere this answers "go on".
  stop_hook = [] {
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() == 0) return false;
    // Ctrl-C keeps what was learnt; what any other signal handler raises is not ours to swallow.
    if (!PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) throw nb::python_error();
    PyErr_Clear();
    return true;
  };
}

}  // namespace linnet::bind
