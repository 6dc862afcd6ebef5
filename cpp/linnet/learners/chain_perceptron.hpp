// The averaged perceptron (Collins 2002) and passive–aggressive steps (Crammer et al. 2006) on
// first-order chains, over the weights and transitions of a ChainCrf. A sentence whose best labels
// ŷ are not the gold ones moves the weights by τ δ, δ = f(gold) − f(ŷ):
//
//   perceptron  τ = 1
//   PA, PA-I, PA-II  τ = ℓ / ‖δ‖²,  min(C, ℓ / ‖δ‖²),  ℓ / (‖δ‖² + 1 / 2C),
//   ℓ = score(ŷ) − score(gold) + √(number of wrong labels)
#pragma once
#include "linnet/base/rng.hpp"
#include "linnet/learners/chain_crf.hpp"

namespace linnet {

enum class ChainStep { perceptron, pa, pa1, pa2 };

class ChainPerceptron {
 public:
  ChainPerceptron(const ChainCrf& model, ChainStep rule, double C, bool average, bool shuffle,
                  std::uint64_t seed)
      : pairs_(model.pairs()),
        data_(model.data()),
        seen_transitions_(model.transitions()),
        rule_(rule),
        C_(C),
        average_(average),
        shuffle_(shuffle),
        stride_(chain_stride<float>(data_.num_labels)),
        rng_(seed),
        w_(pairs_, stride_),
        delta_(pairs_, stride_),
        late_(pairs_, stride_),
        seen_(pairs_, stride_),
        u_(static_cast<std::size_t>(model.dim())) {
    if (!(C > 0)) throw std::invalid_argument("C must be positive");
    if (std::find(data_.labels.begin(), data_.labels.end(), -1) != data_.labels.end())
      throw std::invalid_argument("this learner needs every label: with missing ones use L-BFGS");
    const auto squares =
        static_cast<std::size_t>(data_.num_labels) * static_cast<std::size_t>(data_.num_labels);
    has_weight_.resize(squares);
    for (Id k : seen_transitions_) has_weight_[k] = true;
    move_delta_.resize(squares);
    move_late_.resize(squares);
    const std::vector<float> zero(squares);
    transitions_.set(data_.num_labels, zero.data(), static_cast<const float*>(nullptr),
                     static_cast<const float*>(nullptr), false);
    for (Index i = 0; i < data_.size(); ++i) order_.push_back(static_cast<Id>(i));
  }

  // One pass over the sentences.
  EpochStats epoch() {
    EpochStats stats;
    if (shuffle_) rng_.shuffle(std::span(order_));
    for (Id i : order_) {
      if (data_.length(i) > 0 && step(i)) ++stats.mistakes, ++stats.updates;
      ++steps_;
      if (stop_()) {
        stop_ = {};
        stats.interrupted = true;
        break;
      }
    }
    stats.converged = stats.mistakes == 0 && !stats.interrupted;
    return stats;
  }

  // Averaged, if so asked, in the coordinates of the model.
  std::span<double> weights() {
    const auto scale = pairs_.scale();
    const double share = average_ && steps_ > 0 ? 1 / static_cast<double>(steps_) : 0;
    w_.gather(pairs_, stride_);
    late_.gather(pairs_, stride_);
    for (std::size_t j = 0; j < scale.size(); ++j)
      u_[j] = (static_cast<double>(w_.single[j]) - share * late_.single[j]) / scale[j];
    for (std::size_t k = 0; k < seen_transitions_.size(); ++k) {
      const Id at = seen_transitions_[k];
      u_[scale.size() + k] =
          static_cast<double>(transitions_.score[place(at)]) - share * move_late_[at];
    }
    return u_;
  }

 private:
  Index place(Id transition) const {
    return static_cast<Index>(transition / data_.num_labels) * stride_ +
           transition % data_.num_labels;
  }

  // True if the labels were wrong.
  bool step(Index i) {
    const Index from = data_.begin(i), length = data_.length(i);
    const auto size = static_cast<std::size_t>(length * stride_);
    if (theta_.size() < size) theta_.resize(size);
    best_.resize(static_cast<std::size_t>(length));
    score_tokens(pairs_, w_, from, length, stride_, theta_.data());
    const double top =
        chain_viterbi(transitions_, theta_.data(), static_cast<Id>(length), best_.data(), work_);
    const auto gold = data_.gold(i);
    Index wrong = 0;
    for (Index t = 0; t < length; ++t) wrong += best_[t] != gold[t];
    if (wrong == 0) return false;
    collect(from, gold);
    const double loss = top - score(gold) + std::sqrt(static_cast<double>(wrong));
    apply(data_.weight(i) * rate(loss));
    return true;
  }
  double score(std::span<const Id> labels) const {
    double sum = 0;
    for (std::size_t t = 0; t < labels.size(); ++t) {
      sum += static_cast<double>(theta_[static_cast<Index>(t) * stride_ + labels[t]]);
      if (t > 0)
        sum += static_cast<double>(
            transitions_.score[static_cast<Index>(labels[t - 1]) * stride_ + labels[t]]);
    }
    return sum;
  }
  double rate(double loss) const {
    if (rule_ == ChainStep::perceptron) return 1;
    if (rule_ == ChainStep::pa2) return loss / (square_ + 1 / (2 * C_));
    const double tau = square_ > 0 ? loss / square_ : 0;
    return rule_ == ChainStep::pa1 ? std::min(C_, tau) : tau;
  }

  // δ over the weights that exist, where it is not zero, and its square.
  void collect(Index from, std::span<const Id> gold) {
    square_ = 0;
    for (std::size_t t = 0; t < gold.size(); ++t) {
      const Id right = gold[t], wrong = best_[t];
      if (right != wrong) collect_token(from + static_cast<Index>(t), right, wrong);
      if (t > 0 && (right != wrong || gold[t - 1] != best_[t - 1])) {
        note_move(gold[t - 1] * data_.num_labels + right, 1);
        note_move(best_[t - 1] * data_.num_labels + wrong, -1);
      }
    }
  }
  void collect_token(Index t, Id right, Id wrong) {
    const auto rows = pairs_.dense(t);
    const auto values = pairs_.dense_values(t);
    for (std::size_t j = 0; j < rows.size(); ++j) {
      const float x = values.empty() ? 1 : values[j], copies = seen_.copies[rows[j]];
      const Index row = static_cast<Index>(rows[j]) * stride_;
      note(delta_.dense, dense_touched_, row + right, x, copies);
      if ((seen_.mask[(row + wrong) / 8] >> (wrong % 8) & 1) != 0)
        note(delta_.dense, dense_touched_, row + wrong, -x, copies);
    }
    const auto singles = pairs_.singles(t);
    const auto single_values = pairs_.single_values(t);
    for (std::size_t j = 0; j < singles.size(); ++j) {
      const auto [at, label] = singles[j];
      if (label != right && label != wrong) continue;
      const float x = single_values.empty() ? 1 : single_values[j];
      note(delta_.single, single_touched_, at, label == right ? x : -x, seen_.single[at]);
    }
  }
  void note(Buffer<float>& delta, std::vector<Index>& touched, Index at, float x, float copies) {
    float& d = delta[at];
    if (d == 0) touched.push_back(at);
    square_ += static_cast<double>(copies * x * (2 * d + x));
    d += x;
  }
  void note_move(Id transition, float x) {
    if (!has_weight_[transition]) return;
    float& d = move_delta_[transition];
    if (d == 0) moves_touched_.push_back(transition);
    square_ += static_cast<double>(x * (2 * d + x));
    d += x;
  }

  // w += τ δ, δ = 0; of a place noted twice the second finds nothing.
  void apply(double tau) {
    const auto now = static_cast<double>(steps_);
    const auto add = [&](float d, float copies, float& w, double& late) {
      const double change = tau * static_cast<double>(d * copies);
      w += static_cast<float>(change);
      late += now * change;
    };
    for (Index at : dense_touched_)
      add(std::exchange(delta_.dense[at], 0.f), seen_.copies[at / stride_], w_.dense[at],
          late_.dense[at]);
    for (Index at : single_touched_)
      add(std::exchange(delta_.single[at], 0.f), seen_.single[at], w_.single[at], late_.single[at]);
    for (Id k : moves_touched_) {
      float& w = transitions_.score[place(k)];
      add(std::exchange(move_delta_[k], 0.f), 1, w, move_late_[k]);
      transitions_
          .score_back[static_cast<Index>(k % data_.num_labels) * stride_ + k / data_.num_labels] =
          w;
    }
    dense_touched_.clear();
    single_touched_.clear();
    moves_touched_.clear();
  }

  const SeenPairs& pairs_;
  const Sentences& data_;
  std::span<const Id> seen_transitions_;
  ChainStep rule_;
  double C_;
  bool average_, shuffle_;
  Id stride_;
  Rng rng_;
  PairTables<float> w_, delta_;
  PairTables<double> late_;  // Σ of (number of the step) · change: the average is w − late / steps
  SeenLabels seen_;
  Vector u_;
  std::vector<bool> has_weight_;
  std::vector<float> move_delta_;
  std::vector<double> move_late_;
  ChainTransitions<float> transitions_;
  std::vector<Id> order_, best_, moves_touched_;
  std::vector<Index> dense_touched_, single_touched_;
  Buffer<float> theta_;
  ChainScratch<float> work_;
  double square_ = 0;
  Index steps_ = 0;
  StopCheck stop_;
};

}  // namespace linnet
