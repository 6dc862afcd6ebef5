#include "bind/bind.hpp"
#include "bind/text/text.hpp"
#include "bind/text/text_rules.hpp"
#include "linnet/arcs/arc_candidates.hpp"
#include "linnet/arcs/arc_names.hpp"
#include "linnet/arcs/arc_scorer.hpp"

namespace linnet::bind {
namespace {

using AttributeTuple = std::tuple<std::string, Id, Id, std::string>;
using AtomTuple = std::tuple<std::string, std::string, Id, Id>;
using TemplateTuple = std::tuple<std::string, std::vector<AtomTuple>, bool, bool>;

void make_templates(ArcTemplates* self, const std::vector<AttributeTuple>& attributes,
                    const std::vector<TemplateTuple>& templates, Id bits) {
  std::vector<ArcAttribute> all;
  for (const auto& [kind, column, length, key] : attributes) {
    const auto known = named<AttributeKind>("kind", kind,
                                            {{"token", AttributeKind::token},
                                             {"lower", AttributeKind::lower},
                                             {"prefix", AttributeKind::prefix},
                                             {"suffix", AttributeKind::suffix},
                                             {"shape", AttributeKind::shape}});
    all.push_back({{known, column, length, nullptr}, key});
  }
  std::vector<ArcTemplate> compiled;
  for (const auto& [name, atoms, direction, distance] : templates) {
    ArcTemplate& each = compiled.emplace_back(ArcTemplate{name, {}, direction, distance});
    for (const auto& [side, step, attribute, offset] : atoms)
      each.atoms.push_back({named<ArcSide>("side", side,
                                           {{"head", ArcSide::head},
                                            {"modifier", ArcSide::modifier},
                                            {"between", ArcSide::between},
                                            {"sibling", ArcSide::sibling}}),
                            named<ArcStep>("step", step,
                                           {{"self", ArcStep::self},
                                            {"first", ArcStep::first_dependent},
                                            {"last", ArcStep::last_dependent},
                                            {"head", ArcStep::head}}),
                            attribute, offset});
  }
  new (self) ArcTemplates(std::move(all), std::move(compiled), bits);
}

Rows make_rows(const ArcTokens& tokens, Array<const Index> starts, Array<const Id> heads,
               std::optional<Array<const Id>> tree, float bias) {
  return {std::make_shared<ArcRows>(tokens, CandidateArcs{view(starts), view(heads)}, view(tree)),
          bias};
}

NumPy<float> scores(const ArcTokens& tokens, Array<const Index> starts, Array<const Id> heads,
                    Array<const float> weights, float bias, int threads) {
  std::vector<float> out(heads.shape(0));
  interruptible([&] {
    score_all_arcs(tokens, {view(starts), view(heads)}, view(weights), bias, threads, out.data());
  });
  return to_numpy<float>(std::move(out));
}

NumPy<Id> relations(const ArcTokens& tokens, Array<const Id> heads, Matrix<const float> weights,
                    Id width, float bias, int threads) {
  std::vector<Id> out(heads.shape(0));
  interruptible([&] {
    best_relations(tokens, view(heads), {weights.data(), weights.size()}, width, bias, threads,
                   out.data());
  });
  return to_numpy<Id>(std::move(out));
}

// (feature, name) for each feature of an arc.
nb::list names(const ArcTokens& tokens, Index sentence, Id head, Id modifier,
               std::optional<Array<const Id>> tree, std::optional<Id> sibling) {
  if (sentence < 0 || sentence >= tokens.sentences().size()) throw nb::index_error();
  ArcSentence seen;
  seen.enter(tokens, sentence, view(tree));
  if (head < 0 || modifier < 1 || std::max(head, modifier) > seen.words() || head == modifier)
    throw nb::index_error();
  const ArcNames named(tokens, sentence, view(tree));
  nb::list found;
  const auto append = [&](Id feature, Id number, Id third) {
    found.append(nb::make_tuple(feature, to_str(named.name(number, head, modifier, third))));
  };
  if (!sibling) {
    seen.each_origin(head, modifier, append);
  } else {
    if (*sibling < 0 || *sibling > seen.words()) throw nb::index_error();
    seen.each_sibling_origin(head, modifier, *sibling,
                             [&](Id feature, Id number, Id) { append(feature, number, *sibling); });
  }
  return found;
}

NumPy<float> first_pass(const ArcTokens& tokens, Array<const Id> heads, int passes,
                        std::uint64_t seed) {
  return to_numpy<float>(
      interruptible([&] { return train_first_pass(tokens, view(heads), passes, seed); }));
}

nb::tuple likely(const ArcTokens& tokens, Array<const float> weights, float within,
                 std::optional<Array<const Id>> also, int threads) {
  ArcLists lists = interruptible(
      [&] { return likely_arcs(tokens, view(weights), within, view(also), threads); });
  return nb::make_tuple(to_numpy<Index>(std::move(lists.starts)),
                        to_numpy<Id>(std::move(lists.heads)));
}

}  // namespace

void arcs(nb::module_& m) {
  nb::class_<ArcTemplates>(m, "ArcTemplates", "Templates of arcs, from head to modifier.")
      .def("__init__", &make_templates, nb::arg("attributes"), nb::arg("templates"),
           nb::arg("bits"),
           "(kind, column, length, key) for each attribute; (name, [(side, step, attribute, "
           "offset)], direction, distance) for each template.")
      .def_prop_ro("features", &ArcTemplates::features)
      .def_prop_ro("needs_tree", &ArcTemplates::needs_tree,
                   "Do they look at relatives of the tokens in a tree?")
      .def_prop_ro(
          "second_order", [](const ArcTemplates& t) { return t.siblings().size() > 0; },
          "Do they look at siblings?");

  nb::class_<ArcTokens>(m, "ArcTokens", "Sentences as templates of arcs see them.")
      .def(nb::init<const ArcTemplates&, const TokenColumns&, int>(), nb::arg("templates"),
           nb::arg("sentences"), nb::arg("threads") = 1, NoGil(), nb::keep_alive<1, 2>(),
           nb::keep_alive<1, 3>())
      .def("rows", &make_rows, in_place("starts"), in_place("heads"),
           in_place("tree").none() = nb::none(), nb::arg("bias") = 0.f, nb::keep_alive<0, 1>(),
           nb::keep_alive<0, 2>(), nb::keep_alive<0, 3>(), nb::keep_alive<0, 4>(),
           "A row for each candidate arc, computed when it is read.")
      .def("scores", &scores, nb::arg("starts"), nb::arg("heads"), nb::arg("weights"),
           nb::arg("bias") = 0.f, nb::arg("threads") = 1,
           "The score of each candidate arc; the weight of the constant feature comes first.")
      .def("relations", &relations, nb::arg("heads"), nb::arg("weights"), nb::arg("width"),
           nb::arg("bias") = 0.f, nb::arg("threads") = 1,
           "The best relation of the arc to each token from its head; -1 where there is none.")
      .def("names", &names, nb::arg("sentence"), nb::arg("head"), nb::arg("modifier"),
           nb::arg("tree").none() = nb::none(), nb::arg("sibling").none() = nb::none(),
           nb::sig("def names(self, sentence: int, head: int, modifier: int, "
                   "tree: NDArray[numpy.int32] | None = None, sibling: int | None = None) -> "
                   "list[tuple[int, str]]"),
           "Number and name of each feature of an arc; the tree is that of its sentence. With a "
           "sibling, or 0 for none, those of second order.")
      .def("first_pass", &first_pass, nb::arg("heads"), nb::arg("passes"), nb::arg("seed") = 0,
           "Weights by which each token chooses its head by itself.")
      .def("likely", &likely, nb::arg("weights"), nb::arg("within"),
           nb::arg("also").none() = nb::none(), nb::arg("threads") = 1,
           nb::sig("def likely(self, weights: NDArray[numpy.float32], within: float, "
                   "also: NDArray[numpy.int32] | None = None, threads: int = 1) -> "
                   "tuple[NDArray[numpy.int64], NDArray[numpy.int32]]"),
           "starts and heads of the arcs not much less likely than the best of their token.");
}

}  // namespace linnet::bind
