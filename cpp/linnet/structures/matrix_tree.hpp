// The sum over all trees, projective or not, by the matrix-tree theorem (Koo et al. 2007): Z is a
// determinant of the Laplacian of the arcs. It is found by eliminating word after word from the
// graph rather than from the matrix: word k leaves, and its modifiers are governed by its heads,
//   A[m][h] += A[m][k] A[k][h] / D_k,   D_k = Σ_h A[k][h],   Z = Π_k D_k.
// Nothing is ever subtracted (as in the algorithm of Grassmann, Taksar and Heyman), so every D_k
// has all of its digits however close to singular the Laplacian is; a pivoted elimination has none
// left when best heads form a cycle with scores of 50.
//
// A single root: D_k leaves the root out, but for the last word. This is the coefficient of t when
// the potentials of the root are multiplied by t: it counts the trees with one arc from the root.
//
// Marginals are derivatives of log Z, step by step backwards. With q = A[k] / D_k and V_h the
// derivative by q_h, word k has head h with probability q_h (1 - E) + q_h V_h, E = Σ_h q_h V_h, the
// expected number of its modifiers: the only difference, between numbers that are small.
#pragma once
#include <algorithm>
#include <type_traits>

#include "linnet/base/interrupt.hpp"
#include "linnet/structures/arc_parts.hpp"

namespace linnet {

// A number that is not negative, by its logarithm: any size, for what leaves the range of a double.
template <class T>
struct LogNumber {
  T log = T(-kInf);
  bool zero() const { return value_of(log) == -kInf; }
  friend LogNumber operator+(LogNumber a, LogNumber b) {
    using linnet::exp;
    using std::log;
    if (value_of(a.log) < value_of(b.log)) std::swap(a, b);
    return b.zero() ? a : LogNumber{a.log + log(T(1) + exp(b.log - a.log))};
  }
  friend LogNumber operator*(LogNumber a, LogNumber b) {
    return a.zero() || b.zero() ? LogNumber{} : LogNumber{a.log + b.log};
  }
  friend LogNumber operator/(LogNumber a, LogNumber b) {
    return a.zero() ? a : LogNumber{a.log - b.log};
  }
};

namespace detail {

inline bool is_zero(double x) { return x == 0; }
inline double real_of(double x) { return x; }
inline double log_of(double x) { return std::log(x); }
// max(0, x + t)
inline double plus_signed(double x, double t) { return std::max(0.0, x + t); }

template <class T>
bool is_zero(LogNumber<T> x) {
  return x.zero();
}
template <class T>
T real_of(LogNumber<T> x) {
  using linnet::exp;
  return exp(x.log);
}
template <class T>
T log_of(LogNumber<T> x) {
  return x.log;
}
template <class T>
LogNumber<T> plus_signed(LogNumber<T> x, T t) {
  using linnet::exp;
  using std::log;
  if (value_of(t) == 0) return x;
  if (value_of(t) > 0) return x + LogNumber<T>{log(t)};
  const T part = exp(log(T(0) - t) - x.log);  // of x, that t takes away
  return !x.zero() && value_of(part) < 1 ? LogNumber<T>{x.log + log(T(1) - part)} : LogNumber<T>{};
}

template <class N>
LINNET_INLINE void add_multiple(N* LINNET_RESTRICT to, N x, const N* LINNET_RESTRICT from,
                                Id size) {
  for (Id h = 0; h < size; ++h) to[h] = to[h] + x * from[h];
}
template <class N>
LINNET_INLINE N product(const N* a, const N* b, Id size) {
  N sum{};
  for (Id h = 0; h < size; ++h) sum = sum + a[h] * b[h];
  return sum;
}
LINNET_INLINE double product(const double* a, const double* b, Id size) {
  DoubleLanes sum = all_double_lanes(0);
  for (Id h = 0; h < size; h += 4) sum = sum + load_lanes(a + h) * load_lanes(b + h);
  return sum_of(sum);
}

}  // namespace detail

// Matrices are [words][stride], by modifier and head, padded with zeros.
template <class N>
class MatrixTree {
 public:
  using Real = decltype(detail::real_of(N{}));

  // Makes room for a sentence; all potentials are zero.
  void resize(Id words) {
    words_ = words;
    stride_ = (words + 4) / 4 * 4;
    const auto size = static_cast<std::size_t>(words) * static_cast<std::size_t>(stride_);
    potential_.assign(size, N{});
    share_.assign(size, N{});
    pivot_.resize(static_cast<std::size_t>(words) + 1);
  }
  N& potential(Id head, Id m) { return potential_[place(head, m)]; }
  // The smallest D_k, the largest: is there reason to distrust the range of N?
  double smallest() const { return smallest_; }
  double largest() const { return largest_; }

  // log Z; -inf: no tree is allowed.
  LINNET_INLINE Real log_z(bool single_root) {
    single_root_ = single_root;
    left_ = potential_;
    order_.resize(static_cast<std::size_t>(words_));
    for (Id m = 1; m <= words_; ++m) order_[m - 1] = m;
    alive_.assign(static_cast<std::size_t>(words_) + 1, 1);
    smallest_ = kInf;
    largest_ = 0;
    Real value = 0;
    bool deferred = false;  // a word that only the root can govern must come last
    for (Id t = 0; t < words_; ++t) {
      const bool root_counts = !single_root || t + 1 == words_;
      N sum = heads_left(order_[t], root_counts);
      if (detail::is_zero(sum) && !root_counts && !deferred) {
        deferred = true;
        std::swap(order_[t], order_.back());
        sum = heads_left(order_[t], root_counts);
      }
      if (detail::is_zero(sum)) return Real(-kInf);
      value = value + detail::log_of(sum);
      smallest_ = std::min(smallest_, value_of(detail::real_of(sum)));
      largest_ = std::max(largest_, value_of(detail::real_of(sum)));
      eliminate(t, sum);
    }
    return value;
  }

  // Requires log_z. mu(head, m, probability) is called for every arc of potential above zero.
  template <class F>
  LINNET_INLINE void marginals(F&& mu) {
    slope_.assign(potential_.size(), N{});
    through_.resize(static_cast<std::size_t>(stride_));
    for (Id t = words_; t-- > 0;) give_back(t);
    for (Id m = 1; m <= words_; ++m)
      for (Id h = 0; h <= words_; ++h)
        if (!detail::is_zero(potential_[place(h, m)]))
          mu(h, m, detail::real_of(potential_[place(h, m)] * slope_[place(h, m)]));
  }

 private:
  Index place(Id head, Id m) const { return static_cast<Index>(m - 1) * stride_ + head; }

  // q = the arcs into k from words that are left, and D_k.
  LINNET_INLINE N heads_left(Id k, bool root_counts) {
    N sum{};
    alive_[k] = 0;
    for (Id h = 0; h <= words_; ++h) {
      N& q = share_[place(h, k)];
      q = alive_[h] ? left_[place(h, k)] : N{};
      if (h > 0 || root_counts) sum = sum + q;
    }
    alive_[k] = 1;
    return sum;
  }
  LINNET_INLINE void eliminate(Id t, N sum) {
    const Id k = order_[t];
    alive_[k] = 0;
    pivot_[k] = sum;
    N* q = share_.data() + place(0, k);
    for (Id h = 0; h <= words_; ++h) q[h] = q[h] / sum;
    for (Id later = t + 1; later < words_; ++later) {
      const Id m = order_[later];
      const N x = left_[place(k, m)];
      if (!detail::is_zero(x)) detail::add_multiple(left_.data() + place(0, m), x, q, stride_);
      steps_(kStep * stride_);
    }
  }
  // The derivatives of log Z by the arcs that elimination t did away with, from those it left.
  LINNET_INLINE void give_back(Id t) {
    const Id k = order_[t];
    const N* q = share_.data() + place(0, k);
    N* v = through_.data();
    std::fill_n(v, stride_, N{});
    for (Id later = t + 1; later < words_; ++later) {
      const Id m = order_[later];
      const N x = left_[place(k, m)];
      if (detail::is_zero(x)) continue;
      N* of = slope_.data() + place(0, m);
      detail::add_multiple(v, x, of, stride_);
      of[k] = detail::product(of, q, stride_);
      steps_(2 * kStep * stride_);
    }
    const Real rest = Real(1) - detail::real_of(detail::product(v, q, stride_));
    const bool root_counts = !single_root_ || t + 1 == words_;
    for (Id h = 0; h <= words_; ++h)
      if (!detail::is_zero(q[h]))
        slope_[place(h, k)] =
            (h > 0 || root_counts ? detail::plus_signed(v[h], rest) : v[h]) / pivot_[k];
  }

  Id words_ = 0, stride_ = 0;
  bool single_root_ = true;
  double smallest_ = 0, largest_ = 0;
  Buffer<N> potential_, left_;  // A, and as it was when its words left
  Buffer<N> share_, pivot_;     // q and D of each word
  Buffer<N> slope_, through_;   // derivatives by A, and by the q of one word
  std::vector<Id> order_;
  std::vector<std::uint8_t> alive_;
  Steps steps_;
  static constexpr Index kStep = std::is_same_v<N, double> ? 1 : 32;  // logarithms take longer
};

struct MatrixTreeWork {
  MatrixTree<double> real;
  MatrixTree<LogNumber<double>> log;
  std::vector<double> shift;  // of each word; [0]: of the root's arcs, if there is one only
};

namespace detail {

// Every word has one head, and a single root one modifier: all that is taken off the scores of a
// word, or of the root's arcs, is taken off log Z.
inline double shifts_of(const double* score, Id words, bool single_root,
                        std::vector<double>& shift) {
  shift.assign(static_cast<std::size_t>(words) + 1, single_root ? -kInf : 0.0);
  double sum = 0;
  for (Id m = 1; m <= words; ++m) {
    const double* row = score + static_cast<Index>(m - 1) * (words + 1);
    double top = -kInf;
    for (Id h = single_root ? 1 : 0; h <= words; ++h)
      if (h != m) top = std::max(top, row[h]);
    if (top == -kInf) top = row[0];
    if (top == -kInf) return -kInf;
    shift[m] = top;
    sum += top;
    if (single_root) shift[0] = std::max(shift[0], row[0] - top);
  }
  return sum + shift[0];
}

LINNET_CLONES inline double sum_trees(const double* score, Id words, bool single_root, double* mu,
                                      MatrixTreeWork& work) {
  MatrixTree<double>& trees = work.real;
  trees.resize(words);
  for (Id m = 1; m <= words; ++m) {
    const double* row = score + static_cast<Index>(m - 1) * (words + 1);
    exp_heads(row, work.shift[m], words + 1, &trees.potential(0, m));
    trees.potential(m, m) = 0;
    if (single_root) trees.potential(0, m) = exp(row[0] - work.shift[m] - work.shift[0]);
  }
  const double log_z = trees.log_z(single_root);
  if (!(trees.smallest() > 1e-60 && trees.largest() < 1e250)) return kNaN;
  if (mu && log_z > -kInf)
    trees.marginals(
        [&](Id h, Id m, double p) { mu[static_cast<Index>(m - 1) * (words + 1) + h] = p; });
  return log_z;
}

}  // namespace detail

// log Z over all trees, and with mu [words][words + 1] the probability of each arc; -inf: no tree
// is allowed. score: [words][words + 1], word m has head h; m's own place is not read.
inline double matrix_tree(const double* score, Id words, bool single_root, double* mu,
                          MatrixTreeWork& work) {
  if (mu) std::fill_n(mu, static_cast<Index>(words) * (words + 1), 0.0);
  const double shift = detail::shifts_of(score, words, single_root, work.shift);
  if (shift == -kInf) return -kInf;
  const double log_z = detail::sum_trees(score, words, single_root, mu, work);
  if (std::isfinite(log_z)) return log_z + shift;
  auto& trees = work.log;
  const auto cell = [words](Id h, Id m) { return static_cast<Index>(m - 1) * (words + 1) + h; };
  trees.resize(words);
  for (Id m = 1; m <= words; ++m)
    for (Id h = 0; h <= words; ++h)
      if (h != m) trees.potential(h, m).log = score[cell(h, m)];
  const double value = trees.log_z(single_root);
  if (mu && value > -kInf) trees.marginals([&](Id h, Id m, double p) { mu[cell(h, m)] = p; });
  return value;
}

// The derivative of the marginals when scores move by `tangent`; all [words][words + 1].
inline void matrix_tree_along(const double* score, const double* tangent, Id words,
                              bool single_root, double* mu, double* derivative) {
  MatrixTree<LogNumber<Dual>> trees;
  const auto cell = [words](Id h, Id m) { return static_cast<Index>(m - 1) * (words + 1) + h; };
  trees.resize(words);
  for (Id m = 1; m <= words; ++m)
    for (Id h = 0; h <= words; ++h)
      if (h != m && score[cell(h, m)] > -kInf)
        trees.potential(h, m).log = {score[cell(h, m)], tangent[cell(h, m)]};
  trees.log_z(single_root);
  std::fill_n(mu, static_cast<Index>(words) * (words + 1), 0.0);
  std::fill_n(derivative, static_cast<Index>(words) * (words + 1), 0.0);
  trees.marginals([&](Id h, Id m, Dual p) {
    mu[cell(h, m)] = p.v;
    derivative[cell(h, m)] = p.d;
  });
}

}  // namespace linnet
