#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bind/bind.hpp"
#include "linnet/data/flat_data.hpp"
#include "linnet/decoding/decision.hpp"
#include "linnet/learners/counting/counting.hpp"

namespace linnet::bind {
namespace {

using Weights = std::optional<Array<const double>>;

// (rows, width) scores of float32 or float64 weights laid out as a block of (features + 1, stride).
template <class Real>
NumPy<double, 2> decision(const Rows& rows, Array<const Real> weights, Id width, int threads) {
  if (width < 1 || static_cast<Index>(weights.shape(0)) !=
                       (static_cast<Index>(rows.features()) + 1) * padded(width))
    throw std::invalid_argument("the weights do not fit the features and labels");
  const auto n = static_cast<std::size_t>(rows.size());
  std::vector<double> out(n * static_cast<std::size_t>(width));
  {
    nb::gil_scoped_release nogil;
    decide(rows, weights.data(), width, threads, out.data());
  }
  return to_numpy(std::move(out), static_cast<std::size_t>(width));
}

}  // namespace

void data(nb::module_& m) {
  nb::class_<Dataset>(m, "Dataset", "Instances as learners see them.")
      .def_prop_ro("size", &Dataset::size)
      .def_prop_ro("dim", &Dataset::dim)
      .def_prop_ro("width", &Dataset::width)
      .def_prop_ro("stride", &Dataset::stride)
      .def_prop_ro("listed", &Dataset::listed, "Has an instance few outputs, each one part?")
      .def_prop_ro("partial", &Dataset::partial, "Are some labels missing?")
      .def_prop_ro("unit", &Dataset::unit, "What divides all strides: for lazy penalties.")
      .def_prop_ro(
          "blocks",
          [](const Dataset& data) {
            std::vector<std::tuple<std::string, Index, Index, Id, std::vector<Id>>> found;
            for (const WeightBlock& b : data.blocks())
              found.emplace_back(b.name, b.begin, b.rows, b.stride, b.shape);
            return found;
          },
          "Where weights lie, block by block: name, begin, rows, stride, shape of a row.");

  nb::class_<BlockData, Dataset>(m, "BlockData")
      .def(
          "__init__",
          [](BlockData* self, const Rows& rows, Array<const Id> labels, Id num_labels, bool binary,
             Weights weights, std::optional<Matrix<const double>> costs) {
            new (self)
                BlockData(rows, view(labels), num_labels, binary, view(weights), view(costs));
          },
          nb::arg("rows"), in_place("labels"), nb::arg("num_labels"), nb::arg("binary"),
          in_place("weights").none() = nb::none(), in_place("costs").none() = nb::none(),
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 6>(),
          nb::keep_alive<1, 7>(),
          "costs: of labels, [gold, predicted]; 1 of each wrong one if none.");

  nb::class_<CandidateData, Dataset>(m, "CandidateData")
      .def(
          "__init__",
          [](CandidateData* self, const Rows& rows, Array<const Index> offsets,
             Array<const Id> gold, Weights weights) {
            if (offsets.shape(0) == 0) throw std::invalid_argument("offsets is empty");
            new (self) CandidateData(rows, view(offsets), view(gold), view(weights));
          },
          nb::arg("rows"), in_place("offsets"), in_place("gold"),
          in_place("weights").none() = nb::none(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
          nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>());

  nb::class_<RegressionData, Dataset>(m, "RegressionData", "Rows with numbers to be found.")
      .def(
          "__init__",
          [](RegressionData* self, const Rows& rows, Array<const double> targets, Weights weights) {
            new (self) RegressionData(rows, view(targets), view(weights));
          },
          nb::arg("rows"), in_place("targets"), in_place("weights").none() = nb::none(),
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>());

  m.def("decision", &decision<float>, nb::arg("rows"), nb::arg("weights"), nb::arg("width"),
        nb::arg("threads") = 1);
  m.def("decision", &decision<double>, nb::arg("rows"), nb::arg("weights"), nb::arg("width"),
        nb::arg("threads") = 1);
  m.def(
      "count_gold",
      [](const Dataset& data) {
        std::vector<double> counts(static_cast<std::size_t>(data.dim()));
        {
          nb::gil_scoped_release nogil;
          count_gold(data, counts);
        }
        return to_numpy<double>(std::move(counts));
      },
      nb::arg("data"),
      "The gold parts' features added up, weighted, in the layout of the weights.");
}

}  // namespace linnet::bind
