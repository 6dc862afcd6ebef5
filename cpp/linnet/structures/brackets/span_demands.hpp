// Spans that must be brackets. A bracket [i, j) is in a tree if and only if no other one crosses it
// and whatever begins at i and goes on beyond j has [i, j) among its first children: so demands
// say which splits are left, and forbid what crosses.
#pragma once
#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "linnet/base/types.hpp"

namespace linnet {

class SpanDemands {
 public:
  SpanDemands() = default;
  SpanDemands(Id length, std::span<const std::pair<Id, Id>> wanted)
      : side_(wanted.empty() ? 0 : length + 1) {
    if (wanted.empty()) return;
    first_.assign(static_cast<std::size_t>(side_) * static_cast<std::size_t>(side_), 0);
    kind_.assign(first_.size(), kFree);
    for (const auto& [i, j] : wanted) {
      if (i < 0 || i >= j || j > length)
        throw std::invalid_argument("the span [" + std::to_string(i) + ", " + std::to_string(j) +
                                    ") holds no words of the sentence");
      if (kind_[at(i, j)] == kCrossed) cross_error(i, j);
      kind_[at(i, j)] = kWanted;
      for (Id end = j + 1; end <= length; ++end)
        first_[at(i, end)] = std::max(first_[at(i, end)], j);
      for (Id k = i + 1; k < j; ++k) {
        for (Id begin = 0; begin < i; ++begin) cross(begin, k);
        for (Id end = j + 1; end <= length; ++end) cross(k, end);
      }
    }
  }
  bool empty() const { return side_ == 0; }
  // May words [i, j) do without a bracket of their own?
  bool must(Id i, Id j) const { return side_ > 0 && kind_[at(i, j)] == kWanted; }
  // The end of the first child of something over [i, j) is here or later.
  Id first_split(Id i, Id j) const { return side_ > 0 ? std::max(i + 1, first_[at(i, j)]) : i + 1; }
  // Does it cross a span that must be a bracket?
  bool crossed(Id i, Id j) const { return side_ > 0 && kind_[at(i, j)] == kCrossed; }

 private:
  static constexpr std::uint8_t kFree = 0, kWanted = 1, kCrossed = 2;
  void cross(Id i, Id j) {
    if (kind_[at(i, j)] == kWanted) cross_error(i, j);
    kind_[at(i, j)] = kCrossed;
  }
  [[noreturn]] static void cross_error(Id i, Id j) {
    throw std::invalid_argument("the span [" + std::to_string(i) + ", " + std::to_string(j) +
                                ") crosses another one that must be a bracket");
  }
  std::size_t at(Id i, Id j) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(side_) +
           static_cast<std::size_t>(j);
  }
  Id side_ = 0;
  std::vector<Id> first_;  // [i][j]
  std::vector<std::uint8_t> kind_;
};

}  // namespace linnet
