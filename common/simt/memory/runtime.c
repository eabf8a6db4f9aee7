/* The part of CUDA's runtime interface that a program of this project calls.
 * Kernels run at their launch, so streams are always idle. */

#include "common/simt/run/executor.h"

#include <cuda_runtime_api.h>
#include <string.h>

/* Errors that end a kernel stay, as on a GPU: the device is lost until
 * cudaDeviceReset. Others are told of once. */
static cudaError_t last_error, lost;

void error_set(cudaError_t error) { last_error = error; }
void error_set_sticky(cudaError_t error) { last_error = lost = error; }
cudaError_t error_sticky(void) { return lost; }

static cudaError_t told(cudaError_t error) {
  if (error) last_error = error;
  return error;
}

cudaError_t cudaGetLastError(void) {
  const cudaError_t error = last_error;
  last_error = lost;
  return error;
}

cudaError_t cudaPeekAtLastError(void) { return last_error; }

cudaError_t cudaDeviceReset(void) {
  last_error = lost = cudaSuccess;
  return cudaSuccess;
}

static const struct {
  cudaError_t error;
  const char *name, *text;
} errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice",
     "invalid device ordinal"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction",
     "invalid device function"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress",
     "misaligned address"},
    {cudaErrorIllegalInstruction, "cudaErrorIllegalInstruction",
     "an illegal instruction was encountered"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout",
     "the launch timed out and was terminated"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure",
     "unspecified launch failure"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};
enum { ERROR_COUNT = sizeof errors / sizeof *errors };

const char *cudaGetErrorName(cudaError_t error) {
  for (int i = 0; i < ERROR_COUNT; i++)
    if (errors[i].error == error) return errors[i].name;
  return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
  for (int i = 0; i < ERROR_COUNT; i++)
    if (errors[i].error == error) return errors[i].text;
  return "unrecognized error code";
}

/* ---- memory ---- */

static bool device_side(const void *pointer, size_t size, bool on_device) {
  return !on_device || arena_contains(pointer, size);
}

cudaError_t cudaMemcpy(void *destination, const void *source, size_t size,
                       enum cudaMemcpyKind kind) {
  if (lost) return lost;
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
  if (lost) return lost;
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
  return lost;
}

/* Small, so that a grid made to fit the device has a queue of work left. */
enum { MULTIPROCESSORS = 2, RESIDENT_BLOCKS = 2 };

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute,
                                   int device) {
  if (device != 0) return told(cudaErrorInvalidDevice);
  /* It runs what a GPU of compute capability 9.0 does. */
  if (attribute == cudaDevAttrMultiProcessorCount)
    *value = MULTIPROCESSORS;
  else if (attribute == cudaDevAttrComputeCapabilityMajor)
    *value = 9;
  else if (attribute == cudaDevAttrComputeCapabilityMinor)
    *value = 0;
  else
    return told(cudaErrorInvalidValue);
  return lost;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, const void *kernel, int threads, size_t dynamic_shared) {
  (void)kernel, (void)threads, (void)dynamic_shared;
  *blocks = RESIDENT_BLOCKS;
  return lost;
}

cudaError_t cudaSetDevice(int device) {
  return device == 0 ? lost : told(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceSynchronize(void) { return lost; }

/* A stream is a handle that nobody looks into. */
static char stream_handle;

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  *stream = (cudaStream_t)&stream_handle;
  return lost;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  (void)flags;
  return cudaStreamCreate(stream);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  (void)stream;
  return lost;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  (void)stream;
  return lost;
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  (void)stream;
  return lost;
}
