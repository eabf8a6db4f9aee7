// Through a tile in shared memory, with a pad against bank conflicts and, for
// `make count`, without. FAULT=1: no barrier.
#include <cstdio>
#include <vector>

const int TILE_DIM = 32, BLOCK_ROWS = 8;

template <int PAD>
__global__ void transpose(float *odata, const float *idata) {
  __shared__ float tile[TILE_DIM][TILE_DIM + PAD];
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  int width = gridDim.x * TILE_DIM;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x]; // @1 race
#if FAULT != 1
  __syncthreads();
#endif
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    odata[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j]; // @1 race
}

int main() {
  const int n = 64;
  std::vector<float> in(n * n), out(n * n);
  for (int i = 0; i < n * n; i++) in[i] = i;
  float *d_in, *d_out;
  cudaMalloc(&d_in, n * n * sizeof(float));
  cudaMalloc(&d_out, n * n * sizeof(float));
  cudaMemcpy(d_in, in.data(), n * n * 4, cudaMemcpyHostToDevice);
  dim3 dimGrid(n / TILE_DIM, n / TILE_DIM, 1), dimBlock(TILE_DIM, BLOCK_ROWS, 1);
  transpose<0><<<dimGrid, dimBlock>>>(d_out, d_in);
  transpose<1><<<dimGrid, dimBlock>>>(d_out, d_in);
  cudaMemcpy(out.data(), d_out, n * n * 4, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < n * n; i++) wrong += out[i] != i % n * n + i / n;
  printf("%d wrong\n", wrong);
}
