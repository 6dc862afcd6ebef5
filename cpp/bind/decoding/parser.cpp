#include "bind/state.hpp"
#include "bind/text/text.hpp"
#include "bind/text/text_rules.hpp"
#include "linnet/data/tree_data.hpp"
#include "linnet/decoding/arc_parser.hpp"
#include "linnet/learners/parsers/parser_trainer.hpp"

namespace linnet::bind {
namespace {

using Given = std::optional<Array<const Id>>;

// Arrays are held by the caller of a function, and by keep_alive of an object.
ArcParser parser_of(const ArcTokens& tokens, const Array<const Index>& starts,
                    const Array<const Id>& heads, const Array<const float>& weights, float bias,
                    const JointWeights* joint, TreeShape shape, const Given& given) {
  return {tokens,     {view(starts), view(heads)},     view(weights),
          bias,       joint ? *joint : JointWeights{}, shape,
          view(given)};
}

nb::tuple best(const ArcTokens& tokens, Array<const Index> starts, Array<const Id> heads,
               Array<const float> weights, float bias, const JointWeights* joint, TreeShape shape,
               Given given, bool least_risk, int threads) {
  const ArcParser parser = parser_of(tokens, starts, heads, weights, bias, joint, shape, given);
  std::vector<Id> found(static_cast<std::size_t>(parser.offsets().back()));
  std::vector<double> values(parser.offsets().size() - 1);
  interruptible([&] {
    if (least_risk)
      parser.least_risk(threads, found.data(), values.data());
    else
      parser.best(threads, found.data(), values.data());
  });
  return nb::make_tuple(to_numpy<Id>(std::move(found)), to_numpy<double>(std::move(values)));
}

nb::list samples(const ArcTokens& tokens, Array<const Index> starts, Array<const Id> heads,
                 Array<const float> weights, float bias, const JointWeights* joint, TreeShape shape,
                 Given given, Id count, std::uint64_t seed, int threads) {
  const ArcParser parser = parser_of(tokens, starts, heads, weights, bias, joint, shape, given);
  auto drawn = interruptible([&] { return parser.samples(count, seed, threads); });
  nb::list sentences;
  for (auto& of_sentence : drawn) sentences.append(to_numpy<Id>(std::move(of_sentence)));
  return sentences;
}

nb::tuple runners_up(const ArcTokens& tokens, Array<const Index> starts, Array<const Id> heads,
                     Array<const float> weights, float bias, const JointWeights* joint,
                     TreeShape shape, Array<const Id> chosen, int threads) {
  const ArcParser parser = parser_of(tokens, starts, heads, weights, bias, joint, shape, {});
  std::vector<double> scores(chosen.shape(0));
  std::vector<Id> others(chosen.shape(0)), siblings(chosen.shape(0));
  interruptible([&] {
    parser.runners_up(view(chosen), threads, scores.data(), others.data(), siblings.data());
  });
  return nb::make_tuple(to_numpy<double>(std::move(scores)), to_numpy<Id>(std::move(others)),
                        to_numpy<Id>(std::move(siblings)));
}

nb::tuple marginals(const ArcTokens& tokens, Array<const Index> starts, Array<const Id> heads,
                    Array<const float> weights, float bias, const JointWeights* joint,
                    TreeShape shape, Given given, int threads) {
  const ArcParser parser = parser_of(tokens, starts, heads, weights, bias, joint, shape, given);
  std::vector<double> mu(static_cast<std::size_t>(parser.arcs()));
  std::vector<double> log_z(parser.offsets().size() - 1);
  interruptible([&] { parser.marginals(threads, mu.data(), log_z.data()); });
  return nb::make_tuple(to_numpy<double>(std::move(mu)), to_numpy<double>(std::move(log_z)));
}

nb::list best_trees(const ArcTokens& tokens, Array<const Index> starts, Array<const Id> heads,
                    Array<const float> weights, float bias, const JointWeights* joint,
                    TreeShape shape, Given given, Id k, int threads) {
  const ArcParser parser = parser_of(tokens, starts, heads, weights, bias, joint, shape, given);
  auto ranked = interruptible([&] { return parser.best_trees(k, threads); });
  nb::list sentences;
  for (auto& trees : ranked) {
    nb::list of_sentence;
    for (auto& tree : trees)
      of_sentence.append(nb::make_tuple(tree.score, to_numpy<Id>(std::move(tree.heads))));
    sentences.append(of_sentence);
  }
  return sentences;
}

// Rows of siblings, and where those of each sentence begin.
nb::tuple sibling_rows(const ArcTokens& tokens, Array<const Index> starts, Array<const Id> heads) {
  auto source = std::make_shared<SiblingRows>(tokens, CandidateArcs{view(starts), view(heads)});
  NumPy<Index> first = copy_to_numpy<Index>(source->starts());
  return nb::make_tuple(Rows{std::move(source), 0.f}, first);
}

}  // namespace

void parser(nb::module_& m) {
  nb::class_<TreeShape>(m, "TreeShape", "Which trees there are, and how far arcs see.")
      .def(
          "__init__",
          [](TreeShape* self, bool projective, bool single_root, Id order) {
            const TreeShape shape{projective, single_root, order};
            shape.check();
            new (self) TreeShape(shape);
          },
          nb::arg("projective") = true, nb::arg("single_root") = true, nb::arg("order") = 1)
      .def_ro("projective", &TreeShape::projective)
      .def_ro("single_root", &TreeShape::single_root)
      .def_ro("order", &TreeShape::order);

  m.def(
      "sibling_rows", &sibling_rows, nb::arg("tokens"), nb::arg("starts"), nb::arg("heads"),
      nb::sig("def sibling_rows(tokens: ArcTokens, starts: NDArray[numpy.int64], "
              "heads: NDArray[numpy.int32]) -> tuple[Rows, NDArray[numpy.int64]]"),
      "A row for each arc with a sibling, and where those of each sentence begin; the tokens must "
      "be kept.");
  nb::class_<TreeData, Dataset>(m, "TreeData",
                                "Sentences: rows of candidate arcs, heads (-1: missing).")
      .def(
          "__init__",
          [](TreeData* self, const Rows& rows, Array<const Index> starts, Array<const Id> heads,
             Array<const Index> offsets, Array<const Id> gold, Array<const double> weights,
             TreeShape shape, const Rows* siblings,
             std::optional<Array<const Index>> sibling_starts) {
            new (self) TreeData(rows, {view(starts), view(heads)}, view(offsets), view(gold),
                                view(weights), shape, siblings, view(sibling_starts));
          },
          nb::arg("rows"), in_place("starts"), in_place("heads"), in_place("offsets"),
          in_place("gold"), in_place("weights"), nb::arg("shape"),
          nb::arg("siblings").none() = nb::none(), in_place("sibling_starts").none() = nb::none(),
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(),
          nb::keep_alive<1, 5>(), nb::keep_alive<1, 6>(), nb::keep_alive<1, 7>(),
          nb::keep_alive<1, 9>(), nb::keep_alive<1, 10>());

  nb::class_<JointWeights>(m, "JointWeights", "Relations that arcs compete with.")
      .def(
          "__init__",
          [](JointWeights* self, const ArcTokens& tokens, Matrix<const float> weights, Id width) {
            new (self) JointWeights{&tokens, {weights.data(), weights.size()}, width};
          },
          nb::arg("tokens"), in_place("weights"), nb::arg("width"), nb::keep_alive<1, 2>(),
          nb::keep_alive<1, 3>(), "Weights are (features + 1, stride), the constant first.");
  m.def("best_trees", &best, nb::arg("tokens"), nb::arg("starts"), nb::arg("heads"),
        nb::arg("weights"), nb::arg("bias"), nb::arg("joint").none(), nb::arg("shape"),
        nb::arg("given").none() = nb::none(), nb::arg("least_risk") = false, nb::arg("threads") = 1,
        nb::sig("def best_trees(tokens: ArcTokens, starts: NDArray[numpy.int64], "
                "heads: NDArray[numpy.int32], weights: NDArray[numpy.float32], bias: float, "
                "joint: JointWeights | None, shape: TreeShape, given: NDArray[numpy.int32] | None "
                "= None, "
                "least_risk: bool = False, threads: int = 1) -> "
                "tuple[NDArray[numpy.int32], NDArray[numpy.float64]]"),
        "The heads of the best trees and their scores; or of the trees with most heads expected to "
        "be right, and that number.");
  m.def("runners_up", &runners_up, nb::arg("tokens"), nb::arg("starts"), nb::arg("heads"),
        nb::arg("weights"), nb::arg("bias"), nb::arg("joint").none(), nb::arg("shape"),
        nb::arg("chosen"), nb::arg("threads") = 1,
        nb::sig("def runners_up(tokens: ArcTokens, starts: NDArray[numpy.int64], "
                "heads: NDArray[numpy.int32], weights: NDArray[numpy.float32], bias: float, "
                "joint: JointWeights | None, shape: TreeShape, chosen: NDArray[numpy.int32], "
                "threads: int = 1) -> tuple[NDArray[numpy.float64], NDArray[numpy.int32], "
                "NDArray[numpy.int32]]"),
        "For every word the best tree in which it has another head than the one chosen: its score, "
        "that head, and the sibling before the word.");
  m.def("sample_trees", &samples, nb::arg("tokens"), nb::arg("starts"), nb::arg("heads"),
        nb::arg("weights"), nb::arg("bias"), nb::arg("joint").none(), nb::arg("shape"),
        nb::arg("given").none() = nb::none(), nb::arg("count") = 1, nb::arg("seed") = 0,
        nb::arg("threads") = 1,
        nb::sig("def sample_trees(tokens: ArcTokens, starts: NDArray[numpy.int64], "
                "heads: NDArray[numpy.int32], weights: NDArray[numpy.float32], bias: float, "
                "joint: JointWeights | None, shape: TreeShape, given: NDArray[numpy.int32] | None "
                "= None, count: int = 1, "
                "seed: int = 0, threads: int = 1) -> list[NDArray[numpy.int32]]"),
        "For each sentence the heads of so many trees, drawn by their probability.");
  m.def("arc_marginals", &marginals, nb::arg("tokens"), nb::arg("starts"), nb::arg("heads"),
        nb::arg("weights"), nb::arg("bias"), nb::arg("joint").none(), nb::arg("shape"),
        nb::arg("given").none() = nb::none(), nb::arg("threads") = 1,
        nb::sig("def arc_marginals(tokens: ArcTokens, starts: NDArray[numpy.int64], "
                "heads: NDArray[numpy.int32], weights: NDArray[numpy.float32], bias: float, "
                "joint: JointWeights | None, shape: TreeShape, given: NDArray[numpy.int32] | None "
                "= None, threads: int = 1) -> "
                "tuple[NDArray[numpy.float64], NDArray[numpy.float64]]"),
        "P(arc) of each candidate, and log Z of each sentence.");
  m.def("k_best_trees", &best_trees, nb::arg("tokens"), nb::arg("starts"), nb::arg("heads"),
        nb::arg("weights"), nb::arg("bias"), nb::arg("joint").none(), nb::arg("shape"),
        nb::arg("given").none() = nb::none(), nb::arg("k") = 1, nb::arg("threads") = 1,
        nb::sig("def k_best_trees(tokens: ArcTokens, starts: NDArray[numpy.int64], "
                "heads: NDArray[numpy.int32], weights: NDArray[numpy.float32], bias: float, "
                "joint: JointWeights | None, shape: TreeShape, given: NDArray[numpy.int32] | None "
                "= None, k: int = 1, "
                "threads: int = 1) -> list[list[tuple[float, NDArray[numpy.int32]]]]"),
        "(score, heads) of the k best trees of each sentence, best first.");

  nb::class_<ParserTrainer> trainer(
      m, "ParserTrainer", "The averaged perceptron and MIRA over hashed templates of arcs.");
  bind_state(trainer)
      .def(
          "__init__",
          [](ParserTrainer* self, const ArcTokens& tokens, Array<const Index> starts,
             Array<const Id> heads, Array<const Id> gold, TreeShape shape, const std::string& step,
             double C, double cost, bool average, bool shuffle, std::uint64_t seed,
             const ArcTokens* joint, Given relations, Id width, ParserTrainer* before) {
            const bool perceptron =
                named<bool>("step", step, {{"perceptron", true}, {"pa", false}});
            std::optional<JointRelations> together;
            if (joint) together.emplace(*joint, view(relations), width, cost);
            new (self) ParserTrainer(tokens, {view(starts), view(heads)}, view(gold), shape,
                                     {perceptron, C, cost, average, shuffle, seed},
                                     std::move(together), before);
          },
          nb::arg("tokens"), in_place("starts"), in_place("heads"), in_place("gold"),
          nb::arg("shape"), nb::arg("step") = "pa", nb::arg("C") = kInf, nb::arg("cost") = 1.0,
          nb::arg("average") = true, nb::arg("shuffle") = true, nb::arg("seed") = 0,
          nb::arg("joint").none() = nb::none(), in_place("relations").none() = nb::none(),
          nb::arg("width") = 0, nb::arg("before").none() = nb::none(), nb::keep_alive<1, 2>(),
          nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(),
          nb::keep_alive<1, 13>(), nb::keep_alive<1, 14>(),
          "With `before`, its training goes on over these sentences; it has no weights any more.")
      .def("epoch", &ParserTrainer::epoch, NoGil())
      .def(
          "start_at",
          [](ParserTrainer& self, Array<const float> weights) { self.start_at(view(weights)); },
          nb::arg("weights"), "Weights to begin with, before the first step.")
      .def(
          "weights",
          [](const ParserTrainer& self, bool average) {
            std::vector<float> out(static_cast<std::size_t>(self.size()));
            self.weights_into(out.data(), average);
            return to_numpy<float>(std::move(out));
          },
          nb::arg("average") = true,
          "Averaged, if so asked at the start and now, or the last ones; the constant feature "
          "first. Then those of relations, "
          "(features + 1) x stride.");
}

}  // namespace linnet::bind
