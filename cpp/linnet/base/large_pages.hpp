// Vectors that are read and written at random, or filled once: large pages spare them page faults
// (which for a first touch cost several times the writing) and misses of the address cache.
// Elements are not initialised unless a value is given.
#pragma once
#include <cstddef>
#include <new>
#include <utility>
#include <vector>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace linnet {

template <class T>
struct LargePages {
  using value_type = T;
  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}
  T* allocate(std::size_t n) {
    const std::size_t bytes = n * sizeof(T);
    if (!large(n)) return static_cast<T*>(::operator new(bytes, kLine));
    const auto page = static_cast<std::size_t>(kPage);
    const std::size_t whole = (bytes + page - 1) / page * page;
    void* p = ::operator new(whole, kPage);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    madvise(p, whole, MADV_HUGEPAGE);  // only advice: without it all is merely slower
#endif
    return static_cast<T*>(p);
  }
  void deallocate(T* p, std::size_t n) { ::operator delete(p, large(n) ? kPage : kLine); }
  template <class U>
  void construct(U* p) {
    ::new (static_cast<void*>(p)) U;
  }
  template <class U, class... Args>
  void construct(U* p, Args&&... args) {
    ::new (static_cast<void*>(p)) U{std::forward<Args>(args)...};
  }
  template <class U>
  bool operator==(const LargePages<U>&) const {
    return true;
  }

 private:
  static constexpr std::align_val_t kLine{64}, kPage{std::size_t{1} << 21};
  static bool large(std::size_t n) { return n * sizeof(T) > static_cast<std::size_t>(kPage) / 4; }
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace linnet
