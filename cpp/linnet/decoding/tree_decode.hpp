// Trees of many sentences from packed scores of arcs. Blocks of sentences do not depend on the
// number of threads, and share nothing: nor do the results.
#pragma once
#include <atomic>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/thread_pool.hpp"
#include "linnet/structures/tree_oracle.hpp"

namespace linnet {

// scores: one matrix [words][words + 1] after the other, word m has head h, m's own place is not
// read; -inf forbids an arc. Words of sentence i are [offsets[i], offsets[i + 1]).
template <class Real>
class TreeDecoder {
 public:
  // The caller keeps the arrays alive.
  TreeDecoder(std::span<const Real> scores, std::span<const Index> offsets, bool projective,
              bool single_root)
      : scores_(scores), offsets_(offsets), projective_(projective), single_root_(single_root) {
    if (offsets.empty() || offsets.front() != 0 || !std::is_sorted(offsets.begin(), offsets.end()))
      throw std::invalid_argument("offsets must start with 0 and never fall");
    first_.push_back(0);
    for (Index i = 0; i < sentences(); ++i) {
      const Index n = offsets[i + 1] - offsets[i];
      if (n > 40'000) throw std::invalid_argument("a sentence of more than 40,000 words");
      first_.push_back(first_.back() + n * (n + 1));
    }
    if (static_cast<Index>(scores.size()) != first_.back())
      throw std::invalid_argument(
          "a sentence of n words needs n (n + 1) scores: " + std::to_string(first_.back()) +
          " in all, not " + std::to_string(scores.size()));
  }
  Index sentences() const { return static_cast<Index>(offsets_.size()) - 1; }
  Index words() const { return offsets_.back(); }

  // Heads [words] of the best trees and their scores [sentences]; given: heads that are known, -1
  // elsewhere, or empty. With minimum_risk the trees with most heads expected to be right, and that
  // number. False: the user asked to stop.
  bool best(std::span<const Id> given, bool minimum_risk, int threads, Id* heads,
            double* values) const {
    if (!given.empty() && static_cast<Index>(given.size()) != words())
      throw std::invalid_argument("heads must hold one number for each word");
    return over_sentences(threads, [&](Index i, Id n, Scratch& s) {
      Id* to = heads + offsets_[i];
      if (given.empty() && !minimum_risk) {
        values[i] = best_tree(scores_.data() + first_[i], n, to, s);
      } else {
        copy(i, n, given, s);
        if (minimum_risk) {
          expect(i, n, s);
          for (std::size_t p = 0; p < s.mu.size(); ++p)
            if (s.score[p] > -kInf) s.score[p] = s.mu[p];
        }
        values[i] = best_tree(s.score.data(), n, to, s);
      }
      check(i, values[i]);
    });
  }

  // Probabilities of arcs, as scores are laid out, and log Z [sentences].
  bool marginals(int threads, double* mu, double* log_z) const {
    return over_sentences(threads, [&](Index i, Id n, Scratch& s) {
      copy(i, n, {}, s);
      log_z[i] = expect(i, n, s);
      std::copy(s.mu.begin(), s.mu.end(), mu + first_[i]);
    });
  }

 private:
  struct Scratch {
    EisnerChart<Real> chart;
    EisnerChart<double> double_chart;
    SpanningTree tree;
    std::vector<double> score, mu;
    MatrixTreeWork matrix;
    Workspace<double> log;
  };

  static EisnerChart<Real>& chart_for(const Real*, Scratch& s) { return s.chart; }
  template <class Other>
  static EisnerChart<double>& chart_for(const Other*, Scratch& s) {
    return s.double_chart;
  }
  template <class From>
  double best_tree(const From* score, Id n, Id* heads, Scratch& s) const {
    if (projective_) return eisner_viterbi(score, n, single_root_, heads, chart_for(score, s));
    return s.tree.best(score, n, single_root_, heads);
  }
  void copy(Index i, Id n, std::span<const Id> given, Scratch& s) const {
    s.score.assign(scores_.begin() + first_[i], scores_.begin() + first_[i + 1]);
    for (Id m = 1; m <= n && !given.empty(); ++m) {
      const Id head = given[static_cast<std::size_t>(offsets_[i] + m - 1)];
      if (head > n || head == m)
        throw std::invalid_argument("sentence " + std::to_string(i) + ": word " +
                                    std::to_string(m) + " cannot have the head " +
                                    std::to_string(head));
      double* row = s.score.data() + static_cast<Index>(m - 1) * (n + 1);
      for (Id h = 0; h <= n && head >= 0; ++h)
        if (h != head) row[h] = -kInf;
    }
  }
  // log Z and marginals of s.score.
  double expect(Index i, Id n, Scratch& s) const {
    s.mu.resize(s.score.size());
    double log_z;
    if (projective_) {
      log_z = eisner_marginals(s.score.data(), n, single_root_, s.mu.data(), s.double_chart);
      if (std::isnan(log_z))
        log_z = solve<Log>(Projective(Arcs(n), 1, single_root_), s.score, s.mu, s.log);
    } else {
      log_z = matrix_tree(s.score.data(), n, single_root_, s.mu.data(), s.matrix);
    }
    check(i, log_z);
    return log_z;
  }
  static void check(Index sentence, double value) {
    if (value == -kInf)
      throw std::invalid_argument("sentence " + std::to_string(sentence) + ": no tree is allowed");
  }

  // visit(sentence, words, scratch) for all that are not empty.
  template <class Visit>
  bool over_sentences(int threads, Visit&& visit) const {
    if (threads < 1) throw std::invalid_argument("threads must be at least 1");
    constexpr Index kScores = 1 << 16;
    std::vector<Index> blocks{0};
    for (Index i = 0; i < sentences(); ++i)
      if (first_[i + 1] - first_[blocks.back()] >= kScores || i + 1 == sentences())
        blocks.push_back(i + 1);
    std::atomic<bool> stopped{false};
    parallel_for(static_cast<Index>(blocks.size()) - 1, threads, [&](Index b) {
      Scratch scratch;
      StopCheck stop;
      for (Index i = blocks[b]; i < blocks[b + 1] && !stopped; ++i) {
        if (const Index n = offsets_[i + 1] - offsets_[i]; n > 0)
          visit(i, static_cast<Id>(n), scratch);
        if (stop()) stopped = true;
      }
    });
    return !stopped;
  }

  std::span<const Real> scores_;
  std::span<const Index> offsets_;
  bool projective_, single_root_;
  std::vector<Index> first_;  // score of each sentence
};

}  // namespace linnet
