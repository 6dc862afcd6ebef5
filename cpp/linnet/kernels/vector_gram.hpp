// Kernel values of sparse rows: products by `RowSet`, then the kernel of `VectorKernel`, a chunk of
// rows that stays in the first-level cache at a time.
#pragma once
#include <numeric>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/thread_pool.hpp"
#include "linnet/kernels/gram_rows.hpp"
#include "linnet/kernels/row_products.hpp"
#include "linnet/kernels/vector_kernel.hpp"

namespace linnet {

// sums[c][16] from products to kernel values; squares[16] of the 16, column_squares[c] of the
// others.
LINNET_CLONES inline void make_polynomial(const VectorKernel& kernel, Index count, float* sums) {
  const Lanes scale = all_lanes(kernel.scale), constant = all_lanes(kernel.constant);
  for (Index k = 0; k < count * kAtOnce; k += 8)
    store_lanes(sums + k, kernel.polynomial(load_lanes(sums + k), scale, constant));
}
LINNET_CLONES inline void make_gaussian(const VectorKernel& kernel, const float* squares,
                                        const float* column_squares, Index count, float* sums) {
  const Lanes zero = all_lanes(0), minus = all_lanes(-kernel.precision), two = all_lanes(2);
  const Lanes left = load_lanes(squares), right = load_lanes(squares + 8);
  for (Index c = 0; c < count; ++c) {
    float* const at = sums + kAtOnce * c;
    const Lanes own = all_lanes(column_squares[c]);
    const Lanes low = left + own - two * load_lanes(at);
    const Lanes high = right + own - two * load_lanes(at + 8);
    store_lanes(at, exp(minus * larger(low, zero)));
    store_lanes(at + 8, exp(minus * larger(high, zero)));
  }
}
// out[lane][first + c] = sums[c][lane].
LINNET_CLONES inline void turn(const float* sums, Index count, Index lanes, Index first,
                               float* const* out) {
  for (Index lane = 0; lane < lanes; ++lane) {
    float* LINNET_RESTRICT const to = out[lane] + first;
    const float* LINNET_RESTRICT const from = sums + lane;
    for (Index c = 0; c < count; ++c) to[c] = from[kAtOnce * c];
  }
}
// totals[p][16] += Σ_c weights[c][p] sums[c][16]: in float within a chunk, in double over them.
LINNET_CLONES inline void add_weighted(const float* sums, const float* weights, Index count,
                                       Index width, double* totals) {
  for (Index p = 0; p < width; ++p) {
    Lanes low = all_lanes(0), high = all_lanes(0);
    for (Index c = 0; c < count; ++c) {
      const Lanes weight = all_lanes(weights[c * width + p]);
      low = low + weight * load_lanes(sums + kAtOnce * c);
      high = high + weight * load_lanes(sums + kAtOnce * c + 8);
    }
    for (int lane = 0; lane < 8; ++lane) {
      totals[p * kAtOnce + lane] += static_cast<double>(low[lane]);
      totals[p * kAtOnce + lane + 8] += static_cast<double>(high[lane]);
    }
  }
}

class VectorGram final : public GramRows {
 public:
  VectorGram(const Rows& rows, const VectorKernel& kernel)
      : set_(rows), kernel_(kernel), block_(set_) {
    kernel.check();
    for (Index i = 0; i < set_.size(); ++i)
      if (!std::isfinite(diagonal(i)))
        throw std::invalid_argument("the kernel of row " + std::to_string(i) +
                                    " with itself is no finite number: scale the features, or "
                                    "lower the degree");
  }
  Index size() const override { return set_.size(); }
  Index together() const override { return kAtOnce; }
  const RowSet& set() const { return set_; }
  float diagonal(Index i) const override {
    return kernel_.of(set_.square(i), set_.square(i), set_.square(i));
  }
  void read(std::span<const Index> rows, std::span<const Index> columns,
            float* const* out) const override {
    std::vector<Index> place;
    if (static_cast<Index>(columns.size()) < size()) {
      place.assign(static_cast<std::size_t>(size()), -1);
      for (std::size_t c = 0; c < columns.size(); ++c) place[columns[c]] = static_cast<Index>(c);
    }
    for (std::size_t first = 0; first < rows.size(); first += kAtOnce) {
      const auto lanes = std::min<Index>(kAtOnce, static_cast<Index>(rows.size() - first));
      for (Index lane = 0; lane < lanes; ++lane)
        block_.put(lane, set_[rows[first + lane]], set_.square(rows[first + lane]));
      each_chunk(
          block_, columns, place.empty() ? nullptr : place.data(), sums_,
          [&](Index at, Index count, float* sums) { turn(sums, count, lanes, at, out + first); });
      block_.clear();
    }
  }

  // out[i][c] = K(x_i, c) for other rows.
  void matrix(const Rows& rows, float* out, int threads) const {
    std::vector<Index> all(static_cast<std::size_t>(size()));
    std::iota(all.begin(), all.end(), Index{0});
    for_blocks(rows, threads,
               [&](const RowBlock& block, Buffer<float>& sums, Index first, Index lanes) {
                 float* to[kAtOnce];
                 for (Index lane = 0; lane < lanes; ++lane)
                   to[lane] = out + (first + lane) * size();
                 each_chunk(block, all, nullptr, sums, [&](Index at, Index count, float* chunk) {
                   turn(chunk, count, lanes, at, to);
                 });
               });
  }
  // out[i][p] = Σ_c weights[c][p] K(x_i, c).
  void scores(const Rows& rows, std::span<const float> weights, Index width, double* out,
              int threads) const {
    if (width < 1 || static_cast<Index>(weights.size()) != size() * width)
      throw std::invalid_argument("one row of weights for each row of the kernel");
    std::vector<Index> all(static_cast<std::size_t>(size()));
    std::iota(all.begin(), all.end(), Index{0});
    for_blocks(rows, threads,
               [&](const RowBlock& block, Buffer<float>& sums, Index first, Index lanes) {
                 std::vector<double> totals(static_cast<std::size_t>(width * kAtOnce), 0.0);
                 each_chunk(block, all, nullptr, sums, [&](Index at, Index count, float* chunk) {
                   add_weighted(chunk, weights.data() + at * width, count, width, totals.data());
                 });
                 for (Index lane = 0; lane < lanes; ++lane)
                   for (Index p = 0; p < width; ++p)
                     out[(first + lane) * width + p] = totals[p * kAtOnce + lane];
               });
  }

 private:
  static constexpr Index kChunk = 64;

  // visit(first column, how many, kernel values [column][16]). `place` has the place of each row
  // among the columns, if they are not all rows.
  template <class Visit>
  void each_chunk(const RowBlock& block, std::span<const Index> columns, const Index* place,
                  Buffer<float>& all, Visit&& visit) const {
    float squares[kChunk];
    all.assign(columns.size() * kAtOnce, 0.f);
    block.add_rare(set_, place, all.data());
    Steps steps;
    for (std::size_t at = 0; at < columns.size(); at += kChunk) {
      const auto count = std::min<Index>(kChunk, static_cast<Index>(columns.size() - at));
      float* const sums = all.data() + at * kAtOnce;
      set_.add_frequent(columns.data() + at, count, block.table(), sums);
      if (kernel_.form == KernelForm::polynomial) {
        make_polynomial(kernel_, count, sums);
      } else if (kernel_.form == KernelForm::gaussian) {
        for (Index c = 0; c < count; ++c) squares[c] = set_.square(columns[at + c]);
        make_gaussian(kernel_, block.squares(), squares, count, sums);
      }
      visit(static_cast<Index>(at), count, sums);
      steps(kChunk * kAtOnce);
    }
  }
  // Blocks of 16 rows that are not ours.
  template <class Visit>
  void for_blocks(const Rows& rows, int threads, Visit&& visit) const {
    if (rows.features() != set_.features())
      throw std::invalid_argument("these rows have " + std::to_string(rows.features()) +
                                  " features, those of the kernel " +
                                  std::to_string(set_.features()));
    constexpr Index kBlocks = 16;  // of one task
    const Index tasks = (rows.size() + kBlocks * kAtOnce - 1) / (kBlocks * kAtOnce);
    parallel_for(tasks, threads, [&](Index task) {
      RowBlock block(set_);
      Buffer<float> sums;
      RowBuffer buffer;
      const Index end = std::min(rows.size(), (task + 1) * kBlocks * kAtOnce);
      for (Index first = task * kBlocks * kAtOnce; first < end; first += kAtOnce) {
        const Index lanes = std::min(kAtOnce, end - first);
        for (Index lane = 0; lane < lanes; ++lane) {
          const Row row = rows.row(first + lane, buffer);
          for (Id k = 0; k < row.size; ++k)
            if (const Id number = set_.number(row.index[k]); number >= 0)
              block.add(lane, number, row.value[k]);
          block.set_square(lane, static_cast<float>(squared_norm(row, 0)));
        }
        visit(block, sums, first, lanes);
        block.clear();
      }
    });
  }

  RowSet set_;
  VectorKernel kernel_;
  mutable RowBlock block_;  // of the rows that are read
  mutable Buffer<float> sums_;
};

}  // namespace linnet
