// A growing array of plain values for the large buffers of counting. It grows by `realloc`, which
// moves pages instead of copying them, so the peak of memory is the array and not twice the array.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace linnet {

template <class T>
class PageArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  PageArray() = default;
  explicit PageArray(std::size_t size) { resize(size); }
  // Zeroed by the system, page by page as they are touched; for tables that are read all over.
  static PageArray zeros(std::size_t size) {
    PageArray array;
    array.data_.reset(static_cast<T*>(std::calloc(std::max<std::size_t>(size, 1), sizeof(T))));
    if (!array.data_) throw std::bad_alloc();
    array.size_ = array.capacity_ = size;
    array.ask_for_large_pages();
    return array;
  }
  PageArray(PageArray&& other) noexcept
      : data_(std::move(other.data_)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  PageArray& operator=(PageArray&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }
  std::span<T> span() { return {data(), size_}; }
  std::span<const T> span() const { return {data(), size_}; }

  void push_back(const T& value) {
    if (size_ == capacity_) reserve(size_ + 1);
    data_.get()[size_++] = value;
  }
  void append(std::span<const T> values) {
    if (values.empty()) return;
    const std::size_t at = size_;
    resize(size_ + values.size());
    std::memcpy(data() + at, values.data(), values.size_bytes());
  }
  // Values beyond the old size are whatever memory holds.
  void resize(std::size_t size) {
    reserve(size);
    size_ = size;
  }
  void resize(std::size_t size, const T& value) {
    const std::size_t old = size_;
    resize(size);
    if (size > old) std::fill(data() + old, data() + size, value);
  }
  // Room for `size` values; at least half as much again as there was.
  void reserve(std::size_t size) {
    if (size > capacity_) allocate(std::max(size, capacity_ + capacity_ / 2));
  }
  // Keeps the first `size` values and gives the rest of the memory back.
  void shrink(std::size_t size) {
    size_ = size;
    allocate(std::max<std::size_t>(size, 1));
  }

 private:
  void ask_for_large_pages() {
#if defined(__linux__)
    constexpr std::uintptr_t kPage = 4096, kLarge = 4 << 20;
    const std::size_t bytes = size_ * sizeof(T);
    if (bytes < kLarge) return;
    const auto begin = (reinterpret_cast<std::uintptr_t>(data()) + kPage - 1) / kPage * kPage;
    madvise(reinterpret_cast<void*>(begin), bytes - kPage, MADV_HUGEPAGE);  // or not
#endif
  }
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  void allocate(std::size_t capacity) {
    void* moved = std::realloc(static_cast<void*>(data_.get()), capacity * sizeof(T));
    if (!moved) throw std::bad_alloc();
    static_cast<void>(data_.release());  // realloc has freed it
    data_.reset(static_cast<T*>(moved));
    capacity_ = capacity;
  }
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace linnet
