// The rooms of the core, each with its file of bindings. Apart from bind.hpp, so that a new room
// does not compile all others anew.
#pragma once
#include <nanobind/nanobind.h>

namespace linnet::bind {
namespace nb = nanobind;

void base(nb::module_& m);
void losses(nb::module_& m);
void features(nb::module_& m);
void inference(nb::module_& m);
void data(nb::module_& m);
void chain(nb::module_& m);
void chain_scorer(nb::module_& m);
void trees(nb::module_& m);
void brackets(nb::module_& m);
void phrases(nb::module_& m);
void forests(nb::module_& m);
void charts(nb::module_& m);
void segments(nb::module_& m);
void chart_decoding(nb::module_& m);
void learners(nb::module_& m);
void learners_sgd(nb::module_& m);
void optimisers(nb::module_& m);
void batch(nb::module_& m);
void learners_margin(nb::module_& m);
void voted(nb::module_& m);
void structured(nb::module_& m);
void dual_binary(nb::module_& m);
void dual_multiclass(nb::module_& m);
void shard_dual(nb::module_& m);
void coordinate_l1(nb::module_& m);
void expected_counts(nb::module_& m);
void previous_labels(nb::module_& m);
void text_counts(nb::module_& m);
void sparse_weights(nb::module_& m);
void text_scorer(nb::module_& m);
void templates(nb::module_& m);
void arcs(nb::module_& m);
void parser(nb::module_& m);
void texts(nb::module_& m);
void analyzer(nb::module_& m);
void lines(nb::module_& m);
void sentences(nb::module_& m);
void chain_crf(nb::module_& m);
void theory(nb::module_& m);
void graphs(nb::module_& m);
void approximate(nb::module_& m);
void transformations(nb::module_& m);
void memory(nb::module_& m);
void adaboost(nb::module_& m);
void kernels(nb::module_& m);
void string_kernels(nb::module_& m);
void tree_kernels(nb::module_& m);
}  // namespace linnet::bind
