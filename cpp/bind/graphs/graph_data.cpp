#include "linnet/data/graph_data.hpp"

#include "bind/graphs/graphs.hpp"
#include "linnet/base/told.hpp"

namespace linnet::bind {
namespace {

// (name, rows, shape, starts, scopes) of a template; the caller keeps the arrays alive.
GraphTemplate template_of(nb::handle given) {
  const auto t = nb::cast<nb::tuple>(given);
  return {nb::cast<std::string>(t[0]), nb::cast<const Rows*>(t[1]), nb::cast<std::vector<Id>>(t[2]),
          view(nb::cast<Array<const Index>>(t[3])), view(nb::cast<Array<const Id>>(t[4]))};
}

std::string message(const GraphTooLarge& large) {
  constexpr std::size_t shown = 8;
  const auto& [entries, largest, blamed] = large.tables;
  std::string text = "graph " + std::to_string(large.graph) + ": exact sums would need tables of " +
                     told(entries) + " entries, " + told(largest) + " in the largest alone, over " +
                     std::to_string(blamed.size()) + " of its variables, by number:";
  for (std::size_t k = 0; k < std::min(shown, blamed.size()); ++k)
    text += (k ? ", " : " ") + std::to_string(blamed[k]);
  if (blamed.size() > shown) text += " and " + std::to_string(blamed.size() - shown) + " more";
  return text + "; give more values, raise max_entries, use inference='loopy', or fewer cycles";
}

}  // namespace

void graph_data(nb::module_& m) {
  nb::class_<GraphData, Dataset>(m, "GraphData", "Factor graphs with tied weights.")
      .def(
          "__init__",
          [](GraphData* self, nb::tuple templates, Array<const Index> offsets,
             Array<const Id> sizes, Array<const Id> gold, Array<const std::uint8_t> given,
             Array<const double> weights, double limit, std::optional<std::string> schedule,
             Index rounds, double tolerance, double damping) {
            std::vector<GraphTemplate> kinds;
            for (nb::handle t : templates) kinds.push_back(template_of(t));
            std::optional<LoopyRules> loopy;
            if (schedule)
              loopy = LoopyRules{named<Schedule>("schedule", *schedule,
                                                 {{"flooding", Schedule::flooding},
                                                  {"sequential", Schedule::sequential},
                                                  {"residual", Schedule::residual}}),
                                 rounds, tolerance, damping};
            try {
              nb::gil_scoped_release nogil;
              new (self) GraphData(std::move(kinds), view(offsets), view(sizes), view(gold),
                                   view(given), view(weights), loopy, limit);
            } catch (const GraphTooLarge& large) {
              throw std::invalid_argument(message(large));
            }
          },
          nb::arg("templates"), in_place("offsets"), in_place("sizes"), in_place("gold"),
          in_place("given"), in_place("weights"), nb::arg("limit"),
          nb::arg("schedule").none() = nb::none(), nb::arg("rounds") = 50,
          nb::arg("tolerance") = 1e-6, nb::arg("damping") = 0.0, nb::keep_alive<1, 2>(),
          nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(),
          nb::keep_alive<1, 6>(), nb::keep_alive<1, 7>(),
          "templates: (name, rows, shape, starts, scopes) each. schedule: of belief propagation; "
          "exact without.");
}

}  // namespace linnet::bind
