#pragma once

/* Included before the first line of a kernel.cu when g++ compiles it for the
 * CPU executor: CUDA's own headers, and what nvcc has built in. */

#define SIMT 1

#include <cuda_runtime.h>

/* So many instructions that do nothing lie before the kernel: the threads, and
 * 1,024 for each block that it names. limits_bounds() reads them. */
#undef __launch_bounds__
#define __launch_bounds__(threads, ...)                                        \
  __attribute__((patchable_function_entry(                                     \
      SIMT_BOUNDS(threads, ##__VA_ARGS__, 0, 0),                               \
      SIMT_BOUNDS(threads, ##__VA_ARGS__, 0, 0))))
#define SIMT_BOUNDS(threads, blocks, ...) ((threads) + (blocks) * 1024)

/* Each fibre has a copy of the arguments. */
#undef __grid_constant__
#define __grid_constant__

/* One copy of a __shared__ variable for each OS thread: an OS thread runs one
 * block at a time. __constinit: the compiler adds no guard or wrapper. used: it
 * takes one that nobody writes, or reads, for no constant. Within a function it
 * is static in any case, and the kernel may have said so itself. */
#undef __shared__
#define __shared__ __attribute__((used)) __constinit thread_local

/* A section of its own, for constants and variables cannot share one: what it
 * holds is not global memory. */
#undef __constant__
#define SIMT_TEXT(x) #x
#define SIMT_SECTION(number) "simt_constant." SIMT_TEXT(number)
#define __constant__ __attribute__((section(SIMT_SECTION(__COUNTER__))))

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
#include <math.h> /* isnan and its like, without std:: */
#include <tuple>
#include <type_traits>

/* The loads and stores of those that the compiler does not inline are seen. */
extern "C" {
void *memcpy(void *, const void *, size_t) noexcept __asm__("simt_memmove");
void *memmove(void *, const void *, size_t) noexcept __asm__("simt_memmove");
void *memset(void *, int, size_t) noexcept __asm__("simt_memset");
}

#include "simt_abi.h"

/* Behind __shared__ nvcc takes alignas, but g++ only its own attribute, which
 * needs a number where alignas has a number or a type. */
#define alignas(...)                                                           \
  __attribute__((aligned([] {                                                  \
    struct simt_aligned {                                                      \
      alignas(__VA_ARGS__) char byte;                                          \
    };                                                                         \
    return alignof(simt_aligned);                                              \
  }())))

// ---- functions that nvcc knows without a header; always inlined, so that the
// executor sees the kernel's own line as the caller

#define SIMT_INLINE static inline __attribute__((always_inline))

static constexpr int warpSize = 32;

// ---- barriers and warp collectives

SIMT_INLINE void __syncthreads() { simt_syncthreads(); }
SIMT_INLINE int __syncthreads_or(int predicate) {
  return simt_syncthreads_vote(predicate, SIMT_ANY);
}
SIMT_INLINE int __syncthreads_and(int predicate) {
  return simt_syncthreads_vote(predicate, SIMT_ALL);
}
SIMT_INLINE int __syncthreads_count(int predicate) {
  return simt_syncthreads_vote(predicate, SIMT_COUNT);
}
SIMT_INLINE void __syncwarp(unsigned mask = 0xffffffffu) {
  simt_syncwarp(mask);
}

template <class T>
SIMT_INLINE T simt_shuffle_value(unsigned mask, T value, unsigned source,
                                 simt_direction direction = SIMT_FROM) {
  static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  bits = simt_shuffle(mask, bits, source, direction);
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

SIMT_INLINE int simt_width(int width) {
  if (width <= 0 || width > 32 || width & (width - 1))
    simt_refuse("the width of a shuffle is a power of two up to 32");
  return width;
}

// A source outside the lane's segment of `width` lanes is the lane itself. Of
// delta and mask the hardware takes five bits.
SIMT_INLINE unsigned simt_in_segment(int source, int width) {
  const int lane = simt_lane(), first = lane & ~(simt_width(width) - 1);
  return source < first || source >= first + width ? lane : source;
}

template <class T>
SIMT_INLINE T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  const unsigned first = simt_lane() & ~(simt_width(width) - 1);
  return simt_shuffle_value(mask, value, first | (source & (width - 1)));
}
template <class T>
SIMT_INLINE T __shfl_up_sync(unsigned mask, T value, unsigned delta,
                             int width = 32) {
  const int source = simt_lane() - static_cast<int>(delta & 31);
  return simt_shuffle_value(mask, value, simt_in_segment(source, width),
                            SIMT_UP);
}
template <class T>
SIMT_INLINE T __shfl_down_sync(unsigned mask, T value, unsigned delta,
                               int width = 32) {
  const int source = simt_lane() + static_cast<int>(delta & 31);
  return simt_shuffle_value(mask, value, simt_in_segment(source, width),
                            SIMT_DOWN);
}
template <class T>
SIMT_INLINE T __shfl_xor_sync(unsigned mask, T value, int lane_mask,
                              int width = 32) {
  // Unlike the others, xor may read from a lower segment.
  const int lane = simt_lane(), source = lane ^ (lane_mask & 31);
  const int end = (lane & ~(simt_width(width) - 1)) + width;
  return simt_shuffle_value(mask, value, source < end ? source : lane,
                            SIMT_ACROSS);
}

SIMT_INLINE unsigned __ballot_sync(unsigned mask, int predicate) {
  return simt_ballot(mask, predicate);
}
SIMT_INLINE int __any_sync(unsigned mask, int predicate) {
  return simt_ballot(mask, predicate) != 0;
}
SIMT_INLINE int __all_sync(unsigned mask, int predicate) {
  return simt_ballot(mask, !predicate) == 0;
}

// What no kernel may trust since Volta, by a sentence in the caller's line. Of
// templates, for programs may have such functions of their own.
#define SIMT_NOT_SINCE_VOLTA(name, why)                                        \
  template <class... T> __attribute__((error(why))) int name(T...);
SIMT_NOT_SINCE_VOLTA(__activemask,
                     "since Volta it is chance which lanes of a branch are at "
                     "one place: take the mask of a __ballot_sync() before it")
SIMT_NOT_SINCE_VOLTA(__ballot, "__ballot_sync() names the lanes that vote")
SIMT_NOT_SINCE_VOLTA(__any, "__any_sync() names the lanes that vote")
SIMT_NOT_SINCE_VOLTA(__all, "__all_sync() names the lanes that vote")

#define SIMT_REDUCE(name, type, operation)                                     \
  SIMT_INLINE type name(unsigned mask, type value) {                           \
    return simt_reduce(mask, value, operation);                                \
  }
SIMT_REDUCE(__reduce_add_sync, unsigned, SIMT_ADD)
SIMT_REDUCE(__reduce_add_sync, int, SIMT_ADD)
SIMT_REDUCE(__reduce_min_sync, unsigned, SIMT_MIN)
SIMT_REDUCE(__reduce_min_sync, int, SIMT_MIN_SIGNED)
SIMT_REDUCE(__reduce_max_sync, unsigned, SIMT_MAX)
SIMT_REDUCE(__reduce_max_sync, int, SIMT_MAX_SIGNED)
SIMT_REDUCE(__reduce_and_sync, unsigned, SIMT_AND)
SIMT_REDUCE(__reduce_or_sync, unsigned, SIMT_OR)
SIMT_REDUCE(__reduce_xor_sync, unsigned, SIMT_XOR)

// What fences put in order, with a flag: race/race.c and race/global.c.
SIMT_INLINE void __threadfence_block() { simt_fence(1); }
SIMT_INLINE void __threadfence() { simt_fence(0); }
SIMT_INLINE void __threadfence_system() { simt_fence(0); }
SIMT_INLINE long long clock64() { return simt_clock(); }
SIMT_INLINE void __nanosleep(unsigned) { simt_spin(); }
SIMT_INLINE void __trap() { simt_trap(); }

// ---- atomics

struct __half2;
struct __nv_bfloat162;

template <class T> constexpr simt_atomic_operation simt_addition() {
  if (std::is_same_v<T, __half2>) return SIMT_ADD_HALF2;
  if (std::is_same_v<T, __nv_bfloat162>) return SIMT_ADD_BFLOAT2;
  if (std::is_same_v<T, float2>) return SIMT_ADD_FLOAT2;
  return std::is_floating_point_v<T> ? SIMT_ADD_FLOAT : SIMT_ADD;
}

template <class T>
SIMT_INLINE T simt_atomic_value(T *address, simt_atomic_operation operation,
                                T value, T compare = T()) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "4 or 8 bytes");
  uint64_t bits = 0, expected = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  __builtin_memcpy(&expected, &compare, sizeof compare);
  bits = simt_atomic(address, sizeof(T), operation, bits, expected);
  __builtin_memcpy((void *)&value, &bits, sizeof value);
  return value;
}
template <class T, class V> SIMT_INLINE T atomicAdd(T *address, V value) {
  static_assert(std::is_arithmetic_v<T> || simt_addition<T>() != SIMT_ADD,
                "the executor has no atomicAdd of this type");
  return simt_atomic_value(address, simt_addition<T>(), static_cast<T>(value));
}
#define SIMT_ATOMIC_OF_INTEGERS(name, operation)                               \
  template <class T, class V> SIMT_INLINE T name(T *address, V value) {        \
    static_assert(std::is_integral_v<T>, "an atomic of integers");             \
    return simt_atomic_value(address, operation, static_cast<T>(value));       \
  }
SIMT_ATOMIC_OF_INTEGERS(atomicMin,
                        std::is_signed_v<T> ? SIMT_MIN_SIGNED : SIMT_MIN)
SIMT_ATOMIC_OF_INTEGERS(atomicMax,
                        std::is_signed_v<T> ? SIMT_MAX_SIGNED : SIMT_MAX)
SIMT_ATOMIC_OF_INTEGERS(atomicAnd, SIMT_AND)
SIMT_ATOMIC_OF_INTEGERS(atomicOr, SIMT_OR)
SIMT_ATOMIC_OF_INTEGERS(atomicXor, SIMT_XOR)
template <class T, class V> SIMT_INLINE T atomicExch(T *address, V value) {
  return simt_atomic_value(address, SIMT_EXCHANGE, static_cast<T>(value));
}
template <class T, class C, class V>
SIMT_INLINE T atomicCAS(T *address, C compare, V value) {
  return simt_atomic_value(address, SIMT_COMPARE, static_cast<T>(value),
                           static_cast<T>(compare));
}

// ---- arithmetic

// Macros, for glibc keeps functions of these names to itself; of any
// number of arguments, for the comma of a template parts one into two.
#define __expf(...) expf(__VA_ARGS__)
#define __exp2f(...) exp2f(__VA_ARGS__)
#define __logf(...) logf(__VA_ARGS__)
#define __log2f(...) log2f(__VA_ARGS__)
// Of a larger b than 2^126 the reciprocal that it multiplies by is 0.
SIMT_INLINE float __fdividef(float a, float b) {
  return fabsf(b) > 0x1p126f ? a * 0.0f : a / b;
}
SIMT_INLINE float __frcp_rn(float a) { return 1.0f / a; }
SIMT_INLINE float __fmaf_rn(float a, float b, float c) {
  return fmaf(a, b, c);
}
SIMT_INLINE float rsqrtf(float a) { return 1.0f / sqrtf(a); }
template <class To, class From> SIMT_INLINE To simt_bits(From x) {
  To bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}
SIMT_INLINE unsigned __float_as_uint(float x) { return simt_bits<unsigned>(x); }
SIMT_INLINE float __uint_as_float(unsigned x) { return simt_bits<float>(x); }
SIMT_INLINE int __float_as_int(float x) { return simt_bits<int>(x); }
SIMT_INLINE float __int_as_float(int x) { return simt_bits<float>(x); }
SIMT_INLINE int __popc(unsigned x) { return __builtin_popcount(x); }
SIMT_INLINE int __clz(int x) { return x ? __builtin_clz(x) : 32; }
SIMT_INLINE int __ffs(int x) { return __builtin_ffs(x); }
SIMT_INLINE unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const uint64_t bytes = static_cast<uint64_t>(y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; i++)
    result |= (bytes >> (selector >> 4 * i & 7) * 8 & 0xff) << 8 * i;
  return result;
}
template <class T>
SIMT_INLINE T simt_load_global(const T *address, size_t read_only = 0) {
  simt_use_global(address, read_only);
  return *address;
}
#define __ldg(...) simt_load_global(__VA_ARGS__, sizeof *(__VA_ARGS__))
#define __ldcg(...) simt_load_global(__VA_ARGS__)
// Of a NaN and a number the number; of what is narrower than an int, an int.
template <class A, class B> SIMT_INLINE auto min(A a, B b) {
  return +(b < a || a != a ? b : a);
}
template <class A, class B> SIMT_INLINE auto max(A a, B b) {
  return +(a < b || a != a ? b : a);
}

// ---- matrices

#define simt_ldmatrix(registers, line, transposed)                             \
  simt_ldmatrix_of(registers, line, transposed, 4)
#define simt_stmatrix(line, registers)                                         \
  simt_stmatrix_of(line, registers, false, 4)

// ---- Hopper

SIMT_INLINE void simt_mbarrier_expect(uint64_t *barrier, unsigned bytes) {
  simt_mbarrier_arrive_by(barrier, 0, bytes, 0);
}
#define simt_mbarrier_arrive(barrier) simt_mbarrier_arrive_by(barrier, 1, 0, 0)
#define simt_mbarrier_arrive_expecting(barrier, bytes)                         \
  simt_mbarrier_arrive_by(barrier, 1, bytes, 0)
SIMT_INLINE simt_wgmma_tile simt_wgmma_tile_at(const void *tile,
                                               unsigned row_bytes, int column) {
  return simt_wgmma_tile{tile, row_bytes, static_cast<unsigned>(column)};
}
/* As with a descriptor: so many times 16 bytes further. */
SIMT_INLINE simt_wgmma_tile operator+(simt_wgmma_tile tile, int sixteens) {
  const char *at = static_cast<const char *>(tile.tile) + tile.column;
  at += 16 * sixteens;
  tile.column = reinterpret_cast<uintptr_t>(at) % tile.row_bytes;
  tile.tile = at - tile.column;
  return tile;
}
SIMT_INLINE void simt_wgmma(float *c, unsigned columns, simt_wgmma_tile a,
                            simt_wgmma_tile b, bool accumulate) {
  simt_wgmma_product(c, columns, a, nullptr, b, accumulate);
}
SIMT_INLINE void simt_wgmma(float *c, unsigned columns, const unsigned *a,
                            simt_wgmma_tile b, bool accumulate) {
  simt_wgmma_product(c, columns, simt_wgmma_tile{}, a, b, accumulate);
}

SIMT_INLINE size_t __cvta_generic_to_shared(const void *address) {
  return simt_shared_offset(address);
}

// ---- LAUNCH and DYNAMIC_SHARED: the executor's spelling of what
// common/device/interface/launch.cuh spells for nvcc

#include "simt_intrinsics.h"

namespace simt {

inline uint3 extent(dim3 d) { return uint3{d.x, d.y, d.z}; }

/* Each fibre calls the kernel with its own copy of the arguments. */
template <class... Parameters> struct Call {
  static void run(void *kernel, void *arguments) {
    std::apply(reinterpret_cast<void (*)(Parameters...)>(kernel),
               *static_cast<std::tuple<std::decay_t<Parameters>...> *>(
                   arguments));
  }
};

/* Inlined, so that an error names the line of the launch. */
template <class T> SIMT_INLINE void look_at_argument(const T &argument) {
  if constexpr (std::is_pointer_v<T> &&
                !std::is_function_v<std::remove_pointer_t<T>>)
    simt_argument(argument);
}
template <class... Parameters, class... Arguments>
SIMT_INLINE void launch(const char *name, void (*kernel)(Parameters...),
                        dim3 grid, dim3 block, size_t dynamic_shared,
                        cudaStream_t stream, Arguments... arguments) {
  static_assert((!std::is_reference_v<Parameters> && ...),
                "a kernel's parameter is a reference: it would be an address "
                "of the host");
  std::tuple<std::decay_t<Parameters>...> values(
      static_cast<Parameters>(arguments)...);
  (look_at_argument<std::decay_t<Parameters>>(arguments), ...);
  const simt_kernel_launch what = {name,
                                   reinterpret_cast<void *>(kernel),
                                   Call<Parameters...>::run,
                                   &values,
                                   sizeof values,
                                   extent(grid),
                                   extent(block),
                                   dynamic_shared,
                                   stream};
  simt_launch(&what);
}

} // namespace simt

/* nvcc lets a kernel stand where the function takes a pointer to void. */
template <class... Parameters>
inline cudaError_t cudaFuncSetAttribute(void (*kernel)(Parameters...),
                                        cudaFuncAttribute attribute,
                                        int value) {
  return cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                              attribute, value);
}

#define LAUNCH(kernel, grid, block, shared_bytes, stream, ...)                 \
  ::simt::launch(#kernel, kernel, grid, block, shared_bytes, stream,           \
                 ##__VA_ARGS__)

#define DYNAMIC_SHARED(type, name)                                             \
  type *const name = static_cast<type *>(simt_dynamic_shared())

#define threadIdx (simt_thread_index())
#define blockIdx (simt_block_index())
#define blockDim (simt_block_size())
#define gridDim (simt_grid_size())
