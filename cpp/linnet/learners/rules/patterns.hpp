// Patterns by number: a template, the tag to be changed, and a value for each condition. Equal ones
// have the same number, in the order in which they were first met.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "linnet/base/types.hpp"

namespace linnet::rules {

class Patterns {
 public:
  explicit Patterns(std::size_t width) : width_(width), slots_(1 << 16, kEmpty) {}

  std::size_t size() const { return width_ ? keys_.size() / width_ : 0; }
  // [template, from, value, …, -1, …]
  const Id* key(Id number) const { return keys_.data() + number * width_; }

  // The number of a pattern; -1 if it is not there.
  Id find(const Id* key) const { return slots_[slot_of(key)]; }

  Id intern(const Id* key) {
    std::size_t slot = slot_of(key);
    if (slots_[slot] != kEmpty) return slots_[slot];
    const Id number = static_cast<Id>(size());
    keys_.insert(keys_.end(), key, key + width_);
    slots_[slot] = number;
    if (size() * 2 > slots_.size()) grow();
    return number;
  }

 private:
  static constexpr Id kEmpty = -1;

  std::size_t slot_of(const Id* key) const {
    std::uint64_t hash = 0x9E3779B97F4A7C15ull;
    for (std::size_t i = 0; i < width_; ++i) {
      hash = (hash ^ static_cast<std::uint32_t>(key[i])) * 0xBF58476D1CE4E5B9ull;
      hash ^= hash >> 29;
    }
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash & mask;
    while (slots_[slot] != kEmpty && !std::equal(key, key + width_, this->key(slots_[slot])))
      slot = (slot + 1) & mask;
    return slot;
  }

  void grow() {
    slots_.assign(slots_.size() * 2, kEmpty);
    for (Id number = 0; number < static_cast<Id>(size()); ++number)
      slots_[slot_of(key(number))] = number;
  }

  std::size_t width_;
  std::vector<Id> keys_;
  std::vector<Id> slots_;
};

}  // namespace linnet::rules
