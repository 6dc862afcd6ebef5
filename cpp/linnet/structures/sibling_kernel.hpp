// The best projective tree with siblings, hand-tuned: row by row as in eisner_kernel.hpp. What
// costs O(n³) is the same three rows of pushes; siblings are looked at only for arcs that are
// candidates, so that second order costs little more than first order once arcs are pruned. Tested
// equal to the generic recursions over Siblings.
#pragma once
#include "linnet/base/interrupt.hpp"
#include "linnet/structures/eisner_kernel.hpp"
#include "linnet/structures/siblings.hpp"

namespace linnet {

struct SiblingChart {
  EisnerChart<double> spans;
  Buffer<double> joined;  // [words + 1][stride]
};

// `arc`: the score of each arc; `theta`: of each part, of which those of siblings are read.
class BestSiblings {
 public:
  BestSiblings(const Siblings& trees, const double* arc, const double* theta, SiblingChart& chart)
      : trees_(trees), arc_(arc), theta_(theta), chart_(chart), c_(chart.spans) {
    c_.resize(trees.words());
    resize_in_steps(chart.joined, c_.right.size());
  }

  // heads[m - 1] of the best tree, and its score; -inf: none is allowed.
  double solve(Id* heads) {
    fill();
    const double value = at(c_.complete_right, 0, trees_.words());
    if (value > -kInf) read(heads);
    return value;
  }

 private:
  enum Kind : Id { kCompleteRight, kCompleteLeft, kRight, kLeft, kJoined };
  double& at(Buffer<double>& m, Id i, Id j) { return m[c_.row(i) + j]; }

  // The ways to build what is under an arc, in order: f(score, sibling or -1).
  template <class F>
  LINNET_INLINE void under_right(Id a, Id i, Id j, F&& f) {
    f(theta_[factors().alone(a)] + at(c_.complete_left, i + 1, j), -1);
    if (i == 0 && trees_.single_root) return;
    factors().each(a, i, j, [&](Id s, Id part) {
      f(theta_[part] + at(c_.right, i, s) + at(chart_.joined, s, j), s);
    });
  }
  template <class F>
  LINNET_INLINE void under_left(Id a, Id i, Id j, F&& f) {
    f(theta_[factors().alone(a)] + at(c_.complete_right, i, j - 1), -1);
    factors().each(a, j, i, [&](Id s, Id part) {
      f(theta_[part] + at(c_.left, s, j) + at(chart_.joined, i, s), s);
    });
  }
  const SiblingFactors& factors() const { return trees_.factors; }

  LINNET_INLINE void rightward_row(Id i) {
    const Id n = trees_.words(), stride = c_.stride;
    double *joined = &at(chart_.joined, i, 0), *row = &at(c_.complete_right, i, 0),
           *right = &at(c_.right, i, 0);
    for (double* v : {joined, row, right}) std::fill_n(v, stride, -kInf);
    row[i] = 0;
    for (Id k = i; k < n; ++k) {
      if (i > 0)
        detail::push<detail::BestTree>(joined, row[k], &at(c_.complete_left, k + 1, 0), k + 1,
                                       stride);
      const Id a = trees_.arcs().find(i, k + 1);
      if (a < 0) continue;
      double best = -kInf;
      under_right(a, i, k + 1, [&](double score, Id) { best = std::max(best, score); });
      right[k + 1] = arc_[a] + best;
      detail::push<detail::BestTree>(row, right[k + 1], &at(c_.complete_right, k + 1, 0), k + 1,
                                     stride);
    }
  }
  LINNET_INLINE void leftward_row(Id i) {
    const Id n = trees_.words(), stride = c_.stride;
    double *row = &at(c_.complete_left, i, 0), *left = &at(c_.left, i, 0);
    std::fill_n(row, stride, -kInf);
    std::fill_n(left, stride, -kInf);
    for (Id a = trees_.arcs().begin(i); a < trees_.arcs().end(i); ++a) {
      const Id j = trees_.arcs().head(a);
      if (j <= i) continue;
      double best = -kInf;
      under_left(a, i, j, [&](double score, Id) { best = std::max(best, score); });
      left[j] = arc_[a] + best;
    }
    row[i] = 0;
    for (Id k = i; k < n; ++k)
      detail::push<detail::BestTree>(row, row[k], &at(c_.left, k, 0), k + 1, stride);
  }
  LINNET_CLONES void fill() {
    Steps steps;
    for (Id i = trees_.words(); i > 0; --i) {
      rightward_row(i);
      leftward_row(i);
      steps(2 * detail::eisner_row_steps(trees_.words() - i));
    }
    rightward_row(0);
  }

  // Back-pointers, found again.
  void read(Id* heads) {
    std::vector<Id>& stack = c_.stack;
    stack.clear();
    const auto want = [&](Id kind, Id i, Id j) {
      if (i < j) stack.insert(stack.end(), {kind, i, j});
    };
    want(kCompleteRight, 0, trees_.words());
    Steps steps;
    while (!stack.empty()) {
      const Id j = stack.back(), i = stack.end()[-2], kind = stack.end()[-3];
      stack.resize(stack.size() - 3);
      steps(8 * Index{j - i});
      double top = -kInf;
      Id sibling = -1;
      const auto better = [&](double score, Id s) {
        if (score > top) top = score, sibling = s;
      };
      switch (kind) {
        case kCompleteRight: {
          const Id k = detail::first_best(
              i + 1, j + 1, [&](Id s) { return at(c_.right, i, s) + at(c_.complete_right, s, j); });
          want(kRight, i, k);
          want(kCompleteRight, k, j);
          break;
        }
        case kCompleteLeft: {
          const Id k = detail::first_best(
              i, j, [&](Id s) { return at(c_.complete_left, i, s) + at(c_.left, s, j); });
          want(kCompleteLeft, i, k);
          want(kLeft, k, j);
          break;
        }
        case kJoined: {
          const Id k = detail::first_best(i, j, [&](Id s) {
            return at(c_.complete_right, i, s) + at(c_.complete_left, s + 1, j);
          });
          want(kCompleteRight, i, k);
          want(kCompleteLeft, k + 1, j);
          break;
        }
        case kRight:
          heads[j - 1] = i;
          under_right(trees_.arcs().find(i, j), i, j, better);
          if (sibling < 0) {
            want(kCompleteLeft, i + 1, j);
          } else {
            want(kRight, i, sibling);
            want(kJoined, sibling, j);
          }
          break;
        default:
          heads[i - 1] = j;
          under_left(trees_.arcs().find(j, i), i, j, better);
          if (sibling < 0) {
            want(kCompleteRight, i, j - 1);
          } else {
            want(kLeft, sibling, j);
            want(kJoined, i, sibling);
          }
      }
    }
  }

  const Siblings& trees_;
  const double *arc_, *theta_;
  SiblingChart& chart_;
  EisnerChart<double>& c_;
};

// Projective trees with siblings: the best by the kernel, sums by the generic recursions; equal to
// OracleOf<Siblings>.
class SiblingsOracle final : public KernelOracle<Siblings> {
 public:
  using KernelOracle::KernelOracle;

  double solve(Ring ring, std::span<const double> theta, std::span<double> mu,
               OracleWork& work) const override {
    if (ring == Ring::log) return generic_.solve(ring, theta, mu, work);
    if (!dynamic_cast<Scratch*>(work.scratch.get())) work.scratch = std::make_unique<Scratch>();
    Scratch& s = static_cast<Scratch&>(*work.scratch);
    const Siblings& trees = structure();
    const ArcParts& parts = trees.arc_parts();
    s.arc.assign(static_cast<std::size_t>(trees.arcs().size()), -kInf);
    parts.each([&](Id, Id, Id a) {
      s.arc[a] = theta[a * parts.relations + parts.best_relation(theta, a)];
    });
    s.heads.resize(static_cast<std::size_t>(trees.words()));
    const double value =
        BestSiblings(trees, s.arc.data(), theta.data(), s.chart).solve(s.heads.data());
    if (mu.empty() || value == -kInf) return value;
    parts.choose(theta, s.heads.data(), mu);
    for (Id m = 1; m <= trees.words(); ++m) {
      const Id h = s.heads[m - 1], a = trees.arcs().find(h, m);
      mu[trees.factors.part(a, h, m, s.heads.data())] = 1;
    }
    return value;
  }

 private:
  struct Scratch final : OracleScratch {
    std::vector<double> arc;
    std::vector<Id> heads;
    SiblingChart chart;
  };
};

}  // namespace linnet
