// The structural SVM by block-coordinate Frank–Wolfe (Lacoste-Julien, Jaggi, Schmidt and Pletscher
// 2013), over any structure that has an oracle. With c_i the weight of instance i,
//
//   P(w) = l2 ½‖w‖² + Σ_i c_i max_y' [cost(y', y_i) + w · f(x_i, y') − w · f(x_i, y_i)].
//
// A dual point is a mixture of outputs per instance, Σ_k α_k y_k, kept as the outputs that have
// some share. With their parts μ_i it has the weights w = Σ_i c_i X_iᵀ(gold_i − μ_i) / l2 and the
// value D = −l2 ½‖w‖² + Σ_i c_i cost(μ_i). A visit asks the oracle for the output s that scores
// best with its cost; gap_i = c_i (θ + cost) · (s − μ_i) says how much there is to gain. Then
// shares move from the worst output of the mixture to the best (pairwise steps: Osokin et al. 2016;
// a mixture gets rid of what it once took up, which plain steps towards s only dilute), as far as D
// rises:
//
//   d = y_best − y_worst,   γ = min(α_worst, l2 c_i (θ + cost) · d / ‖c_i X_iᵀ d‖²)
//
// The gaps of all instances at the same w sum to P(w) − D: a certificate. Reading the features of
// an instance costs more than a step, so a visit goes on until most of its gap is closed.
#pragma once
#include <numeric>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/rng.hpp"
#include "linnet/data/dataset.hpp"
#include "linnet/learners/dual/local_weights.hpp"

namespace linnet {

class FrankWolfe {
 public:
  FrankWolfe(const Dataset& data, const Loss& loss, double l2, double tolerance, bool shuffle,
             std::uint64_t seed)
      : data_(data),
        loss_(loss),
        l2_(l2),
        tolerance_(tolerance),
        shuffle_(shuffle),
        rng_(seed),
        order_(static_cast<std::size_t>(data.size())),
        points_(order_.size()),
        gaps_(order_.size()),
        losses_(order_.size()),
        weights_(static_cast<std::size_t>(data.dim())) {
    if (loss.ring != Ring::max || loss.link != Link::identity || loss.cost == 0)
      throw std::invalid_argument(
          "Frank-Wolfe is for the hinge loss, whose dual points are "
          "mixtures of outputs, not '" +
          std::string(loss.name) + "'");
    if (data.partial())
      throw std::invalid_argument("with missing labels the loss is not convex and has no dual");
    if (!(l2 > 0 && l2 < kInf)) throw std::invalid_argument("l2 must be positive and finite");
    std::iota(order_.begin(), order_.end(), Index{0});
    for (Index i = 0; i < data.size(); ++i) {
      const Instance x = data.read(i, buffer_);
      if (!(x.weight >= 0 && x.weight < kInf))
        throw std::invalid_argument("weights must be finite and not negative");
      points_[i].push_back({1, gold_parts(x)});  // w = 0
    }
  }

  // A visit to every instance. The dual value is exact; the gaps last seen add up to a guess at the
  // gap, which is certified when it promises to be small enough.
  EpochStats epoch() {
    EpochStats stats;
    StopCheck stop;
    if (shuffle_) rng_.shuffle(std::span(order_));
    for (Index i : order_) {
      visit(i, stats);
      if (stop()) {
        stats.interrupted = true;
        return stats;
      }
    }
    stats.dual = dual_;
    if (sum(gaps_) <= tolerance_ * (half_norm() + sum(losses_))) certify(stats);
    return stats;
  }

  // The exact objective and gap of the weights as they are.
  EpochStats certify() {
    EpochStats stats;
    certify(stats);
    return stats;
  }

  std::span<double> weights() { return weights_; }
  Id width() const { return data_.width(); }
  // Instances that hold some mass on a wrong output.
  std::vector<Index> support() {
    std::vector<Index> found;
    for (Index i = 0; i < data_.size(); ++i) {
      const Mixture& m = points_[i];
      if (m.size() > 1 || m[0].parts != gold_parts(data_.read(i, buffer_))) found.push_back(i);
    }
    return found;
  }

 private:
  struct Share {
    double alpha;
    std::vector<Id> parts;  // in order; one that is held twice is named twice
  };
  using Mixture = std::vector<Share>;
  static constexpr double kEnough = 0.3;  // of the gap an instance was found with
  static constexpr int kMoves = 4;        // at most, at one visit

  static double sum(const std::vector<double>& v) {
    return std::accumulate(v.begin(), v.end(), 0.0);
  }
  double half_norm() const {
    return l2_ / 2 * std::inner_product(weights_.begin(), weights_.end(), weights_.begin(), 0.0);
  }

  void visit(Index i, EpochStats& stats) {
    const Instance x = data_.read(i, buffer_);
    if (x.weight == 0) return;
    Mixture& mixture = points_[i];
    local_.open(x.sites, weights_.data(), buffer_.site.row);
    change_.assign(local_.values().size(), 0.0);
    score_with_cost(x, local_.sites(), local_.values().data());
    const double gap = ask(x, mixture);
    gaps_[i] = x.weight * gap;
    losses_[i] = x.weight * loss_now_;
    if (gap == 0) return;
    take_up(mixture);
    int moves = 0;
    for (; moves < kMoves && step(x, mixture, kEnough * gap); ++moves)
      score_with_cost(x, local_.sites(), local_.values().data());
    std::erase_if(mixture, [](const Share& share) { return share.alpha == 0; });
    if (moves == 0) return;
    ++stats.updates;
    local_.write(x.sites, weights_.data());
  }

  void score_with_cost(const Instance& x, std::span<const Group> sites, const double* w) {
    buffer_.theta.resize(static_cast<std::size_t>(x.oracle->parts()));
    score(sites, w, std::span<double>(buffer_.theta), buffer_.site);
    add_cost(*x.oracle, x.gold, x.costs, loss_.cost, buffer_.theta);
  }
  double value(const std::vector<Id>& parts) const {
    double sum = 0;
    for (Id p : parts) sum += buffer_.theta[p];
    return sum;
  }

  // The best output into best_, its loss into loss_now_; how much better it is than the mixture.
  double ask(const Instance& x, const Mixture& mixture) {
    buffer_.delta.resize(buffer_.theta.size());
    x.oracle->solve(Ring::max, buffer_.theta, buffer_.delta, buffer_.work);
    best_.clear();
    for (std::size_t p = 0; p < buffer_.delta.size(); ++p)
      for (double held = buffer_.delta[p]; held > 0; --held) best_.push_back(static_cast<Id>(p));
    const double top = value(best_);
    loss_now_ = top;
    for (const auto& [p, count] : x.gold) loss_now_ -= buffer_.theta[p] * count;
    loss_now_ = std::max(loss_now_, 0.0);
    double gap = 0;
    for (const Share& share : mixture) gap += share.alpha * (top - value(share.parts));
    return std::max(gap, 0.0);
  }
  // Lets best_ into the mixture.
  void take_up(Mixture& mixture) {
    for (const Share& share : mixture)
      if (share.parts == best_) return;
    mixture.push_back({0, best_});
  }

  // Moves share from the worst output to the best, and the weights with it; false if there is
  // less than `enough` between them.
  bool step(const Instance& x, Mixture& mixture, double enough) {
    Share *best = nullptr, *worst = nullptr;
    double high = -kInf, low = kInf;
    for (Share& share : mixture) {
      const double v = value(share.parts);
      if (v > high) high = v, best = &share;
      if (share.alpha > 0 && v < low) low = v, worst = &share;
    }
    if (!(high - low > enough)) return false;
    std::fill(buffer_.delta.begin(), buffer_.delta.end(), 0.0);
    for (Id p : best->parts) buffer_.delta[p] += x.weight;
    for (Id p : worst->parts) buffer_.delta[p] -= x.weight;
    const double slope = x.weight * (high - low), curvature = collect() / l2_;
    const double gamma = slope < curvature * worst->alpha ? slope / curvature : worst->alpha;
    apply(-gamma / l2_);
    best->alpha += gamma;
    worst->alpha -= gamma;
    dual_ += gamma * (slope - gamma / 2 * curvature);
    return true;
  }
  // change_ = Xᵀ delta over the weights of the instance, where it is not zero; its square.
  double collect() {
    double square = 0;
    for_each_weight_row(local_.sites(), buffer_.delta, buffer_.site,
                        [&](Index offset, double value, const double* d, const Group& g) {
                          for (Id y = 0; y < g.width; ++y) {
                            if (d[y] == 0) continue;
                            double& sum = change_[offset + y];
                            const double more = value * d[y];
                            touched_.push_back(offset + y);
                            square += more * (2 * sum + more);
                            sum += more;
                          }
                        });
    return square;
  }
  // w += scale change_, change_ = 0; of a weight touched twice the second finds nothing.
  void apply(double scale) {
    const auto w = local_.values();
    for (Index j : touched_) w[j] += scale * std::exchange(change_[j], 0.0);
    touched_.clear();
  }

  static std::vector<Id> gold_parts(const Instance& x) {
    std::vector<Id> parts;
    for (const auto& [p, count] : x.gold)
      for (double held = count; held > 0; --held) parts.push_back(p);
    std::sort(parts.begin(), parts.end());
    return parts;
  }

  void certify(EpochStats& stats) {
    StopCheck stop;
    for (Index i = 0; i < data_.size(); ++i) {
      const Instance x = data_.read(i, buffer_);
      score_with_cost(x, x.sites, weights_.data());
      gaps_[i] = x.weight * ask(x, points_[i]);
      losses_[i] = x.weight * loss_now_;
      if (stop()) {
        stats.interrupted = true;
        return;
      }
    }
    stats.objective = half_norm() + sum(losses_);
    stats.gap = sum(gaps_);
    stats.dual = stats.objective - stats.gap;
    stats.converged = stats.gap <= tolerance_ * stats.objective;
  }

  const Dataset& data_;
  Loss loss_;
  double l2_, tolerance_;
  bool shuffle_;
  Rng rng_;
  std::vector<Index> order_;
  std::vector<Mixture> points_;
  std::vector<double> gaps_, losses_;  // as last seen, times c
  Buffer<double> weights_;
  double dual_ = 0, loss_now_ = 0;
  InstanceBuffer buffer_;
  LocalWeights local_;
  std::vector<Id> best_;
  std::vector<double> change_;
  std::vector<Index> touched_;
};

}  // namespace linnet
