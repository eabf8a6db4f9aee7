/* The part of CUDA's runtime interface that a program of this project calls.
 * Kernels run at their launch, so streams are always idle. */

#include "common/simt/memory/memory.h"
#include "common/simt/simt.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <string.h>

static cudaError_t told(cudaError_t error) {
  if (error) error_set(error);
  return error;
}

/* ---- memory ---- */

static bool device_side(const void *pointer, size_t size, bool on_device) {
  return !on_device || arena_contains(pointer, size);
}

cudaError_t cudaMemcpy(void *destination, const void *source, size_t size,
                       enum cudaMemcpyKind kind) {
  if (error_sticky()) return error_sticky();
  const bool to_device =
      kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device =
      kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (kind > cudaMemcpyDefault || !device_side(destination, size, to_device) ||
      !device_side(source, size, from_device))
    return told(cudaErrorInvalidValue);
  memmove(destination, source, size);
  return cudaSuccess;
}

cudaError_t cudaMemset(void *pointer, int value, size_t size) {
  if (error_sticky()) return error_sticky();
  if (!arena_contains(pointer, size)) return told(cudaErrorInvalidValue);
  memset(pointer, value, size);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *destination, const void *source, size_t size,
                            enum cudaMemcpyKind kind, cudaStream_t stream) {
  (void)stream;
  return cudaMemcpy(destination, source, size, kind);
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t size,
                            cudaStream_t stream) {
  (void)stream;
  return cudaMemset(pointer, value, size);
}

/* ---- devices and streams ---- */

cudaError_t cudaGetDeviceCount(int *count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
  *device = 0;
  return error_sticky();
}

enum { RESIDENT_BLOCKS = 2 };
static int multiprocessors = 2;
static bool multiprocessors_asked;

void simt_set_multiprocessors(int count) {
  multiprocessors = count;
  multiprocessors_asked = false;
}

bool simt_multiprocessors_asked(void) { return multiprocessors_asked; }

static int tell_multiprocessors(void) {
  multiprocessors_asked = true;
  return multiprocessors;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute,
                                   int device) {
  if (device != 0) return told(cudaErrorInvalidDevice);
  /* It runs what a GPU of compute capability 9.0 does. */
  if (attribute == cudaDevAttrMultiProcessorCount)
    *value = tell_multiprocessors();
  else if (attribute == cudaDevAttrComputeCapabilityMajor)
    *value = 9;
  else if (attribute == cudaDevAttrComputeCapabilityMinor)
    *value = 0;
  else
    return told(cudaErrorInvalidValue);
  return error_sticky();
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, const void *kernel, int threads, size_t dynamic_shared) {
  (void)kernel, (void)threads, (void)dynamic_shared;
  *blocks = RESIDENT_BLOCKS;
  return error_sticky();
}

cudaError_t cudaSetDevice(int device) {
  return device == 0 ? error_sticky() : told(cudaErrorInvalidDevice);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *found,
                                     const void *pointer) {
  *found = (struct cudaPointerAttributes){
      .type = arena_contains(pointer, 1) ? cudaMemoryTypeDevice
                                         : cudaMemoryTypeUnregistered};
  return error_sticky();
}

cudaError_t cudaDeviceSynchronize(void) { return error_sticky(); }

/* A stream is a handle that nobody looks into. */
static char stream_handle;

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  *stream = (cudaStream_t)&stream_handle;
  return error_sticky();
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  (void)flags;
  return cudaStreamCreate(stream);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  (void)stream;
  return error_sticky();
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  (void)stream;
  return error_sticky();
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  (void)stream;
  return error_sticky();
}
