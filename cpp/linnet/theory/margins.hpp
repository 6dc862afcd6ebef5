// What theory says of separable data, measured instance by instance with given weights: the margin
//   s(y) − max over y′ ≠ y of s(y′)
// of the gold output y, whether it is the best one, and how far the features of others may lie from
// its own.
#pragma once
#include <atomic>
#include <mutex>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/thread_pool.hpp"
#include "linnet/theory/feature_reach.hpp"

namespace linnet {

// Of all weights.
struct WeightNorms {
  double l1 = 0, squared = 0, largest = 0;
  Index nonzero = 0;

  template <class Real>
  explicit WeightNorms(std::span<const Real> w) {
    for (const Real x : w) {
      const double size = std::abs(static_cast<double>(x));
      l1 += size;
      squared += size * size;
      largest = std::max(largest, size);
      nonzero += x != 0;
    }
  }
};

// Instances that weigh nothing, or miss a label, are not measured: their margin is NaN and their
// weight 0. So is the margin of one that has no other output.
struct Margins {
  std::vector<double> margin, weight;  // of every instance
  std::vector<std::uint8_t> mistake;   // is another output predicted?
  Reach reach;                         // of all instances: R and its fellow
  Index left_out = 0;                  // for missing labels
  Index dim = 0;                       // weights that features have, padding left out

  explicit Margins(Index size) : margin(size, kNaN), weight(size), mistake(size) {}
};

namespace detail {

inline double margin_of(const Instance& x, bool mistake, double best, InstanceBuffer& buffer) {
  std::optional<double> other;
  if (mistake)
    other = best;
  else
    other = x.oracle->best_other(buffer.theta, x.gold, buffer.work);
  if (!other) return kNaN;
  double gold = 0;
  for (const auto& [p, count] : x.gold)
    if (count != 0) gold += count * buffer.theta[p];
  const double margin = gold - *other;
  return std::isnan(margin) ? 0 : margin;  // both have a probability of 0
}

// One site whose labels are the outputs: f(x, y) − f(x, y′) has x once, or twice.
inline Reach reach_of_row(const Group& g, InstanceBuffer& buffer) {
  const Row row = g.rows->row(g.first, buffer.site.row);
  double largest = std::abs(static_cast<double>(g.rows->bias()));
  for (Id k = 0; k < row.size; ++k)
    largest = std::max(largest, std::abs(static_cast<double>(row.value[k])));
  return {std::sqrt((g.width == 1 ? 1 : 2) * squared_norm(row, g.rows->bias())), largest};
}

// How many weights there are: the constant feature has some where it has a value.
inline Index count_weights(const Dataset& data) {
  InstanceBuffer buffer;
  Index count = 0;
  const Instance x = data.read(0, buffer);
  for (const WeightBlock& block : data.blocks()) {
    bool constant = false;
    for (const Group& g : x.sites) constant |= g.base == block.begin && g.rows->bias() != 0;
    Index columns = 1;
    for (Id size : block.shape) columns *= size;
    count += (block.rows - (constant ? 0 : 1)) * columns;
  }
  return count;
}

}  // namespace detail

// Measures instance after instance, one at a time.
class MarginMeter {
 public:
  // The caller keeps data and weights alive; `found` is of all meters, which have one lock.
  MarginMeter(const Dataset& data, Margins& found, std::mutex& mutex)
      : data_(data), found_(found), mutex_(mutex) {}

  template <class Real>
  void measure(Index i, std::span<const Real> w) {
    const Instance x = data_.read(i, buffer_);
    if (x.weight == 0) return;
    if (!x.consistent.empty()) {
      const std::lock_guard lock(mutex_);
      ++found_.left_out;
      return;
    }
    score_instance(x, w.data(), buffer_);
    found_.weight[i] = x.weight;
    const double best = x.oracle->solve(Ring::max, buffer_.theta, buffer_.delta, buffer_.work);
    for (const auto& [p, count] : x.gold) buffer_.delta[p] -= count;
    found_.mistake[i] =
        std::any_of(buffer_.delta.begin(), buffer_.delta.end(), [](double d) { return d != 0; });
    found_.margin[i] = detail::margin_of(x, found_.mistake[i], best, buffer_);
    const bool row = data_.listed() && x.sites[0].count == 1;
    const Reach reach = row ? detail::reach_of_row(x.sites[0], buffer_) : reach_.of(x, buffer_);
    const std::lock_guard lock(mutex_);
    found_.reach.norm = std::max(found_.reach.norm, reach.norm);
    found_.reach.largest = std::max(found_.reach.largest, reach.largest);
  }

 private:
  const Dataset& data_;
  Margins& found_;
  std::mutex& mutex_;
  InstanceBuffer buffer_;
  FeatureReach reach_;
};

// Requires one weight for each of data.dim(); scores have their precision, as in prediction. False:
// interrupted. Instances do not see each other: the number of threads changes nothing.
template <class Real>
bool measure_margins(const Dataset& data, std::span<const Real> w, int threads, Margins& found) {
  constexpr Index kTogether = 32;
  std::vector<std::unique_ptr<MarginMeter>> idle;
  std::mutex mutex, meters;
  const auto caller = std::this_thread::get_id();
  StopCheck stop;
  std::atomic<bool> stopped = false;
  if (data.size() > 0) found.dim = detail::count_weights(data);
  parallel_for((data.size() + kTogether - 1) / kTogether, threads, [&](Index task) {
    std::unique_ptr<MarginMeter> meter;
    {
      const std::lock_guard lock(meters);
      if (!idle.empty()) meter = std::move(idle.back()), idle.pop_back();
    }
    if (!meter) meter = std::make_unique<MarginMeter>(data, found, mutex);
    const Index end = std::min(data.size(), (task + 1) * kTogether);
    for (Index i = task * kTogether; i < end && !stopped; ++i) {
      if (std::this_thread::get_id() == caller && stop()) stopped = true;
      meter->measure(i, w);
    }
    const std::lock_guard lock(meters);
    idle.push_back(std::move(meter));
  });
  return !stopped;
}

}  // namespace linnet
