// What mistakes cost, label by label.
#pragma once
#include <span>
#include <stdexcept>
#include <string>

#include "linnet/base/math.hpp"
#include "linnet/base/types.hpp"

namespace linnet {

// What it costs to take label `gold` for label `predicted`: [gold][predicted], row by row.
// Empty: 1.
struct LabelCosts {
  std::span<const double> table{};
  Id labels = 0;

  bool empty() const { return table.empty(); }
  std::span<const double> row(Id gold) const {
    return table.subspan(static_cast<std::size_t>(gold) * static_cast<std::size_t>(labels),
                         static_cast<std::size_t>(labels));
  }
  void check() const {
    if (empty()) return;
    const auto n = static_cast<std::size_t>(labels);
    if (table.size() != n * n)
      throw std::invalid_argument("costs are a table of " + std::to_string(n) + " x " +
                                  std::to_string(n) + " labels, [gold, predicted]");
    for (std::size_t k = 0; k < table.size(); ++k)
      if (!(table[k] >= 0 && table[k] < kInf) || (k % (n + 1) == 0 && table[k] != 0))
        throw std::invalid_argument("costs are finite, not negative, and 0 for the right label");
  }
};

}  // namespace linnet
