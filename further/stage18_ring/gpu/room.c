#include "further/stage18_ring/ring/exchange.h"

#include <cuda_runtime_api.h>

/* The linker hands the library's question here (--wrap in stage.mk). */
cudaError_t __real_cudaDeviceGetAttribute(int *value,
                                          enum cudaDeviceAttr attribute,
                                          int device);
cudaError_t __wrap_cudaDeviceGetAttribute(int *value,
                                          enum cudaDeviceAttr attribute,
                                          int device);

static int taken;

void room_for_messages(int multiprocessors) { taken = multiprocessors; }

cudaError_t __wrap_cudaDeviceGetAttribute(int *value,
                                          enum cudaDeviceAttr attribute,
                                          int device) {
  const cudaError_t error =
      __real_cudaDeviceGetAttribute(value, attribute, device);
  if (!error && attribute == cudaDevAttrMultiProcessorCount && taken < *value)
    *value -= taken;
  return error;
}
