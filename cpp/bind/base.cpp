#include "bind/bind.hpp"
#include "linnet/base/interrupt.hpp"
#include "linnet/base/types.hpp"

namespace linnet::bind {

namespace {

// Signals reach Python only in its main thread; elsewhere this answers "go on".
bool signalled() {
  nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() == 0) return false;
  // Ctrl-C keeps what was learnt; what any other signal handler raises is not ours to swallow.
  if (!PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) throw nb::python_error();
  PyErr_Clear();
  return true;
}

PyObject* asked = nullptr;  // instead of signals, by tests
bool answered() {
  nb::gil_scoped_acquire gil;
  return nb::cast<bool>(nb::handle(asked)());
}

}  // namespace

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
      .def_rw("interrupted", &EpochStats::interrupted)
      .def_rw("paused", &EpochStats::paused);

  m.def("padded", &padded, nb::arg("width"), "The stride of a row of weights for `width` labels.");

  // Work without a result, wherever it was. Learners that are stopped so keep their weights: the
  // loop that drives them asks for these.
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const Interrupted&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
  stop_hook = signalled;
  m.def(
      "ask_to_stop",
      [](nb::object question) {
        Py_XDECREF(asked);
        asked = question.is_none() ? nullptr : question.inc_ref().ptr();
        stop_hook = asked ? answered : signalled;
        stop_asked_always = asked != nullptr;
      },
      nb::arg("question").none(),
      "For tests: whether to stop is asked of this function, as often as it could be; None: "
      "signals "
      "tell, as ever.");
}

}  // namespace linnet::bind
