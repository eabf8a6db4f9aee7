#ifndef NAMED_BARRIER_CUH
#define NAMED_BARRIER_CUH

/* Barriers between some warps of a block. `id` is 1 to 15 (0 is that of
 * __syncthreads), `threads` a multiple of 32: how many arrivals open it, those
 * that wait and those that do not counted together. Memory accesses before an
 * arrival are seen after the wait. */

__device__ inline void named_barrier_sync(unsigned id, unsigned threads) {
#ifdef SIMT
  simt_barrier_sync(id, threads);
#else
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
#endif
}

/* Arrives and goes on. */
__device__ inline void named_barrier_arrive(unsigned id, unsigned threads) {
#ifdef SIMT
  simt_barrier_arrive(id, threads);
#else
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
#endif
}

#endif
