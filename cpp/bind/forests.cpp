#include "bind/phrase_arrays.hpp"
#include "bind/state.hpp"
#include "bind/text/text_rules.hpp"
#include "linnet/decoding/forest_parser.hpp"
#include "linnet/learners/parsers/forest_trainer.hpp"

namespace linnet::bind {
namespace {

void bind_parts(nb::module_& m) {
  nb::class_<BracketCandidates>(m, "BracketCandidates", "Brackets that a first look has left.")
      .def(
          "__init__",
          [](BracketCandidates* self, Array<const Index> starts, Array<const Id> begins,
             Array<const Id> ends, Array<const Id> labels, Array<const float> log_p, Id n_labels) {
            new (self) BracketCandidates(view(starts), view(begins), view(ends), view(labels),
                                         view(log_p), n_labels);
          },
          in_place("starts"), in_place("begins"), in_place("ends"), in_place("labels"),
          in_place("log_p"), nb::arg("n_labels"), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
          nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(), nb::keep_alive<1, 6>());
  nb::class_<HeadRules>(m, "HeadRules", "Which child of a phrase is its head.")
      .def(nb::init<std::vector<Index>, std::vector<std::uint8_t>, std::vector<Index>,
                    std::vector<Id>, std::vector<std::uint8_t>, std::vector<std::uint8_t>>(),
           nb::arg("starts"), nb::arg("from_left"), nb::arg("begins"), nb::arg("codes"),
           nb::arg("kinds"), nb::arg("last"))
      .def(
          "head",
          [](const HeadRules& self, Id label, const std::vector<Id>& children) {
            if (label < 0 || label >= self.labels() || children.empty()) throw nb::index_error();
            for (const Id code : children)
              if (code < 0 || code >= self.codes()) throw nb::index_error();
            return self.head(label, children);
          },
          nb::arg("label"), nb::arg("children"));
  nb::class_<LabelCodes>(m, "LabelCodes", "The names that labels consist of.")
      .def(nb::init<std::vector<std::vector<Id>>, Id>(), nb::arg("of_labels"), nb::arg("names"));
  nb::class_<ForestTemplates>(m, "ForestTemplates", "Templates of phrases, neighbours, children.")
      .def(
          "__init__",
          [](ForestTemplates* self, const GivenTemplates& phrase, const GivenTemplates& pair,
             const GivenTemplates& child, Id sets, int bits) {
            new (self) ForestTemplates(templates_of(phrase, 1), templates_of(pair, 2),
                                       templates_of(child, 3), sets, places_of(bits));
          },
          nb::arg("phrase"), nb::arg("pair"), nb::arg("child"), nb::arg("sets"), nb::arg("bits"),
          "(name, [(value, anchor, offset, most)]) for each template.")
      .def_prop_ro("weights", &ForestTemplates::weights);
}

void bind_trainer(nb::module_& m) {
  nb::class_<ForestTrainer> trainer(m, "ForestTrainer", "Steps of the second look at phrases.");
  bind_state(trainer)
      .def(
          "__init__",
          [](ForestTrainer* self, const PhraseTokens& tokens, const BracketCandidates& candidates,
             const GoldBrackets& gold, const ForestTemplates& templates, const HeadRules& heads,
             const LabelCodes& labels, double cost, double rate, double dropout, double floor,
             bool average, bool shuffle, std::uint64_t seed) {
            new (self) ForestTrainer(tokens, candidates, gold, templates, heads, labels,
                                     {cost, rate, dropout, floor, average, shuffle, seed});
          },
          nb::arg("tokens"), nb::arg("candidates"), nb::arg("gold"), nb::arg("templates"),
          nb::arg("heads"), nb::arg("labels"), nb::arg("cost") = 0.0, nb::arg("rate") = 0.1,
          nb::arg("dropout") = 0.5, nb::arg("floor") = 0.0, nb::arg("average") = true,
          nb::arg("shuffle") = true, nb::arg("seed") = 0, nb::keep_alive<1, 2>(),
          nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(),
          nb::keep_alive<1, 6>(), nb::keep_alive<1, 7>())
      .def("epoch", &ForestTrainer::epoch, NoGil())
      .def(
          "start_at",
          [](ForestTrainer& self, Array<const float> weights) { self.start_at(view(weights)); },
          nb::arg("weights"), "Weights to begin with, before the first step.")
      .def(
          "weights",
          [](const ForestTrainer& self) {
            std::vector<float> out(static_cast<std::size_t>(self.size()));
            self.weights_into(out.data());
            return to_numpy<float>(std::move(out));
          },
          "Averaged, if so asked.");
}

using Origin = std::tuple<int, Id, std::size_t, std::vector<Id>, std::vector<Id>>;

std::vector<Origin> origins(const ForestParser& parser, Index sentence,
                            const std::vector<Id>& begins, const std::vector<Id>& ends,
                            const std::vector<Id>& labels, Id begin, Id end) {
  if (sentence < 0 || sentence >= parser.sentences() || begins.size() != ends.size() ||
      begins.size() != labels.size())
    throw nb::index_error();
  std::vector<ScoredBracket> tree;
  for (std::size_t k = 0; k < begins.size(); ++k)
    tree.push_back({begins[k], ends[k], labels[k], 0});
  ForestSearch search = parser.search();
  search.enter(sentence);
  std::vector<Origin> found;
  const bool known = search.origins(
      tree, begin, end,
      [&](PhraseForest::Kind kind, Id place, std::size_t number, const PhrasePiece& piece) {
        found.emplace_back(static_cast<int>(kind), place, number,
                           std::vector<Id>(piece.at.begin(), piece.at.end()),
                           std::vector<Id>{piece.child, piece.sibling, piece.doubt});
      });
  if (!known) throw std::invalid_argument("the tree has a bracket that is no candidate");
  return found;
}

void bind_parser(nb::module_& m) {
  nb::class_<ForestParser> parser(m, "ForestParser", "Trees of sentences in a second look.");
  parser.def(
      "__init__",
      [](ForestParser* self, const PhraseTokens& tokens, const BracketCandidates& candidates,
         const ForestTemplates& templates, const HeadRules& heads, const LabelCodes& labels,
         Array<const float> weights, const SpanRules* rules, double sure) {
        new (self) ForestParser(tokens, candidates, templates, heads, labels, view(weights),
                                rules ? *rules : SpanRules(), sure);
      },
      nb::arg("tokens"), nb::arg("candidates"), nb::arg("templates"), nb::arg("heads"),
      nb::arg("labels"), in_place("weights"), nb::arg("rules").none() = nb::none(),
      nb::arg("sure") = kInf, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
      nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(), nb::keep_alive<1, 6>(),
      nb::keep_alive<1, 7>(), nb::keep_alive<1, 8>());
  bind_trees(parser);
  parser.def("origins", &origins, nb::arg("sentence"), nb::arg("begins"), nb::arg("ends"),
             nb::arg("labels"), nb::arg("begin"), nb::arg("end"),
             "(kind of piece, place of the weight, number of the template, places of words, labels "
             "of\n"
             "child and sibling and doubt) for the features of a bracket within a tree.");
}

}  // namespace

void forests(nb::module_& m) {
  bind_parts(m);
  bind_trainer(m);
  bind_parser(m);
}

}  // namespace linnet::bind
