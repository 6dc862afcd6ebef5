// Expected counts Σ_i c_i X_iᵀ μ_i, where μ_i are the marginals of the parts among the outputs that
// agree with the labels: the E step of EM. An instance with all its labels has its gold counts, so
// counting, Baum–Welch and what lies between them are one mechanism.
//
// With weights that are log-probabilities, Σ_i c_i log Z_i over the same outputs is the
// log-likelihood of what was observed.
#pragma once
#include <atomic>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/thread_pool.hpp"
#include "linnet/data/dataset.hpp"
#include "linnet/optimisers/vectors.hpp"

namespace linnet {

// A hidden Markov model emits one event per token: a row of one feature whose value is 1.
inline void check_events(const Rows& rows) {
  RowBuffer buffer;
  for (Index i = 0; i < rows.size(); ++i) {
    const Row row = rows.row(i, buffer);
    Id events = 0;
    bool whole = true;
    for (Id k = 0; k < row.size; ++k) {
      events += row.value[k] != 0;
      whole &= row.value[k] == 0 || row.value[k] == 1;
    }
    if (events != 1 || !whole)
      throw std::invalid_argument(
          "token " + std::to_string(i) + " has " + std::to_string(events) + " features" +
          (whole ? "" : ", not all of value 1") +
          "; a hidden Markov model emits one event per token, so features may not overlap: use "
          "WordEvents, or a discriminative learner");
  }
}

// Adds log Z of the outputs that agree with the labels, and their expected parts to mu.
inline double expect(const Instance& x, InstanceBuffer& b, std::span<double> mu) {
  if (x.consistent.empty()) {
    std::fill(mu.begin(), mu.end(), 0.0);
    double value = 0;
    for (const auto& [p, count] : x.gold) {
      mu[p] += count;
      value += count * b.theta[p];
    }
    return value;
  }
  clamp(x.consistent, b.theta);
  return x.oracle->solve(Ring::log, b.theta, mu, b.work);
}

struct Expectation {
  double log_likelihood = 0;
  bool interrupted = false;
};

// counts: one number per weight, in the layout of the weights. Instances of weight 0 are left out,
// however unlikely. The same bits at any number of threads: shards are summed in order.
inline Expectation expected_counts(const Dataset& data, std::span<const double> w,
                                   std::span<double> counts, int threads) {
  if (threads < 1) throw std::invalid_argument("threads must be at least 1");
  if (static_cast<Index>(w.size()) != data.dim())
    throw std::invalid_argument("the weights do not fit the data");
  struct Shard {
    Vector partial;  // the first one uses `counts`
    double value = 0;
  };
  const Index n = data.size(), fitting = (Index{1} << 25) / std::max<Index>(data.dim(), 1);
  const Index num_shards = std::clamp<Index>(n, 1, std::clamp<Index>(fitting, 1, 8));
  std::vector<Shard> shards(static_cast<std::size_t>(num_shards));
  std::atomic<bool> stopped{false};
  parallel_for(num_shards, threads, [&](Index s) {
    Shard& shard = shards[s];
    if (s > 0) shard.partial.assign(counts.size(), 0.0);
    std::span<double> sum = s == 0 ? counts : std::span<double>(shard.partial);
    std::fill(sum.begin(), sum.end(), 0.0);
    InstanceBuffer b;
    StopCheck stop;
    const Index end = n * (s + 1) / num_shards;
    for (Index i = n * s / num_shards; i < end && !stopped; ++i) {
      const Instance x = data.read(i, b);
      if (x.weight == 0) continue;
      score_instance(x, w.data(), b);
      const double value = expect(x, b, b.delta);
      if (value == -kInf && !x.consistent.empty())
        throw std::invalid_argument(
            "every output of sentence " + std::to_string(i) +
            " has probability 0, so there is nothing to expect; smoothing > 0 keeps all possible");
      scatter(x.sites, b.delta, x.weight, sum.data(), b.site);
      shard.value += x.weight * value;
      if (stop()) stopped = true;
    }
  });
  Expectation result{0, stopped};
  for (std::size_t s = 0; s < shards.size(); ++s) {
    if (s > 0) add_scaled(1, std::span<const double>(shards[s].partial), counts);
    result.log_likelihood += shards[s].value;
  }
  return result;
}

}  // namespace linnet
