#include "bind/decoding/scorer_arguments.hpp"
#include "linnet/decoding/segment_scorer.hpp"

namespace linnet::bind {
namespace {

std::size_t tokens_of(const TokenInput& input) { return static_cast<std::size_t>(input.tokens()); }
std::size_t sentences_of(const TokenInput& input) {
  return static_cast<std::size_t>(input.sentences());
}

void bind_data(nb::module_& m) {
  nb::class_<SegmentData, Dataset>(m, "SegmentData",
                                   "Sentences cut into segments: rows of token features, offsets, "
                                   "codes (0 outside, y first, types + y inside).")
      .def(
          "__init__",
          [](SegmentData* self, const Rows& rows, Array<const Index> offsets, Array<const Id> codes,
             Id types, Id lengths, Id longest, std::optional<Array<const double>> weights) {
            new (self) SegmentData(rows, view(offsets), view(codes), types, lengths, longest,
                                   view(weights));
          },
          nb::arg("rows"), in_place("offsets"), in_place("codes"), nb::arg("types"),
          nb::arg("lengths"), nb::arg("longest") = 0, in_place("weights").none() = nb::none(),
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(),
          nb::keep_alive<1, 8>());
}

}  // namespace

void segments(nb::module_& m) {
  bind_data(m);
  nb::class_<SegmentScorer>(m, "SegmentScorer",
                            "A tagger by segments: sparse rows of (column, weight) for tokens, row "
                            "0 the constant feature; lengths; transitions.")
      .def(
          "__init__",
          [](SegmentScorer* self, Id types, Id longest, Array<const Index> starts,
             Array<const Id> column_ids, Stored weights, Scores lengths, Scores transitions,
             Scores scales) {
            nb::gil_scoped_release nogil;
            const Id columns = SemiMarkov{1, std::clamp(types, 0, 1 << 20), 1}.columns();
            new (self) SegmentScorer(
                label_weights(columns, view(starts), view(column_ids), weights, flat(scales)),
                types, longest, flat(lengths), flat(transitions));
          },
          nb::arg("types"), nb::arg("longest"), in_place("starts"), in_place("column_ids"),
          in_place("weights"), nb::arg("lengths"), nb::arg("transitions"),
          in_place("scales").none() = nb::none(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(),
          nb::keep_alive<1, 6>(), nb::keep_alive<1, 9>())
      .def_prop_ro("types", &SegmentScorer::types)
      .def_prop_ro("features", &SegmentScorer::features)
      .def(
          "best",
          [](const SegmentScorer& self, const TokenInput& input, int threads) {
            std::vector<Id> codes(tokens_of(input));
            std::vector<double> scores(sentences_of(input));
            run([&] { self.best(input, threads, codes.data(), scores.data()); });
            return nb::make_tuple(to_numpy<Id>(std::move(codes)),
                                  to_numpy<double>(std::move(scores)));
          },
          nb::arg("input"), nb::arg("threads") = 1,
          "The best code of every token and the score of every sentence.")
      .def(
          "marginals",
          [](const SegmentScorer& self, const TokenInput& input, int threads) {
            const auto width = static_cast<std::size_t>(self.marginal_columns());
            std::vector<double> out(tokens_of(input) * width), log_z(sentences_of(input));
            run([&] { self.marginals(input, threads, out.data(), log_z.data()); });
            return nb::make_tuple(to_numpy(std::move(out), width),
                                  to_numpy<double>(std::move(log_z)));
          },
          nb::arg("input"), nb::arg("threads") = 1,
          "Probabilities of each token to be outside; then, for each type, to be first in a "
          "segment, inside one, last, first and last, first right after another of the type. And "
          "log Z of every sentence.")
      .def(
          "entropy",
          [](const SegmentScorer& self, const TokenInput& input, int threads) {
            std::vector<double> out(sentences_of(input));
            run([&] { self.entropies(input, threads, out.data()); });
            return to_numpy<double>(std::move(out));
          },
          nb::arg("input"), nb::arg("threads") = 1)
      .def(
          "kbest",
          [](const SegmentScorer& self, const TokenInput& input, Id k, int threads) {
            std::vector<SentenceOutputs> out;
            run([&] { self.kbest(input, threads, k, out); });
            return to_list(std::move(out), input.offsets(), true);
          },
          nb::arg("input"), nb::arg("k"), nb::arg("threads") = 1,
          "For every sentence scores (at most k, best first) and codes.")
      .def(
          "sample",
          [](const SegmentScorer& self, const TokenInput& input, Id count, std::uint64_t seed,
             int threads) {
            std::vector<SentenceOutputs> out;
            run([&] { self.sample(input, threads, count, seed, out); });
            return to_list(std::move(out), input.offsets(), false);
          },
          nb::arg("input"), nb::arg("count"), nb::arg("seed"), nb::arg("threads") = 1)
      .def(
          "scores_of",
          [](const SegmentScorer& self, const TokenInput& input, Array<const Id> codes,
             int threads) {
            std::vector<double> out(sentences_of(input));
            run([&] { self.scores_of(input, threads, view(codes), out.data()); });
            return to_numpy<double>(std::move(out));
          },
          nb::arg("input"), nb::arg("codes"), nb::arg("threads") = 1);
}

}  // namespace linnet::bind
