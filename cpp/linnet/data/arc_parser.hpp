// Trees of many sentences from templates and their weights, without scores of all of them in
// between. Blocks of sentences do not depend on the number of threads, and share nothing.
#pragma once
#include "linnet/data/tree_search.hpp"
#include "linnet/text/arc_rows.hpp"
#include "linnet/text/pipeline.hpp"

namespace linnet {

class ArcParser {
 public:
  // w: the constant feature, whose value is `bias`, then one weight for each feature. given: heads
  // that are known, -1 elsewhere, or empty. The caller keeps all of them alive.
  ArcParser(const ArcTokens& tokens, const CandidateArcs& arcs, std::span<const float> w,
            float bias, TreeShape shape, std::span<const Id> given)
      : tokens_(tokens), arcs_(arcs), w_(w), bias_(bias), shape_(shape), given_(given) {
    check_arcs(arcs, offsets());
    shape.check();
    if (std::ssize(w) != tokens.templates().features() + 1)
      throw std::invalid_argument(
          "there must be a weight for each feature, and the constant first");
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
  struct Ranked {
    double score;
    std::vector<Id> heads;
  };
  // The k best trees of each sentence, best first.
  std::vector<std::vector<Ranked>> best_trees(Id k, int threads) const {
    std::vector<std::vector<Ranked>> all(offsets().size() - 1);
    each(threads, [&](Index i, TreeSearch& search) {
      for (const Output& output : search.oracle()->best_outputs(search.theta(), k)) {
        Ranked& tree = all[static_cast<std::size_t>(i)].emplace_back(
            output.score, std::vector<Id>(static_cast<std::size_t>(search.words())));
        for (Id m = 1; m <= search.words(); ++m)
          for (const Id part : output.parts)
            if (part >= search.begin(m) && part < search.end(m))
              tree.heads[static_cast<std::size_t>(m - 1)] = search.head(part);
      }
    });
    return all;
  }

 private:
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
      for (Index i = shards[s]; i < shards[s + 1]; ++i) {
        poll();
        if (offsets()[i] == offsets()[i + 1]) continue;
        search.enter(i);
        search.score(w_.data() + 1, bias_ * w_[0]);
        if (!given_.empty()) search.clamp_to(given_.data() + offsets()[i]);
        visit(i, search);
      }
    });
  }

  const ArcTokens& tokens_;
  CandidateArcs arcs_;
  std::span<const float> w_;
  float bias_;
  TreeShape shape_;
  std::span<const Id> given_;
};

}  // namespace linnet
