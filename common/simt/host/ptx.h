#pragma once

/* What tools/program/inline_ptx.py makes calls of. A register of PTX is a
 * variable of any type: `as` gives its bits, or the number where both are
 * integers or both floating. */

#include <cuda_bf16.h>
#include <limits>

namespace simt::ptx {

template <class T, class V> SIMT_INLINE T as(const V &v) {
  if constexpr ((std::is_integral_v<T> && std::is_integral_v<V>) ||
                (std::is_floating_point_v<T> && std::is_floating_point_v<V>)) {
    return static_cast<T>(v);
  } else if constexpr (std::is_pointer_v<V> && std::is_integral_v<T>) {
    return static_cast<T>(reinterpret_cast<uintptr_t>(v));
  } else if constexpr (std::is_enum_v<V>) {
    return as<T>(static_cast<std::underlying_type_t<V>>(v));
  } else {
    T t{};
    __builtin_memcpy((void *)&t, (const void *)&v,
                     sizeof t < sizeof v ? sizeof t : sizeof v);
    return t;
  }
}

struct nothing {};
static constexpr nothing none; /* the register _ */
template <class V> SIMT_INLINE void put(const nothing &, const V &) {}
template <class D, class V> SIMT_INLINE void put(D &d, const V &v) {
  d = as<D>(v);
}
/* .ftz: floats below the normal ones are zeros of their sign. */
template <class T, class V> SIMT_INLINE T flushed(const V &v) {
  const T t = as<T>(v);
  if constexpr (std::is_same_v<T, float>)
    return fabsf(t) < std::numeric_limits<T>::min() ? copysignf(0, t) : t;
  return t;
}
template <class D, class V> SIMT_INLINE void put_flushed(D &d, const V &v) {
  put(d, flushed<V>(v));
}
template <class R, size_t N, class... D>
SIMT_INLINE void results(const R (&r)[N], D &...d) {
  int i = 0;
  (put(d, r[i++]), ...);
}

/* Where __byte_perm() has three bits for a byte, prmt has four: with the last
 * one set it takes the sign of the byte, eight times over. */
SIMT_INLINE unsigned prmt(unsigned x, unsigned y, unsigned selector) {
  unsigned bytes = __byte_perm(x, y, selector);
  for (unsigned i = 0; i < 4; i++)
    if (selector >> (4 * i + 3) & 1) {
      const unsigned sign = bytes >> (8 * i + 7) & 1;
      bytes = (bytes & ~(0xffu << 8 * i)) | sign * 0xffu << 8 * i;
    }
  return bytes;
}

/* mov, of several registers too: the first is the lowest bits. */
template <class T, class... S> SIMT_INLINE uint64_t pack(const S &...s) {
  constexpr unsigned width = 8 * sizeof(T) / sizeof...(S);
  uint64_t bits = 0;
  unsigned at = 0;
  ((bits |= (as<uint64_t>(s) & (~uint64_t{0} >> (64 - width))) << at,
    at += width),
   ...);
  return bits;
}
template <class T, class... D> SIMT_INLINE void unpack(uint64_t bits, D &...d) {
  constexpr unsigned width = 8 * sizeof(T) / sizeof...(D);
  ((put(d, bits & (~uint64_t{0} >> (64 - width))),
    bits = width < 64 ? bits >> width % 64 : 0),
   ...);
}

/* Addresses of shared memory count from its beginning; all others are above. */
template <class V> SIMT_INLINE void *address(const V &v, int64_t further) {
  const uint64_t at = as<uint64_t>(v) + further;
  return at < 1 << 20 ? simt_shared_pointer(at) : reinterpret_cast<void *>(at);
}

SIMT_INLINE unsigned threads() {
  const uint3 n = simt_block_size();
  return n.x * n.y * n.z;
}
SIMT_INLINE unsigned thread_number() {
  const uint3 i = simt_thread_index(), n = simt_block_size();
  return (i.z * n.y + i.y) * n.x + i.x;
}

/* ---- memory ---- */

template <class T, size_t N> struct alignas(sizeof(T) * N) several { T t[N]; };
template <class T, size_t N> SIMT_INLINE void load_(T (&r)[N], void *at) {
  const several<T, N> all = *static_cast<several<T, N> *>(at);
  for (size_t i = 0; i < N; i++) r[i] = all.t[i];
}
template <class T, size_t N> SIMT_INLINE void store_(T (&r)[N], void *at) {
  several<std::remove_const_t<T>, N> all;
  for (size_t i = 0; i < N; i++) all.t[i] = r[i];
  *static_cast<decltype(all) *>(at) = all;
}
template <class T, size_t N>
SIMT_INLINE void load_volatile(T (&r)[N], void *at) {
  for (size_t i = 0; i < N; i++) r[i] = static_cast<volatile T *>(at)[i];
}
template <class T, size_t N>
SIMT_INLINE void store_volatile(T (&r)[N], void *at) {
  using V = volatile std::remove_const_t<T>;
  for (size_t i = 0; i < N; i++) static_cast<V *>(at)[i] = r[i];
}
#define load_relaxed load_volatile
#define store_relaxed store_volatile
template <class T, size_t N>
SIMT_INLINE void load_acquire(T (&r)[N], void *at) {
  load_volatile(r, at);
  simt_fence(0);
}
template <class T, size_t N>
SIMT_INLINE void store_release(T (&r)[N], void *at) {
  simt_fence(0);
  store_volatile(r, at);
}
#define SIMT_PTX_ATOMIC(name, function)                                        \
  template <class T> SIMT_INLINE T name(void *at, T x) {                       \
    return function(static_cast<T *>(at), x);                                  \
  }
SIMT_PTX_ATOMIC(atomic_add, atomicAdd)
SIMT_PTX_ATOMIC(atomic_min, atomicMin)
SIMT_PTX_ATOMIC(atomic_max, atomicMax)
SIMT_PTX_ATOMIC(atomic_and, atomicAnd)
SIMT_PTX_ATOMIC(atomic_or, atomicOr)
SIMT_PTX_ATOMIC(atomic_xor, atomicXor)
SIMT_PTX_ATOMIC(atomic_exch, atomicExch)

SIMT_INLINE void cp_async(void *to, const void *from, size_t size,
                          size_t source_size = SIZE_MAX) {
  simt_async_copy(to, from, size, source_size == SIZE_MAX ? size : source_size);
}
template <size_t N>
SIMT_INLINE void tensor_load(void *tile, const void *map, const int (&at)[N],
                             uint64_t *barrier) {
  simt_tensor_load(tile, map, N, at, barrier);
}
template <size_t N>
SIMT_INLINE void tensor_store(const void *map, const int (&at)[N],
                              const void *tile) {
  simt_tensor_store(map, N, at, tile);
}

/* ---- barriers and warps ---- */

/* The token that an arrival gives is its phase's parity. */
template <class D>
SIMT_INLINE void arrive(D &token, uint64_t *barrier, unsigned count = 1) {
  put(token, simt_mbarrier_arrive_by(barrier, count, 0, 0));
}
template <class D>
SIMT_INLINE void arrive_expecting(D &token, uint64_t *barrier, unsigned bytes) {
  put(token, simt_mbarrier_arrive_by(barrier, 1, bytes, 0));
}
SIMT_INLINE void bar_sync(unsigned id, unsigned count = threads()) {
  if (id == 0 && count == threads())
    simt_syncthreads();
  else
    simt_barrier_sync(id, count);
}
SIMT_INLINE unsigned shfl_from(unsigned x, int source, unsigned c,
                               unsigned mask, bool &p, bool above,
                               simt_direction direction) {
  const int lane = simt_lane(), segment = c >> 8 & 31;
  const int last = (lane & segment) | (c & 31 & ~segment);
  p = above ? source >= last : source <= last;
  return simt_shuffle(mask, x, p ? source : lane, direction);
}
#define SIMT_PTX_SHUFFLE(name, source, above, direction)                       \
  SIMT_INLINE unsigned name(unsigned x, unsigned by, unsigned c,               \
                            unsigned mask, bool &p) {                          \
    return shfl_from(x, (int)(source), c, mask, p, above, direction);          \
  }
SIMT_PTX_SHUFFLE(shfl_up, simt_lane() - (by & 31), true, SIMT_UP)
SIMT_PTX_SHUFFLE(shfl_down, simt_lane() + (by & 31), false, SIMT_DOWN)
SIMT_PTX_SHUFFLE(shfl_bfly, simt_lane() ^ (by & 31), false, SIMT_ACROSS)
SIMT_PTX_SHUFFLE(shfl_idx, (simt_lane() & c >> 8) | (by & 31 & ~(c >> 8)),
                 false, SIMT_FROM)

constexpr int simt_element_size(simt_element e) {
  return e == SIMT_TF32 ? 4 : e == SIMT_F16 || e == SIMT_BF16 ? 2 : 1;
}

/* Of a depth that is half of what the instruction can: the rest are zeros. */
template <simt_element E, simt_element F, int K, class R, size_t A, size_t B>
SIMT_INLINE void mma(R (&d)[4], const unsigned (&a)[A],
                     const unsigned (&b)[B]) {
  static_assert(E == F, "mma.sync of two types of elements");
  static_assert(A == 2 * B && K * simt_element_size(E) == 16 * B,
                "mma.sync has not so many registers");
  unsigned all_a[4] = {}, all_b[2] = {};
  for (size_t i = 0; i < A; i++) all_a[i] = a[i];
  for (size_t i = 0; i < B; i++) all_b[i] = b[i];
  simt_mma((float *)d, all_a, all_b, E);
}
/* Two halves a register. */
template <simt_element E, simt_element F, int K, size_t A, size_t B>
SIMT_INLINE void mma(unsigned (&d)[2], const unsigned (&a)[A],
                     const unsigned (&b)[B]) {
  const float2 low = __half22float2(as<__half2>(d[0])),
               high = __half22float2(as<__half2>(d[1]));
  float sum[4] = {low.x, low.y, high.x, high.y};
  mma<E, F, K>(sum, a, b);
  for (int i = 0; i < 2; i++)
    d[i] = as<unsigned>(__floats2half2_rn(sum[2 * i], sum[2 * i + 1]));
}

/* PTX, "Matrix Descriptor Format": lengths in units of 16 bytes. */
SIMT_INLINE simt_wgmma_operand tile_of(uint64_t d, simt_element e,
                                       bool columns) {
  constexpr unsigned rows[] = {16, 128, 64, 32}; /* by the swizzle */
  const unsigned bytes = rows[d >> 62], at = (d & 0x3fff) << 4;
  const unsigned within = bytes > 16 ? at % bytes : 0;
  return {simt_shared_pointer(at - within), bytes, within, e, columns,
          static_cast<unsigned>(d >> 16 & 0x3fff) << 4,
          static_cast<unsigned>(d >> 32 & 0x3fff) << 4};
}
template <size_t N, class T>
SIMT_INLINE T *one_array(T *const (&registers)[N], const char *why) {
  for (size_t i = 1; i < N; i++)
    if (registers[i] != registers[0] + i) simt_refuse(why);
  return registers[0];
}
template <simt_element E, simt_element F, int N, int K, size_t C>
SIMT_INLINE void wgmma_of(float *const (&c)[C], const simt_wgmma_operand &a,
                          const unsigned *registers, uint64_t b, bool add,
                          int sign_a, int sign_b, bool b_by_columns) {
  static_assert(E == F, "wgmma of two types of elements");
  static_assert(C == N / 2 && K * simt_element_size(E) == 32,
                "wgmma has not so many registers, or another depth");
  if (sign_a != 1 || sign_b != 1)
    simt_refuse("the executor has no wgmma that negates an operand");
  const simt_wgmma_operand tile_b = tile_of(b, E, b_by_columns);
  simt_wgmma_of(
      one_array(c, "the executor wants the registers of D of wgmma in one "
                   "array, in their order"),
      N, &a, registers, &tile_b, add);
}
template <simt_element E, simt_element F, int N, int K, size_t C>
SIMT_INLINE void wgmma(float *const (&c)[C], uint64_t a, uint64_t b, bool add,
                       int sign_a, int sign_b, bool a_by_columns = false,
                       bool b_by_columns = false) {
  wgmma_of<E, F, N, K>(c, tile_of(a, E, a_by_columns), nullptr, b, add, sign_a,
                       sign_b, b_by_columns);
}
template <simt_element E, simt_element F, int N, int K, size_t C>
SIMT_INLINE void wgmma(float *const (&c)[C], const unsigned *const (&a)[4],
                       uint64_t b, bool add, int sign_a, int sign_b,
                       bool b_by_columns = false) {
  wgmma_of<E, F, N, K>(
      c, {},
      one_array(a, "the executor wants the registers of A of wgmma in one "
                   "array, in their order"),
      b, add, sign_a, sign_b, b_by_columns);
}

/* ---- arithmetic ---- */

template <class T> SIMT_INLINE T fused(T a, T b, T c) { return a * b + c; }
SIMT_INLINE float fused(float a, float b, float c) { return fmaf(a, b, c); }
SIMT_INLINE double fused(double a, double b, double c) { return fma(a, b, c); }
SIMT_INLINE __half2 fused(__half2 a, __half2 b, __half2 c) {
  return __hfma2(a, b, c);
}
#define SIMT_PTX_ONE_OF(name, of_two, is_b)                                    \
  template <class T> SIMT_INLINE T name(T a, T b) {                            \
    if constexpr (std::is_same_v<T, __half2> ||                                \
                  std::is_same_v<T, __nv_bfloat162>)                           \
      return of_two(a, b);                                                     \
    else                                                                       \
      return is_b || a != a ? b : a;                                           \
  }
SIMT_PTX_ONE_OF(minimum, __hmin2, b < a)
SIMT_PTX_ONE_OF(maximum, __hmax2, a < b)
template <class T> SIMT_INLINE auto wide(T a) {
  return static_cast<std::conditional_t<std::is_signed_v<T>, int64_t,
                                        uint64_t>>(a);
}
template <class T> SIMT_INLINE T absolute(T a) { return a < T(0) ? T(-a) : a; }
template <class T> SIMT_INLINE T shl(T x, unsigned n) {
  return n < 8 * sizeof x ? x << n : 0;
}
template <class T> SIMT_INLINE T shr(T x, unsigned n) {
  return n < 8 * sizeof x ? x >> n : x < 0 ? -1 : 0;
}
SIMT_INLINE float ex2(float x) { return exp2f(x); }
SIMT_INLINE float lg2(float x) { return log2f(x); }
SIMT_INLINE float rcp(float x) { return 1 / x; }
SIMT_INLINE float rsqrt(float x) { return 1 / sqrtf(x); }
SIMT_INLINE float sqrt(float x) { return sqrtf(x); }
SIMT_INLINE float sin(float x) { return sinf(x); }
SIMT_INLINE float cos(float x) { return cosf(x); }
SIMT_INLINE float tanh(float x) { return tanhf(x); }
SIMT_INLINE unsigned lop3(unsigned a, unsigned b, unsigned c, unsigned table) {
  unsigned r = 0;
  for (int i = 0; i < 8; i++)
    if (table >> i & 1)
      r |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return r;
}

template <simt_element E>
constexpr __nv_fp8_interpretation_t fp8 = E == SIMT_E4M3 ? __NV_E4M3
                                                         : __NV_E5M2;
template <simt_element E> SIMT_INLINE uint16_t codes(float low, float high) {
  return __nv_cvt_float2_to_fp8x2({low, high}, __NV_SATFINITE, fp8<E>);
}
template <simt_element E> SIMT_INLINE uint16_t codes(__half2 x) {
  return __nv_cvt_halfraw2_to_fp8x2(x, __NV_SATFINITE, fp8<E>);
}
template <simt_element E> SIMT_INLINE __half2 widened(uint32_t codes) {
  return __half2(__nv_cvt_fp8x2_to_halfraw2(codes & 0xffff, fp8<E>));
}

/* `how`: rounded to an integer, as in cvt.rni. */
template <class T, class S> SIMT_INLINE T convert(const S &s, const char *how) {
  if constexpr (std::is_same_v<S, __half>) {
    return convert<T>(__half2float(s), how);
  } else if constexpr (std::is_same_v<S, __nv_bfloat16>) {
    return convert<T>(__bfloat162float(s), how);
  } else if constexpr (std::is_same_v<T, __half>) {
    return __float2half_rn(static_cast<float>(s));
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return __float2bfloat16_rn(static_cast<float>(s));
  } else if constexpr (std::is_floating_point_v<S>) {
    const double x = how[0] == 'r' && how[2] == 'i'
                         ? how[1] == 'n'   ? nearbyint(s)
                           : how[1] == 'z' ? trunc(s)
                           : how[1] == 'm' ? floor(s)
                                           : ceil(s)
                         : static_cast<double>(s);
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(x);
    /* Numbers beyond the type end at its ends. */
    else
      return x != x ? 0
             : x >= (double)std::numeric_limits<T>::max()
                 ? std::numeric_limits<T>::max()
             : x <= (double)std::numeric_limits<T>::min()
                 ? std::numeric_limits<T>::min()
                 : static_cast<T>(x);
  } else {
    return static_cast<T>(s);
  }
}

} // namespace simt::ptx
