#include "common/device/launch.cuh"
#include "tests/simt/kernels/kernels.h"

/* Kernels that hang, or that the hardware stops. */

__global__ void two_barriers() {
  if (threadIdx.x < 32)
    __syncthreads(); // @wait-for-all
  else
    simt_barrier_sync(1, 64); // @wait-for-some
}
RUN(two_barriers, LAUNCH(two_barriers, 1, 64, 0, 0))

__global__ void two_lines(int *out, int limit) {
  if ((int)threadIdx.x < limit) {
    out[threadIdx.x] = 1;
    __syncthreads(); // @line-one
  } else {
    out[threadIdx.x] = 2;
    __syncthreads(); // @line-two
  }
}
RUN(two_lines, LAUNCH(two_lines, 1, 64, 0, 0, (int *)memory, first))

/* first = 1: threads return before the others wait; 2: after. */
__global__ void early_return(int *out, int when) {
  if (when == 1 && threadIdx.x < 40) return;
  if (when == 2 && threadIdx.x >= 40) return;
  __syncthreads(); // @few-meet
  out[threadIdx.x] = 1;
}
RUN(early_return, LAUNCH(early_return, 1, 64, 0, 0, (int *)memory, first))

/* 1 reads and 2 writes past the allocation, 3 before it, 4 past the dynamic
 * shared memory, 5 before it, 6 in an allocation that was freed. */
__global__ void out_of_bounds(int *data, int where, int count) {
  __shared__ int tile[32];
  DYNAMIC_SHARED(int, dynamic);
  const int t = threadIdx.x;
  dynamic[t] = tile[t] = t;
  if (where == 0) data[t] = tile[t] + dynamic[t];
  __syncthreads();
  if (where == 1) data[t] = data[count - 31 + t]; // @read-past
  if (where == 2) data[count - 31 + t] = t;       // @write-past
  if (where == 3) data[t - 1] = t;                // @write-before
  if (where == 4) dynamic[t + 1] = t;             // @dynamic-past
  if (where == 5) dynamic[t - 32] = t;            // @dynamic-before
  if (where == 6) data[t] = t;                    // @freed
}
RUN(out_of_bounds, LAUNCH(out_of_bounds, 1, 32, 32 * sizeof(int), 0,
                          (int *)memory, first, second))

__global__ void misaligned(char *data, int offset) {
  *(float *)(data + offset) = 1.0f; // @misaligned
}
RUN(misaligned, LAUNCH(misaligned, 1, 1, 0, 0, (char *)memory, first))

__global__ void unwritten(int *out, int written) {
  __shared__ int tile[64];
  if ((int)threadIdx.x < written) tile[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x]; // @unwritten
}
RUN(unwritten, LAUNCH(unwritten, 1, 64, 0, 0, (int *)memory, first))

/* 1: the caller is not in its mask; 2: two masks; 3: two operations;
 * 4: a shuffle from a lane that is not in the mask. */
__global__ void mask(int *out, int bug) {
  const int lane = threadIdx.x;
  int x = 0;
  if (bug == 0) x = __shfl_sync(0xffffffffu, lane, 3);
  if (bug == 1) x = __shfl_sync(0xfffffffeu, lane, 3); // @not-in-mask
  if (bug == 2) {
    if (lane < 16)
      x = __shfl_sync(0xffffffffu, lane, 3); // @mask-all
    else
      x = __shfl_sync(0xffff0000u, lane, 20) + // @mask-half
          __shfl_sync(0xffff0000u, lane, 21);
  }
  if (bug == 3) {
    if (lane < 16)
      __syncwarp(); // @sync
    else
      x = __shfl_sync(0xffffffffu, lane, 3); // @not-sync
  }
  if (bug == 4 && lane < 16) x = __shfl_sync(0xffffu, lane, 20); // @source
  out[lane] = x;
}
RUN(mask, LAUNCH(mask, 1, 32, 0, 0, (int *)memory, first))

/* Thread 0 waits for a flag that thread 32 sets, or does not (first = 1). */
__global__ void spin(int *out, int bug) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 32 && bug == 0) flag = 1;
  if (threadIdx.x == 0)
    while (flag == 0) {} // @spin
  out[threadIdx.x] = 1;
}
RUN(spin, LAUNCH(spin, 1, 64, 0, 0, (int *)memory, first))

/* Lanes that have returned are not waited for. */
__global__ void lanes_return(int *out) {
  if (threadIdx.x >= 20) return;
  out[threadIdx.x] = __shfl_xor_sync(0xffffffffu, (int)threadIdx.x, 1);
}
RUN(lanes_return, LAUNCH(lanes_return, 1, 32, 0, 0, (int *)memory))

__global__ void host_pointer(int *data) {
  data[threadIdx.x] = 1; // @host-pointer
}
RUN(host_pointer, LAUNCH(host_pointer, 1, 1, 0, 0, (int *)memory))
