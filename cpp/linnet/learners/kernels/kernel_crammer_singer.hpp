// The multiclass SVM of Crammer and Singer (2001) with the joint kernel φ((x, y), (x', y')) =
// K(x, x') [y = y']: the dual of `learners/dual/dual_crammer_singer.hpp`, with rows of K where that
// has weights. s_ik = Σ_j K_ij τ_jk, τ_ik = c_i ([k = y_i] − α_ik); the best α_i given all others
// is a projection on the simplex. It stops by the relative duality gap, Σ_i c_i Σ_k α_ik (max z_i −
// z_ik).
#pragma once
#include "linnet/base/rng.hpp"
#include "linnet/kernels/gram_cache.hpp"
#include "linnet/learners/dual/dual_crammer_singer.hpp"

namespace linnet {

// to += by · row.
LINNET_CLONES inline void add_row(double* LINNET_RESTRICT to, const float* LINNET_RESTRICT row,
                                  double by, Index size) {
  for (Index k = 0; k < size; ++k) to[k] += by * static_cast<double>(row[k]);
}

struct JointKernelSolution {
  std::vector<double> tau;  // [examples][labels]
  double objective = 0, gap = 0;
  Index epochs = 0;
  bool converged = false, interrupted = false;
};

class KernelCrammerSinger {
 public:
  KernelCrammerSinger(GramCache& cache, std::span<const Id> labels, std::span<const double> costs,
                      Id width, std::uint64_t seed)
      : cache_(cache),
        labels_(labels.begin(), labels.end()),
        costs_(costs.begin(), costs.end()),
        n_(cache.size()),
        width_(width),
        stride_((width + 7) / 8 * 8),
        rng_(seed) {
    if (static_cast<Index>(labels.size()) != n_ || costs.size() != labels.size())
      throw std::invalid_argument("one label and one cost for each example");
    if (width < 2) throw std::invalid_argument("there must be two labels or more");
    for (Id label : labels)
      if (label < 0 || label >= width) throw std::invalid_argument("a label is out of range");
    for (double c : costs)
      if (!(c >= 0) || !std::isfinite(c)) throw std::invalid_argument("a cost is not finite");
    alpha_.assign(static_cast<std::size_t>(n_ * stride_), 0.0);
    scores_.assign(static_cast<std::size_t>(n_ * width_), 0.0);
    z_.resize(static_cast<std::size_t>(stride_));
    next_.resize(z_.size());
    for (Index i = 0; i < n_; ++i) alpha_[i * stride_ + labels_[i]] = 1;
  }

  JointKernelSolution solve(double tol, Index limit) {
    JointKernelSolution found;
    std::vector<Index> order(static_cast<std::size_t>(n_));
    std::iota(order.begin(), order.end(), Index{0});
    while (found.epochs < limit && !found.converged && !found.interrupted) {
      rng_.shuffle(std::span<Index>(order));
      const double least = found.epochs == 0 ? 0 : 0.1 * found.gap / static_cast<double>(n_);
      for (std::size_t t = 0; t < order.size() && !found.interrupted; ++t) {
        visit(std::span<const Index>(order).subspan(t), least);
        found.interrupted = stop_();
      }
      ++found.epochs;
      certify(found);
      found.converged = found.gap <= tol * std::max(found.objective, 1e-300);
    }
    found.tau.resize(static_cast<std::size_t>(n_ * width_));
    for (Index i = 0; i < n_; ++i)
      for (Id k = 0; k < width_; ++k)
        found.tau[i * width_ + k] =
            costs_[i] * ((k == labels_[i] ? 1.0 : 0.0) - alpha_[i * stride_ + k]);
    return found;
  }

 private:
  BlockState<double> look(Index i) {
    std::fill(z_.begin(), z_.end(), -1e30);
    for (Id k = 0; k < width_; ++k) z_[k] = scores_[k * n_ + i];
    return look_hinge(z_.data(), alpha_.data() + i * stride_, labels_[i], stride_);
  }
  // The first of `order`; those after it come next.
  void visit(std::span<const Index> order, double least) {
    const Index i = order[0];
    const auto curve = costs_[i] * static_cast<double>(cache_.diagonal(i));
    if (costs_[i] == 0) return;
    const auto state = look(i);
    if (costs_[i] * state.gap <= least) return;
    double* const alpha = alpha_.data() + i * stride_;
    if (curve > 0)
      project_on_simplex(z_.data(), alpha, 1 / curve, stride_, next_.data());
    else  // it has no say in the scores: all mass to the best output
      for (Index k = 0; k < stride_; ++k) next_[k] = z_[k] == 0 && k < width_ ? 1 : 0;
    const float* row = nullptr;
    for (Id k = 0; k < width_; ++k) {
      const double by = costs_[i] * (alpha[k] - next_[k]);
      if (by == 0) continue;
      if (!row)
        row = cache_.get(i, [&](Index most, std::vector<Index>& wanted) {
          for (Index j : order.subspan(1)) {
            if (static_cast<Index>(wanted.size()) > most) break;
            if (!cache_.has(j)) wanted.push_back(j);
          }
        });
      add_row(scores_.data() + k * n_, row, by, n_);
      alpha[k] = next_[k];
    }
  }
  void certify(JointKernelSolution& found) {
    found.gap = found.objective = 0;
    for (Index i = 0; i < n_; ++i) {
      if (costs_[i] == 0) continue;
      for (Id k = 0; k < width_; ++k)  // ½ τ·s
        found.objective += 0.5 * costs_[i] *
                           ((k == labels_[i] ? 1.0 : 0.0) - alpha_[i * stride_ + k]) *
                           scores_[k * n_ + i];
      const auto state = look(i);
      found.objective += costs_[i] * state.loss;
      found.gap += costs_[i] * state.gap;
    }
  }

  GramCache& cache_;
  std::vector<Id> labels_;
  std::vector<double> costs_;
  Index n_;
  Id width_, stride_;
  Rng rng_;
  StopCheck stop_;
  std::vector<double> alpha_;   // [examples][stride]
  std::vector<double> scores_;  // [labels][examples]
  std::vector<double> z_, next_;
};

}  // namespace linnet
