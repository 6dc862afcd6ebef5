#include "bind/structures/structure.hpp"
#include "linnet/decoding/tree_decode.hpp"
#include "linnet/decoding/tree_samples.hpp"
#include "linnet/inference/minimum_risk.hpp"
#include "linnet/structures/grandparents.hpp"
#include "linnet/structures/sibling_kernel.hpp"

namespace linnet::bind {
namespace {

using Candidates = std::optional<std::vector<std::vector<Id>>>;
using Given = std::optional<Array<const Id>>;

Arcs arcs_of(Id words, const Candidates& candidates) {
  if (!candidates) return Arcs(words);
  if (static_cast<Index>(candidates->size()) != words)
    throw std::invalid_argument("candidates must be one list of heads for each word");
  std::vector<Id> offsets{0}, heads;
  for (const std::vector<Id>& of_word : *candidates) {
    heads.insert(heads.end(), of_word.begin(), of_word.end());
    offsets.push_back(static_cast<Id>(heads.size()));
  }
  return Arcs(offsets, heads);
}
template <class S>
S make_trees(Id words, Id relations, bool single_root, Candidates candidates) {
  return S(arcs_of(words, candidates), relations, single_root);
}

// What tests and tools ask of the arcs of an oracle.
template <class O, class Class, class PartsOf>
void bind_arcs(Class& c, PartsOf parts_of) {
  c.def_prop_ro(
      "arcs",
      [parts_of](const O& self) {
        std::vector<std::pair<Id, Id>> arcs;
        const Arcs& all = parts_of(self).arcs;
        for (Id m = 1; m <= all.words(); ++m)
          for (Id a = all.begin(m); a < all.end(m); ++a) arcs.emplace_back(all.head(a), m);
        return arcs;
      },
      "(head, modifier) of every arc, in the order of sites.");
  c.def(
      "clamp",
      [parts_of](const O& self, const std::vector<Id>& heads, const std::vector<Id>& relations) {
        const ArcParts& parts = parts_of(self);
        if (static_cast<Id>(heads.size()) != parts.arcs.words() ||
            (!relations.empty() && relations.size() != heads.size()))
          throw std::invalid_argument("a head, or -1, is needed for each word");
        std::vector<std::uint8_t> allowed(static_cast<std::size_t>(self.parts()), 1);
        parts.clamp_to(heads, relations, allowed);
        return to_numpy<std::uint8_t>(std::move(allowed));
      },
      nb::arg("heads"), nb::arg("relations") = std::vector<Id>(),
      "The mask of parts that agree with a partial tree; -1: not given.");
}

template <class O, class S>
void bind_kernel(nb::module_& m, const char* name, const char* doc) {
  nb::class_<O, Oracle> c(m, name, doc);
  c.def(
      "__init__",
      [](O* self, Id words, Id relations, bool single_root, Candidates candidates) {
        new (self) O(make_trees<S>(words, relations, single_root, std::move(candidates)));
      },
      nb::arg("words"), nb::arg("relations") = 1, nb::arg("single_root") = true,
      nb::arg("candidates") = nb::none());
  bind_arcs<O>(c, [](const O& o) -> const ArcParts& { return o.structure().arc_parts(); });
}

template <class Real>
void bind_decoding(nb::module_& m) {
  const auto run = [](auto&& work) {
    bool done;
    {
      nb::gil_scoped_release nogil;
      done = work();
    }
    if (done) return;
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  };
  m.def(
      "tree_decode",
      [run](Array<const Real> scores, Array<const Index> offsets, bool projective, bool single_root,
            Given heads, bool minimum_risk, int threads) {
        const TreeDecoder<Real> decoder(view(scores), view(offsets), projective, single_root);
        std::vector<Id> best(static_cast<std::size_t>(decoder.words()));
        std::vector<double> values(static_cast<std::size_t>(decoder.sentences()));
        run([&] {
          return decoder.best(view(heads), minimum_risk, threads, best.data(), values.data());
        });
        return nb::make_tuple(to_numpy<Id>(std::move(best)), to_numpy<double>(std::move(values)));
      },
      nb::arg("scores"), nb::arg("offsets"), nb::arg("projective") = true,
      nb::arg("single_root") = true, nb::arg("heads") = nb::none(), nb::arg("minimum_risk") = false,
      nb::arg("threads") = 1,
      "The heads of the best trees and their scores; `scores` holds n (n + 1) for each sentence.");
  m.def(
      "tree_marginals",
      [run](Array<const Real> scores, Array<const Index> offsets, bool projective, bool single_root,
            int threads) {
        const TreeDecoder<Real> decoder(view(scores), view(offsets), projective, single_root);
        std::vector<double> mu(scores.shape(0));
        std::vector<double> log_z(static_cast<std::size_t>(decoder.sentences()));
        run([&] { return decoder.marginals(threads, mu.data(), log_z.data()); });
        return nb::make_tuple(to_numpy<double>(std::move(mu)), to_numpy<double>(std::move(log_z)));
      },
      nb::arg("scores"), nb::arg("offsets"), nb::arg("projective") = true,
      nb::arg("single_root") = true, nb::arg("threads") = 1,
      "P(arc), laid out as the scores, and log Z of every sentence.");
}

}  // namespace

void trees(nb::module_& m) {
  const auto sweep = [&]<class S>(S (*make)(Id, Id, bool, Candidates), const char* name) {
    auto c = bind_structure(m, name, make, nb::arg("words"), nb::arg("relations") = 1,
                            nb::arg("single_root") = true, nb::arg("candidates") = nb::none());
    bind_arcs<OracleOf<S>>(
        c, [](const OracleOf<S>& o) -> const ArcParts& { return o.structure().arc_parts(); });
    return c;
  };
  sweep(&make_trees<Projective>, "Projective");
  sweep(&make_trees<Grandparents>, "Grandparents");
  auto siblings = sweep(&make_trees<Siblings>, "Siblings");
  siblings.def_prop_ro(
      "siblings",
      [](const OracleOf<Siblings>& self) {
        const SiblingFactors& factors = self.structure().factors;
        std::vector<std::array<Id, 3>> parts;
        factors.arc_parts().each([&](Id modifier, Id head, Id a) {
          parts.push_back({head, modifier, head});
          factors.each(a, head, modifier, [&](Id s, Id) { parts.push_back({head, modifier, s}); });
        });
        return parts;
      },
      "(head, modifier, sibling) of every part after those of the arcs; the head itself: none.");

  bind_kernel<ProjectiveOracle, Projective>(m, "ProjectiveOracle",
                                            "Projective trees by the hand-tuned kernel.");
  bind_kernel<SiblingsOracle, Siblings>(
      m, "SiblingsOracle", "Projective trees with siblings, the best by the hand-tuned kernel.");

  nb::class_<NonProjectiveOracle, Oracle> any(
      m, "NonProjectiveOracle", "All trees: the maximum spanning tree, the matrix-tree theorem.");
  any.def(
      "__init__",
      [](NonProjectiveOracle* self, Id words, Id relations, bool single_root,
         Candidates candidates) {
        new (self) NonProjectiveOracle(arcs_of(words, candidates), relations, single_root);
      },
      nb::arg("words"), nb::arg("relations") = 1, nb::arg("single_root") = true,
      nb::arg("candidates") = nb::none());
  bind_arcs<NonProjectiveOracle>(
      any, [](const NonProjectiveOracle& o) -> const ArcParts& { return o.arc_parts(); });

  any.def(
      "sample",
      [](const NonProjectiveOracle& self, Vector theta, Id count, std::uint64_t seed) {
        check_size(self, theta.shape(0), "theta");
        NonProjectiveSampler sampler(self.arc_parts(), self.single_root(), view(theta));
        Rng rng(seed);
        std::vector<std::vector<Id>> samples(static_cast<std::size_t>(std::max(count, 0)));
        for (auto& output : samples) sampler.sample(rng, output);
        return samples;
      },
      nb::arg("theta"), nb::arg("count"), nb::arg("seed") = 0,
      "Trees drawn from exp(theta . y) / Z, each the list of its parts.");

  m.def(
      "minimum_risk",
      [](const Oracle& oracle, Vector theta) {
        check_size(oracle, theta.shape(0), "theta");
        std::vector<double> best(theta.shape(0));
        OracleWork work;
        const double value = minimum_risk(oracle, view(theta), best, work);
        return nb::make_tuple(value, to_numpy<double>(std::move(best)));
      },
      nb::arg("oracle"), nb::arg("theta"),
      "The output with most parts expected to be right, and that number.");
  bind_decoding<float>(m);
  bind_decoding<double>(m);
}

}  // namespace linnet::bind
