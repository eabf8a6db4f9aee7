#include "common/device/interface/launch.cuh"
#include "common/device/ptx/stmatrix.cuh"
#include "common/device/ptx/tma.cuh"
#include "common/device/ptx/wgmma.cuh"
#define FILLING CODES
#include "tests/simt/kernels/kernels.h"

/* What compute capability 9.0 has. Bugs are numbered by `first`; memory begins
 * with codes. */

/* Lines in any order, by lane, of random bits. */
__global__ void store_matrices(const uint4 *in, uint4 *out) {
  __shared__ __align__(16) uint4 lines[32];
  const int lane = threadIdx.x;
  for (int turn = 0; turn < 64; turn++) {
    const uint4 x = in[32 * turn + lane];
    const unsigned r[4] = {x.x, x.y, x.z, x.w};
    stmatrix_x4(&lines[(lane * 7 + turn) % 32], r); // @st-store
    __syncwarp();
    out[32 * turn + lane] = lines[lane];
    __syncwarp();
  }
}
RUN_BY(RANDOM, stmatrix_x4, LAUNCH(store_matrices, 1, 32, 0, 0, (uint4 *)memory,
                                   results<uint4>(memory)))

/* Where 16 bytes of a tile lie: see wgmma_tile_at. */
__device__ int place_of(int row, int chunk) {
  return row * 8 + (chunk ^ row % 8);
}

/* 48 rows from row 30 of head 1, of 50 in each of 3 heads: the last 28 become
 * zeros. Then 48 from row -8 of head 3, which is none, and of head 2. Written out
 * as they lie.
 *   1  writes before the wait               2  never waits
 *   3  a tile that is not aligned           4  no fence between store and load
 *   5  a map in shared memory               6  a map of nothing
 *   7  memory that nobody has allocated     8  expects too little
 *   9  a map that is not aligned */
__global__ void tma_tile(const __grid_constant__ CUtensorMap map, uint4 *out,
                         int bug) {
  constexpr int BYTES = 48 * 128, CHUNKS = BYTES / 16;
  __shared__ alignas(1024) uint4 tile[CHUNKS + 8];
  static __shared__ uint64_t full;
  __shared__ CUtensorMap copy;
  const int t = threadIdx.x;
  tile[t] = make_uint4(t, t, t, t); // @tma-store
  if (bug != 4) fence_async_proxy();
  if (t == 0) {
    tma_prefetch(map);
    mbarrier_init(&full, 1);
    fence_async_proxy();
  }
  __syncthreads();
  for (int i = 0; i < 3; i++) {
    if (t == 0) {
      mbarrier_arrive_expecting(&full, BYTES - (bug == 8 ? 16 : 0));
      if (bug == 5) copy = map;
      tma_load(tile + (bug == 3 ? 8 : 0), // @tma-load
               bug == 5   ? copy
               : bug == 9 ? (const CUtensorMap &)*((const char *)&map + 8)
                          : map,
               &full, i ? -8 : 30, i ? 4 - i : 1, 0);
    }
    if (bug == 1) tile[t] = make_uint4(t, 0, 0, 0); // @tma-write
    if (bug == 2) return;
    mbarrier_wait(&full, i % 2); // @tma-wait
    for (int k = t; k < CHUNKS; k += 64) out[i * CHUNKS + k] = tile[k];
    __syncthreads();
  }
}

static cudaError_t run_tma_tile(void *memory, int bug, int) {
  CUtensorMap map = {};
  const auto *codes = (const uint8_t *)memory;
  const int heads = bug == 7 ? 3000 : 3;
  if (bug != 6) {
    const cudaError_t error =
        tensor_map(&map, bug == 7 ? codes + 65536 : codes, 128, 50, heads, 1,
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
 *   1  reads what nobody has written         2  reads C before the wait
 *   3  no wgmma_commit                       4  changes registers of A
 *   5  no wgmma_fence after a change of C    6  nor of A
 *   7  writes B before the wait              8  a warp does not take part
 *   9  a tile that is not aligned           10  warps differ
 *  11  commits in two places              12  one warp multiplies elsewhere */
template <bool REGISTERS>
__global__ void wgmma_product(const uint4 *codes, float *out, int planted) {
  const int bug = PLANTED(planted);
  constexpr int N = 128, ROW_BYTES = 128, CHUNKS = ROW_BYTES / 16;
  __shared__ __align__(1024) uint4 tile_a[64 * CHUNKS], tile_b[N * CHUNKS];
  const int t = threadIdx.x;
  for (int i = t; i < 64 * CHUNKS; i += 128)
    tile_a[place_of(i / CHUNKS, i % CHUNKS)] = codes[i];
  for (int i = bug == 1 ? N * CHUNKS : t; i < N * CHUNKS; i += 128)
    tile_b[place_of(i / CHUNKS, i % CHUNKS)] = codes[64 * CHUNKS + i];
  unsigned a[CHUNKS / 2][4];
  const int row = t / 32 * 16 + t % 32 / 4;
  for (int step = 0; step < CHUNKS / 2; step++)
    for (int i = 0; i < 4; i++)
      a[step][i] = ((const unsigned *)codes)[(row + i % 2 * 8) * CHUNKS * 4 +
                                             step * 8 + i / 2 * 4 + t % 4];
  fence_async_proxy();
  __syncthreads();
  float c[N / 8][4];
  for (int i = 0; i < N / 2; i++) c[i / 4][i % 4] = i;
  const wgmma_tile left = wgmma_tile_at<ROW_BYTES>(tile_a, 0);
  wgmma_fence(c);
  if (bug == 5) c[0][3] += 1.0f;   // @mma-unfenced
  if (bug == 6) a[0][1] = 0;      // @mma-unfenced-a
  if (bug == 8 && t >= 96) return;
  for (int step = 0; step < ROW_BYTES / 32; step++) {
    const bool other = bug == 10 && t >= 96;
    const auto b = wgmma_tile_at<ROW_BYTES>(
        bug == 9 ? tile_b + 1 : tile_b, other ? 0 : 32 * step);
    if (REGISTERS)
      wgmma_m64k32(c, a[step], b, step > 0); // @mma-registers
    else if (bug == 12 && t >= 96)
      wgmma_m64k32( // @mma-other
          c, wgmma_further(left, 32 * step), b, step > 0);
    else
      wgmma_m64k32(c, wgmma_further(left, 32 * step), b, step > 0); // @mma
  }
  if (bug == 11 && t % 2)
    wgmma_commit(); // @mma-odd
  else if (bug != 3)
    wgmma_commit(); // @mma-even
  if (bug == 2) out[N / 2 * t] = c[1][1]; // @mma-read
  if (bug == 4) a[0][2] = 0;           // @mma-change-a
  if (bug == 7) tile_b[t] = uint4{};   // @mma-overwrite
  wgmma_wait<0>(c);
  if (bug == 3) out[N / 2 * t] = c[1][3]; // @mma-left
  /* No fence: C is as the products left it. */
  wgmma_m64k32(c, wgmma_further(left, 32),
               wgmma_tile_at<ROW_BYTES>(tile_b, 0), true);
  wgmma_commit();
  wgmma_wait<0>(c);
  for (int i = 0; i < N / 2; i++) out[N / 2 * t + i] = c[i / 4][i % 4];
}

/* second: A from registers */
RUN_BY(FILLING, wgmma_product,
    if (second)
      LAUNCH(wgmma_product<true>, 1, 128, 0, 0, (const uint4 *)memory,
             results<float>(memory), first);
    else
      LAUNCH(wgmma_product<false>, 1, 128, 0, 0, (const uint4 *)memory,
             results<float>(memory), first))

/* Registers by warpgroup: 24, 240 and 240 of 168 each at launch. The first one
 * gives its own back last.
 *   1  asks for more than there are   2  fewer that are more
 *   3  a warp stays away
 * second = 1: the compiler has made room for 512 threads. */
template <int BOUNDS>
__global__ void __launch_bounds__(BOUNDS, 1) registers(int *out, int bug) {
  const int warpgroup = threadIdx.x / 128;
  if (bug == 3 && threadIdx.x % 128 >= 96) return;
  if (warpgroup == 0) {
    if (bug == 2)
      fewer_registers<176>(); // @registers-fewer
    else
      fewer_registers<24>(); // @registers
  } else if (bug == 1) {
    more_registers<248>(); // @registers-many
  } else {
    more_registers<240>(); // @registers-most
  }
  out[threadIdx.x] = warpgroup;
}
RUN_BY(ZEROS, registers,
       LAUNCH((second ? registers<512> : registers<384>), 1, 384, 0, 0,
              results<int>(memory), first))
