#ifndef STOPWATCH_CUH
#define STOPWATCH_CUH

#include "common/device/ptx/timer.cuh"
#include "floor/kernels.h"

//> stopwatch
// Cycles of this multiprocessor and nanoseconds, so that the clock that it
// really had comes out, too.
struct stopwatch {
  uint64_t ns;
  long long cycles;
};

__device__ inline stopwatch stopwatch_start() {
  stopwatch s;
  s.ns = global_timer();
  s.cycles = clock64();
  return s;
}

__device__ inline void stopwatch_stop(const stopwatch &start,
                                      floor_span *span) {
  const long long cycles = clock64();
  const uint64_t ns = global_timer();
  if (threadIdx.x > 0 || blockIdx.x > 0 || !span) return;
  span->cycles = cycles - start.cycles;
  span->ns = static_cast<int64_t>(ns - start.ns);
}
//< stopwatch

#endif
