// Items as CRFsuite's users write them: a list of attributes, or a dict of their values.
#pragma once
#include <cmath>
#include <string>
#include <utility>

#include "bind/text/text.hpp"
#include "linnet/sentences/template_rows.hpp"

namespace linnet::bind {

// Numbers attributes by first occurrence while reading sentences of items. An item is
//   an iterable of str: each counts 1, or
//   a dict: name → number or bool, its value; name → str v, "name=v" of value 1;
//           name → dict, list, tuple or set, the same again with "name:" before each.
// An attribute met twice in an item has the sum of its values; one of value 0 gets a number only.
class AttributeReader {
 public:
  const Vocabulary& vocabulary() const { return vocabulary_; }
  const Names& names() const { return names_; }

  std::pair<std::vector<Index>, TokenRows> read(nb::handle sentences) {
    std::vector<Index> offsets{0};
    TokenRows rows;
    for (nb::handle sentence : nb::iter(sentences)) {
      refuse_text(sentence, "a sentence", offsets.size() - 1);
      for (nb::handle item : nb::iter(sentence)) {
        refuse_text(item, "an item of sentence", offsets.size() - 1);
        entries_.hashes.clear();
        entries_.values.clear();
        place_ = {std::ssize(offsets) - 1, std::ssize(rows.starts) - 1 - offsets.back()};
        name_.clear();
        add_all(item);
        entries_.ends.assign(1, entries_.hashes.size());
        sums_.append(
            entries_, rows, [](std::uint64_t) {},
            [&](std::size_t k) { return static_cast<Id>(entries_.hashes[k]); });
      }
      offsets.push_back(std::ssize(rows.starts) - 1);
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
    return {std::move(offsets), std::move(rows)};
  }

 private:
  // Everything of a container, its names preceded by what name_ holds.
  void add_all(nb::handle container) {
    const std::size_t before = name_.size();
    if (!PyDict_Check(container.ptr())) {
      for (nb::handle name : nb::iter(container)) {
        append_text(name);
        add(1);
        name_.resize(before);
      }
      return;
    }
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(container.ptr(), &at, &key, &value);) {
      append_text(key);
      if (PyUnicode_Check(value) || PyBytes_Check(value)) {
        name_ += '=';
        append_text(value);
        add(1);
      } else if (PyDict_Check(value) || PyList_Check(value) || PyTuple_Check(value) ||
                 PyAnySet_Check(value)) {
        name_ += ':';
        add_all(value);
      } else {
        add(number(value));
      }
      name_.resize(before);
    }
  }

  void append_text(nb::handle text) {
    std::string_view bytes;
    std::string repaired;
    if (!read_text(text.ptr(), bytes, repaired))
      throw nb::type_error((where() + ": the name of an attribute is of type " +
                            name_of_type(text) + "; make it a str")
                               .c_str());
    name_ += bytes;
  }

  double number(nb::handle value) {
    const double x = PyFloat_AsDouble(value.ptr());
    const bool failed = x == -1 && PyErr_Occurred() != nullptr;
    if (failed) PyErr_Clear();
    if (failed || !std::isfinite(x))
      throw std::invalid_argument(where() + ": the attribute '" + name_ + "' is " +
                                  nb::cast<std::string>(nb::repr(value)) +
                                  "; use a finite number, a boolean or a string");
    return x;
  }

  void add(double value) {
    const Id id = vocabulary_.intern(hash_bytes(name_));
    if (id == std::ssize(names_.offsets) - 1) names_.append(name_);
    if (value == 0) return;
    entries_.hashes.push_back(static_cast<std::uint64_t>(id));
    entries_.values.push_back(static_cast<float>(value));
  }

  void refuse_text(nb::handle given, const char* what, std::size_t sentence) {
    if (PyUnicode_Check(given.ptr()) || PyBytes_Check(given.ptr()))
      throw nb::type_error((std::string(what) + " " + std::to_string(sentence) +
                            " is a str; attributes come as a list of names or a dict of values")
                               .c_str());
  }
  std::string where() const {
    return "sentence " + std::to_string(place_.first) + ", token " + std::to_string(place_.second);
  }

  Vocabulary vocabulary_;
  Names names_;
  RowSums sums_;
  TokenHashes entries_;  // of one item; numbers in place of hashes
  std::string name_;
  std::pair<Index, Index> place_{0, 0};
};

}  // namespace linnet::bind
