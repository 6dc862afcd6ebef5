// The equations of a Newton step of an interior point method for a margin programme,
//
//   (D Dᵀ + T) Δa + E Δv = r − D h,   Eᵀ Δa = u,   Δw = Dᵀ Δa + h,
//
// where T is diagonal, t_j, plus one over `room` in all places of a group whose slack has a price.
// They are solved by whatever there is less of: as they stand, by rows; or for the weights,
//
//   (I + Dᵀ T⁻¹ D) Δw + Dᵀ T⁻¹ E Δv = Dᵀ T⁻¹ r + h,   Eᵀ T⁻¹ (D Δw + E Δv) = Eᵀ T⁻¹ r − u.
//
// T⁻¹ of a group is a covariance: with the weights 1 / t_j of its rows, `room` of an origin d = 0,
// and Ω their sum, Dᵀ T⁻¹ D is the sum over pairs of (1 / t_j)(1 / t_l) / Ω (d_j − d_l)(d_j −
// d_l)ᵀ. So nothing is subtracted that was large.
#pragma once
#include "linnet/optimisers/cholesky.hpp"
#include "linnet/optimisers/margin_programme.hpp"

namespace linnet {

// By columns the weights come out exactly, by rows the multipliers.
enum class Equations { fewer, by_rows };

class MarginEquations {
 public:
  MarginEquations(const MarginProgramme& programme, Equations equations)
      : programme_(programme), columns_(programme.columns) {
    std::sort(columns_.begin(), columns_.end());
    columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
    for (Index column : programme.columns)
      place_.push_back(static_cast<std::size_t>(
          std::lower_bound(columns_.begin(), columns_.end(), column) - columns_.begin()));
    by_rows_ = equations == Equations::by_rows || work_by_rows() <= work_by_columns();
  }
  const std::vector<Index>& columns() const { return columns_; }
  std::size_t rows() const { return programme_.rows(); }
  std::size_t weights() const { return columns_.size(); }
  std::size_t free() const { return programme_.free(); }
  bool by_rows() const { return by_rows_; }
  // About how many multiplications a step takes.
  double work() const { return by_rows_ ? work_by_rows() : work_by_columns(); }
  // How many numbers it keeps.
  double memory() const {
    const auto n = static_cast<double>(by_rows_ ? rows() : weights() + free());
    return by_rows_ ? 2 * n * n : n * n;
  }

  // d_j·w + e_j·v
  double margin(std::size_t j, std::span<const double> w, std::span<const double> v) const {
    double sum = 0;
    for (std::size_t k = programme_.starts[j]; k < programme_.starts[j + 1]; ++k)
      sum += programme_.values[k] * w[place_[k]];
    for (std::size_t k = 0; k < free(); ++k) sum += e(j)[k] * v[k];
    return sum;
  }
  // w += a d_j
  void add(std::size_t j, double a, std::span<double> w) const {
    for (std::size_t k = programme_.starts[j]; k < programme_.starts[j + 1]; ++k)
      w[place_[k]] += a * programme_.values[k];
  }
  const double* e(std::size_t j) const { return programme_.free_values.data() + j * free(); }

  // `room` is infinite for groups whose slack has no price.
  void factor(const Vector& t, const Vector& room) {
    t_ = &t;
    room_ = &room;
    if (by_rows_)
      factor_rows();
    else
      factor_columns();
  }
  // Of the solution, Δa is left to the caller when the equations were solved by columns.
  void solve(const Vector& r, const Vector& h, const Vector& u, Vector& da, Vector& dw,
             Vector& dv) {
    if (by_rows_)
      solve_rows(r, h, u, da, dw, dv);
    else
      solve_columns(r, h, u, dw, dv);
  }

 private:
  double work_by_rows() const {
    const auto m = static_cast<double>(rows());
    return m * m * m / 6 + m * m * static_cast<double>(1 + free());
  }
  double work_by_columns() const {
    const auto p = static_cast<double>(weights() + free());
    double pairs = 0;
    for (std::size_t g = 0; g + 1 < programme_.groups.size(); ++g) {
      const std::size_t begin = programme_.groups[g], end = programme_.groups[g + 1];
      const auto entries = static_cast<double>(programme_.starts[end] - programme_.starts[begin]);
      const auto size = static_cast<double>(end - begin);
      const double each = size > 0 ? 2 * entries / size + static_cast<double>(free()) : 0;
      pairs += (size + 1) * size / 2 * each * each / 2;
    }
    return pairs + p * p * p / 6;
  }

  void factor_rows() {
    const std::size_t m = rows();
    if (gram_.empty()) find_gram();
    matrix_ = gram_;
    for (std::size_t g = 0; g + 1 < programme_.groups.size(); ++g) {
      const double coupling = 1 / (*room_)[g];
      for (std::size_t i = programme_.groups[g]; i < programme_.groups[g + 1]; ++i) {
        for (std::size_t j = programme_.groups[g]; j <= i; ++j) matrix_[i * m + j] += coupling;
        matrix_[i * m + i] += (*t_)[i];
      }
    }
    cholesky_.factor(matrix_, m);
    spread_.resize(free() * m);
    small_.assign(free() * free(), 0.0);
    for (std::size_t k = 0; k < free(); ++k) {
      const std::span<double> column(spread_.data() + k * m, m);
      for (std::size_t j = 0; j < m; ++j) column[j] = e(j)[k];
      cholesky_.solve(column);
    }
    for (std::size_t k = 0; k < free(); ++k)
      for (std::size_t l = 0; l <= k; ++l)
        for (std::size_t j = 0; j < m; ++j) small_[k * free() + l] += e(j)[k] * spread_[l * m + j];
    schur_.factor(small_, free());
  }
  void find_gram() {
    const std::size_t m = rows();
    gram_.assign(m * m, 0.0);
    Vector one(weights(), 0.0);
    for (std::size_t i = 0; i < m; ++i) {
      add(i, 1, one);
      for (std::size_t j = 0; j <= i; ++j) gram_[i * m + j] = margin_of(j, one);
      add(i, -1, one);
    }
  }
  double margin_of(std::size_t j, const Vector& w) const {
    double sum = 0;
    for (std::size_t k = programme_.starts[j]; k < programme_.starts[j + 1]; ++k)
      sum += programme_.values[k] * w[place_[k]];
    return sum;
  }
  void solve_rows(const Vector& r, const Vector& h, const Vector& u, Vector& da, Vector& dw,
                  Vector& dv) {
    const std::size_t m = rows();
    for (std::size_t j = 0; j < m; ++j) da[j] = r[j] - margin_of(j, h);
    cholesky_.solve(da);
    for (std::size_t k = 0; k < free(); ++k) {
      dv[k] = -u[k];
      for (std::size_t j = 0; j < m; ++j) dv[k] += e(j)[k] * da[j];
    }
    schur_.solve(dv);
    for (std::size_t k = 0; k < free(); ++k) add_scaled(-dv[k], {spread_.data() + k * m, m}, da);
    dw = h;
    for (std::size_t j = 0; j < m; ++j) add(j, da[j], dw);
  }

  void factor_columns() {
    const std::size_t p = weights() + free();
    matrix_.assign(p * p, 0.0);
    for (std::size_t k = 0; k < weights(); ++k) matrix_[k * p + k] = 1;
    difference_.assign(p, 0.0);
    for (std::size_t g = 0; g + 1 < programme_.groups.size(); ++g) {
      const double sum = share_sum(g);
      for (std::size_t j = programme_.groups[g]; j < programme_.groups[g + 1]; ++j) {
        const double share = 1 / (*t_)[j];
        add_square(j, j, (*room_)[g] < kInf ? share * ((*room_)[g] / sum) : share);
        if ((*room_)[g] == kInf) continue;
        for (std::size_t l = programme_.groups[g]; l < j; ++l)
          add_square(j, l, share / (*t_)[l] / sum);
      }
    }
    cholesky_.factor(matrix_, p);
  }
  double share_sum(std::size_t g) const {
    double sum = (*room_)[g];
    for (std::size_t j = programme_.groups[g]; j < programme_.groups[g + 1]; ++j)
      sum += 1 / (*t_)[j];
    return sum;
  }
  // matrix_ += scale · d dᵀ, d = d_j − d_l, or d_j if they are the same.
  void add_square(std::size_t j, std::size_t l, double scale) {
    if (scale == 0) return;
    const std::size_t p = weights() + free();
    touched_.clear();
    const auto put = [&](std::size_t row, double sign) {
      for (std::size_t k = programme_.starts[row]; k < programme_.starts[row + 1]; ++k) {
        touched_.push_back(place_[k]);
        difference_[place_[k]] += sign * programme_.values[k];
      }
      for (std::size_t k = 0; k < free(); ++k) difference_[weights() + k] += sign * e(row)[k];
    };
    put(j, 1);
    if (l != j) put(l, -1);
    for (std::size_t k = 0; k < free(); ++k) touched_.push_back(weights() + k);
    std::sort(touched_.begin(), touched_.end());
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    std::erase_if(touched_, [&](std::size_t k) { return difference_[k] == 0; });
    for (std::size_t a = 0; a < touched_.size(); ++a) {
      const double x = scale * difference_[touched_[a]];
      double* const row = matrix_.data() + touched_[a] * p;
      for (std::size_t b = 0; b <= a; ++b) row[touched_[b]] += x * difference_[touched_[b]];
    }
    for (std::size_t k : touched_) difference_[k] = 0;
  }
  void solve_columns(const Vector& r, const Vector& h, const Vector& u, Vector& dw, Vector& dv) {
    const std::size_t p = weights() + free();
    right_.assign(p, 0.0);
    std::copy(h.begin(), h.end(), right_.begin());
    for (std::size_t k = 0; k < free(); ++k) right_[weights() + k] = -u[k];
    for (std::size_t g = 0; g + 1 < programme_.groups.size(); ++g) {
      double mean = 0;
      if ((*room_)[g] < kInf) {
        for (std::size_t j = programme_.groups[g]; j < programme_.groups[g + 1]; ++j)
          mean += r[j] / (*t_)[j];
        mean /= share_sum(g);
      }
      for (std::size_t j = programme_.groups[g]; j < programme_.groups[g + 1]; ++j) {
        const double share = (r[j] - mean) / (*t_)[j];
        add(j, share, right_);
        for (std::size_t k = 0; k < free(); ++k) right_[weights() + k] += share * e(j)[k];
      }
    }
    cholesky_.solve(right_);
    std::copy_n(right_.begin(), weights(), dw.begin());
    std::copy_n(right_.begin() + static_cast<std::ptrdiff_t>(weights()), free(), dv.begin());
  }

  const MarginProgramme& programme_;
  std::vector<Index> columns_;      // that are in use, in order
  std::vector<std::size_t> place_;  // of each entry's column among them
  bool by_rows_;
  const Vector *t_ = nullptr, *room_ = nullptr;
  Cholesky cholesky_, schur_;
  Vector gram_, matrix_, spread_, small_, difference_, right_;
  std::vector<std::size_t> touched_;
};

}  // namespace linnet
