// Has the processor the instructions of x86-64-v3, and does the operating system keep its
// registers? Asked without the compiler's runtime: not every toolchain has its part for that.
#pragma once

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <cpuid.h>

namespace linnet {

inline bool has_x86_64_v3() {
  const auto all = [](unsigned set, auto... bits) { return ((set >> bits & 1) & ...) != 0; };
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return false;
  // SSE3, SSSE3, FMA, CX16, SSE4.1, SSE4.2, MOVBE, POPCNT, OSXSAVE, AVX, F16C
  if (!all(c, 0, 9, 12, 13, 19, 20, 22, 23, 27, 28, 29)) return false;
  unsigned low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  if (!all(low, 1, 2)) return false;  // registers of SSE and AVX
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  if (!all(b, 3, 5, 8)) return false;                                   // BMI1, AVX2, BMI2
  return __get_cpuid(0x80000001, &a, &b, &c, &d) != 0 && all(c, 0, 5);  // LAHF, LZCNT
}

}  // namespace linnet
#endif
