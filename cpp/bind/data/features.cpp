#include "bind/bind.hpp"
#include "bind/text/text_rules.hpp"
#include "linnet/base/page_array.hpp"
#include "linnet/features/paged_rows.hpp"
#include "linnet/features/rows.hpp"
#include "linnet/text/hash.hpp"
#include "linnet/text/pipeline.hpp"

namespace linnet::bind {
namespace {

using AnyArray = nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu, nb::ro>;

IndexType index_type(const AnyArray& a, const char* name) {
  if (a.dtype() == nb::dtype<std::int32_t>()) return IndexType::i32;
  if (a.dtype() == nb::dtype<std::int64_t>()) return IndexType::i64;
  throw std::invalid_argument(std::string(name) + " must be int32 or int64");
}
// What rows are read from.
struct Arrays {
  AnyArray indptr, indices;
  std::optional<AnyArray> data;
};
template <class A>
ValueType value_type(const A& a) {
  if (a.dtype() == nb::dtype<float>()) return ValueType::f32;
  if (a.dtype() == nb::dtype<double>()) return ValueType::f64;
  throw std::invalid_argument("values must be float32 or float64");
}

nb::tuple arrays(const Rows& rows, Index begin, Index end) {
  if (begin < 0 || end < begin || end > rows.size())
    throw std::invalid_argument("there are no such rows");
  std::vector<Index> starts{0};
  PageArray<Id> ids;
  PageArray<float> values;
  interruptible([&] {
    StopPoll poll;
    RowBuffer buffer;
    for (Index i = begin; i < end; ++i) {
      if (i % 1024 == 0) poll();
      const Row row = rows.row(i, buffer);
      ids.append({row.index, static_cast<std::size_t>(row.size)});
      values.append({row.value, static_cast<std::size_t>(row.size)});
      starts.push_back(static_cast<Index>(ids.size()));
    }
  });
  return nb::make_tuple(to_numpy<Index>(std::move(starts)), to_numpy<Id>(std::move(ids)),
                        to_numpy<float>(std::move(values)));
}
// Arrays of a file, given back as they are read. (Those of memory would be lost.)
std::shared_ptr<const RowSource> paged(const AnyArray& indptr, const AnyArray& indices,
                                       const std::optional<AnyArray>& data, Index cols,
                                       Index window) {
  if (!data || index_type(indptr, "indptr") != IndexType::i64 ||
      index_type(indices, "indices") != IndexType::i32 || value_type(*data) != ValueType::f32)
    throw std::invalid_argument("rows in a file are int64, int32 and float32");
  return std::make_shared<PagedRows>(
      static_cast<Index>(indptr.shape(0)) - 1, cols,
      static_cast<const std::int64_t*>(indptr.data()), static_cast<const Id*>(indices.data()),
      static_cast<const float*>(data->data()), static_cast<Index>(indices.shape(0)), window);
}

}  // namespace

void features(nb::module_& m) {
  nb::class_<Rows>(m, "Rows", "Sparse or dense rows, read in place.")
      .def_static(
          "csr",
          [](AnyArray indptr, AnyArray indices, std::optional<AnyArray> data, Index cols,
             float bias, Index window) {
            if (indptr.shape(0) == 0) throw std::invalid_argument("indptr is empty");
            if (data && indices.shape(0) != data->shape(0))
              throw std::invalid_argument("indices and data differ in length");
            const Index n = static_cast<Index>(indptr.shape(0)) - 1;
            const IndexType start = index_type(indptr, "indptr");
            const Index end = start == IndexType::i32
                                  ? static_cast<const std::int32_t*>(indptr.data())[n]
                                  : static_cast<const std::int64_t*>(indptr.data())[n];
            if (end != static_cast<Index>(indices.shape(0)))
              throw std::invalid_argument("indptr does not end at the number of stored values");
            Rows rows(n, cols, indptr.data(), start, indices.data(), index_type(indices, "indices"),
                      data ? data->data() : nullptr, data ? value_type(*data) : ValueType::ones,
                      bias, window == 0 ? nullptr : paged(indptr, indices, data, cols, window));
            rows.keep(std::make_shared<Arrays>(Arrays{indptr, indices, data}));
            return rows;
          },
          in_place("indptr"), in_place("indices"), in_place("data").none(), nb::arg("cols"),
          nb::arg("bias") = 0.f, nb::arg("window") = 0,
          "Rows of a CSR matrix; without `data` all values are 1. With a `window` the arrays must "
          "be "
          "those of a mapped file, and nobody keeps more of its bytes in memory.")
      .def_static(
          "dense",
          [](nb::ndarray<nb::ndim<2>, nb::c_contig, nb::device::cpu, nb::ro> x, float bias) {
            return Rows(static_cast<Index>(x.shape(0)), static_cast<Index>(x.shape(1)), nullptr,
                        IndexType::dense, nullptr, IndexType::dense, x.data(), value_type(x), bias);
          },
          in_place("x"), nb::arg("bias") = 0.f, nb::keep_alive<0, 1>())
      .def_prop_ro("size", &Rows::size)
      .def_prop_ro("features", &Rows::features)
      .def_prop_ro("bias", &Rows::bias)
      .def_prop_ro("nonzeros", &Rows::nonzeros)
      .def_prop_ro("together", &Rows::together,
                   "How many neighbours had better be read together, as they lie in a file; 0: it "
                   "does not matter.")
      .def("forget", &Rows::forget,
           "Lets the arrays go: there are no rows from here on. Whoever reads them must be done.")
      .def("arrays", &arrays, nb::arg("begin"), nb::arg("end"),
           nb::sig("def arrays(self, begin: int, end: int) -> "
                   "tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]"),
           "The rows [begin, end) copied, computed ones too: where they start, features, values.")
      .def(
          "hash",
          [](const Rows& rows) {
            RowBuffer buffer;
            std::uint64_t hash = 0;
            const auto add = [&](const auto* values, Id size) {
              hash = hash_bytes({reinterpret_cast<const char*>(values),
                                 static_cast<std::size_t>(size) * sizeof(*values)},
                                hash);
            };
            for (Index i = 0; i < rows.size(); ++i) {
              const Row row = rows.row(i, buffer);
              add(row.index, row.size);
              add(row.value, row.size);
            }
            return hash;
          },
          NoGil(), "64 bits over all features and values, to tell other rows from the same.")
      .def("has_duplicates", &Rows::has_duplicates, NoGil(), "Does a row name a feature twice?");
}

}  // namespace linnet::bind
