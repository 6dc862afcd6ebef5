#include "bind/graphs/graphs.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>

#include "linnet/graphs/graph_oracle.hpp"
#include "linnet/inference/entropy.hpp"

namespace linnet::bind {
namespace {

using Shape = std::shared_ptr<GraphShape>;

Scopes scopes_of(Array<const Id> sizes, Array<const Index> starts, Array<const Id> members) {
  Scopes scopes;
  scopes.sizes.assign(view(sizes).begin(), view(sizes).end());
  scopes.starts.assign(view(starts).begin(), view(starts).end());
  scopes.members.assign(view(members).begin(), view(members).end());
  scopes.check();
  return scopes;
}

nb::object shape(Array<const Id> sizes, Array<const Index> starts, Array<const Id> members,
                 std::optional<Array<const Id>> observed, double limit) {
  Scopes scopes = scopes_of(sizes, starts, members);
  std::vector<Id> seen(view(observed).begin(), view(observed).end());
  if (!seen.empty() && seen.size() != scopes.sizes.size())
    throw std::invalid_argument("observed must hold a value, or -1, for each variable");
  for (std::size_t v = 0; v < seen.size(); ++v)
    if (seen[v] < -1 || seen[v] >= scopes.sizes[v])
      throw std::invalid_argument("observed names a value that there is not");
  Shape made;
  try {
    nb::gil_scoped_release nogil;
    made = std::make_shared<GraphShape>(std::move(scopes), std::move(seen), limit);
  } catch (const TooLarge& large) {
    return nb::make_tuple(large.entries, large.largest, nb::cast(large.blamed));
  }
  return nb::cast(made);
}

// Sums and maxima of one graph, computed when they are asked for.
class GraphAnswers {
 public:
  GraphAnswers(Shape shape, Array<const double> entries, bool logs) : shape_(std::move(shape)) {
    if (static_cast<Index>(entries.shape(0)) != shape_->starts.back())
      throw std::invalid_argument("there must be " + std::to_string(shape_->starts.back()) +
                                  " entries of factors");
    entries_.assign(view(entries).begin(), view(entries).end());
    logs_given_ = logs;
    calibration_.use(shape_->tree);
  }
  double log_z() {
    if (state_ == State::nothing || state_ == State::best) {
      double lost = 0, shift = 0;
      if (logs_given_) shift = to_potentials(entries_, shape_->starts, potential_, lost);
      const auto& given = logs_given_ ? potential_ : entries_;
      space_ = Space::scaled;
      log_z_ = calibration_.collect(space_, given, shape_->starts, lost) + shift;
      if (std::isnan(log_z_)) {
        space_ = Space::log;
        log_z_ = calibration_.collect(space_, logs(), shape_->starts);
      }
      state_ = State::collected;
    }
    return log_z_;
  }
  bool scaled() {
    log_z();
    return space_ == Space::scaled;
  }
  void marginals() {
    if (log_z() == -kInf) throw std::invalid_argument("no assignment is possible");
    if (state_ == State::collected) calibration_.distribute();
    state_ = State::distributed;
  }
  std::vector<double> variables() {
    marginals();
    std::vector<double> out;
    for (Id v = 0; v < shape_->scopes.variables(); ++v) {
      const auto begin = static_cast<std::ptrdiff_t>(out.size());
      out.resize(out.size() + static_cast<std::size_t>(shape_->scopes.sizes[v]));
      const Id seen = shape_->observed.empty() ? -1 : shape_->observed[v];
      if (seen >= 0)
        out[static_cast<std::size_t>(begin + seen)] = 1;
      else
        calibration_.variable(v, std::span<double>(out.begin() + begin, out.end()));
    }
    return out;
  }
  std::vector<double> factors() {
    marginals();
    std::vector<double> out(entries_.size());
    for (Index f = 0; f < shape_->scopes.factors(); ++f)
      calibration_.factor(
          f, std::span<double>(out).subspan(static_cast<std::size_t>(shape_->starts[f]),
                                            static_cast<std::size_t>(shape_->scopes.entries(f))));
    return out;
  }
  std::vector<double> clique(Index c) {
    if (c < 0 || c >= std::ssize(shape_->tree.cliques())) throw nb::index_error();
    marginals();
    const auto table = calibration_.table(static_cast<std::size_t>(c));
    std::vector<double> out(table.begin(), table.end());
    if (space_ == Space::log)
      for (double& x : out) x = exp(x);
    return out;
  }
  std::pair<double, std::vector<Id>> best() {
    state_ = State::best;
    const double value = calibration_.collect(Space::max, logs(), shape_->starts);
    std::vector<Id> values;
    if (value > -kInf) best_values(*shape_, calibration_, values);
    return {value, std::move(values)};
  }
  std::vector<Id> samples(Index count, std::uint64_t seed) {
    if (count < 0) throw std::invalid_argument("the number of samples must not be negative");
    if (state_ == State::distributed) state_ = State::nothing;
    if (log_z() == -kInf) throw std::invalid_argument("no assignment is possible");
    Rng rng(seed);
    std::vector<Id> out, values;
    for (Index i = 0; i < count; ++i) {
      draw_values(*shape_, calibration_, space_ == Space::log, rng, values);
      out.insert(out.end(), values.begin(), values.end());
    }
    return out;
  }
  double entropy() {
    const double log_z = this->log_z();
    const std::vector<double> mu = factors();
    return linnet::entropy(log_z, logs(), mu);
  }
  std::vector<std::pair<double, std::vector<Id>>> kbest(Id k) {
    if (k < 1) throw std::invalid_argument("k must be at least 1");
    const OracleOf<JunctionSweep> oracle{JunctionSweep(shape_)};
    std::vector<std::pair<double, std::vector<Id>>> found;
    for (const Output& output : oracle.best_outputs(logs(), k)) {
      std::vector<Id> values(shape_->observed.begin(), shape_->observed.end());
      values.resize(shape_->scopes.sizes.size(), -1);
      for (Id part : output.parts) read_part(part, values);
      found.emplace_back(output.score, std::move(values));
    }
    return found;
  }

 private:
  enum class State { nothing, collected, distributed, best };
  const std::vector<double>& logs() {
    if (logs_given_) return entries_;
    if (logs_.empty()) {
      logs_.reserve(entries_.size());
      for (double x : entries_) logs_.push_back(std::log(x));
    }
    return logs_;
  }
  void read_part(Id part, std::vector<Id>& values) const {
    const Index f = std::upper_bound(shape_->starts.begin(), shape_->starts.end(), part) -
                    shape_->starts.begin() - 1;
    Index at = part - shape_->starts[f];
    const auto scope = shape_->scopes.of(f);
    for (std::size_t k = scope.size(); k-- > 0;) {
      const Id size = shape_->scopes.sizes[scope[k]];
      values[scope[k]] = static_cast<Id>(at % size);
      at /= size;
    }
  }

  Shape shape_;
  std::vector<double> entries_, potential_, logs_;
  bool logs_given_ = false;
  Calibration calibration_;
  Space space_ = Space::scaled;
  State state_ = State::nothing;
  double log_z_ = 0;
};

}  // namespace

void graphs(nb::module_& m) {
  nb::class_<GraphShape>(m, "GraphShape", "The scopes of factors, and a junction tree over them.")
      .def_prop_ro(
          "entries", [](const GraphShape& s) { return s.tree.entries(); },
          "Of the tables of all cliques.")
      .def_prop_ro(
          "largest", [](const GraphShape& s) { return s.tree.largest(); },
          "Entries of the largest table.")
      .def_prop_ro(
          "rule", [](const GraphShape& s) { return s.tree.rule(); },
          "The rule that found the order.")
      .def_prop_ro(
          "cliques",
          [](const GraphShape& s) {
            std::vector<std::vector<Id>> found;
            for (const Clique& c : s.tree.cliques()) found.push_back(c.scope);
            return found;
          },
          "The variables of each clique, in the order of its table.")
      .def_prop_ro(
          "parents",
          [](const GraphShape& s) {
            std::vector<Id> found;
            for (const Clique& c : s.tree.cliques()) found.push_back(c.parent);
            return found;
          },
          "Of each clique, a later one, or -1.");
  m.def("graph_shape", &shape, nb::arg("sizes"), nb::arg("starts"), nb::arg("members"),
        nb::arg("observed").none() = nb::none(), nb::arg("limit") = 1e300,
        "A GraphShape; or, if its tables would have more entries than `limit`, how many these are, "
        "those of the largest, and its variables.");

  nb::class_<GraphAnswers>(m, "GraphAnswers", "Sums and maxima over the assignments of a graph.")
      .def(nb::init<Shape, Array<const double>, bool>(), nb::arg("shape"), nb::arg("entries"),
           nb::arg("logs") = false)
      .def_prop_ro("log_z", &GraphAnswers::log_z, NoGil())
      .def_prop_ro("scaled", &GraphAnswers::scaled, NoGil(),
                   "Were probabilities within the range of numbers? Else logarithms were summed.")
      .def(
          "variables",
          [](GraphAnswers& self) {
            std::vector<double> out;
            {
              nb::gil_scoped_release nogil;
              out = self.variables();
            }
            return to_numpy<double>(std::move(out));
          },
          "Marginals of all variables, one after the other.")
      .def(
          "factors",
          [](GraphAnswers& self) {
            std::vector<double> out;
            {
              nb::gil_scoped_release nogil;
              out = self.factors();
            }
            return to_numpy<double>(std::move(out));
          },
          "Marginals of the entries of all factors.")
      .def(
          "clique",
          [](GraphAnswers& self, Index c) {
            std::vector<double> out;
            {
              nb::gil_scoped_release nogil;
              out = self.clique(c);
            }
            return to_numpy<double>(std::move(out));
          },
          nb::arg("clique"), "The marginals of a clique.")
      .def("best", &GraphAnswers::best, NoGil(), "The best score, and values of all variables.")
      .def("kbest", &GraphAnswers::kbest, nb::arg("k"), NoGil())
      .def("entropy", &GraphAnswers::entropy, NoGil())
      .def(
          "samples",
          [](GraphAnswers& self, Index count, std::uint64_t seed) {
            std::vector<Id> out;
            {
              nb::gil_scoped_release nogil;
              out = self.samples(count, seed);
            }
            return to_numpy<Id>(std::move(out));
          },
          nb::arg("count"), nb::arg("seed") = 0, "Values of all variables, sample after sample.");

  nb::class_<GraphOracle, Oracle>(m, "GraphOracle", "A factor graph by its junction tree.")
      .def(
          "__init__", [](GraphOracle* self, Shape shape) { new (self) GraphOracle(shape); },
          nb::arg("shape"));
  nb::class_<OracleOf<JunctionSweep>, Oracle>(m, "GraphSweep",
                                              "The same by the generic recursions.")
      .def(
          "__init__",
          [](OracleOf<JunctionSweep>* self, Shape shape) {
            new (self) OracleOf<JunctionSweep>(JunctionSweep(shape));
          },
          nb::arg("shape"));
  graph_data(m);
}

}  // namespace linnet::bind
