#include "bind/bind.hpp"
#include "linnet/theory/labelled_trees.hpp"
#include "linnet/theory/margins.hpp"

namespace linnet::bind {
namespace {

template <class Real>
nb::object margins(const Dataset& data, Array<const Real> weights, int threads) {
  if (static_cast<Index>(weights.shape(0)) != data.dim())
    throw std::invalid_argument("there are " + std::to_string(weights.shape(0)) + " weights, not " +
                                std::to_string(data.dim()));
  if (threads < 1) throw std::invalid_argument("threads must be at least 1");
  Margins found(data.size());
  bool done;
  {
    nb::gil_scoped_release nogil;
    done = measure_margins(data, view(weights), threads, found);
  }
  if (!done) return nb::none();
  return nb::make_tuple(to_numpy<double>(std::move(found.margin)),
                        to_numpy<std::uint8_t>(std::move(found.mistake)),
                        to_numpy<double>(std::move(found.weight)), found.reach.norm,
                        found.reach.largest, found.left_out, found.dim);
}

template <class Real>
nb::tuple norms(Array<const Real> weights) {
  const WeightNorms found(view(weights));
  return nb::make_tuple(found.l1, std::sqrt(found.squared), found.largest, found.nonzero);
}

// For weights of one precision, of which the name is that of NumPy.
template <class Real>
void bind_measures(nb::module_& m, const std::string& real) {
  const std::string weights = "weights: NDArray[numpy." + real + "]";
  const std::string of_margins =
      "def margins(data: Dataset, " + weights +
      ", threads: int = 1) -> tuple[NDArray[numpy.float64], NDArray[numpy.uint8], "
      "NDArray[numpy.float64], float, float, int, int] | None";
  const std::string of_norms =
      "def weight_norms(" + weights + ") -> tuple[float, float, float, int]";
  m.def("margins", &margins<Real>, nb::arg("data"), in_place("weights"), nb::arg("threads") = 1,
        nb::sig(of_margins.c_str()),
        "Of every instance the margin of its gold output, whether another is predicted, and its "
        "weight, which is 0 where it was not measured (then, and where there is no other output, "
        "the margin is NaN); of all of them upper bounds of the 2-norm and of the largest entry of "
        "f(x, gold) - f(x, other); how many were left out, for missing labels; the number of "
        "weights. None: interrupted.");
  m.def("weight_norms", &norms<Real>, in_place("weights"), nb::sig(of_norms.c_str()),
        "The 1-norm, the 2-norm, the largest size, and how many are not zero.");
}

}  // namespace

void theory(nb::module_& m) {
  nb::class_<LabelledTreeData, Dataset>(m, "LabelledTreeData",
                                        "Trees with relations as one linear model, to be measured.")
      .def(
          "__init__",
          [](LabelledTreeData* self, const TreeData& trees, const Rows& rows, Array<const Id> gold,
             Id relations) { new (self) LabelledTreeData(trees, rows, view(gold), relations); },
          nb::arg("trees"), nb::arg("rows"), in_place("gold"), nb::arg("relations"),
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>());
  bind_measures<float>(m, "float32");
  bind_measures<double>(m, "float64");
}

}  // namespace linnet::bind
