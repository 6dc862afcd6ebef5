// Tagging: sentences decoded in every way by sparse weights. Chains of order 0 and 1, and the best
// labels of higher orders, go through the hand-tuned kernels; all else through the generic sweep.
// Blocks of sentences do not depend on the number of threads, and share nothing: nor do the
// results.
#pragma once
#include "linnet/decoding/chain_scores.hpp"
#include "linnet/decoding/sentence_blocks.hpp"
#include "linnet/inference/entropy.hpp"
#include "linnet/inference/sample.hpp"

namespace linnet {

// What is asked about: the caller keeps it alive.
struct ChainQuery {
  const TokenInput& input;
  const Rows* pairs = nullptr;  // features of each token and the one before it: a row per token
  ChainRules rules{};
  int threads = 1;
};

class ChainScorer {
 public:
  // pairs: over labels × labels columns, or empty. The caller keeps the weights alive.
  ChainScorer(LabelWeights states, LabelWeights pairs, TiedScores tied)
      : states_(states), pairs_(pairs), tied_(std::move(tied)) {
    if (states.width() != tied_.labels ||
        (!pairs.empty() && pairs.width() != tied_.labels * tied_.labels))
      throw std::invalid_argument("the weights do not fit the number of labels");
    if (!pairs.empty() && tied_.order != 1)
      throw std::invalid_argument("transitions that see the observation are of order 1");
  }
  Id labels() const { return tied_.labels; }
  Index features() const { return states_.features(); }
  Index pair_features() const { return pairs_.empty() ? -1 : pairs_.features(); }

  // Best labels [tokens] and their score [sentences].
  void best(const ChainQuery& query, Id* labels, double* scores) const {
    decode(query, [&](const Sentence& s, Scratch& scratch) {
      Id* const out = labels + s.begin;
      const auto emit = [&] {
        return scratch.scores.emit(s.tied, query.input, query.rules, s.number);
      };
      double& score = scores[s.number];
      if (tied_.order == 0 && query.rules.transitions.empty()) {
        score = each_best(emit(), s, out);
      } else if (plain()) {
        score = chain_viterbi(s.tied.ready, emit(), s.length, out, scratch.work);
      } else if (tied_.order > 1) {
        score = higher_viterbi(s.tied.higher, emit(), s.length, out, scratch.higher);
      } else {
        const Chain chain{s.length, tied_.labels, tied_.ends, true};
        Workspace<double>& work = scratch.oracle.real;
        score = solve<Max>(chain, s.parts(query, scratch), std::span<double>(), work);
        follow(chain, work.choice, out);
      }
      return score;
    });
  }

  // Probabilities of labels [tokens][labels] and log Z [sentences].
  void marginals(const ChainQuery& query, double* out, double* log_z) const {
    decode(query, [&](const Sentence& s, Scratch& scratch) {
      const Id L = tied_.labels, stride = s.tied.stride();
      double* row = out + s.begin * L;
      if (plain()) {
        const double* emission = scratch.scores.emit(s.tied, query.input, query.rules, s.number);
        scratch.mu.resize(static_cast<std::size_t>(s.length) * static_cast<std::size_t>(stride));
        log_z[s.number] = chain_marginals<double>(s.tied.ready, emission, s.length,
                                                  scratch.mu.data(), nullptr, scratch.work);
        for (Id t = 0; t < s.length; ++t, row += L)
          std::copy_n(scratch.mu.data() + static_cast<Index>(t) * stride, L, row);
      } else {
        log_z[s.number] = solve_log(s, query, scratch);
        std::copy_n(scratch.mu.data(), static_cast<Index>(s.length) * L, row);
      }
      return log_z[s.number];
    });
  }

  // The entropy of each sentence's outputs.
  void entropies(const ChainQuery& query, double* out) const {
    decode(query, [&](const Sentence& s, Scratch& scratch) {
      const double log_z = solve_log(s, query, scratch);
      out[s.number] = entropy(log_z, scratch.theta, scratch.mu);
      return log_z;
    });
  }

  // The k best label sequences of every sentence, best first.
  void kbest(const ChainQuery& query, Id k, std::vector<SentenceOutputs>& out) const {
    if (k < 1) throw std::invalid_argument("k must be at least 1");
    out.assign(static_cast<std::size_t>(query.input.sentences()), {});
    decode(query, [&](const Sentence& s, Scratch& scratch) {
      double top = -kInf;
      with_structure(s, [&](const auto& structure) {
        KBest best(structure, s.parts(query, scratch));
        Output output;
        for (Id r = 0; r < k && best.output(r, output); ++r) {
          top = std::max(top, output.score);
          out[s.number].scores.push_back(output.score);
          append(s, output.parts, out[s.number].labels);
        }
      });
      return top;
    });
  }

  // So many exact samples of every sentence's outputs, the same for any number of threads.
  void sample(const ChainQuery& query, Id count, std::uint64_t seed,
              std::vector<SentenceOutputs>& out) const {
    if (count < 1) throw std::invalid_argument("there must be at least one sample");
    out.assign(static_cast<std::size_t>(query.input.sentences()), {});
    decode(query, [&](const Sentence& s, Scratch& scratch) {
      double log_z = -kInf;
      with_structure(s, [&](const auto& structure) {
        Sampler sampler(structure, s.parts(query, scratch));
        log_z = sampler.log_z();
        Rng rng(fold(seed ^ kHashSalts[0], static_cast<std::uint64_t>(s.number) ^ kHashSalts[1]));
        std::vector<Id> parts;
        for (Id n = 0; n < count && log_z > -kInf; ++n) {
          sampler.sample(rng, parts);
          append(s, parts, out[s.number].labels);
        }
      });
      return log_z;
    });
  }

  // The score of given labels [tokens]; -inf if they are not allowed.
  void scores_of(const ChainQuery& query, std::span<const Id> labels, double* out) const {
    if (std::ssize(labels) != query.input.tokens())
      throw std::invalid_argument("there must be one label for each token");
    for (Id y : labels)
      if (y < 0 || y >= tied_.labels) throw std::invalid_argument("a label id is out of range");
    decode(query, [&](const Sentence& s, Scratch& scratch) {
      const auto theta = s.parts(query, scratch);
      const Id* y = labels.data() + s.begin;
      double sum = 0;
      with_structure(s, [&](const auto& structure) {
        each_part(structure, y, [&](Id p) { sum += theta[p]; });
      });
      out[s.number] = sum;
      return 0.0;
    });
  }

 private:
  struct Scratch {
    explicit Scratch(const ChainScorer& scorer) : scores(scorer.states_, scorer.pairs_) {}
    void enter(const TokenInput& input, Index from, Index to) { scores.enter(input, from, to); }
    SentenceScores scores;
    ChainScratch<double> work;
    HigherScratch higher;
    OracleWork oracle;
    std::vector<double> mu;
    std::span<const double> theta;
  };
  struct Sentence {
    Index number, begin;
    Id length;
    const TiedScores& tied;
    std::span<const double> parts(const ChainQuery& query, Scratch& scratch) const {
      return scratch.scores.parts(tied, query.input, query.pairs, query.rules, number);
    }
  };

  // Without transitions every token has its own best label; equal scores go to the earlier one.
  static double each_best(const double* emission, const Sentence& s, Id* labels) {
    double sum = 0;
    for (Id t = 0; t < s.length; ++t, emission += s.tied.stride()) {
      const double* const best = std::max_element(emission, emission + s.tied.labels);
      labels[t] = static_cast<Id>(best - emission);
      sum += *best;
    }
    return sum;
  }

  // Is it one for the kernel?
  bool plain() const { return tied_.order < 2 && pairs_.empty(); }

  template <class Use>
  void with_structure(const Sentence& s, Use&& use) const {
    if (tied_.order > 1)
      use(HigherChain(s.length, tied_.labels, tied_.order, tied_.ends));
    else
      use(Chain{s.length, tied_.labels, tied_.ends, !pairs_.empty()});
  }

  // log Z; the parts' scores and marginals are left in the scratch.
  double solve_log(const Sentence& s, const ChainQuery& query, Scratch& scratch) const {
    scratch.theta = s.parts(query, scratch);
    scratch.mu.resize(scratch.theta.size());
    double log_z = 0;
    const auto solve_by = [&](const Oracle& oracle) {
      log_z = oracle.solve(Ring::log, scratch.theta, scratch.mu, scratch.oracle);
    };
    with_structure(s, [&](const auto& structure) {
      if constexpr (std::is_same_v<decltype(structure), const Chain&>)
        if (plain()) return solve_by(ChainOracle(structure));
      solve_by(OracleOf(structure));
    });
    return log_z;
  }

  // The parts of given labels.
  template <class Visit>
  static void each_part(const Chain& c, const Id* y, Visit&& visit) {
    for (Id t = 0; t < c.length; ++t) {
      visit(c.at(t, y[t]));
      if (t > 0) visit(c.transition(y[t - 1], y[t]));
      if (t > 0 && c.observed) visit(c.pair(t - 1, y[t - 1], y[t]));
    }
    if (c.ends) visit(c.start(y[0])), visit(c.stop(y[c.length - 1]));
  }
  template <class Visit>
  static void each_part(const HigherChain& c, const Id* y, Visit&& visit) {
    c.parts_of(y, visit);
  }

  // The best labels, from the edge that was chosen at each node.
  static void follow(const Chain& c, std::span<const Id> choice, Id* y) {
    y[c.length - 1] = choice[c.root()];
    for (Id t = c.length - 1; t > 0; --t) y[t - 1] = choice[c.at(t, y[t])];
  }

  // Labels among the parts of an output.
  void append(const Sentence& s, std::span<const Id> parts, std::vector<Id>& labels) const {
    const std::size_t at = labels.size();
    labels.resize(at + static_cast<std::size_t>(s.length));
    for (Id p : parts)
      if (p < s.length * tied_.labels)
        labels[at + static_cast<std::size_t>(p / tied_.labels)] = p % tied_.labels;
  }

  // visit(sentence, scratch) for all that are not empty; -inf means that nothing is allowed.
  template <class Visit>
  void decode(const ChainQuery& query, Visit&& visit) const {
    check(query);
    std::optional<TiedScores> masked;
    if (!query.rules.transitions.empty()) masked = tied_.masked(query.rules.transitions);
    const TiedScores& tied = masked ? *masked : tied_;
    for_each_sentence(
        query.input, query.threads, [&] { return std::make_unique<Scratch>(*this); },
        [&](Index i, Index begin, Index length, Scratch& scratch) {
          check_size(i, length);
          if (visit(Sentence{i, begin, static_cast<Id>(length), tied}, scratch) == -kInf)
            throw std::invalid_argument("sentence " + std::to_string(i + 1) +
                                        ": the rules allow no sequence of labels, or none has a "
                                        "probability above 0 (counts without smoothing)");
        });
  }

  void check(const ChainQuery& query) const {
    check_input(query.input, features(), query.threads);
    if (pairs_.empty() != (query.pairs == nullptr))
      throw std::invalid_argument(pairs_.empty() ? "the model has no weights of pairs of tokens"
                                                 : "the features of pairs of tokens are missing");
    if (query.pairs && (query.pairs->size() != query.input.tokens() ||
                        query.pairs->features() != pairs_.features()))
      throw std::invalid_argument("the features of pairs of tokens do not fit");
    query.rules.check(tied_.labels, query.input.tokens());
  }
  void check_size(Index i, Index length) const {
    const double L = tied_.labels, T = static_cast<double>(length);
    if (tied_.order > 1) return HigherChain::check(T, L, tied_.order);
    if (T * L + L * L + 2 * L + (pairs_.empty() ? 0 : T * L * L) > std::numeric_limits<Id>::max())
      throw std::invalid_argument("sentence " + std::to_string(i + 1) +
                                  " has more than 2^31 parts");
  }

  LabelWeights states_, pairs_;
  TiedScores tied_;
};

}  // namespace linnet
