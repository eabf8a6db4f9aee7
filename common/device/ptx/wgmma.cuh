#ifndef WGMMA_CUH
#define WGMMA_CUH

#include <cstdint>

/* Products of a warpgroup: four warps, the first one's number divisible by 4.
 * C[64][N] += A[64][32] * B[N][32]^T in E4M3, summed in floats. The products
 * run on while the warpgroup goes on. In turn:
 *   wgmma_fence(c);                  hands over the registers of c, and of A if
 *                                    there are any: they are written before it
 *   wgmma_m64k32(c, a, b, ...);      any number of them
 *   wgmma_commit();                  these make up a group
 *   wgmma_wait<LEFT>(c);             all but the LEFT latest groups are done
 * Nobody touches c, nor registers of A, from the first product to the wait, nor
 * writes the tiles. PTX ISA, "Asynchronous Warpgroup Level Matrix
 * Instructions".
 *
 * Lane l of warp w holds of C, in c[n][0] to c[n][3], rows
 * 16 * w + l / 4, twice, and that + 8, twice, columns 8 * n + 2 * (l % 4), and
 * the next. A in registers is laid out as for mma.m16n8k32, 16 rows a warp. */

#ifdef SIMT
using wgmma_tile = simt_wgmma_tile;
#else
using wgmma_tile = uint64_t;
#endif

//> wgmma-tile
/* A tile of rows of ROW_BYTES codes in shared memory, of which a product reads
 * 32 from `column` on. 16 codes at row, chunk lie at
 *   row * ROW_BYTES + (chunk ^ row / 2 % 4) * 16    where ROW_BYTES is 64,
 *   row * ROW_BYTES + (chunk ^ row % 8) * 16        where it is 128.
 * The tile begins at a multiple of 8 * ROW_BYTES. */
template <int ROW_BYTES>
__device__ inline wgmma_tile wgmma_tile_at(const void *tile, int column) {
  static_assert(ROW_BYTES == 64 || ROW_BYTES == 128, "no such swizzle");
#ifdef SIMT
  return simt_wgmma_tile_at(tile, ROW_BYTES, column);
#else
  const uint64_t address = __cvta_generic_to_shared(tile) + column;
  const uint64_t eight_rows = 8 * ROW_BYTES, swizzle = ROW_BYTES == 128 ? 1 : 2;
  return (address & 0x3ffff) >> 4 | 1 << 16 | eight_rows >> 4 << 32 |
         swizzle << 62;
#endif
}

/* That tile `bytes` further on, a multiple of 16: the next 32 of a row, or the
 * next tile. */
__device__ inline wgmma_tile wgmma_further(wgmma_tile tile, unsigned bytes) {
  return tile + (bytes >> 4);
}
//< wgmma-tile

/* wgmma_m64k32(c, a, b, accumulate), for each number of columns of C that the
 * kernels use: A is a tile or comes from registers. Without `accumulate` what C
 * held is not read. PTX ISA, "wgmma.mma_async". There C's registers are %0 and
 * on, and behind them come A, B, and whether to add. */
#ifdef SIMT
#define WGMMA_FROM_TILES(columns, ...)                                         \
  __device__ inline void wgmma_m64k32(float (&c)[columns / 8][4],              \
                                      wgmma_tile a, wgmma_tile b,              \
                                      bool accumulate) {                       \
    simt_wgmma(c[0], columns, a, b, accumulate);                               \
  }
#define WGMMA_FROM_REGISTERS(columns, ...)                                     \
  __device__ inline void wgmma_m64k32(float (&c)[columns / 8][4],              \
                                      const unsigned (&a)[4], wgmma_tile b,    \
                                      bool accumulate) {                       \
    simt_wgmma(c[0], columns, a, b, accumulate);                               \
  }
#else
#define WGMMA_4(n) "+f"(c[n][0]), "+f"(c[n][1]), "+f"(c[n][2]), "+f"(c[n][3])
#define WGMMA_16(n) WGMMA_4(n), WGMMA_4(n + 1), WGMMA_4(n + 2), WGMMA_4(n + 3)
#define WGMMA_32(n) WGMMA_16(n), WGMMA_16(n + 4)
#define WGMMA_FIRST_32                                                         \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "     \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, "     \
  "%30, %31"
#define WGMMA_FIRST_48                                                         \
  WGMMA_FIRST_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, "   \
  "%43, %44, %45, %46, %47"
#define WGMMA_FIRST_64                                                         \
  WGMMA_FIRST_48 ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, "   \
  "%59, %60, %61, %62, %63"
//> wgmma-product
#define WGMMA(columns, first, operands, add)                                   \
  "{\n"                                                                        \
  "  .reg .pred add;\n"                                                        \
  "  setp.ne.b32 add, " add ", 0;\n"                                           \
  "  wgmma.mma_async.sync.aligned.m64n" #columns "k32.f32.e4m3.e4m3 {" first   \
  "}, " operands ", add, 1, 1;\n"                                              \
  "}\n"
#define WGMMA_FROM_TILES(columns, first, operands, add, ...)                   \
  __device__ inline void wgmma_m64k32(float (&c)[columns / 8][4],              \
                                      wgmma_tile a, wgmma_tile b,              \
                                      bool accumulate) {                       \
    asm volatile(WGMMA(columns, first, operands, add)                          \
                 : __VA_ARGS__                                                 \
                 : "l"(a), "l"(b), "r"(static_cast<int>(accumulate)));         \
  }
//< wgmma-product
//> wgmma-registers
#define WGMMA_FROM_REGISTERS(columns, first, operands, add, ...)               \
  __device__ inline void wgmma_m64k32(float (&c)[columns / 8][4],              \
                                      const unsigned (&a)[4], wgmma_tile b,    \
                                      bool accumulate) {                       \
    asm volatile(WGMMA(columns, first, operands, add)                          \
                 : __VA_ARGS__                                                 \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b),         \
                   "r"(static_cast<int>(accumulate)));                         \
  }
//< wgmma-registers
#endif

//> wgmma-64
WGMMA_FROM_TILES(64, WGMMA_FIRST_32, "%32, %33", "%34", WGMMA_32(0))
//< wgmma-64
WGMMA_FROM_TILES(96, WGMMA_FIRST_48, "%48, %49", "%50", WGMMA_32(0),
                 WGMMA_16(8))
WGMMA_FROM_TILES(128, WGMMA_FIRST_64, "%64, %65", "%66", WGMMA_32(0),
                 WGMMA_32(8))
WGMMA_FROM_REGISTERS(64, WGMMA_FIRST_32, "{%32, %33, %34, %35}, %36", "%37",
                     WGMMA_32(0))
WGMMA_FROM_REGISTERS(128, WGMMA_FIRST_64, "{%64, %65, %66, %67}, %68", "%69",
                     WGMMA_32(0), WGMMA_32(8))

//> wgmma-fence
/* The compiler knows nothing of products under way: an empty statement that
 * seems to read and write c keeps other uses of c on their side of it. */
template <int COUNT>
__device__ inline void wgmma_keep(float (&c)[COUNT][4]) {
#ifndef SIMT
#pragma unroll
  for (int i = 0; i < 4 * COUNT; i++)
    asm volatile("" : "+f"(c[i / 4][i % 4])::"memory");
#endif
}

template <int COUNT>
__device__ inline void wgmma_fence(float (&c)[COUNT][4]) {
  wgmma_keep(c);
#ifdef SIMT
  simt_wgmma_fence();
#else
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}
//< wgmma-fence

//> wgmma-wait
__device__ inline void wgmma_commit() {
#ifdef SIMT
  simt_wgmma_commit();
#else
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}

template <int LEFT, int COUNT>
__device__ inline void wgmma_wait(float (&c)[COUNT][4]) {
#ifdef SIMT
  simt_wgmma_wait(LEFT);
#else
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
#endif
  wgmma_keep(c);
}
//< wgmma-wait

//> setmaxnreg
/* Registers a thread of this warpgroup has from now on; a multiple of 8. The
 * block's threads together keep what the kernel was launched with, and who asks
 * for more waits until others gave it back. PTX ISA, "setmaxnreg". */
template <int COUNT>
__device__ inline void fewer_registers() {
#ifdef SIMT
  simt_setmaxnreg(COUNT, false);
#else
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(COUNT));
#endif
}

template <int COUNT>
__device__ inline void more_registers() {
#ifdef SIMT
  simt_setmaxnreg(COUNT, true);
#else
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(COUNT));
#endif
}
//< setmaxnreg

#endif
