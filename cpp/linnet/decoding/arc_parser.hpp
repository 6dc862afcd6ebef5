// Trees of many sentences from templates and their weights, without scores of all of them in
// between. Blocks of sentences do not depend on the number of threads, and share nothing.
#pragma once
#include "linnet/arcs/arc_rows.hpp"
#include "linnet/arcs/relation_scores.hpp"
#include "linnet/decoding/tree_samples.hpp"
#include "linnet/inference/best_through.hpp"
#include "linnet/inference/minimum_risk.hpp"
#include "linnet/text/pipeline.hpp"

namespace linnet {

// Relations that arcs compete with: w [features + 1][stride]; without tokens there are none.
struct JointWeights {
  const ArcTokens* tokens = nullptr;
  std::span<const float> w;
  Id width = 0;
};

class ArcParser {
 public:
  // w: the constant feature, whose value is `bias`, then one weight for each feature. given: heads
  // that are known, -1 elsewhere, or empty. The caller keeps all of them alive.
  ArcParser(const ArcTokens& tokens, const CandidateArcs& arcs, std::span<const float> w,
            float bias, JointWeights joint, TreeShape shape, std::span<const Id> given)
      : tokens_(tokens),
        arcs_(arcs),
        w_(w),
        bias_(bias),
        joint_(joint),
        shape_(shape),
        given_(given) {
    check_arcs(arcs, offsets());
    shape.check();
    if (std::ssize(w) != tokens.templates().features() + 1)
      throw std::invalid_argument(
          "there must be a weight for each feature, and the constant first");
    if (joint.tokens && (std::ssize(joint.w) != relations()->size() ||
                         !std::ranges::equal(joint.tokens->sentences().offsets(), offsets())))
      throw std::invalid_argument("the weights of joint relations, or their sentences, do not fit");
    if (!given.empty() && std::ssize(given) != offsets().back())
      throw std::invalid_argument("there must be one known head, or -1, for each token");
  }
  std::span<const Index> offsets() const { return tokens_.sentences().offsets(); }
  Index arcs() const { return std::ssize(arcs_.heads); }

  // Heads [tokens] and scores [sentences] of the best trees.
  void best(int threads, Id* heads, double* values) const {
    each(threads, [&](Index i, TreeSearch& search) {
      values[i] = search.best(heads + search.first_token());
      check(i, values[i]);
    });
  }
  // The trees with most heads expected to be right, and that number.
  void least_risk(int threads, Id* heads, double* values) const {
    each(threads, [&](Index i, TreeSearch& search) {
      OracleWork work;
      std::vector<double> chosen(search.theta().size());
      values[i] = minimum_risk(*search.oracle(), search.theta(), chosen, work);
      check(i, values[i]);
      for (Id m = 1; m <= search.words(); ++m)
        for (Id a = search.begin(m); a < search.end(m); ++a)
          if (chosen[a] != 0) heads[search.first_token() + m - 1] = search.head(a);
    });
  }
  // So many exact samples of the heads of every sentence [count][words], the same for any number of
  // threads.
  std::vector<std::vector<Id>> samples(Id count, std::uint64_t seed, int threads) const {
    if (count < 1) throw std::invalid_argument("there must be at least one sample");
    std::vector<std::vector<Id>> all(offsets().size() - 1);
    each(threads, [&](Index i, TreeSearch& search) {
      Rng rng(fold(seed ^ kHashSalts[0], static_cast<std::uint64_t>(i) ^ kHashSalts[1]));
      with_tree_sampler(search.shape(), search.arcs(), search.theta(), [&](auto& sampler) {
        check(i, sampler.log_z());
        std::vector<Id> parts;
        for (Id k = 0; k < count; ++k) {
          sampler.sample(rng, parts);
          append_heads(search, parts, all[static_cast<std::size_t>(i)]);
        }
      });
    });
    return all;
  }
  // Probabilities of the candidate arcs, and log Z [sentences].
  void marginals(int threads, double* mu, double* log_z) const {
    each(threads, [&](Index i, TreeSearch& search) {
      OracleWork work;
      std::vector<double> all(search.theta().size());
      log_z[i] = search.oracle()->solve(Ring::log, search.theta(), all, work);
      check(i, log_z[i]);
      std::copy_n(all.begin(), search.num_arcs(), mu + search.first_arc());
    });
  }
  // For every word the best tree in which it has another head than in `chosen` [tokens]: the score
  // of that tree, the head, and the sibling before the word (0: none). Without such a tree the
  // score is -inf and the head -1. Arrays are [tokens].
  void runners_up(std::span<const Id> chosen, int threads, double* scores, Id* heads,
                  Id* siblings) const {
    if (std::ssize(chosen) != offsets().back())
      throw std::invalid_argument("there must be one head for each token");
    each(threads, [&](Index, TreeSearch& search) {
      const Index first = search.first_token();
      std::vector<Id> tree;
      each_runner_up(search, chosen.data() + first, tree, [&](Id m, double score) {
        const Index at = first + m - 1;
        const bool found = score > -kInf;
        scores[at] = score;
        heads[at] = found ? tree[static_cast<std::size_t>(m - 1)] : -1;
        siblings[at] = found ? TreeSearch::sibling(tree.data(), m) : 0;
      });
    });
  }
  struct Ranked {
    double score;
    std::vector<Id> heads;
  };
  // The k best trees of each sentence, best first.
  std::vector<std::vector<Ranked>> best_trees(Id k, int threads) const {
    std::vector<std::vector<Ranked>> all(offsets().size() - 1);
    each(threads, [&](Index i, TreeSearch& search) {
      for (const Output& output : search.oracle()->best_outputs(search.theta(), k)) {
        Ranked& tree =
            all[static_cast<std::size_t>(i)].emplace_back(output.score, std::vector<Id>());
        append_heads(search, output.parts, tree.heads);
      }
    });
    return all;
  }

 private:
  // The heads of a tree by its parts.
  static void append_heads(const TreeSearch& search, std::span<const Id> parts,
                           std::vector<Id>& heads) {
    const std::size_t first = heads.size();
    heads.resize(first + static_cast<std::size_t>(search.words()));
    for (const Id part : parts)
      if (part < search.num_arcs())
        heads[first + static_cast<std::size_t>(search.modifier(part) - 1)] = search.head(part);
  }
  // tell(word, score) with that tree. Projective ones all at once; others one by one, each without
  // the arc that was chosen.
  template <class Tell>
  static void each_runner_up(TreeSearch& search, const Id* chosen, std::vector<Id>& tree,
                             Tell&& tell) {
    tree.resize(static_cast<std::size_t>(search.words()));
    const auto through = [&](const auto& trees) {
      BestThrough best(trees, search.theta());
      std::vector<Id> parts;
      for (Id m = 1; m <= search.words(); ++m) {
        Id other = -1;
        double score = -kInf;
        for (Id a = search.begin(m); a < search.end(m); ++a)
          if (search.head(a) != chosen[m - 1] && best.score(a) > score)
            other = a, score = best.score(a);
        if (other >= 0) {
          best.output(other, parts);
          tree.clear();
          append_heads(search, parts, tree);
        }
        tell(m, score);
      }
    };
    const bool one_root = search.shape().single_root;
    if (search.second_order()) return through(Siblings(search.arcs(), 1, one_root));
    if (search.shape().projective) return through(Projective(search.arcs(), 1, one_root));
    for (Id m = 1; m <= search.words(); ++m) {
      const Id arc = search.find(chosen[m - 1], m);
      if (arc < 0) throw std::invalid_argument("a head that was chosen is no candidate");
      const double kept = std::exchange(search.theta()[arc], -kInf);
      tell(m, search.best(tree.data()));
      search.theta()[arc] = kept;
    }
  }
  static void check(Index sentence, double value) {
    if (value == -kInf)
      throw std::invalid_argument("sentence " + std::to_string(sentence) + ": no tree is allowed");
  }
  template <class Visit>
  void each(int threads, Visit&& visit) const {
    const std::vector<Index> shards = shard_starts(offsets());
    StopPoll poll;
    parallel_for(std::ssize(shards) - 1, threads, [&](Index s) {
      TreeSearch search(tokens_, arcs_, shape_);
      std::optional<RelationScores> joint = relations();
      for (Index i = shards[s]; i < shards[s + 1]; ++i) {
        poll();
        if (offsets()[i] == offsets()[i + 1]) continue;
        search.enter(i);
        search.score(w_.data() + 1, bias_ * w_[0]);
        if (joint) join(*joint, i, search);
        if (!given_.empty()) search.clamp_to(given_.data() + offsets()[i]);
        visit(i, search);
      }
    });
  }

  std::optional<RelationScores> relations() const {
    if (!joint_.tokens) return std::nullopt;
    return std::optional<RelationScores>(std::in_place, *joint_.tokens, joint_.width);
  }
  // The score of an arc with its best relation.
  void join(RelationScores& relations, Index sentence, TreeSearch& search) const {
    relations.enter(sentence, joint_.w.data());
    for (Id m = 1; m <= search.words(); ++m)
      for (Id a = search.begin(m); a < search.end(m); ++a)
        search.theta()[a] +=
            static_cast<double>(std::ranges::max(relations.score(search.head(a), m)));
  }

  const ArcTokens& tokens_;
  CandidateArcs arcs_;
  std::span<const float> w_;
  float bias_;
  JointWeights joint_;
  TreeShape shape_;
  std::span<const Id> given_;
};

}  // namespace linnet
