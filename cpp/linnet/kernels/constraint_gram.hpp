// Kesler's construction over a kernel: the examples are constraints (x, y, y′), "the label y above
// y′", whose features are f(x, y) − f(x, y′). With u = e_y − e_y′ the kernel of two of them is
//
//     K((x, y, y′), (x′, z, z′)) = (K(x, x′) + constant)(u_z − u_z′),
//
// which is K(x, x′)([y = z] − [y = z′] − [y′ = z] + [y′ = z′]). Constraint i(k − 1) + m is that of
// example i and its m-th wrong label.
//
// A last row of zeros may be asked for. It is an example without features, by whose coefficient,
// if it is free, coefficients need not sum to zero: so a learner with an intercept has none.
#pragma once
#include <stdexcept>

#include "linnet/kernels/gram_cache.hpp"

namespace linnet {

class ConstraintGram final : public GramRows {
 public:
  ConstraintGram(GramCache& examples, std::span<const Id> labels, Id width, double constant,
                 bool with_zeros)
      : examples_(examples),
        labels_(labels.begin(), labels.end()),
        width_(width),
        constant_(static_cast<float>(constant)) {
    if (width < 2 || static_cast<Index>(labels.size()) != examples.size())
      throw std::invalid_argument("one label for each example, of two or more");
    for (Index i = 0; i < examples.size(); ++i) {
      const Id gold = labels_[i];
      if (gold < 0 || gold >= width) throw std::invalid_argument("a label is out of range");
      for (Id wrong = 0; wrong < width; ++wrong)
        if (wrong != gold) constraints_.push_back({i, gold, wrong});
    }
    if (with_zeros) constraints_.push_back({-1, 0, 0});
  }
  Index size() const override { return static_cast<Index>(constraints_.size()); }
  float diagonal(Index c) const override {
    const Index i = constraints_[c].example;
    return i < 0 ? 0.f : 2 * (examples_.diagonal(i) + constant_);
  }
  Index together() const override { return examples_.gram().together(); }
  void read(std::span<const Index> rows, std::span<const Index> columns,
            float* const* out) const override {
    std::vector<float> u(static_cast<std::size_t>(width_), 0.f);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const Constraint& of = constraints_[rows[r]];
      if (of.example < 0) {
        std::fill_n(out[r], columns.size(), 0.f);
        continue;
      }
      const float* const row =
          examples_.get(of.example, [&](Index most, std::vector<Index>& wanted) {
            for (Index next : rows.subspan(r + 1)) {
              const Index i = constraints_[next].example;
              if (static_cast<Index>(wanted.size()) > most) break;
              if (i >= 0 && !examples_.has(i) &&
                  std::find(wanted.begin(), wanted.end(), i) == wanted.end())
                wanted.push_back(i);
            }
          });
      u[of.gold] = 1, u[of.wrong] = -1;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const Constraint& other = constraints_[columns[c]];
        out[r][c] = other.example < 0
                        ? 0.f
                        : (row[other.example] + constant_) * (u[other.gold] - u[other.wrong]);
      }
      u[of.gold] = u[of.wrong] = 0;
    }
  }

 private:
  struct Constraint {
    Index example;  // −1: the row of zeros
    Id gold, wrong;
  };

  GramCache& examples_;  // rows of K, of all examples
  std::vector<Id> labels_;
  Id width_;
  float constant_;
  std::vector<Constraint> constraints_;
};

}  // namespace linnet
