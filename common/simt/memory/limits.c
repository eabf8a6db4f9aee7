/* What a kernel may use. */

#include "common/simt/memory/memory.h"
#include "common/simt/run/block.h"

#include <cuda_runtime_api.h>
#include <stdio.h>

enum { MAX_KERNELS = 64 };

static struct {
  const void *kernel;
  size_t dynamic_limit;
} raised[MAX_KERNELS];
static uint32_t raised_count;

static size_t dynamic_limit(const void *kernel) {
  for (uint32_t i = 0; i < raised_count; i++)
    if (raised[i].kernel == kernel) return raised[i].dynamic_limit;
  const size_t own = symbol_static_shared(kernel);
  return own < STATIC_SHARED_LIMIT ? STATIC_SHARED_LIMIT - own : 0;
}

cudaError_t cudaFuncSetAttribute(const void *kernel,
                                 enum cudaFuncAttribute attribute, int value) {
  const size_t own = symbol_static_shared(kernel);
  if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
    return cudaSuccess;
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
      own + (size_t)value > SHARED_LIMIT || raised_count == MAX_KERNELS) {
    error_set(cudaErrorInvalidValue);
    return cudaErrorInvalidValue;
  }
  uint32_t i = 0;
  while (i < raised_count && raised[i].kernel != kernel) i++;
  if (i == raised_count) raised_count++;
  raised[i].kernel = kernel;
  raised[i].dynamic_limit = (size_t)value;
  return cudaSuccess;
}

static bool fits(uint3 extent, unsigned x, unsigned y, unsigned z) {
  return extent.x >= 1 && extent.x <= x && extent.y >= 1 && extent.y <= y &&
         extent.z >= 1 && extent.z <= z;
}

cudaError_t limits_judge(const simt_kernel_launch *l) {
  if (!fits(l->grid, INT32_MAX, 65535, 65535) ||
      !fits(l->block, MAX_THREADS, MAX_THREADS, 64) ||
      l->block.x * l->block.y * l->block.z > MAX_THREADS)
    return cudaErrorInvalidConfiguration;
  const size_t own = symbol_static_shared(l->kernel);
  if (own > STATIC_SHARED_LIMIT) {
    fprintf(stderr,
            "The kernel %s declares %zu bytes of static shared memory; the "
            "limit is %d.\n",
            l->name, own, STATIC_SHARED_LIMIT);
    return cudaErrorInvalidValue;
  }
  return l->dynamic_shared > dynamic_limit(l->kernel) ? cudaErrorInvalidValue
                                                      : cudaSuccess;
}
