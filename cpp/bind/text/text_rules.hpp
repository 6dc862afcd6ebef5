// Settings of text features, from Python to the core.
#pragma once
#include "bind/bind.hpp"
#include "linnet/text/numbering.hpp"
#include "linnet/text/pipeline.hpp"
#include "linnet/text/weighting.hpp"

namespace linnet::bind {

// The features of a model, in one of three ways; arrays are read where they lie.
struct FeatureTable {
  Numbering numbering;
};

inline Tf tf_rule(std::string_view name) {
  return named<Tf>("tf", name,
                   {{"count", Tf::count}, {"binary", Tf::binary}, {"sublinear", Tf::sublinear}});
}
inline Norm norm_rule(std::string_view name) {
  return named<Norm>("norm", name, {{"none", Norm::none}, {"l1", Norm::l1}, {"l2", Norm::l2}});
}
inline Transform transform_rule(std::string_view name) {
  return named<Transform>(
      "transform", name,
      {{"none", Transform::none}, {"abs", Transform::absolute}, {"square", Transform::square}});
}

// Without the GIL; Ctrl-C becomes KeyboardInterrupt.
template <class F>
auto interruptible(F&& f) {
  try {
    nb::gil_scoped_release nogil;
    return f();
  } catch (const Interrupted&) {
  }
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw nb::python_error();
}

}  // namespace linnet::bind
