// The weights one instance reads, gathered into a small block, its features renumbered: a learner
// that takes several steps on an instance takes them in the cache, over groups of sites like all.
#pragma once
#include <algorithm>
#include <deque>

#include "linnet/features/sites.hpp"

namespace linnet {

class LocalWeights {
 public:
  // Copies the weights of all features of `sites` out of w.
  void open(std::span<const Group> sites, const double* w, RowBuffer& buffer) {
    groups_.resize(std::max(groups_.size(), sites.size()));
    sites_.clear();
    rows_.clear();
    Index size = 0;
    for (std::size_t k = 0; k < sites.size(); ++k) {
      LocalRows& local = groups_[k];
      local.renumber(sites[k], buffer);
      const Group& g = sites[k];
      rows_.emplace_back(g.count, static_cast<Index>(local.features.size()), local.starts.data(),
                         IndexType::i64, local.index.data(), IndexType::i32, local.value.data(),
                         ValueType::f32, g.rows->bias());
      sites_.push_back({&rows_.back(), 0, g.count, g.width, g.stride, size});
      size += (static_cast<Index>(local.features.size()) + 1) * g.stride;
    }
    values_.resize(static_cast<std::size_t>(size));
    each_row(sites, [&](Index there, Index here, Id stride) {
      std::copy_n(w + there, stride, values_.data() + here);
    });
  }
  // Copies them back; `sites` are those it was opened with.
  void write(std::span<const Group> sites, double* w) const {
    each_row(sites, [&](Index there, Index here, Id stride) {
      std::copy_n(values_.data() + here, stride, w + there);
    });
  }

  std::span<const Group> sites() const { return sites_; }
  std::span<double> values() { return values_; }

 private:
  // The rows of one group over its own features, numbered in the order they are met.
  struct LocalRows {
    std::vector<Id> place;     // of each feature of the data; -1: not met
    std::vector<Id> features;  // met
    std::vector<Index> starts;
    std::vector<Id> index;
    std::vector<float> value;

    void renumber(const Group& g, RowBuffer& buffer) {
      for (Id f : features) place[f] = -1;
      features.clear();
      index.clear();
      value.clear();
      starts.assign(1, 0);
      if (place.size() < static_cast<std::size_t>(g.rows->features()))
        place.resize(static_cast<std::size_t>(g.rows->features()), -1);
      for (Id s = 0; s < g.count; ++s) {
        const Row row = g.rows->row(g.first + s, buffer);
        for (Id k = 0; k < row.size; ++k) {
          Id& at = place[row.index[k]];
          if (at < 0) {
            at = static_cast<Id>(features.size());
            features.push_back(row.index[k]);
          }
          index.push_back(at);
        }
        value.insert(value.end(), row.value, row.value + row.size);
        starts.push_back(static_cast<Index>(index.size()));
      }
    }
  };

  // visit(offset in all weights, offset here, stride) for every row of weights.
  template <class Visit>
  void each_row(std::span<const Group> sites, Visit&& visit) const {
    for (std::size_t k = 0; k < sites.size(); ++k) {
      const Group& g = sites[k];
      Index here = sites_[k].base;
      visit(g.base, here, g.stride);
      for (Id f : groups_[k].features)
        visit(g.base + (static_cast<Index>(f) + 1) * g.stride, here += g.stride, g.stride);
    }
  }

  std::vector<LocalRows> groups_;
  std::deque<Rows> rows_;
  std::vector<Group> sites_;
  Buffer<double> values_;
};

}  // namespace linnet
