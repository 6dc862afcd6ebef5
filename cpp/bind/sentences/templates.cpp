#include "bind/bind.hpp"
#include "bind/sentences/item_attributes.hpp"
#include "bind/sentences/template_arguments.hpp"
#include "bind/text/text_rules.hpp"

namespace linnet::bind {
namespace {

AttributeKind kind_called(std::string_view name) {
  using enum AttributeKind;
  return named<AttributeKind>("kind", name,
                              {{"token", token},
                               {"found", found},
                               {"lower", lower},
                               {"prefix", prefix},
                               {"suffix", suffix},
                               {"shape", shape},
                               {"kind", kind},
                               {"given", given},
                               {"lexicon", lexicon},
                               {"bias", bias},
                               {"first", first},
                               {"last", last}});
}

// (kind, column, length, lexicon or None) for each attribute; (literals, [(attribute, offset)]) for
// each template.
Templates make_templates(
    const std::vector<std::tuple<std::string, Id, Id, const Lexicon*>>& attributes,
    const std::vector<std::pair<std::vector<std::string>, std::vector<std::pair<Id, Id>>>>&
        templates) {
  std::vector<Attribute> all;
  for (const auto& [kind, column, length, lexicon] : attributes)
    all.push_back({kind_called(kind), column, length, lexicon});
  std::vector<Template> compiled;
  for (const auto& [literals, atoms] : templates) {
    Template& each = compiled.emplace_back();
    each.literals = literals;
    for (const auto& [attribute, offset] : atoms) each.atoms.push_back({attribute, offset});
  }
  return {std::move(all), std::move(compiled)};
}

// (starts, ids, values); values None if all are 1.
nb::tuple to_tuple(TokenRows&& rows) {
  nb::object values = rows.ones ? nb::none() : nb::cast(to_numpy<float>(std::move(rows.values)));
  return nb::make_tuple(to_numpy<Index>(std::move(rows.starts)), to_numpy<Id>(std::move(rows.ids)),
                        std::move(values));
}

// `use(templates, own)` over the sentences, without the GIL.
template <class Use>
nb::tuple over_sentences(const Templates& templates, const TokenColumns& sentences,
                         const Flags& flags, const Own& own, int threads, Use&& use) {
  const OwnAttributes attributes = own_attributes(own, sentences.tokens());
  return to_tuple(interruptible([&] {
    const TemplateHashes hashes(templates, sentences, given_flags(flags), threads);
    return use(hashes, attributes);
  }));
}

nb::tuple known(const Templates& templates, const TokenColumns& sentences,
                const FeatureTable& table, const Flags& flags, const Own& own, int threads) {
  return over_sentences(templates, sentences, flags, own, threads, [&](const auto&... with) {
    return known_rows(with..., table.numbering, threads);
  });
}

nb::tuple learn(TokenFeatureCounter& counter, const Templates& templates,
                const TokenColumns& sentences, const Flags& flags, const Own& own, double lowest,
                Index most, int threads, bool names) {
  return over_sentences(templates, sentences, flags, own, threads, [&](const auto&... with) {
    return counter.learn(with..., lowest, most, threads, names);
  });
}

nb::tuple first_seen(TokenFeatureCounter& counter) {
  const std::vector<FirstSeen> first = counter.take_first();
  std::vector<Index> tokens;
  std::vector<Id> which;
  for (const FirstSeen& seen : first) {
    tokens.push_back(seen.token);
    which.push_back(static_cast<Id>(seen.which));
  }
  return nb::make_tuple(to_numpy<Index>(std::move(tokens)), to_numpy<Id>(std::move(which)));
}

nb::tuple feature_names(const Templates& templates, const TokenColumns& sentences,
                        const Flags& flags, const Own& own, Array<const Index> tokens,
                        Array<const Id> which) {
  const OwnAttributes attributes = own_attributes(own, sentences.tokens());
  const GivenFlags given = given_flags(flags);
  std::vector<FirstSeen> seen;
  const Index most = templates.size() + std::ssize(attributes.names);
  if (tokens.shape(0) != which.shape(0))
    throw std::invalid_argument("there must be a template for each token");
  for (std::size_t k = 0; k < tokens.shape(0); ++k) {
    if (tokens(k) < 0 || tokens(k) >= sentences.tokens() || which(k) < 0 || which(k) >= most)
      throw std::invalid_argument("a token or template is out of range");
    seen.push_back({tokens(k), static_cast<std::uint32_t>(which(k))});
  }
  Names names;
  interruptible([&] {
    name_features(templates, sentences, given, attributes.names, seen, names);
    return 0;
  });
  const auto bytes = names.bytes.span();
  return nb::make_tuple(copy_to_numpy(std::span<const std::uint8_t>(
                            reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size())),
                        copy_to_numpy(std::span<const std::int64_t>(names.offsets)));
}

void make_sentences(TokenColumns* self, const std::vector<const Texts*>& columns,
                    Array<const Index> offsets, int threads) {
  nb::gil_scoped_release nogil;
  new (self) TokenColumns(columns, view(offsets), threads);
}

void add_column(TokenColumns& sentences, const Texts& values, Array<const Id> codes) {
  if (static_cast<Index>(codes.shape(0)) != sentences.tokens())
    throw std::invalid_argument("a column has " + std::to_string(codes.shape(0)) +
                                " tokens, but the sentences have " +
                                std::to_string(sentences.tokens()));
  TokenColumn column;
  column.values.assign(values.views().begin(), values.views().end());
  column.codes.append(view(codes));
  for (Id code : column.codes.span())
    if (code < 0 || code >= values.size())
      throw std::invalid_argument("a token is none of the values of its column");
  sentences.add(std::move(column));
}

nb::list distinct(const TokenColumns& sentences, Id column) {
  if (column < 0 || column >= sentences.columns()) throw nb::index_error();
  nb::list tokens;
  for (std::string_view token : sentences.column(column).values) tokens.append(to_str(token));
  return tokens;
}

Id match(TokenColumns& sentences, Id column, const Gazetteer& gazetteer, int threads) {
  if (column < 0 || column >= sentences.columns()) throw nb::index_error();
  nb::gil_scoped_release nogil;
  sentences.add(gazetteer.match(sentences, column, threads));
  return sentences.columns() - 1;
}

template <class Counter>
void bind_names(nb::class_<Counter>& c) {
  c.def_prop_ro("size", [](const Counter& self) { return self.vocabulary().size(); })
      .def_prop_ro(
          "slots",
          [](const Counter& self) { return copy_to_numpy(self.vocabulary().slots()->span()); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "hashes", [](const Counter& self) { return copy_to_numpy(self.vocabulary().hashes()); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "name_bytes",
          [](const Counter& self) {
            const auto bytes = self.names().bytes.span();
            return copy_to_numpy(std::span<const std::uint8_t>(
                reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
          },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "name_offsets",
          [](const Counter& self) {
            return copy_to_numpy(std::span<const std::int64_t>(self.names().offsets));
          },
          nb::rv_policy::automatic);
}

}  // namespace

void templates(nb::module_& m) {
  m.attr("TOKEN_KINDS") = [] {
    nb::list kinds;
    for (std::string_view kind : kTokenKinds) kinds.append(to_str(kind));
    return nb::tuple(kinds);
  }();

  nb::class_<Lexicon>(m, "Lexicon", "Values of tokens, as they stand or in lower case.")
      .def(nb::init<const Texts&, Texts>(), nb::arg("keys"), nb::arg("values"));
  nb::class_<Gazetteer>(m, "Gazetteer", "Values of phrases, the longest first.")
      .def(nb::init<const Texts&, const Texts&>(), nb::arg("phrases"), nb::arg("values"));

  nb::class_<TokenColumns>(m, "TokenColumns", "Columns of tokens, each distinct one once.")
      .def("__init__", &make_sentences, nb::arg("columns"), nb::arg("offsets"),
           nb::arg("threads") = 1, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
           "Sentence i is tokens offsets[i] to offsets[i + 1] of every column.")
      .def_prop_ro("tokens", &TokenColumns::tokens)
      .def("__len__", &TokenColumns::size)
      .def("distinct", &distinct, nb::arg("column"), "The distinct tokens of a column.")
      .def("add", &add_column, nb::arg("values"), nb::arg("codes"), nb::keep_alive<1, 2>(),
           "One more column, of values and which of them each token is.")
      .def("match", &match, nb::arg("column"), nb::arg("gazetteer"), nb::arg("threads") = 1,
           nb::keep_alive<1, 3>(), "Adds a column of the phrases found; tells its number.");

  nb::class_<Templates>(m, "Templates", "Templates of token features.")
      .def(
          "__init__",
          [](Templates* self,
             const std::vector<std::tuple<std::string, Id, Id, const Lexicon*>>& attributes,
             const std::vector<std::pair<std::vector<std::string>, std::vector<std::pair<Id, Id>>>>&
                 templates) { new (self) Templates(make_templates(attributes, templates)); },
          nb::arg("attributes"), nb::arg("templates"), nb::keep_alive<1, 2>())
      .def_prop_ro("size", &Templates::size)
      .def("rows", &known, nb::arg("sentences"), nb::arg("table"), nb::arg("flags"),
           nb::arg("own").none(), nb::arg("threads") = 1,
           nb::sig("def rows(self, sentences: TokenColumns, table: FeatureTable, "
                   "flags: collections.abc.Sequence[NDArray[numpy.uint8]], "
                   "own: tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32], "
                   "Texts] | None, threads: int = 1) -> "
                   "tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]"),
           "indptr, indices and values, a row for each token; features without a number are left "
           "out.")
      .def("names", &feature_names, nb::arg("sentences"), nb::arg("flags"), nb::arg("own").none(),
           nb::arg("tokens"), nb::arg("which"),
           nb::sig("def names(self, sentences: TokenColumns, "
                   "flags: collections.abc.Sequence[NDArray[numpy.uint8]], "
                   "own: tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32], "
                   "Texts] | None, tokens: NDArray[numpy.int64], which: NDArray[numpy.int32]) -> "
                   "tuple[NDArray[numpy.uint8], NDArray[numpy.int64]]"),
           "The names of features of these tokens, by the templates that gave them: bytes, and "
           "where each begins.");

  nb::class_<TokenFeatureCounter> counter(m, "TokenFeatureCounter",
                                          "A vocabulary of token features that grows.");
  counter.def(nb::init<>())
      .def(
          "__init__",
          [](TokenFeatureCounter* self, Array<const std::uint64_t> hashes,
             Array<const std::uint32_t> df, Array<const std::uint8_t> name_bytes,
             Array<const std::int64_t> name_offsets) {
            new (self) TokenFeatureCounter(
                view(hashes), view(df),
                {reinterpret_cast<const char*>(name_bytes.data()), name_bytes.shape(0)},
                view(name_offsets));
          },
          nb::arg("hashes"), nb::arg("df"), nb::arg("name_bytes"), nb::arg("name_offsets"))
      .def("learn", &learn, nb::arg("templates"), nb::arg("sentences"), nb::arg("flags"),
           nb::arg("own").none(), nb::arg("lowest"), nb::arg("most"), nb::arg("threads") = 1,
           nb::arg("names") = true,
           nb::sig("def learn(self, templates: Templates, sentences: TokenColumns, "
                   "flags: collections.abc.Sequence[NDArray[numpy.uint8]], "
                   "own: tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32], "
                   "Texts] | None, lowest: float, most: int, threads: int = 1, "
                   "names: bool = True) -> "
                   "tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]"),
           "indptr, indices and values, a row for each token; new features get the next numbers.\n"
           "Without `names` theirs are empty, and `first_seen` says what they would be of.")
      .def("first_seen", &first_seen,
           "Tokens that have the new features without names, and the templates that gave them.")
      .def(
          "merge",
          [](TokenFeatureCounter& self, Array<const std::uint64_t> hashes,
             Array<const std::uint32_t> df, Array<const std::uint8_t> name_bytes,
             Array<const std::int64_t> name_offsets) {
            self.merge(view(hashes), view(df),
                       {reinterpret_cast<const char*>(name_bytes.data()), name_bytes.shape(0)},
                       view(name_offsets));
          },
          nb::arg("hashes"), nb::arg("df"), nb::arg("name_bytes"), nb::arg("name_offsets"),
          "What another one has counted in later tokens; new features get the next numbers.")
      .def_prop_ro(
          "document_frequencies",
          [](const TokenFeatureCounter& self) {
            return copy_to_numpy(self.document_frequencies());
          },
          nb::rv_policy::automatic);
  bind_names(counter);

  nb::class_<AttributeReader> reader(m, "AttributeReader", "Attributes of items, by name.");
  reader.def(nb::init<>())
      .def(
          "read",
          [](AttributeReader& self, nb::handle sentences) {
            auto [offsets, rows] = self.read(sentences);
            return nb::make_tuple(to_numpy<Index>(std::move(offsets)), to_tuple(std::move(rows)));
          },
          nb::arg("sentences"),
          nb::sig("def read(self, sentences: object) -> tuple[NDArray[numpy.int64], "
                  "tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]]"),
          "Offsets of sentences, and indptr, indices and values with a row for each item.");
  bind_names(reader);
}

}  // namespace linnet::bind
