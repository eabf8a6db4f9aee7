#include "common/device/interface/launch.cuh"
#include "common/device/ptx/stmatrix.cuh"
#include "common/device/ptx/tma.cuh"
#include "common/device/ptx/wgmma.cuh"
#define FILLING CODES
#include "tests/simt/kernels/kernels.h"

/* TMA loads, wgmma and stmatrix. Bugs are numbered by `first`; memory begins
 * with codes. */

/* Where 16 bytes of a tile lie: see wgmma_tile_at. */
template <int ROW_BYTES> __device__ int place_of(int row, int chunk) {
  const int swizzle = ROW_BYTES == 128 ? row % 8 : row / 2 % 4;
  return row * ROW_BYTES / 16 + (chunk ^ swizzle);
}

/* 48 rows from row 30 of head 1, of 50 in each of 3 heads: the last 28 become
 * zeros. Then 48 from row -8 of head 3, which is none. Written out as they lie.
 *   1  reads before the wait               2  writes before the wait
 *   3  no fence after the initialisation   4  waits for the other phase
 *   5  expects too much                    6  never waits
 *   7  a tile that is not aligned          8  the second load waits for nobody
 *   9  no fence between store and load    10  a map in shared memory
 *  11  a map of nothing    12  memory that nobody has allocated
 *  13  expects too little */
__global__ void tma_tile(const __grid_constant__ CUtensorMap map, uint4 *out,
                         int bug) {
  constexpr int BYTES = 48 * 128, CHUNKS = BYTES / 16;
  __shared__ __align__(1024) uint4 tile[CHUNKS + 8];
  __shared__ uint64_t full;
  __shared__ CUtensorMap copy;
  const int t = threadIdx.x;
  tile[t] = make_uint4(t, t, t, t); // @tma-store
  if (bug != 9) fence_async_proxy();
  if (t == 0) {
    mbarrier_init(&full, 1); // @tma-init
    if (bug != 3) fence_async_proxy();
  }
  __syncthreads();
  for (int i = 0; i < 2; i++) {
    if (t == 0) {
      const int other = bug == 5 ? 16 : bug == 13 ? -16 : 0;
      mbarrier_arrive_expecting(&full, BYTES + other);
      if (bug == 10) copy = map;
      tma_load(tile + (bug == 7 ? 8 : 0), bug == 10 ? copy : map, &full, // @tma-load
               i ? -8 : 30, i ? 3 : 1, 0);
    }
    if (bug == 1) out[t] = tile[t];              // @tma-early
    if (bug == 2) tile[t] = make_uint4(t, 0, 0, 0); // @tma-write
    if (bug == 6) return;
    mbarrier_wait(&full, bug == 4 ? 1 - i : i); // @tma-wait
    for (int k = t; k < CHUNKS; k += 64)
      out[i * CHUNKS + k] = tile[k]; // @tma-read
    if (bug != 8) __syncthreads();
  }
}

static cudaError_t run_tma_tile(void *memory, int bug, int) {
  CUtensorMap map = {};
  const auto *codes = (const uint8_t *)memory;
  const int heads = bug == 12 ? 3000 : 3;
  if (bug != 11) {
    const cudaError_t error =
        tensor_map(&map, bug == 12 ? codes + 65536 : codes, 128, 50, heads, 1,
                   contiguous(heads, 50, 128), 48);
    if (error) return error;
  }
  LAUNCH(tma_tile, 1, 64, 0, 0, map, results<uint4>(memory), bug);
  return cudaGetLastError();
}
KERNEL(tma_tile, CODES)

/* What tensor_map() refuses: its place, its shape, or its strides. */
static cudaError_t run_bad_map(void *memory, int first, int) {
  CUtensorMap map;
  const auto *codes = (const uint8_t *)memory;
  tensor_strides strides = contiguous(3, 50, 64);
  if (first == 4) strides.row = 72;
  if (first == 5) strides.head = INT64_C(1) << 40;
  if (first == 6) strides.batch = -64;
  return tensor_map(&map, codes + (first == 1 ? 8 : 0), first == 2 ? 96 : 64,
                    first == 7 ? 0 : 50, 3, 2, strides,
                    first == 3 ? 257 : 48);
}
KERNEL(bad_map, CODES)

/* C = A * B^T of 64 and 128 rows of codes, and that once more on top: float i
 * of thread t goes to out[64 * t + i].
 *   1  no fence between stores and product   2  reads C before the wait
 *   3  changes C before the wait             4  changes registers of A
 *   5  no wgmma_fence after a change of C    6  no wgmma_commit
 *   7  writes B before the wait              8  a warp does not take part
 *   9  a tile that is not aligned           10  warps differ
 *  11  reads C of a group that the wait leaves
 *  12  no barrier between stores and product
 *  13  reads what nobody has written
 *  14  no wgmma_fence after a change of A   15  no wgmma_fence at all
 *  16  commits in two places */
template <bool REGISTERS>
__global__ void wgmma_product(const uint4 *codes, float *out, int planted) {
  const int bug = PLANTED(planted);
  constexpr int N = 128, ROW_BYTES = 128, CHUNKS = ROW_BYTES / 16;
  __shared__ __align__(1024) uint4 tile_a[64 * CHUNKS], tile_b[N * CHUNKS];
  const int t = threadIdx.x;
  for (int i = t; i < 64 * CHUNKS; i += 128)
    tile_a[place_of<ROW_BYTES>(i / CHUNKS, i % CHUNKS)] = codes[i];
  for (int i = bug == 13 ? N * CHUNKS : t; i < N * CHUNKS; i += 128)
    tile_b[place_of<ROW_BYTES>(i / CHUNKS, i % CHUNKS)] = // @mma-store
        codes[64 * CHUNKS + i];
  unsigned a[CHUNKS / 2][4];
  const int row = t / 32 * 16 + t % 32 / 4;
  for (int step = 0; step < CHUNKS / 2; step++)
    for (int i = 0; i < 4; i++)
      a[step][i] = ((const unsigned *)codes)[(row + i % 2 * 8) * CHUNKS * 4 +
                                             step * 8 + i / 2 * 4 + t % 4];
  if (bug != 1) fence_async_proxy();
  if (bug != 12) __syncthreads();
  float c[N / 8][4];
  for (int i = 0; i < N / 2; i++) c[i / 4][i % 4] = i;
  if (bug != 15) wgmma_fence(c);
  if (bug == 5) c[0][3] += 1.0f;   // @mma-unfenced
  if (bug == 14) a[0][1] = 0;      // @mma-unfenced-a
  if (bug == 8 && t >= 96) return;
  for (int step = 0; step < ROW_BYTES / 32; step++) {
    const bool other = bug == 10 && t >= 96;
    const auto b = wgmma_tile_at<ROW_BYTES>(
        bug == 9 ? tile_b + 1 : tile_b, other ? 0 : 32 * step);
    if (REGISTERS)
      wgmma_m64k32(c, a[step], b, step > 0); // @mma-registers
    else
      wgmma_m64k32(c, wgmma_tile_at<ROW_BYTES>(tile_a, 32 * step), // @mma
                   b, step > 0);
  }
  if (bug == 16 && t % 2)
    wgmma_commit(); // @mma-odd
  else if (bug != 6)
    wgmma_commit(); // @mma-even
  if (bug == 2) out[N / 2 * t] = c[1][1]; // @mma-read
  if (bug == 3) c[1][1] = 1.0f;        // @mma-change
  if (bug == 4) a[0][2] = 0;           // @mma-change-a
  if (bug == 7) tile_b[t] = uint4{};   // @mma-overwrite
  if (bug == 11)
    wgmma_wait<1>(c);
  else
    wgmma_wait<0>(c); // @mma-wait
  if (bug == 6 || bug == 11) out[N / 2 * t] = c[1][3]; // @mma-left
  /* No fence: C is as the products left it. */
  wgmma_m64k32(c, wgmma_tile_at<ROW_BYTES>(tile_a, 32),
               wgmma_tile_at<ROW_BYTES>(tile_b, 0), true);
  wgmma_commit();
  wgmma_wait<0>(c);
  for (int i = 0; i < N / 2; i++) out[N / 2 * t + i] = c[i / 4][i % 4];
}

/* second: A from registers */
RUN(wgmma_product,
    if (second)
      LAUNCH(wgmma_product<true>, 1, 128, 0, 0, (const uint4 *)memory,
             results<float>(memory), first);
    else
      LAUNCH(wgmma_product<false>, 1, 128, 0, 0, (const uint4 *)memory,
             results<float>(memory), first))

/* All lanes store and fence, and one of each warp arrives for them. first = 1:
 * the fence comes too late, 2: no __syncwarp(). */
__global__ void one_arrives(const uint4 *codes, float *out, int bug) {
  __shared__ __align__(1024) uint4 tile[64 * 4];
  __shared__ uint64_t full;
  const int t = threadIdx.x;
  if (t == 0) mbarrier_init(&full, 4);
  __syncthreads();
  for (int i = t; i < 256; i += 128)
    tile[place_of<64>(i / 4, i % 4)] = codes[i]; // @arrive-store
  if (bug != 1) fence_async_proxy();
  if (bug != 2) __syncwarp();
  if (t % 32 == 0) mbarrier_arrive(&full);
  if (bug == 1) fence_async_proxy();
  mbarrier_wait(&full, 0);
  float c[8][4];
  wgmma_fence(c);
  wgmma_m64k32(c, wgmma_tile_at<64>(tile, 0), // @arrive-use
               wgmma_tile_at<64>(tile, 32), false);
  wgmma_commit();
  wgmma_wait<0>(c);
  for (int i = 0; i < 32; i++) out[32 * t + i] = c[i / 4][i % 4];
}
RUN(one_arrives, LAUNCH(one_arrives, 1, 128, 0, 0, (const uint4 *)memory,
                        results<float>(memory), first))

/* Registers by warpgroup: 24, 240 and 240 of 168 each at launch. The first one
 * gives its own back last.
 *   1  asks for more than there are   2  fewer that are more
 *   3  more that are fewer            4  a warp stays away */
__global__ void __launch_bounds__(384, 1) registers(int *out, int bug) {
  const int warpgroup = threadIdx.x / 128;
  if (bug == 4 && threadIdx.x % 128 >= 96) return;
  if (warpgroup == 0) {
    if (bug == 2)
      fewer_registers<176>(); // @registers-fewer
    else if (bug == 3)
      more_registers<160>(); // @registers-more
    else
      fewer_registers<24>(); // @registers
  } else if (bug == 1) {
    more_registers<248>(); // @registers-many
  } else {
    more_registers<240>(); // @registers-most
  }
  out[threadIdx.x] = warpgroup;
}
RUN_ON(ZEROS, registers,
       LAUNCH(registers, 1, 384, 0, 0, results<int>(memory), first))

/* A warp writes four 8x8 matrices of halves from registers; every lane reads a
 * line of 16 bytes. Lane 0 comes late. first = 1: no barrier in between. */
__global__ void stmatrix_lines(const unsigned *in, uint4 *out, int bug) {
  __shared__ __align__(16) uint4 lines[32];
  __shared__ uint64_t late;
  const int lane = threadIdx.x;
  const unsigned registers[4] = {in[4 * lane], in[4 * lane + 1],
                                 in[4 * lane + 2], in[4 * lane + 3]};
  if (lane == 0) mbarrier_init(&late, 1);
  __syncwarp();
  if (lane == 0) mbarrier_arrive(&late);
  mbarrier_wait(&late, 0);
  stmatrix_x4(&lines[lane ^ 5], registers); // @st-store
  if (bug == 0) __syncwarp();
  out[lane] = lines[31 - lane]; // @st-read
}
RUN(stmatrix_lines, LAUNCH(stmatrix_lines, 1, 32, 0, 0,
                           (const unsigned *)memory, results<uint4>(memory),
                           first))
