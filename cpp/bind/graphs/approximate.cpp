#include <nanobind/stl/tuple.h>

#include <memory>
#include <tuple>

#include "bind/bind.hpp"
#include "linnet/graphs/belief_propagation.hpp"
#include "linnet/graphs/cut.hpp"

namespace linnet::bind {
namespace {

// A graph of its own, since messages refer to it.
class Beliefs {
 public:
  Beliefs(Array<const Id> sizes, Array<const Index> starts, Array<const Id> members,
          Array<const double> entries, bool maximise) {
    scopes_.sizes.assign(view(sizes).begin(), view(sizes).end());
    scopes_.starts.assign(view(starts).begin(), view(starts).end());
    scopes_.members.assign(view(members).begin(), view(members).end());
    scopes_.check();
    offsets_.push_back(0);
    for (Index f = 0; f < scopes_.factors(); ++f)
      offsets_.push_back(offsets_.back() + scopes_.entries(f));
    if (static_cast<Index>(entries.shape(0)) != offsets_.back())
      throw std::invalid_argument("the entries do not fit the factors");
    entries_.assign(view(entries).begin(), view(entries).end());
    messages_ = std::make_unique<BeliefPropagation>(scopes_, offsets_, entries_, maximise);
  }
  std::tuple<bool, Index, double> run(const std::string& schedule, Index max_rounds,
                                      double tolerance, double damping) {
    const auto chosen = named<Schedule>("schedule", schedule,
                                        {{"flooding", Schedule::flooding},
                                         {"sequential", Schedule::sequential},
                                         {"residual", Schedule::residual}});
    const PropagationResult r = messages_->run(chosen, max_rounds, tolerance, damping);
    return {r.settled, r.rounds, r.change};
  }
  std::vector<double> variables() const {
    std::vector<double> out;
    for (Id v = 0; v < scopes_.variables(); ++v) {
      const auto begin = static_cast<std::ptrdiff_t>(out.size());
      out.resize(out.size() + static_cast<std::size_t>(scopes_.sizes[v]));
      messages_->variable(v, std::span<double>(out.begin() + begin, out.end()));
    }
    return out;
  }
  std::vector<double> factors() const {
    std::vector<double> out(entries_.size());
    for (Index f = 0; f < scopes_.factors(); ++f)
      messages_->factor(
          f, std::span<double>(out).subspan(static_cast<std::size_t>(offsets_[f]),
                                            static_cast<std::size_t>(scopes_.entries(f))));
    return out;
  }
  double bethe() const { return messages_->bethe(); }

 private:
  Scopes scopes_;
  std::vector<Index> offsets_;
  std::vector<double> entries_;
  std::unique_ptr<BeliefPropagation> messages_;
};

template <class Work>
NumPy<double> without_gil(Work&& work) {
  std::vector<double> out;
  {
    nb::gil_scoped_release nogil;
    out = work();
  }
  return to_numpy<double>(std::move(out));
}

// The sides of a minimum cut: terminal costs of nodes, and what it costs each pair (u, v) that u is
// 0 and v is 1.
NumPy<Id> minimum_cut(Array<const double> terminals, Matrix<const Id> pairs,
                      Array<const double> costs) {
  const auto nodes = static_cast<Id>(terminals.shape(0));
  if (pairs.shape(1) != 2 || pairs.shape(0) != costs.shape(0))
    throw std::invalid_argument("there must be a cost for each pair of variables");
  std::vector<Id> sides;
  {
    nb::gil_scoped_release nogil;
    Cut cut(nodes);
    for (Id v = 0; v < nodes; ++v) cut.terminal(v, terminals.data()[v]);
    for (std::size_t e = 0; e < costs.shape(0); ++e) {
      const Id u = pairs.data()[2 * e], v = pairs.data()[2 * e + 1];
      if (u < 0 || v < 0 || u >= nodes || v >= nodes || u == v || !(costs.data()[e] >= 0))
        throw std::invalid_argument("a pair is out of range, or its cost is negative");
      cut.edge(u, v, costs.data()[e], 0);
    }
    cut.solve(sides);
  }
  return to_numpy<Id>(std::move(sides));
}

}  // namespace

void approximate(nb::module_& m) {
  nb::class_<Beliefs>(m, "Beliefs", "Belief propagation: exact on trees alone.")
      .def(nb::init<Array<const Id>, Array<const Index>, Array<const Id>, Array<const double>,
                    bool>(),
           nb::arg("sizes"), nb::arg("starts"), nb::arg("members"), nb::arg("entries"),
           nb::arg("maximise") = false)
      .def("run", &Beliefs::run, nb::arg("schedule"), nb::arg("max_rounds"), nb::arg("tolerance"),
           nb::arg("damping") = 0.0, NoGil(),
           "Whether messages settled, after how many rounds, and the last change.")
      .def("variables",
           [](const Beliefs& self) { return without_gil([&] { return self.variables(); }); })
      .def("factors",
           [](const Beliefs& self) { return without_gil([&] { return self.factors(); }); })
      .def_prop_ro("bethe", &Beliefs::bethe, NoGil(), "Bethe's approximation of log Z.");
  m.def("minimum_cut", &minimum_cut, nb::arg("terminals"), nb::arg("pairs"), nb::arg("costs"));
}

}  // namespace linnet::bind
