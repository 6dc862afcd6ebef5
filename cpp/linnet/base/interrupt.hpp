// Long loops ask now and then whether the user wants to stop (Ctrl-C). The core knows nothing of
// Python: the bindings install the hook, which may throw.
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace linnet {

using StopHook = bool (*)();
inline std::atomic<StopHook> stop_hook{nullptr};
// For tests: the hook is asked whenever it could be, not only every 50 ms.
inline std::atomic<bool> stop_asked_always{false};

// Thrown by work that cannot go on without its result when the user wants to stop.
struct Interrupted {};

namespace detail {
using StopClock = std::chrono::steady_clock;
// Whether to stop; asks every 50 ms.
inline bool asked_to_stop(StopClock::time_point& last) {
  const auto now = StopClock::now();
  if (now - last < std::chrono::milliseconds(50) && !stop_asked_always) return false;
  last = now;
  const StopHook hook = stop_hook.load();
  return hook && hook();
}
}  // namespace detail

// Cheap to call for every instance: looks at the clock every 64 calls.
class StopCheck {
 public:
  bool operator()() {
    if (stopped_) return true;
    if (++calls_ % 64 != 0) return false;
    return stopped_ = detail::asked_to_stop(last_);
  }

 private:
  unsigned calls_ = 0;
  bool stopped_ = false;
  detail::StopClock::time_point last_ = detail::StopClock::now();
};

namespace detail {
// Signals reach the thread that started the work; those that help it are told by a flag.
struct StopState {
  const std::atomic<bool>* cancelled = nullptr;
  std::int64_t steps = 0;  // since the clock was looked at
  StopClock::time_point last{};
};
inline constinit thread_local StopState stop_state{};

[[gnu::noinline]] inline void took_steps(std::int64_t steps) {
  StopState& state = stop_state;
  if (state.cancelled) {
    if (state.cancelled->load(std::memory_order_relaxed)) throw Interrupted();
    return;
  }
  constexpr std::int64_t kMillisecond = 1 << 20;
  if ((state.steps += steps) < kMillisecond && !stop_asked_always) return;
  state.steps = 0;
  if (asked_to_stop(state.last)) throw Interrupted();
}
}  // namespace detail

// While waiting for other threads: throws Interrupted.
template <class Lock>
void look_out(Lock& lock) {
  lock.unlock();
  detail::took_steps(1 << 20);
  lock.lock();
}

// Within one instance, which may be a sentence of any length: is told how many steps, of about a
// nanosecond, were taken, and throws Interrupted. Costs an addition; weights must not be half-way
// through a change where it is called.
class Steps {
 public:
  void operator()(std::int64_t more) {
    if ((taken_ += more) < kMany) [[likely]]
      return;
    detail::took_steps(taken_);
    taken_ = 0;
  }

 private:
  static constexpr std::int64_t kMany = 1 << 15;
  std::int64_t taken_ = 0;
};

// Makes a vector that large, which takes seconds where it takes gigabytes; what it held is gone.
template <class Vector>
void resize_in_steps(Vector& values, std::size_t size) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 22;
  if (size > values.capacity()) {
    Vector().swap(values);
    values.reserve(size);
  }
  for (Steps steps; values.size() + kAtOnce < size; steps(kAtOnce))
    values.resize(values.size() + kAtOnce);
  values.resize(size);
}

}  // namespace linnet
