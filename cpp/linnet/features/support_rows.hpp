// Some columns again, row by row: for many products with Z' B Z, where B is diagonal. One pass over
// the entries does both halves of the product, with vectors as short as there are columns.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "linnet/base/page_array.hpp"
#include "linnet/features/columns.hpp"

namespace linnet {

class SupportRows {
 public:
  // `column(k)` gives the entries of the k-th of `columns`; rows whose `diagonal(i)` is zero are
  // left out.
  template <class Column, class Diagonal>
  void assign(std::size_t columns, Column column, std::size_t rows, Diagonal diagonal) {
    next_.assign(rows + 1, 0);
    for (std::size_t k = 0; k < columns; ++k)
      for (const Entry e : column(k)) ++next_[std::size_t(e.row) + 1];
    rows_.clear();
    std::size_t total = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t count = next_[i + 1];
      const double b = diagonal(i);
      next_[i] = b != 0 ? total : kLeftOut;
      if (b == 0 || count == 0) continue;
      rows_.push_back({b, total, total + count});
      total += count;
    }
    entries_.resize(total);
    for (std::size_t k = 0; k < columns; ++k)
      for (const Entry e : column(k))
        if (std::size_t& place = next_[std::size_t(e.row)]; place != kLeftOut)
          entries_[place++] = {static_cast<Id>(k), e.value};
  }

  // product = Z' B Z v; returns v' Z' B Z v.
  double multiply(std::span<const double> v, std::span<double> product) const {
    std::fill(product.begin(), product.end(), 0.0);
    double total = 0;
    for (const Row& row : rows_) {
      const Entries entries{entries_.data() + row.begin, row.end - row.begin};
      const double z = sum(entries, [&](Entry e) { return e.value * v[std::size_t(e.row)]; });
      total += row.diagonal * z * z;
      const double back = row.diagonal * z;
      for (const Entry e : entries) product[std::size_t(e.row)] += e.value * back;
    }
    return total;
  }

 private:
  static constexpr std::size_t kLeftOut = ~std::size_t{0};
  struct Row {
    double diagonal;
    std::size_t begin, end;
  };
  std::vector<Row> rows_;
  PageArray<Entry> entries_;  // `row` is the number of the column
  std::vector<std::size_t> next_;
};

}  // namespace linnet
