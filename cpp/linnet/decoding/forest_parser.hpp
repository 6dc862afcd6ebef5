// Trees of phrases in a second look at what a first one has left: the best, those of least risk, k
// best, samples and probabilities. Sentences share nothing, so results are the same for any number
// of threads.
#pragma once
#include "linnet/decoding/phrase_parser.hpp"
#include "linnet/phrases/expected_brackets.hpp"
#include "linnet/phrases/phrase_forest.hpp"

namespace linnet {

// Scores of one sentence after the other.
class ForestSearch {
 public:
  ForestSearch(const PhraseTokens& tokens, const BracketCandidates& candidates,
               const ForestTemplates& templates, const HeadRules& heads, const LabelCodes& labels,
               std::span<const float> w, const SpanRules& rules, double sure = kInf)
      : tokens_(tokens),
        candidates_(candidates),
        labels_(labels),
        w_(w),
        rules_(rules),
        sure_(sure),
        forest_(templates, heads, labels) {}

  // False if the candidates make no tree.
  bool enter(Index sentence) {
    seen_.enter(tokens_, sentence);
    candidates_.find(sentence, seen_.words(), list_);
    wanted_.clear();
    if (rules_.any(sentence)) rules_.wanted(sentence, wanted_);
    const std::size_t certain = wanted_.size();
    add_sure();
    items_.enter(seen_.words(), list_, wanted_);
    forest_.enter(seen_, items_, w_.data());
    if (wanted_.size() > certain && !forest_.any_tree()) {  // sure of what no tree has together
      wanted_.resize(certain);
      items_.enter(seen_.words(), list_, wanted_);
      forest_.enter(seen_, items_, w_.data());
    }
    theta_.resize(static_cast<std::size_t>(trees().parts));
    for (Id p = 0; p < trees().parts; ++p) {
      float sum = 0;
      for (const Id f : forest_.features(p)) sum += w_[static_cast<std::size_t>(f)];
      theta_[static_cast<std::size_t>(p)] = static_cast<double>(sum);
    }
    return !list_.empty();
  }
  const Forest& trees() const { return forest_.trees(); }
  const PhraseItems& items() const { return items_; }
  std::span<const double> theta() const { return theta_; }
  double p(Id q) const { return mu_[static_cast<std::size_t>(forest_.phrase_part(q))]; }

  double solve_best() {
    mu_.resize(theta_.size());
    return solve<Max>(trees(), theta_, mu_, work_);
  }
  // log Z.
  double solve_sums() {
    mu_.resize(theta_.size());
    return solve<Log>(trees(), theta_, mu_, work_);
  }
  // The phrases of an output, whose scores are those of their parts: together that of the tree.
  ScoredTree tree_of(std::span<const Id> parts, double score) {
    in_.assign(list_.size(), 0);
    mu_.assign(theta_.size(), 0.0);
    for (const Id part : parts) mu_[static_cast<std::size_t>(part)] = 1;
    for (Id q = 0; q < items_.phrases(); ++q) in_[static_cast<std::size_t>(q)] = p(q) > 0;
    return tree_of_phrases(score);
  }
  // After solve_best().
  ScoredTree best_tree(double score) {
    in_.assign(list_.size(), 0);
    for (Id q = 0; q < items_.phrases(); ++q) in_[static_cast<std::size_t>(q)] = p(q) > 0.5;
    return tree_of_phrases(score);
  }
  // After solve_best() and best_tree(): the best tree without each of its brackets, in their order.
  std::vector<ScoredTree> without_each(const ScoredTree& best) {
    std::vector<ScoredTree> found;
    for (const ScoredBracket& gone : best.brackets) {
      const Id part = forest_.phrase_part(phrase_of(gone.begin, gone.end, gone.label));
      const double kept = std::exchange(theta_[static_cast<std::size_t>(part)], -kInf);
      const double score = solve_best();
      found.push_back(score == -kInf ? ScoredTree{} : best_tree(score));
      theta_[static_cast<std::size_t>(part)] = kept;
    }
    return found;
  }
  // The candidate; -1: there is none.
  Id phrase_of(Id begin, Id end, Id label) const {
    for (Id q = 0; q < items_.phrases(); ++q) {
      const Candidate& c = items_.candidate(q);
      if (c.begin == begin && c.end == end && c.label == label) return q;
    }
    return -1;
  }
  // tell(kind, place of the weight, number of the template, piece) for the features of one bracket
  // of a tree. False if the tree or the bracket is none of these.
  template <class Tell>
  bool origins(std::span<const ScoredBracket> tree, Id begin, Id end, Tell&& tell) {
    in_.assign(list_.size(), 0);
    Id of = -1;
    for (const ScoredBracket& each : tree) {
      const Id q = phrase_of(each.begin, each.end, each.label);
      if (q < 0) return false;
      in_[static_cast<std::size_t>(q)] = 1;
      if (each.begin == begin && each.end == end) of = q;
    }
    if (of < 0) return false;
    forest_.origins_of_row(of, in_, tell);
    return true;
  }
  // After solve_sums(): the tree with most Σ (P(bracket) − threshold), whose brackets have their P.
  ScoredTree least_risk(double threshold) {
    share_.resize(list_.size());
    for (Id q = 0; q < items_.phrases(); ++q) share_[static_cast<std::size_t>(q)] = p(q);
    expected_.find(items_, labels_, share_, threshold);
    rows_.find(items_, [&](Id q) { return expected_.gain(q); });
    ScoredTree tree;
    Id root = -1;
    for (Id q = 0; q < items_.phrases(); ++q)
      if (is_root(q) && (root < 0 || value(q) > value(root))) root = q;
    if (root < 0 || value(root) == -kInf) return tree;
    tree.score = 0;
    rows_.walk(items_, root, [&](Id q) {
      const Candidate& c = items_.candidate(q);
      tree.brackets.push_back({c.begin, c.end, c.label, share_[static_cast<std::size_t>(q)]});
      tree.score += share_[static_cast<std::size_t>(q)];
    });
    return tree;
  }

 private:
  // Spans that the first look is so sure of are brackets; those over the same words stand side by
  // side.
  void add_sure() {
    for (std::size_t first = 0, last; first < list_.size(); first = last) {
      const Candidate& c = list_[first];
      double p = 0;
      for (last = first;
           last < list_.size() && list_[last].begin == c.begin && list_[last].end == c.end; ++last)
        p += exp(double{list_[last].log_p});
      if (p >= sure_) wanted_.emplace_back(c.begin, c.end);
    }
  }
  bool is_root(Id q) const {
    return items_.candidate(q).begin == 0 && items_.candidate(q).end == items_.words();
  }
  double value(Id q) const { return rows_.value(items_.words() + q); }
  ScoredTree tree_of_phrases(double score) {
    ScoredTree tree{score, {}};
    for (Id q = items_.phrases(); q-- > 0;) {
      if (!in_[static_cast<std::size_t>(q)]) continue;
      const Candidate& c = items_.candidate(q);
      double own = 0;
      forest_.parts_of_row(q, in_, [&](Id part) { own += theta_[static_cast<std::size_t>(part)]; });
      tree.brackets.push_back({c.begin, c.end, c.label, own});
    }
    std::sort(tree.brackets.begin(), tree.brackets.end(), [](const auto& a, const auto& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    return tree;
  }

  const PhraseTokens& tokens_;
  const BracketCandidates& candidates_;
  const LabelCodes& labels_;
  std::span<const float> w_;
  const SpanRules& rules_;
  double sure_;
  PhraseForest forest_;
  PhraseSentence seen_;
  PhraseItems items_;
  ExpectedBrackets expected_;
  BestRows rows_;
  std::vector<Candidate> list_;
  std::vector<std::pair<Id, Id>> wanted_;
  std::vector<std::uint8_t> in_;
  std::vector<double> theta_, mu_, share_;
  Workspace<double> work_;
};

class ForestParser {
 public:
  // The caller keeps all of them alive. Spans that are probable by `sure` and more are brackets of
  // all trees, as what is improbable is in none: so words and phrases inside of them are children
  // of no other.
  ForestParser(const PhraseTokens& tokens, const BracketCandidates& candidates,
               const ForestTemplates& templates, const HeadRules& heads, const LabelCodes& labels,
               std::span<const float> w, SpanRules rules, double sure = kInf)
      : tokens_(tokens),
        candidates_(candidates),
        templates_(templates),
        heads_(heads),
        labels_(labels),
        w_(w),
        rules_(rules),
        sure_(sure) {
    if (std::ssize(w) != templates.weights())
      throw std::invalid_argument("there must be as many weights as templates have places");
    if (candidates.sentences() != tokens.sentences() ||
        (!rules_.empty() && rules_.sentences() != tokens.sentences()))
      throw std::invalid_argument("there must be candidates for each sentence");
    if (heads.codes() < labels.of_tag(tokens.n_tags()))
      throw std::invalid_argument("rules of heads do not know all tags");
  }

  std::vector<ScoredTree> best(int threads) const {
    return over<ScoredTree>(threads, [](Index, ForestSearch& search, ScoredTree& tree) {
      if (const double score = search.solve_best(); score > -kInf) tree = search.best_tree(score);
    });
  }
  // The score is the number of labels that are expected to be right.
  std::vector<ScoredTree> least_risk(double threshold, int threads) const {
    return over<ScoredTree>(threads, [&](Index, ForestSearch& search, ScoredTree& tree) {
      if (search.solve_sums() > -kInf) tree = search.least_risk(threshold);
    });
  }
  // Brackets that are at least so probable, and log Z.
  std::vector<ScoredTree> marginals(double least, int threads) const {
    return over<ScoredTree>(threads, [&](Index, ForestSearch& search, ScoredTree& tree) {
      tree.score = search.solve_sums();
      if (tree.score == -kInf) return;
      for (Id q = 0; q < search.items().phrases(); ++q) {
        const Candidate& c = search.items().candidate(q);
        if (search.p(q) >= least) tree.brackets.push_back({c.begin, c.end, c.label, search.p(q)});
      }
    });
  }
  std::vector<std::vector<ScoredTree>> best_trees(Id k, int threads) const {
    if (k < 1) throw std::invalid_argument("k must be at least 1");
    return over<std::vector<ScoredTree>>(threads, [&](Index, ForestSearch& search,
                                                      std::vector<ScoredTree>& found) {
      for (const Output& output : OracleOf<Forest>(search.trees()).best_outputs(search.theta(), k))
        found.push_back(search.tree_of(output.parts, output.score));
    });
  }
  // Exact samples, the same for any number of threads.
  std::vector<std::vector<ScoredTree>> samples(Id count, std::uint64_t seed, int threads) const {
    if (count < 1) throw std::invalid_argument("there must be at least one sample");
    return over<std::vector<ScoredTree>>(
        threads, [&](Index i, ForestSearch& search, std::vector<ScoredTree>& found) {
          Rng rng(fold(seed ^ kHashSalts[0], static_cast<std::uint64_t>(i) ^ kHashSalts[1]));
          Sampler<Forest> sampler(search.trees(), search.theta());
          if (sampler.log_z() == -kInf) return;
          std::vector<Id> parts;
          for (Id k = 0; k < count; ++k) {
            sampler.sample(rng, parts);
            double score = 0;
            for (const Id p : parts) score += search.theta()[static_cast<std::size_t>(p)];
            found.push_back(search.tree_of(parts, score));
          }
        });
  }
  // For every bracket of the best tree, the best tree without it.
  std::vector<std::vector<ScoredTree>> without_each(int threads) const {
    return over<std::vector<ScoredTree>>(
        threads, [](Index, ForestSearch& search, std::vector<ScoredTree>& found) {
          const double score = search.solve_best();
          if (score > -kInf) found = search.without_each(search.best_tree(score));
        });
  }
  ForestSearch search() const {
    return ForestSearch(tokens_, candidates_, templates_, heads_, labels_, w_, rules_, sure_);
  }
  Index sentences() const { return tokens_.sentences(); }

 private:
  template <class Result, class Visit>
  std::vector<Result> over(int threads, Visit&& visit) const {
    std::vector<Result> found(static_cast<std::size_t>(tokens_.sentences()));
    const std::vector<Index> shards = shard_starts(tokens_.offsets());
    StopPoll poll;
    parallel_for(std::ssize(shards) - 1, threads, [&](Index s) {
      ForestSearch search = this->search();
      for (Index i = shards[s]; i < shards[s + 1]; ++i) {
        poll();
        if (tokens_.words(i) > 0 && search.enter(i))
          visit(i, search, found[static_cast<std::size_t>(i)]);
      }
    });
    return found;
  }

  const PhraseTokens& tokens_;
  const BracketCandidates& candidates_;
  const ForestTemplates& templates_;
  const HeadRules& heads_;
  const LabelCodes& labels_;
  std::span<const float> w_;
  SpanRules rules_;
  double sure_;
};

}  // namespace linnet
