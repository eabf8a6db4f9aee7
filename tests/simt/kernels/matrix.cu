#include <cuda_pipeline.h>
#include <mma.h>

#include "common/device/interface/launch.cuh"
#include "common/device/ptx/ldmatrix.cuh"
#include "common/device/ptx/mma.cuh"
#include "tests/simt/kernels/kernels.h"

namespace wmma = nvcuda::wmma;

/* D = A * B + 1: 256 halves each of A and B, then 256 floats of D. With D by
 * columns, both come straight from global memory. */
template <class LayoutA, class LayoutB>
__global__ void product(const __half *a, const __half *b, float *d,
                        wmma::layout_t layout) {
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
    wmma::load_matrix_sync(fb, tile_b, STRIDE);
  } else {
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
  }
  wmma::mma_sync(fd, fa, fb, fd);
  wmma::store_matrix_sync(tile_d, fd, STRIDE, layout);
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32)
    d[i] = tile_d[i / 16 * STRIDE + i % 16];
}

template <class LayoutA, class LayoutB>
static void launch_product(void *memory, wmma::layout_t layout) {
  const auto *a = (const __half *)memory;
  LAUNCH((product<LayoutA, LayoutB>), 1, 32, 0, 0, a, a + 256,
         (float *)(a + 512), layout);
}

/* first: bit 0 A by columns, bit 1 B by columns, bit 2 D by columns. */
static cudaError_t run_product(void *memory, int first, int) {
  const auto layout = first & 4 ? wmma::mem_col_major : wmma::mem_row_major;
  using row = wmma::row_major;
  using column = wmma::col_major;
  switch (first & 3) {
  case 0: launch_product<row, row>(memory, layout); break;
  case 1: launch_product<column, row>(memory, layout); break;
  case 2: launch_product<row, column>(memory, layout); break;
  default: launch_product<column, column>(memory, layout);
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
 *   4  first cp.async from shared memory */
__global__ void of_registers(float *d, int e4m3) {
  __shared__ uint4 from[32], to[32];
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
  if (e4m3 == 1 || (e4m3 == 2 && threadIdx.x < 16))
    mma_m16n8k32(sum, codes, 0x38383838, 0); // @codes
  else
    mma_m16n8k16(sum, a, 0x3c003c00, 0); // @halves
  for (int i = 0; i < 4; i++) d[4 * threadIdx.x + i] = sum[i];
}
RUN(of_registers, 1, 32, (float *)memory, first)
