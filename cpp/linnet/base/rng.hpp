// xoshiro256** seeded by splitmix64: the same numbers on every platform, unlike <random>'s
// distributions, because results must be reproducible to the bit.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace linnet {

class Rng {
 public:
  explicit Rng(std::uint64_t seed) {
    for (auto& s : state_) {
      seed += 0x9e3779b97f4a7c15ULL;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
      s = z ^ (z >> 31);
    }
  }
  std::uint64_t next() {
    const std::uint64_t result = rotl(state_[1] * 5, 7) * 9, t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotl(state_[3], 45);
    return result;
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  // A number in [0, n); the bias of the multiplication is below 2^-32 for any n we meet.
  std::uint64_t below(std::uint64_t n) {
    if (n <= 0xffffffffULL) return ((next() >> 32) * n) >> 32;
    return next() % n;
  }
  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }
  template <class Archive>
  void state(Archive& a) {
    a(state_);
  }
  // Blocks of `block` neighbours in any order, and each in any order within; 0: all in one block.
  template <class T>
  void shuffle(std::span<T> items, std::int64_t block) {
    const auto size = static_cast<std::size_t>(block);
    if (block <= 0 || size >= items.size()) return shuffle(items);
    std::vector<std::size_t> begins;
    for (std::size_t at = 0; at < items.size(); at += size) begins.push_back(at);
    shuffle(std::span<std::size_t>(begins));
    std::vector<T> shuffled;
    shuffled.reserve(items.size());
    for (std::size_t begin : begins) {
      const std::span<T> some = items.subspan(begin, std::min(size, items.size() - begin));
      shuffle(some);
      shuffled.insert(shuffled.end(), some.begin(), some.end());
    }
    std::copy(shuffled.begin(), shuffled.end(), items.begin());
  }

 private:
  static std::uint64_t rotl(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  std::uint64_t state_[4];
};

}  // namespace linnet
