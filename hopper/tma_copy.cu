// A tile by TMA, there and back. One thread starts the copy into shared memory,
// all threads wait for it at an mbarrier and double the tile, and one thread
// starts the copy back. The tensor map says where the matrix ends: beyond it a
// load brings zeros, and a store writes nothing.
//   nvcc -arch=compute_90a -code=sm_90a hopper/tma_copy.cu && ./a.out
//   make race FILE=hopper/tma_copy.cu
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>

constexpr int ROWS = 100, COLUMNS = 84; // the last tiles reach beyond these
constexpr int TILE_ROWS = 16, TILE_COLUMNS = 32;

__global__ void twice(const __grid_constant__ CUtensorMap from,
                      const __grid_constant__ CUtensorMap to) {
  __shared__ alignas(128) float tile[TILE_ROWS * TILE_COLUMNS];
  __shared__ uint64_t barrier;
  const unsigned tile_at = __cvta_generic_to_shared(tile);
  const unsigned barrier_at = __cvta_generic_to_shared(&barrier);
  const int column = blockIdx.x * TILE_COLUMNS, row = blockIdx.y * TILE_ROWS;

  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier_at));
    // TMA counts bytes at the barrier, so it must see it initialised, too.
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
//> copy
    // The phase ends when this thread has arrived and all bytes have landed.
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                     barrier_at), "r"((unsigned)sizeof tile) : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global"
        ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
            tile_at), "l"(&from), "r"(column), "r"(row), "r"(barrier_at)
        : "memory");
//< copy
  }
//> wait
  asm volatile("{\n"
               ".reg .pred done;\n"
               "again:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n"
               "@!done bra again;\n"
               "}" ::"r"(barrier_at) : "memory");
//< wait

  for (int i = threadIdx.x; i < TILE_ROWS * TILE_COLUMNS; i += blockDim.x)
    tile[i] *= 2;

  // TMA will read what all threads have stored: each fences, then all meet.
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group "
                 "[%0, {%1, %2}], [%3];" ::"l"(&to), "r"(column), "r"(row),
                 "r"(tile_at) : "memory");
    asm volatile("cp.async.bulk.commit_group;");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

CUtensorMap map_of(float *matrix) {
  void *found = nullptr; // of the driver, which nvcc does not link
  cudaDriverEntryPointQueryResult result;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000,
                                   cudaEnableDefault, &result);
  CUtensorMap map = {};
  const cuuint64_t sizes[] = {COLUMNS, ROWS}; // the innermost dimension first
  const cuuint64_t strides[] = {COLUMNS * sizeof(float)}; // a multiple of 16
  const cuuint32_t box[] = {TILE_COLUMNS, TILE_ROWS}, every[] = {1, 1};
  if (!found || ((decltype(&cuTensorMapEncodeTiled))found)(
                    &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, matrix, sizes,
                    strides, box, every, CU_TENSOR_MAP_INTERLEAVE_NONE,
                    CU_TENSOR_MAP_SWIZZLE_NONE,
                    CU_TENSOR_MAP_L2_PROMOTION_NONE,
                    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
    printf("No tensor map.\n");
  return map;
}

int main() {
  float *in, *out;
  cudaMallocManaged(&in, ROWS * COLUMNS * sizeof *in);
  cudaMallocManaged(&out, ROWS * COLUMNS * sizeof *out);
  for (int i = 0; i < ROWS * COLUMNS; i++) in[i] = i;
  const dim3 tiles((COLUMNS + TILE_COLUMNS - 1) / TILE_COLUMNS,
                   (ROWS + TILE_ROWS - 1) / TILE_ROWS);
  twice<<<tiles, 128>>>(map_of(in), map_of(out));
  const cudaError_t error = cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < ROWS * COLUMNS; i++) wrong += out[i] != 2.0f * i;
  printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
  return error || wrong;
}
