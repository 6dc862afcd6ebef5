// What scorers of sentences take and give.
#pragma once
#include "bind/bind.hpp"
#include "bind/text/text_rules.hpp"
#include "linnet/decoding/sentence_blocks.hpp"

namespace linnet::bind {

using Stored = nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu, nb::ro>;
using Scores = std::optional<nb::ndarray<const float, nb::c_contig, nb::device::cpu>>;

inline std::span<const float> flat(const Scores& scores) {
  if (!scores) return {};
  return {scores->data(), scores->size()};
}

// float32, or int8 and scales.
inline LabelWeights label_weights(Id width, std::span<const Index> starts,
                                  std::span<const Id> labels, const Stored& weights,
                                  std::span<const float> scales) {
  std::span<const float> reals;
  std::span<const std::int8_t> codes;
  if (scales.empty() && weights.dtype() == nb::dtype<float>())
    reals = {static_cast<const float*>(weights.data()), weights.shape(0)};
  else if (!scales.empty() && weights.dtype() == nb::dtype<std::int8_t>())
    codes = {static_cast<const std::int8_t*>(weights.data()), weights.shape(0)};
  else
    throw std::invalid_argument("weights must be float32, or int8 with a scale for each label");
  return {width, starts, labels, reals, codes, scales};
}

inline nb::list to_list(std::vector<SentenceOutputs>&& outputs, std::span<const Index> offsets,
                        bool scored) {
  nb::list result;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto length = static_cast<std::size_t>(offsets[i + 1] - offsets[i]);
    const auto labels = to_numpy(std::move(outputs[i].labels), std::max<std::size_t>(length, 1));
    if (scored)
      result.append(nb::make_tuple(to_numpy<double>(std::move(outputs[i].scores)), labels));
    else
      result.append(labels);
  }
  return result;
}

template <class F>
void run(F&& f) {
  interruptible([&] {
    f();
    return true;
  });
}

}  // namespace linnet::bind
