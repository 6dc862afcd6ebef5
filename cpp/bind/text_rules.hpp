// Settings of text features, from Python to the core.
#pragma once
#include <initializer_list>
#include <string_view>
#include <utility>

#include "bind.hpp"
#include "linnet/text/numbering.hpp"
#include "linnet/text/pipeline.hpp"
#include "linnet/text/weighting.hpp"

namespace linnet::bind {

// The features of a model, in one of three ways; arrays are read where they lie.
struct FeatureTable {
  Numbering numbering;
};

template <class Enum>
Enum rule(std::string_view name, std::initializer_list<std::pair<std::string_view, Enum>> rules) {
  for (const auto& [known, value] : rules)
    if (name == known) return value;
  throw std::invalid_argument("there is no rule of weighting called '" + std::string(name) + "'");
}
inline Tf tf_rule(std::string_view name) {
  return rule<Tf>(name,
                  {{"count", Tf::count}, {"binary", Tf::binary}, {"sublinear", Tf::sublinear}});
}
inline Norm norm_rule(std::string_view name) {
  return rule<Norm>(name, {{"none", Norm::none}, {"l1", Norm::l1}, {"l2", Norm::l2}});
}
inline Transform transform_rule(std::string_view name) {
  return rule<Transform>(
      name,
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
