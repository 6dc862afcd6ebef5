#include "linnet/learners/perceptron.hpp"
#include "online.hpp"

namespace linnet::bind {

void learners(nb::module_& m) {
  nb::class_<OnlineLearner>(m, "OnlineLearner", "Weights that move an instance at a time.")
      .def_prop_ro("dim", &OnlineLearner::dim)
      .def(
          "set_weights",
          [](OnlineLearner& self, Array<const float> w) { self.set_weights(view(w)); },
          nb::arg("weights"))
      .def("relayout", &OnlineLearner::relayout, nb::arg("old_stride"), nb::arg("stride"))
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
  bind_online(
      m, "Perceptron", "The perceptron.", +[](const Loss&, Index) { return PerceptronRule{}; });
}

}  // namespace linnet::bind
