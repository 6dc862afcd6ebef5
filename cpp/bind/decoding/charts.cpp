#include <nanobind/stl/shared_ptr.h>

#include "bind/bind.hpp"
#include "linnet/decoding/chart_decoder.hpp"

namespace linnet::bind {
namespace {

CoarsePass make_coarse(std::shared_ptr<ChartGrammar> grammar, Array<const double> rules,
                       Array<const double> unaries, std::vector<Id> symbol, std::vector<Id> tag,
                       double within) {
  if (static_cast<Id>(rules.shape(0)) != grammar->size() ||
      static_cast<Id>(unaries.shape(0)) != grammar->unaries())
    throw std::invalid_argument("the coarse grammar has other weights than rules");
  for (const Id c : symbol)
    if (c < 0 || c >= grammar->symbols) throw std::invalid_argument("a coarse symbol is unknown");
  for (const Id c : tag)
    if (c < 0 || c >= grammar->tags()) throw std::invalid_argument("a coarse tag is unknown");
  if (!(within >= 0)) throw std::invalid_argument("within must not be negative");
  const auto copied = [](auto a) { return std::vector<double>(a.data(), a.data() + a.shape(0)); };
  return {std::move(grammar), copied(rules),  copied(unaries),
          std::move(symbol),  std::move(tag), within};
}
void check(const ChartData& data, const CoarsePass* coarse) {
  if (!coarse) return;
  const ChartGrammar& fine = data.grammar();
  if (std::ssize(coarse->symbol) != fine.symbols || std::ssize(coarse->tag) != fine.tags() ||
      coarse->grammar->labels() != fine.labels())
    throw std::invalid_argument("the coarse grammar is not one of this grammar");
}
template <class Work>
void run(Work&& work) {
  bool done;
  {
    nb::gil_scoped_release nogil;
    done = work();
  }
  if (done) return;
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw nb::python_error();
}

// Trees one after the other: score of each, where its nodes begin, (begin, end, symbol) of nodes,
// where its tags begin, and tags.
nb::tuple packed(const std::vector<ChartTree>& trees) {
  std::vector<double> scores;
  std::vector<Index> starts{0}, tag_starts{0};
  std::vector<Id> nodes, tags;
  for (const ChartTree& tree : trees) {
    scores.push_back(tree.score);
    for (const auto& [begin, end, symbol] : tree.nodes) {
      nodes.push_back(begin);
      nodes.push_back(end);
      nodes.push_back(symbol);
    }
    tags.insert(tags.end(), tree.tags.begin(), tree.tags.end());
    starts.push_back(static_cast<Index>(nodes.size()) / 3);
    tag_starts.push_back(std::ssize(tags));
  }
  return nb::make_tuple(to_numpy<double>(std::move(scores)), to_numpy<Index>(std::move(starts)),
                        to_numpy<Id>(std::move(nodes), 3), to_numpy<Index>(std::move(tag_starts)),
                        to_numpy<Id>(std::move(tags)));
}
nb::tuple packed(const std::vector<std::vector<ChartTree>>& lists) {
  std::vector<Index> counts;
  std::vector<ChartTree> all;
  for (const auto& trees : lists) {
    counts.push_back(std::ssize(trees));
    all.insert(all.end(), trees.begin(), trees.end());
  }
  return nb::make_tuple(to_numpy<Index>(std::move(counts)), packed(all));
}

}  // namespace

void chart_decoding(nb::module_& m) {
  nb::class_<CoarsePass>(m, "CoarsePass", "A coarser grammar that prunes the charts of another.")
      .def(nb::new_([](std::shared_ptr<ChartGrammar> grammar, Array<const double> rules,
                       Array<const double> unaries, std::vector<Id> symbol, std::vector<Id> tag,
                       double within) {
             return new CoarsePass(make_coarse(std::move(grammar), rules, unaries,
                                               std::move(symbol), std::move(tag), within));
           }),
           nb::arg("grammar"), nb::arg("rules"), nb::arg("unaries"), nb::arg("symbol"),
           nb::arg("tag"), nb::arg("within"));
  m.def(
      "chart_trees",
      [](const ChartData& data, Array<const double> weights, const std::string& decode,
         const CoarsePass* coarse, double keep, int threads) {
        check(data, coarse);
        using enum ChartDecode;
        const auto how = named<ChartDecode>(
            "decode", decode, {{"best", best}, {"brackets", brackets}, {"rules", rules}});
        const ChartDecoder decoder(data, view(weights), coarse, keep);
        std::vector<ChartTree> found;
        run([&] { return decoder.trees(how, threads, found); });
        return packed(found);
      },
      nb::arg("data"), nb::arg("weights"), nb::arg("decode") = "best",
      nb::arg("coarse").none() = nb::none(), nb::arg("keep") = 0.5, nb::arg("threads") = 1,
      "One tree for each sentence that is not empty; those without tags have none.");
  m.def(
      "chart_kbest",
      [](const ChartData& data, Array<const double> weights, Id k, const CoarsePass* coarse,
         int threads) {
        check(data, coarse);
        const ChartDecoder decoder(data, view(weights), coarse, 0);
        std::vector<std::vector<ChartTree>> found;
        run([&] { return decoder.best(k, threads, found); });
        return packed(found);
      },
      nb::arg("data"), nb::arg("weights"), nb::arg("k"), nb::arg("coarse").none() = nb::none(),
      nb::arg("threads") = 1, "How many trees each sentence has, and all of them, best first.");
  m.def(
      "chart_samples",
      [](const ChartData& data, Array<const double> weights, Id count, std::uint64_t seed,
         const CoarsePass* coarse, int threads) {
        check(data, coarse);
        const ChartDecoder decoder(data, view(weights), coarse, 0);
        std::vector<std::vector<ChartTree>> found;
        run([&] { return decoder.samples(count, seed, threads, found); });
        return packed(found);
      },
      nb::arg("data"), nb::arg("weights"), nb::arg("count"), nb::arg("seed"),
      nb::arg("coarse").none() = nb::none(), nb::arg("threads") = 1,
      "How many trees each sentence has, and all of them.");
  m.def(
      "chart_sums",
      [](const ChartData& data, Array<const double> weights, const CoarsePass* coarse,
         int threads) {
        check(data, coarse);
        const ChartDecoder decoder(data, view(weights), coarse, 0);
        std::vector<ChartDecoder::Sums> found;
        run([&] { return decoder.sums(threads, found); });
        std::vector<double> log_z, entropies;
        nb::list tags, spans;
        for (auto& own : found) {
          log_z.push_back(own.log_z);
          entropies.push_back(own.entropy);
          const auto wide = [](Id n) { return static_cast<std::size_t>(n); };
          tags.append(to_numpy<double>(std::move(own.tags), wide(data.grammar().tags())));
          spans.append(to_numpy<double>(std::move(own.spans), wide(data.grammar().labels())));
        }
        return nb::make_tuple(to_numpy<double>(std::move(log_z)),
                              to_numpy<double>(std::move(entropies)), tags, spans);
      },
      nb::arg("data"), nb::arg("weights"), nb::arg("coarse").none() = nb::none(),
      nb::arg("threads") = 1,
      "log Z and entropy of each sentence, and P(tag) of its words and P(label) of its spans.");
}

}  // namespace linnet::bind
