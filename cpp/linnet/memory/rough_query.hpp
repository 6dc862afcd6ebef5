// A query in whole numbers: what its columns add to sums, and how far these may be from the truth.
//
// A product is measured in units, so many for 1 that no sum exceeds 16 bits: none is above the
// product of lengths. Sums over plain columns alone are smaller, and are in finer units until they
// are whole. All errors are bounded by lengths (|Σ a_j b_j| <= ‖a‖ ‖b‖) where that is less than
// term by term:
//   the rows' rounding        ‖query‖ ‖what rounding took from a row‖
//   that of plain factors     Σ_j |e_j / most_j| |row_j| <= ‖e / most‖ ‖row‖, and <= Σ_j |e_j|
//   that of plain products    half a fine unit for each
//   that of other factors     at most 2^-9 units for each, since values are below 2^15
//   that of other products    none: they are rounded up, by less than a unit for each
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "linnet/memory/rough_sums.hpp"
#include "linnet/memory/row_index.hpp"

namespace linnet::memory {

struct RoughQuery {
  std::vector<PlainTerm> plain;
  std::vector<RareTerm> rare;
  int finer = 0;     // sums over plain columns are in units / 2^finer
  double units = 0;  // that make 1, or 0 if sums cannot be whole numbers
  double error = 0;  // a product is above its sum by so many units at most, and not below it by
                     // more than these and `above`
  double above() const { return static_cast<double>(rare.size()); }

  // Requires: a value for each column. The vectors are used again.
  void assign(const RowIndex& index, std::span<const Id> column, std::span<const float> value) {
    plain.clear();
    rare.clear();
    double plain_square = 0, rare_square = 0;
    for (std::size_t i = 0; i < column.size(); ++i) {
      const double v = value[i];
      (index.column(column[i]).plain() ? plain_square : rare_square) += v * v;
    }
    const double plain_length = std::sqrt(plain_square);
    const double rounded =
        plain_length * index.plain_error() + std::sqrt(rare_square) * index.rare_error();
    const double reach = std::sqrt(plain_square + rare_square) * index.length() + rounded;
    const double plain_reach = plain_length * (index.plain_length() + index.plain_error());
    // Room for what rounds up, 3/2 for each term, and for the half that rounds fine units.
    constexpr double kRoom = 32500;
    const double room = kRoom - 1.5 * static_cast<double>(column.size());
    units = room / reach;
    if (!(room > 0 && units > 0 && std::isfinite(units))) {
      units = 0;
      return;
    }
    const double ratio = std::clamp(reach / plain_reach, 1.0, 64.0);
    finer = plain_square > 0 ? std::ilogb(ratio) : 0;
    error = rounded * units + make_terms(index, column, value) / (1 << finer) + (finer ? 0.5 : 0) +
            0.002 * above() + 0.001;  // and what doubles round
  }

 private:
  // How far sums over plain columns may be from the truth, in fine units.
  double make_terms(const RowIndex& index, std::span<const Id> column,
                    std::span<const float> value) {
    constexpr double kPlainScale = 128 / RowIndex::kMostByte;
    const double fine = units * (1 << finer);
    const double rare_scale = (1 << kFactorBits) / index.most_value();
    double wrong = 0, relative = 0;
    for (std::size_t i = 0; i < column.size(); ++i) {
      const RowIndex::Column& c = index.column(column[i]);
      const double most = static_cast<double>(value[i]) * static_cast<double>(c.most);
      if (!c.plain()) {
        if (c.count > 0) rare.push_back({&c, std::llrint(most * units * rare_scale)});
        continue;
      }
      const double exact = most * fine * kPlainScale;
      const auto factor = static_cast<std::int16_t>(std::lrint(exact));
      const double off = std::abs(exact - factor) / kPlainScale;
      wrong += off;
      relative += off * off / (static_cast<double>(c.most) * static_cast<double>(c.most));
      if (factor != 0) plain.push_back({c.at, factor});
    }
    const double by_lengths = std::sqrt(relative) * (index.plain_length() + index.plain_error());
    return std::min(wrong, by_lengths) + 0.5 * static_cast<double>(plain.size());
  }
};

}  // namespace linnet::memory
