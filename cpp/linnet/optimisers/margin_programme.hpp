// Quadratic programmes of margins, what support vector machines of all kinds come down to. Rows j
// ask for margins b_j; rows of one group g share a slack ξ_g of price c_g:
//
//   minimise over w, v, ξ >= 0   ½‖w‖² + t·v + Σ_g c_g ξ_g
//   such that                    w·d_j + v·e_j >= b_j − ξ_g      (c_g = ∞: no slack)
//
//   maximise over a >= 0         Σ a_j b_j − ½‖Σ a_j d_j‖²
//   such that                    Σ_{j in g} a_j <= c_g,   Σ a_j e_j = t
//
// w are penalised weights, of which a row sees few; v are a few that are not (intercepts).
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <vector>

#include "linnet/base/types.hpp"

namespace linnet {

struct MarginProgramme {
  explicit MarginProgramme(Id free = 0) : target(static_cast<std::size_t>(free), 0.0) {}

  std::vector<std::size_t> groups{0}, starts{0};  // where groups of rows, and rows, begin and end
  std::vector<Index> columns;                     // of d, row by row
  std::vector<double> values;
  std::vector<double> free_values;  // e, [rows][free]
  std::vector<double> bounds;       // b
  std::vector<double> prices;       // c, by group
  std::vector<double> target;       // t

  std::size_t rows() const { return bounds.size(); }
  std::size_t free() const { return target.size(); }

  // A row is put together by `add`, ended by `end_row`; a group of rows is ended by `end_group`.
  void add(Index column, double value) {
    columns.push_back(column);
    values.push_back(value);
  }
  void end_row(double bound, std::span<const double> e = {}) {
    starts.push_back(columns.size());
    bounds.push_back(bound);
    free_values.insert(free_values.end(), e.begin(), e.end());
    if (free_values.size() != rows() * free())
      throw std::invalid_argument("one value for each free weight");
  }
  void end_group(double price) {
    groups.push_back(rows());
    prices.push_back(price);
  }

  // The rows whose slack has no price, in groups of one.
  MarginProgramme hard_rows() const {
    MarginProgramme hard(static_cast<Id>(free()));
    hard.target = target;
    for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
      if (prices[g] < kInf) continue;
      for (std::size_t j = groups[g]; j < groups[g + 1]; ++j) {
        for (std::size_t k = starts[j]; k < starts[j + 1]; ++k) hard.add(columns[k], values[k]);
        hard.end_row(bounds[j], {free_values.data() + j * free(), free()});
        hard.end_group(kInf);
      }
    }
    return hard;
  }
  double square(std::size_t j) const {
    double sum = 0;
    for (std::size_t k = starts[j]; k < starts[j + 1]; ++k) sum += values[k] * values[k];
    return sum;
  }

  // max ‖d_j‖ / b_j, or 1 where no weight has a say
  double radius() const {
    double radius = 0;
    for (std::size_t j = 0; j < rows(); ++j)
      if (bounds[j] > 0) radius = std::max(radius, std::sqrt(square(j)) / bounds[j]);
    return radius > 0 ? radius : 1;
  }

  // The widest margin there is, relative to b: maximise ρ − ½‖w‖² such that w·d_j + v·e_j >= ρ b_j.
  // Unlike a margin of b it can always be had, if with ρ = 0. The best multipliers sum to
  // Σ a_j b_j = 1, and p = Σ a_j d_j = w is the point of least norm: no direction of norm 1 has a
  // margin above ‖p‖, because the least of several numbers is not above their weighted mean. The
  // last row, ρ <= 2 radius², matters only where v alone gives all the margin one wants.
  MarginProgramme widest() const {
    MarginProgramme wide = *this;
    const std::size_t q = free();
    const double r = radius();
    wide.free_values.clear();
    for (std::size_t j = 0; j < rows(); ++j) {
      for (std::size_t k = 0; k < q; ++k) wide.free_values.push_back(free_values[j * q + k]);
      wide.free_values.push_back(-bounds[j]);
    }
    wide.target.push_back(-1);
    std::fill(wide.bounds.begin(), wide.bounds.end(), 0.0);
    std::fill(wide.prices.begin(), wide.prices.end(), kInf);
    std::vector<double> e(q + 1, 0.0);
    e.back() = -1;
    wide.end_row(-2 * r * r, e);
    wide.end_group(kInf);
    return wide;
  }
};

struct MarginSolution {
  std::vector<double> a;        // by row
  std::vector<double> surplus;  // of its margin, by row
  std::vector<double> slack;    // ξ, by group
  std::vector<double> rest;     // of its price, by group
  std::vector<Index> columns;
  std::vector<double> w;  // by column in `columns`; all others are 0
  std::vector<double> v;
  bool interrupted = false;

  // Is the margin of row j of group g tight? Else its multiplier is only what could not be made to
  // vanish.
  bool tight(const MarginProgramme& programme, std::size_t g, std::size_t j) const {
    return a[j] * size_of(programme, g, j) >= kVanishing * surplus[j];
  }
  // Do the multipliers of the group add up to its price? Else its slack is what did not vanish.
  bool full(const MarginProgramme& programme, std::size_t g) const {
    double size = 0;
    for (std::size_t j = programme.groups[g]; j < programme.groups[g + 1]; ++j)
      size = std::max(size, size_of(programme, g, j));
    return programme.prices[g] < kInf && rest[g] * size < kVanishing * slack[g];
  }
  // The rows whose multipliers are not at the end of what they may be: neither 0 nor all there is.
  std::vector<std::size_t> inner_rows(const MarginProgramme& programme) const {
    std::vector<std::size_t> inner;
    for (std::size_t g = 0; g < programme.prices.size(); ++g) {
      const std::size_t before = inner.size();
      for (std::size_t j = programme.groups[g]; j < programme.groups[g + 1]; ++j)
        if (tight(programme, g, j)) inner.push_back(j);
      if (inner.size() == before + 1 && full(programme, g)) inner.pop_back();
    }
    return inner;
  }

 private:
  static constexpr double kVanishing = 1e-3;
  // By how much a unit of the multiplier moves the margin; of short rows, for which no multiplier
  // does, one over the most that it can be.
  static double size_of(const MarginProgramme& programme, std::size_t g, std::size_t j) {
    double square = programme.square(j);
    for (std::size_t k = 0; k < programme.free(); ++k) {
      const double e = programme.free_values[j * programme.free() + k];
      square += e * e;
    }
    return std::max(square, 1 / programme.prices[g]);
  }
};

}  // namespace linnet
