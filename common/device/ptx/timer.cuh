#ifndef TIMER_CUH
#define TIMER_CUH

#include <cstdint>

/* Nanoseconds on a clock that all blocks share; it may tick in steps of a
 * microsecond. On the CPU executor: steps of this block, with no meaning but
 * their order. clock64() counts the cycles of one multiprocessor. */
__device__ inline uint64_t global_timer() {
#ifdef SIMT
  return simt_clock();
#else
  uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  return now;
#endif
}

#endif
