// Tagging: first-order chains decoded by the hand-tuned kernel, many sentences at a time. Blocks of
// sentences do not depend on the number of threads, and share nothing: nor do the results.
#pragma once
#include <atomic>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/thread_pool.hpp"
#include "linnet/data/chain_data.hpp"

namespace linnet {

template <class Real>
class ChainDecoder {
 public:
  // The caller keeps rows, offsets, weights (laid out as ChainLayout says) and masks alive.
  ChainDecoder(const Rows& rows, std::span<const Index> offsets, std::span<const Real> weights,
               Id labels, bool ends, ChainRules rules)
      : rows_(rows),
        offsets_(offsets),
        weights_(weights),
        rules_(rules),
        labels_(labels),
        ends_(ends) {
    const ChainLayout layout(labels, rows.features(), ends, 1, -1);
    if (static_cast<Index>(weights.size()) != layout.end)
      throw std::invalid_argument("the weights do not fit the features and labels");
    if (offsets.empty() || offsets.front() != 0 || offsets.back() != rows.size() ||
        !std::is_sorted(offsets.begin(), offsets.end()))
      throw std::invalid_argument("offsets must run from 0 to the number of tokens");
    rules.check(labels, rows.size());
    const Id square = labels * labels;
    tied_.assign(weights.begin() + layout.transitions,
                 weights.begin() + layout.transitions + square);
    for (Id ab = 0; ab < square; ++ab)
      if (!ChainRules::allows(rules.transitions, ab)) tied_[ab] = -kInf;
    if (ends)
      for (Index base : {layout.start, layout.stop})
        tied_.insert(tied_.end(), weights.begin() + base, weights.begin() + base + labels);
    const double* starts = ends ? tied_.data() + square : nullptr;
    transitions_.set(labels, tied_.data(), starts, ends ? starts + labels : nullptr, true);
  }

  Index sentences() const { return static_cast<Index>(offsets_.size()) - 1; }

  // Best labels [tokens] and their score [sentences].
  bool best(int threads, Id* labels, double* scores) const {
    return over_sentences(threads, [&](Index i, Id length, Scratch& s) {
      emit(i, length, s);
      scores[i] =
          chain_viterbi(transitions_, s.emission.data(), length, labels + offsets_[i], s.work);
    });
  }

  // Probabilities of labels [tokens][labels] and log Z [sentences].
  bool marginals(int threads, double* out, double* log_z) const {
    const Id stride = transitions_.stride;
    return over_sentences(threads, [&](Index i, Id length, Scratch& s) {
      emit(i, length, s);
      s.marginals.resize(s.emission.size());
      log_z[i] = chain_marginals<double>(transitions_, s.emission.data(), length,
                                         s.marginals.data(), nullptr, s.work);
      double* row = out + offsets_[i] * labels_;
      for (Id t = 0; t < length; ++t, row += labels_)
        if (log_z[i] == -kInf)
          std::fill_n(row, labels_, 0.0);
        else
          std::copy_n(s.marginals.data() + static_cast<Index>(t) * stride, labels_, row);
    });
  }

  struct Ranked {
    std::vector<double> scores;
    std::vector<Id> labels;  // [scores][length]
  };
  // The k best label sequences of every sentence, best first.
  bool kbest(int threads, Id k, std::vector<Ranked>& out) const {
    if (k < 1) throw std::invalid_argument("k must be at least 1");
    out.assign(static_cast<std::size_t>(sentences()), {});
    return over_sentences(threads, [&](Index i, Id length, Scratch& s) {
      const Chain chain{length, labels_, ends_};
      score_tokens(i, length, s);
      s.theta.insert(s.theta.end(), tied_.begin(), tied_.end());
      KBest<Chain> best(chain, s.theta);
      Ranked& ranked = out[i];
      Output output;
      for (Id r = 0; r < k && best.output(r, output); ++r) {
        ranked.scores.push_back(output.score);
        const std::size_t at = ranked.labels.size();
        ranked.labels.resize(at + static_cast<std::size_t>(length));
        for (Id p : output.parts)
          if (p < chain.root())
            ranked.labels[at + static_cast<std::size_t>(p / labels_)] = p % labels_;
      }
    });
  }

 private:
  struct Scratch {
    SiteBuffer site;
    std::vector<double> theta;
    Buffer<double> emission, marginals;
    ChainScratch<double> work;
  };

  // theta = scores of the tokens' labels; what is not allowed is -inf.
  void score_tokens(Index i, Id length, Scratch& s) const {
    const Index first = offsets_[i];
    const Group tokens{&rows_, first, length, labels_, padded(labels_), 0};
    s.theta.resize(static_cast<std::size_t>(length) * static_cast<std::size_t>(labels_));
    score(std::span<const Group>(&tokens, 1), weights_.data(), std::span<double>(s.theta), s.site);
    if (!rules_.tokens.empty())
      clamp(rules_.tokens.subspan(static_cast<std::size_t>(first * labels_), s.theta.size()),
            s.theta);
    const std::size_t last = s.theta.size() - static_cast<std::size_t>(labels_);
    if (!rules_.start.empty()) clamp(rules_.start, std::span(s.theta).first(rules_.start.size()));
    if (!rules_.stop.empty()) clamp(rules_.stop, std::span(s.theta).subspan(last));
  }
  void emit(Index i, Id length, Scratch& s) const {
    const Id stride = transitions_.stride;
    score_tokens(i, length, s);
    s.emission.assign(static_cast<std::size_t>(length) * static_cast<std::size_t>(stride), -kInf);
    for (Id t = 0; t < length; ++t)
      std::copy_n(s.theta.data() + static_cast<Index>(t) * labels_, labels_,
                  s.emission.data() + static_cast<Index>(t) * stride);
  }

  // visit(sentence, length, scratch) for all that are not empty. False: the user asked to stop.
  template <class Visit>
  bool over_sentences(int threads, Visit&& visit) const {
    if (threads < 1) throw std::invalid_argument("threads must be at least 1");
    constexpr Index kTokens = 4096;
    std::vector<Index> blocks{0};
    for (Index i = 0; i < sentences(); ++i)
      if (offsets_[i + 1] - offsets_[blocks.back()] >= kTokens || i + 1 == sentences())
        blocks.push_back(i + 1);
    std::atomic<bool> stopped{false};
    parallel_for(static_cast<Index>(blocks.size()) - 1, threads, [&](Index b) {
      Scratch scratch;
      StopCheck stop;
      for (Index i = blocks[b]; i < blocks[b + 1] && !stopped; ++i) {
        const Index length = offsets_[i + 1] - offsets_[i];
        if (length * labels_ + static_cast<Index>(labels_ + 2) * labels_ >
            std::numeric_limits<Id>::max())
          throw std::invalid_argument("sentence " + std::to_string(i) +
                                      " has more than 2^31 parts");
        if (length > 0) visit(i, static_cast<Id>(length), scratch);
        if (stop()) stopped = true;
      }
    });
    return !stopped;
  }

  const Rows& rows_;
  std::span<const Index> offsets_;
  std::span<const Real> weights_;
  ChainRules rules_;
  Id labels_;
  bool ends_;
  std::vector<double> tied_;  // transitions, then first and last labels; -inf where forbidden
  ChainTransitions<double> transitions_;
};

}  // namespace linnet
