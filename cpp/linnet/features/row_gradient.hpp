// Σ_i scale_i X_iᵀ δ_i over many instances, as rows of weights: the rows that instances have in
// common are summed, all others take no room.
#pragma once
#include "linnet/features/few_places.hpp"
#include "linnet/features/sites.hpp"

namespace linnet {

class RowGradient {
 public:
  void add(std::span<const Group> sites, std::span<const double> delta, double scale,
           SiteBuffer& buffer) {
    for_each_weight_row(sites, delta, buffer,
                        [&](Index offset, double value, const double* d, const Group& g) {
                          detail::add_row(row(offset, g.width), d, g.width, scale * value);
                        });
  }
  // visit(offset of the row among the weights, its values, how many), in the order of first use.
  template <class Visit>
  void for_each_row(Visit&& visit) const {
    for (const auto& known : rows_.all())
      visit(known.place, values_.data() + known.value.begin, known.value.width);
  }
  void clear() {
    rows_.clear();
    values_.clear();
  }

 private:
  struct Span {
    Index begin = 0;
    Id width = 0;
  };
  double* row(Index offset, Id width) {
    Span& span = rows_[offset];
    if (span.width == 0) {
      span = {static_cast<Index>(values_.size()), width};
      values_.resize(values_.size() + static_cast<std::size_t>(width));
    }
    return values_.data() + span.begin;
  }

  FewPlaces<Span> rows_;
  std::vector<double> values_;
};

}  // namespace linnet
