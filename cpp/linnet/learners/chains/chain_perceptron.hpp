// The averaged perceptron (Collins 2002) and passive–aggressive steps (Crammer et al. 2006) on
// first-order chains, over the weights and transitions of a ChainCrf. A sentence whose best labels
// ŷ are not the gold ones moves the weights by τ δ, δ = f(gold) − f(ŷ):
//
//   perceptron  τ = 1
//   PA, PA-I, PA-II  τ = ℓ / ‖δ‖²,  min(C, ℓ / ‖δ‖²),  ℓ / (‖δ‖² + 1 / 2C),
//   ℓ = score(ŷ) − score(gold) + √(number of wrong labels)
//
// With a cost per wrong label, ŷ is the best output with its cost (Taskar, Guestrin & Koller 2003),
// ℓ = score(ŷ) + cost(ŷ) − score(gold), the hinge loss, and a sentence moves the weights unless
// every wrong output is that much worse.
#pragma once
#include <numeric>

#include "linnet/base/pass.hpp"
#include "linnet/features/few_places.hpp"
#include "linnet/learners/chains/chain_crf.hpp"

namespace linnet {

enum class ChainStep { perceptron, pa, pa1, pa2 };

class ChainPerceptron {
 public:
  ChainPerceptron(const ChainCrf& model, ChainStep rule, double C, bool average, bool shuffle,
                  std::uint64_t seed, double cost)
      : model_(model),
        pairs_(model.pairs()),
        data_(model.data()),
        seen_transitions_(model.transitions()),
        rule_(rule),
        C_(C),
        cost_(cost),
        average_(average),
        shuffle_(shuffle),
        stride_(chain_stride<float>(data_.num_labels)),
        rng_(seed),
        w_(pairs_, stride_),
        late_(pairs_, stride_),
        dense_labels_(dense_labels(pairs_, stride_)),
        ends_(static_cast<std::size_t>(model.ends())),
        end_late_(ends_.size()) {
    if (!(C > 0)) throw std::invalid_argument("C must be positive");
    if (!(cost >= 0 && cost < kInf))
      throw std::invalid_argument("the margin must be finite and not negative");
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
  }

  // One pass over the sentences.
  EpochStats epoch() {
    const auto order = pass_.order(rng_, [&](std::vector<Index>& all, Rng& rng) {
      all.resize(static_cast<std::size_t>(data_.size()));
      std::iota(all.begin(), all.end(), Index{0});
      if (shuffle_) rng.shuffle(std::span(all));
    });
    EpochStats stats = pass_.over(order.size(), [&](std::size_t t, EpochStats& so_far) {
      if (data_.length(order[t]) > 0 && data_.weight(order[t]) > 0) step(order[t], so_far);
      ++steps_;
    });
    stats.converged = stats.updates == 0 && !stats.interrupted && !stats.paused;
    return stats;
  }

  // Starts from given coordinates; what has been averaged so far is kept.
  void start_at(std::span<const double> u) {
    if (static_cast<Index>(u.size()) != model_.dim())
      throw std::invalid_argument("one starting weight per coordinate");
    const auto now = static_cast<double>(steps_);
    const auto start = [&](double to, float& w, auto& late) {
      late +=
          static_cast<std::remove_reference_t<decltype(late)>>(now * (to - static_cast<double>(w)));
      w = static_cast<float>(to);
    };
    each_place([&](float& w, float& late, Index j, double scale) { start(u[j] * scale, w, late); });
    for (std::size_t k = 0; k < seen_transitions_.size(); ++k) {
      float w = transitions_.score[place(seen_transitions_[k])];
      start(u[pairs_.dim() + static_cast<Index>(k)], w, move_late_[seen_transitions_[k]]);
      set_move(seen_transitions_[k], w);
    }
    for (std::size_t k = 0; k < ends_.size(); ++k)
      start(u[model_.first_end() + static_cast<Index>(k)], ends_[k], end_late_[k]);
  }

  void state(Archive& a) {
    a(rng_, w_, late_, ends_, end_late_, move_late_, transitions_, steps_, pass_);
  }
  Pass& pass() { return pass_; }

  // What was learnt, averaged if so asked: in the coordinates of the model; as rows of labels; and
  // of transitions and ends.
  Vector weights() {
    Vector u(static_cast<std::size_t>(model_.dim()));
    each_place([&](float w, float late, Index j, double scale) {
      u[j] = learnt(w, static_cast<double>(late)) / scale;
    });
    for (std::size_t k = 0; k < seen_transitions_.size(); ++k)
      u[pairs_.dim() + static_cast<Index>(k)] =
          learnt(transitions_.score[place(seen_transitions_[k])], move_late_[seen_transitions_[k]]);
    for (std::size_t k = 0; k < ends_.size(); ++k)
      u[model_.first_end() + static_cast<Index>(k)] = learnt(ends_[k], end_late_[k]);
    return u;
  }
  LabelRows label_rows(double smallest) const {
    return linnet::label_rows(pairs_, smallest, [&](Id y, Id j, const SeenPairs::Weights& w) {
      const auto late = static_cast<double>(late_.at(pairs_, stride_, w, y, j));
      return learnt(w_.at(pairs_, stride_, w, y, j), late) / w.copies;
    });
  }
  std::vector<double> tied_weights() const {
    std::vector<double> w(has_weight_.size());
    for (Id k : seen_transitions_) w[k] = learnt(transitions_.score[place(k)], move_late_[k]);
    for (std::size_t k = 0; k < ends_.size(); ++k) w.push_back(learnt(ends_[k], end_late_[k]));
    return w;
  }

 private:
  double learnt(float w, double late) const {
    if (!average_ || steps_ == 0) return static_cast<double>(w);
    return static_cast<double>(w) - late / static_cast<double>(steps_);
  }
  // visit(weight, late, coordinate, √copies)
  template <class Visit>
  void each_place(Visit&& visit) {
    pairs_.each_dense([&](Index row, Id y, Id j, double scale) {
      const Index at = row * stride_ + y;
      visit(w_.dense[at], late_.dense[at], Index{j}, scale);
    });
    pairs_.each_single(
        [&](Index k, Index j, double scale) { visit(w_.single[k], late_.single[k], j, scale); });
  }

  Index place(Id transition) const {
    return static_cast<Index>(transition / data_.num_labels) * stride_ +
           transition % data_.num_labels;
  }

  void step(Index i, EpochStats& stats) {
    const Index from = data_.begin(i), length = data_.length(i);
    const auto size = static_cast<std::size_t>(length * stride_);
    if (theta_.size() < size) theta_.resize(size);
    best_.resize(static_cast<std::size_t>(length));
    score_tokens(pairs_, w_, from, length, stride_, theta_.data());
    add_ends(ends_, data_.num_labels, length, stride_, theta_.data());
    const auto gold = data_.gold(i);
    double top = decode(gold, cost_);
    const Index wrong = differing(gold);
    if (wrong == 0) return;
    ++stats.updates;
    collect(from, gold);
    if (cost_ == 0) {
      ++stats.mistakes;
      top += std::sqrt(static_cast<double>(wrong));
      return apply(data_.weight(i) * rate(top - score(gold), C_));
    }
    const double loss = std::max(0.0, top - score(gold)), weight = data_.weight(i);
    decode(gold, -cost_);  // what is predicted
    stats.mistakes += differing(gold) != 0;
    apply(rule_ == ChainStep::perceptron ? weight : rate(loss, C_ * weight));
  }
  // The best labels once `cost` is added to the scores of wrong ones.
  double decode(std::span<const Id> gold, double cost) {
    if (cost != 0)
      for (std::size_t t = 0; t < gold.size(); ++t) {
        float* const row = theta_.data() + static_cast<Index>(t) * stride_;
        for (Id y = 0; y < data_.num_labels; ++y)
          if (y != gold[t]) row[y] += static_cast<float>(cost);
      }
    return chain_viterbi(transitions_, theta_.data(), static_cast<Id>(gold.size()), best_.data(),
                         work_);
  }
  Index differing(std::span<const Id> gold) const {
    Index count = 0;
    for (std::size_t t = 0; t < gold.size(); ++t) count += best_[t] != gold[t];
    return count;
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
  double rate(double loss, double C) const {
    if (rule_ == ChainStep::perceptron) return 1;
    if (rule_ == ChainStep::pa2) return loss / (square_ + 1 / (2 * C));
    const double tau = square_ > 0 ? loss / square_ : 0;
    return rule_ == ChainStep::pa1 ? std::min(C, tau) : tau;
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
    end_delta_.clear();
    if (ends_.empty()) return;
    note_end(0, gold.front(), best_.front());
    note_end(data_.num_labels, gold.back(), best_.back());
  }
  void note_end(Id first, Id right, Id wrong) {
    if (right == wrong) return;
    end_delta_.insert(end_delta_.end(), {{first + right, 1.f}, {first + wrong, -1.f}});
    square_ += 2;
  }
  void collect_token(Index t, Id right, Id wrong) {
    const auto rows = pairs_.dense(t);
    const auto values = pairs_.dense_values(t);
    for (std::size_t j = 0; j < rows.size(); ++j) {
      const float x = values.empty() ? 1 : values[j], copies = pairs_.dense_copies()[rows[j]];
      const Index row = static_cast<Index>(rows[j]) * stride_;
      note(dense_delta_, row + right, x, copies);
      if ((dense_labels_[(row + wrong) / 8] >> (wrong % 8) & 1) != 0)
        note(dense_delta_, row + wrong, -x, copies);
    }
    const auto singles = pairs_.singles(t);
    const auto single_values = pairs_.single_values(t);
    for (std::size_t j = 0; j < singles.size(); ++j) {
      const Id at = singles[j], label = pairs_.single_labels()[at];
      if (label != right && label != wrong) continue;
      const float x = single_values.empty() ? 1 : single_values[j];
      note(single_delta_, at, label == right ? x : -x, pairs_.single_copies()[at]);
    }
  }
  void note(FewSums& delta, Index at, float x, float copies) {
    float& d = delta[at];
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

  // w += τ δ, δ = 0; of a transition noted twice the second finds nothing.
  void apply(double tau) {
    const auto now = static_cast<double>(steps_);
    const auto add = [&](float d, float copies, float& w, auto& late) {
      const double change = tau * static_cast<double>(d * copies);
      w += static_cast<float>(change);
      late += static_cast<std::remove_reference_t<decltype(late)>>(now * change);
    };
    for (const auto& [at, d, slot] : dense_delta_.all())
      add(d, pairs_.dense_copies()[at / stride_], w_.dense[at], late_.dense[at]);
    for (const auto& [at, d, slot] : single_delta_.all())
      add(d, pairs_.single_copies()[at], w_.single[at], late_.single[at]);
    for (Id k : moves_touched_) {
      float w = transitions_.score[place(k)];
      add(std::exchange(move_delta_[k], 0.f), 1, w, move_late_[k]);
      set_move(k, w);
    }
    for (const auto& [k, d] : end_delta_) add(d, 1, ends_[k], end_late_[k]);
    dense_delta_.clear();
    single_delta_.clear();
    moves_touched_.clear();
  }

  void set_move(Id k, float w) {
    transitions_.score[place(k)] = w;
    transitions_
        .score_back[static_cast<Index>(k % data_.num_labels) * stride_ + k / data_.num_labels] = w;
  }

  const ChainCrf& model_;
  const SeenPairs& pairs_;
  const Sentences& data_;
  std::span<const Id> seen_transitions_;
  ChainStep rule_;
  double C_, cost_;
  bool average_, shuffle_;
  Id stride_;
  Rng rng_;
  PairTables<float> w_,
      late_;  // Σ of (number of the step) · change: the average is w − late / steps
  FewSums dense_delta_, single_delta_;
  std::vector<std::uint8_t> dense_labels_;
  std::vector<float> ends_;
  std::vector<double> end_late_;
  std::vector<std::pair<Id, float>> end_delta_;
  std::vector<bool> has_weight_;
  std::vector<float> move_delta_;
  std::vector<double> move_late_;
  ChainTransitions<float> transitions_;
  std::vector<Id> best_, moves_touched_;
  Buffer<float> theta_;
  ChainScratch<float> work_;
  double square_ = 0;
  Index steps_ = 0;
  Pass pass_;
};

}  // namespace linnet
