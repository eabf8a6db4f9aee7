#ifndef SIMT_PRELUDE_H
#define SIMT_PRELUDE_H

/* Included before the first line of a kernel.cu when g++ compiles it for the
 * CPU executor: CUDA's own headers, and what nvcc has built in. */

#define SIMT 1

#include <cuda_runtime.h>

#undef __launch_bounds__
#define __launch_bounds__(...)

/* Each fibre has a copy of the arguments. */
#undef __grid_constant__
#define __grid_constant__

/* One copy of a __shared__ variable for each OS thread: an OS thread runs one
 * block at a time. __constinit: the compiler adds no guard or wrapper. used: it
 * takes one that nobody writes, or reads, for no constant. */
#undef __shared__
#define __shared__ __attribute__((used)) __constinit static thread_local

/* nvcc inlines device functions. Here it also matters for exactness: gcc does
 * not instrument the store in `memory = function()` when that is a call that
 * returns a struct. Where lines are counted (tests/lines), they stay apart. */
#undef __device__
#ifdef SIMT_NO_INLINING
#define __device__
#else
#define __device__ __attribute__((always_inline))
#endif

#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cmath>
#include <cstring>
#include <tuple>
#include <type_traits>

/* The loads and stores of those that the compiler does not inline are seen. */
extern "C" {
void *memcpy(void *, const void *, size_t) noexcept __asm__("simt_memcpy");
void *memmove(void *, const void *, size_t) noexcept __asm__("simt_memmove");
void *memset(void *, int, size_t) noexcept __asm__("simt_memset");
}

#include "simt_abi.h"
#include "simt_builtins.h"
#include "simt_launch.h"

#define threadIdx (simt_thread_index())
#define blockIdx (simt_block_index())
#define blockDim (simt_block_size())
#define gridDim (simt_grid_size())

#endif
