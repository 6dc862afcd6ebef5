#include "bind.hpp"
#include "linnet/data/chain_decode.hpp"

namespace linnet::bind {
namespace {

using Weights = std::optional<Array<const double>>;
using Allowed = std::optional<nb::ndarray<const bool, nb::c_contig, nb::device::cpu>>;

Mask mask_of(const Allowed& a) {
  if (!a) return {};
  return {reinterpret_cast<const std::uint8_t*>(a->data()), a->size()};
}
ChainRules rules_of(const Allowed& transitions, const Allowed& start, const Allowed& stop,
                    const Allowed& tokens) {
  return {mask_of(transitions), mask_of(start), mask_of(stop), mask_of(tokens)};
}

// The part of every decoding call that is the same; `work` is called without the GIL.
template <class Real, class Work>
void with_decoder(const Rows& rows, const Array<const Real>& weights,
                  const Array<const Index>& offsets, Id labels, bool ends, const ChainRules& rules,
                  Work&& work) {
  bool done;
  {
    nb::gil_scoped_release nogil;
    const ChainDecoder<Real> decoder(rows, view(offsets), view(weights), labels, ends, rules);
    done = work(decoder);
  }
  if (done) return;
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw nb::python_error();
}

template <class Real>
void bind_decoding(nb::module_& m) {
  m.def(
      "chain_decode",
      [](const Rows& rows, Array<const Real> weights, Array<const Index> offsets, Id labels,
         bool ends, int threads, Allowed transitions, Allowed start, Allowed stop, Allowed tokens) {
        std::vector<Id> best(static_cast<std::size_t>(rows.size()));
        std::vector<double> scores(std::max<std::size_t>(offsets.shape(0), 1) - 1);
        with_decoder<Real>(
            rows, weights, offsets, labels, ends, rules_of(transitions, start, stop, tokens),
            [&](const auto& decoder) { return decoder.best(threads, best.data(), scores.data()); });
        return nb::make_tuple(to_numpy<Id>(std::move(best)), to_numpy<double>(std::move(scores)));
      },
      nb::arg("rows"), nb::arg("weights"), nb::arg("offsets"), nb::arg("labels"),
      nb::arg("ends") = false, nb::arg("threads") = 1, nb::arg("transitions") = nb::none(),
      nb::arg("start") = nb::none(), nb::arg("stop") = nb::none(), nb::arg("tokens") = nb::none(),
      "The best label of every token and the score of every sentence; masks say what is allowed.");
  m.def(
      "chain_marginals",
      [](const Rows& rows, Array<const Real> weights, Array<const Index> offsets, Id labels,
         bool ends, int threads, Allowed transitions, Allowed start, Allowed stop, Allowed tokens) {
        const auto columns = static_cast<std::size_t>(std::max<Id>(labels, 1));
        std::vector<double> out(static_cast<std::size_t>(rows.size()) * columns);
        std::vector<double> log_z(std::max<std::size_t>(offsets.shape(0), 1) - 1);
        with_decoder<Real>(rows, weights, offsets, labels, ends,
                           rules_of(transitions, start, stop, tokens), [&](const auto& decoder) {
                             return decoder.marginals(threads, out.data(), log_z.data());
                           });
        return nb::make_tuple(to_numpy(std::move(out), columns),
                              to_numpy<double>(std::move(log_z)));
      },
      nb::arg("rows"), nb::arg("weights"), nb::arg("offsets"), nb::arg("labels"),
      nb::arg("ends") = false, nb::arg("threads") = 1, nb::arg("transitions") = nb::none(),
      nb::arg("start") = nb::none(), nb::arg("stop") = nb::none(), nb::arg("tokens") = nb::none(),
      "P(label at token), (tokens, labels), and log Z of every sentence.");
  m.def(
      "chain_kbest",
      [](const Rows& rows, Array<const Real> weights, Array<const Index> offsets, Id labels, Id k,
         bool ends, int threads, Allowed transitions, Allowed start, Allowed stop, Allowed tokens) {
        std::vector<typename ChainDecoder<Real>::Ranked> ranked;
        with_decoder<Real>(rows, weights, offsets, labels, ends,
                           rules_of(transitions, start, stop, tokens),
                           [&](const auto& decoder) { return decoder.kbest(threads, k, ranked); });
        nb::list result;
        for (auto& r : ranked) {
          const std::size_t n = r.scores.size();
          const std::size_t length = n == 0 ? 1 : std::max<std::size_t>(r.labels.size() / n, 1);
          result.append(nb::make_tuple(to_numpy<double>(std::move(r.scores)),
                                       to_numpy(std::move(r.labels), length)));
        }
        return result;
      },
      nb::arg("rows"), nb::arg("weights"), nb::arg("offsets"), nb::arg("labels"), nb::arg("k"),
      nb::arg("ends") = false, nb::arg("threads") = 1, nb::arg("transitions") = nb::none(),
      nb::arg("start") = nb::none(), nb::arg("stop") = nb::none(), nb::arg("tokens") = nb::none(),
      "For every sentence its k best: scores (at most k, best first) and labels (as many, "
      "length).");
}

Chain checked(Id length, Id labels, bool ends) {
  if (length < 1 || labels < 1) throw std::invalid_argument("sizes must be at least 1");
  if ((1.0 * length + labels + 2) * labels > std::numeric_limits<Id>::max())
    throw std::invalid_argument("the chain is too large: more than 2^31 parts");
  return {length, labels, ends};
}

template <class Real>
void bind_oracle(nb::module_& m, const char* name, const char* doc) {
  nb::class_<ChainOracleOf<Real>, Oracle>(m, name, doc)
      .def(
          "__init__",
          [](ChainOracleOf<Real>* self, Id length, Id labels, bool ends) {
            new (self) ChainOracleOf<Real>(checked(length, labels, ends));
          },
          nb::arg("length"), nb::arg("labels"), nb::arg("ends") = false);
}

}  // namespace

void chain(nb::module_& m) {
  bind_oracle<double>(m, "ChainOracle", "First-order chains by the hand-tuned kernel.");
  bind_oracle<float>(m, "ChainOracle32", "The same in single precision.");

  nb::class_<ChainData, Dataset>(
      m, "ChainData", "Sentences: rows of token features, offsets, labels (-1: missing).")
      .def(
          "__init__",
          [](ChainData* self, const Rows& rows, Array<const Index> offsets, Array<const Id> labels,
             Id num_labels, Weights weights, bool ends, int order, const Rows* pairs,
             Allowed transitions, Allowed start, Allowed stop, Allowed tokens) {
            new (self) ChainData(rows, view(offsets), view(labels), num_labels, view(weights), ends,
                                 order, rules_of(transitions, start, stop, tokens), pairs);
          },
          nb::arg("rows"), in_place("offsets"), in_place("labels"), nb::arg("num_labels"),
          in_place("weights").none() = nb::none(), nb::arg("ends") = false, nb::arg("order") = 1,
          nb::arg("pairs").none() = nb::none(), in_place("transitions").none() = nb::none(),
          in_place("start").none() = nb::none(), in_place("stop").none() = nb::none(),
          in_place("tokens").none() = nb::none(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
          nb::keep_alive<1, 4>(), nb::keep_alive<1, 6>(), nb::keep_alive<1, 9>(),
          nb::keep_alive<1, 10>(), nb::keep_alive<1, 11>(), nb::keep_alive<1, 12>(),
          nb::keep_alive<1, 13>())
      .def_prop_ro("partial", &ChainData::partial, "Are some labels missing?")
      .def_prop_ro("unit", &ChainData::unit, "What divides all strides: for lazy penalties.")
      .def_prop_ro("transitions", [](const ChainData& d) { return d.layout().transitions; })
      .def_prop_ro("start", [](const ChainData& d) { return d.layout().start; })
      .def_prop_ro("stop", [](const ChainData& d) { return d.layout().stop; })
      .def_prop_ro("triples", [](const ChainData& d) { return d.layout().triples; })
      .def_prop_ro("pairs", [](const ChainData& d) { return d.layout().pairs; });
  bind_decoding<float>(m);
  bind_decoding<double>(m);
}

}  // namespace linnet::bind
