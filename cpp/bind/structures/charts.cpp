#include <nanobind/stl/shared_ptr.h>

#include "bind/structures/structure.hpp"
#include "linnet/data/chart_data.hpp"
#include "linnet/inference/minimum_risk.hpp"

namespace linnet::bind {
namespace {

using GrammarPointer = std::shared_ptr<const ChartGrammar>;
using Known = std::vector<std::array<Id, 3>>;

std::shared_ptr<ChartGrammar> make_grammar(Id symbols, Id start, Id chains, std::vector<Id> tagged,
                                           std::vector<Id> label, std::vector<bool> counts,
                                           Matrix<const Id> binary, Matrix<const Id> unary) {
  if (binary.shape(1) != 3 || unary.shape(1) != 2)
    throw std::invalid_argument("binary rules are rows of 3, unary ones of 2");
  std::vector<BinaryRule> pairs;
  for (std::size_t r = 0; r < binary.shape(0); ++r)
    pairs.push_back({binary(r, 0), binary(r, 1), binary(r, 2)});
  std::vector<UnaryRule> singles;
  for (std::size_t r = 0; r < unary.shape(0); ++r) singles.push_back({unary(r, 0), unary(r, 1)});
  return std::make_shared<ChartGrammar>(symbols, start, chains, std::move(tagged), std::move(label),
                                        std::vector<std::uint8_t>(counts.begin(), counts.end()),
                                        std::move(pairs), std::move(singles));
}
ChartParts make_parts(const std::shared_ptr<ChartGrammar>& grammar, Id length, bool spans,
                      const Known& known) {
  if (length < 1) throw std::invalid_argument("sizes must be at least 1");
  if (!ChartParts::fits(*grammar, length))
    throw std::invalid_argument("the structure is too large: it would have more than 2^31 parts");
  ChartParts parts{grammar, length, spans, {}};
  for (const auto& [begin, end, label] : known) {
    if (begin < 0 || begin >= end || end > length || label < 0 || label >= grammar->labels())
      throw std::invalid_argument("a known phrase is out of range");
    parts.known.push_back({begin, end, label});
  }
  return parts;
}
ChartForest make_forest(std::shared_ptr<ChartGrammar> grammar, Id length, bool spans, Known known) {
  const ChartParts parts = make_parts(grammar, length, spans, known);
  return ChartForest(parts, std::vector<double>(static_cast<std::size_t>(parts.num_parts())));
}

}  // namespace

void charts(nb::module_& m) {
  nb::class_<ChartGrammar>(m, "ChartGrammar", "Symbols and rules as charts use them.")
      .def(nb::new_(&make_grammar), nb::arg("symbols"), nb::arg("start"), nb::arg("chains"),
           nb::arg("tagged"), nb::arg("label"), nb::arg("counts"), nb::arg("binary"),
           nb::arg("unary"))
      .def_prop_ro("tags", &ChartGrammar::tags)
      .def_prop_ro("labels", &ChartGrammar::labels)
      .def_ro("chains", &ChartGrammar::chains);

  bind_structure(m, "ChartForest", &make_forest, nb::arg("grammar"), nb::arg("length"),
                 nb::arg("spans") = false, nb::arg("known") = Known());
  nb::class_<ChartOracle, Oracle>(m, "ChartOracle", "Trees of a grammar by the fast kernel.")
      .def(
          "__init__",
          [](ChartOracle* self, std::shared_ptr<ChartGrammar> grammar, Id length, bool spans,
             Known known) { new (self) ChartOracle(make_parts(grammar, length, spans, known)); },
          nb::arg("grammar"), nb::arg("length"), nb::arg("spans") = false,
          nb::arg("known") = Known())
      .def(
          "best_through",
          [](const ChartOracle& self, Vector theta) {
            check_size(self, theta.shape(0), "theta");
            std::vector<double> scores(theta.shape(0), -kInf);
            ChartKernel<MaxPlus> kernel;
            kernel.inside(self.chart(), view(theta));
            if (kernel.best() > -kInf) kernel.outside(scores);
            return to_numpy<double>(std::move(scores));
          },
          nb::arg("theta"), "For every part the score of the best output that holds it.")
      .def(
          "kernel",
          [](const ChartOracle& self, const std::string& ring, Vector theta) {
            check_size(self, theta.shape(0), "theta");
            std::vector<double> mu(theta.shape(0));
            double value = kNaN;
            bool done;
            if (ring == "max")
              done = ChartKernel<MaxPlus>().solve(self.chart(), view(theta), mu, value);
            else
              done = ChartKernel<SumProduct>().solve(self.chart(), view(theta), mu, value);
            if (!done) value = kNaN;
            return nb::make_tuple(value, to_numpy<double>(std::move(mu)));
          },
          nb::arg("ring"), nb::arg("theta"), "By the kernel alone; NaN: out of its range.")
      .def(
          "minimum_risk",
          [](const ChartOracle& self, Vector theta) {
            check_size(self, theta.shape(0), "theta");
            std::vector<double> best(theta.shape(0));
            OracleWork work;
            const double value = minimum_risk(self, view(theta), best, work);
            return nb::make_tuple(value, to_numpy<double>(std::move(best)));
          },
          nb::arg("theta"), "The most expected tags and phrases, and how many they are.");

  nb::class_<ChartData, Dataset>(m, "ChartData", "Sentences with trees of a grammar.")
      .def(
          "__init__",
          [](ChartData* self, const Rows& rows, Array<const Index> offsets,
             std::shared_ptr<ChartGrammar> grammar, Array<const Id> tags, Array<const Index> starts,
             Array<const Id> rules, Array<const Id> begins, Array<const Id> ends,
             Array<const std::uint8_t> hidden, Array<const Index> known_starts,
             Array<const Id> known_begins, Array<const Id> known_ends, Array<const Id> known_labels,
             Array<const double> weights, const Rows* spans) {
            const ChartGold gold{view(tags),         view(starts),       view(rules),
                                 view(begins),       view(ends),         view(hidden),
                                 view(known_starts), view(known_begins), view(known_ends),
                                 view(known_labels)};
            new (self) ChartData(rows, view(offsets), grammar, gold, view(weights), spans);
          },
          nb::arg("rows"), in_place("offsets"), nb::arg("grammar"), in_place("tags"),
          in_place("starts"), in_place("rules"), in_place("begins"), in_place("ends"),
          in_place("hidden"), in_place("known_starts"), in_place("known_begins"),
          in_place("known_ends"), in_place("known_labels"), in_place("weights"),
          nb::arg("spans").none() = nb::none(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
          nb::keep_alive<1, 5>(), nb::keep_alive<1, 6>(), nb::keep_alive<1, 7>(),
          nb::keep_alive<1, 8>(), nb::keep_alive<1, 9>(), nb::keep_alive<1, 10>(),
          nb::keep_alive<1, 11>(), nb::keep_alive<1, 12>(), nb::keep_alive<1, 13>(),
          nb::keep_alive<1, 14>(), nb::keep_alive<1, 15>(), nb::keep_alive<1, 16>());
}

}  // namespace linnet::bind
