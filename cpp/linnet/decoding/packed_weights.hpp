// Weights in few bits: a block of (features, width) small integers q, feature-major and without
// padding, and one scale for each label.
//
// - 8 bits: a signed byte, q in −127 … 127, w ≈ scale · q.
// - 4 bits: two to a byte, the earlier in the low nibble, two's complement, q in −7 … 7,
//   w ≈ scale · q|q|. Weights of text models have long tails; squares reach from the largest to a
//   49th of it, where equal steps would make zeros of nearly all weights.
// The largest weight of a label has the largest q, so that nothing is cut off.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "linnet/base/simd.hpp"
#include "linnet/base/types.hpp"

namespace linnet {

inline void check_bits(int bits) {
  if (bits != 8 && bits != 4) throw std::invalid_argument("weights are packed to 8 or 4 bits");
}

inline Index packed_bytes(Index codes, int bits) { return bits == 8 ? codes : (codes + 1) / 2; }

// q|q| of the q in the low nibble.
LINNET_INLINE int nibble_level(int nibble) {
  const int q = ((nibble & 15) ^ 8) - 8;
  return q < 0 ? -q * q : q * q;
}
// q|q| of code e.
LINNET_INLINE int nibble_at(const std::uint8_t* codes, Index e) {
  return nibble_level(codes[e >> 1] >> ((e & 1) * 4));
}

struct PackedWeights {
  std::vector<std::uint8_t> codes;
  std::vector<float> scales;  // [width]
};

namespace detail {

// The q whose level is nearest to w / scale.
inline int nearest_code(float ratio, int bits) {
  const float size = std::fabs(ratio);
  float q = std::round(size);
  if (bits == 4) {
    const float below = std::floor(std::sqrt(size));
    q = below + (2 * size > below * below + (below + 1) * (below + 1) ? 1.f : 0.f);
  }
  const int code = std::min(static_cast<int>(q), bits == 8 ? 127 : 7);
  return ratio < 0 ? -code : code;
}

}  // namespace detail

// `weights` are (rows, width). A weight of zero stays one.
inline PackedWeights pack_weights(std::span<const float> weights, Id width, int bits) {
  check_bits(bits);
  if (width < 1 || weights.size() % static_cast<std::size_t>(width) != 0)
    throw std::invalid_argument("the weights do not fit the number of labels");
  const auto size = static_cast<Index>(weights.size());
  PackedWeights packed;
  packed.codes.resize(static_cast<std::size_t>(packed_bytes(size, bits)));
  packed.scales.resize(static_cast<std::size_t>(width));
  for (Index e = 0; e < size; ++e) {
    if (!std::isfinite(weights[e])) throw std::invalid_argument("a weight is not finite");
    packed.scales[e % width] = std::max(packed.scales[e % width], std::fabs(weights[e]));
  }
  for (float& scale : packed.scales) scale /= bits == 8 ? 127.f : 49.f;
  for (Index e = 0; e < size; ++e) {
    const float scale = packed.scales[e % width];
    const int code = scale > 0 ? detail::nearest_code(weights[e] / scale, bits) : 0;
    if (bits == 8)
      packed.codes[e] = static_cast<std::uint8_t>(code);
    else
      packed.codes[e >> 1] |= static_cast<std::uint8_t>((code & 15) << ((e & 1) * 4));
  }
  return packed;
}

// The inverse: (rows, width) floats.
inline std::vector<float> unpack_weights(std::span<const std::uint8_t> codes,
                                         std::span<const float> scales, Index rows, int bits) {
  check_bits(bits);
  const auto width = static_cast<Index>(scales.size());
  if (rows < 0 || static_cast<Index>(codes.size()) != packed_bytes(rows * width, bits))
    throw std::invalid_argument("the packed weights do not fit the features and labels");
  std::vector<float> weights(static_cast<std::size_t>(rows * width));
  for (Index e = 0; e < rows * width; ++e) {
    const int code = bits == 8 ? static_cast<std::int8_t>(codes[e]) : nibble_at(codes.data(), e);
    weights[e] = scales[e % width] * static_cast<float>(code);
  }
  return weights;
}

}  // namespace linnet
