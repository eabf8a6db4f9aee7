//> includes
#include "common/device/interface/launch.cuh"
#include "labs/warmup/warmup.h"
//< includes

//> sizes
constexpr int THREADS = 256;
constexpr int WARPS = THREADS / 32;
constexpr int TILE = 32;              // rows and columns of a tile
constexpr int STRIP = THREADS / TILE; // rows that a block handles at once
constexpr unsigned ALL_LANES = 0xffffffff;
//< sizes

// Copies the matrix.
__global__ void copy_kernel(warmup_args args) {
//> copy
  const int count = args.rows * args.columns;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < count;
       i += gridDim.x * THREADS)
    args.copied[i] = args.in[i];
//< copy
}

// The sum of each row.
__global__ void sum_kernel(warmup_args args) {
//> reduce
  const int row = blockIdx.x * WARPS + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (row >= args.rows) return;
  float sum = 0.0f;
  for (int column = lane; column < args.columns; column += 32)
    sum += args.in[row * args.columns + column];
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_xor_sync(ALL_LANES, sum, distance);
  if (lane == 0) args.sums[row] = sum;
//< reduce
}

// The transpose: a tile a block, threads of TILE columns and STRIP rows.
__global__ void transpose_kernel(warmup_args args) {
//> transpose
  __shared__ float tile[TILE][TILE + 1];
  const int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
  const int first_row = blockIdx.y * TILE, first_column = blockIdx.x * TILE;
  for (int i = y; i < TILE; i += STRIP)
    if (first_row + i < args.rows && first_column + x < args.columns)
      tile[i][x] =
          args.in[(first_row + i) * args.columns + first_column + x];
  __syncthreads();
  for (int i = y; i < TILE; i += STRIP)
    if (first_column + i < args.columns && first_row + x < args.rows)
      args.turned[(first_column + i) * args.rows + first_row + x] = tile[x][i];
//< transpose
}

//> launch
extern "C" cudaError_t warmup_launch(const warmup_args *args,
                                     cudaStream_t stream) {
  const auto over = [](int n, int by) {
    return static_cast<unsigned>((n + by - 1) / by);
  };
  LAUNCH(copy_kernel, 4, THREADS, 0, stream, *args);
  LAUNCH(sum_kernel, over(args->rows, WARPS), THREADS, 0, stream, *args);
  LAUNCH(transpose_kernel, dim3(over(args->columns, TILE),
         over(args->rows, TILE)), THREADS, 0, stream, *args);
  return cudaGetLastError();
}
//< launch
