#include "linnet/decoding/sparse_weights.hpp"

#include "bind/bind.hpp"
#include "linnet/decoding/decision.hpp"
#include "linnet/decoding/sparse_check.hpp"
#include "linnet/decoding/sparse_rows.hpp"

namespace linnet::bind {
namespace {

template <class Real>
std::optional<nb::tuple> made_sparse(Matrix<const Real> block, Id width, std::size_t most) {
  if (width < 1 || static_cast<Id>(block.shape(1)) != padded(width))
    throw std::invalid_argument("the weights do not fit the number of labels");
  std::optional<SparseRows<Real>> made;
  {
    nb::gil_scoped_release nogil;
    made = sparse_rows<Real>({block.data(), block.size()}, width, most);
  }
  if (!made) return std::nullopt;
  return nb::make_tuple(to_numpy<std::uint32_t>(std::move(made->places)),
                        to_numpy<Real>(std::move(made->full)),
                        to_numpy<std::uint8_t>(std::move(made->rows)));
}

template <class Real>
NumPy<double, 2> scores(const SparseWeights<Real>& weights, const Rows& rows, int threads) {
  if (rows.features() != weights.features())
    throw std::invalid_argument("the weights do not fit the features and labels");
  const auto width = static_cast<std::size_t>(weights.width());
  std::vector<double> out(static_cast<std::size_t>(rows.size()) * width);
  {
    nb::gil_scoped_release nogil;
    decide(rows, weights, threads, out.data());
  }
  return to_numpy(std::move(out), width);
}

// Some rows in full, each of `stride`.
template <class Real>
NumPy<Real, 2> expanded(const SparseWeights<Real>& weights, std::span<const Index> which,
                        std::size_t count, std::size_t stride) {
  std::vector<Real> out(count * stride), row(weights.room());
  for (std::size_t k = 0; k < count; ++k) {
    const Index r = which.empty() ? static_cast<Index>(k) : which[k];
    if (r < 0 || r > weights.features()) throw std::out_of_range("there is no such row of weights");
    weights.expand(r, row.data());
    std::copy_n(row.data(), weights.width(), out.data() + k * stride);
  }
  return to_numpy(std::move(out), stride);
}

template <class Real>
void bind_sparse(nb::module_& m, const char* name, const char* doc) {
  using Weights = SparseWeights<Real>;
  constexpr const char* kMade =
      std::is_same_v<Real, float>
          ? "def made(block: NDArray[numpy.float32], width: int, most: int) -> "
            "tuple[NDArray[numpy.uint32], NDArray[numpy.float32], NDArray[numpy.uint8]] | None"
          : "def made(block: NDArray[numpy.float64], width: int, most: int) -> "
            "tuple[NDArray[numpy.uint32], NDArray[numpy.float64], NDArray[numpy.uint8]] | None";
  nb::class_<Weights>(m, name, doc)
      .def(
          "__init__",
          [](Weights* self, Id width, Array<const std::uint32_t> places, Array<const Real> full,
             Array<const std::uint8_t> rows) {
            new (self) Weights(width, view(places), view(full), view(rows));
          },
          nb::arg("width"), in_place("places"), in_place("full"), in_place("rows"),
          nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>())
      .def_static("made", &made_sparse<Real>, in_place("block"), nb::arg("width"), nb::arg("most"),
                  nb::sig(kMade),
                  "The places of all rows, full rows and sparse ones of a block (features + 1, "
                  "padded labels); None if they take more than `most` bytes.")
      .def("scores", &scores<Real>, nb::arg("rows"), nb::arg("threads") = 1,
           "(rows, labels) scores.")
      .def(
          "dense",
          [](const Weights& w) {
            return expanded(w, {}, static_cast<std::size_t>(w.features()) + 1,
                            static_cast<std::size_t>(padded(w.width())));
          },
          "The full block, (features + 1, padded labels).")
      .def(
          "chosen",
          [](const Weights& w, Array<const Index> rows) {
            return rows.shape(0) == 0
                       ? to_numpy(std::vector<Real>(), static_cast<std::size_t>(w.width()))
                       : expanded(w, view(rows), rows.shape(0),
                                  static_cast<std::size_t>(w.width()));
          },
          nb::arg("rows"), "(len(rows), labels): these rows in full.");
}

}  // namespace

void sparse_weights(nb::module_& m) {
  bind_sparse<float>(m, "SparseFloats", "Rows of (label, weight), read in place.");
  bind_sparse<double>(m, "SparseDoubles", "The same with weights in double precision.");
  m.def(
      "check_sparse_rows",
      [](Id width, Array<const std::uint32_t> places, std::size_t full_rows,
         Array<const std::uint8_t> rows, std::size_t weight_bytes) {
        nb::gil_scoped_release nogil;
        check_sparse_rows(width, view(places), full_rows, view(rows), weight_bytes);
      },
      nb::arg("width"), in_place("places"), nb::arg("full_rows"), in_place("rows"),
      nb::arg("weight_bytes"), "Raises unless all places and labels are as they are written.");
}

}  // namespace linnet::bind
