// The rooms of the core, and nothing else.
#include "bind/rooms.hpp"

NB_MODULE(_core, m) {
  using namespace linnet::bind;
  m.doc() = "The compiled core of Linnet.";
  // Objects kept by tracebacks and test runners at exit are not leaks of ours.
  nanobind::set_leak_warnings(false);
  base(m);
  features(m);
  losses(m);
  inference(m);
  data(m);
  chain(m);
  trees(m);
  brackets(m);
  charts(m);
  theory(m);
  graphs(m);
  approximate(m);
  learners(m);
  learners_sgd(m);
  optimisers(m);
  batch(m);
  learners_margin(m);
  voted(m);
  structured(m);
  dual_binary(m);
  dual_multiclass(m);
  shard_dual(m);
  coordinate_l1(m);
  adaboost(m);
  expected_counts(m);
  previous_labels(m);
  texts(m);
  lines(m);
  sentences(m);
  chain_crf(m);
  analyzer(m);
  text_counts(m);
  sparse_weights(m);
  text_scorer(m);
  templates(m);
  arcs(m);
  parser(m);
  phrases(m);
  forests(m);
  chain_scorer(m);
  segments(m);
  chart_decoding(m);
  transformations(m);
  memory(m);
  kernels(m);
  string_kernels(m);
  tree_kernels(m);
}
