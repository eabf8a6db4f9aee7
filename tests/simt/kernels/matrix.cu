#include <mma.h>

#include "common/device/launch.cuh"
#include "tests/simt/kernels/kernels.h"

namespace wmma = nvcuda::wmma;

/* D = A * B + 1: 256 halves each of A and B, then 256 floats of D. */
template <class LayoutA, class LayoutB, int STRIDE>
__global__ void product(const __half *a, const __half *b, float *d,
                        wmma::layout_t layout) {
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
  wmma::load_matrix_sync(fa, tile_a, STRIDE); // @load-a
  wmma::load_matrix_sync(fb, tile_b, STRIDE); // @load-b
  wmma::mma_sync(fd, fa, fb, fd);             // @product
  wmma::store_matrix_sync(tile_d, fd, STRIDE, layout); // @store-d
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32)
    d[i] = tile_d[i / 16 * STRIDE + i % 16];
}

/* first: bit 0 A by columns, bit 1 B by columns, bit 2 D by columns. */
cudaError_t run_product(void *memory, int first, int) {
  const auto *a = (const __half *)memory, *b = a + 256;
  auto *d = (float *)(b + 256);
  const auto layout = first & 4 ? wmma::mem_col_major : wmma::mem_row_major;
  using row = wmma::row_major;
  using column = wmma::col_major;
  switch (first & 3) {
  case 0:
    LAUNCH((product<row, row, 24>), 1, 32, 0, 0, a, b, d, layout);
    break;
  case 1:
    LAUNCH((product<column, row, 24>), 1, 32, 0, 0, a, b, d, layout);
    break;
  case 2:
    LAUNCH((product<row, column, 24>), 1, 32, 0, 0, a, b, d, layout);
    break;
  default:
    LAUNCH((product<column, column, 24>), 1, 32, 0, 0, a, b, d, layout);
  }
  return cudaGetLastError();
}

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
RUN(lane_map, LAUNCH(lane_map, 1, 32, 0, 0, (float *)memory))

/* first: halves from row to row, 16 or 24. */
RUN(matrix_traffic,
    const auto *a = (const __half *)memory;
    auto *d = (float *)(a + 512);
    if (first == 16)
      LAUNCH((product<wmma::row_major, wmma::col_major, 16>), 1, 32, 0, 0, a,
             a + 256, d, wmma::mem_row_major);
    else
      LAUNCH((product<wmma::row_major, wmma::col_major, 24>), 1, 32, 0, 0, a,
             a + 256, d, wmma::mem_row_major))

/* The same product, straight from global memory and back. */
__global__ void global_matrix(const __half *a, const __half *b, float *d) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fd;
  wmma::fill_fragment(fd, 1.0f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fd, fa, fb, fd);
  wmma::store_matrix_sync(d, fd, 16, wmma::mem_row_major);
}
RUN(global_matrix, const auto *a = (const __half *)memory;
    LAUNCH(global_matrix, 1, 32, 0, 0, a, a + 256, (float *)(a + 512)))
