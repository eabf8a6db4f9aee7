#pragma once

/* Included first, by the compiler's -include, into a CUDA program that has its
 * own main: the checks begin before main, and what they have found is printed
 * when it ends. Findings make exit code 0 a 1. */

extern "C" int simt_program_begin(void);
[[maybe_unused]] static const int simt_program_begun = simt_program_begin();

/* A declaration and its definition would be in two sections. */
#undef __constant__
#define __constant__

/* Of two files each may have one of this name; rewrite.py drops the program's
 * own `static`. */
#undef __shared__
#define __shared__ __attribute__((used)) __constinit static thread_local

#define SIMT_INLINE_MEMBER inline __attribute__((always_inline))

#include "common/simt/host/ptx.h"

/* Their scopes are not told apart; a lab's kernel has none. */
#define atomicAdd_block atomicAdd
#define atomicAdd_system atomicAdd
#define atomicMax_block atomicMax
#define atomicMin_block atomicMin
#define atomicCAS_block atomicCAS
#define atomicExch_block atomicExch

SIMT_INLINE unsigned __activemask() { return simt_active_lanes(); }
SIMT_MATH_OF_16_BITS(__nv_bfloat16, __nv_bfloat162, __bfloat162float,
                     __float2bfloat16, __double2bfloat16)

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

/* What tools/program/rewrite.py makes of <<<...>>>: of_kernel(name, k)(
 * grid, block, shared, stream)(arguments...). All is inlined, so that the
 * launch's own line is the caller's. */
namespace simt {

template <class... P> struct Kernel {
  const char *name;
  void (*k)(P...);
  SIMT_INLINE_MEMBER auto operator()(dim3 grid, dim3 block, size_t shared = 0,
                                     cudaStream_t stream = 0) const {
    return [=, *this](P... arguments) __attribute__((always_inline)) {
      launch(name, k, grid, block, shared, stream, arguments...);
    };
  }
};
template <class... P>
SIMT_INLINE Kernel<P...> of_kernel(const char *name, void (*k)(P...)) {
  return {name, k};
}

/* Where only a call says which kernel is meant. */
template <class F> struct KernelCall {
  struct callee { /* no pointer of the reader's to host memory */
    const F *f;
  };
  const char *name;
  F f;
  template <class... A> static void run(callee its, A... own) {
    (*its.f)(own...);
  }
  SIMT_INLINE_MEMBER auto operator()(dim3 grid, dim3 block, size_t shared = 0,
                                     cudaStream_t stream = 0) const {
    return [=, *this](auto... arguments) __attribute__((always_inline)) {
      launch(name, run<decltype(arguments)...>, grid, block, shared, stream,
             callee{&f}, arguments...);
    };
  }
};
template <class F> SIMT_INLINE KernelCall<F> of_call(const char *name, F f) {
  return {name, f};
}

} // namespace simt

/* ---- functions of the runtime that nvcc has as templates ---- */

/* A variable of the program is where its host would have it. */
template <class T>
SIMT_INLINE cudaError_t cudaMemcpyToSymbol(
    const T &symbol, const void *source, size_t size, size_t offset = 0,
    cudaMemcpyKind = cudaMemcpyHostToDevice) {
  return cudaMemcpy((char *)&symbol + offset, source, size, cudaMemcpyDefault);
}
template <class T>
SIMT_INLINE cudaError_t cudaMemcpyToSymbolAsync(
    const T &symbol, const void *source, size_t size, size_t offset = 0,
    cudaMemcpyKind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) {
  return cudaMemcpyAsync((char *)&symbol + offset, source, size,
                         cudaMemcpyDefault, stream);
}
template <class T>
SIMT_INLINE cudaError_t cudaMemcpyFromSymbol(
    void *to, const T &symbol, size_t size, size_t offset = 0,
    cudaMemcpyKind = cudaMemcpyDeviceToHost) {
  return cudaMemcpy(to, (char *)&symbol + offset, size, cudaMemcpyDefault);
}
template <class T>
SIMT_INLINE cudaError_t cudaMemcpyFromSymbolAsync(
    void *to, const T &symbol, size_t size, size_t offset = 0,
    cudaMemcpyKind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) {
  return cudaMemcpyAsync(to, (char *)&symbol + offset, size, cudaMemcpyDefault,
                         stream);
}
template <class T>
SIMT_INLINE cudaError_t cudaGetSymbolAddress(void **at, const T &symbol) {
  *at = (void *)&symbol;
  return cudaSuccess;
}
template <class T>
SIMT_INLINE cudaError_t cudaGetSymbolSize(size_t *size, const T &) {
  *size = sizeof(T);
  return cudaSuccess;
}
template <class... P>
SIMT_INLINE cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *found,
                                              void (*kernel)(P...)) {
  return ::cudaFuncGetAttributes(found, (const void *)kernel);
}
template <class... P>
SIMT_INLINE cudaError_t cudaFuncSetCacheConfig(void (*)(P...), cudaFuncCache) {
  return cudaSuccess;
}
/* The arguments come as pointers to them. A cooperative launch has an OS thread
 * for each block. */
namespace simt {
template <class... P, size_t... I, class L>
SIMT_INLINE cudaError_t launch_pointers(const L &launch, void **all,
                                        void (*)(P...),
                                        std::index_sequence<I...>) {
  launch(*static_cast<std::decay_t<P> *>(all[I])...);
  return cudaPeekAtLastError();
}
} // namespace simt
template <class... P>
SIMT_INLINE cudaError_t cudaLaunchKernel(void (*k)(P...), dim3 grid, dim3 block,
                                         void **all, size_t shared = 0,
                                         cudaStream_t stream = 0) {
  return ::simt::launch_pointers(
      ::simt::of_kernel("a kernel", k)(grid, block, shared, stream), all, k,
      std::index_sequence_for<P...>());
}
template <class... P>
SIMT_INLINE cudaError_t cudaLaunchCooperativeKernel(
    void (*k)(P...), dim3 grid, dim3 block, void **all, size_t shared = 0,
    cudaStream_t stream = 0) {
  if (!simt_cooperate(grid.x * grid.y * grid.z))
    return cudaErrorCooperativeLaunchTooLarge;
  const cudaError_t error = cudaLaunchKernel(k, grid, block, all, shared,
                                             stream);
  simt_cooperate(0);
  return error;
}

/* ---- memcpy_async of groups, of cuda::barrier and of cuda::pipeline ---- */

namespace cuda {
namespace std {
using ::std::move;
using ::std::ptrdiff_t;
using ::std::size_t;
} // namespace std
template <size_t Alignment> struct aligned_size_t {
  static constexpr size_t align = Alignment;
  size_t value;
  explicit constexpr aligned_size_t(size_t size) : value(size) {}
  constexpr operator size_t() const { return value; }
};
} // namespace cuda

namespace simt {

struct one_thread {
  static constexpr unsigned thread_rank() { return 0; }
  static constexpr unsigned size() { return 1; }
  static void sync() {}
};

/* What the types promise, as nvcc takes it. */
template <class T> constexpr size_t align_of = alignof(T);
template <> inline constexpr size_t align_of<void> = 1;
template <class T, class Size> constexpr size_t alignment = align_of<T>;
template <class T, size_t N>
constexpr size_t alignment<T, cuda::aligned_size_t<N>> =
    align_of<T> > N ? align_of<T> : N;

/* By cp.async where that can be; else at once, a byte at a time. */
template <class Group>
SIMT_INLINE void copy_slices(const Group &g, void *to, const void *from,
                             size_t size, size_t alignment) {
  const size_t step = alignment < 16 ? alignment : 16;
  char *const target = static_cast<char *>(to);
  const char *const source = static_cast<const char *>(from);
  const bool async = step >= 4 && size % step == 0 && simt_is_shared(to) &&
                     !simt_is_shared(from);
  if (async)
    for (size_t at = g.thread_rank() * step; at < size; at += g.size() * step)
      simt_async_copy(target + at, source + at, step, step);
  else
    for (size_t at = g.thread_rank(); at < size; at += g.size())
      target[at] = source[at];
}

} // namespace simt
