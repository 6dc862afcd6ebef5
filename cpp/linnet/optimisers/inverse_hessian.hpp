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
  InverseHessian(std::size_t dim, int history, int threads)
      : dim_(dim), history_(std::max(history, 1)), threads_(threads) {}

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
    in_blocks(dim_, threads_, [&](std::size_t begin, std::size_t size) {
      for (std::size_t i = begin; i < begin + size; ++i) {
        pair.s[i] = static_cast<float>(new_w[i] - w[i]);
        pair.y[i] = static_cast<float>(new_g[i] - g[i]);
      }
    });
    pair.sy = long_dot<float, float>(pair.s, pair.y, threads_);
    pair.yy = long_dot<float, float>(pair.y, pair.y, threads_);
    if (pair.sy > 1e-12 * pair.yy && pair.yy < kInf) pairs_.push_back(std::move(pair));
  }

  // out = −H g, by the two loops: with q = −g, for k = m … 1 q ← q − α_k y_k, α_k = s_k·q /
  // s_k·y_k; q ← γ q; for k = 1 … m q ← q + (α_k − y_k·q / s_k·y_k) s_k. A move and the product
  // after it are one pass over q.
  void descend(std::span<const double> g, std::span<double> out) const {
    in_blocks(dim_, threads_, [&](std::size_t begin, std::size_t size) {
      for (std::size_t i = begin; i < begin + size; ++i) out[i] = -g[i];
    });
    if (pairs_.empty()) return;
    std::vector<double> alpha(pairs_.size());
    const std::size_t last = pairs_.size() - 1;
    for (std::size_t k = last + 1; k-- > 0;) {
      const Pair& p = pairs_[k];
      alpha[k] = (k == last ? long_dot<float, double>(p.s, out, threads_)
                            : move(1, -alpha[k + 1], pairs_[k + 1].y, p.s, out)) /
                 p.sy;
    }
    double by = 0;
    for (std::size_t k = 0; k <= last; ++k) {
      const Pair& p = pairs_[k];
      const double gamma = pairs_[last].sy / pairs_[last].yy;
      const double product =
          k == 0 ? move(gamma, -alpha[0], p.y, p.y, out) : move(1, by, pairs_[k - 1].s, p.y, out);
      by = alpha[k] - product / p.sy;
    }
    long_add<float>(by, pairs_[last].s, out, threads_);
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
  double move(double c, double a, std::span<const float> y, std::span<const float> z,
              std::span<double> x) const {
    return sum_in_blocks(dim_, threads_, [&](std::size_t begin, std::size_t size) {
      return move_and_dot(c, a, y.subspan(begin, size), z.subspan(begin, size),
                          x.subspan(begin, size));
    });
  }

  std::size_t dim_;
  int history_, threads_;
  std::deque<Pair> pairs_;
};

}  // namespace linnet
