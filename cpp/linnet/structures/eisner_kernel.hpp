// Eisner's algorithm, hand-tuned: the best projective tree, and inside-outside in probability
// space. Written row by row: once a span [i, k] is known it is pushed to all [i, j], j > k, by
//   v[j] = v[j] ⊕ x ⊗ m[j],
// so that everything is read and written along rows, without horizontal sums.
// Back-pointers are found again on the way back, for the few spans of the best tree. Tested equal
// to the generic recursions over Projective.
#pragma once
#include "linnet/base/interrupt.hpp"
#include "linnet/structures/arc_parts.hpp"
#include "linnet/structures/chain_kernel.hpp"

namespace linnet {

// Matrices [words + 1][stride] of spans [i, j]; what is left of the diagonal is zero in the ring.
template <class Real>
struct EisnerChart {
  Id words = 0, stride = 0;
  Buffer<Real> complete_right, complete_left;  // R(i, j), L(i, j)
  Buffer<Real> right, left;                    // with an arc between i and j
  Buffer<Real> joined;                         // [stride], of one row at a time
  Buffer<Real> potential;                      // exp(score - shift): [words][words + 1]
  Buffer<Real> back_complete_right, back_complete_left, back_left;  // transposed
  Buffer<Real> of_complete_right, of_complete_left, of_left;        // derivatives of log Z
  Buffer<Real> of_row, of_right;                                    // of one row at a time
  std::vector<Id> stack, heads;

  void resize(Id n) {
    words = n;
    stride = (n + kChainLanes<Real>) / kChainLanes<Real> * kChainLanes<Real>;
    const auto size = static_cast<std::size_t>(n + 1) * static_cast<std::size_t>(stride);
    for (auto* m : {&complete_right, &complete_left, &right, &left}) resize_in_steps(*m, size);
    joined.resize(static_cast<std::size_t>(stride));
  }
  Index row(Id i) const { return static_cast<Index>(i) * stride; }
};

namespace detail {

struct BestTree : MaxPlus {
  static constexpr double kOne = 0;
  template <class Real>
  static LINNET_INLINE Real times(Real a, Real b) {
    return a + b;
  }
};
struct AllTrees : SumProduct {
  static constexpr double kOne = 1;
  template <class Real>
  static LINNET_INLINE Real times(Real a, Real b) {
    return a * b;
  }
};

// v[j] = v[j] ⊕ x ⊗ m[j] for from <= j < to, and for a few around that, where m is zero.
template <class Algebra, class Real>
LINNET_INLINE void push(Real* LINNET_RESTRICT v, Real x, const Real* LINNET_RESTRICT m, Id from,
                        Id to) {
  constexpr Id kLanes = kChainLanes<Real>;
  const LanesOf<Real> factor = everywhere(x);
  for (Id j = from / kLanes * kLanes; j < to; j += kLanes)
    store_lanes(v + j, Algebra::join(load_lanes(v + j), factor, load_lanes(m + j)));
}
// Row i of the chart facing right, and the joined spans [i, j]; score: [words][words + 1].
template <class Algebra, class Real>
LINNET_INLINE void rightward_row(const Real* score, Id i, EisnerChart<Real>& c) {
  const Id n = c.words, stride = c.stride;
  Real *joined = c.joined.data(), *row = c.complete_right.data() + c.row(i),
       *right = c.right.data() + c.row(i);
  std::fill_n(joined, stride, static_cast<Real>(Algebra::kZero));
  std::fill_n(row, stride, static_cast<Real>(Algebra::kZero));
  std::fill_n(right, stride, static_cast<Real>(Algebra::kZero));
  row[i] = static_cast<Real>(Algebra::kOne);
  for (Id k = i; k < n; ++k) {
    push<Algebra>(joined, row[k], c.complete_left.data() + c.row(k + 1), k + 1, stride);
    right[k + 1] = Algebra::times(joined[k + 1], score[static_cast<Index>(k) * (n + 1) + i]);
    push<Algebra>(row, right[k + 1], c.complete_right.data() + c.row(k + 1), k + 1, stride);
  }
}
// Requires the joined spans of row i.
template <class Algebra, class Real>
LINNET_INLINE void leftward_row(const Real* score, Id i, EisnerChart<Real>& c) {
  const Id n = c.words, stride = c.stride;
  Real *row = c.complete_left.data() + c.row(i), *left = c.left.data() + c.row(i);
  std::fill_n(row, stride, static_cast<Real>(Algebra::kZero));
  std::fill_n(left, stride, static_cast<Real>(Algebra::kZero));
  const Real* heads = score + static_cast<Index>(i - 1) * (n + 1);
  for (Id j = i + 1; j <= n; ++j) left[j] = Algebra::times(c.joined[j], heads[j]);
  row[i] = static_cast<Real>(Algebra::kOne);
  for (Id k = i; k < n; ++k) push<Algebra>(row, row[k], c.left.data() + c.row(k), k + 1, stride);
}
// What a row of spans costs that begin so many words before the end.
inline Index eisner_row_steps(Id left) { return static_cast<Index>(left + 1) * (left + 1) / 2; }
template <class Algebra, class Real>
LINNET_INLINE void inside(const Real* score, bool single_root, EisnerChart<Real>& c) {
  const Id n = c.words;
  Steps steps;
  for (Id i = n; i > 0; --i) {
    rightward_row<Algebra>(score, i, c);
    leftward_row<Algebra>(score, i, c);
    steps(eisner_row_steps(n - i));
  }
  if (!single_root) return rightward_row<Algebra>(score, 0, c);
  Real* right = c.right.data();  // 0 → k over [1, k]; [k, n] is put to it where it is needed
  for (Id k = 1; k <= n; ++k)
    right[k] =
        Algebra::times(c.complete_left[c.row(1) + k], score[static_cast<Index>(k - 1) * (n + 1)]);
}

// The first k in [begin, end) with the largest a(k).
template <class F>
LINNET_INLINE Id first_best(Id begin, Id end, F&& a) {
  Id best = begin;
  auto top = a(begin);
  for (Id k = begin + 1; k < end; ++k)
    if (const auto x = a(k); x > top) top = x, best = k;
  return best;
}

// heads[m - 1] of the best tree in the chart; -inf: there is none.
template <class Real>
LINNET_INLINE Real read_best(bool single_root, Id* heads, EisnerChart<Real>& c) {
  const Id n = c.words;
  const auto at = [&c](const Buffer<Real>& m, Id i, Id j) { return m[c.row(i) + j]; };
  enum : Id { kCompleteRight, kCompleteLeft };
  std::vector<Id>& stack = c.stack;
  stack.clear();
  const auto complete = [&](Id kind, Id i, Id j) {
    if (i < j) stack.insert(stack.end(), {kind, i, j});
  };
  const auto open = [&](Id i, Id j) {
    const Id k = first_best(
        i, j, [&](Id s) { return at(c.complete_right, i, s) + at(c.complete_left, s + 1, j); });
    complete(kCompleteRight, i, k);
    complete(kCompleteLeft, k + 1, j);
  };
  const auto end_of_arc = [&](Id i, Id j) {
    return first_best(i + 1, j + 1,
                      [&](Id k) { return at(c.right, i, k) + at(c.complete_right, k, j); });
  };
  const Id first = end_of_arc(0, n);
  const Real value = at(c.right, 0, first) + at(c.complete_right, first, n);
  if (value == static_cast<Real>(-kInf)) return value;
  if (single_root) {
    heads[first - 1] = 0;
    complete(kCompleteLeft, 1, first);
    complete(kCompleteRight, first, n);
  } else {
    complete(kCompleteRight, 0, n);
  }
  Steps steps;
  while (!stack.empty()) {
    const Id j = stack.back(), i = stack.end()[-2], kind = stack.end()[-3];
    stack.resize(stack.size() - 3);
    steps(8 * Index{j - i});
    if (kind == kCompleteRight) {
      const Id k = end_of_arc(i, j);
      heads[k - 1] = i;
      open(i, k);
      complete(kCompleteRight, k, j);
    } else {
      const Id k =
          first_best(i, j, [&](Id s) { return at(c.complete_left, i, s) + at(c.left, s, j); });
      heads[k - 1] = j;
      open(k, j);
      complete(kCompleteLeft, i, k);
    }
  }
  return value;
}

// to[j][i] = from[i + below][j] for i <= j.
template <class Real>
LINNET_INLINE void transpose(const Buffer<Real>& from, Id below, Buffer<Real>& to,
                             const EisnerChart<Real>& c) {
  to.assign(from.size(), Real(0));
  for (Id i = below; i <= c.words; ++i)
    for (Id j = i; j <= c.words; ++j) to[c.row(j) + i - below] = from[c.row(i) + j];
}

// Derivatives of log Z, from the whole tree inwards: the reverse of `inside`. To keep to pushes,
// the chart is read by its transpose, and derivatives are kept transposed: [j][i]. Then what a push
// spills over meets zeros, or lands on i > j, where nothing is read. mu: [words][words + 1].
template <class Real>
LINNET_INLINE void outside(bool single_root, Real z, Real* mu, EisnerChart<Real>& c) {
  const Id n = c.words;
  const Real* p = c.potential.data();
  const auto cell = [n](Id head, Id m) { return static_cast<Index>(m - 1) * (n + 1) + head; };
  transpose(c.complete_right, 0, c.back_complete_right, c);
  transpose(c.complete_left, 1, c.back_complete_left,
            c);  // the right half of [i, j] begins at i + 1
  transpose(c.left, 0, c.back_left, c);
  for (auto* m : {&c.of_complete_right, &c.of_complete_left, &c.of_left})
    m->assign(c.complete_right.size(), Real(0));
  c.of_row.resize(static_cast<std::size_t>(c.stride));
  c.of_right.resize(static_cast<std::size_t>(c.stride));
  Real *of_joined = c.joined.data(), *of_row = c.of_row.data(), *of_right = c.of_right.data();

  const auto rightward = [&](Id i) {
    const Real *right = c.right.data() + c.row(i), *row = c.complete_right.data() + c.row(i);
    for (Id j = i; j <= n; ++j) of_row[j] = c.of_complete_right[c.row(j) + i];
    std::fill_n(of_right, c.stride, Real(0));
    for (Id j = n; j > i; --j) {
      push<AllTrees>(of_right, of_row[j], c.back_complete_right.data() + c.row(j), i, j + 1);
      push<AllTrees>(c.of_complete_right.data() + c.row(j), of_row[j], right, i, j + 1);
      mu[cell(i, j)] = of_right[j] * right[j];
      of_joined[j] += of_right[j] * p[cell(i, j)];
      push<AllTrees>(of_row, of_joined[j], c.back_complete_left.data() + c.row(j), i, j);
      push<AllTrees>(c.of_complete_left.data() + c.row(j), of_joined[j], row, i, j);
    }
  };
  std::fill_n(of_joined, c.stride, Real(0));
  if (single_root) {
    for (Id k = 1; k <= n; ++k) {
      const Real rest = c.complete_right[c.row(k) + n];
      mu[cell(0, k)] = c.right[k] * rest / z;
      c.of_complete_right[c.row(n) + k] = c.right[k] / z;
      c.of_complete_left[c.row(k)] = p[cell(0, k)] * rest / z;
    }
  } else {
    c.of_complete_right[static_cast<std::size_t>(c.row(n))] = 1 / z;
    rightward(0);
  }
  Steps steps;
  for (Id i = 1; i <= n; ++i) {
    steps(2 * eisner_row_steps(n - i));
    const Real* row = c.complete_left.data() + c.row(i);
    for (Id j = i; j <= n; ++j) of_row[j] = c.of_complete_left[c.row(j) + i - 1];
    for (Id j = n; j > i; --j) {
      push<AllTrees>(of_row, of_row[j], c.back_left.data() + c.row(j), i, j);
      push<AllTrees>(c.of_left.data() + c.row(j), of_row[j], row, i, j);
    }
    for (Id j = i + 1; j <= n; ++j) {
      const Real of_left = c.of_left[c.row(j) + i];
      mu[cell(j, i)] = of_left * c.left[c.row(i) + j];
      of_joined[j] = of_left * p[cell(j, i)];
    }
    rightward(i);
  }
}

LINNET_CLONES inline double best_tree(const float* score, bool single_root, Id* heads,
                                      EisnerChart<float>& c) {
  inside<BestTree>(score, single_root, c);
  return static_cast<double>(read_best(single_root, heads, c));
}
LINNET_CLONES inline double best_tree(const double* score, bool single_root, Id* heads,
                                      EisnerChart<double>& c) {
  inside<BestTree>(score, single_root, c);
  return read_best(single_root, heads, c);
}

// One shift for each word: it has exactly one head, so that log Z moves by their sum. The largest
// score of a word; with the best tree at hand, the score of its head there, so that Z is at least
// one; and the growth of the number of trees, 27/4 a word (3n choose n), when that is too much.
enum class EisnerShift { largest, best_tree, best_tree_and_growth };

LINNET_INLINE double shift_of(EisnerShift shift, const double* row, Id m, Id words, Id head) {
  if (shift == EisnerShift::best_tree) return row[head];
  if (shift == EisnerShift::best_tree_and_growth) return row[head] + 1.91;
  double top = -kInf;
  for (Id h = 0; h <= words; ++h)
    if (h != m) top = std::max(top, row[h]);
  return top;
}
// potential = exp(score - shift); the sum of shifts.
LINNET_INLINE double exponentiate(const double* score, EisnerShift shift, EisnerChart<double>& c) {
  const Id width = c.words + 1;
  c.potential.resize(static_cast<std::size_t>(c.words) * static_cast<std::size_t>(width));
  double shifts = 0, *to = c.potential.data();
  for (Id m = 1; m <= c.words; ++m, score += width, to += width) {
    const double by = shift_of(shift, score, m, c.words, c.heads[m - 1]);
    if (by == -kInf) return -kInf;
    exp_heads(score, by, width, to);
    shifts += by;
  }
  return shifts;
}
// Does every word have one head? A chart that left the range of a double shows it here.
inline bool sums_to_one(const double* mu, Id words) {
  for (Id m = 0; m < words; ++m, mu += words + 1) {
    double sum = 0;
    for (Id h = 0; h <= words; ++h) sum += mu[h];
    if (!(std::abs(sum - 1) < 1e-9)) return false;
  }
  return true;
}

LINNET_CLONES inline double all_trees(const double* score, EisnerShift shift, bool single_root,
                                      double* mu, EisnerChart<double>& c) {
  const double shifts = exponentiate(score, shift, c);
  if (shifts == -kInf) return kNaN;
  inside<AllTrees>(c.potential.data(), single_root, c);
  const Id n = c.words;
  double z = c.complete_right[static_cast<std::size_t>(n)];
  if (single_root) {
    z = 0;
    for (Id k = 1; k <= n; ++k) z += c.right[k] * c.complete_right[c.row(k) + n];
  }
  if (!(z > 1e-150 && z < 1e250)) return kNaN;
  if (mu) outside(single_root, z, mu, c);
  if (mu && !sums_to_one(mu, n)) return kNaN;
  return std::log(z) + shifts;
}

}  // namespace detail

// The heads of the best projective tree, heads[m - 1] that of word m, and its score; -inf: none is
// allowed. score: [words][words + 1], word m has head h; m's own place is not read.
template <class Real>
double eisner_viterbi(const Real* score, Id words, bool single_root, Id* heads,
                      EisnerChart<Real>& chart) {
  chart.resize(words);
  return detail::best_tree(score, single_root, heads, chart);
}

// log Z, and with mu [words][words + 1] the probability of each arc. NaN: out of the range of a
// double, to be done in log space; -inf: no tree is allowed.
inline double eisner_marginals(const double* score, Id words, bool single_root, double* mu,
                               EisnerChart<double>& chart) {
  using detail::EisnerShift;
  chart.resize(words);
  chart.heads.resize(static_cast<std::size_t>(words));
  if (mu) std::fill_n(mu, static_cast<Index>(words) * (words + 1), 0.0);
  const auto attempt = [&](EisnerShift shift) {
    return detail::all_trees(score, shift, single_root, mu, chart);
  };
  double log_z = attempt(EisnerShift::largest);
  if (!std::isnan(log_z)) return log_z;
  if (detail::best_tree(score, single_root, chart.heads.data(), chart) == -kInf) return -kInf;
  log_z = attempt(EisnerShift::best_tree);
  return std::isnan(log_z) ? attempt(EisnerShift::best_tree_and_growth) : log_z;
}

}  // namespace linnet
