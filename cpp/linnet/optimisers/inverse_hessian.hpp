// The limited-memory BFGS estimate H of the inverse Hessian, kept as the last m pairs of moves
// s = w′ − w and changes of the gradient y = g′ − g (Nocedal 1980; Nocedal & Wright,
// algorithm 7.4).
#pragma once
#include <deque>

#include "linnet/base/archive.hpp"
#include "linnet/optimisers/vectors.hpp"

namespace linnet {

class InverseHessian {
 public:
  InverseHessian(std::size_t dim, int history) : dim_(dim), history_(std::max(history, 1)) {}

  bool empty() const { return pairs_.empty(); }
  void clear() { pairs_.clear(); }
  void state(Archive& a) {
    a.list(pairs_);
    for (const Pair& pair : pairs_)
      Archive::require(pair.s.size() == dim_ && pair.y.size() == dim_, "a step has another length");
  }

  // A pair without positive curvature would cost H its definiteness, and is left out.
  void learn(std::span<const double> w, std::span<const double> new_w, std::span<const double> g,
             std::span<const double> new_g) {
    Pair pair;
    if (pairs_.size() == static_cast<std::size_t>(history_)) {
      pair = std::move(pairs_.front());
      pairs_.pop_front();
    }
    pair.s.resize(dim_);
    pair.y.resize(dim_);
    for (std::size_t i = 0; i < dim_; ++i) {
      pair.s[i] = static_cast<float>(new_w[i] - w[i]);
      pair.y[i] = static_cast<float>(new_g[i] - g[i]);
    }
    pair.sy = dot(pair.s, pair.y);
    pair.yy = dot(pair.y, pair.y);
    if (pair.sy > 1e-12 * pair.yy && pair.yy < kInf) pairs_.push_back(std::move(pair));
  }

  // out = −H g, by the two loops.
  void descend(std::span<const double> g, std::span<double> out) const {
    std::vector<double> alpha(pairs_.size());
    for (std::size_t i = 0; i < dim_; ++i) out[i] = -g[i];
    for (std::size_t k = pairs_.size(); k-- > 0;) {
      const Pair& p = pairs_[k];
      alpha[k] = dot(p.s, out) / p.sy;
      add_scaled(-alpha[k], p.y, out);
    }
    if (!pairs_.empty()) scale(pairs_.back().sy / pairs_.back().yy, out);
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      const Pair& p = pairs_[k];
      add_scaled(alpha[k] - dot(p.y, out) / p.sy, p.s, out);
    }
  }

 private:
  struct Pair {
    Buffer<float> s, y;
    double sy = 0, yy = 0;
    void state(Archive& a) {
      a.list(s, y);
      a(sy, yy);
    }
  };
  std::size_t dim_;
  int history_;
  std::deque<Pair> pairs_;
};

}  // namespace linnet
