#include "bind/learners/online.hpp"
#include "bind/state.hpp"
#include "linnet/learners/online/perceptron.hpp"

namespace linnet::bind {

void learners(nb::module_& m) {
  nb::class_<OnlineLearner> online(m, "OnlineLearner", "Weights that move an instance at a time.");
  bind_state(online)
      .def_prop_ro("dim", &OnlineLearner::dim)
      .def(
          "set_weights",
          [](OnlineLearner& self, Array<const float> w) { self.set_weights(view(w)); },
          nb::arg("weights"))
      .def(
          "remap",
          [](OnlineLearner& self, Index dim, Id unit, Matrix<const Index> segments) {
            if (segments.shape(1) != 5)
              throw std::invalid_argument("a segment is (from, to, rows, old stride, stride)");
            std::vector<Segment> all;
            for (std::size_t k = 0; k < segments.shape(0); ++k) {
              const Index* const s = segments.data() + 5 * k;
              all.push_back({s[0], s[1], s[2], s[3], s[4]});
            }
            nb::gil_scoped_release nogil;
            self.remap({dim, unit, all});
          },
          nb::arg("dim"), nb::arg("unit"), nb::arg("segments"),
          "Lays the weights out anew, in a block of dim weights whose strides unit divides. A "
          "segment\n"
          "is (from, to, rows, old stride, stride); what no segment fills is as at the start.")
      .def("grow", &OnlineLearner::grow, nb::arg("dim"))
      .def("epoch", &OnlineLearner::epoch, nb::arg("data"), nb::arg("shuffle") = true, NoGil())
      .def(
          "weights",
          [](OnlineLearner& self, bool average) {
            std::vector<float> out(static_cast<std::size_t>(self.dim()));
            self.weights_into(out, average);
            return to_numpy<float>(std::move(out));
          },
          nb::arg("average") = true,
          "The weights to predict with: averaged where averaging, lazy penalties settled.\n"
          "Without the average those that the next step starts from.");
  online
      .def(
          "keep",
          [](OnlineLearner& self, const std::string& what, Id width) {
            using Keep = Hypotheses::Keep;
            self.hypotheses().keep(
                named<Keep>(
                    "hypotheses", what,
                    {{"none", Keep::none}, {"survivor", Keep::survivor}, {"votes", Keep::votes}}),
                width);
          },
          nb::arg("what"), nb::arg("width"),
          "Keep 'votes' of all hypotheses, or the 'survivor' of most examples in a row; from then "
          "on\nsteps are taken on mistakes alone.")
      .def(
          "kept_votes", [](OnlineLearner& self) { return Votes(self.hypotheses().history()); },
          NoGil(), "A copy of the votes so far.")
      .def_prop_ro("survivals", [](OnlineLearner& self) { return self.hypotheses().survived(); })
      .def_prop_ro("survivor", [](OnlineLearner& self) { return self.hypotheses().number(); })
      .def_prop_ro("hypotheses", [](OnlineLearner& self) { return self.hypotheses().seen(); });
  bind_online(
      m, "Perceptron", "The perceptron.", +[](const Loss&, Index) { return PerceptronRule{}; });
}

}  // namespace linnet::bind
