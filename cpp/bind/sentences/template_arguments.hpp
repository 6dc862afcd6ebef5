// What templates are applied to, beside the columns of tokens.
#pragma once
#include "bind/bind.hpp"
#include "bind/text/text.hpp"
#include "linnet/sentences/template_rows.hpp"

namespace linnet::bind {

using Flags = std::vector<Array<const std::uint8_t>>;
// starts, ids and values of rows, and names
using Own = std::optional<
    std::tuple<Array<const Index>, Array<const Id>, Array<const float>, const Texts*>>;

inline GivenFlags given_flags(const Flags& flags) {
  GivenFlags given;
  for (const auto& table : flags) given.push_back(view(table));
  return given;
}

inline OwnAttributes own_attributes(const Own& own, Index tokens) {
  if (!own) return {};
  const auto& [starts, ids, values, names] = *own;
  OwnAttributes found(view(starts), view(ids), view(values), names->views());
  if (std::ssize(found.starts) != tokens + 1)
    throw std::invalid_argument("there must be one row of attributes for each token");
  return found;
}

}  // namespace linnet::bind
