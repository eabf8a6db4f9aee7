#include "libfp8attention/strides.h"

#include <stdbool.h>

#include "libfp8attention/fp8attention.h"

cudaError_t device_take(cudaError_t error) {
  if (error) cudaGetLastError();
  return error;
}

/* CUDA's error where the device cannot be asked, or where an earlier call has
 * left one. */
static cudaError_t is_hopper(bool *is) {
  int device = 0, major = 0, minor = 0;
  cudaError_t error = cudaPeekAtLastError();
  if (error) return error;
  error = cudaGetDevice(&device);
  if (!error)
    error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor,
                                   device);
  if (!error)
    error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor,
                                   device);
  *is = major == 9 && minor == 0;
  return device_take(error);
}

int device_check(void) {
  bool fits = false;
  const cudaError_t error = is_hopper(&fits);
  if (error) return FP8ATTENTION_CUDA + (int)error;
  return fits ? FP8ATTENTION_OK : FP8ATTENTION_WRONG_DEVICE;
}
