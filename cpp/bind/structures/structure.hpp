// Binding the oracle of a structure that is a dynamic program.
#pragma once
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>

#include "bind/bind.hpp"
#include "linnet/inference/best_through.hpp"
#include "linnet/inference/oracle.hpp"
#include "linnet/inference/sample.hpp"

namespace linnet::bind {

using Vector = Array<const double>;

inline void check_size(const Oracle& oracle, std::size_t size, const char* name) {
  if (size != static_cast<std::size_t>(oracle.parts()))
    throw std::invalid_argument(std::string(name) + " must hold one number for each of the " +
                                std::to_string(oracle.parts()) + " parts");
}

// Binds the oracle of a structure, made by `make`, with its generic recursions ring by ring.
template <class S, class... Args, class... Extra>
nb::class_<OracleOf<S>, Oracle> bind_structure(nb::module_& m, const char* name, S (*make)(Args...),
                                               Extra... extra) {
  nb::class_<OracleOf<S>, Oracle> bound(m, name);
  bound
      .def(
          "__init__",
          [make](OracleOf<S>* self, Args... args) { new (self) OracleOf<S>(make(args...)); },
          extra...)
      .def("solve_generic",
           [](const OracleOf<S>& self, const std::string& ring, Vector theta) {
             check_size(self, theta.shape(0), "theta");
             std::vector<double> mu(theta.shape(0)), potential;
             Workspace<double> work;
             double value = kNaN;
             if (ring == "max")
               value = solve<Max>(self.structure(), view(theta), std::span<double>(mu), work);
             else if (ring == "log")
               value = solve<Log>(self.structure(), view(theta), std::span<double>(mu), work);
             else if (ring == "probability")
               solve_scaled(self.structure(), view(theta), mu, work, potential, value);
             else
               throw std::invalid_argument("ring must be 'max', 'log' or 'probability'");
             return nb::make_tuple(value, to_numpy<double>(std::move(mu)));
           })
      .def(
          "best_through",
          [](const OracleOf<S>& self, Vector theta) {
            check_size(self, theta.shape(0), "theta");
            BestThrough<S> best(self.structure(), view(theta));
            std::vector<std::vector<Id>> outputs(theta.shape(0));
            for (std::size_t p = 0; p < outputs.size(); ++p)
              if (best.score(static_cast<Id>(p)) > -kInf)
                best.output(static_cast<Id>(p), outputs[p]);
            return nb::make_tuple(copy_to_numpy<double>(best.scores()), outputs);
          },
          nb::arg("theta"),
          "For every part the score of the best output that holds it, and the parts of that "
          "output; "
          "-inf and none where there is no such output.")
      .def(
          "sample",
          [](const OracleOf<S>& self, Vector theta, Id count, std::uint64_t seed) {
            check_size(self, theta.shape(0), "theta");
            Sampler<S> sampler(self.structure(), view(theta));
            Rng rng(seed);
            std::vector<std::vector<Id>> samples(static_cast<std::size_t>(std::max(count, 0)));
            for (auto& output : samples) sampler.sample(rng, output);
            return samples;
          },
          nb::arg("theta"), nb::arg("count"), nb::arg("seed") = 0,
          "Outputs drawn from exp(theta . y) / Z, each the list of its parts.");
  return bound;
}

}  // namespace linnet::bind
