// Templates of phrases as Python gives them, and trees as arrays for Python.
#pragma once
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include "bind/bind.hpp"
#include "linnet/decoding/phrase_parser.hpp"
#include "linnet/phrases/phrase_templates.hpp"

namespace linnet::bind {

using Atom = std::tuple<std::string, std::string, Id, Id>;  // value, anchor, offset, most
using GivenTemplates = std::vector<std::pair<std::string, std::vector<Atom>>>;

inline PhraseAtom atom_of(const Atom& given) {
  using A = PhraseAnchor;
  using V = PhraseValue;
  const auto& [value, anchor, offset, most] = given;
  const V kind = named<V>("value", value,
                          {{"tag", V::tag},
                           {"word", V::word},
                           {"class", V::word_class},
                           {"child", V::child},
                           {"sibling", V::sibling},
                           {"side", V::side},
                           {"length", V::length},
                           {"child.length", V::child_length},
                           {"sibling.length", V::sibling_length},
                           {"before", V::before},
                           {"after", V::after},
                           {"distance", V::distance},
                           {"doubt", V::doubt},
                           {"tags", V::tags},
                           {"single", V::single},
                           {"several", V::several},
                           {"count", V::count}});
  const A place = anchor.empty() ? A::begin
                                 : named<A>("anchor", anchor,
                                            {{"begin", A::begin},
                                             {"end", A::end},
                                             {"head", A::head},
                                             {"child", A::child},
                                             {"child.end", A::child_end},
                                             {"child.head", A::child_head},
                                             {"sibling", A::sibling},
                                             {"sibling.head", A::sibling_head},
                                             {"between", A::between}});
  return {kind, place, offset, most};
}

// salt: tells templates of the same name apart that are of other pieces.
inline std::vector<PhraseTemplate> templates_of(const GivenTemplates& given,
                                                std::uint64_t salt = 0) {
  std::vector<PhraseTemplate> templates;
  for (const auto& [name, atoms] : given) {
    PhraseTemplate& made = templates.emplace_back();
    made.salt = hash_bytes(name, salt);
    for (const Atom& atom : atoms) made.atoms.push_back(atom_of(atom));
  }
  return templates;
}
inline Index places_of(int bits) {
  if (bits < 1 || bits > 26) throw std::invalid_argument("bits must be 1 to 26");
  return Index{1} << bits;
}

#define LINNET_TREE_ARRAYS                                                   \
  "tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int32], " \
  "NDArray[numpy.int32], NDArray[numpy.float64], NDArray[numpy.float64]]"

// Trees as arrays: starts of each, begins, ends and labels of brackets, their scores; scores.
inline nb::tuple arrays_of(std::span<const ScoredTree> trees) {
  std::vector<Index> starts{0};
  std::vector<Id> begins, ends, labels;
  std::vector<double> scores, values;
  for (const ScoredTree& tree : trees) {
    for (const ScoredBracket& each : tree.brackets) {
      begins.push_back(each.begin);
      ends.push_back(each.end);
      labels.push_back(each.label);
      scores.push_back(each.score);
    }
    starts.push_back(std::ssize(begins));
    values.push_back(tree.score);
  }
  return nb::make_tuple(to_numpy<Index>(std::move(starts)), to_numpy<Id>(std::move(begins)),
                        to_numpy<Id>(std::move(ends)), to_numpy<Id>(std::move(labels)),
                        to_numpy<double>(std::move(scores)), to_numpy<double>(std::move(values)));
}
inline nb::list lists_of(std::span<const std::vector<ScoredTree>> sentences) {
  nb::list found;
  for (const auto& trees : sentences) found.append(arrays_of(trees));
  return found;
}

}  // namespace linnet::bind
