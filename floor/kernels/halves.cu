#include "common/device/interface/launch.cuh"
#include "common/device/ptx/mma.cuh"
#include "floor/kernels.h"
#include "floor/kernels/stopwatch.cuh"

//> halves
// Eight accumulators a warp: a product need not wait for the one before it.
__global__ void __launch_bounds__(256)
    halves_kernel(const unsigned *pairs, int rounds, float4 *out,
                  floor_span *span) {
  const int thread = threadIdx.x, lane = thread % 32;
  const int row = lane / 4, column = lane % 4;
  unsigned a[4], b[8][2];
#pragma unroll
  for (int r = 0; r < 4; r++)
    a[r] = pairs[(row + r % 2 * 8) * 8 + r / 2 * 4 + column];
#pragma unroll
  for (int n = 0; n < 8; n++)
#pragma unroll
    for (int r = 0; r < 2; r++)
      b[n][r] = pairs[(16 + 8 * n + row) * 8 + r * 4 + column];
  float c[8][4] = {};
  const stopwatch start = stopwatch_start();
#pragma unroll 1
  for (int round = 0; round < rounds; round++)
#pragma unroll
    for (int n = 0; n < 8; n++) mma_m16n8k16(c[n], a, b[n][0], b[n][1]);
  stopwatch_stop(start, span);
  out += (blockIdx.x * blockDim.x + thread) * 8;
#pragma unroll
  for (int n = 0; n < 8; n++)
    out[n] = make_float4(c[n][0], c[n][1], c[n][2], c[n][3]);
}

extern "C" cudaError_t floor_halves(const floor_call *call,
                                    cudaStream_t stream) {
  LAUNCH(halves_kernel, call->blocks, call->threads, 0, stream,
         static_cast<const unsigned *>(call->in), call->rounds,
         static_cast<float4 *>(call->out), call->span);
  return cudaGetLastError();
}
//< halves
