/* What people ask the driver for: a description of a tensor for TMA. */

#include "common/simt/tensor/tensor.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <string.h>

CUresult cuTensorMapEncodeTiled(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t dimensions,
    void *memory, const cuuint64_t *sizes, const cuuint64_t *strides,
    const cuuint32_t *box, const cuuint32_t *steps,
    CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  static const unsigned char bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  static const unsigned char rows[] = {16, 32, 64, 128};
  (void)promotion;
  bool good = type < sizeof bytes && swizzle < sizeof rows &&
              dimensions - 1 < 5 && !interleave && !fill;
  for (unsigned i = 0; good && i < dimensions; i++) good = steps[i] == 1;
  return good && tma_describe(map, bytes[type], dimensions, memory, sizes,
                              strides, box, rows[swizzle])
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

cudaError_t
cudaGetDriverEntryPointByVersion(const char *name, void **found,
                                 unsigned version, unsigned long long flags,
                                 enum cudaDriverEntryPointQueryResult *result) {
  const bool known = !strcmp(name, "cuTensorMapEncodeTiled");
  (void)version, (void)flags;
  *found = known ? (void *)cuTensorMapEncodeTiled : NULL;
  if (result)
    *result = known ? cudaDriverEntryPointSuccess
                    : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

cudaError_t
cudaGetDriverEntryPoint(const char *name, void **found,
                        unsigned long long flags,
                        enum cudaDriverEntryPointQueryResult *result) {
  return cudaGetDriverEntryPointByVersion(name, found, 0, flags, result);
}
