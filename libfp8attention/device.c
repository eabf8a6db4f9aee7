#include "libfp8attention/device.h"

cudaError_t device_take(cudaError_t error) {
  if (error) cudaGetLastError();
  return error;
}

cudaError_t device_is_hopper(bool *is) {
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
