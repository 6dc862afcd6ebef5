// From the weights of a grammar to trees: best ones, the k best, samples, the least expected loss.
// A coarser grammar may go before, and symbols through which its best tree is too far behind the
// best of all are left out. Where no tree is left, the grammar goes before itself.
#pragma once
#include <numeric>
#include <optional>

#include "linnet/base/rng.hpp"
#include "linnet/base/thread_pool.hpp"
#include "linnet/charts/edge_scores.hpp"
#include "linnet/data/chart_data.hpp"
#include "linnet/inference/entropy.hpp"
#include "linnet/inference/sample.hpp"

namespace linnet {

struct ChartNode {
  Id begin, end, symbol;
};
// Phrases in the order in which they open; the tag of each word by its number. No tags: no tree.
struct ChartTree {
  double score = -kInf;
  std::vector<ChartNode> nodes;
  std::vector<Id> tags;
};

// A grammar that each symbol, rule and tag of a finer one belongs to, with its own weights.
struct CoarsePass {
  std::shared_ptr<const ChartGrammar> grammar;
  std::vector<double> rules, unaries;
  std::vector<Id> symbol, tag;  // of the finer one's
  double within;
};

enum class ChartDecode { best, brackets, rules };

class ChartDecoder {
 public:
  // The caller keeps data and weights alive.
  ChartDecoder(const ChartData& data, std::span<const double> weights, const CoarsePass* coarse,
               double keep)
      : data_(data), weights_(weights), coarse_(coarse), keep_(keep) {
    if (std::ssize(weights) != data.dim())
      throw std::invalid_argument("the weights do not fit the data");
  }

  // One tree for each sentence that is not empty; false: interrupted.
  bool trees(ChartDecode how, int threads, std::vector<ChartTree>& found) const {
    found.resize(static_cast<std::size_t>(data_.size()));
    return each(threads, [&](Index i, Work& work) { found[i] = tree(how, i, work); });
  }
  // The k best trees of each sentence, best first.
  bool best(Id k, int threads, std::vector<std::vector<ChartTree>>& found) const {
    found.resize(static_cast<std::size_t>(data_.size()));
    return each(threads, [&](Index i, Work& work) {
      if (!enter(i, work, Wanted::several)) return;
      KBest<ChartForest> best(work.all_trees(), work.theta);
      Output output;
      for (Id rank = 0; rank < k && best.output(rank, output); ++rank)
        found[i].push_back(tree_of(work.parts, output.parts, output.score));
    });
  }
  // Trees drawn with their probabilities; the same for any number of threads.
  bool samples(Id count, std::uint64_t seed, int threads,
               std::vector<std::vector<ChartTree>>& found) const {
    found.resize(static_cast<std::size_t>(data_.size()));
    return each(threads, [&](Index i, Work& work) {
      if (!enter(i, work, Wanted::several)) return;
      Sampler<ChartForest> sampler(work.all_trees(), work.theta);
      if (sampler.log_z() == -kInf) return;
      Rng rng(seed + 0x9e3779b97f4a7c15u * static_cast<std::uint64_t>(i + 1));
      std::vector<Id> output;
      for (Id s = 0; s < count; ++s) {
        sampler.sample(rng, output);
        double score = 0;
        for (const Id p : output) score += work.theta[p];
        found[i].push_back(tree_of(work.parts, output, score));
      }
    });
  }
  // log Z, the entropy, and the marginals of tags and labels of spans, sentence after sentence.
  struct Sums {
    double log_z = -kInf, entropy = 0;
    std::vector<double> tags, spans;  // [word][tag], [span][label]
  };
  bool sums(int threads, std::vector<Sums>& found) const {
    found.resize(static_cast<std::size_t>(data_.size()));
    return each(threads, [&](Index i, Work& work) {
      const bool any = enter(i, work, Wanted::spans);
      Sums& own = found[i];
      std::vector<double> mu(work.theta.size());
      if (any) own.log_z = marginals(work, mu);
      if (own.log_z == -kInf)
        std::fill(mu.begin(), mu.end(), 0.0);
      else
        own.entropy = entropy(own.log_z, work.theta, mu);
      own.tags.assign(mu.begin(), mu.begin() + work.parts.span_begin());
      own.spans.assign(mu.begin() + work.parts.span_begin(), mu.begin() + work.parts.missed(0));
    });
  }

 private:
  // The best tree, several, or sums over several in which labels of spans are parts, whether or not
  // they have weights.
  enum class Wanted { best, several, spans };
  struct Work {
    InstanceBuffer buffer;
    ChartParts parts{nullptr, 0, false};
    std::vector<double> theta, coarse_theta, through;
    std::unique_ptr<SpanFilter> filter;
    std::optional<ChartForest> forest;
    ChartKernel<MaxPlus> coarse, best;  // best: of theta, where no phrases are known
    ChartKernel<SumProduct> sums;

    const ChartForest& all_trees() {
      if (!forest) forest.emplace(parts, theta, filter.get());
      return *forest;
    }
    void look_at(std::unique_ptr<SpanFilter> some) {
      filter = std::move(some);
      forest.reset();
    }
    bool any_tree() {
      if (!parts.known.empty()) return any_edge(all_trees());
      best.inside(parts, theta, filter.get());
      return best.best() > -kInf;
    }
  };
  // Are there trees? Nodes that none of them has are taken out.
  static bool any_edge(const ChartForest& forest) {
    return forest.num_edges() > forest.first_edge(forest.root());
  }

  template <class Use>
  bool each(int threads, Use&& use) const {
    if (threads < 1) throw std::invalid_argument("threads must be at least 1");
    std::atomic<bool> stopped{false};
    const Index pieces = std::min<Index>(data_.size(), 64 * Index{threads});
    parallel_for(pieces, threads, [&](Index s) {
      Work work;
      StopCheck stop;
      for (Index i = data_.size() * s / pieces; i < data_.size() * (s + 1) / pieces; ++i) {
        if (stopped) return;
        use(i, work);
        if (stop()) stopped = true;
      }
    });
    return !stopped;
  }

  // Scores of a sentence, and what the coarse grammar leaves of its chart; false: it has no tree.
  bool enter(Index i, Work& work, Wanted wanted) const {
    const Instance x = data_.read(i, work.buffer);
    score_instance(x, weights_.data(), work.buffer);
    work.parts = static_cast<const ChartOracle&>(*x.oracle).chart();
    work.theta.assign(work.buffer.theta.begin(), work.buffer.theta.end());
    if (!x.consistent.empty()) clamp(x.consistent, work.theta);
    if (wanted == Wanted::spans && !work.parts.spans) {
      work.parts.spans = true;
      work.theta.insert(
          work.theta.begin() + work.parts.span_begin(),
          static_cast<std::size_t>(work.parts.num_spans() * work.parts.grammar->labels()), 0.0);
    }
    work.look_at(nullptr);
    if (coarse_ && prune(work) && work.any_tree()) return true;
    work.look_at(nullptr);
    if (!work.any_tree()) return false;
    if (coarse_ && wanted != Wanted::best && work.parts.known.empty()) keep_near_best(work);
    return true;
  }
  // False: the coarse grammar has no tree, and the finer one may know better.
  bool prune(Work& work) const {
    const ChartParts& fine = work.parts;
    const ChartParts parts{coarse_->grammar, fine.length, fine.spans};
    std::vector<double>& theta = work.coarse_theta;
    theta.assign(static_cast<std::size_t>(parts.num_parts()), -kInf);
    for (Id t = 0; t < fine.length; ++t)
      for (Id k = 0; k < fine.grammar->tags(); ++k) {
        double& best = theta[parts.tag(t, coarse_->tag[k])];
        best = std::max(best, work.theta[fine.tag(t, k)]);
      }
    std::copy(work.theta.begin() + fine.span_begin(), work.theta.begin() + fine.missed(0),
              theta.begin() + parts.span_begin());
    std::copy(coarse_->rules.begin(), coarse_->rules.end(), theta.begin() + parts.rule(0));
    std::copy(coarse_->unaries.begin(), coarse_->unaries.end(), theta.begin() + parts.unary(0));
    work.coarse.inside(parts, theta, nullptr, coarse_->within + kBeam);
    if (work.coarse.best() == -kInf) return false;
    work.look_at(near_best(work.coarse, coarse_->symbol, parts, work));
    return true;
  }
  void keep_near_best(Work& work) const {
    std::vector<Id> same(static_cast<std::size_t>(work.parts.grammar->symbols));
    std::iota(same.begin(), same.end(), 0);
    work.look_at(near_best(work.best, std::move(same), work.parts, work));
  }
  // The symbols, as a finer grammar knows them, whose best tree is near the best of all.
  std::unique_ptr<SpanFilter> near_best(ChartKernel<MaxPlus>& kernel, std::vector<Id> symbol_of,
                                        const ChartParts& parts, Work& work) const {
    auto found = std::make_unique<SpanFilter>(std::move(symbol_of), parts.grammar->symbols,
                                              parts.num_spans());
    const double best = kernel.best(), rounding = 1e-9 * std::max(1.0, std::abs(best));
    const double least = best - coarse_->within - rounding;
    const auto keep = [&](Id begin, Id end, Id symbol, double score) {
      if (score >= least) found->allow(ChartParts::span_number(begin, end), symbol);
    };
    work.through.resize(static_cast<std::size_t>(parts.num_parts()));
    kernel.outside(work.through, keep, least);
    return found;
  }

  ChartTree tree(ChartDecode how, Index i, Work& work) const {
    const Wanted wanted = how == ChartDecode::best       ? Wanted::best
                          : how == ChartDecode::brackets ? Wanted::spans
                                                         : Wanted::several;
    if (!enter(i, work, wanted)) return {};
    if (how == ChartDecode::rules) return most_likely_rules(work);
    if (how == ChartDecode::best) return best_tree(work, work.theta);
    std::vector<double> gain(work.theta.size());
    marginals(work, gain);
    expected_gains(work, gain);
    if (work.parts.known.empty()) work.best.inside(work.parts, gain, work.filter.get());
    return best_tree(work, gain);
  }
  // By the kernel, which has been inside, or by the forest where phrases are known.
  ChartTree best_tree(Work& work, std::span<const double> theta) const {
    if (work.parts.known.empty()) {
      if (work.best.best() == -kInf) return {};
      std::vector<Id> output;
      work.best.trace([&](Id part) { output.push_back(part); });
      return tree_of(work.parts, output, work.best.best());
    }
    KBest<ChartForest> best(work.all_trees(), theta);
    Output first;
    return best.output(0, first) ? tree_of(work.parts, first.parts, first.score) : ChartTree{};
  }
  double marginals(Work& work, std::span<double> mu) const {
    if (work.parts.known.empty() && work.sums.inside(work.parts, work.theta, work.filter.get()) &&
        std::isfinite(work.sums.best()) && work.sums.outside(mu))
      return work.sums.best();
    return solve<Log>(work.all_trees(), std::span<const double>(work.theta), mu,
                      work.buffer.work.real);
  }
  // What a part of a tree adds to what is expected to be right, less `keep` for each phrase. The
  // same phrase once more, right below itself, is no second one.
  void expected_gains(Work& work, std::span<double> mu) const {
    const ChartParts& parts = work.parts;
    const ChartGrammar& g = *parts.grammar;
    for (Id p = 0; p < parts.num_parts(); ++p) {
      if (work.theta[p] == -kInf)
        mu[p] = -kInf;
      else if (p >= parts.missed(0))
        mu[p] = 0;
      else if (p >= parts.span_begin())
        mu[p] = g.counts[(p - parts.span_begin()) % g.labels()] ? mu[p] - keep_ : 0;
    }
    for (Id r = 0; r < g.unaries(); ++r)
      if (g.label[g.unary[r].parent] == g.label[g.unary[r].child]) mu[parts.unary(r)] -= 1;
  }
  ChartTree most_likely_rules(Work& work) const {
    Output output;
    if (!max_rule_product(work.all_trees(), work.theta, output)) return {};
    return tree_of(work.parts, output.parts, output.score);
  }

  // Parts come from the root down and from right to left.
  static ChartTree tree_of(const ChartParts& parts, std::span<const Id> output, double score) {
    const ChartGrammar& g = *parts.grammar;
    ChartTree tree{score, {}, std::vector<Id>(static_cast<std::size_t>(parts.length), -1)};
    std::vector<std::pair<Id, int>> open;  // nodes, and how many of their children are to come
    Id at = parts.length;
    for (const Id p : output) {
      if (p < parts.span_begin()) {
        tree.tags[--at] = p % g.tags();
        while (!open.empty() && --open.back().second == 0) {
          tree.nodes[open.back().first].begin = at;
          open.pop_back();
        }
      } else if (p >= parts.rule(0)) {
        const Id r = p - parts.rule(0);
        const bool binary = r < g.size();
        open.emplace_back(static_cast<Id>(tree.nodes.size()), binary ? 2 : 1);
        const Id symbol = binary ? g.binary[r].parent : g.unary[r - g.size()].parent;
        tree.nodes.push_back({0, at, symbol});
      }
    }
    // outer ones first, and of those over the same words in the order they came
    std::stable_sort(tree.nodes.begin(), tree.nodes.end(), [](const auto& a, const auto& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    return tree;
  }

  const ChartData& data_;
  std::span<const double> weights_;
  const CoarsePass* coarse_;
  double keep_;
  static constexpr double kBeam = 8;  // of the coarse pass, beside what is kept of it
};

}  // namespace linnet
