// The structural SVM by block-coordinate Frank–Wolfe (Lacoste-Julien, Jaggi, Schmidt and Pletscher
// 2013), over any structure that has an oracle. With c_i the weight of instance i,
//
//   P(w) = l2 ½‖w‖² + Σ_i c_i max_y' [cost(y', y_i) + w · f(x_i, y') − w · f(x_i, y_i)].
//
// A dual point is a mixture of outputs per instance, Σ_k α_k y_k, kept as the outputs that have
// some held. With their parts μ_i it has the weights w = Σ_i c_i X_iᵀ(gold_i − μ_i) / l2 and the
// value D = −l2 ½‖w‖² + Σ_i c_i cost(μ_i). A visit (`mixture_steps.hpp`) asks the oracle for the
// output s that scores best with its cost, and moves shares as far as D rises. The gaps of all
// instances at the same w, c_i (θ + cost) · (s − μ_i), sum to P(w) − D: a certificate.
//
// c_i = ∞ asks for a hard margin, w · f(x_i, y_i) − w · f(x_i, y') >= cost(y') for all y': c_i
// stands for l2, and the share of the right output may be negative. For the certificate w is scaled
// up until all margins hold. Every output that is held is a row of a margin programme; where
// descent takes too long it is solved for, in rounds that take up what is violated.
#pragma once
#include <numeric>
#include <optional>

#include "linnet/base/pass.hpp"
#include "linnet/learners/dual/mixture_steps.hpp"

namespace linnet {

struct FrankWolfeSettings {
  double l2 = 1, tol = 1e-3;
  OutputCost cost = OutputCost::parts;
  bool shuffle = true;
  std::uint64_t seed = 0;
  double min_margin = 1e-4;  // a smaller one, relative to the largest ‖d‖ / cost, counts as none
};

class FrankWolfe {
 public:
  FrankWolfe(const Dataset& data, const Loss& loss, const FrankWolfeSettings& settings)
      : data_(data),
        settings_(checked(settings)),
        rng_(settings.seed),
        order_(static_cast<std::size_t>(data.size())),
        mixtures_(data, settings.l2),
        steps_(CostlyOutput(settings.cost, loss.cost, data.listed()), settings.l2),
        hard_(mixtures_.hard()) {
    if (loss.ring != Ring::max || loss.link != Link::identity || loss.cost == 0)
      throw std::invalid_argument(
          "Frank-Wolfe is for the hinge loss, whose dual points are "
          "mixtures of outputs, not '" +
          std::string(loss.name) + "'");
    if (data.partial())
      throw std::invalid_argument("with missing labels the loss is not convex and has no dual");
    std::iota(order_.begin(), order_.end(), Index{0});
  }

  // A visit to every instance. The dual value is exact; the gaps last seen add up to a guess at the
  // gap, which is certified when it promises to be small enough.
  EpochStats epoch() {
    scale_ = 1;
    if (!pass_.goes_on()) {
      if (settings_.shuffle) rng_.shuffle(std::span(order_));
      began_ = work_;
    }
    EpochStats stats = pass_.over(
        order_.size(), [this](std::size_t t, EpochStats& so_far) { visit(order_[t], so_far); });
    if (stats.interrupted || stats.paused) return stats;
    ++passes_;
    stats.dual = dual_;
    const double gap = mixtures_.total(&Mixture::gap),
                 objective = mixtures_.half_norm() + mixtures_.total(&Mixture::loss);
    patience_.spend(work_ - began_, gap / (settings_.tol * objective));
    const bool promising = gap <= settings_.tol * objective;
    if (hard_ ? passes_ % 4 == 0 : promising) certify(stats);
    if (!stats.converged && !stats.interrupted && separable_ != false) look_closer(stats);
    return stats;
  }

  // The exact objective and gap of the weights as they are.
  EpochStats certify() {
    EpochStats stats;
    certify(stats);
    return stats;
  }

  // In the layout of the data, scaled up until hard margins hold.
  std::vector<double> weights() const {
    std::vector<double> w(mixtures_.weights().begin(), mixtures_.weights().end());
    for (double& v : w) v *= scale_;
    return w;
  }
  Id width() const { return data_.width(); }
  // Can the hard margins be had? Yes once weights have them, no once that is proved to be
  // impossible.
  std::optional<bool> separable() const { return separable_; }
  std::vector<Index> support() const { return mixtures_.support(); }

  void state(Archive& a) {
    a.places(order_, static_cast<std::size_t>(data_.size()));
    a(rng_, mixtures_, separable_, scale_, dual_, patience_, passes_, work_, work_before_);
    a(next_part_, began_, pass_);
  }
  Pass& pass() { return pass_; }

 private:
  static constexpr int kRounds = 50;         // of taking up what is violated
  static constexpr double kMostRows = 1000;  // of a part
  static constexpr int kPassesBetween = 20;  // two parts

  static const FrankWolfeSettings& checked(const FrankWolfeSettings& settings) {
    if (!(settings.l2 > 0 && settings.l2 < kInf))
      throw std::invalid_argument("l2 must be positive and finite");
    return settings;
  }

  void visit(Index i, EpochStats& stats) {
    const Instance x = data_.read(i, steps_.buffer());
    const MixtureSteps::Moved moved = steps_.visit(x, mixtures_[i], mixtures_.weights().data());
    work_ += moved.work;
    dual_ += moved.gain;
    stats.updates += moved.any;
    if (moved.endless) separable_ = false;
  }

  // Objective and gap; outputs that are violated are taken up if `taking`, and their number is
  // returned.
  Index certify(EpochStats& stats, bool taking = false) {
    StopCheck stop;
    Index taken = 0;
    scale_ = 1;
    for (Index i = 0; i < data_.size(); ++i) {
      Mixture& mixture = mixtures_[i];
      if (mixture.weight == 0) continue;
      const Instance x = data_.read(i, steps_.buffer());
      steps_.find_scores(x, x.sites, mixtures_.weights().data());
      const double gap = steps_.ask(x, mixture);
      if (taking && gap > 0) taken += steps_.take_up(mixture);
      if (mixture.hard && scale_ < kInf) widen(x, mixture);
      if (stop()) {
        stats.interrupted = true;
        return taken;
      }
    }
    stats.objective = mixtures_.half_norm() + mixtures_.total(&Mixture::loss);
    stats.gap = mixtures_.total(&Mixture::gap);
    if (hard_) {
      stats.objective = scale_ < kInf ? scaled_objective(stats) : kInf;
      stats.gap = stats.objective - mixtures_.value();
      if (scale_ == kInf) scale_ = 1;
    }
    stats.dual = stats.objective - stats.gap;
    if (stats.objective == kInf) stats.dual = mixtures_.value();
    if (hard_ && stats.objective < kInf && separable_ != false) separable_ = true;
    stats.converged = separable_ != false && !stats.interrupted && stats.objective < kInf &&
                      stats.gap <= settings_.tol * stats.objective;
    return taken;
  }
  // Raises the multiple of w until the margins of this instance hold: the root of
  // max_y' [cost(y') − t (θ · gold − θ · y')], which is convex in t, by Newton's method.
  void widen(const Instance& x, const Mixture& mixture) {
    CostlyOutput& costly = steps_.costly();
    InstanceBuffer& buffer = steps_.buffer();
    const double right = score_of(mixture.held[0].parts, buffer.theta);
    for (int round = 0; round < 100; ++round) {
      costly.find(x, buffer.theta, scale_, buffer.work);
      const double margin = right - score_of(costly.parts(), buffer.theta);
      if (costly.cost() - scale_ * margin <= 1e-14 * costly.cost()) return;
      scale_ = margin > 0 ? costly.cost() / margin : kInf;
      if (scale_ == kInf) return;
    }
  }
  // P of scale_ w, where all hard margins hold.
  double scaled_objective(EpochStats& stats) {
    StopCheck stop;
    CostlyOutput& costly = steps_.costly();
    InstanceBuffer& buffer = steps_.buffer();
    double sum = scale_ * scale_ * mixtures_.half_norm();
    for (Index i = 0; i < data_.size(); ++i) {
      const Mixture& mixture = mixtures_[i];
      if (mixture.weight == 0 || mixture.hard) continue;
      const Instance x = data_.read(i, buffer);
      steps_.find_scores(x, x.sites, mixtures_.weights().data());
      costly.find(x, buffer.theta, scale_, buffer.work);
      const double behind =
          score_of(costly.parts(), buffer.theta) - score_of(mixture.held[0].parts, buffer.theta);
      sum += mixture.weight * std::max(0.0, costly.cost() + scale_ * behind);
      stats.interrupted |= stop();
    }
    return sum;
  }

  // Descent has had its chance: solve for all that is held, or for what moved most.
  void look_closer(EpochStats& stats) {
    std::vector<OutputMixtures::Row> rows = mixtures_.rows();
    if (patience_.allows(static_cast<double>(rows.size()), kInf, kInf)) {
      patience_.tried();
      for (int round = 0; round < kRounds; ++round) {
        if (!resolve(rows, stats)) return;
        const Index taken = certify(stats, true);
        if (stats.converged || stats.interrupted || taken == 0) return;
        rows = mixtures_.rows();
      }
    } else if (patience_.passes() >= next_part_) {
      next_part_ = patience_.passes() + kPassesBetween;
      const double spent = work_ - std::exchange(work_before_, work_);
      rows = mixtures_.most_moved(
          static_cast<std::size_t>(std::min(kMostRows, Patience::rows_for(spent))));
      resolve(rows, stats);
    }
  }
  // The best shares of these rows given all others; false if there are none, or it was interrupted.
  bool resolve(const std::vector<OutputMixtures::Row>& rows, EpochStats& stats) {
    const double tol = kExactly * settings_.tol;
    MarginProgramme programme = mixtures_.programme(rows);
    if (const MarginProgramme hard = programme.hard_rows(); hard.rows() > 0) {
      const double least = separable_ == true ? 0 : settings_.min_margin;
      const MarginVerdict verdict = solve_exactly(hard, tol, least);
      stats.interrupted |= verdict.solution.interrupted;
      if (!verdict.separable) separable_ = false;
    }
    if (separable_ == false || stats.interrupted) return false;
    stats.interrupted |= !mixtures_.improve(rows, std::move(programme), tol);
    dual_ = mixtures_.value();
    return !stats.interrupted;
  }

  const Dataset& data_;
  FrankWolfeSettings settings_;
  Rng rng_;
  std::vector<Index> order_;
  OutputMixtures mixtures_;
  MixtureSteps steps_;
  bool hard_;
  std::optional<bool> separable_;
  double scale_ = 1;  // of the weights, when they are handed out
  double dual_ = 0;
  Patience patience_;
  int passes_ = 0;
  double work_ = 0, work_before_ = 0, next_part_ = 0;
  double began_ = 0;  // work_ before the pass
  Pass pass_;
};

}  // namespace linnet
