// How every online rule is bound: Name(loss, dim, averaging, seed, margin, **settings of the rule).
#pragma once
#include "bind/bind.hpp"
#include "linnet/learners/online/online.hpp"

namespace linnet::bind {

template <class Rule, class... Args, class... Extra>
auto bind_online(nb::module_& m, const char* name, const char* doc,
                 Rule (*make)(const Loss&, Index dim, Args...), Extra... extra) {
  auto bound = nb::class_<OnlineOf<Rule>, OnlineLearner>(m, name, doc);
  if constexpr (TakesGradients<Rule>)
    bound.def("set_batches", &OnlineOf<Rule>::set_batches, nb::arg("size"), nb::arg("threads") = 1,
              "Later steps are made from the average gradient of `size` instances each.");
  return bound.def(
      "__init__",
      [make](OnlineOf<Rule>* self, const std::string& loss_name, Index dim, bool averaging,
             std::uint64_t seed, double margin, Args... args) {
        const Loss loss = with_margin(loss_named(loss_name), margin);
        new (self) OnlineOf<Rule>(make(loss, dim, args...), loss, dim, averaging, seed);
      },
      nb::arg("loss"), nb::arg("dim"), nb::arg("averaging") = false, nb::arg("seed") = 0,
      nb::arg("margin") = 1.0, extra...);
}

}  // namespace linnet::bind
