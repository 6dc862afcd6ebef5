// How everything that learns gives away its state and takes it back: see base/archive.hpp; and how
// passes are paused, base/pass.hpp.
#pragma once
#include "bind/bind.hpp"
#include "linnet/base/pass.hpp"

namespace linnet::bind {

template <class Learner, class... Bases>
nb::class_<Learner, Bases...>& bind_state(nb::class_<Learner, Bases...>& bound) {
  if constexpr (requires(Learner& self) { self.pass(); })
    bound
        .def(
            "pause_after",
            [](Learner& self, double seconds, std::optional<Index> instances) {
              self.pass().pause_after(seconds,
                                      instances.value_or(std::numeric_limits<Index>::max()));
            },
            nb::arg("seconds") = kInf, nb::arg("instances") = nb::none(),
            "The next pass comes back after that time, or so many instances (or batches), with\n"
            "`paused` set; the call after it goes on from there.")
        .def(
            "forget_pass", [](Learner& self) { self.pass().forget(); },
            "A pass that was paused does not go on: the next one is from the beginning.");
  return bound
      .def(
          "state",
          [](Learner& self) {
            Archive archive;
            {
              nb::gil_scoped_release nogil;
              self.state(archive);
            }
            return to_numpy<std::uint8_t>(archive.take());
          },
          "All that another object, made of the same data and settings, needs to go on from here.")
      .def(
          "restore",
          [](Learner& self, Array<const std::uint8_t> state) {
            nb::gil_scoped_release nogil;
            Archive archive(view(state));
            self.state(archive);
            archive.finish();
          },
          nb::arg("state"),
          "Goes on from a state; if that is of something else it is an error, and this object is\n"
          "not to be used any more.");
}

}  // namespace linnet::bind
