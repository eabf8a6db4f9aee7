#include "libfp8attention/strides.h"

#include <stdbool.h>

#include "libfp8attention/fp8attention.h"

static int code_of(cudaError_t error) {
  if (!error) return FP8ATTENTION_OK;
  cudaGetLastError();
  return FP8ATTENTION_CUDA + (int)error;
}

/* Memory that is of no device may still be read by one. */
static int device_of(const void *memory, int current) {
  struct cudaPointerAttributes found;
  if (cudaPointerGetAttributes(&found, memory)) {
    cudaGetLastError();
    return current;
  }
  return found.type == cudaMemoryTypeDevice ? found.device : current;
}

static cudaError_t is_hopper(int device, bool *is) {
  int major = 0, minor = 0;
  cudaError_t error = cudaDeviceGetAttribute(
      &major, cudaDevAttrComputeCapabilityMajor, device);
  if (!error)
    error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor,
                                   device);
  *is = major == 9 && minor == 0;
  return error;
}

/* Where an earlier call has left an error, that is CUDA's and the caller's. */
int device_enter(device_scope *scope, const void *memory) {
  bool fits = false;
  cudaError_t error = cudaPeekAtLastError();
  if (error) return FP8ATTENTION_CUDA + (int)error;
  error = cudaGetDevice(&scope->before);
  if (error) return code_of(error);
  scope->now = device_of(memory, scope->before);
  error = is_hopper(scope->now, &fits);
  if (!error && !fits) return FP8ATTENTION_WRONG_DEVICE;
  if (!error && scope->now != scope->before) error = cudaSetDevice(scope->now);
  return code_of(error);
}

int device_leave(const device_scope *scope, cudaError_t error) {
  const int code = code_of(error);
  if (scope->now == scope->before) return code;
  const int left = code_of(cudaSetDevice(scope->before));
  return code ? code : left;
}
