#include "common/device/ptx/stmatrix.cuh"
#include "common/device/ptx/tma.cuh"
#include "common/device/ptx/wgmma.cuh"
#include "tests/simt/kernels/wrappers.cuh"

/* Those of compute capability 9.0. */

__global__ void store_matrices(const uint4 *in, uint4 *out) {
  __shared__ __align__(16) uint4 lines[32];
  const int lane = threadIdx.x;
  for (int turn = 0; turn < 64; turn++) {
    const uint4 x = in[32 * turn + lane];
    const unsigned r[4] = {x.x, x.y, x.z, x.w};
    stmatrix_x4(&lines[line_of(lane, turn)], r); // @st-store
    __syncwarp();
    out[32 * turn + lane] = lines[lane];
    __syncwarp();
  }
}
RUN(stmatrix_x4, LAUNCH(store_matrices, 1, 32, 0, 0, (uint4 *)memory,
                        results<uint4>(memory)))

/* Five tiles of 48 rows, of two heads of two batches of 40 rows, with gaps in
 * between; written out as they lie. */
template <int ROW_BYTES>
__global__ void tiles(const __grid_constant__ CUtensorMap map, uint4 *out) {
  constexpr int BYTES = 48 * ROW_BYTES, CHUNKS = BYTES / 16;
  __shared__ __align__(1024) uint4 tile[CHUNKS];
  __shared__ uint64_t full;
  constexpr int at[5][3] = {
      {0, 0, 0}, {-8, 1, 0}, {17, 0, 1}, {1, 1, 1}, {0, 2, 0}};
  if (threadIdx.x == 0) {
    tma_prefetch(map);
    mbarrier_init(&full, 1);
    fence_async_proxy();
  }
  __syncthreads();
  for (int i = 0; i < 5; i++) {
    if (threadIdx.x == 0) {
      mbarrier_arrive_expecting(&full, BYTES);
      tma_load(tile, map, &full, at[i][0], at[i][1], at[i][2]);
    }
    mbarrier_wait(&full, i % 2);
    for (int k = threadIdx.x; k < CHUNKS; k += 64)
      out[i * CHUNKS + k] = tile[k];
    __syncthreads();
  }
}

template <int ROW_BYTES> static cudaError_t load_tiles(void *memory) {
  CUtensorMap map;
  tensor_strides strides = contiguous(2, 40, ROW_BYTES);
  strides.row = ROW_BYTES + 16;
  strides.head = 40 * strides.row + 32;
  strides.batch = 2 * strides.head + 48;
  const cudaError_t error = tensor_map(&map, (uint8_t *)memory, ROW_BYTES, 40,
                                       2, 2, strides, 48);
  if (error) return error;
  LAUNCH(tiles<ROW_BYTES>, 1, 64, 0, 0, map, results<uint4>(memory));
  return cudaGetLastError();
}
/* second: bytes of a row */
static cudaError_t run_tma_load(void *memory, int, int second) {
  return second == 64 ? load_tiles<64>(memory) : load_tiles<128>(memory);
}
KERNEL(tma_load, FILLING)

/* C = A * B^T of 64 and N rows, and of other columns on top; and in a group of
 * its own one more: the first is read while that runs. */
template <int N, int ROW_BYTES, bool REGISTERS>
__global__ void wgmma(const unsigned *in, unsigned *out) {
  constexpr int WORDS = ROW_BYTES / 4;
  __shared__ __align__(1024) unsigned tile_a[64 * WORDS], tile_b[N * WORDS];
  const int t = threadIdx.x, row = t / 32 * 16 + t % 32 / 4;
  for (int i = t; i < (64 + N) * WORDS; i += 128) {
    const int r = i / WORDS, c = i % WORDS / 4;
    const int swizzle = ROW_BYTES == 128 ? r % 8 : r / 2 % 4;
    const int place = r * WORDS + (c ^ swizzle) * 4 + i % 4;
    (r < 64 ? tile_a : tile_b)[r < 64 ? place : place - 64 * WORDS] =
        codes(in[i]);
  }
  unsigned a[2][4];
  for (int i = 0; i < 8; i++)
    a[i / 4][i % 4] = codes(in[(row + i % 2 * 8) * WORDS + i / 4 * 8 +
                               i / 2 % 2 * 4 + t % 4]);
  float c[N / 8][4], again[N / 8][4];
  for (int i = 0; i < N / 2; i++)
    c[i / 4][i % 4] = again[i / 4][i % 4] = whole(in[i * 128 + t]);
  fence_async_proxy();
  __syncthreads();
  const wgmma_tile left = wgmma_tile_at<ROW_BYTES>(tile_a, 0);
  const wgmma_tile right =
      wgmma_tile_at<ROW_BYTES>(tile_b, ROW_BYTES - 32);
  const wgmma_tile first = wgmma_tile_at<ROW_BYTES>(tile_b, 0);
  wgmma_fence(c);
  wgmma_fence(again);
  if constexpr (REGISTERS) {
    wgmma_m64k32(c, a[0], first, false);
    wgmma_m64k32(c, a[1], right, true);
    wgmma_commit();
    wgmma_m64k32(again, a[1], first, true);
  } else {
    wgmma_m64k32(c, left, first, false);
    wgmma_m64k32(c, wgmma_further(left, 32), right, true);
    wgmma_commit();
    wgmma_m64k32(again, wgmma_further(left, 32), first, true);
  }
  wgmma_commit();
  wgmma_wait<1>(c);
  for (int i = 0; i < N / 2; i++)
    out[128 * i + t] = 31 * __float_as_uint(c[i / 4][i % 4]);
  wgmma_wait<0>(again);
  for (int i = 0; i < N / 2; i++)
    out[128 * i + t] += __float_as_uint(again[i / 4][i % 4]);
}

template <int N, bool REGISTERS>
static cudaError_t multiply_tiles(void *memory, int row_bytes) {
  if (row_bytes == 64)
    LAUNCH((wgmma<N, 64, REGISTERS>), 1, 128, 0, 0, (unsigned *)memory,
           results<unsigned>(memory));
  else
    LAUNCH((wgmma<N, 128, REGISTERS>), 1, 128, 0, 0, (unsigned *)memory,
           results<unsigned>(memory));
  return cudaGetLastError();
}
/* first: columns; second: bytes of a row */
static cudaError_t run_wgmma_tiles(void *memory, int first, int second) {
  return first == 64   ? multiply_tiles<64, false>(memory, second)
         : first == 96 ? multiply_tiles<96, false>(memory, second)
                       : multiply_tiles<128, false>(memory, second);
}
KERNEL(wgmma_tiles, RANDOM)
static cudaError_t run_wgmma_registers(void *memory, int first, int second) {
  return first == 64 ? multiply_tiles<64, true>(memory, second)
                     : multiply_tiles<128, true>(memory, second);
}
KERNEL(wgmma_registers, RANDOM)

/* Two warpgroups get what the first one gives back, and fill it: sums of 160
 * numbers that are all in registers. */
__global__ void __launch_bounds__(384, 1)
    setmaxnreg(const unsigned *in, unsigned *out) {
  const int t = threadIdx.x;
  if (t < 128) {
    fewer_registers<24>();
    out[t] = in[t];
    return;
  }
  more_registers<240>();
  unsigned x[160], sum = 0;
#pragma unroll
  for (int i = 0; i < 160; i++) x[i] = in[(t * 13 + i) % 8192];
  __syncwarp();
#pragma unroll
  for (int i = 0; i < 160; i++) sum = sum * 31 + x[159 - i];
  out[t] = sum;
}
RUN(setmaxnreg, LAUNCH(setmaxnreg, 1, 384, 0, 0, (unsigned *)memory,
                       results<unsigned>(memory)))
