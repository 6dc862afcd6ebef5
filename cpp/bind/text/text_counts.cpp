#include "bind/bind.hpp"
#include "bind/text/text_rules.hpp"
#include "linnet/features/rows.hpp"
#include "linnet/text/counts.hpp"
#include "linnet/text/feature_counter.hpp"
#include "linnet/text/label_ratios.hpp"
#include "linnet/text/packed_counts.hpp"
#include "linnet/text/statistics.hpp"

namespace linnet::bind {
namespace {

using Hashes = Array<const std::uint64_t>;
using Floats = std::optional<Array<const float>>;

void check_values(std::span<const float> values, const PageArray<Id>& ids) {
  if (values.empty()) return;
  for (Id id : ids.span())
    if (static_cast<std::size_t>(id) >= values.size())
      throw std::invalid_argument("there are more features than values");
}

// (indptr, indices, values) of the rows, which are used up.
nb::tuple weigh(CountedRows& rows, const std::string& tf, const std::string& norm,
                const std::string& transform, const Floats& values, int threads,
                std::vector<float> mix) {
  const Weighting weighting(tf_rule(tf), norm_rule(norm), transform_rule(transform),
                            std::move(mix));
  PageArray<float> x = interruptible([&] {
    check_values(view(values), rows.ids);
    return rows.weigh(weighting, view(values), threads);
  });
  CountedRows used = std::move(rows);
  rows = CountedRows();
  return nb::make_tuple(to_numpy<Index>(used.row_starts()), to_numpy<Id>(std::move(used.ids)),
                        to_numpy<float>(std::move(x)));
}

void add_to_sums(LabelSums<>& sums, const CountedRows& rows, Array<const Id> codes,
                 const std::string& tf) {
  if (static_cast<Index>(codes.shape(0)) != rows.documents())
    throw std::invalid_argument("there must be one label for each text");
  for (Id id : rows.ids.span())
    if (id >= sums.features()) throw std::invalid_argument("a feature is out of range");
  const Weighting weighting(tf_rule(tf), Norm::none, Transform::none);
  interruptible([&] {
    std::vector<std::uint32_t> buffer;
    sums.add(view(codes), [&](Index i, auto&& add) {
      for (Index p = i * rows.parts; p < (i + 1) * rows.parts; ++p) {
        const std::span<const std::uint32_t> counts = rows.counts_of(p, buffer);
        const std::span<const Id> ids = rows.row(p);
        for (std::size_t k = 0; k < ids.size(); ++k)
          add(ids[k], counts.empty() ? 1.f : weighting.tf_of(counts[k]));
      }
    });
  });
}

NumPy<float, 2> ratios_of_counts(const CountedRows& rows, Array<const Id> codes, Index features,
                                 Id labels, double alpha, const std::string& tf) {
  LabelSums<> sums(features, labels);
  add_to_sums(sums, rows, codes, tf);
  return to_numpy(sums.ratios(alpha), static_cast<std::size_t>(labels));
}

// Calls add(feature, t) for what is not zero in row i.
auto entries_of(const Rows& rows, bool binary) {
  return [&rows, binary, buffer = RowBuffer()](Index i, auto&& add) mutable {
    const Row row = rows.row(i, buffer);
    for (Id k = 0; k < row.size; ++k)
      if (row.value[k] != 0) add(row.index[k], binary ? 1.f : row.value[k]);
  };
}

void add_rows_to_sums(LabelSums<>& sums, const Rows& rows, Array<const Id> codes, bool binary) {
  if (static_cast<Index>(codes.shape(0)) != rows.size() || rows.features() > sums.features())
    throw std::invalid_argument("there must be one label for each row, and no more features");
  interruptible([&] { sums.add(view(codes), entries_of(rows, binary)); });
}

NumPy<float, 2> ratios_of_rows(const Rows& rows, Array<const Id> codes, Id labels, double alpha,
                               bool binary) {
  if (static_cast<Index>(codes.shape(0)) != rows.size())
    throw std::invalid_argument("there must be one label for each row");
  auto ratios = interruptible([&] {
    return label_ratios(view(codes), rows.features(), labels, alpha, entries_of(rows, binary));
  });
  return to_numpy(std::move(ratios), static_cast<std::size_t>(labels));
}

// Rows with `ids` and `x`, both (rows, more), behind their entries; an id below 0 is left out.
nb::tuple append_entries(Array<const Index> indptr, Array<const Id> indices,
                         Array<const float> values, Matrix<const Id> ids, Matrix<const float> x) {
  const auto n = static_cast<Index>(ids.shape(0)), more = static_cast<Index>(ids.shape(1));
  if (static_cast<Index>(indptr.shape(0)) != n + 1 || x.shape(0) != ids.shape(0) ||
      x.shape(1) != ids.shape(1) || indices.shape(0) != values.shape(0))
    throw std::invalid_argument("the rows and what is to be appended differ in number");
  Index last = 0;
  for (Index i = 0; i <= n; ++i) {
    if (indptr.data()[i] < last) throw std::invalid_argument("indptr decreases");
    last = indptr.data()[i];
  }
  if (last != static_cast<Index>(indices.shape(0)) || indptr.data()[0] != 0)
    throw std::invalid_argument("indptr must run from 0 to the number of entries");
  std::vector<Index> starts{0};
  PageArray<Id> all_ids;
  PageArray<float> all_x;
  all_ids.reserve(indices.shape(0) + static_cast<std::size_t>(n * more));
  all_x.reserve(indices.shape(0) + static_cast<std::size_t>(n * more));
  for (Index i = 0; i < n; ++i) {
    const Index begin = indptr.data()[i];
    const auto size = static_cast<std::size_t>(indptr.data()[i + 1] - begin);
    all_ids.append({indices.data() + begin, size});
    all_x.append({values.data() + begin, size});
    for (Index k = i * more; k < (i + 1) * more; ++k) {
      if (ids.data()[k] < 0) continue;
      all_ids.push_back(ids.data()[k]);
      all_x.push_back(x.data()[k]);
    }
    starts.push_back(static_cast<Index>(all_ids.size()));
  }
  return nb::make_tuple(to_numpy<Index>(std::move(starts)), to_numpy<Id>(std::move(all_ids)),
                        to_numpy<float>(std::move(all_x)));
}

NumPy<float, 2> statistics(const Texts& texts, const Analyzer& analyzer, int threads) {
  const auto all = interruptible([&] { return text_statistics(texts, analyzer, threads); });
  std::vector<float> flat;
  flat.reserve(all.size() * kTextStatistics.size());
  for (const TextStatistics& of : all) flat.insert(flat.end(), of.begin(), of.end());
  return to_numpy(std::move(flat), kTextStatistics.size());
}

// The table itself, not a copy; a growing vocabulary leaves it behind when it makes a larger one.
nb::ndarray<nb::numpy, const std::uint64_t, nb::ndim<1>> slots_of(const FeatureCounter& counter) {
  auto* held = new std::shared_ptr(counter.vocabulary().slots());
  nb::capsule owner(held, [](void* p) noexcept {
    delete static_cast<std::shared_ptr<const PageArray<std::uint64_t>>*>(p);
  });
  return {(*held)->data(), {(*held)->size()}, owner};
}

NumPy<Index> looks_of(const FeatureTable& table, Hashes hashes) {
  std::vector<Index> looks;
  for (const std::uint64_t hash : view(hashes)) {
    Index& seen = looks.emplace_back(0);
    std::visit(
        [&](const auto& kind) {
          const auto looked = [&] { ++seen; };
          if constexpr (requires { kind.find(hash, looked); }) kind.find(hash, looked);
        },
        table.numbering);
  }
  return to_numpy<Index>(std::move(looks));
}

void bind_table(nb::module_& m) {
  m.def(
      "looks_in_vain",
      [](Hashes hashes) {
        std::vector<std::uint64_t> found(hashes.size() + 1);
        Index looks = 0;
        DistinctHashes().gather(
            view(hashes), found.data(), [](std::uint64_t hash) { return hash; },
            [](std::uint32_t, std::uint64_t) {}, [](std::uint32_t) {}, [&] { ++looks; });
        return looks;
      },
      nb::arg("hashes"),
      "For tests: at how many slots that hold others one looks to find what is distinct in a "
      "text.");
  nb::class_<FeatureTable>(m, "FeatureTable", "The numbers of features, by their hashes.")
      .def_static(
          "interned",
          [](Hashes slots, Index features) {
            return FeatureTable{FrozenVocabulary(view(slots), features)};
          },
          in_place("slots"), nb::arg("features"), nb::keep_alive<0, 1>(),
          "A vocabulary's slots, read where they lie.")
      .def_static(
          "hashed", [](int bits) { return FeatureTable{HashedNumbering(bits)}; }, nb::arg("bits"),
          "The leading bits of the hash.")
      .def_static(
          "packed",
          [](Array<const std::uint16_t> fingerprints) {
            return FeatureTable{PackedNumbering(view(fingerprints))};
          },
          in_place("fingerprints"), nb::keep_alive<0, 1>(), "16 bits per slot, read in place.")
      .def_prop_ro("features", [](const FeatureTable& t) { return features_of(t.numbering); })
      .def("looks", &looks_of, nb::arg("hashes"),
           "For tests: at how many slots, or lines of slots, a search for each hash looks.")
      .def(
          "count",
          [](const FeatureTable& table, const Texts& texts, const Analyzer& analyzer, bool counted,
             int threads) {
            return interruptible(
                [&] { return count_known(texts, analyzer, table.numbering, counted, threads); });
          },
          nb::arg("texts"), nb::arg("analyzer"), nb::arg("counted"), nb::arg("threads") = 1,
          "The counts of texts; features without a number are left out.")
      .def(
          "find",
          [](const FeatureTable& table, Hashes hashes) {
            std::vector<Id> ids;
            ids.reserve(hashes.shape(0));
            std::visit(
                [&](const auto& numbering) {
                  for (std::uint64_t hash : view(hashes)) ids.push_back(numbering.find(hash));
                },
                table.numbering);
            return to_numpy<Id>(std::move(ids));
          },
          nb::arg("hashes"), "The number of each, -1 if it has none.");
}

void bind_counts(nb::module_& m) {
  nb::class_<CountedRows>(m, "CountedRows", "The counts of documents.")
      .def_prop_ro("size", &CountedRows::documents)
      .def_prop_ro("entries", [](const CountedRows& rows) { return rows.ids.size(); })
      .def_prop_ro(
          "starts",
          [](const CountedRows& rows) {
            return copy_to_numpy(std::span<const Index>(rows.starts));
          },
          nb::rv_policy::automatic, "Where each part of each row begins.")
      .def(
          "document_frequencies",
          [](const CountedRows& rows, Index features) {
            for (Id id : rows.ids.span())
              if (id >= features) throw std::invalid_argument("a feature is out of range");
            return to_numpy<std::int64_t>(rows.document_frequencies(features));
          },
          nb::arg("features"), "In how many documents each feature occurs.")
      .def("label_ratios", &ratios_of_counts, nb::arg("codes"), nb::arg("features"),
           nb::arg("labels"), nb::arg("alpha"), nb::arg("tf"),
           "(features, labels) naive Bayes log-count ratios, each label against the others.")
      .def("weigh", &weigh, nb::arg("tf"), nb::arg("norm"), nb::arg("transform"),
           nb::arg("values").none() = nb::none(), nb::arg("threads") = 1,
           nb::arg("mix") = std::vector<float>(),
           nb::sig("def weigh(self, tf: str, norm: str, transform: str, "
                   "values: NDArray[numpy.float32] | None = None, threads: int = 1, "
                   "mix: collections.abc.Sequence[float] = ()) -> "
                   "tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]"),
           "indptr, indices and values of the rows; the counts are used up.")
      .def(
          "packed",
          [](const CountedRows& rows) {
            const std::string bytes = packed_counts(rows);
            return nb::bytes(bytes.data(), bytes.size());
          },
          "All of it, for a file that is read again by the same process.")
      .def_static(
          "unpacked",
          [](nb::bytes packed, Index features) {
            return unpacked_counts({packed.c_str(), packed.size()}, features);
          },
          nb::arg("packed"), nb::arg("features"), "The inverse; every number is below `features`.")
      .def(
          "renumber",
          [](CountedRows& rows, Array<const Id> renumbered) {
            for (Id id : rows.ids.span())
              if (static_cast<std::size_t>(id) >= renumbered.shape(0))
                throw std::invalid_argument("a feature is out of range");
            rows.renumber(view(renumbered));
          },
          nb::arg("renumbered"), NoGil(),
          "Features get new numbers; those with a number below 0 leave their rows.")
      .def(
          "add_document_frequencies",
          [](const CountedRows& rows, Array<std::int64_t> df) {
            for (Id id : rows.ids.span()) {
              if (static_cast<std::size_t>(id) >= df.shape(0))
                throw std::invalid_argument("a feature is out of range");
              ++df.data()[id];
            }
          },
          nb::arg("df").noconvert(), "Adds to the number of documents of each feature.");
  nb::class_<LabelSums<>>(m, "LabelSums",
                          "Sums of features by label, over texts that come in parts.")
      .def(nb::init<Index, Id>(), nb::arg("features"), nb::arg("labels"))
      .def_static(
          "of",
          [](Matrix<const double> sums) {
            const double* const begin = sums.data();
            return LabelSums<>(std::vector<double>(begin, begin + sums.size()),
                               static_cast<Id>(sums.shape(1)));
          },
          nb::arg("sums"), "Of (features, labels) sums that were made elsewhere.")
      .def("grow", &LabelSums<>::grow, nb::arg("features"), "More features have come to be.")
      .def("add", &add_to_sums, nb::arg("counted"), nb::arg("codes"), nb::arg("tf"),
           "The counts of some texts, and their labels.")
      .def("add_rows", &add_rows_to_sums, nb::arg("rows"), nb::arg("codes"),
           nb::arg("binary") = true,
           "Some rows, and their labels: 1 for what is not zero, or the values.")
      .def_prop_ro(
          "sums",
          [](const LabelSums<>& sums) {
            return to_numpy(std::vector<double>(sums.sums().begin(), sums.sums().end()),
                            static_cast<std::size_t>(sums.labels()));
          },
          nb::rv_policy::automatic, "(features, labels), a copy.")
      .def(
          "ratios",
          [](LabelSums<>& sums, double alpha) {
            return to_numpy(sums.ratios(alpha), static_cast<std::size_t>(sums.labels()));
          },
          nb::arg("alpha"),
          "(features, labels) naive Bayes log-count ratios; the sums are used up.");
}

void bind_counter(nb::module_& m) {
  nb::class_<FeatureCounter>(m, "FeatureCounter", "A vocabulary that grows while it counts.")
      .def(nb::init<>())
      .def(
          "__init__",
          [](FeatureCounter* self, Hashes hashes, Array<const std::uint32_t> df,
             Array<const std::uint8_t> name_bytes, Array<const std::int64_t> name_offsets) {
            new (self) FeatureCounter(
                view(hashes), view(df),
                {reinterpret_cast<const char*>(name_bytes.data()), name_bytes.shape(0)},
                view(name_offsets));
          },
          nb::arg("hashes"), nb::arg("df"), nb::arg("name_bytes"), nb::arg("name_offsets"))
      .def_prop_ro("size", [](const FeatureCounter& c) { return c.vocabulary().size(); })
      .def(
          "count",
          [](FeatureCounter& counter, const Texts& texts, const Analyzer& analyzer, bool counted,
             int threads) {
            return interruptible([&] { return counter.count(texts, analyzer, counted, threads); });
          },
          nb::arg("texts"), nb::arg("analyzer"), nb::arg("counted"), nb::arg("threads") = 1,
          "The counts of texts; new features get the next numbers.")
      .def("select", &FeatureCounter::select, nb::arg("lowest"), nb::arg("highest"),
           nb::arg("most"), nb::arg("rows"), NoGil(),
           "Keeps features by the number of their documents, in the vocabulary and the rows.")
      .def(
          "prune",
          [](FeatureCounter& counter, double lowest, double highest, Index most) {
            return to_numpy<Id>(counter.prune(lowest, highest, most));
          },
          nb::arg("lowest"), nb::arg("highest"), nb::arg("most"),
          "The same in the vocabulary alone: the new number of each feature, below 0 if it is "
          "gone; "
          "none if all stay.")
      .def(
          "merge",
          [](FeatureCounter& counter, Hashes hashes, Array<const std::uint32_t> df,
             Array<const std::uint8_t> name_bytes, Array<const std::int64_t> name_offsets) {
            return to_numpy<Id>(counter.merge(
                view(hashes), view(df),
                {reinterpret_cast<const char*>(name_bytes.data()), name_bytes.shape(0)},
                view(name_offsets)));
          },
          nb::arg("hashes"), nb::arg("df"), nb::arg("name_bytes"), nb::arg("name_offsets"),
          "Features that were counted elsewhere, in texts that come after these; their numbers.")
      .def_prop_ro("bytes", &FeatureCounter::bytes, "What the vocabulary takes, or soon will.")
      .def(
          "name",
          [](FeatureCounter& counter, const Texts& texts, const Analyzer& analyzer, int threads) {
            interruptible([&] { counter.name(texts, analyzer, threads); });
          },
          nb::arg("texts"), nb::arg("analyzer"), nb::arg("threads") = 1,
          "Names the features that were new in the texts counted last.")
      .def_prop_ro("slots", &slots_of, nb::rv_policy::automatic)
      .def_prop_ro(
          "hashes", [](const FeatureCounter& c) { return copy_to_numpy(c.vocabulary().hashes()); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "document_frequencies",
          [](const FeatureCounter& c) { return copy_to_numpy(c.document_frequencies()); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "name_bytes",
          [](const FeatureCounter& c) {
            const auto bytes = c.names().bytes.span();
            return copy_to_numpy(std::span<const std::uint8_t>(
                reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
          },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "name_offsets",
          [](const FeatureCounter& c) {
            return copy_to_numpy(std::span<const std::int64_t>(c.names().offsets));
          },
          nb::rv_policy::automatic);
}

}  // namespace

void text_counts(nb::module_& m) {
  bind_table(m);
  bind_counts(m);
  bind_counter(m);
  m.def("label_ratios", &ratios_of_rows, nb::arg("rows"), nb::arg("codes"), nb::arg("labels"),
        nb::arg("alpha") = 1.0, nb::arg("binary") = true,
        "(features, labels) naive Bayes log-count ratios of rows, each label against the others.");
  m.def("append_entries", &append_entries, nb::arg("indptr"), nb::arg("indices"), nb::arg("values"),
        nb::arg("ids"), nb::arg("x"),
        nb::sig("def append_entries(indptr: NDArray[numpy.int64], indices: NDArray[numpy.int32], "
                "values: NDArray[numpy.float32], ids: NDArray[numpy.int32], x: "
                "NDArray[numpy.float32]) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], "
                "NDArray[numpy.float32]]"),
        "Rows with further entries behind their own; an id below 0 is left out.");
  m.def(
      "text_statistics", &statistics, nb::arg("texts"), nb::arg("analyzer"), nb::arg("threads") = 1,
      "(texts, 4): shares of punctuation, uppercase and digits, and the logarithm of the length.");
}

}  // namespace linnet::bind
