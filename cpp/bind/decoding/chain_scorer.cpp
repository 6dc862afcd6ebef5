#include "linnet/decoding/chain_scorer.hpp"

#include "bind/decoding/scorer_arguments.hpp"
#include "bind/sentences/template_arguments.hpp"
#include "bind/structures/chain_rules.hpp"

namespace linnet::bind {
namespace {

using Starts = std::optional<Array<const Index>>;
using Ids = std::optional<Array<const Id>>;
using Table = Scores::value_type;

void make_scorer(ChainScorer* self, Id labels, Array<const Index> starts, Array<const Id> label_ids,
                 Stored weights, Scores transitions, Scores start, Scores stop, Scores scales,
                 int order, bool local, const std::vector<Table>& windows, Starts pair_starts,
                 Ids pair_ids, std::optional<Stored> pair_weights, Scores pair_scales) {
  nb::gil_scoped_release nogil;
  std::vector<TiedScores::Table> tables;
  for (const Table& window : windows) tables.emplace_back(window.data(), window.size());
  TiedScores tied(labels, order, local, flat(transitions), flat(start), flat(stop), tables);
  const LabelWeights states =
      label_weights(labels, view(starts), view(label_ids), weights, flat(scales));
  LabelWeights pairs;
  if (pair_starts && pair_ids && pair_weights)
    pairs = label_weights(labels * labels, view(pair_starts), view(pair_ids), *pair_weights,
                          flat(pair_scales));
  else if (pair_starts || pair_ids || pair_weights)
    throw std::invalid_argument("weights of pairs need starts, ids and weights");
  new (self) ChainScorer(states, pairs, std::move(tied));
}

// Keeps what came with the tokens.
class HeldTemplateInput final : public TemplateInput {
 public:
  HeldTemplateInput(const Templates& templates, const TokenColumns& sentences,
                    const FeatureTable& table, const Flags& flags, const Own& own, float bias,
                    int threads)
      : TemplateInput(templates, sentences, given_flags(flags),
                      own_attributes(own, sentences.tokens()), table.numbering, bias, threads),
        flags_(flags),
        own_(own) {}

 private:
  Flags flags_;
  Own own_;
};

template <class...>
struct Types {};

// Binds a question: ask(scorer, query, what more is asked...).
template <class Class, class Ask, class... Extra, class... More>
void question(Class& c, const char* name, const char* doc, Ask ask, Types<Extra...>, More... more) {
  c.def(
      name,
      [ask](const ChainScorer& self, const TokenInput& input, Extra... extra, const Rows* pairs,
            Allowed transitions, Allowed start, Allowed stop, Allowed tokens, int threads) {
        return ask(self,
                   ChainQuery{input, pairs, rules_of(transitions, start, stop, tokens), threads},
                   extra...);
      },
      nb::arg("input"), more..., nb::arg("pairs").none() = nb::none(),
      nb::arg("transitions").none() = nb::none(), nb::arg("start").none() = nb::none(),
      nb::arg("stop").none() = nb::none(), nb::arg("tokens").none() = nb::none(),
      nb::arg("threads") = 1, doc);
}

std::size_t tokens_of(const ChainQuery& q) { return static_cast<std::size_t>(q.input.tokens()); }
std::size_t sentences_of(const ChainQuery& q) {
  return static_cast<std::size_t>(q.input.sentences());
}

}  // namespace

void chain_scorer(nb::module_& m) {
  nb::class_<TokenInput>(m, "TokenInput", "Sentences whose tokens are sparse rows.")
      .def_prop_ro("sentences", &TokenInput::sentences)
      .def_prop_ro("tokens", &TokenInput::tokens)
      .def_prop_ro("features", &TokenInput::features);
  nb::class_<RowsInput, TokenInput>(m, "RowsInput", "Rows that are there.")
      .def(
          "__init__",
          [](RowsInput* self, const Rows& rows, Array<const Index> offsets) {
            new (self) RowsInput(rows, view(offsets));
          },
          nb::arg("rows"), in_place("offsets"), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>());
  nb::class_<HeldTemplateInput, TokenInput>(m, "TemplateInput",
                                            "Rows that templates give, made when needed.")
      .def(
          "__init__",
          [](HeldTemplateInput* self, const Templates& templates, const TokenColumns& sentences,
             const FeatureTable& table, const Flags& flags, const Own& own, float bias,
             int threads) {
            nb::gil_scoped_release nogil;
            new (self) HeldTemplateInput(templates, sentences, table, flags, own, bias, threads);
          },
          nb::arg("templates"), nb::arg("sentences"), nb::arg("table"), nb::arg("flags"),
          nb::arg("own").none(), nb::arg("bias"), nb::arg("threads") = 1, nb::keep_alive<1, 2>(),
          nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 6>(),
          nb::sig("def __init__(self, templates: Templates, sentences: TokenColumns, "
                  "table: FeatureTable, flags: collections.abc.Sequence[NDArray[numpy.uint8]], "
                  "own: tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32], "
                  "Texts] | None, bias: float, threads: int = 1) -> None"));

  nb::class_<ChainScorer> scorer(
      m, "ChainScorer", "A tagger: sparse rows of (label, weight), row 0 the constant feature.");
  scorer
      .def("__init__", &make_scorer, nb::arg("labels"), in_place("starts"), in_place("label_ids"),
           in_place("weights"), nb::arg("transitions").none() = nb::none(),
           nb::arg("start").none() = nb::none(), nb::arg("stop").none() = nb::none(),
           in_place("scales").none() = nb::none(), nb::arg("order") = 1, nb::arg("local") = false,
           nb::arg("windows") = nb::list(), in_place("pair_starts").none() = nb::none(),
           in_place("pair_ids").none() = nb::none(), in_place("pair_weights").none() = nb::none(),
           in_place("pair_scales").none() = nb::none(), nb::keep_alive<1, 3>(),
           nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(), nb::keep_alive<1, 9>(),
           nb::keep_alive<1, 13>(), nb::keep_alive<1, 14>(), nb::keep_alive<1, 15>(),
           nb::keep_alive<1, 16>())
      .def_prop_ro("labels", &ChainScorer::labels)
      .def_prop_ro("features", &ChainScorer::features);
  question(
      scorer, "best", "The best label of every token and the score of every sentence.",
      [](const ChainScorer& self, const ChainQuery& q) {
        std::vector<Id> labels(tokens_of(q));
        std::vector<double> scores(sentences_of(q));
        run([&] { self.best(q, labels.data(), scores.data()); });
        return nb::make_tuple(to_numpy<Id>(std::move(labels)), to_numpy<double>(std::move(scores)));
      },
      Types<>());
  question(
      scorer, "marginals", "P(label at token), (tokens, labels), and log Z of every sentence.",
      [](const ChainScorer& self, const ChainQuery& q) {
        const auto width = static_cast<std::size_t>(self.labels());
        std::vector<double> out(tokens_of(q) * width), log_z(sentences_of(q));
        run([&] { self.marginals(q, out.data(), log_z.data()); });
        return nb::make_tuple(to_numpy(std::move(out), width), to_numpy<double>(std::move(log_z)));
      },
      Types<>());
  question(
      scorer, "entropy", "The entropy of every sentence's outputs, in nats.",
      [](const ChainScorer& self, const ChainQuery& q) {
        std::vector<double> out(sentences_of(q));
        run([&] { self.entropies(q, out.data()); });
        return to_numpy<double>(std::move(out));
      },
      Types<>());
  question(
      scorer, "kbest", "For every sentence scores (at most k, best first) and labels.",
      [](const ChainScorer& self, const ChainQuery& q, Id k) {
        std::vector<SentenceOutputs> out;
        run([&] { self.kbest(q, k, out); });
        return to_list(std::move(out), q.input.offsets(), true);
      },
      Types<Id>(), nb::arg("k"));
  question(
      scorer, "sample", "For every sentence so many exact samples of its labels.",
      [](const ChainScorer& self, const ChainQuery& q, Id count, std::uint64_t seed) {
        std::vector<SentenceOutputs> out;
        run([&] { self.sample(q, count, seed, out); });
        return to_list(std::move(out), q.input.offsets(), false);
      },
      Types<Id, std::uint64_t>(), nb::arg("count"), nb::arg("seed"));
  question(
      scorer, "scores_of", "The score of every sentence's given labels; -inf: not allowed.",
      [](const ChainScorer& self, const ChainQuery& q, Array<const Id> labels) {
        std::vector<double> out(sentences_of(q));
        run([&] { self.scores_of(q, view(labels), out.data()); });
        return to_numpy<double>(std::move(out));
      },
      Types<Array<const Id>>(), nb::arg("labels"));
}

}  // namespace linnet::bind
