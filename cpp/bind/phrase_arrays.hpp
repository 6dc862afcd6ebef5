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

// What parsers of one look and of two are asked alike.
template <class Parser>
void bind_trees(nb::class_<Parser>& parser) {
  parser
      .def(
          "best",
          [](const Parser& self, int threads) {
            return arrays_of(interruptible([&] { return self.best(threads); }));
          },
          nb::arg("threads") = 1,
          nb::sig("def best(self, threads: int = 1) -> " LINNET_TREE_ARRAYS),
          "Starts of each sentence; begins, ends, labels and scores of brackets; scores of trees.")
      .def(
          "least_risk",
          [](const Parser& self, double threshold, int threads) {
            return arrays_of(interruptible([&] { return self.least_risk(threshold, threads); }));
          },
          nb::arg("threshold") = 0.5, nb::arg("threads") = 1,
          nb::sig("def least_risk(self, threshold: float = 0.5, threads: int = 1) "
                  "-> " LINNET_TREE_ARRAYS),
          "The trees with most of P(bracket) - threshold, and how many brackets should be right.")
      .def(
          "marginals",
          [](const Parser& self, double least, int threads) {
            return arrays_of(interruptible([&] { return self.marginals(least, threads); }));
          },
          nb::arg("least") = 0.0, nb::arg("threads") = 1,
          nb::sig(
              "def marginals(self, least: float = 0.0, threads: int = 1) -> " LINNET_TREE_ARRAYS),
          "All brackets that are at least so probable; log Z.")
      .def(
          "best_trees",
          [](const Parser& self, Id k, int threads) {
            return lists_of(interruptible([&] { return self.best_trees(k, threads); }));
          },
          nb::arg("k"), nb::arg("threads") = 1,
          nb::sig("def best_trees(self, k: int, threads: int = 1) -> list[" LINNET_TREE_ARRAYS "]"),
          "The k best trees of each sentence, best first.")
      .def(
          "samples",
          [](const Parser& self, Id count, std::uint64_t seed, int threads) {
            return lists_of(interruptible([&] { return self.samples(count, seed, threads); }));
          },
          nb::arg("count"), nb::arg("seed") = 0, nb::arg("threads") = 1,
          nb::sig("def samples(self, count: int, seed: int = 0, threads: int = 1) -> "
                  "list[" LINNET_TREE_ARRAYS "]"),
          "Trees of each sentence, drawn by their probability.")
      .def(
          "without_each",
          [](const Parser& self, int threads) {
            return lists_of(interruptible([&] { return self.without_each(threads); }));
          },
          nb::arg("threads") = 1,
          nb::sig("def without_each(self, threads: int = 1) -> list[" LINNET_TREE_ARRAYS "]"),
          "For each bracket of the best tree of a sentence, the best tree without it.");
}

}  // namespace linnet::bind
