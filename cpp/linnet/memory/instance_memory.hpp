// Memory-based learning over symbolic features (IB1; Aha, Kibler and Albert 1991; Daelemans and van
// den Bosch 2005): instances are kept, and a query has the label of its nearest ones.
#pragma once
#include <memory>

#include "linnet/base/thread_pool.hpp"
#include "linnet/memory/votes.hpp"

namespace linnet::memory {

class InstanceMemory {
 public:
  // rows: (instances, features) values by number, below `values` of their feature.
  InstanceMemory(std::span<const Id> rows, std::span<const Id> labels, Id n_labels,
                 std::span<const Id> values, std::span<const double> weights, std::vector<Id> order,
                 bool mvdm, Index least)
      : weights_(weights.begin(), weights.end()),
        frequency_(n_labels, 0),
        metrics_(metrics_of(rows, labels, values, mvdm, least)),
        tree_(rows, labels, std::move(order), metrics_) {
    for (Id c : labels) ++frequency_[c];
  }

  std::size_t width() const { return tree_.width(); }
  Id labels() const { return static_cast<Id>(frequency_.size()); }
  const InstanceTree& tree() const { return tree_; }
  double distance(std::size_t feature, Id value, Id other) const {
    const ValueMetric& metric = metrics_[feature];
    return metric.distance(metric.group(value), metric.group(other));
  }

  // told(query, search, found) for each row of queries; rows of one query may be told in any order
  // and by several threads. Queries are sorted, so that those alike share what the cache holds.
  template <class Told>
  void each(std::span<const Id> queries, Index k, int threads, const Told& told) const {
    const std::size_t width = tree_.width();
    const Index n = width ? static_cast<Index>(queries.size() / width) : 0;
    std::vector<Id> groups(queries.size());
    for (Index i = 0; i < n; ++i)
      for (std::size_t l = 0; l < width; ++l) {
        const Id f = tree_.order()[l];
        groups[i * width + l] = metrics_[f].group(queries[i * width + f]);
      }
    std::vector<Index> sorted(n);
    std::iota(sorted.begin(), sorted.end(), Index{0});
    const auto at = [&](Index i) { return groups.data() + i * width; };
    std::sort(sorted.begin(), sorted.end(), [&](Index a, Index b) {
      for (std::size_t l = 0; l < width; ++l)
        if (at(a)[l] != at(b)[l]) return at(a)[l] < at(b)[l];
      return a < b;
    });
    for (Index begin = 0; begin < n;) {
      Rows rows(*this);
      Index end = begin;
      while (end < n && (end == begin || rows.bytes() < kMostBytes)) rows.want(at(sorted[end++]));
      rows.make(threads);
      const Index tasks = (end - begin + kTogether - 1) / kTogether;
      parallel_for(tasks, threads, [&](Index task) {
        Search search(tree_, metrics_, weights_);
        Query query;
        query.row.resize(width);
        const Index last = std::min(end, begin + (task + 1) * kTogether);
        Steps steps;
        for (Index q = begin + task * kTogether; q < last; ++q) {
          steps(2000);
          query.groups.assign(at(sorted[q]), at(sorted[q]) + width);
          for (std::size_t l = 0; l < width; ++l) query.row[l] = rows.of(l, query.groups[l]);
          told(sorted[q], search, query, search.nearest(query, k));
        }
      });
      begin = end;
    }
  }

  // The label of each query, and its votes (queries, labels) if there is room for them.
  std::vector<Id> classify(std::span<const Id> queries, Index k, const Voting& voting, int threads,
                           std::span<double> votes) const {
    const Index n = width() ? static_cast<Index>(queries.size() / width()) : 0;
    const Id labels = this->labels();
    std::vector<Id> best(n);
    each(queries, k, threads,
         [&](Index i, Search& search, const Query& query, const std::vector<Found>& found) {
           std::vector<double> own(labels);
           count_votes(tree_, search, voting, found, own);
           auto [label, tied] = most_votes(own, frequency_);
           if (tied) {
             std::vector<double> more(labels);
             count_votes(tree_, search, voting, search.nearest(query, k + 1), more);
             const auto [second, still] = most_votes(more, frequency_);
             if (!still) label = second, own = more;
           }
           best[i] = label;
           if (!votes.empty()) std::copy(own.begin(), own.end(), votes.begin() + i * labels);
         });
    return best;
  }

 private:
  static constexpr Index kTogether = 128;                  // queries of a task
  static constexpr std::size_t kMostBytes = 256ull << 20;  // of rows of distances

  static std::vector<ValueMetric> metrics_of(std::span<const Id> rows, std::span<const Id> labels,
                                             std::span<const Id> values, bool mvdm, Index least) {
    std::vector<ValueMetric> made;
    std::vector<Id> column(labels.size());
    for (std::size_t f = 0; f < values.size(); ++f) {
      for (std::size_t i = 0; i < column.size(); ++i) column[i] = rows[i * values.size() + f];
      made.push_back(mvdm ? ValueMetric(values[f], column, labels, least) : ValueMetric(values[f]));
    }
    return made;
  }

  // Distances of some groups to all others, by level.
  class Rows {
   public:
    explicit Rows(const InstanceMemory& memory) : memory_(memory), slots_(memory.width()) {
      for (std::size_t l = 0; l < slots_.size(); ++l)
        if (metric(l).is_table()) slots_[l].assign(metric(l).groups() + 1, -1);
    }

    void want(const Id* groups) {
      for (std::size_t l = 0; l < slots_.size(); ++l) {
        if (slots_[l].empty()) continue;
        Index& slot = slots_[l][groups[l] + 1];
        if (slot >= 0) continue;
        slot = static_cast<Index>(size_);
        size_ += metric(l).groups();
        wanted_.push_back({l, groups[l], slot});
      }
    }

    std::size_t bytes() const { return size_ * sizeof(Step); }

    void make(int threads) {
      values_.reset(new Step[size_]);
      const double step = step_of(memory_.weights_);
      parallel_for(static_cast<Index>(wanted_.size()), threads, [&](Index k) {
        const auto& [l, group, slot] = wanted_[k];
        std::vector<double> same;
        metric(l).row(group, memory_.weights_[memory_.tree_.order()[l]] / step, same,
                      values_.get() + slot);
      });
    }

    const Step* of(std::size_t level, Id group) const {
      return slots_[level].empty() ? nullptr : values_.get() + slots_[level][group + 1];
    }

   private:
    struct Wanted {
      std::size_t level;
      Id group;
      Index slot;
    };
    const ValueMetric& metric(std::size_t l) const {
      return memory_.metrics_[memory_.tree_.order()[l]];
    }

    const InstanceMemory& memory_;
    std::vector<std::vector<Index>> slots_;
    std::vector<Wanted> wanted_;
    std::size_t size_ = 0;
    std::unique_ptr<Step[]> values_;
  };

  std::vector<double> weights_;
  std::vector<Index> frequency_;
  std::vector<ValueMetric> metrics_;
  InstanceTree tree_;
};

}  // namespace linnet::memory
