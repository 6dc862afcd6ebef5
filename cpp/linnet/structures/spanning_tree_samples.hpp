// Exact samples of trees, projective or not: P(tree) is proportional to the product of the
// potentials A[m][h] of its arcs. One word after the other draws its head given those before
// (Colbourn, Myrvold and Neufeld 1996).
//
// Word m has head h with probability ∝ A[m][h] r_h, where r_h is the probability that a walk from
// h, which goes from each word to one of its heads by their potentials, reaches the root before m.
// Then m and its head are one node, which governs what either may govern: columns are added. r is
// found by eliminating words as in matrix_tree.hpp. Nothing is ever subtracted, and n⁴ / 12 steps
// are an upper bound; random walks themselves (Wilson 1996) have none when best heads form a cycle.
//
// A single root: the word below it is drawn first, by its marginal.
#pragma once
#include "linnet/base/interrupt.hpp"
#include "linnet/base/rng.hpp"
#include "linnet/structures/matrix_tree.hpp"

namespace linnet {

namespace detail {

// One of the weights by its share, all of which are not negative and some above zero.
template <class N>
Id draw(Rng& rng, std::span<const N> weights) {
  N sum{};
  for (const N& w : weights) sum = sum + w;
  double left = rng.uniform();
  Id taken = -1;  // the last that is possible, should rounding leave some over
  for (Id k = 0; k < static_cast<Id>(weights.size()) && left >= 0; ++k) {
    const double share = real_of(weights[k] / sum);
    if (share > 0) taken = k, left -= share;
  }
  return taken;
}

template <class N>
class HeadDraws {
 public:
  void resize(Id words) {
    words_ = words;
    arcs_.assign(static_cast<std::size_t>(words) * static_cast<std::size_t>(words + 1), N{});
    reach_.resize(static_cast<std::size_t>(words) + 1);
    node_.resize(static_cast<std::size_t>(words) + 1);
    weights_.resize(static_cast<std::size_t>(words) + 1);
  }
  N& potential(Id head, Id m) { return arcs_[place(head, m)]; }

  // root: the word below the root; 0: any, and any number. False: numbers are too small for N.
  bool sample(Rng& rng, Id root, Id* heads) {
    kept_ = arcs_;
    if (root > 0) keep_root(root);
    left_ = kept_;
    for (Id h = 0; h <= words_; ++h) node_[h] = h;
    for (Id m = words_; m >= 1; --m) {
      if (!find_reach(m)) return false;
      N sum{};
      for (Id h = 0; h <= words_; ++h) {
        weights_[h] = h == m ? N{} : kept_[place(h, m)] * reach_[node_[h]];
        sum = sum + weights_[h];
      }
      if (too_small(sum)) return false;
      heads[m - 1] = draw(rng, std::span<const N>(weights_));
      join(m, node_[heads[m - 1]]);
    }
    return true;
  }

 private:
  Index place(Id head, Id m) const { return static_cast<Index>(m - 1) * (words_ + 1) + head; }
  static bool too_small(double x) { return !(x > 1e-60); }
  static bool too_small(LogNumber<double> x) { return x.zero(); }
  static double unit(double) { return 1; }
  static LogNumber<double> unit(LogNumber<double>) { return {0}; }

  void keep_root(Id root) {
    for (Id h = 1; h <= words_; ++h) kept_[place(h, root)] = N{};
    for (Id m = 1; m <= words_; ++m) kept_[place(0, m)] = m == root ? unit(N{}) : N{};
  }
  // reach_[h] for the nodes h < m, which are all that are left.
  bool find_reach(Id m) {
    walk_.assign(left_.begin(), left_.begin() + place(0, m));
    for (Id k = 1; k < m; ++k) {
      N* q = walk_.data() + place(0, k);
      N sum = q[0];
      for (Id h = k + 1; h <= m; ++h) sum = sum + q[h];
      if (too_small(sum)) return false;
      q[0] = q[0] / sum;
      for (Id h = k + 1; h <= m; ++h) q[h] = q[h] / sum;
      for (Id x = k + 1; x < m; ++x) {
        N* to = walk_.data() + place(0, x);
        if (is_zero(to[k])) continue;
        to[0] = to[0] + to[k] * q[0];
        add_multiple(to + k + 1, to[k], q + k + 1, m - k);
        steps_(kStep * (m - k));
      }
    }
    reach_[0] = unit(N{});
    reach_[m] = N{};
    for (Id k = m - 1; k >= 1; --k) {
      const N* q = walk_.data() + place(0, k);
      reach_[k] = q[0];
      for (Id h = k + 1; h < m; ++h) reach_[k] = reach_[k] + q[h] * reach_[h];
    }
    return true;
  }
  void join(Id m, Id head) {
    for (Id x = 1; x < m; ++x) {
      N& to = left_[place(head, x)];
      to = to + left_[place(m, x)];
    }
    std::replace(node_.begin(), node_.end(), m, head);
  }

  Id words_ = 0;
  Buffer<N> arcs_, kept_;  // [words][words + 1]; with the root that was drawn
  Buffer<N> left_, walk_;  // arcs from and into nodes; while words are eliminated
  std::vector<N> reach_, weights_;
  std::vector<Id> node_;  // that a word has become part of
  Steps steps_;
  static constexpr Index kStep = std::is_same_v<N, double> ? 1 : 32;
};

}  // namespace detail

// score: [words][words + 1], word m has head h; m's own place is not read. The caller keeps it.
class SpanningTreeSampler {
 public:
  SpanningTreeSampler(const double* score, Id words, bool single_root)
      : score_(score), words_(words) {
    std::vector<double> mu(static_cast<std::size_t>(words) * static_cast<std::size_t>(words + 1));
    MatrixTreeWork work;
    log_z_ = matrix_tree(score, words, single_root, mu.data(), work);
    if (log_z_ == -kInf) return;
    for (Id m = 1; m <= words && single_root; ++m) roots_.push_back(mu[cell(0, m)]);
    real_.resize(words);
    for (Id m = 1; m <= words; ++m) {
      double top = -kInf;  // a factor of all heads of a word changes nothing
      for (Id h = single_root ? 1 : 0; h <= words; ++h)
        if (h != m) top = std::max(top, score[cell(h, m)]);
      for (Id h = 0; h <= words; ++h)
        if (h != m && top > -kInf) real_.potential(h, m) = exp(score[cell(h, m)] - top);
    }
  }
  double log_z() const { return log_z_; }  // -inf: no tree is allowed

  void sample(Rng& rng, Id* heads) {
    if (log_z_ == -kInf) throw std::invalid_argument("no tree is allowed: nothing to sample");
    const Id root = roots_.empty() ? 0 : 1 + detail::draw(rng, std::span<const double>(roots_));
    const Rng before = rng;
    if (real_.sample(rng, root, heads)) return;
    rng = before;
    log_.resize(words_);
    for (Id m = 1; m <= words_; ++m)
      for (Id h = 0; h <= words_; ++h)
        if (h != m) log_.potential(h, m).log = score_[cell(h, m)];
    log_.sample(rng, root, heads);
  }

 private:
  Index cell(Id head, Id m) const { return static_cast<Index>(m - 1) * (words_ + 1) + head; }

  const double* score_;
  Id words_;
  double log_z_;
  std::vector<double> roots_;  // P(word below the root), if there is one only
  detail::HeadDraws<double> real_;
  detail::HeadDraws<LogNumber<double>> log_;
};

}  // namespace linnet
