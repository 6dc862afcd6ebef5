// Trees of phrases from weights of templates of spans: the best, those of least risk, k best,
// samples, probabilities, and what is left for a second look. Sentences share nothing, so results
// are the same for any number of threads.
#pragma once
#include <numeric>

#include "linnet/base/exp_sums.hpp"
#include "linnet/base/rng.hpp"
#include "linnet/base/thread_pool.hpp"
#include "linnet/inference/sample.hpp"
#include "linnet/phrases/span_rules.hpp"
#include "linnet/phrases/span_scores.hpp"
#include "linnet/sentences/token_columns.hpp"
#include "linnet/structures/brackets/bracket_chart.hpp"
#include "linnet/text/pipeline.hpp"

namespace linnet {

// A bracket of some tree, with its score, its probability, or the score of the best tree with it.
struct ScoredBracket {
  Id begin, end, label;
  double score;
};
struct ScoredTree {
  double score = -kInf;  // -inf: no tree is allowed
  std::vector<ScoredBracket> brackets;
};

// Scores of one sentence after the other, under what is certain of it.
class PhraseSearch {
 public:
  PhraseSearch(const PhraseTokens& tokens, const SpanTemplates& templates, Id labels,
               std::span<const float> w, bool whole, const SpanRules& rules,
               const ByteRows* rounded = nullptr)
      : scores_(tokens, templates, labels), w_(w), rounded_(rounded), whole_(whole), rules_(rules) {
    if (std::ssize(w) != scores_.size() + scores_.stride())
      throw std::invalid_argument(
          "there must be a weight for each label and feature, and the constant first");
    if (rounded &&
        (rounded->stride() != scores_.stride() || rounded->features() != templates.features()))
      throw std::invalid_argument("there must be as many rounded weights");
    if (!rules.empty() && rules.sentences() != tokens.sentences())
      throw std::invalid_argument("what is certain must be said of each sentence");
  }
  // All scores are kept if `all`, else the best label of each span.
  void enter(Index sentence, bool all) {
    scores_.enter(sentence);
    trees_ = Bracketing{scores_.words(), scores_.labels(), whole_, {}};
    const bool ruled = rules_.any(sentence);
    if (ruled) trees_.demands = rules_.demands(sentence, scores_.words());
    chart_.enter(trees_);
    top_.resize(static_cast<std::size_t>(trees_.spans()));
    if (all) theta_.resize(static_cast<std::size_t>(trees_.num_parts()));
    const auto labels = static_cast<std::size_t>(scores_.labels());
    const auto keep = [&](Id i, Id j, std::span<float> padded) {
      const std::span<float> score = padded.first(labels);
      if (ruled) rules_.apply(sentence, i, j, score);
      const float most = greatest(score.data(), scores_.labels());
      const auto span = static_cast<std::size_t>(trees_.span(i, j));
      top_[span] = static_cast<Id>(std::find(score.begin(), score.end(), most) - score.begin());
      chart_.label(i, j) = static_cast<double>(most);
      if (all) std::copy(score.begin(), score.end(), theta_.data() + span * labels);
    };
    if (rounded_)
      scores_.score(*rounded_, keep);
    else
      scores_.score(w_.data() + scores_.stride(), keep);
  }
  const Bracketing& trees() const { return trees_; }
  BracketChart& chart() { return chart_; }
  std::span<const double> theta() const { return theta_; }
  double share(std::size_t span) const { return share_[span]; }  // P of any bracket over it
  Id top(Id i, Id j) const { return top_[static_cast<std::size_t>(trees_.span(i, j))]; }

  void best(ScoredTree& tree) {
    tree.score = chart_.best();
    tree.brackets.clear();
    if (tree.score == -kInf) return;
    chart_.walk(
        [&](Id i, Id j) { tree.brackets.push_back({i, j, top(i, j), chart_.label(i, j)}); });
  }
  // P(label over span) in place of scores; log Z. Spans whose best tree is more than `within` worse
  // than the best of all are left out of the sums; those of spans with a share below `least` are
  // not made, and scores stay where they are.
  double marginals(double within = kInf, double least = 0) {
    const Id labels = trees_.labels;
    joined_.assign(top_.size(), -kInf);
    counted_.assign(top_.size(), 1);
    if (within < kInf) {
      const double best = chart_.best();
      chart_.best_outside();
      each_span([&](Id i, Id j, std::size_t span) {
        counted_[span] = chart_.through(i, j) >= best - within;
      });
    }
    each_span([&](Id i, Id j, std::size_t span) {
      if (counted_[span])
        joined_[span] = log_sum(theta_.data() + span * labels, labels, chart_.label(i, j));
      chart_.label(i, j) = joined_[span];
    });
    const double log_z = chart_.sum();
    if (log_z == -kInf) return log_z;
    share_.assign(top_.size(), 0.0);
    chart_.flow([&](Id i, Id j, double share) {
      share_[static_cast<std::size_t>(trees_.span(i, j))] = share;
    });
    for (std::size_t span = 0; span < share_.size(); ++span) {
      if (share_[span] >= least)
        share_labels(theta_.data() + span * labels, labels, share_[span], joined_[span]);
    }
    return log_z;
  }
  // After marginals(): the tree with most Σ (P(bracket) − threshold), whose brackets have their P.
  void least_risk(double threshold, ScoredTree& tree) {
    each_span([&](Id i, Id j, std::size_t span) {
      const double* share = theta_.data() + span * trees_.labels;
      const auto top = static_cast<Id>(std::max_element(share, share + trees_.labels) - share);
      top_[span] = top;
      chart_.label(i, j) = share[top] > 0 ? share[top] - threshold : -kInf;
    });
    best(tree);
    for (ScoredBracket& each : tree.brackets) each.score += threshold;
  }
  template <class Visit>
  void each_span(Visit&& visit) const {
    for (Id i = 0; i < trees_.length; ++i)
      for (Id j = i + 1; j <= trees_.length; ++j)
        visit(i, j, static_cast<std::size_t>(trees_.span(i, j)));
  }

 private:
  // In lanes, so that all clones do the same, at once.
  LINNET_CLONES static float greatest(const float* score, Id count) {
    float lane[kLanes];
    std::fill_n(lane, kLanes, score[0]);
    Id k = 0;
    for (; k + kLanes <= count; k += kLanes)
      for (Id l = 0; l < kLanes; ++l) lane[l] = score[k + l] > lane[l] ? score[k + l] : lane[l];
    for (; k < count; ++k) lane[0] = std::max(lane[0], score[k]);
    return *std::max_element(lane, lane + kLanes);
  }
  // top: the greatest of them.
  static double log_sum(const double* terms, Id count, double top) {
    return top == -kInf ? -kInf : top + std::log(detail::sum_of_exp(terms, top, count));
  }
  static void share_labels(double* score, Id count, double all, double joined) {
    if (!(all > 0)) return void(std::fill_n(score, count, 0.0));
    detail::share_of_exp(score, joined, all, count, score);
  }

  static constexpr Id kLanes = 8;

  SpanScores scores_;
  std::span<const float> w_;
  const ByteRows* rounded_;  // taken in their place, if there are any
  bool whole_;
  const SpanRules& rules_;
  Bracketing trees_{1, 1};
  BracketChart chart_;
  std::vector<Id> top_;  // label of each span
  std::vector<double> theta_, joined_, share_;
  std::vector<std::uint8_t> counted_;  // by span
};

class PhraseParser {
 public:
  // w: the constant feature, then [features][stride]. The caller keeps all of them alive. rounded:
  // the same, which all goes by if there are any.
  PhraseParser(const PhraseTokens& tokens, const SpanTemplates& templates, Id labels,
               std::span<const float> w, bool whole, SpanRules rules,
               const ByteRows* rounded = nullptr)
      : tokens_(tokens),
        templates_(templates),
        labels_(labels),
        w_(w),
        whole_(whole),
        rules_(rules),
        rounded_(rounded) {
    search();  // which refuses what is wrong
  }
  Index sentences() const { return tokens_.sentences(); }

  std::vector<ScoredTree> best(int threads) const {
    return each(threads, false,
                [](Index, PhraseSearch& search, ScoredTree& tree) { search.best(tree); });
  }
  // The score is the number of brackets that are expected to be right.
  std::vector<ScoredTree> least_risk(double threshold, int threads) const {
    return each(threads, true, [&](Index, PhraseSearch& search, ScoredTree& tree) {
      if (search.marginals() == -kInf) return;
      search.least_risk(threshold, tree);
      tree.score = 0;
      for (const ScoredBracket& each : tree.brackets) tree.score += each.score;
    });
  }
  // Brackets that are at least so probable, and log Z.
  std::vector<ScoredTree> marginals(double least, int threads) const {
    return each(threads, true, [&](Index, PhraseSearch& search, ScoredTree& tree) {
      tree.score = search.marginals();
      if (tree.score == -kInf) return;
      search.each_span([&](Id i, Id j, std::size_t span) {
        for (Id y = 0; y < labels_; ++y)
          if (const double p = search.theta()[span * labels_ + y]; p >= least)
            tree.brackets.push_back({i, j, y, p});
      });
    });
  }
  // Brackets that are so probable, and all of the best tree, so that there is one; log Z, of all
  // spans but those that are far behind.
  std::vector<ScoredTree> likely(double least, int threads) const {
    return each(threads, true, [&](Index, PhraseSearch& search, ScoredTree& tree) {
      ScoredTree best;
      search.best(best);
      tree.score = search.marginals(kFarBehind, least);
      if (tree.score == -kInf) return;
      std::vector<Id> chosen(static_cast<std::size_t>(search.trees().spans()), -1);
      for (const ScoredBracket& b : best.brackets)
        chosen[static_cast<std::size_t>(search.trees().span(b.begin, b.end))] = b.label;
      search.each_span([&](Id i, Id j, std::size_t span) {
        if (search.share(span) < least) {
          if (chosen[span] >= 0) tree.brackets.push_back({i, j, chosen[span], 0.0});
          return;
        }
        for (Id y = 0; y < labels_; ++y) {
          const double p = search.theta()[span * labels_ + y];
          if (p >= least || y == chosen[span]) tree.brackets.push_back({i, j, y, p});
        }
      });
    });
  }
  // Brackets whose best tree is at most `within` worse than the best of all; the score of that.
  std::vector<ScoredTree> candidates(double within, int threads) const {
    return each(threads, true, [&](Index, PhraseSearch& search, ScoredTree& tree) {
      BracketChart& chart = search.chart();
      tree.score = chart.best();
      if (tree.score == -kInf) return;
      chart.best_outside();
      search.each_span([&](Id i, Id j, std::size_t span) {
        const double through = chart.through(i, j);
        if (!(through >= tree.score - within)) return;
        for (Id y = 0; y < labels_; ++y)
          if (const double score = through - chart.label(i, j) + search.theta()[span * labels_ + y];
              score >= tree.score - within)
            tree.brackets.push_back({i, j, y, score});
      });
    });
  }
  std::vector<std::vector<ScoredTree>> best_trees(Id k, int threads) const {
    if (k < 1) throw std::invalid_argument("k must be at least 1");
    return several(threads, [&](Index, PhraseSearch& search, std::vector<ScoredTree>& found) {
      for (const Output& output :
           OracleOf<Bracketing>(search.trees()).best_outputs(search.theta(), k))
        found.push_back(tree_of(search, output.parts, output.score));
    });
  }
  // Exact samples, the same for any number of threads.
  std::vector<std::vector<ScoredTree>> samples(Id count, std::uint64_t seed, int threads) const {
    if (count < 1) throw std::invalid_argument("there must be at least one sample");
    return several(threads, [&](Index i, PhraseSearch& search, std::vector<ScoredTree>& found) {
      Rng rng(fold(seed ^ kHashSalts[0], static_cast<std::uint64_t>(i) ^ kHashSalts[1]));
      Sampler<Bracketing> sampler(search.trees(), search.theta());
      if (sampler.log_z() == -kInf) return;
      std::vector<Id> parts;
      for (Id k = 0; k < count; ++k) {
        sampler.sample(rng, parts);
        double score = 0;
        for (const Id p : parts) score += search.theta()[static_cast<std::size_t>(p)];
        found.push_back(tree_of(search, parts, score));
      }
    });
  }
  // For every bracket of the best tree, the best tree without it.
  std::vector<std::vector<ScoredTree>> without_each(int threads) const {
    return several(threads, [&](Index, PhraseSearch& search, std::vector<ScoredTree>& found) {
      ScoredTree best;
      search.best(best);
      for (const ScoredBracket& gone : best.brackets) {
        // The next label of the span stands in for it.
        const auto span = static_cast<std::size_t>(search.trees().span(gone.begin, gone.end));
        const std::span<const double> score = search.theta().subspan(span * labels_, labels_);
        Id next = -1;
        for (Id y = 0; y < labels_; ++y)
          if (y != gone.label && (next < 0 || score[y] > score[next])) next = y;
        search.chart().label(gone.begin, gone.end) = next < 0 ? -kInf : score[next];
        ScoredTree other;
        search.best(other);
        for (ScoredBracket& each : other.brackets)
          if (each.begin == gone.begin && each.end == gone.end) each.label = next;
        found.push_back(std::move(other));
        search.chart().label(gone.begin, gone.end) = gone.score;
      }
    });
  }

 private:
  static constexpr double kFarBehind = 20;  // of a logarithm

  static ScoredTree tree_of(const PhraseSearch& search, std::span<const Id> parts, double score) {
    ScoredTree tree{score, {}};
    const Bracketing& trees = search.trees();
    for (const Id part : parts) {
      const auto [i, j] = trees.bounds(part / trees.labels);
      tree.brackets.push_back(
          {i, j, part % trees.labels, search.theta()[static_cast<std::size_t>(part)]});
    }
    std::sort(tree.brackets.begin(), tree.brackets.end(), [](const auto& a, const auto& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    return tree;
  }
  PhraseSearch search() const {
    return PhraseSearch(tokens_, templates_, labels_, w_, whole_, rules_, rounded_);
  }
  template <class Result, class Visit>
  std::vector<Result> over(int threads, bool all, Visit&& visit) const {
    std::vector<Result> found(static_cast<std::size_t>(sentences()));
    const std::vector<Index> shards = shard_starts(tokens_.offsets());
    StopPoll poll;
    parallel_for(std::ssize(shards) - 1, threads, [&](Index s) {
      PhraseSearch search = this->search();
      for (Index i = shards[s]; i < shards[s + 1]; ++i) {
        poll();
        if (tokens_.words(i) == 0) continue;
        if (!Bracketing::fits(tokens_.words(i), labels_))
          throw std::invalid_argument("sentence " + std::to_string(i) + " is too long");
        search.enter(i, all);
        visit(i, search, found[static_cast<std::size_t>(i)]);
      }
    });
    return found;
  }
  template <class Visit>
  std::vector<ScoredTree> each(int threads, bool all, Visit&& visit) const {
    return over<ScoredTree>(threads, all, visit);
  }
  template <class Visit>
  std::vector<std::vector<ScoredTree>> several(int threads, Visit&& visit) const {
    return over<std::vector<ScoredTree>>(threads, true, visit);
  }

  const PhraseTokens& tokens_;
  const SpanTemplates& templates_;
  Id labels_;
  std::span<const float> w_;
  bool whole_;
  SpanRules rules_;
  const ByteRows* rounded_;
};

}  // namespace linnet
