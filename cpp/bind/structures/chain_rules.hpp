// Masks of what chains may be, from arrays.
#pragma once
#include "bind/bind.hpp"
#include "linnet/data/chain_data.hpp"

namespace linnet::bind {

// 0 and 1, or booleans; of any shape.
using Allowed = std::optional<nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>>;

inline Mask mask_of(const Allowed& a) {
  if (!a) return {};
  if (a->dtype() != nb::dtype<std::uint8_t>() && a->dtype() != nb::dtype<bool>())
    throw std::invalid_argument("masks must be of uint8 or bool");
  return {static_cast<const std::uint8_t*>(a->data()), a->size()};
}
inline ChainRules rules_of(const Allowed& transitions, const Allowed& start, const Allowed& stop,
                           const Allowed& tokens) {
  return {mask_of(transitions), mask_of(start), mask_of(stop), mask_of(tokens)};
}

}  // namespace linnet::bind
