// What Clang's choice between the clones of a function (base/simd.hpp) is made by. It looks for
// these two names in the compiler's runtime, which not every Clang comes with (`zig c++` has none);
// being weak they clash with no other. GCC brings its own.
#include "linnet/base/cpu.hpp"
#include "linnet/base/simd.hpp"

#if defined(__clang__) && defined(LINNET_HAS_CLONES)
#define LINNET_RUNTIME extern "C" __attribute__((weak, visibility("hidden")))

LINNET_RUNTIME unsigned __cpu_features2[4] = {};

LINNET_RUNTIME int __cpu_indicator_init() {
  constexpr unsigned kV3 = 97 - 32;  // the first 32 features lie elsewhere
  if (linnet::has_x86_64_v3()) __cpu_features2[kV3 / 32] |= 1u << kV3 % 32;
  return 0;
}
#endif
