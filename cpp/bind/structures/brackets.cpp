#include "bind/structures/structure.hpp"
#include "linnet/structures/brackets/bracketing_kernel.hpp"

namespace linnet::bind {
namespace {

using Spans = std::vector<std::pair<Id, Id>>;

Bracketing make_bracketing(Id words, Id labels, bool whole, Spans wanted) {
  if (words < 1 || labels < 1)
    throw std::invalid_argument("there must be at least one word and one label");
  if (!Bracketing::fits(words, labels))
    throw std::invalid_argument("a sentence of " + std::to_string(words) + " words has too many " +
                                "spans with " + std::to_string(labels) + " labels");
  return {words, labels, whole, SpanDemands(words, wanted)};
}

}  // namespace

void brackets(nb::module_& m) {
  bind_structure(m, "Bracketing", &make_bracketing, nb::arg("words"), nb::arg("labels"),
                 nb::arg("whole") = true, nb::arg("wanted") = Spans());
  nb::class_<BracketingOracle, Oracle>(m, "BracketingOracle",
                                       "Trees of labelled brackets by the hand-tuned kernel.")
      .def(
          "__init__",
          [](BracketingOracle* self, Id words, Id labels, bool whole, Spans wanted) {
            new (self) BracketingOracle(make_bracketing(words, labels, whole, std::move(wanted)));
          },
          nb::arg("words"), nb::arg("labels"), nb::arg("whole") = true,
          nb::arg("wanted") = Spans());
  m.def(
      "bracket_outside",
      [](Id words, bool whole, Spans wanted, Vector scores) {
        const Bracketing trees = make_bracketing(words, 1, whole, std::move(wanted));
        check_size(OracleOf<Bracketing>(trees), scores.shape(0), "scores");
        BracketChart chart;
        chart.enter(trees);
        std::vector<double> through;
        for (Id i = 0, p = 0; i < words; ++i)
          for (Id j = i + 1; j <= words; ++j) chart.label(i, j) = scores.data()[p++];
        chart.best();
        chart.best_outside();
        for (Id i = 0; i < words; ++i)
          for (Id j = i + 1; j <= words; ++j) through.push_back(chart.through(i, j));
        return to_numpy<double>(std::move(through));
      },
      nb::arg("words"), nb::arg("whole"), nb::arg("wanted"), nb::arg("scores"),
      "Of each span, with one label, the score of the best tree that has it.");
}

}  // namespace linnet::bind
