// How every online rule is bound: Name(loss, dim, averaging, seed, **settings of the rule).
#pragma once
#include "bind.hpp"
#include "linnet/learners/online.hpp"

namespace linnet::bind {

// `margin` scales the cost of the loss (1 for hinge losses).
inline Loss loss_with_margin(const std::string& name, double margin) {
  Loss loss = loss_named(name);
  loss.cost *= margin;
  return loss;
}

template <class Rule, class... Args, class... Extra>
auto bind_online(nb::module_& m, const char* name, Rule (*make)(Args...), Extra... extra) {
  return nb::class_<OnlineOf<Rule>, OnlineLearner>(m, name).def(
      "__init__",
      [make](OnlineOf<Rule>* self, const std::string& loss, Index dim, bool averaging,
             std::uint64_t seed, double margin, Args... args) {
        new (self)
            OnlineOf<Rule>(make(args...), loss_with_margin(loss, margin), dim, averaging, seed);
      },
      nb::arg("loss"), nb::arg("dim"), nb::arg("averaging") = false, nb::arg("seed") = 0,
      nb::arg("margin") = 1.0, extra...);
}

}  // namespace linnet::bind
