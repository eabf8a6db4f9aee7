#include "common/device/interface/launch.cuh"
#include "tests/simt/kernels/kernels.h"

/* Order by flags, locks and compare-and-swap. Each kernel is right with
 * first = 0, or says why not. */

/* Each block adds to what the one before it has handed on: the blocks take
 * tickets, so that nobody waits for one that has not begun.
 *   1  no fence before the flag    2  none after it */
__device__ unsigned chain_ticket;
__global__ void chain(volatile int *sums, volatile int *flags, int bug) {
  __shared__ unsigned id;
  if (threadIdx.x > 0) return;
  id = atomicAdd(&chain_ticket, 1u) % gridDim.x;
  int before = 0;
  if (id > 0) {
    while (flags[id - 1] == 0) {} // @chain-wait
    if (bug != 2) __threadfence();
    before = sums[id - 1]; // @chain-read
  }
  sums[id] = before + 1; // @chain-sum
  if (bug != 1) __threadfence();
  flags[id] = 1; // @chain-flag
}
RUN(chain, 8, 32, (volatile int *)memory, (volatile int *)memory + 64, first)

/* The last block adds up what all threads of all blocks have written.
 * first = 1: no fence; 2: one for the block. */
__global__ void sum_last(int *part, int *out, int bug) {
  __shared__ bool last;
  const int t = threadIdx.x, own = blockIdx.x * blockDim.x + t;
  part[own] = 1; // @sum-part
  if (bug == 0) __threadfence();
  if (bug == 2) __threadfence_block();
  __syncthreads();
  if (t == 0) last = atomicAdd(&out[1], 1) == (int)gridDim.x - 1;
  __syncthreads();
  if (!last || t > 0) return;
  int sum = 0;
  for (unsigned i = 0; i < blockDim.x * gridDim.x; i++)
    sum += part[i]; // @sum-read
  *out = sum;
}
RUN(sum_last, second, 64, results<int>(memory), (int *)memory, first)

/* A lock around a plain counter. 1: no fence after it is taken. */
__global__ void locked_here(int *out, int bug) {
  __shared__ int taken, count;
  if (threadIdx.x == 0) taken = count = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&taken, 0, 1)) {}
    if (bug != 1) __threadfence_block();
    ++count; // @here-count
    __threadfence_block();
    atomicExch(&taken, 0);
  }
  __syncthreads();
  if (threadIdx.x == 0) *out = count;
}
RUN(locked_here, 1, 96, (int *)memory, first)

/* A warp hands a number to another one. 1: no fence after the flag; 2: the
 * reader looks once, and does not wait. */
__global__ void handed_on(int *out, int bug) {
  __shared__ volatile int flag;
  __shared__ int value;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    value = 7; // @hand-write
    __threadfence_block();
    flag = 1; // @hand-flag
  }
  if (threadIdx.x == 32) {
    if (bug != 2) while (flag == 0) {} // @hand-wait
    if (bug == 2) out[1] = flag; // @hand-look
    if (bug != 1) __threadfence_block();
    out[0] = value; // @hand-read
  }
}
RUN(handed_on, 1, 64, (int *)memory, first)

/* Doubles added by compare-and-swap. 1: the result is stored plainly. */
__device__ void add(double *sum, double x, int bug) {
  auto *place = (unsigned long long *)sum;
  unsigned long long old = *place, seen; // @cas-look
  do {
    seen = old;
    double now;
    memcpy(&now, &seen, sizeof now);
    now += x;
    unsigned long long next;
    memcpy(&next, &now, sizeof next);
    if (bug == 1) *place = old = next; // @cas-store
    else old = atomicCAS(place, seen, next); // @cas
  } while (bug != 1 && old != seen);
}
__global__ void add_doubles(double *sum, int bug) {
  add(sum, 1.0, bug);
}
RUN(add_doubles, second, 1, (double *)memory, first)

/* Each block says that it has found something; 1: and what. */
__global__ void found(int *any, int bug) {
  if (threadIdx.x == 0) *any = bug ? blockIdx.x + 1 : 1; // @found
}
RUN(found, 4, 32, (int *)memory, first)
