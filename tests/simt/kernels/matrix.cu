#include <cuda_pipeline.h>
#include <mma.h>

#include "common/device/interface/launch.cuh"
#include "common/device/ptx/ldmatrix.cuh"
#include "common/device/ptx/mma.cuh"
#include "tests/simt/kernels/kernels.h"

namespace wmma = nvcuda::wmma;

/* D = A * B + 1: 256 halves each of A and B, then 256 floats of D. With D by
 * columns, both come straight from global memory. Half of the lanes do not load
 * B (bug 1), or load it from elsewhere (2), or store D once more (3). */
template <class LayoutA, class LayoutB>
__global__ void product(const __half *a, const __half *b, float *d,
                        wmma::layout_t layout, int bug) {
  const bool upper = threadIdx.x >= 16;
  constexpr int STRIDE = 24;
  __shared__ __align__(32) __half tile_a[16 * STRIDE], tile_b[16 * STRIDE];
  __shared__ __align__(32) float tile_d[16 * STRIDE];
  for (int i = threadIdx.x; i < 256; i += 32) {
    tile_a[i / 16 * STRIDE + i % 16] = a[i];
    tile_b[i / 16 * STRIDE + i % 16] = b[i];
  }
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, LayoutB> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fd;
  wmma::fill_fragment(fd, 1.0f);
  if (layout == wmma::mem_row_major) {
    wmma::load_matrix_sync(fa, tile_a, STRIDE);
    if (bug != 1 || upper)
      wmma::load_matrix_sync(fb, bug == 2 && upper ? b : tile_b, // @load-half
                             STRIDE);
  } else {
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
  }
  wmma::mma_sync(fd, fa, fb, fd);
  wmma::store_matrix_sync(tile_d, fd, STRIDE, layout);
  if (bug == 3 && upper)
    wmma::store_matrix_sync(tile_d, fd, STRIDE, layout); // @store-half
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32)
    d[i] = tile_d[i / 16 * STRIDE + i % 16];
}

template <class LayoutA, class LayoutB>
static void launch_product(void *memory, wmma::layout_t layout, int bug) {
  const auto *a = (const __half *)memory;
  LAUNCH((product<LayoutA, LayoutB>), 1, 32, 0, 0, a, a + 256,
         (float *)(a + 512), layout, bug);
}

/* first: bit 0 A by columns, bit 1 B by columns, bit 2 D by columns. */
static cudaError_t run_product(void *memory, int first, int bug) {
  const auto layout = first & 4 ? wmma::mem_col_major : wmma::mem_row_major;
  using row = wmma::row_major;
  using column = wmma::col_major;
  switch (first & 3) {
  case 0: launch_product<row, row>(memory, layout, bug); break;
  case 1: launch_product<column, row>(memory, layout, bug); break;
  case 2: launch_product<row, column>(memory, layout, bug); break;
  default: launch_product<column, column>(memory, layout, bug);
  }
  return cudaGetLastError();
}
KERNEL(product, MATRICES)

/* Element i of lane l of each fragment goes to out[fragment][l][i], where the
 * matrices hold 16 * row + column. */
__global__ void lane_map(float *out) {
  __shared__ __align__(32) __half tile[256];
  __shared__ __align__(32) float sums[256];
  for (int i = threadIdx.x; i < 256; i += 32) {
    tile[i] = __float2half(i);
    sums[i] = i;
  }
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::load_matrix_sync(a, tile, 16);
  wmma::load_matrix_sync(b, tile, 16);
  wmma::load_matrix_sync(c, sums, 16, wmma::mem_row_major);
  float *mine = out + threadIdx.x * 16;
  for (int i = 0; i < a.num_elements; i++) mine[i] = __half2float(a.x[i]);
  for (int i = 0; i < b.num_elements; i++) mine[512 + i] = __half2float(b.x[i]);
  for (int i = 0; i < c.num_elements; i++) mine[1024 + i] = c.x[i];
}
RUN(lane_map, 1, 32, (float *)memory)

/* One of the three is not filled: 0 a, 1 b, 2 the sum. */
__global__ void unfilled(float *d, int which) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fd;
  if (which != 0) wmma::fill_fragment(fa, __float2half(1.0f));
  if (which != 1) wmma::fill_fragment(fb, __float2half(1.0f));
  if (which != 2) wmma::fill_fragment(fd, 0.0f);
  wmma::mma_sync(fd, fa, fb, fd);
  wmma::store_matrix_sync(d, fd, 16, wmma::mem_row_major);
}
RUN(unfilled, 1, 32, (float *)memory, first)

/* One product of registers, of halves or of E4M3 codes.
 *   2  half of a warp has its instruction in another place
 *   3  first ldmatrix of global memory
 *   4  first cp.async from shared memory
 *   5  its sums, 6 ldmatrix's registers are another lane's memory as well
 *   7  first ldmatrix of the thread's own memory */
__global__ void of_registers(float *d, int e4m3) {
  __shared__ uint4 from[32], to[32];
  __shared__ __align__(16) unsigned in_memory[32][4];
  uint4 from_own[2] = {};
  float sum[4] = {};
  unsigned a[4] = {0x3c003c00, 0, 0, 0}, codes[4] = {0x38383838, 0, 0, 0};
  if (e4m3 == 3) ldmatrix_x4(a, d); // @global-lines
  if (e4m3 == 4) {
    from[threadIdx.x] = make_uint4(1, 1, 1, 1);
    __pipeline_memcpy_async(&to[threadIdx.x], // @shared-source
                            &from[threadIdx.x], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
  }
  if (e4m3 == 7) ldmatrix_x4(a, from_own); // @own-lines
  unsigned (&shared)[4] = in_memory[threadIdx.x];
  if (e4m3 >= 5 || e4m3 < 0) {
    for (int i = 0; i < 4; i++) shared[i] = 0;
    to[threadIdx.x] = uint4{};
    __syncwarp();
    if (e4m3 == 6)
      ldmatrix_x4(shared, &to[threadIdx.x]); // @memory-lines
    else
      mma_m16n8k16((float (&)[4])shared, a, 0, 0); // @memory-sum
    if (e4m3 < 0) __syncwarp();
    sum[0] += in_memory[threadIdx.x ^ 1][0]; // @memory-read
  }
  if (e4m3 == 1 || (e4m3 == 2 && threadIdx.x < 16))
    mma_m16n8k32(sum, codes, 0x38383838, 0); // @codes
  else
    mma_m16n8k16(sum, a, 0x3c003c00, 0); // @halves
  for (int i = 0; i < 4; i++) d[4 * threadIdx.x + i] = sum[i];
}
RUN(of_registers, 1, 32, (float *)memory, first)
