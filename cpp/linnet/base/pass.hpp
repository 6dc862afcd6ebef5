// A pass over instances, one after the other, that may be paused between any two of them. It comes
// back with `paused`, and goes on when it is asked for again: in this object, or in one that was
// given its state, and with the same bits as if it had never stopped. That is how a checkpoint is
// made in the midst of a pass that takes an hour.
#pragma once
#include <cmath>
#include <limits>

#include "linnet/base/archive.hpp"
#include "linnet/base/interrupt.hpp"
#include "linnet/base/rng.hpp"
#include "linnet/base/types.hpp"

namespace linnet {

class Pass {
 public:
  // The next call of over() comes back after so many seconds, or so many visits, if it is not at
  // its end by then. One visit is made in any case.
  void pause_after(double seconds, Index visits) {
    if (std::isnan(seconds) || visits < 1)
      throw std::invalid_argument("a pause comes after some time or after 1, 2, … instances");
    pause_ = {};
    pause_.visits = visits;
    if ((pause_.timed = seconds < kLong))
      pause_.when = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                       std::chrono::duration<double>(std::max(seconds, 0.0)));
  }
  // Was the last pass paused?
  bool goes_on() const { return at_ > 0; }
  // The next one begins anew, whatever became of the last.
  void forget() { at_ = 0; }

  // The order of the instances as arrange(order, random numbers) makes it. It follows from these
  // numbers, which are what is kept of it.
  template <class Arrange>
  std::span<const Index> order(Rng& rng, Arrange&& arrange) {
    if (!goes_on()) {
      before_ = rng;
      arrange(order_, rng);
    } else if (order_.empty()) {  // in another object than it was begun in
      Rng again = before_;
      arrange(order_, again);
    }
    return order_;
  }

  // visit(t, stats) for t = first, …, size − 1, or until the stats say that all is done. They are
  // `start` in the beginning, and those of the whole pass in the end. The clock is looked at after
  // `each` visits.
  template <class Visit>
  EpochStats over(std::size_t size, Visit&& visit, EpochStats start = {}, std::size_t first = 0,
                  unsigned each = 64) {
    std::size_t t = goes_on() ? at_ : first;
    EpochStats stats = goes_on() ? stats_ : start;
    Archive::require(t <= size, "a pass is longer than the data");
    at_ = 0;
    const Pause pause = std::exchange(pause_, Pause{});
    for (Index visits = 1; t < size && !stats.converged; ++visits) {
      visit(t++, stats);
      if (stats.converged) break;
      if (stats.interrupted || stop_()) {
        stop_ = {};
        stats.interrupted = true;
        break;
      }
      if (t == size || !(visits >= pause.visits || (pause.timed && is_time(pause, each)))) continue;
      at_ = t;
      stats_ = stats;
      stats.paused = true;
      break;
    }
    return stats;
  }
  StopCheck& stop() { return stop_; }

  void state(Archive& a) {
    a(at_);
    if (goes_on()) a(stats_, before_);
    if (a.reading()) order_.clear();
  }

 private:
  using Clock = detail::StopClock;
  static constexpr double kLong = 1e9;  // seconds: forever
  struct Pause {
    bool timed = false;
    Clock::time_point when{};
    Index visits = std::numeric_limits<Index>::max();
  };

  bool is_time(const Pause& pause, unsigned each) {
    return ++looks_ % each == 0 && Clock::now() >= pause.when;
  }

  Pause pause_;
  StopCheck stop_;
  unsigned looks_ = 0;
  std::size_t at_ = 0;  // instances visited, if it was paused
  EpochStats stats_;    // of these
  Rng before_{0};       // the order
  std::vector<Index> order_;
};

}  // namespace linnet
