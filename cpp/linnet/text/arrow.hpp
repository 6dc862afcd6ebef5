// Strings of the Arrow C data and stream interfaces, as views
// (https://arrow.apache.org/docs/format/CDataInterface.html). The layouts read are utf8 and binary
// with 32- or 64-bit offsets and as views, and dictionaries of these.
#pragma once
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linnet/text/texts.hpp"

extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema*);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray*);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};
}

namespace linnet::arrow {

// Takes a struct of the interface over from its producer and releases it in the end.
template <class Struct>
class Held {
 public:
  Held() : value_{} {}
  explicit Held(Struct& given) : value_(given) { given.release = nullptr; }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (value_.release != nullptr) value_.release(&value_);
  }
  Struct* get() { return &value_; }
  const Struct& operator*() const { return value_; }
  const Struct* operator->() const { return &value_; }

 private:
  Struct value_;
};

// `texts` views of the strings of an array; a null is an error that names its row, counted from
// `first_row`.
class StringReader {
 public:
  explicit StringReader(const ArrowSchema& schema) : format_(schema.format) {
    if (schema.dictionary != nullptr) {
      words_ = std::make_unique<StringReader>(*schema.dictionary);
      if (format_.size() != 1 || !std::strchr("cCsSiIlL", format_[0])) refuse();
    } else if (format_ != "u" && format_ != "U" && format_ != "vu" && format_ != "z" &&
               format_ != "Z" && format_ != "vz" && format_ != "n") {
      refuse();
    }
  }

  void read(const ArrowArray& array, std::vector<std::string_view>& texts) const {
    if (format_ == "n") {  // nothing but nulls
      if (array.length > 0) missing(texts.size());
      return;
    }
    check_nulls(array, texts.size());
    if (words_) {
      if (array.dictionary == nullptr)
        throw std::invalid_argument("an Arrow dictionary is missing");
      read_dictionary(array, texts);
    } else if (format_[0] == 'v') {
      read_views(array, texts);
    } else if (format_ == "u" || format_ == "z") {
      read_offsets<std::int32_t>(array, texts);
    } else {
      read_offsets<std::int64_t>(array, texts);
    }
  }

 private:
  [[noreturn]] void refuse() const {
    throw std::invalid_argument("an Arrow array of strings is needed, not one of format '" +
                                format_ + "'; pass one column of text");
  }
  static bool is_null(const ArrowArray& array, std::int64_t i) {
    const auto* valid = static_cast<const std::uint8_t*>(array.buffers[0]);
    const std::int64_t bit = array.offset + i;
    return valid != nullptr && (valid[bit / 8] >> bit % 8 & 1) == 0;
  }
  static void check_nulls(const ArrowArray& array, std::size_t first_row) {
    if (array.null_count == 0 || array.length == 0) return;
    for (std::int64_t i = 0; i < array.length; ++i)
      if (is_null(array, i)) missing(first_row + static_cast<std::size_t>(i));
  }
  [[noreturn]] static void missing(std::size_t row) {
    throw std::invalid_argument("text " + std::to_string(row) +
                                " is missing (null); fill it or leave the row out");
  }

  template <class Offset>
  static void read_offsets(const ArrowArray& array, std::vector<std::string_view>& texts) {
    if (array.length == 0) return;  // may come without buffers
    const auto* offsets = static_cast<const Offset*>(array.buffers[1]) + array.offset;
    const auto* bytes = static_cast<const char*>(array.buffers[2]);
    for (std::int64_t i = 0; i < array.length; ++i)
      texts.emplace_back(bytes + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
  }

  // A view is 16 bytes: the length, and the bytes themselves if they are at most 12, or four of
  // them, the number of a buffer and a place in it.
  static void read_views(const ArrowArray& array, std::vector<std::string_view>& texts) {
    if (array.length == 0) return;
    const auto* views = static_cast<const char*>(array.buffers[1]) + 16 * array.offset;
    for (std::int64_t i = 0; i < array.length; ++i, views += 16) {
      std::int32_t head[4];
      std::memcpy(head, views, sizeof head);
      const char* bytes = head[0] <= 12
                              ? views + 4
                              : static_cast<const char*>(array.buffers[2 + head[2]]) + head[3];
      texts.emplace_back(bytes, static_cast<std::size_t>(head[0]));
    }
  }

  void read_dictionary(const ArrowArray& array, std::vector<std::string_view>& texts) const {
    const ArrowArray& entries = *array.dictionary;
    std::vector<std::string_view> words;
    ArrowArray all = entries;
    all.null_count = 0;  // a null among the words matters only where it is used
    words_->read(all, words);
    const auto size = static_cast<std::int64_t>(words.size());
    const auto add = [&](const auto* ids) {
      for (std::int64_t i = 0; i < array.length; ++i) {
        const auto id = static_cast<std::int64_t>(ids[array.offset + i]);
        if (id < 0 || id >= size) throw std::invalid_argument("an Arrow dictionary is too short");
        if (entries.null_count != 0 && is_null(entries, id)) missing(texts.size());
        texts.push_back(words[static_cast<std::size_t>(id)]);
      }
    };
    if (array.length == 0) return;
    const void* ids = array.buffers[1];
    switch (format_[0]) {
      case 'c':
        return add(static_cast<const std::int8_t*>(ids));
      case 'C':
        return add(static_cast<const std::uint8_t*>(ids));
      case 's':
        return add(static_cast<const std::int16_t*>(ids));
      case 'S':
        return add(static_cast<const std::uint16_t*>(ids));
      case 'i':
        return add(static_cast<const std::int32_t*>(ids));
      case 'I':
        return add(static_cast<const std::uint32_t*>(ids));
      default:
        return add(static_cast<const std::int64_t*>(ids));
    }
  }

  std::string format_;
  std::unique_ptr<StringReader> words_;
};

inline Texts read_array(ArrowSchema& schema, ArrowArray& array) {
  const Held<ArrowSchema> type(schema);
  auto held = std::make_shared<Held<ArrowArray>>(array);
  std::vector<std::string_view> texts;
  StringReader(*type).read(**held, texts);
  return {std::move(texts), {std::move(held)}};
}

inline Texts read_stream(ArrowArrayStream& given) {
  Held<ArrowArrayStream> stream(given);
  const auto check = [&](int code) {
    if (code == 0) return;
    const char* why = stream->get_last_error(stream.get());
    throw std::invalid_argument("the Arrow stream failed: " +
                                std::string(why ? why : "no reason given"));
  };
  Held<ArrowSchema> schema;
  check(stream->get_schema(stream.get(), schema.get()));
  const StringReader reader(*schema);
  std::vector<std::string_view> texts;
  std::vector<Texts::Owner> owners;
  for (;;) {
    auto chunk = std::make_shared<Held<ArrowArray>>();
    check(stream->get_next(stream.get(), chunk->get()));
    if ((*chunk)->release == nullptr) break;  // the end of the stream
    reader.read(**chunk, texts);
    owners.push_back(std::move(chunk));
  }
  return {std::move(texts), std::move(owners)};
}

}  // namespace linnet::arrow
