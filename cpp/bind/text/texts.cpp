#include <nanobind/stl/tuple.h>

#include "bind/bind.hpp"
#include "bind/text/text.hpp"
#include "linnet/text/arrow.hpp"
#include "linnet/text/codes.hpp"

namespace linnet::bind {
namespace {

Texts from_list(const nb::sequence& items) {
  nb::tuple held(items);  // ours, whatever becomes of the list
  std::vector<std::string_view> views(held.size());
  auto repaired = std::make_shared<std::vector<std::unique_ptr<std::string>>>();
  for (std::size_t i = 0; i < views.size(); ++i) {
    std::string fixed;
    PyObject* item = PyTuple_GetItem(held.ptr(), static_cast<Py_ssize_t>(i));
    if (!read_text(item, views[i], fixed))
      throw nb::type_error(
          ("text " + std::to_string(i) + " is of type " + name_of_type(item) + ", not str")
              .c_str());
    if (!fixed.empty()) {
      repaired->push_back(std::make_unique<std::string>(std::move(fixed)));
      views[i] = *repaired->back();
    }
  }
  return {std::move(views), {keep(std::move(held)), std::move(repaired)}};
}

template <class Struct>
Struct& from_capsule(nb::handle capsule, const char* name) {
  void* held = PyCapsule_GetPointer(capsule.ptr(), name);
  if (held == nullptr) throw nb::python_error();
  auto& given = *static_cast<Struct*>(held);
  if (given.release == nullptr)
    throw std::invalid_argument("the Arrow data have been used up already; pass a fresh object");
  return given;
}

Texts from_arrow(nb::object source) {
  if (nb::hasattr(source, "__arrow_c_stream__")) {
    nb::object capsule = source.attr("__arrow_c_stream__")();
    return arrow::read_stream(from_capsule<ArrowArrayStream>(capsule, "arrow_array_stream"));
  }
  if (!nb::hasattr(source, "__arrow_c_array__"))
    throw nb::type_error("an object with __arrow_c_stream__ or __arrow_c_array__ is needed");
  nb::tuple capsules = nb::cast<nb::tuple>(source.attr("__arrow_c_array__")());
  if (capsules.size() != 2) throw nb::type_error("__arrow_c_array__ must give two capsules");
  auto& schema = from_capsule<ArrowSchema>(capsules[0], "arrow_schema");
  return arrow::read_array(schema, from_capsule<ArrowArray>(capsules[1], "arrow_array"));
}

// Anything with the buffer protocol, held as long as this lives; let go of under the GIL.
class PyBuffer {
 public:
  explicit PyBuffer(nb::handle source) {
    if (PyObject_GetBuffer(source.ptr(), &buffer_, PyBUF_SIMPLE) != 0) throw nb::python_error();
  }
  PyBuffer(const PyBuffer&) = delete;
  PyBuffer& operator=(const PyBuffer&) = delete;
  ~PyBuffer() {
    if (!nb::is_alive()) return;
    nb::gil_scoped_acquire gil;
    PyBuffer_Release(&buffer_);
  }
  std::string_view view() const {
    return {static_cast<const char*>(buffer_.buf), static_cast<std::size_t>(buffer_.len)};
  }

 private:
  Py_buffer buffer_;
};

Texts from_spans(nb::object buffer, Array<const Index> starts, Array<const Index> ends) {
  auto held = std::make_shared<PyBuffer>(buffer);
  return slices(held->view(), view(starts), view(ends), held);
}

// One column after the other.
Texts joined(const std::vector<const Texts*>& parts) {
  std::vector<std::string_view> views;
  std::vector<Texts::Owner> owners;
  for (const Texts* part : parts) {
    const auto some = part->views();
    views.insert(views.end(), some.begin(), some.end());
    owners.push_back(std::make_shared<Texts>(*part));
  }
  return {std::move(views), std::move(owners)};
}

// All texts one after the other, and the size of each: what is sent to another process.
nb::tuple state_of(const Texts& texts) {
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(texts.size_in_bytes()));
  std::vector<Index> sizes;
  for (std::string_view text : texts.views()) {
    bytes += text;
    sizes.push_back(std::ssize(text));
  }
  return nb::make_tuple(nb::bytes(bytes.data(), bytes.size()), to_numpy<Index>(std::move(sizes)));
}
Texts from_state(nb::bytes bytes, Array<const Index> sizes) {
  std::vector<Index> starts, ends;
  Index at = 0;
  for (Index size : view(sizes)) {
    starts.push_back(at);
    ends.push_back(at += size);
  }
  auto held = std::make_shared<PyBuffer>(bytes);
  return slices(held->view(), starts, ends, held);
}

}  // namespace

void texts(nb::module_& m) {
  nb::class_<Texts>(m, "Texts", "A column of texts, read where they lie.")
      .def_static("from_list", &from_list, nb::arg("items"), "From a sequence of str or bytes.")
      .def_static("from_arrow", &from_arrow, nb::arg("source"),
                  "From strings of anything that exports Arrow data.")
      .def_static("from_spans", &from_spans, nb::arg("buffer"), nb::arg("starts"), nb::arg("ends"),
                  "The parts of a buffer of bytes from starts[i] to ends[i].")
      .def_static("joined", &joined, nb::arg("parts"), "The texts of several columns, in order.")
      .def("__len__", &Texts::size)
      .def("__getstate__", &state_of)
      .def("__setstate__",
           [](Texts& self, const std::tuple<nb::bytes, Array<const Index>>& state) {
             new (&self) Texts(from_state(std::get<0>(state), std::get<1>(state)));
           })
      .def(
          "__getitem__",
          [](const Texts& self, Index i) {
            if (i < 0) i += self.size();
            if (i < 0 || i >= self.size()) throw nb::index_error();
            return to_str(self[i]);
          },
          nb::arg("i"), "Text i; bytes that are not UTF-8 read as U+FFFD.")
      .def(
          "take",
          [](const Texts& self, Array<const Index> places) { return self.take(view(places)); },
          nb::arg("places"), "The texts at these places, in this order.")
      .def(
          "codes",
          [](const Texts& self) {
            Codes found;
            {
              nb::gil_scoped_release nogil;
              found = factorise(self);
            }
            nb::list names;
            for (const std::string& name : found.names) names.append(to_str(name));
            return nb::make_tuple(to_numpy<Id>(std::move(found.codes)), names);
          },
          nb::sig("def codes(self) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], "
                  "list[str]]"),
          "The number of each text among the distinct texts, and these, sorted.")
      .def_prop_ro("size_in_bytes", &Texts::size_in_bytes);
}

}  // namespace linnet::bind
