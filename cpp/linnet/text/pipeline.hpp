// Shards made in parallel and taken over in order: what a shard becomes may depend on all shards
// before it (new features get the next number), and still the bits are the same for any number of
// threads. Whoever has finished a shard takes over all that are ready, unless another is at it.
#pragma once
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/thread_pool.hpp"
#include "linnet/text/texts.hpp"

namespace linnet {

// To be called for every text: signals reach the thread that started the work and no other.
class StopPoll {
 public:
  void operator()() {
    if (std::this_thread::get_id() == caller_ && stop_()) throw Interrupted();
  }

 private:
  std::thread::id caller_ = std::this_thread::get_id();
  StopCheck stop_;
};

// make(shard, buffer) on any thread, take(buffer) on one at a time, in order of shards.
template <class Shard, class Make, class Take>
void make_and_take(Index shards, int threads, Make&& make, Take&& take) {
  const Index room = threads <= 1 ? 1 : 4 * std::min<Index>(threads, shards);
  std::vector<Shard> ring(static_cast<std::size_t>(room));
  std::vector<char> ready(ring.size());
  Index next = 0;  // the first that is not yet taken
  bool taking = false, failed = false;
  std::mutex mutex;
  std::condition_variable moved;
  parallel_for(shards, threads, [&](Index s) {
    std::unique_lock lock(mutex);
    try {
      // No deadlock: shards are claimed in order, so the thread that makes `next` never waits.
      while (!moved.wait_for(lock, std::chrono::milliseconds(50),
                             [&] { return s < next + room || failed; }))
        look_out(lock);
      if (failed) return;
      lock.unlock();
      make(s, ring[static_cast<std::size_t>(s % room)]);
      lock.lock();
      ready[static_cast<std::size_t>(s % room)] = 1;
      if (taking) return;
      taking = true;
      for (; next < shards && ready[static_cast<std::size_t>(next % room)]; ++next) {
        const auto at = static_cast<std::size_t>(next % room);
        lock.unlock();
        take(ring[at]);
        lock.lock();
        ready[at] = 0;
        moved.notify_all();
      }
      taking = false;
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      failed = true;
      moved.notify_all();
      throw;
    }
  });
}

// Texts cut into shards of some 32 kB, what is made of which stays in the second-level cache: shard
// s holds texts [starts[s], starts[s + 1]).
inline std::vector<Index> shard_starts(const Texts& texts) {
  constexpr std::size_t kBytes = 1 << 15;
  std::vector<Index> starts{0};
  std::size_t bytes = 0;
  for (Index i = 0; i < texts.size(); ++i) {
    bytes += texts[i].size() + 64;
    if (bytes < kBytes) continue;
    starts.push_back(i + 1);
    bytes = 0;
  }
  if (starts.back() != texts.size()) starts.push_back(texts.size());
  return starts;
}

}  // namespace linnet
