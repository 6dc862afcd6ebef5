// What every binding file needs: array types, and names of the rooms.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace linnet::bind {
namespace nb = nanobind;

template <class T>
using Array = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using NoGil = nb::call_guard<nb::gil_scoped_release>;

// Hands a vector to NumPy without copying it.
template <class T, class Vector>
nb::object to_numpy(Vector&& values) {
  auto* kept = new std::remove_cvref_t<Vector>(std::forward<Vector>(values));
  nb::capsule owner(kept,
                    [](void* p) noexcept { delete static_cast<std::remove_cvref_t<Vector>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

void base(nb::module_& m);
void features(nb::module_& m);
void inference(nb::module_& m);
void data(nb::module_& m);
void learners(nb::module_& m);
void learners_sgd(nb::module_& m);
void optimisers(nb::module_& m);
void batch(nb::module_& m);
void learners_margin(nb::module_& m);
void dual_binary(nb::module_& m);
void dual_multiclass(nb::module_& m);
void coordinate_l1(nb::module_& m);
}  // namespace linnet::bind
