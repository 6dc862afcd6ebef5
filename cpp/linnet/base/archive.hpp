// The state of a training in bytes, so that it can go on where it was. A class lists once what of
// it changes while it learns,
//
//   void state(Archive& a) { a(weights_, rng_, pass_); }
//
// and the archive writes these, or puts back what was written. What follows from the data and the
// settings is not listed: it is made anew. Every value has a mark of its type and every array its
// length, which must be that of the array it is read into, unless it is a `list`. So whatever bytes
// are read, what comes of them is a state of the right shape, or an error.
#pragma once
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "linnet/base/types.hpp"

namespace linnet {

class Archive {
 public:
  Archive() = default;  // writes
  explicit Archive(std::span<const std::uint8_t> from) : reading_(true), from_(from) {}

  bool reading() const { return reading_; }
  std::vector<std::uint8_t> take() { return std::move(written_); }
  // All has been read.
  void finish() const { require(from_.empty(), "something is left over"); }
  // For those who know more of what they read.
  static void require(bool fine, const char* what) {
    if (!fine)
      throw std::invalid_argument(std::string("this is not the state of such a training: ") + what);
  }

  template <class... Parts>
  void operator()(Parts&... parts) {
    (part(parts), ...);
  }
  // Of any length.
  template <class... Lists>
  void list(Lists&... lists) {
    (one_list(lists), ...);
  }
  // Members of all structs of an array, whose number is known: one after the other.
  template <class Array, class... Members>
  void members(Array& all, Members... members) {
    (one_member(all, members), ...);
  }
  // Numbers of things that there are `size` of.
  template <class List>
  void places(List& list, std::size_t size) {
    one_list(list);
    if (reading_)
      for (const auto at : list)
        require(static_cast<std::size_t>(at) < size, "a place is out of range");
  }
  // A length, of which something that takes so many bytes each is to follow.
  void size(Index& size, std::size_t bytes) {
    part(size);
    if (reading_)
      require(size >= 0 && static_cast<std::size_t>(size) <= from_.size() / bytes,
              "it ends too early");
  }

 private:
  template <class T>
  static constexpr bool kPlain = std::is_arithmetic_v<T> || std::is_enum_v<T>;
  template <class T>
  static constexpr std::uint8_t kMark = static_cast<std::uint8_t>(
      sizeof(T) | (std::is_floating_point_v<T> ? 0x20 : 0) | (std::is_signed_v<T> ? 0x40 : 0));

  template <class T>
  void part(T& value) {
    if constexpr (requires { value.state(*this); })
      value.state(*this);
    else if constexpr (kPlain<T>)
      mark(kMark<T>), bytes(&value, 1);
    else
      fixed(value);
  }
  template <class A, class B>
  void part(std::pair<A, B>& pair) {
    (*this)(pair.first, pair.second);
  }
  template <class T>
  void part(std::optional<T>& value) {
    bool there = value.has_value();
    part(there);
    if (reading_) value.reset();
    if (reading_ && there) value.emplace();
    if (there) part(*value);
  }
  template <class Array>
  void fixed(Array& array) {
    std::uint64_t size = std::size(array);
    part(size);
    require(size == std::size(array), "an array is longer or shorter than that of the data");
    contents(array);
  }
  template <class List>
  void one_list(List& list) {
    std::uint64_t size = list.size();
    part(size);
    if (reading_) {
      using T = typename List::value_type;
      require(size <= from_.size() / (kPlain<T> ? sizeof(T) : 1), "it ends too early");
      list.clear();
      list.resize(static_cast<std::size_t>(size));
    }
    contents(list);
  }
  template <class Array>
  void contents(Array& array) {
    using T = std::remove_cvref_t<decltype(*std::begin(array))>;
    if constexpr (kPlain<T> && requires { std::data(array); }) {
      mark(kMark<T>);
      bytes(std::data(array), std::size(array));
    } else {
      for (auto& one : array) part(one);
    }
  }
  template <class Array, class Struct, class T>
  void one_member(Array& all, T Struct::* member) {
    std::vector<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>> column;
    if (!reading_)
      for (const auto& one : all) column.push_back(one.*member);
    column.resize(std::size(all));
    fixed(column);
    if (!reading_) return;
    std::size_t k = 0;
    for (auto& one : all) one.*member = static_cast<T>(column[k++]);
  }

  void mark(std::uint8_t expected) {
    std::uint8_t found = expected;
    bytes(&found, 1);
    require(found == expected, "a value is of another type");
  }
  template <class T>
  void bytes(T* values, std::size_t count) {
    const std::size_t size = count * sizeof(T);
    if (!reading_) {
      const auto* const begin = reinterpret_cast<const std::uint8_t*>(values);
      written_.insert(written_.end(), begin, begin + size);
      return;
    }
    require(size <= from_.size(), "it ends too early");
    if constexpr (std::is_same_v<T, bool>)  // any other byte would be no bool
      for (std::size_t k = 0; k < count; ++k) values[k] = from_[k] != 0;
    else if (size > 0)
      std::memcpy(values, from_.data(), size);
    from_ = from_.subspan(size);
  }

  bool reading_ = false;
  std::span<const std::uint8_t> from_;
  std::vector<std::uint8_t> written_;
};

}  // namespace linnet
