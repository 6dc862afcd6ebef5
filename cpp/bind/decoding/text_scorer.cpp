#include "linnet/decoding/text_scorer.hpp"

#include "bind/bind.hpp"
#include "bind/text/text_rules.hpp"
#include "linnet/decoding/packed_weights.hpp"

namespace linnet::bind {
namespace {

using Floats = Array<const float>;
using Codes8 = Array<const std::uint8_t>;

NumPy<double, 2> scores(const TextScorer& scorer, const Texts& texts, int threads) {
  const auto width = static_cast<std::size_t>(scorer.tables().width());
  std::vector<double> out(static_cast<std::size_t>(texts.size()) * width);
  interruptible([&] { scorer.scores(texts, threads, out.data()); });
  return to_numpy(std::move(out), width);
}

}  // namespace

void text_scorer(nb::module_& m) {
  m.def(
      "pack_weights",
      [](Matrix<const float> weights, int bits) {
        const auto width = static_cast<Id>(weights.shape(1));
        PackedWeights packed = pack_weights({weights.data(), weights.size()}, width, bits);
        return nb::make_tuple(to_numpy<std::uint8_t>(std::move(packed.codes)),
                              to_numpy<float>(std::move(packed.scales)));
      },
      nb::arg("weights"), nb::arg("bits"),
      nb::sig("def pack_weights(weights: NDArray[numpy.float32], bits: int) -> "
              "tuple[NDArray[numpy.uint8], NDArray[numpy.float32]]"),
      "(rows, labels) weights as integers of 8 or 4 bits, and the scale of each label.");
  m.def(
      "pack_features",
      [](Array<const std::uint64_t> hashes, std::size_t capacity) {
        PackedTable table = pack_features(view(hashes), capacity);
        return nb::make_tuple(to_numpy<std::uint16_t>(std::move(table.fingerprints)),
                              to_numpy<Id>(std::move(table.slots)));
      },
      nb::arg("hashes"), nb::arg("capacity"),
      nb::sig("def pack_features(hashes: NDArray[numpy.uint64], capacity: int) -> "
              "tuple[NDArray[numpy.uint16], NDArray[numpy.int32]]"),
      "A table of fingerprints and the slot of each feature; two that look alike share one.");
  m.def(
      "unpack_weights",
      [](Codes8 codes, Floats scales, Index rows, int bits) {
        return to_numpy(unpack_weights(view(codes), view(scales), rows, bits), scales.shape(0));
      },
      nb::arg("codes"), nb::arg("scales"), nb::arg("rows"), nb::arg("bits"),
      "(rows, labels) weights, scale times integer.");

  nb::class_<ModelTables>(m, "ModelTables", "Values and weights of a text model, read in place.")
      .def(
          "__init__",
          [](ModelTables* self, Index features, Id width, Floats weights, float bias,
             std::optional<Floats> values) {
            new (self) ModelTables(features, width, {view(values), {}, 1}, {view(weights)}, bias);
          },
          nb::arg("features"), nb::arg("width"), in_place("weights"), nb::arg("bias"),
          in_place("values").none() = nb::none(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 6>(),
          "float32 weights (features + 1, padded width), flat.")
      .def(
          "__init__",
          [](ModelTables* self, Index features, const SparseWeights<float>& weights, float bias,
             std::optional<Floats> values) {
            WeightTable table;
            table.rows = &weights;
            new (self) ModelTables(features, weights.width(), {view(values), {}, 1}, table, bias);
          },
          nb::arg("features"), nb::arg("weights"), nb::arg("bias"),
          in_place("values").none() = nb::none(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 5>(),
          "Sparse rows of float32 weights.")
      .def(
          "__init__",
          [](ModelTables* self, Index features, Floats intercept, Codes8 codes, Floats scales,
             int bits, std::optional<Array<const std::int8_t>> values, float value_scale) {
            new (self) ModelTables(features, static_cast<Id>(intercept.shape(0)),
                                   {{}, view(values), value_scale},
                                   {{}, view(codes), view(scales), view(intercept), bits}, 1);
          },
          nb::arg("features"), in_place("intercept"), in_place("codes"), in_place("scales"),
          nb::arg("bits"), in_place("values").none() = nb::none(), nb::arg("value_scale") = 1.f,
          nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(),
          nb::keep_alive<1, 7>(), "Weights and values in few bits.");

  nb::class_<TextScorer>(m, "TextScorer", "From raw text to scores, without rows in between.")
      .def(
          "__init__",
          [](TextScorer* self, const Analyzer& analyzer, const FeatureTable& features,
             const ModelTables& tables, const std::string& tf, const std::string& norm,
             const std::string& transform, std::vector<float> mix) {
            new (self) TextScorer(
                analyzer, features.numbering,
                Weighting(tf_rule(tf), norm_rule(norm), transform_rule(transform), std::move(mix)),
                tables);
          },
          nb::arg("analyzer"), nb::arg("features"), nb::arg("tables"), nb::arg("tf"),
          nb::arg("norm"), nb::arg("transform"), nb::arg("mix") = std::vector<float>(),
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>())
      .def("scores", &scores, nb::arg("texts"), nb::arg("threads") = 1,
           "(texts, labels) scores; the same bits for any number of threads.");
}

}  // namespace linnet::bind
