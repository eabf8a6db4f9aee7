#ifndef MBARRIER_CUH
#define MBARRIER_CUH

#include <cstdint>

/* A barrier in shared memory that counts arrivals in phases. One thread calls
 * mbarrier_init, then the block meets in __syncthreads(). A phase ends with
 * its `count`th arrival, and the next one begins. mbarrier_wait(b, 0) waits for
 * the end of the first phase, (b, 1) for that of the second, (b, 0) again for
 * that of the third. Memory accesses before an arrival are seen after the wait
 * for its phase. */

//> mbarrier-init
__device__ inline void mbarrier_init(uint64_t *barrier, unsigned count) {
#ifdef SIMT
  simt_mbarrier_init(barrier, count);
#else
  const unsigned address = __cvta_generic_to_shared(barrier);
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address), "r"(count)
               : "memory");
#endif
}
//< mbarrier-init

//> mbarrier-arrive
__device__ inline void mbarrier_arrive(uint64_t *barrier) {
#ifdef SIMT
  simt_mbarrier_arrive(barrier);
#else
  const unsigned address = __cvta_generic_to_shared(barrier);
  [[maybe_unused]] uint64_t state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
               : "=l"(state)
               : "r"(address)
               : "memory");
#endif
}
//< mbarrier-arrive

/* One arrival of this thread as soon as its cp.async copies so far have landed;
 * the thread goes on at once. */
__device__ inline void mbarrier_arrive_after_copies(uint64_t *barrier) {
#ifdef SIMT
  simt_async_arrive(barrier);
#else
  const unsigned address = __cvta_generic_to_shared(barrier);
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address)
               : "memory");
#endif
}

//> mbarrier-wait
/* True once the phase with that parity has ended; may wait a while for it. */
__device__ inline bool mbarrier_try_wait(uint64_t *barrier, unsigned parity) {
#ifdef SIMT
  return simt_mbarrier_try_wait(barrier, parity);
#else
  const unsigned address = __cvta_generic_to_shared(barrier);
  unsigned ended;
  asm volatile("{\n"
               "  .reg .pred ended;\n"
#if __CUDA_ARCH__ >= 900
               "  mbarrier.try_wait.parity.shared.b64 ended, [%1], %2;\n"
#else
               "  mbarrier.test_wait.parity.shared.b64 ended, [%1], %2;\n"
#endif
               "  selp.u32 %0, 1, 0, ended;\n"
               "}\n"
               : "=r"(ended)
               : "r"(address), "r"(parity)
               : "memory");
  return ended;
#endif
}

__device__ inline void mbarrier_wait(uint64_t *barrier, unsigned parity) {
  while (!mbarrier_try_wait(barrier, parity)) {
  }
}
//< mbarrier-wait

#endif
