// Texts between Python and the core.
#pragma once
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <memory>

#include "bind/bind.hpp"
#include "linnet/text/texts.hpp"
#include "linnet/text/utf8.hpp"

namespace linnet::bind {

// Keeps a Python object alive; may be let go of without the GIL.
inline Texts::Owner keep(nb::object object) {
  return {object.release().ptr(), [](PyObject* held) {
            if (!nb::is_alive()) return;
            nb::gil_scoped_acquire gil;
            Py_DECREF(held);
          }};
}

// UTF-8 of a str that has lone surrogates, which UTF-8 has no place for: they become U+FFFD.
inline std::string replace_surrogates(PyObject* text) {
  std::string out;
  for (Py_ssize_t i = 0; i < PyUnicode_GetLength(text); ++i)
    utf8::append(out, PyUnicode_ReadChar(text, i));
  return out;
}

// For messages: what an object is.
inline std::string name_of_type(nb::handle object) {
  return nb::str(object.type().attr("__name__")).c_str();
}

// The bytes of a str or bytes object, where it keeps them. False if it is neither; `repaired` is
// filled if it could not be read in place.
inline bool read_text(PyObject* object, std::string_view& text, std::string& repaired) {
  if (PyUnicode_Check(object)) {
    Py_ssize_t size = 0;
    if (const char* bytes = PyUnicode_AsUTF8AndSize(object, &size)) {
      text = {bytes, static_cast<std::size_t>(size)};
    } else {
      PyErr_Clear();
      repaired = replace_surrogates(object);
      text = repaired;
    }
    return true;
  }
  if (!PyBytes_Check(object)) return false;
  text = {PyBytes_AsString(object), static_cast<std::size_t>(PyBytes_Size(object))};
  return true;
}

// One text as an argument, for as long as the call lasts: str, or bytes of any content.
class TextArg {
 public:
  explicit TextArg(nb::handle text) {
    if (!read_text(text.ptr(), text_, repaired_)) throw nb::type_error("text must be str or bytes");
  }
  TextArg(const TextArg&) = delete;  // text_ may look into repaired_
  TextArg& operator=(const TextArg&) = delete;
  std::string_view view() const { return text_; }

 private:
  std::string_view text_;
  std::string repaired_;
};

// Bytes as a str, by the rule of utf8.hpp, which is Python's "replace" too.
inline nb::str to_str(std::string_view text) {
  PyObject* decoded =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (decoded == nullptr) throw nb::python_error();
  return nb::steal<nb::str>(decoded);
}

}  // namespace linnet::bind
