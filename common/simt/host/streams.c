/* Streams and events. Kernels and copies run at once, in the order of the
 * program, so that streams are always idle; what they would have been free to
 * do at the same time, race/streams.c keeps. */

#include "common/simt/host/host.h"
#include "common/simt/memory/memory.h"
#include "common/simt/race/race.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  uint32_t number;
} stream;

typedef struct {
  uint32_t clock[MAX_STREAMS];
  struct timespec time;
} event;

uint32_t stream_number(void *handle) {
  static uint32_t own;
  if (!handle || handle == (void *)cudaStreamLegacy) return STREAM_DEFAULT;
  if (handle != (void *)cudaStreamPerThread) return ((stream *)handle)->number;
  return own ? own : (own = streams_new(true));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *handle, unsigned flags) {
  stream *s = malloc(sizeof *s);
  if (!s) abort();
  s->number = streams_new(!(flags & cudaStreamNonBlocking));
  *handle = (cudaStream_t)(void *)s;
  return error_sticky();
}

cudaError_t cudaStreamCreate(cudaStream_t *handle) {
  return cudaStreamCreateWithFlags(handle, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  free((void *)handle);
  return error_sticky();
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  streams_done(stream_number(handle));
  return error_sticky();
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return cudaStreamSynchronize(handle);
}

cudaError_t cudaDeviceSynchronize(void) {
  streams_all_done();
  return error_sticky();
}

/* ---- events ---- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *handle, unsigned flags) {
  (void)flags;
  event *e = calloc(1, sizeof *e);
  if (!e) abort();
  *handle = (cudaEvent_t)(void *)e;
  return error_sticky();
}

cudaError_t cudaEventCreate(cudaEvent_t *handle) {
  return cudaEventCreateWithFlags(handle, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  free((void *)handle);
  return error_sticky();
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t of) {
  event *e = (event *)(void *)handle;
  clock_gettime(CLOCK_MONOTONIC, &e->time);
  streams_record(stream_number(of), e->clock);
  return error_sticky();
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t of,
                                unsigned flags) {
  (void)flags;
  streams_learn(stream_number(handle), ((event *)(void *)of)->clock);
  return error_sticky();
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  streams_learn(STREAM_HOST, ((event *)(void *)handle)->clock);
  return error_sticky();
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return cudaEventSynchronize(handle);
}

/* The executor's own time, which says nothing of a GPU's. */
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start,
                                 cudaEvent_t end) {
  const event *from = (event *)(void *)start, *to = (event *)(void *)end;
  *milliseconds = 1e3f * (float)(to->time.tv_sec - from->time.tv_sec) +
                  1e-6f * (float)(to->time.tv_nsec - from->time.tv_nsec);
  return error_sticky();
}
