// The dual of a CRF on chains, by stochastic dual coordinate ascent over sentences (Shalev-Shwartz
// & Zhang 2013; for CRFs Le Priol, Piché & Lacoste-Julien 2018).
//
//   D(a) = Σ_i c_i H(a_i) − ½ l2 ‖u‖²,   u = (1/l2) Σ_i c_i (f_i(gold) − E_{a_i} f_i),
//
// a_i a distribution over the label sequences of sentence i, H its entropy. A step moves a_i
// towards p_i, the model's distribution at u: a_i ← (1−γ) a_i + γ p_i. Only marginals of a_i enter
// u, so only they are kept: of tokens (whose first and last are also what the weights of ends see),
// and of the transitions that have weights. The entropy of a
// mixture is at least the mixture of the entropies, which is what is added up here: D is a lower
// bound, P − D a certificate, and what is lost vanishes as the a_i settle.
//
// Steps are taken in float, and what that can have made of D is taken off it. P is that of the
// weights in double. Where they are so close to the optimum that rounding is all there is, the
// model's own distributions are the better dual point: their gap is ‖∇P‖² / 2 l2.
#pragma once
#include "linnet/base/pass.hpp"
#include "linnet/learners/chains/chain_crf.hpp"
#include "linnet/learners/dual/visit_order.hpp"

namespace linnet {

namespace detail {

#if defined(__clang__)
LINNET_INLINE Lanes where_positive(const Lanes& x, const Lanes& value) {
  return {x.v > 0 ? value.v : Lanes::Vector{}};
}
LINNET_INLINE Lanes where_set(std::uint8_t bits, const Lanes& value) {
  constexpr Lanes::Ints kBit = {1, 2, 4, 8, 16, 32, 64, 128};
  return {(kBit & static_cast<std::int32_t>(bits)) != 0 ? value.v : Lanes::Vector{}};
}
#elif defined(__GNUC__)
LINNET_INLINE Lanes where_positive(const Lanes& x, const Lanes& value) {
  return x > 0 ? value : Lanes{};
}
LINNET_INLINE Lanes where_set(std::uint8_t bits, const Lanes& value) {
  constexpr IntLanes kBit = {1, 2, 4, 8, 16, 32, 64, 128};
  return (kBit & static_cast<std::int32_t>(bits)) != 0 ? value : Lanes{};
}
#else
LINNET_INLINE Lanes where_positive(const Lanes& x, const Lanes& value) {
  return each_lane(x, value, [](float a, float b) { return a > 0 ? b : 0.f; });
}
LINNET_INLINE Lanes where_set(std::uint8_t bits, const Lanes& value) {
  Lanes result;
  for (int j = 0; j < 8; ++j) result.v[j] = (bits >> j & 1) != 0 ? value.v[j] : 0.f;
  return result;
}
#endif

}  // namespace detail

// From the marginals a of a_i to those of the model, mu: their difference d, and how far it is.
struct ChainDistance {
  double expected = 0;  // Σ mu · score
  double apart = 0;     // Σ d² / (mu + a), about the KL divergence of one from the other
  double squares = 0;   // Σ_t ‖x_t‖² ‖d_t‖²
};
LINNET_CLONES inline ChainDistance chain_distance(const float* mu, const float* a,
                                                  const float* theta, const float* norms,
                                                  Index length, Id stride, float* d) {
  ChainDistance all;
  Lanes apart = all_lanes(0), squares = apart;
  const Lanes tiny = all_lanes(1e-30f);
  for (Index t = 0; t < length; ++t) {
    Lanes expected = all_lanes(0), square = expected;
    for (Index k = t * stride; k < (t + 1) * stride; k += 8) {
      const Lanes m = load_lanes(mu + k), from = load_lanes(a + k), change = m - from;
      expected = expected + detail::where_positive(m, m * load_lanes(theta + k));
      apart = apart + change * change / (m + from + tiny);
      square = square + change * change;
      store_lanes(d + k, change);
    }
    squares = squares + all_lanes(norms[t]) * square;
    all.expected += static_cast<double>(sum_of(expected));
  }
  all.apart = static_cast<double>(sum_of(apart));
  all.squares = static_cast<double>(sum_of(squares));
  return all;
}

// w −= rate · copies · d at the weights that exist, token by token.
LINNET_CLONES inline void subtract_tokens(const SeenPairs& pairs, const std::uint8_t* labels,
                                          const float* d, Index from, Index length, Id stride,
                                          float rate, PairTables<float>& w) {
  const float* const dense_copies = pairs.dense_copies().data();
  const float* const single_copies = pairs.single_copies().data();
  const SeenPairs::Label* const single_labels = pairs.single_labels();
  for (Index t = from; t < from + length; ++t, d += stride) {
    const auto rows = pairs.dense(t);
    const auto values = pairs.dense_values(t);
    for (std::size_t j = 0; j < rows.size(); ++j) {
      const Index at = static_cast<Index>(rows[j]) * stride;
      const Lanes step = all_lanes(rate * (values.empty() ? 1 : values[j]) * dense_copies[rows[j]]);
      for (Id k = 0; k < stride; k += 8) {
        const Lanes change = detail::where_set(labels[(at + k) / 8], step * load_lanes(d + k));
        store_lanes(w.dense.data() + at + k, load_lanes(w.dense.data() + at + k) - change);
      }
    }
    const auto singles = pairs.singles(t);
    const auto single_values = pairs.single_values(t);
    for (std::size_t j = 0; j < singles.size(); ++j) {
      const Id ahead = singles.data()[j + SeenPairs::kAhead];
      LINNET_PREFETCH(single_copies + ahead);
      const Id at = singles[j];
      const float x = single_values.empty() ? 1 : single_values[j];
      w.single[at] -= rate * x * single_copies[at] * d[single_labels[at]];
    }
  }
}

// potential = exp(score − shift), and its transpose, after a change of scores.
LINNET_CLONES inline void renew_potentials(ChainTransitions<float>& m) {
  const float top = largest_of(m.score.data(), static_cast<Index>(m.labels) * m.stride);
  m.shift = static_cast<double>(top);
  detail::exp_row(m.score.data(), top, m.labels * m.stride, m.potential.data());
  for (Id a = 0; a < m.labels; ++a)
    for (Id b = 0; b < m.labels; ++b)
      m.potential_back[static_cast<Index>(b) * m.stride + a] =
          m.potential[static_cast<Index>(a) * m.stride + b];
}

class ChainDual {
 public:
  // Stops when the gap is below tol · P. The caller keeps the objective alive.
  ChainDual(ChainCrf& objective, double tol, std::uint64_t seed)
      : crf_(objective),
        pairs_(objective.pairs()),
        data_(objective.data()),
        tol_(tol),
        stride_(chain_stride<float>(data_.num_labels)),
        rng_(seed),
        w_(pairs_, stride_),
        dense_labels_(dense_labels(pairs_, stride_)) {
    if (!(objective.l2() > 0))
      throw std::invalid_argument("the dual needs an L2 penalty: l2 must be positive");
    if (std::find(data_.labels.begin(), data_.labels.end(), -1) != data_.labels.end())
      throw std::invalid_argument("the dual needs every label: with missing ones use L-BFGS");
    start_at_gold();
  }

  // A pass over the sentences in random order.
  EpochStats epoch() {
    if (!pass_.goes_on()) {
      shuffle_groups(order_, group_size(order_.size()), rng_);
      losses_ = 0;
    }
    // Tokens of a sentence that change together count more and more, as the others are settled.
    caution_ = std::min(2.0, 0.75 + 0.125 * static_cast<double>(epochs_));
    EpochStats stats = pass_.over(order_.size(), [this](std::size_t t, EpochStats& so_far) {
      const Id i = order_[t];
      if (data_.length(i) > 0) losses_ += data_.weight(i) * step(i);
      ++so_far.updates;
    });
    if (stats.paused) return stats;
    ++epochs_;
    const double penalty = crf_.l2() / 2 * squares();
    stats.dual = certain_dual(penalty);
    // The losses seen on the way tell when it is worth to look at P itself.
    if (!stats.interrupted && promising(penalty, losses_, 1.5)) look_at_primal(penalty, stats);
    return stats;
  }

  // P, D and their gap at the weights as they are.
  EpochStats certify() {
    EpochStats stats;
    stats.dual = certain_dual(crf_.l2() / 2 * squares());
    measure(stats);
    return stats;
  }

  void state(Archive& a) {
    a(epochs_, rng_, w_, transitions_, ends_, a_, edges_, entropy_, error_);
    a.places(order_, static_cast<std::size_t>(data_.size()));
    a(losses_, pass_);
  }
  Pass& pass() { return pass_; }

  // The coordinates of the objective.
  Vector weights() {
    Vector u(static_cast<std::size_t>(crf_.dim()));
    each_weight([&](double w, Index j) { u[j] = w; });
    return u;
  }
  LabelRows label_rows(double smallest) const {
    return linnet::label_rows(pairs_, smallest, [&](Id y, Id j, const SeenPairs::Weights& w) {
      return static_cast<double>(w_.at(pairs_, stride_, w, y, j)) / w.copies;
    });
  }
  std::vector<double> tied_weights() const {
    return linnet::tied_weights(crf_, transitions_, std::span<const float>(ends_));
  }

 private:
  static constexpr double kUnit = 0x1p-24, kRounding = 64 * kUnit;
  static constexpr double kSlight =
      1e-3;  // a gap where the model's own distributions may be better

  // visit(weight, coordinate)
  template <class Visit>
  void each_weight(Visit&& visit) {
    w_.each(pairs_, stride_,
            [&](float w, Index j, double scale) { visit(static_cast<double>(w) / scale, j); });
    for (std::size_t k = 0; k < places_.size(); ++k)
      visit(static_cast<double>(transitions_.score[places_[k]]),
            pairs_.dim() + static_cast<Index>(k));
    for (std::size_t k = 0; k < ends_.size(); ++k)
      visit(static_cast<double>(ends_[k]), crf_.first_end() + static_cast<Index>(k));
  }
  double squares() {
    double sum = 0;
    each_weight([&](double w, Index) { sum += w * w; });
    return sum;
  }
  void look_at_primal(double penalty, EpochStats& stats) {
    double losses = 0;
    StopCheck stop;
    for (Index i = 0; i < data_.size(); ++i) {
      if (data_.length(i) > 0) losses += data_.weight(i) * (score(i) - gold_score(i));
      if (stop()) {
        stats.interrupted = true;
        return;
      }
    }
    if (promising(penalty, losses, 1.0)) measure(stats);
  }
  // Is the gap about small enough, as far as float can tell?
  bool promising(double penalty, double losses, double about) const {
    const double primal = penalty + losses;
    return primal - (entropies() - penalty) <= (about * tol_ + kRounding) * primal;
  }
  void measure(EpochStats& stats) {
    const Vector u = weights();
    const auto put = [&](double objective) {
      stats.objective = objective;
      stats.gap = objective - stats.dual;
      stats.converged = stats.gap <= tol_ * objective;
      stats.interrupted = crf_.interrupted();
    };
    put(crf_.exact_value(u));
    const double plain = entropies() - crf_.l2() / 2 * squares();
    const bool rounding_counts = stats.objective - plain <= tol_ * stats.objective;
    if (stats.converged || stats.interrupted || !rounding_counts) return;
    const auto [objective, slope] = crf_.exact_slope(u);
    if (!crf_.interrupted()) stats.dual = std::max(stats.dual, objective - slope / (2 * crf_.l2()));
    put(objective);
  }
  void fit(Index length) {
    const auto size = static_cast<std::size_t>(length * stride_);
    for (Buffer<float>* b : {&theta_, &mu_, &d_})
      if (b->size() < size) b->resize(size);
  }
  // The scores of the tokens of sentence i; returns log Z.
  double score(Index i, float* marginals = nullptr, double* expected = nullptr) {
    const Index length = data_.length(i);
    fit(length);
    score_tokens(pairs_, w_, data_.begin(i), length, stride_, theta_.data());
    add_ends(ends_, data_.num_labels, length, stride_, theta_.data());
    return chain_marginals(transitions_, theta_.data(), static_cast<Id>(length), marginals,
                           expected, work_);
  }
  void start_at_gold() {
    const Id labels = data_.num_labels;
    const std::vector<float> zero(static_cast<std::size_t>(labels) *
                                  static_cast<std::size_t>(labels));
    transitions_.set(labels, zero.data(), static_cast<const float*>(nullptr),
                     static_cast<const float*>(nullptr), true);
    expected_.resize(transitions_.score.size());
    std::vector<Id> number(expected_.size());
    for (Id k : crf_.transitions()) {
      places_.push_back(static_cast<Index>(k / labels) * stride_ + k % labels);
      number[places_.back()] = static_cast<Id>(places_.size()) - 1;
    }
    change_.resize(places_.size());
    ends_.resize(static_cast<std::size_t>(crf_.ends()));
    a_.resize(static_cast<std::size_t>(pairs_.tokens() * stride_));
    edges_.resize(static_cast<std::size_t>(data_.size()) * change_.size());
    entropy_.resize(static_cast<std::size_t>(data_.size()));
    error_.resize(entropy_.size());
    for (Index i = 0; i < data_.size(); ++i) {
      order_.push_back(static_cast<Id>(i));
      const auto gold = data_.gold(i);
      for (std::size_t t = 0; t < gold.size(); ++t) {
        marginals(i)[static_cast<Index>(t) * stride_ + gold[t]] = 1;
        if (t > 0) edges(i)[number[static_cast<Index>(gold[t - 1]) * stride_ + gold[t]]] += 1;
      }
    }
  }
  float* marginals(Index i) { return a_.data() + data_.begin(i) * stride_; }
  float* edges(Index i) { return edges_.data() + i * static_cast<Index>(change_.size()); }
  // Moves a_i towards p_i by the γ that is best to second order: with KL their divergence, the dual
  // gains 2γ KL − γ² (KL + c ‖f(d)‖² / 2 l2). Returns the loss before.
  double step(Index i) {
    const Index from = data_.begin(i), length = data_.length(i);
    fit(length);
    std::fill(expected_.begin(), expected_.end(), 0.0);
    const double log_z = score(i, mu_.data(), expected_.data());
    ChainDistance to = chain_distance(mu_.data(), marginals(i), theta_.data(), pairs_.norms(from),
                                      length, stride_, d_.data());
    for (std::size_t k = 0; k < places_.size(); ++k) {
      const double e = expected_[places_[k]];
      to.expected += e * static_cast<double>(transitions_.score[places_[k]]);
      change_[k] = static_cast<float>(e) - edges(i)[k];
      to.squares += static_cast<double>(change_[k] * change_[k]);
    }
    for (Id k = 0; k < crf_.ends(); ++k) {
      const double d = static_cast<double>(d_[end_place(k, length)]);
      to.squares += d * d;
    }
    const double loss = log_z - gold_score(i);
    if (to.apart > 0) {
      const double c = data_.weight(i), kl = 2 * to.apart;
      const double gamma = kl / (kl + caution_ * c * to.squares / crf_.l2());
      double& h = entropy_[i];
      h += gamma * (log_z - to.expected - h);
      // Each token adds some rounding of exp and of sums to log Z, and scores have that of their
      // size.
      const double rounded =
          16 * static_cast<double>(length) + 2 * std::abs(log_z) + 2 * std::abs(to.expected);
      error_[i] += gamma * (kUnit * rounded - error_[i]);
      move(i, static_cast<float>(gamma), static_cast<float>(gamma * c / crf_.l2()));
    }
    return loss;
  }
  double gold_score(Index i) const {
    const auto gold = data_.gold(i);
    double score = 0;
    for (std::size_t t = 0; t < gold.size(); ++t) {
      score += static_cast<double>(theta_[static_cast<Index>(t) * stride_ + gold[t]]);
      if (t > 0)
        score += static_cast<double>(
            transitions_.score[static_cast<Index>(gold[t - 1]) * stride_ + gold[t]]);
    }
    return score;
  }
  // Where the label of end k stands among the tokens of a sentence.
  Index end_place(Id k, Index length) const {
    return k < data_.num_labels ? k : (length - 1) * stride_ + k - data_.num_labels;
  }
  void move(Index i, float gamma, float rate) {
    const Index from = data_.begin(i), length = data_.length(i);
    float *const a = marginals(i), *const kept = edges(i);
    for (Index k = 0; k < length * stride_; ++k) a[k] += gamma * d_[k];
    for (std::size_t k = 0; k < places_.size(); ++k) {
      kept[k] += gamma * change_[k];
      transitions_.score[places_[k]] -= rate * change_[k];
    }
    renew_potentials(transitions_);
    for (Id k = 0; k < crf_.ends(); ++k) ends_[k] -= rate * d_[end_place(k, length)];
    subtract_tokens(pairs_, dense_labels_.data(), d_.data(), from, length, stride_, rate, w_);
  }

  double entropies() const {
    double sum = 0;
    for (Index i = 0; i < data_.size(); ++i) sum += data_.weight(i) * entropy_[i];
    return sum;
  }
  // D, less what float may have made of the entropies, and of the weights step by step.
  double certain_dual(double penalty) const {
    double sum = 0;
    for (Index i = 0; i < data_.size(); ++i) sum += data_.weight(i) * (entropy_[i] - error_[i]);
    return sum - (1 + kRounding) * penalty;
  }

  ChainCrf& crf_;
  const SeenPairs& pairs_;
  const Sentences& data_;
  double tol_, caution_ = 1;
  double losses_ = 0;  // seen in the pass
  Index epochs_ = 0;
  Id stride_;
  Rng rng_;
  PairTables<float> w_;
  std::vector<std::uint8_t> dense_labels_;
  ChainTransitions<float> transitions_;
  std::vector<float> ends_;
  std::vector<Index> places_;            // of the transitions that have weights
  Buffer<float> a_;                      // marginals of a_i, [tokens][stride]
  std::vector<float> edges_;             // expected transitions of a_i, [sentences][weights]
  std::vector<double> entropy_, error_;  // and what float may have added to it
  std::vector<Id> order_;
  Buffer<float> theta_, mu_, d_;
  std::vector<float> change_;
  Buffer<double> expected_;
  ChainScratch<float> work_;
  Pass pass_;
};

}  // namespace linnet
