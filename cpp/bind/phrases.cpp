#include "bind/phrase_arrays.hpp"
#include "bind/state.hpp"
#include "bind/text/text.hpp"
#include "bind/text/text_rules.hpp"
#include "linnet/data/bracket_data.hpp"
#include "linnet/learners/parsers/phrase_trainer.hpp"
#include "linnet/phrases/span_rows.hpp"

namespace linnet::bind {
namespace {

using Bytes = std::optional<Array<const std::uint8_t>>;

void bind_training(nb::module_& m) {
  nb::class_<GoldBrackets>(m, "GoldBrackets", "The brackets of training sentences.")
      .def(
          "__init__",
          [](GoldBrackets* self, Array<const Index> starts, Array<const Id> begins,
             Array<const Id> ends, Array<const Id> codes, Id labels, Bytes partial) {
            new (self) GoldBrackets(view(starts), view(begins), view(ends), view(codes), labels,
                                    view(partial));
          },
          in_place("starts"), in_place("begins"), in_place("ends"), in_place("codes"),
          nb::arg("labels"), in_place("partial").none() = nb::none(), nb::keep_alive<1, 2>(),
          nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(),
          nb::keep_alive<1, 7>(),
          "partial: 1 for sentences of which only these brackets are known, not all.");
  nb::class_<BracketData, Dataset>(m, "BracketData", "Sentences: rows of spans, and brackets.")
      .def(
          "__init__",
          [](BracketData* self, const Rows& rows, Array<const Index> offsets,
             const GoldBrackets& gold, bool whole, Array<const double> weights) {
            new (self) BracketData(rows, view(offsets), gold, whole, view(weights));
          },
          nb::arg("rows"), in_place("offsets"), nb::arg("gold"), nb::arg("whole"),
          in_place("weights"), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
          nb::keep_alive<1, 4>(), nb::keep_alive<1, 6>());

  nb::class_<PhraseTrainer> trainer(m, "PhraseTrainer",
                                    "Steps of parsers of phrases over hashed templates of spans.");
  bind_state(trainer)
      .def(
          "__init__",
          [](PhraseTrainer* self, const PhraseTokens& tokens, const SpanTemplates& templates,
             const GoldBrackets& gold, bool whole, const std::string& step, double C, double cost,
             double rate, bool average, bool shuffle, std::uint64_t seed) {
            const auto kind = named<PhraseStep>("step", step,
                                                {{"perceptron", PhraseStep::perceptron},
                                                 {"pa", PhraseStep::pa},
                                                 {"adagrad", PhraseStep::adagrad}});
            new (self) PhraseTrainer(tokens, templates, gold, whole,
                                     {kind, C, cost, rate, average, shuffle, seed});
          },
          nb::arg("tokens"), nb::arg("templates"), nb::arg("gold"), nb::arg("whole"),
          nb::arg("step") = "pa", nb::arg("C") = kInf, nb::arg("cost") = 1.0, nb::arg("rate") = 0.1,
          nb::arg("average") = true, nb::arg("shuffle") = true, nb::arg("seed") = 0,
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>())
      .def("epoch", &PhraseTrainer::epoch, NoGil())
      .def(
          "start_at",
          [](PhraseTrainer& self, Array<const float> weights) { self.start_at(view(weights)); },
          nb::arg("weights"), "Weights to begin with, before the first step.")
      .def(
          "weights",
          [](const PhraseTrainer& self) {
            std::vector<float> out(static_cast<std::size_t>(self.size()));
            self.weights_into(out.data());
            return to_numpy<float>(std::move(out));
          },
          "Averaged, if so asked: (features + 1) x stride, the constant feature first.");
}

void bind_parsing(nb::module_& m) {
  nb::class_<SpanRules>(m, "SpanRules", "What is certain of the trees of sentences.")
      .def(
          "__init__",
          [](SpanRules* self, Array<const Index> starts, Array<const Id> begins,
             Array<const Id> ends, Array<const Id> labels, Array<const std::uint8_t> must,
             Id n_labels) {
            new (self) SpanRules(view(starts), view(begins), view(ends), view(labels), view(must),
                                 n_labels);
          },
          in_place("starts"), in_place("begins"), in_place("ends"), in_place("labels"),
          in_place("must"), nb::arg("n_labels"), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
          nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(), nb::keep_alive<1, 6>(),
          "Of spans: a label, or -1 for any; must: 1 if the bracket must be there, 0 if not.");
  nb::class_<ByteRows>(m, "ByteRows", "Weights of spans, rounded to a byte each.")
      .def(
          "__init__",
          [](ByteRows* self, Array<const float> weights, Id stride) {
            new (self) ByteRows(view(weights), stride);
          },
          in_place("weights"), nb::arg("stride"), "weights: [features][stride], finite.")
      .def("weight", &ByteRows::weight, nb::arg("feature"), nb::arg("label"));
  nb::class_<PhraseParser> parser(m, "PhraseParser",
                                  "Trees of sentences by weights of templates of spans.");
  parser.def(
      "__init__",
      [](PhraseParser* self, const PhraseTokens& tokens, const SpanTemplates& templates, Id labels,
         Array<const float> weights, bool whole, const SpanRules* rules, const ByteRows* rounded) {
        new (self) PhraseParser(tokens, templates, labels, view(weights), whole,
                                rules ? *rules : SpanRules(), rounded);
      },
      nb::arg("tokens"), nb::arg("templates"), nb::arg("labels"), in_place("weights"),
      nb::arg("whole"), nb::arg("rules").none() = nb::none(),
      nb::arg("rounded").none() = nb::none(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
      nb::keep_alive<1, 5>(), nb::keep_alive<1, 7>(), nb::keep_alive<1, 8>(),
      "rounded: taken in place of weights, if they are given.");
  bind_trees(parser);
  parser
      .def(
          "likely",
          [](const PhraseParser& self, double least, int threads) {
            return arrays_of(interruptible([&] { return self.likely(least, threads); }));
          },
          nb::arg("least"), nb::arg("threads") = 1,
          nb::sig("def likely(self, least: float, threads: int = 1) -> " LINNET_TREE_ARRAYS),
          "Brackets that are at least so probable, and those of the best tree; log Z.")
      .def(
          "candidates",
          [](const PhraseParser& self, double within, int threads) {
            return arrays_of(interruptible([&] { return self.candidates(within, threads); }));
          },
          nb::arg("within"), nb::arg("threads") = 1,
          nb::sig("def candidates(self, within: float, threads: int = 1) -> " LINNET_TREE_ARRAYS),
          "Brackets whose best tree is at most so much worse than the best, with its score.");
}

}  // namespace

void phrases(nb::module_& m) {
  nb::class_<PhraseTokens>(m, "PhraseTokens", "Tokens as templates of phrases see them.")
      .def(
          "__init__",
          [](PhraseTokens* self, Array<const Index> offsets, Array<const Id> tags,
             Array<const Id> words, Array<const Id> classes, Id n_tags,
             Array<const std::uint8_t> sets) {
            new (self) PhraseTokens(view(offsets), view(tags), view(words), view(classes), n_tags,
                                    view(sets));
          },
          in_place("offsets"), in_place("tags"), in_place("words"), in_place("classes"),
          nb::arg("n_tags"), in_place("sets"), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
          nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(), nb::keep_alive<1, 7>());
  nb::class_<SpanTemplates>(m, "SpanTemplates", "Templates of spans.")
      .def(
          "__init__",
          [](SpanTemplates* self, const GivenTemplates& given, Id sets, int bits) {
            new (self) SpanTemplates(templates_of(given), sets, places_of(bits));
          },
          nb::arg("templates"), nb::arg("sets"), nb::arg("bits"),
          "(name, [(value, anchor, offset, most)]) for each template.")
      .def_prop_ro("features", &SpanTemplates::features)
      .def(
          "origins",
          [](const SpanTemplates& self, const PhraseTokens& tokens, Index sentence, Id begin,
             Id end) {
            if (sentence < 0 || sentence >= tokens.sentences() || begin < 0 || begin >= end ||
                end > tokens.words(sentence))
              throw nb::index_error();
            PhraseSentence seen;
            seen.enter(tokens, sentence);
            std::vector<std::pair<Id, Id>> found;
            self.origins(seen, begin, end,
                         [&](Id row, Id number) { found.emplace_back(row, number); });
            return found;
          },
          nb::arg("tokens"), nb::arg("sentence"), nb::arg("begin"), nb::arg("end"),
          "(feature, number of its template) for the features of a span.");
  m.def(
      "span_rows",
      [](const PhraseTokens& tokens, const SpanTemplates& templates) {
        return Rows{std::make_shared<SpanRows>(tokens, templates), 0.f};
      },
      nb::arg("tokens"), nb::arg("templates"), nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>(),
      "A row for each span of each sentence, by begin, then end, computed when it is read.");
  bind_training(m);
  bind_parsing(m);
}

}  // namespace linnet::bind
