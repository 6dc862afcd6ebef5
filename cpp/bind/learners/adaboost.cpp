#include "linnet/learners/boosting/adaboost.hpp"

#include "bind/state.hpp"

namespace linnet::bind {

void adaboost(nb::module_& m) {
  nb::class_<AdaBoost> bound(m, "AdaBoost", "AdaBoost.MH over the presence of features.");
  bind_state(bound)
      .def(
          "__init__",
          [](AdaBoost* self, const Rows& rows, Array<const Id> labels, Array<const double> costs,
             Id columns, bool real, double smoothing) {
            nb::gil_scoped_release release;
            new (self) AdaBoost(rows, view(labels), view(costs), columns, {real, smoothing});
          },
          nb::arg("rows"), nb::arg("labels"), nb::arg("costs"), nb::arg("columns"),
          nb::arg("real") = true, nb::arg("smoothing") = 1e-6, nb::keep_alive<1, 2>())
      .def("epoch", &AdaBoost::epoch, NoGil(), "One round.")
      .def_prop_ro("bound", &AdaBoost::bound, "The product of the Z of all rounds.")
      .def(
          "stumps",
          [](const AdaBoost& self) {
            std::vector<Id> features;
            std::vector<double> z, size;
            for (const Stump& s : self.stumps()) {
              features.push_back(s.feature);
              z.push_back(s.z);
              size.push_back(s.size);
            }
            std::vector<double> absent = self.absent();
            return nb::make_tuple(to_numpy<Id>(std::move(features)), to_numpy<double>(std::move(z)),
                                  to_numpy<double>(std::move(size)),
                                  to_numpy<double>(std::move(absent)));
          },
          "Feature, Z and largest answer of each round, and what it answers of absence, by labels.")
      .def_prop_ro("weights", [](nb::handle self) {
        const auto weights = nb::cast<AdaBoost&>(self).weights();
        return nb::ndarray<nb::numpy, double, nb::ndim<1>>(weights.data(), {weights.size()}, self);
      });
}

}  // namespace linnet::bind
