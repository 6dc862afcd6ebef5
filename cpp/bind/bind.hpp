// What every binding file needs: array types, and names of the rooms.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>

namespace linnet::bind {
namespace nb = nanobind;

template <class T>
using Array = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
// For arrays that are read in place: `keep_alive` holds the caller's array, so it must be that one
// and not a converted copy, which would be gone after the call.
inline auto in_place(const char* name) { return nb::arg(name).noconvert(); }
using NoGil = nb::call_guard<nb::gil_scoped_release>;

template <class T, std::size_t Dims = 1>
using NumPy = nb::ndarray<nb::numpy, T, nb::ndim<Dims>>;

template <class T>
std::span<const T> view(const Array<const T>& a) {
  return {a.data(), a.shape(0)};
}
// An optional array; empty if it is not given.
template <class T>
std::span<const T> view(const std::optional<Array<const T>>& a) {
  return a ? view(*a) : std::span<const T>();
}

// The rows of an optional matrix, one after the other.
template <class T>
std::span<const T> view(const std::optional<Matrix<const T>>& a) {
  return a ? std::span<const T>(a->data(), a->size()) : std::span<const T>();
}

// Hands a vector to NumPy without copying it, as a matrix if `columns` are given.
template <class T, class Vector>
NumPy<T> to_numpy(Vector&& values) {
  auto* kept = new std::remove_cvref_t<Vector>(std::forward<Vector>(values));
  nb::capsule owner(kept,
                    [](void* p) noexcept { delete static_cast<std::remove_cvref_t<Vector>*>(p); });
  return NumPy<T>(kept->data(), {kept->size()}, owner);
}
template <class T>
NumPy<T, 2> to_numpy(std::vector<T>&& values, std::size_t columns) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  const std::size_t rows = columns == 0 ? 0 : kept->size() / columns;
  return NumPy<T, 2>(kept->data(), {rows, columns}, owner);
}

template <class T>
NumPy<T> copy_to_numpy(std::span<const T> values) {
  return to_numpy<T>(std::vector<T>(values.begin(), values.end()));
}

// What a string of Python names: an enum of the core, before any loop starts.
template <class Value>
Value named(std::string_view what, std::string_view name,
            std::initializer_list<std::pair<std::string_view, Value>> choices) {
  std::string known;
  for (const auto& [choice, value] : choices) {
    if (name == choice) return value;
    known += (known.empty() ? "'" : ", '") + std::string(choice) + "'";
  }
  throw std::invalid_argument(std::string(what) + " must be one of " + known + ", not '" +
                              std::string(name) + "'");
}
}  // namespace linnet::bind
