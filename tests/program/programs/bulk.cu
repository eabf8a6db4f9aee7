// TMA by its names in C++: rows come in bulk, are doubled and go back, and so
// do tiles of a tensor map. FAULT=1: no fence before TMA reads what threads
// have stored; FAULT=2: the barrier expects too few bytes.
#include <cstdio>
#include <cuda.h>
#include <cuda/barrier>
#include <utility>
#pragma nv_diag_suppress static_var_with_dynamic_init
using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;

const int N = 64, SIDE = 8;

__global__ void rows(int *data) {
  __shared__ alignas(128) int row[N];
  __shared__ barrier bar;
  int *mine = data + blockIdx.x * N;
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::device::memcpy_async_tx(row, mine,
                                  cuda::aligned_size_t<16>(sizeof row), bar);
#if FAULT == 2
    token = cuda::device::barrier_arrive_tx(bar, 1, sizeof row - 16);
#else
    token = cuda::device::barrier_arrive_tx(bar, 1, sizeof row);
#endif
  } else {
    token = bar.arrive();
  }
  bar.wait(std::move(token)); // @2 deadlock
  row[threadIdx.x] *= 2; // @1 no proxy fence
#if FAULT != 1
  cde::fence_proxy_async_shared_cta();
#endif
  __syncthreads();
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_shared_to_global(mine, row, sizeof row); // @1 no proxy fence
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
  }
}

__global__ void tiles(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) int tile[SIDE][SIDE];
  __shared__ barrier bar;
  const int x = blockIdx.x * SIDE, y = blockIdx.y * SIDE;
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_global_to_shared(tile, &map, x, y, bar);
    cuda::device::barrier_expect_tx(bar, sizeof tile);
  }
  bar.arrive_and_wait();
  tile[threadIdx.x / SIDE][threadIdx.x % SIDE] += 1;
  cde::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_shared_to_global(&map, x, y, tile);
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
  }
}

int main() {
  int *data, wrong = 0;
  cudaMallocManaged(&data, N * N * sizeof *data);
  for (int i = 0; i < N * N; i++) data[i] = i;
  rows<<<N, N>>>(data);
  void *encode;
  cudaDriverEntryPointQueryResult result;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000,
                                   cudaEnableDefault, &result);
  CUtensorMap map;
  const cuuint64_t sizes[] = {N, N}, strides[] = {N * sizeof *data};
  const cuuint32_t box[] = {SIDE, SIDE}, every[] = {1, 1};
  wrong += ((decltype(&cuTensorMapEncodeTiled))encode)(
               &map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, data, sizes, strides,
               box, every, CU_TENSOR_MAP_INTERLEAVE_NONE,
               CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS;
  tiles<<<dim3(N / SIDE, N / SIDE), SIDE * SIDE>>>(map);
  cudaDeviceSynchronize();
  for (int i = 0; i < N * N; i++) wrong += data[i] != 2 * i + 1;
  printf("%d wrong\n", wrong);
}
