#include "common/device/interface/launch.cuh"
#include "libfp8attention/kernel.h"

#include <cmath>

// A block takes rows one by one.
__global__ static void no_keys_kernel(attention_args args,
                                      tensor_strides o_strides) {
  const int64_t rows = args.batch * args.heads * args.seq_len;
  for (int64_t i = blockIdx.x; i < rows; i += gridDim.x) {
    const int64_t head = i / args.seq_len;
    uint16_t *o = args.o + head / args.heads * o_strides.batch +
                  head % args.heads * o_strides.head +
                  i % args.seq_len * o_strides.row;
    if (threadIdx.x < args.head_dim) o[threadIdx.x] = 0;
    if (args.lse && threadIdx.x == 0) args.lse[i] = -INFINITY;
  }
}

extern "C" cudaError_t no_keys_launch(const attention_args *args,
                                      const kernel_options *options,
                                      cudaStream_t stream) {
  const int64_t rows = args->batch * args->heads * args->seq_len;
  const int64_t most = 16 * options->multiprocessors;
  const dim3 grid(static_cast<unsigned>(rows < most ? rows : most));
  LAUNCH(no_keys_kernel, grid, 128, 0, stream, *args, args->strides->o);
  return cudaGetLastError();
}
