#include "linnet/learners/counting/expected_counts.hpp"

#include "bind/bind.hpp"

namespace linnet::bind {

void expected_counts(nb::module_& m) {
  m.def("check_events", &check_events, nb::arg("rows"), NoGil(),
        "Refuses rows that are not one feature of value 1 each.");
  m.def(
      "expected_counts",
      [](const Dataset& data, Array<const double> weights, int threads) {
        std::vector<double> counts(static_cast<std::size_t>(data.dim()));
        Expectation found;
        {
          nb::gil_scoped_release nogil;
          found = linnet::expected_counts(data, view(weights), counts, threads);
        }
        return nb::make_tuple(to_numpy<double>(std::move(counts)), found.log_likelihood,
                              found.interrupted);
      },
      nb::arg("data"), nb::arg("weights"), nb::arg("threads") = 1,
      nb::sig("def expected_counts(data: Dataset, weights: NDArray[numpy.float64], threads: int = "
              "1) -> tuple[NDArray[numpy.float64], float, bool]"),
      "Features of the outputs that agree with the labels, as expected under the weights; their "
      "weighted log Z; and whether this was interrupted.");
}

}  // namespace linnet::bind
