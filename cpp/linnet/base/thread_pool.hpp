// A small persistent pool. `parallel_for(tasks, threads, f)` runs f(0) … f(tasks - 1), each once,
// on at most `threads` threads, the caller among them; tasks are claimed one by one, in order.
// Results must not depend on who runs a task: keep one result per task and sum them in order
// afterwards.
//
// - threads = 1 runs everything in the caller and creates no thread.
// - A call from inside a task, or while another thread is using the pool, runs serially.
// - When tasks throw, the exception of the first of them (by number) is rethrown in the caller, as
//   in a serial loop; tasks not yet claimed are dropped.
// - A caller that waits for others looks out for Ctrl-C. When it has to stop, at work or waiting,
//   their tasks are told by `Steps`, and Interrupted is thrown in the caller.
// - A forked child has none of its parent's threads: it starts with a fresh pool.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "linnet/base/interrupt.hpp"
#include "linnet/base/types.hpp"
#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#define LINNET_HAS_FORK 1
#endif

namespace linnet {

class ThreadPool {
 public:
  // Never destroyed: idle workers end with the process, and nothing is joined while a library
  // is being unloaded.
  static ThreadPool& instance() {
    ThreadPool* pool = current_.load(std::memory_order_acquire);
    if (pool) return *pool;
    auto fresh = std::make_unique<ThreadPool>();
    if (current_.compare_exchange_strong(pool, fresh.get())) pool = fresh.release();
    return *pool;
  }

  template <class F>
  void run(Index tasks, int threads, F& f) {
    const int helpers = static_cast<int>(std::min<Index>({threads, tasks, kMost})) - 1;
    if (helpers < 1 || busy_.exchange(true)) {
      for (Index t = 0; t < tasks; ++t) f(t);
      return;
    }
    Job job{[](void* context, Index t) { (*static_cast<F*>(context))(t); },
            const_cast<void*>(static_cast<const void*>(std::addressof(f))), tasks};
    grow(helpers);
    {
      std::lock_guard lock(mutex_);
      job_ = &job;
      seats_ = helpers;
    }
    wake_.notify_all();
    job.work();
    wait_for(job);
    busy_ = false;
    if (job.error) std::rethrow_exception(job.error);
  }

  int workers() const { return workers_; }

 private:
  static constexpr Index kMost = 256;  // threads, whatever is asked for

  struct Job {
    void (*call)(void*, Index);
    void* context;
    Index tasks;
    std::atomic<Index> next{0};
    std::mutex error_mutex{};
    std::exception_ptr error{};
    Index error_task = 0;
    std::atomic<bool> cancelled{false};  // the user wants to stop

    void work() {
      for (Index t; (t = next.fetch_add(1)) < tasks;) {
        try {
          call(context, t);
        } catch (const Interrupted&) {
          cancelled = true;
          fail(t);
        } catch (...) {
          fail(t);
        }
      }
    }
    // Keeps the exception at hand, unless that of an earlier task is known.
    void fail(Index task) {
      next = tasks;
      std::lock_guard lock(error_mutex);
      if (!error || task < error_task) error = std::current_exception(), error_task = task;
    }
  };

  // For all who have joined; who has not need not.
  void wait_for(Job& job) {
    auto last = detail::StopClock::now();
    std::unique_lock lock(mutex_);
    seats_ = 0;
    while (!done_.wait_for(lock, std::chrono::milliseconds(50), [&] { return active_ == 0; })) {
      if (job.cancelled || detail::stop_state.cancelled) continue;
      lock.unlock();
      try {
        if (detail::asked_to_stop(last)) throw Interrupted();
      } catch (...) {  // no task of ours threw it: it counts most
        job.cancelled = true;
        job.fail(-1);
      }
      lock.lock();
    }
    job_ = nullptr;
  }

  // A machine that refuses more threads is served by those there are.
  void grow(int workers) {
    try {
      for (; workers_ < workers; ++workers_) std::thread([this] { serve(); }).detach();
    } catch (const std::exception&) {
    }
  }

  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return seats_ > 0; });
      --seats_;
      ++active_;
      Job* job = job_;
      lock.unlock();
      detail::stop_state.cancelled = &job->cancelled;
      job->work();
      detail::stop_state.cancelled = nullptr;
      lock.lock();
      if (--active_ == 0) done_.notify_one();
    }
  }

  std::atomic<bool> busy_{false};
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  Job* job_ = nullptr;
  int seats_ = 0;    // helpers the present job still has room for
  int active_ = 0;   // helpers at work on it
  int workers_ = 0;  // threads there are; changed by the owner of busy_ only

  inline static std::atomic<ThreadPool*> current_{nullptr};
#ifdef LINNET_HAS_FORK
  // The parent's pool is left where it is: its locks may be held by threads the child has not got.
  inline static const int fork_handler_ =
      pthread_atfork(nullptr, nullptr, [] { current_.store(nullptr); });
#endif
};

template <class F>
void parallel_for(Index tasks, int threads, F&& f) {
  ThreadPool::instance().run(tasks, threads, f);
}

}  // namespace linnet
