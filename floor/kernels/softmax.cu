#include "common/device/interface/launch.cuh"
#include "floor/kernels.h"
#include "floor/kernels/scores.cuh"
#include "floor/kernels/stopwatch.cuh"

//> softmax
__global__ void __launch_bounds__(128)
    softmax_kernel(const float *in, int rounds, score_result *out,
                   floor_span *span) {
  const stopwatch start = stopwatch_start();
  out[blockIdx.x * 128 + threadIdx.x] =
      soften(in + threadIdx.x * SCORES, rounds);
  stopwatch_stop(start, span);
}

extern "C" cudaError_t floor_softmax(const floor_call *call,
                                     cudaStream_t stream) {
  LAUNCH(softmax_kernel, call->blocks, 128, 0, stream,
         static_cast<const float *>(call->in), call->rounds,
         static_cast<score_result *>(call->out), call->span);
  return cudaGetLastError();
}
//< softmax
