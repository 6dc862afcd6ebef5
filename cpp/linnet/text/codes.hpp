// A column of labels as numbers.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "linnet/text/keyed_hash.hpp"
#include "linnet/text/texts.hpp"
#include "linnet/text/unicode.hpp"

namespace linnet {

struct Codes {
  std::vector<Id> codes;           // of each text: the place of its name
  std::vector<std::string> names;  // distinct, sorted by code points; well-formed UTF-8
};

inline Codes factorise(const Texts& texts) {
  std::unordered_map<std::string_view, Id, KeyedHash> seen;
  Codes out;
  out.codes.reserve(static_cast<std::size_t>(texts.size()));
  std::vector<std::string> names;  // in order of first appearance
  for (std::string_view text : texts.views()) {
    const auto [place, fresh] = seen.try_emplace(text, static_cast<Id>(names.size()));
    if (fresh) unicode::append_normalised(names.emplace_back(), text, false);
    out.codes.push_back(place->second);
  }
  // Texts that differ only in how they are malformed share a name.
  out.names = names;
  std::sort(out.names.begin(), out.names.end());
  out.names.erase(std::unique(out.names.begin(), out.names.end()), out.names.end());
  std::vector<Id> sorted;
  for (const std::string& name : names)
    sorted.push_back(static_cast<Id>(std::lower_bound(out.names.begin(), out.names.end(), name) -
                                     out.names.begin()));
  for (Id& code : out.codes) code = sorted[static_cast<std::size_t>(code)];
  return out;
}

}  // namespace linnet
