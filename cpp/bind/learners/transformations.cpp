#include "linnet/learners/rules/transformations.hpp"

#include <nanobind/stl/pair.h>

#include "bind/bind.hpp"
#include "linnet/base/thread_pool.hpp"
#include "linnet/learners/rules/row_transformations.hpp"

namespace linnet::bind {
namespace {

using rules::PaddedColumns;
using rules::Rule;
using rules::Template;
using Columns = std::vector<Array<const Id>>;
using Patterns = std::vector<std::vector<std::pair<Id, std::vector<Id>>>>;

constexpr Id kMostAway = 100;       // tokens
constexpr Index kTokens = 1 << 13;  // of sentences that are tagged together

std::vector<Template> templates_of(const Patterns& given, std::size_t columns) {
  std::vector<Template> made;
  for (const auto& conditions : given) {
    Template pattern;
    for (const auto& [column, offsets] : conditions) {
      if (column < 0 || column >= static_cast<Id>(columns) || offsets.empty())
        throw std::invalid_argument("a condition has no column or no offsets");
      for (Id offset : offsets)
        if (offset < -kMostAway || offset > kMostAway)
          throw std::invalid_argument("an offset is too far away");
      pattern.push_back({column, offsets});
    }
    if (pattern.empty() || pattern.size() > 20)
      throw std::invalid_argument("a template has no conditions, or more than 20");
    made.push_back(std::move(pattern));
  }
  return made;
}

std::vector<std::span<const Id>> spans_of(std::span<const Index> offsets, const Columns& columns) {
  if (offsets.empty() || offsets.front() != 0 || !std::is_sorted(offsets.begin(), offsets.end()))
    throw std::invalid_argument("offsets must begin with 0 and may not decrease");
  std::vector<std::span<const Id>> made;
  for (const auto& column : columns) {
    made.push_back(view(column));
    if (static_cast<Index>(column.size()) != offsets.back())
      throw std::invalid_argument("columns and offsets do not fit each other");
    for (Id value : made.back())
      if (value < rules::kNothing) throw std::invalid_argument("a value is negative");
  }
  return made;
}

// Rules over templates, to tag with.
class Transformations {
 public:
  Transformations(const Patterns& patterns, std::size_t columns, Matrix<const Id> given)
      : templates_(templates_of(patterns, columns)), columns_(columns) {
    const std::size_t width = given.shape(1);
    for (std::size_t k = 0; k < given.shape(0); ++k) {
      const Id* row = given.data() + k * width;
      if (width < 3 || row[0] < 0 || row[0] >= static_cast<Id>(templates_.size()) || row[1] < 0 ||
          row[2] < 0 || templates_[row[0]].size() + 3 > width)
        throw std::invalid_argument("rule " + std::to_string(k + 1) + " fits no template");
      const Id* values = row + 3;
      rules_.push_back({row[0], row[1], row[2], {values, values + templates_[row[0]].size()}});
      for (Id value : rules_.back().values)
        if (value < 0)
          throw std::invalid_argument("rule " + std::to_string(k + 1) + " lacks a value");
    }
  }

  // told(block, first token, padded columns after the rules); each rule's places as it goes.
  template <class Changed, class Told>
  void run(std::span<const Index> offsets, const Columns& given, int threads,
           const Changed& changed, const Told& told) const {
    if (given.size() != columns_) throw std::invalid_argument("there are columns missing");
    const auto columns = spans_of(offsets, given);
    std::vector<Index> cuts{0};
    const Index sentences = static_cast<Index>(offsets.size()) - 1;
    for (Index s = 0; s < sentences; ++s)
      if (offsets[s + 1] - offsets[cuts.back()] >= kTokens || s + 1 == sentences)
        cuts.push_back(s + 1);
    const Index margin = rules::margin_of(templates_);
    parallel_for(static_cast<Index>(cuts.size()) - 1, threads, [&](Index b) {
      PaddedColumns block(offsets, columns, cuts[b], cuts[b + 1], margin);
      std::vector<Index> found;
      Steps steps;
      for (std::size_t k = 0; k < rules_.size(); ++k, steps(block.size()))
        rules::apply(rules_[k], templates_[rules_[k].pattern], block, found,
                     [&](const std::vector<Index>& places) { changed(b, k, places); });
      told(b, offsets[cuts[b]], block);
    });
  }

  std::vector<Id> tag(std::span<const Index> offsets, const Columns& given, int threads) const {
    std::vector<Id> tags(offsets.empty() ? 0 : offsets.back());
    run(
        offsets, given, threads, [](Index, std::size_t, const std::vector<Index>&) {},
        [&](Index, Index first, PaddedColumns& block) {
          for (Index place : block.places()) tags[first++] = block.tags()[place];
        });
    return tags;
  }

  // Pairs of token and rule, rule by rule, of one thread.
  std::vector<Index> fired(std::span<const Index> offsets, const Columns& given) const {
    std::vector<Index> pairs;
    std::vector<std::pair<Index, Index>> block_pairs;
    run(
        offsets, given, 1,
        [&](Index, std::size_t k, const std::vector<Index>& places) {
          for (Index p : places) block_pairs.emplace_back(p, k);
        },
        [&](Index, Index first, PaddedColumns& block) {
          const auto& at = block.places();
          for (const auto& [place, k] : block_pairs) {
            pairs.push_back(first + (std::lower_bound(at.begin(), at.end(), place) - at.begin()));
            pairs.push_back(k);
          }
          block_pairs.clear();
        });
    return pairs;
  }

 private:
  std::vector<Template> templates_;
  std::size_t columns_;
  std::vector<Rule> rules_;
};

nb::tuple learn(Array<const Index> offsets, const Columns& given, Array<const Id> gold, Id tags,
                const Patterns& patterns, Index most, Index least_score, double least_accuracy) {
  const auto columns = spans_of(view(offsets), given);
  const auto templates = templates_of(patterns, columns.size());
  if (columns.empty() || gold.size() != columns[0].size())
    throw std::invalid_argument("columns and gold do not fit each other");
  for (const auto& some : {columns[0], view(gold)})
    for (Id tag : some)
      if (tag < rules::kNothing || tag >= tags)
        throw std::invalid_argument("a tag is out of range");
  std::vector<Rule> learnt;
  bool interrupted = false;
  {
    nb::gil_scoped_release nogil;
    rules::TransformationLearner learner(
        templates,
        PaddedColumns(view(offsets), columns, 0, static_cast<Index>(offsets.size()) - 1,
                      rules::margin_of(templates)),
        view(gold), tags);
    learnt = learner.learn(most, least_score, least_accuracy);
    interrupted = learner.interrupted();
  }
  std::size_t width = 3;
  for (const Template& pattern : templates) width = std::max(width, pattern.size() + 3);
  std::vector<Id> rows;
  std::vector<Index> counts;
  for (const Rule& rule : learnt) {
    rows.insert(rows.end(), {rule.pattern, rule.from, rule.to});
    rows.insert(rows.end(), rule.values.begin(), rule.values.end());
    rows.resize(rows.size() + width - 3 - rule.values.size(), rules::kNothing);
    counts.insert(counts.end(), {rule.fixed, rule.broken});
  }
  return nb::make_tuple(to_numpy<Id>(std::move(rows), width), to_numpy<Index>(std::move(counts), 2),
                        interrupted);
}

}  // namespace

void transformations(nb::module_& m) {
  m.def(
      "learn_transformations", &learn, nb::arg("offsets"), nb::arg("columns"), nb::arg("gold"),
      nb::arg("tags"), nb::arg("templates"), nb::arg("most"), nb::arg("least_score"),
      nb::arg("least_accuracy"),
      nb::sig("def learn_transformations(offsets: NDArray[numpy.int64], columns: "
              "Sequence[NDArray[numpy.int32]], gold: NDArray[numpy.int32], tags: int, templates: "
              "Sequence[Sequence[tuple[int, Sequence[int]]]], most: int, least_score: int, "
              "least_accuracy: float) -> tuple[NDArray[numpy.int32], NDArray[numpy.int64], bool]"),
      "Rows of (template, from, to, values), what each fixed and broke, and whether Ctrl-C ended "
      "it.\nColumn 0 is the tags to start from.");
  nb::class_<Transformations>(m, "Transformations",
                              "A list of rules that change tags, each everywhere at once.")
      .def(nb::init<const Patterns&, std::size_t, Matrix<const Id>>(), nb::arg("templates"),
           nb::arg("columns"), nb::arg("rules"),
           nb::sig("def __init__(self, templates: Sequence[Sequence[tuple[int, Sequence[int]]]], "
                   "columns: int, rules: NDArray[numpy.int32]) -> None"))
      .def(
          "tag",
          [](const Transformations& self, Array<const Index> offsets, const Columns& columns,
             int threads) {
            std::vector<Id> tags;
            {
              nb::gil_scoped_release nogil;
              tags = self.tag(view(offsets), columns, threads);
            }
            return to_numpy<Id>(std::move(tags));
          },
          nb::arg("offsets"), nb::arg("columns"), nb::arg("threads") = 1,
          nb::sig("def tag(self, offsets: NDArray[numpy.int64], columns: "
                  "Sequence[NDArray[numpy.int32]], threads: int = 1) -> NDArray[numpy.int32]"),
          "The tags of all tokens after the last rule; column 0 is those before the first.")
      .def(
          "fired",
          [](const Transformations& self, Array<const Index> offsets, const Columns& columns) {
            std::vector<Index> pairs;
            {
              nb::gil_scoped_release nogil;
              pairs = self.fired(view(offsets), columns);
            }
            return to_numpy<Index>(std::move(pairs), 2);
          },
          nb::arg("offsets"), nb::arg("columns"),
          nb::sig("def fired(self, offsets: NDArray[numpy.int64], columns: "
                  "Sequence[NDArray[numpy.int32]]) -> NDArray[numpy.int64]"),
          "Rows of (token, rule) for each change that was made.");
  m.def(
      "learn_row_transformations",
      [](Array<const Index> begin, Array<const Id> features, Id n_features, Array<const Id> now,
         Array<const Id> gold, Id labels, Index most, Index least) {
        const auto b = view(begin);
        const std::size_t rows = gold.size();
        if (b.size() != rows + 1 || b.front() != 0 || !std::is_sorted(b.begin(), b.end()) ||
            b.back() != static_cast<Index>(features.size()) || now.size() != rows || n_features < 0)
          throw std::invalid_argument("rows and labels do not fit each other");
        for (Id f : view(features))
          if (f < 0 || f >= n_features) throw std::invalid_argument("a feature is not there");
        for (const auto& given : {view(now), view(gold)})
          for (Id c : given)
            if (c < 0 || c >= labels) throw std::invalid_argument("a label is not there");
        std::vector<Index> made;
        {
          nb::gil_scoped_release nogil;
          const auto first = view(now);
          rules::RowTransformations learner(b, view(features), n_features,
                                            {first.begin(), first.end()}, view(gold));
          for (const rules::RowRule& rule : learner.learn(most, least))
            made.insert(made.end(), {rule.feature, rule.from, rule.to, rule.fixed, rule.broken});
        }
        return to_numpy<Index>(std::move(made), 5);
      },
      nb::arg("begin"), nb::arg("features"), nb::arg("n_features"), nb::arg("now"), nb::arg("gold"),
      nb::arg("labels"), nb::arg("most"), nb::arg("least"),
      nb::sig("def learn_row_transformations(begin: NDArray[numpy.int64], features: "
              "NDArray[numpy.int32], n_features: int, now: NDArray[numpy.int32], gold: "
              "NDArray[numpy.int32], labels: int, most: int, least: int) -> NDArray[numpy.int64]"),
      "Rows of (feature, from, to, fixed, broken): rules that change labels of rows, in order.");
}

}  // namespace linnet::bind
