// Weights of (row, label) pairs that are there once they have been moved, each with what its
// average needs: of whole analyses there are hundreds or thousands, and a feature meets a few of
// them. A row is a short list of labels, or all of them side by side when it has many.
#pragma once
#include <bit>
#include <memory>
#include <vector>

#include "linnet/base/archive.hpp"
#include "linnet/base/lanes.hpp"
#include "linnet/structures/chain_kernel.hpp"

namespace linnet {

struct GrowingCell {
  Id label;
  float weight, late;
};

// Memory for rows: cells in pieces of powers of two, those that rows have outgrown given to others.
class CellPool {
 public:
  GrowingCell* take(unsigned power) {
    if (!free_[power].empty()) {
      GrowingCell* const cells = free_[power].back();
      free_[power].pop_back();
      return cells;
    }
    const std::size_t size = std::size_t{1} << power;
    if (size > left_) {
      left_ = std::max(kBlock, size);
      blocks_.push_back(std::make_unique_for_overwrite<GrowingCell[]>(left_));
      at_ = blocks_.back().get();
    }
    left_ -= size;
    return std::exchange(at_, at_ + size);
  }
  void give(GrowingCell* cells, unsigned power) { free_[power].push_back(cells); }

 private:
  static constexpr std::size_t kBlock = 1 << 16;
  std::vector<std::unique_ptr<GrowingCell[]>> blocks_;
  GrowingCell* at_ = nullptr;
  std::size_t left_ = 0;
  std::vector<GrowingCell*> free_[32];
};

class GrowingWeights {
 public:
  GrowingWeights(Index rows, Id labels)
      : stride_(chain_stride<float>(labels)), rows_(static_cast<std::size_t>(rows)) {}

  struct Row {
    GrowingCell* cells = nullptr;
    std::unique_ptr<float[]> all{};  // [stride] weights, then as many sums for averages
    Id size = 0;
    unsigned power = 0;  // of two: how many cells there is room for
  };
  const Row& operator[](Id row) const { return rows_[row]; }
  Index rows() const { return std::ssize(rows_); }
  Id stride() const { return stride_; }

  void add(Id row, Id label, float change, float late) {
    const auto [weight, sum] = place(rows_[row], label);
    *weight += change;
    *sum += late;
  }
  // visit(label, weight, late) for the pairs of a row that are there.
  template <class Visit>
  void each(Id row, Visit&& visit) const {
    const Row& from = rows_[row];
    for (Id k = 0; from.all && k < stride_; ++k) visit(k, from.all[k], from.all[stride_ + k]);
    for (Id k = 0; !from.all && k < from.size; ++k)
      visit(from.cells[k].label, from.cells[k].weight, from.cells[k].late);
  }

  void state(Archive& a) {
    std::vector<Id> sizes, labels;
    std::vector<float> weights, lates;
    if (!a.reading())
      for (Id r = 0; r < rows(); ++r) {
        const std::size_t before = labels.size();
        each(r, [&](Id label, float weight, float late) {
          if (weight == 0 && late == 0) return;
          labels.push_back(label), weights.push_back(weight), lates.push_back(late);
        });
        sizes.push_back(static_cast<Id>(labels.size() - before));
      }
    a.list(sizes, weights, lates);
    a.places(labels, static_cast<std::size_t>(stride_));
    if (!a.reading()) return;
    std::size_t k = 0;
    bool fits = sizes.size() == rows_.size() && weights.size() == labels.size() &&
                lates.size() == labels.size();
    for (std::size_t r = 0; fits && r < sizes.size(); ++r) {
      fits = sizes[r] >= 0 && sizes[r] <= stride_ &&
             static_cast<std::size_t>(sizes[r]) <= labels.size() - k;
      for (Id j = 0; fits && j < sizes[r]; ++j, ++k) {
        fits = labels[k] >= 0;
        if (fits) add(static_cast<Id>(r), labels[k], weights[k], lates[k]);
      }
    }
    Archive::require(fits && k == labels.size(), "weights are not those of its features");
  }

 private:
  static constexpr Id kFull = 4;  // a row with one in so many labels has them all

  std::pair<float*, float*> place(Row& row, Id label) {
    if (row.all) return {&row.all[label], &row.all[stride_ + label]};
    for (Id k = 0; k < row.size; ++k)
      if (row.cells[k].label == label) return {&row.cells[k].weight, &row.cells[k].late};
    if (row.size * kFull >= stride_) {
      fill(row);
      return place(row, label);
    }
    if (row.size == 0) {
      row.cells = pool_.take(row.power = 1);
    } else if (std::size_t{1} << row.power == static_cast<std::size_t>(row.size)) {
      GrowingCell* const more = pool_.take(row.power + 1);
      std::copy_n(row.cells, row.size, more);
      pool_.give(std::exchange(row.cells, more), row.power++);
    }
    GrowingCell& cell = row.cells[row.size++] = {label, 0.f, 0.f};
    return {&cell.weight, &cell.late};
  }
  void fill(Row& row) {
    row.all = std::make_unique<float[]>(2 * static_cast<std::size_t>(stride_));
    for (Id k = 0; k < row.size; ++k) {
      row.all[row.cells[k].label] = row.cells[k].weight;
      row.all[stride_ + row.cells[k].label] = row.cells[k].late;
    }
    pool_.give(row.cells, row.power);
  }

  Id stride_;
  std::vector<Row> rows_;
  CellPool pool_;
};

// theta = Σ_j value_j row_j over `labels` labels, padding -inf; rows in their order.
LINNET_CLONES inline void score_growing(const GrowingWeights& w, std::span<const Id> rows,
                                        std::span<const float> values, Id labels, float* theta) {
  const Id stride = w.stride();
  std::fill_n(theta, stride, 0.f);
  constexpr std::size_t kAhead = 4;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    if (j + 2 * kAhead < rows.size()) LINNET_PREFETCH(&w[rows[j + 2 * kAhead]]);
    if (j + kAhead < rows.size()) LINNET_PREFETCH(w[rows[j + kAhead]].cells);
    const GrowingWeights::Row& row = w[rows[j]];
    const float x = values.empty() ? 1.f : values[j];
    if (row.all) {
      const Lanes factor = all_lanes(x);
      for (Id k = 0; k < stride; k += 8)
        store_lanes(theta + k, load_lanes(theta + k) + factor * load_lanes(row.all.get() + k));
      continue;
    }
    for (Id k = 0; k < row.size; ++k) theta[row.cells[k].label] += x * row.cells[k].weight;
  }
  std::fill(theta + labels, theta + stride, -std::numeric_limits<float>::infinity());
}

}  // namespace linnet
