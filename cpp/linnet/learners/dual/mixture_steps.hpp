// Steps on the mixture of outputs of one instance (output_mixtures.hpp). A visit asks the oracle
// for the output s that scores best with its cost; gap = c (θ + cost) · (s − μ) says how much there
// is to gain. Then shares move from the worst output of the mixture to the best (pairwise steps:
// Osokin et al. 2016; a mixture gets rid of what it once took up, which plain steps towards s only
// dilute), as far as D rises:
//
//   d = y_best − y_worst,   γ = min(α_worst, l2 c (θ + cost) · d / (σ ‖c Xᵀ d‖²))
//
// and the weights by σ times what that makes of them: σ is 1, or the number of shards whose steps
// are added up (shards/shard_dual.hpp).
#pragma once
#include "linnet/learners/dual/local_weights.hpp"
#include "linnet/learners/dual/output_mixtures.hpp"

namespace linnet {

class MixtureSteps {
 public:
  struct Moved {
    double gain = 0, work = 0;  // of D; numbers that were read
    bool any = false;
    bool endless = false;  // a hard margin asks two outputs apart that nothing tells apart
  };

  MixtureSteps(CostlyOutput costly, double l2, double sigma = 1)
      : costly_(std::move(costly)), l2_(l2), sigma_(sigma) {}

  InstanceBuffer& buffer() { return buffer_; }  // for reading the instance that is visited
  CostlyOutput& costly() { return costly_; }

  // Moves shares of an instance and the weights with them, until most of its gap is closed: to read
  // its features costs more than a step.
  Moved visit(const Instance& x, Mixture& mixture, double* weights) {
    Moved moved;
    if (x.weight == 0) return moved;
    local_.open(x.sites, weights, buffer_.site.row);
    change_.assign(local_.values().size(), 0.0);
    const auto rescore = [&] {
      find_scores(x, local_.sites(), local_.values().data());
      moved.work += static_cast<double>(local_.values().size() + buffer_.theta.size());
    };
    rescore();
    const double gap = ask(x, mixture);
    if (gap == 0) return moved;
    take_up(mixture);
    for (int moves = 0; moves < kMoves && step(mixture, kEnough * gap, moved); ++moves) {
      moved.any = true;
      rescore();
    }
    drop_empty(mixture);
    if (moved.any) local_.write(x.sites, weights);
    return moved;
  }

  void find_scores(const Instance& x, std::span<const Group> sites, const double* w) {
    buffer_.theta.resize(static_cast<std::size_t>(x.oracle->parts()));
    score(sites, w, std::span<double>(buffer_.theta), buffer_.site);
  }
  // The best output into costly_, loss and gap into the mixture; how much better it is than the
  // mixture, in units of c.
  double ask(const Instance& x, Mixture& mixture) {
    costly_.find(x, buffer_.theta, 1, buffer_.work);
    const double top = score_of(costly_.parts(), buffer_.theta) + costly_.cost();
    const double loss = std::max(top - value(mixture.held[0]), 0.0);
    double gap = 0;
    for (const HeldOutput& held : mixture.held) gap += held.alpha * (top - value(held));
    // A mixture of hard margins has no gap of its own: what lies between its outputs counts.
    if (mixture.hard)
      for (const HeldOutput& held : mixture.held) gap = std::max(gap, top - value(held));
    gap = std::max(gap, 0.0);
    mixture.gap = mixture.weight * gap;
    mixture.loss = mixture.weight * loss;
    return gap;
  }
  // Lets the best output into the mixture; false if it was there.
  bool take_up(Mixture& mixture) {
    for (const HeldOutput& held : mixture.held)
      if (held.parts == costly_.parts()) return false;
    mixture.held.push_back({0, costly_.cost(), 0, costly_.parts()});
    return true;
  }

 private:
  static constexpr double kEnough = 0.3;  // of the gap an instance was found with
  static constexpr int kMoves = 4;        // at most, at one visit

  static void drop_empty(Mixture& mixture) {
    std::vector<HeldOutput>& held = mixture.held;
    held.erase(std::remove_if(held.begin() + 1, held.end(),
                              [](const HeldOutput& wrong) { return wrong.alpha == 0; }),
               held.end());
  }

  double value(const HeldOutput& held) const {
    return score_of(held.parts, buffer_.theta) + held.cost;
  }

  // Moves share from the worst output to the best, and the weights with it; false if there is
  // less than `enough` between them.
  bool step(Mixture& mixture, double enough, Moved& moved) {
    HeldOutput *best = nullptr, *worst = nullptr;
    double high = -kInf, low = kInf;
    for (HeldOutput& held : mixture.held) {
      const double v = value(held);
      const bool has_mass = held.alpha > 0 || (mixture.hard && &held == &mixture.held[0]);
      if (v > high) high = v, best = &held;
      if (has_mass && v < low) low = v, worst = &held;
    }
    if (!(high - low > enough)) return false;
    std::fill(buffer_.delta.begin(), buffer_.delta.end(), 0.0);
    buffer_.delta.resize(buffer_.theta.size(), 0.0);
    for (Id p : best->parts) buffer_.delta[p] += mixture.weight;
    for (Id p : worst->parts) buffer_.delta[p] -= mixture.weight;
    const double slope = mixture.weight * (high - low), curvature = sigma_ * (collect() / l2_);
    const double most = mixture.hard && worst == &mixture.held[0] ? kInf : worst->alpha;
    double gamma = most;
    if (slope < curvature * most) gamma = slope / curvature;
    if (!(gamma < kInf)) {  // nothing tells the two outputs apart
      moved.endless = true;
      touched_.clear();
      return false;
    }
    apply(-sigma_ * (gamma / l2_));
    best->alpha += gamma;
    worst->alpha -= gamma;
    moved.gain += gamma * (slope - gamma / 2 * curvature);
    return true;
  }
  // change_ = Xᵀ delta over the weights of the instance, where it is not zero; its square.
  double collect() {
    double square = 0, size = 0;
    for_each_weight_row(local_.sites(), buffer_.delta, buffer_.site,
                        [&](Index offset, double value, const double* d, const Group& g) {
                          for (Id y = 0; y < g.width; ++y) {
                            if (d[y] == 0) continue;
                            double& sum = change_[offset + y];
                            const double more = value * d[y];
                            touched_.push_back(offset + y);
                            square += more * (2 * sum + more);
                            size += more * more;
                            sum += more;
                          }
                        });
    return square > 1e-14 * size ? square : 0;  // what rounding left of nothing
  }
  // w += scale change_, change_ = 0; of a weight touched twice the second finds nothing.
  void apply(double scale) {
    const auto w = local_.values();
    for (Index j : touched_) w[j] += scale * std::exchange(change_[j], 0.0);
    touched_.clear();
  }

  CostlyOutput costly_;
  double l2_, sigma_;
  InstanceBuffer buffer_;
  LocalWeights local_;
  std::vector<double> change_;
  std::vector<Index> touched_;
};

}  // namespace linnet
