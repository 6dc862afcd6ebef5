// Dense tables and what is done with two of them of which one is over some of the other's
// variables: the smaller is spread over the larger, or the larger is summed into the smaller.
//
// The larger table, A, is walked in the order of its entries. B moves along by a stride for each of
// A's dimensions, 0 where it does not have the variable. Dimensions that B moves along evenly are
// one run, so that most walks are two or three loops with a contiguous one inside.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "linnet/base/math.hpp"
#include "linnet/base/types.hpp"

namespace linnet {

struct Run {
  Index size, stride;  // of entries of A in its turn, and how far B moves for each
};

// Outer to inner. `offset` is where B begins.
struct Walk {
  std::vector<Run> runs;
  Index offset = 0;

  // sizes of A's dimensions, outer to inner, and B's stride for each.
  static Walk of(std::span<const Index> sizes, std::span<const Index> strides, Index offset = 0) {
    Walk walk;
    walk.offset = offset;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] == 1) continue;
      if (!walk.runs.empty() && walk.runs.back().stride == strides[d] * sizes[d]) {
        walk.runs.back().size *= sizes[d];
        walk.runs.back().stride = strides[d];
      } else {
        walk.runs.push_back({sizes[d], strides[d]});
      }
    }
    while (walk.runs.size() < 2) walk.runs.insert(walk.runs.begin(), Run{1, 0});
    return walk;
  }
};

namespace detail {

// Calls inner(a, b) for each position of the outer runs: the two innermost are its own.
template <class A, class B, class Inner>
LINNET_INLINE void walk_outer(const Walk& walk, A* a, B* b, Inner&& inner) {
  const std::size_t outer = walk.runs.size() - 2;
  const Index block = walk.runs[outer].size * walk.runs[outer + 1].size;
  b += walk.offset;
  if (outer == 0) return inner(a, b);
  Index counts[64] = {};
  for (;;) {
    inner(a, b);
    a += block;
    std::size_t d = outer;
    for (;;) {
      if (d == 0) return;
      --d;
      b += walk.runs[d].stride;
      if (++counts[d] < walk.runs[d].size) break;
      b -= walk.runs[d].stride * walk.runs[d].size;
      counts[d] = 0;
    }
  }
}

// The two inner loops: for i < n1, j < n0, with the stride of B in the inner one known where it is
// 0 or 1, and the length where it is small.
template <class A, class B, class Body>
LINNET_INLINE void two_loops(Index n1, Index s1, Index n0, Index s0, A* a, B* b, Body&& body) {
  for (Index i = 0; i < n1; ++i, a += n0, b += s1) body(a, b, n0, s0);
}

struct Multiply {
  static double of(double a, double b) { return a * b; }
};
struct Plus {
  static double of(double a, double b) { return a + b; }
};
struct Assign {
  static double of(double, double b) { return b; }
};

// a = op(a, b), b spread over a.
template <class Op>
LINNET_INLINE void spread(const Walk& walk, double* LINNET_RESTRICT table,
                          const double* LINNET_RESTRICT small) {
  const Run r1 = walk.runs[walk.runs.size() - 2], r0 = walk.runs.back();
  const auto run = [&](auto&& body) {
    walk_outer(walk, table, small, [&](double* a, const double* b) {
      two_loops(r1.size, r1.stride, r0.size, r0.stride, a, b, body);
    });
  };
  if (r0.stride == 0)
    run([](double* LINNET_RESTRICT a, const double* LINNET_RESTRICT b, Index n, Index) {
      const double value = *b;
      for (Index j = 0; j < n; ++j) a[j] = Op::of(a[j], value);
    });
  else if (r0.stride == 1)
    run([](double* LINNET_RESTRICT a, const double* LINNET_RESTRICT b, Index n, Index) {
      for (Index j = 0; j < n; ++j) a[j] = Op::of(a[j], b[j]);
    });
  else
    run([](double* LINNET_RESTRICT a, const double* LINNET_RESTRICT b, Index n, Index s) {
      for (Index j = 0; j < n; ++j) a[j] = Op::of(a[j], b[j * s]);
    });
}

struct Sum {
  static double of(double a, double b) { return a + b; }
};
struct Most {
  static double of(double a, double b) { return a > b ? a : b; }
};

// Eight running results, so that they can be computed side by side; always joined in one order.
template <class Op>
LINNET_INLINE double joined(const double* a, Index n, double start) {
  if (n < 16) {
    for (Index j = 0; j < n; ++j) start = Op::of(start, a[j]);
    return start;
  }
  double r[8];
  for (Index k = 0; k < 8; ++k) r[k] = a[k];
  Index j = 8;
  for (; j + 8 <= n; j += 8)
    for (Index k = 0; k < 8; ++k) r[k] = Op::of(r[k], a[j + k]);
  for (Index k = 0; j + k < n; ++k) r[k] = Op::of(r[k], a[j + k]);
  for (Index k = 0; k < 4; ++k) r[k] = Op::of(r[k], r[k + 4]);
  return Op::of(start, Op::of(Op::of(r[0], r[1]), Op::of(r[2], r[3])));
}

// b = op(b, a) for all entries of a that lie over it.
template <class Op>
LINNET_INLINE void gather(const Walk& walk, const double* LINNET_RESTRICT table,
                          double* LINNET_RESTRICT small) {
  const Run r1 = walk.runs[walk.runs.size() - 2], r0 = walk.runs.back();
  const auto run = [&](auto&& body) {
    walk_outer(walk, table, small, [&](const double* a, double* b) {
      two_loops(r1.size, r1.stride, r0.size, r0.stride, a, b, body);
    });
  };
  if (r0.stride == 0)
    run([](const double* LINNET_RESTRICT a, double* LINNET_RESTRICT b, Index n, Index) {
      *b = joined<Op>(a, n, *b);
    });
  else if (r0.stride == 1)
    run([](const double* LINNET_RESTRICT a, double* LINNET_RESTRICT b, Index n, Index) {
      for (Index j = 0; j < n; ++j) b[j] = Op::of(b[j], a[j]);
    });
  else
    run([](const double* LINNET_RESTRICT a, double* LINNET_RESTRICT b, Index n, Index s) {
      for (Index j = 0; j < n; ++j) b[j * s] = Op::of(b[j * s], a[j]);
    });
}

}  // namespace detail

// table *= small, table += small, table = small.
LINNET_CLONES inline void multiply(const Walk& walk, double* table, const double* small) {
  detail::spread<detail::Multiply>(walk, table, small);
}
LINNET_CLONES inline void add(const Walk& walk, double* table, const double* small) {
  detail::spread<detail::Plus>(walk, table, small);
}
LINNET_CLONES inline void assign(const Walk& walk, double* table, const double* small) {
  detail::spread<detail::Assign>(walk, table, small);
}
// small += the sum of table, small = the most of it and of table.
LINNET_CLONES inline void sum_into(const Walk& walk, const double* table, double* small) {
  detail::gather<detail::Sum>(walk, table, small);
}
LINNET_CLONES inline void max_into(const Walk& walk, const double* table, double* small) {
  detail::gather<detail::Most>(walk, table, small);
}
LINNET_CLONES inline double sum_of(std::span<const double> table) {
  return detail::joined<detail::Sum>(table.data(), std::ssize(table), 0.0);
}
LINNET_CLONES inline double most_of(std::span<const double> table) {
  return detail::joined<detail::Most>(table.data(), std::ssize(table), -kInf);
}
LINNET_CLONES inline void scale(std::span<double> table, double by) {
  for (double& x : table) x *= by;
}

}  // namespace linnet
