// Rows in a mapped file that may be larger than memory. They are read where they lie; what has been
// read is given back to the system, so that a reader never has more than a window of the file.
//
// Pages that are read again come from the file, or from the system's cache of it, which takes the
// memory that nobody else wants. Nothing is ever written, so nothing can be lost.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "linnet/features/rows.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace linnet {

class PagedRows final : public RowSource {
 public:
  // Arrays as of CSR, each at the beginning of a page of the file; the caller keeps them mapped.
  PagedRows(Index rows, Index features, const std::int64_t* start, const Id* index,
            const float* value, Index entries, Index window)
      : rows_(rows),
        features_(features),
        entries_(entries),
        window_(window),
        start_(start),
        index_(index),
        value_(value) {
    for (const void* array : {static_cast<const void*>(start), static_cast<const void*>(index),
                              static_cast<const void*>(value)})
      if (reinterpret_cast<std::uintptr_t>(array) % kPage != 0)
        throw std::invalid_argument("rows that are given back in pages must begin at one");
    if (window < kPiece * 8)
      throw std::invalid_argument("the window is too small for rows that are given back in pages");
  }

  Index size() const override { return rows_; }
  Index features() const override { return features_; }
  // So many that all of them stay in half a window.
  Index together() const override {
    const auto bytes = static_cast<double>(entries_) * 8 + static_cast<double>(rows_) * 8;
    const double share = static_cast<double>(window_) / 2 / std::max(bytes, 1.);
    return std::max<Index>(1, static_cast<Index>(share * static_cast<double>(rows_)));
  }

  Row read(Index i, RowBuffer& buffer) const override {
    Touched& touched = cache_of<Touched>(this, buffer);
    if (touched.bits.empty()) touched.clear(*this);
    touched.add(i * 8, 8, 0, *this);
    const Index begin = start_[i], size = start_[i + 1] - begin;
    if (size > 0) touched.add(begin * 4, size * 4, rows_ * 8 / kPiece + 1, *this);
    return {index_ + begin, value_ + begin, static_cast<Id>(size)};
  }

  void release() const override {
    give_back(start_, (rows_ + 1) * 8);
    give_back(index_, entries_ * 4);
    give_back(value_, entries_ * 4);
  }

 private:
  static constexpr std::uintptr_t kPage = 4096;
  static constexpr Index kPiece = 1 << 16;  // the system maps so many bytes at a time

  // Which pieces of the file a reader has touched since it last gave all back.
  struct Touched : RowCache {
    std::uint64_t owner = 0;
    std::vector<bool> bits;
    Index bytes = 0;

    void clear(const PagedRows& rows) {
      bits.assign(
          static_cast<std::size_t>(rows.rows_ * 8 / kPiece + rows.entries_ * 4 / kPiece + 2),
          false);
      bytes = 0;
    }
    // Bytes [begin, begin + size) of an array whose pieces are counted from `first` on.
    void add(Index begin, Index size, Index first, const PagedRows& rows) {
      const Index last = (begin + size - 1) / kPiece;
      for (Index piece = begin / kPiece; piece <= last; ++piece) {
        const auto at = static_cast<std::size_t>(first + piece);
        if (bits[at]) continue;
        if (bytes >= rows.window_) {
          rows.release();
          clear(rows);
        }
        bits[at] = true;
        bytes += first == 0 ? kPiece : 2 * kPiece;  // indices, and as many values
      }
    }
  };

  // By pages of the system, which has 4 kB, 16 (Apple) or 64: what is beside is read again, too.
  static void give_back([[maybe_unused]] const void* begin, [[maybe_unused]] Index bytes) {
#if defined(__unix__) || defined(__APPLE__)
    if (bytes <= 0) return;
    static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const std::uintptr_t before = reinterpret_cast<std::uintptr_t>(begin) % page;
    madvise(static_cast<char*>(const_cast<void*>(begin)) - before,
            static_cast<std::size_t>(bytes) + before, MADV_DONTNEED);
#endif
  }

  Index rows_, features_, entries_, window_;
  const std::int64_t* start_;
  const Id* index_;
  const float* value_;
};

}  // namespace linnet
