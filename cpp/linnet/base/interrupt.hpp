// Long loops ask now and then whether the user wants to stop (Ctrl-C). The core knows nothing of
// Python: the bindings install the hook, which may throw.
#pragma once
#include <atomic>
#include <chrono>

namespace linnet {

using StopHook = bool (*)();
inline std::atomic<StopHook> stop_hook{nullptr};

// Cheap to call for every instance: looks at the clock every 64 calls, asks the hook every 50 ms.
class StopCheck {
 public:
  bool operator()() {
    if (stopped_) return true;
    if (++calls_ % 64 != 0) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(50)) return false;
    last_ = now;
    if (StopHook hook = stop_hook.load()) stopped_ = hook();
    return stopped_;
  }

 private:
  unsigned calls_ = 0;
  bool stopped_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace linnet
