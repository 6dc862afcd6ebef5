// A column of texts, read where they lie: views of UTF-8 bytes, and owners that keep the bytes
// alive (Python strings, Arrow buffers, the contents of a file).
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linnet/base/types.hpp"

namespace linnet {

class Texts {
 public:
  using Owner = std::shared_ptr<const void>;

  Texts() = default;
  Texts(std::vector<std::string_view> views, std::vector<Owner> owners)
      : views_(std::move(views)), owners_(std::move(owners)) {}

  Index size() const { return static_cast<Index>(views_.size()); }
  std::string_view operator[](Index i) const { return views_[static_cast<std::size_t>(i)]; }
  std::span<const std::string_view> views() const { return views_; }
  Index size_in_bytes() const {
    Index sum = 0;
    for (std::string_view text : views_) sum += static_cast<Index>(text.size());
    return sum;
  }

  // The texts at these places, in this order; they may repeat.
  Texts take(std::span<const Index> places) const {
    std::vector<std::string_view> views;
    views.reserve(places.size());
    for (Index i : places) {
      if (i < 0 || i >= size())
        throw std::out_of_range("there is no text " + std::to_string(i) + " among " +
                                std::to_string(size()));
      views.push_back((*this)[i]);
    }
    return {std::move(views), owners_};
  }

  // Other views, of the same bytes or of those that `owner` keeps.
  Texts viewed(std::vector<std::string_view> views, Owner owner = nullptr) const {
    std::vector<Owner> owners = owners_;
    if (owner) owners.push_back(std::move(owner));
    return {std::move(views), std::move(owners)};
  }

 private:
  std::vector<std::string_view> views_;
  std::vector<Owner> owners_;
};

// The parts of a buffer from starts[i] to ends[i], which may touch and overlap.
inline Texts slices(std::string_view buffer, std::span<const Index> starts,
                    std::span<const Index> ends, Texts::Owner owner) {
  if (starts.size() != ends.size())
    throw std::invalid_argument("there are " + std::to_string(starts.size()) + " starts but " +
                                std::to_string(ends.size()) + " ends");
  std::vector<std::string_view> views;
  views.reserve(starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (starts[i] < 0 || ends[i] < starts[i] || ends[i] > static_cast<Index>(buffer.size()))
      throw std::invalid_argument("span " + std::to_string(i) + ", from " +
                                  std::to_string(starts[i]) + " to " + std::to_string(ends[i]) +
                                  ", does not lie in a buffer of " + std::to_string(buffer.size()) +
                                  " bytes");
    views.push_back(buffer.substr(static_cast<std::size_t>(starts[i]),
                                  static_cast<std::size_t>(ends[i] - starts[i])));
  }
  return {std::move(views), {std::move(owner)}};
}

}  // namespace linnet
