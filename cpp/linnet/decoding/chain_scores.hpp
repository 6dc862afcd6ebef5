// The scores of chains over sentences: what a tagger decodes. Tied ones are made ready once; those
// of a sentence's parts are laid out as its structure wants them.
#pragma once
#include <optional>

#include "linnet/data/chain_data.hpp"
#include "linnet/decoding/token_input.hpp"
#include "linnet/structures/higher_chain_kernel.hpp"
#include "linnet/structures/local_chain.hpp"

namespace linnet {

// What all sentences share. Arrays of 32 bits are only read while this is made.
struct TiedScores {
  using Table = std::span<const float>;
  Id labels;
  int order;   // 0: all transitions are 0
  bool local;  // labels are normalised given the one before: the rest of the sentence has no say
  bool ends;
  std::vector<double> scores;      // transitions, first and last labels if `ends`, longer windows
  ChainTransitions<double> ready;  // for the kernel of order 0 and 1,
  HigherTransitions higher;        // and for that of all others

  // windows: of 3 labels, of 4, ..., of order + 1.
  TiedScores(Id num_labels, int chain_order, bool normalised, Table transitions, Table start,
             Table stop, std::span<const Table> windows)
      : labels(num_labels),
        order(chain_order),
        local(normalised),
        ends(order > 0 && (!start.empty() || !stop.empty())) {
    const double L = labels;
    check_windows(labels, order);
    if (order < 0) throw std::invalid_argument("the order of a chain is at least 0");
    if (local && order != 1)
      throw std::invalid_argument("only chains of order 1 are normalised at each token");
    if (local && !stop.empty())
      throw std::invalid_argument("scores of last labels cannot be normalised at each token");
    const auto take = [&](Table from, double size, bool wanted) {
      if (from.empty() ? wanted : static_cast<double>(from.size()) != size)
        throw std::invalid_argument("the scores of transitions do not fit the labels");
      LabelWeights::check_weights(from);
      scores.insert(scores.end(), from.begin(), from.end());
      if (from.empty()) scores.resize(scores.size() + static_cast<std::size_t>(size));
    };
    if (std::ssize(windows) != std::max(order, 1) - 1)
      throw std::invalid_argument(
          "there must be a table of scores for windows of 3 labels, of 4, "
          "..., of one more than the order");
    if (order == 0) {
      scores.resize(static_cast<std::size_t>(labels) * static_cast<std::size_t>(labels));
    } else {
      take(transitions, L * L, true);
      if (ends) take(start, L, false), take(stop, L, false);
      double size = L * L;
      for (const Table& window : windows) take(window, size *= L, true);
    }
    set_ready();
  }

  // With what the rules forbid at -inf.
  TiedScores masked(Mask transitions) const {
    TiedScores other = *this;
    for (std::size_t ab = 0; ab < transitions.size(); ++ab)
      if (!transitions[ab]) other.scores[ab] = -kInf;
    other.set_ready();
    return other;
  }

  Id stride() const { return order > 1 ? higher.stride : ready.stride; }  // of the kernels
  const double* starts() const {
    return ends ? scores.data() + static_cast<Index>(labels) * labels : nullptr;
  }

 private:
  void set_ready() {
    if (order > 1)
      higher.set(labels, order, ends, scores.data());
    else
      ready.set(labels, scores.data(), starts(), ends ? starts() + labels : nullptr, true);
  }
};

// The parts of sentences, scored, for one thread.
class SentenceScores {
 public:
  SentenceScores(const LabelWeights& states, const LabelWeights& pairs)
      : states_(states), pairs_(pairs) {}

  // Reads sentences [from, to); after that `emit` and `parts` are of one of these.
  void enter(const TokenInput& input, Index from, Index to) {
    input.read(from, to, room_);
    first_ = input.offsets()[from];
  }

  // Scores of the labels of each token, [length][stride]; all there is but for `tied` and pairs.
  double* emit(const TiedScores& tied, const TokenInput& input, const ChainRules& rules,
               Index sentence) {
    const Index begin = input.offsets()[sentence], end = input.offsets()[sentence + 1];
    const Id labels = tied.labels, stride = tied.stride();
    emission_.resize(static_cast<std::size_t>(end - begin) * static_cast<std::size_t>(stride));
    states_.score(room_.entries(), begin - first_, end - first_, input.bias(), stride,
                  emission_.data());
    const auto clamp_row = [&](Mask mask, Index from, Index t) {
      for (Id y = 0; y < labels; ++y)
        if (!mask[from + y]) emission_[(t - begin) * stride + y] = -kInf;
    };
    if (!rules.tokens.empty())
      for (Index t = begin; t < end; ++t) clamp_row(rules.tokens, t * labels, t);
    if (!rules.start.empty()) clamp_row(rules.start, 0, begin);
    if (!rules.stop.empty()) clamp_row(rules.stop, 0, end - 1);
    if (tied.local && pairs_.empty())
      normalise_locally(tied.ready, static_cast<Id>(end - begin), emission_.data(), local_work_);
    return emission_.data();
  }

  // All parts of a sentence as Chain or HigherChain number them.
  std::span<const double> parts(const TiedScores& tied, const TokenInput& input, const Rows* pairs,
                                const ChainRules& rules, Index sentence) {
    const Index begin = input.offsets()[sentence], length = input.offsets()[sentence + 1] - begin;
    const Index L = tied.labels, square = L * L;
    const double* emission = emit(tied, input, rules, sentence);
    theta_.clear();
    for (Index t = 0; t < length; ++t, emission += tied.stride())
      theta_.insert(theta_.end(), emission, emission + L);
    theta_.insert(theta_.end(), tied.scores.begin(), tied.scores.end());
    if (pairs_.empty()) return theta_;
    const std::size_t before = theta_.size();
    theta_.resize(before + static_cast<std::size_t>((length - 1) * square));
    copy_rows(*pairs, begin + 1, begin + length, pair_room_);
    pairs_.score(pair_room_.entries(), 0, length - 1, pairs->bias(), static_cast<Id>(square),
                 theta_.data() + before);
    if (tied.local)
      normalise_locally(Chain{static_cast<Id>(length), tied.labels, tied.ends, true},
                        theta_.data());
    return theta_;
  }

 private:
  const LabelWeights& states_;
  const LabelWeights& pairs_;
  TokenInput::Room room_, pair_room_;
  Index first_ = 0;  // token read
  Buffer<double> emission_;
  ChainScratch<double> local_work_;
  std::vector<double> theta_;
};

}  // namespace linnet
