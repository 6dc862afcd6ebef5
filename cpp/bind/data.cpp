#include "bind.hpp"
#include "linnet/data/dataset.hpp"

namespace linnet::bind {
namespace {

using Weights = std::optional<Array<const double>>;
std::span<const double> view(const Weights& w) {
  return w ? std::span<const double>(w->data(), w->shape(0)) : std::span<const double>();
}

}  // namespace

void data(nb::module_& m) {
  nb::class_<Dataset>(m, "Dataset", "Instances as learners see them.")
      .def_prop_ro("size", &Dataset::size)
      .def_prop_ro("dim", &Dataset::dim)
      .def_prop_ro("width", &Dataset::width)
      .def_prop_ro("stride", &Dataset::stride);

  nb::class_<BlockData, Dataset>(m, "BlockData")
      .def(
          "__init__",
          [](BlockData* self, const Rows& rows, Array<const Id> labels, Id num_labels, bool binary,
             Weights weights) {
            new (self) BlockData(rows, {labels.data(), labels.shape(0)}, num_labels, binary,
                                 view(weights));
          },
          nb::arg("rows"), nb::arg("labels"), nb::arg("num_labels"), nb::arg("binary"),
          nb::arg("weights").none() = nb::none(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
          nb::keep_alive<1, 6>());

  nb::class_<CandidateData, Dataset>(m, "CandidateData")
      .def(
          "__init__",
          [](CandidateData* self, const Rows& rows, Array<const Index> offsets,
             Array<const Id> gold, Weights weights) {
            if (offsets.shape(0) == 0) throw std::invalid_argument("offsets is empty");
            new (self) CandidateData(rows, {offsets.data(), offsets.shape(0)},
                                     {gold.data(), gold.shape(0)}, view(weights));
          },
          nb::arg("rows"), nb::arg("offsets"), nb::arg("gold"),
          nb::arg("weights").none() = nb::none(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
          nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>());
}

}  // namespace linnet::bind
