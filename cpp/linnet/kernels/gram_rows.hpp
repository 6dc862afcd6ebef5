// A kernel as learners see it: a symmetric matrix K of examples, some rows at a time.
#pragma once
#include <span>

#include "linnet/base/types.hpp"

namespace linnet {

class GramRows {
 public:
  virtual ~GramRows() = default;
  virtual Index size() const = 0;
  virtual float diagonal(Index i) const = 0;
  // out[r][c] = K(rows[r], columns[c]).
  virtual void read(std::span<const Index> rows, std::span<const Index> columns,
                    float* const* out) const = 0;
  // How many rows had better be asked for at once.
  virtual Index together() const { return 1; }
};

// A matrix that somebody has computed, row by row.
template <class Real>
class DenseGram final : public GramRows {
 public:
  DenseGram(const Real* values, Index size) : values_(values), size_(size) {}
  Index size() const override { return size_; }
  float diagonal(Index i) const override { return static_cast<float>(values_[i * size_ + i]); }
  void read(std::span<const Index> rows, std::span<const Index> columns,
            float* const* out) const override {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const Real* const row = values_ + rows[r] * size_;
      for (std::size_t c = 0; c < columns.size(); ++c)
        out[r][c] = static_cast<float>(row[columns[c]]);
    }
  }

 private:
  const Real* values_;
  Index size_;
};

}  // namespace linnet
