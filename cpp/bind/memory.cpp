#include "bind/bind.hpp"
#include "linnet/memory/ig_tree.hpp"
#include "linnet/memory/instance_memory.hpp"
#include "linnet/memory/row_neighbours.hpp"

namespace linnet::bind {
namespace {

using memory::Decay;
using memory::IGTree;
using memory::InstanceMemory;
using memory::RowIndex;
using memory::RowSearch;
using memory::SparseRows;

std::span<const Id> flat(const Matrix<const Id>& a) { return {a.data(), a.size()}; }

void check(bool right, const char* what) {
  if (!right) throw std::invalid_argument(what);
}

void check_below(std::span<const Id> values, Id limit, const char* what) {
  for (Id v : values) check(v >= 0 && v < limit, what);
}

void check_instances(const Matrix<const Id>& rows, const Array<const Id>& labels, Id n_labels,
                     const std::vector<Id>& order) {
  check(rows.shape(0) == labels.size() && labels.size() > 0 && labels.size() < (1u << 31),
        "there must be instances, and a label for each");
  check(n_labels > 0, "there are no labels");
  check_below(view(labels), n_labels, "a label is not there");
  check(order.size() == rows.shape(1), "order must name each feature once");
  std::vector<char> seen(order.size(), 0);
  for (Id f : order) {
    check(f >= 0 && f < static_cast<Id>(order.size()) && !seen[f],
          "order must name each feature once");
    seen[f] = 1;
  }
}

InstanceMemory remember(const Matrix<const Id>& rows, const Array<const Id>& labels, Id n_labels,
                        const Array<const Id>& values, const Array<const double>& weights,
                        const std::vector<Id>& order, bool mvdm, Index least) {
  check_instances(rows, labels, n_labels, order);
  const std::size_t width = rows.shape(1);
  check(values.size() == width && weights.size() == width,
        "each feature has a number of values and a weight");
  for (std::size_t f = 0; f < width; ++f)
    check(weights.data()[f] >= 0 && std::isfinite(weights.data()[f]), "a weight is negative");
  for (std::size_t k = 0; k < rows.size(); ++k)
    check(rows.data()[k] >= 0 && rows.data()[k] < values.data()[k % width], "a value is not there");
  return InstanceMemory(flat(rows), view(labels), n_labels, view(values), view(weights), order,
                        mvdm, least);
}

void check_queries(const InstanceMemory& self, const Matrix<const Id>& queries, Index k) {
  check(queries.shape(1) == self.width(), "queries have another number of features");
  check(k > 0, "k must be positive");
}

nb::tuple neighbours(const InstanceMemory& self, const Matrix<const Id>& queries, Index k,
                     int threads) {
  check_queries(self, queries, k);
  std::vector<std::vector<std::pair<Id, double>>> each(queries.shape(0));
  std::vector<Index> offsets{0};
  std::vector<Id> instances;
  std::vector<double> distances;
  {
    nb::gil_scoped_release nogil;
    self.each(flat(queries), k, threads,
              [&](Index i, memory::Search& search, const memory::Query&,
                  const std::vector<memory::Found>& found) {
                for (const auto& f : found)
                  for (Id instance : self.tree().instances(f.tuple))
                    each[i].emplace_back(instance, search.distance(f.key));
                std::sort(each[i].begin(), each[i].end(), [](const auto& a, const auto& b) {
                  return a.second != b.second ? a.second < b.second : a.first < b.first;
                });
              });
    for (const auto& own : each) {
      for (const auto& [instance, distance] : own) {
        instances.push_back(instance);
        distances.push_back(distance);
      }
      offsets.push_back(static_cast<Index>(instances.size()));
    }
  }
  return nb::make_tuple(to_numpy<Index>(std::move(offsets)), to_numpy<Id>(std::move(instances)),
                        to_numpy<double>(std::move(distances)));
}

nb::tuple classify(const InstanceMemory& self, const Matrix<const Id>& queries, Index k,
                   const std::string& decay, double a, double b, bool with_votes, int threads) {
  check_queries(self, queries, k);
  const memory::Voting voting{named<Decay>("decay", decay,
                                           {{"equal", Decay::kEqual},
                                            {"inverse", Decay::kInverse},
                                            {"linear", Decay::kLinear},
                                            {"exponential", Decay::kExponential}}),
                              a, b};
  std::vector<double> votes(with_votes ? queries.shape(0) * self.labels() : 0);
  std::vector<Id> best;
  {
    nb::gil_scoped_release nogil;
    best = self.classify(flat(queries), k, voting, threads, votes);
  }
  return nb::make_tuple(to_numpy<Id>(std::move(best)),
                        to_numpy<double>(std::move(votes), self.labels()));
}

// Rows of Python's arrays, which stay alive as long as this does, and their index.
class RowNeighbours {
 public:
  RowNeighbours(Array<const Index> begin, Array<const Id> column, Array<const float> value,
                Id columns)
      : begin_(begin),
        column_(column),
        value_(value),
        rows_(checked(begin_, column_, value_, columns)),
        index_(rows_, columns) {}

  static SparseRows checked(const Array<const Index>& begin, const Array<const Id>& column,
                            const Array<const float>& value, Id columns) {
    const auto b = view(begin);
    check(b.size() <= static_cast<std::size_t>(RowIndex::kMostRows), "there are too many rows");
    check(!b.empty() && b.front() == 0 && std::is_sorted(b.begin(), b.end()) &&
              b.back() == static_cast<Index>(column.size()) && column.size() == value.size(),
          "rows do not fit each other");
    check(columns >= 0, "there are no columns");
    check_below(view(column), columns, "a column is not there");
    for (float v : view(value)) check(std::isfinite(v), "a value is not a finite number");
    return {b, view(column), view(value)};
  }

  nb::tuple nearest(Array<const Index> begin, Array<const Id> column, Array<const float> value,
                    Index k, int threads) const {
    const SparseRows queries = checked(begin, column, value, index_.columns());
    check(k > 0, "k must be positive");
    k = std::min(k, rows_.rows());
    std::vector<Id> rows(queries.rows() * k);
    std::vector<double> scores(queries.rows() * k);
    {
      nb::gil_scoped_release nogil;
      // Some tasks for each thread, since queries are not alike; not many, since each has its
      // memory.
      const Index share = queries.rows() / std::max(1, threads) + 1;
      const Index together = std::min(share, RowSearch(rows_, index_).together());
      const Index size = threads > 1 ? std::max(together, share / 8) : share;
      parallel_for((queries.rows() + size - 1) / size, threads, [&](Index task) {
        RowSearch search(rows_, index_);
        const Index first = task * size, last = std::min(queries.rows(), first + size);
        search.each(queries, first, last, k, [&](Index q, const std::vector<memory::Near>& found) {
          for (Index i = 0; i < k; ++i) {
            rows[q * k + i] = found[i].row;
            scores[q * k + i] = found[i].score;
          }
        });
      });
    }
    const std::size_t width = std::max<Index>(k, 1);
    return nb::make_tuple(to_numpy<Id>(std::move(rows), width),
                          to_numpy<double>(std::move(scores), width));
  }

 private:
  Array<const Index> begin_;
  Array<const Id> column_;
  Array<const float> value_;
  SparseRows rows_;
  RowIndex index_;
};

}  // namespace

void memory(nb::module_& m) {
  nb::class_<InstanceMemory>(m, "InstanceMemory",
                             "Instances of symbolic features, and their search.")
      .def(
          "__init__",
          [](InstanceMemory* self, Matrix<const Id> rows, Array<const Id> labels, Id n_labels,
             Array<const Id> values, Array<const double> weights, const std::vector<Id>& order,
             bool mvdm, Index least) {
            new (self) InstanceMemory(
                remember(rows, labels, n_labels, values, weights, order, mvdm, least));
          },
          nb::arg("rows"), nb::arg("labels"), nb::arg("n_labels"), nb::arg("values"),
          nb::arg("weights"), nb::arg("order"), nb::arg("mvdm"), nb::arg("least"),
          nb::sig("def __init__(self, rows: NDArray[numpy.int32], labels: NDArray[numpy.int32], "
                  "n_labels: int, values: NDArray[numpy.int32], weights: NDArray[numpy.float64], "
                  "order: Sequence[int], mvdm: bool, least: int) -> None"))
      .def("neighbours", &neighbours, nb::arg("queries"), nb::arg("k"), nb::arg("threads") = 1,
           nb::sig("def neighbours(self, queries: NDArray[numpy.int32], k: int, threads: int = 1) "
                   "-> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float64]]"),
           "Instances at the k nearest distances of each query, and these; nearest first.")
      .def(
          "classify", &classify, nb::arg("queries"), nb::arg("k"), nb::arg("decay"), nb::arg("a"),
          nb::arg("b"), nb::arg("with_votes"), nb::arg("threads") = 1,
          nb::sig("def classify(self, queries: NDArray[numpy.int32], k: int, decay: str, a: float, "
                  "b: float, with_votes: bool, threads: int = 1) -> tuple[NDArray[numpy.int32], "
                  "NDArray[numpy.float64]]"),
          "The label of each query, and its votes if they are wanted.")
      .def(
          "distance",
          [](const InstanceMemory& self, Id feature, Id value, Id other) {
            check(feature >= 0 && feature < static_cast<Id>(self.width()), "no such feature");
            return self.distance(feature, value, other);
          },
          nb::arg("feature"), nb::arg("value"), nb::arg("other"),
          "How far two values of a feature are apart, without its weight.");

  nb::class_<IGTree>(m, "IGTree", "Instances as a tree of values, tested in order.")
      .def(
          "__init__",
          [](IGTree* self, Matrix<const Id> rows, Array<const Id> labels, Id n_labels,
             const std::vector<Id>& order) {
            check_instances(rows, labels, n_labels, order);
            nb::gil_scoped_release nogil;
            new (self) IGTree(flat(rows), view(labels), n_labels, order);
          },
          nb::arg("rows"), nb::arg("labels"), nb::arg("n_labels"), nb::arg("order"),
          nb::sig("def __init__(self, rows: NDArray[numpy.int32], labels: NDArray[numpy.int32], "
                  "n_labels: int, order: Sequence[int]) -> None"))
      .def_prop_ro("size", [](const IGTree& self) { return self.nodes().size(); })
      .def(
          "classify",
          [](const IGTree& self, Matrix<const Id> queries, std::size_t width) {
            check(queries.shape(1) == width, "queries have another number of features");
            std::vector<Id> best(queries.shape(0));
            for (std::size_t i = 0; i < best.size(); ++i)
              best[i] = self.walk(queries.data() + i * width, [](Id) {});
            return to_numpy<Id>(std::move(best));
          },
          nb::arg("queries"), nb::arg("width"),
          nb::sig("def classify(self, queries: NDArray[numpy.int32], width: int) -> "
                  "NDArray[numpy.int32]"))
      .def(
          "path",
          [](const IGTree& self, Array<const Id> query) {
            std::vector<std::tuple<Id, Id, Id>> told;
            self.walk(query.data(), [&](Id k) {
              const auto& node = self.nodes()[k];
              told.emplace_back(node.label, node.agree, node.instances);
            });
            nb::list made;
            for (const auto& [label, agree, all] : told)
              made.append(nb::make_tuple(label, agree, all));
            return made;
          },
          nb::arg("query"),
          nb::sig("def path(self, query: NDArray[numpy.int32]) -> list[tuple[int, int, int]]"),
          "The nodes that a query passes: label, instances that have it, instances.");

  nb::class_<RowNeighbours>(m, "RowNeighbours", "Sparse rows under an inverted index.")
      .def(nb::init<Array<const Index>, Array<const Id>, Array<const float>, Id>(),
           in_place("begin"), in_place("column"), in_place("value"), nb::arg("columns"),
           nb::sig("def __init__(self, begin: NDArray[numpy.int64], column: NDArray[numpy.int32], "
                   "value: NDArray[numpy.float32], columns: int) -> None"))
      .def("nearest", &RowNeighbours::nearest, nb::arg("begin"), nb::arg("column"),
           nb::arg("value"), nb::arg("k"), nb::arg("threads") = 1,
           nb::sig("def nearest(self, begin: NDArray[numpy.int64], column: NDArray[numpy.int32], "
                   "value: NDArray[numpy.float32], k: int, threads: int = 1) -> "
                   "tuple[NDArray[numpy.int32], NDArray[numpy.float64]]"),
           "The k rows of highest inner product with each query, and these; highest first.");
}

}  // namespace linnet::bind
