#include "linnet/learners/perceptron.hpp"
#include "online.hpp"

namespace linnet::bind {

void learners(nb::module_& m) {
  nb::class_<OnlineLearner>(m, "OnlineLearner", "Weights that move an instance at a time.")
      .def_prop_ro("dim", &OnlineLearner::dim)
      .def(
          "set_weights",
          [](OnlineLearner& self, Array<const float> w) {
            self.set_weights({w.data(), w.shape(0)});
          },
          nb::arg("weights"))
      .def("grow", &OnlineLearner::grow, nb::arg("dim"))
      .def("epoch", &OnlineLearner::epoch, nb::arg("data"), nb::arg("shuffle") = true, NoGil())
      .def(
          "weights",
          [](OnlineLearner& self) {
            std::vector<float> out(static_cast<std::size_t>(self.dim()));
            self.weights_into(out);
            return to_numpy<float>(std::move(out));
          },
          "The weights to predict with: averaged where averaging, lazy penalties settled.");
  bind_online(m, "Perceptron", +[] { return PerceptronRule{}; });
}

}  // namespace linnet::bind
