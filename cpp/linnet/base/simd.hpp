// LINNET_CLONES compiles a function for x86-64-v3 and for the baseline and picks one at load time.
// Elsewhere (ARM, macOS, Windows) it expands to nothing and the baseline is used.
// Contraction to FMA is switched off for the whole build, so both clones give the same bits.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && defined(__ELF__) && !defined(LINNET_NO_CLONES)
#define LINNET_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#define LINNET_HAS_CLONES 1
#else
#define LINNET_CLONES
#endif

#if defined(__GNUC__) || defined(__clang__)
#define LINNET_PREFETCH(address) __builtin_prefetch(address)
// To the second-level cache: a whole row asked for at once would choke the first.
#define LINNET_PREFETCH_ROW(address) __builtin_prefetch(address, 0, 2)
#define LINNET_INLINE inline __attribute__((always_inline))
#define LINNET_RESTRICT __restrict__
#pragma GCC diagnostic ignored "-Wpsabi"  // lanes are never passed in a call, only inlined
#else
#define LINNET_PREFETCH(address) ((void)0)
#define LINNET_PREFETCH_ROW(address) ((void)0)
#define LINNET_INLINE inline
#define LINNET_RESTRICT __restrict
#endif
