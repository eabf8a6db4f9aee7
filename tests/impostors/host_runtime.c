/* The part of CUDA's runtime that the harness calls to bring a problem to the
 * device, where the device is this process. */

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

cudaError_t cudaMalloc(void **memory, size_t size) {
  *memory = malloc(size);
  return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaMallocManaged(void **memory, size_t size, unsigned flags) {
  (void)flags;
  return cudaMalloc(memory, size);
}

cudaError_t cudaFree(void *memory) {
  free(memory);
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t count,
                       enum cudaMemcpyKind kind) {
  (void)kind;
  memcpy(to, from, count);
  return cudaSuccess;
}

cudaError_t cudaMemset(void *memory, int value, size_t count) {
  memset(memory, value, count);
  return cudaSuccess;
}

/* Plenty: the harness asks the system about host memory itself. */
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
  *free_bytes = *total_bytes = (size_t)1 << 40;
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void) { return cudaSuccess; }

const char *cudaGetErrorString(cudaError_t error) {
  return error ? "an error" : "no error";
}
