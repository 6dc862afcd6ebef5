#include "bind/bind.hpp"
#include "bind/structures/chain_rules.hpp"

namespace linnet::bind {
namespace {

using Weights = std::optional<Array<const double>>;

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
             Allowed transitions, Allowed start, Allowed stop, Allowed tokens,
             std::optional<Matrix<const double>> costs, Weights token_weights) {
            new (self) ChainData(rows, view(offsets), view(labels), num_labels, view(weights), ends,
                                 order, rules_of(transitions, start, stop, tokens), pairs,
                                 view(costs), view(token_weights));
          },
          nb::arg("rows"), in_place("offsets"), in_place("labels"), nb::arg("num_labels"),
          in_place("weights").none() = nb::none(), nb::arg("ends") = false, nb::arg("order") = 1,
          nb::arg("pairs").none() = nb::none(), in_place("transitions").none() = nb::none(),
          in_place("start").none() = nb::none(), in_place("stop").none() = nb::none(),
          in_place("tokens").none() = nb::none(), in_place("costs").none() = nb::none(),
          in_place("token_weights").none() = nb::none(), nb::keep_alive<1, 2>(),
          nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 6>(),
          nb::keep_alive<1, 9>(), nb::keep_alive<1, 10>(), nb::keep_alive<1, 11>(),
          nb::keep_alive<1, 12>(), nb::keep_alive<1, 13>(), nb::keep_alive<1, 14>(),
          nb::keep_alive<1, 15>());
}

}  // namespace linnet::bind
