/* CUDA's runtime functions that only a program with its own main calls. */

#include "common/simt/host/host.h"
#include "common/simt/memory/memory.h"
#include "common/simt/race/race.h"
#include "common/simt/run/launch.h"
#include "common/simt/simt.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

/* ---- the device ---- */

/* It runs what a GPU of compute capability 9.0 does. */
#define DEVICE(NUMBER)                                                         \
  NUMBER(major, ComputeCapabilityMajor, 9)                                     \
  NUMBER(minor, ComputeCapabilityMinor, 0)                                     \
  NUMBER(warpSize, WarpSize, 32)                                               \
  NUMBER(maxThreadsPerBlock, MaxThreadsPerBlock, 1024)                         \
  NUMBER(maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor, 2048)       \
  NUMBER(maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor, 32)           \
  NUMBER(maxThreadsDim[0], MaxBlockDimX, 1024)                                 \
  NUMBER(maxThreadsDim[1], MaxBlockDimY, 1024)                                 \
  NUMBER(maxThreadsDim[2], MaxBlockDimZ, 64)                                   \
  NUMBER(maxGridSize[0], MaxGridDimX, INT32_MAX)                               \
  NUMBER(maxGridSize[1], MaxGridDimY, 65535)                                   \
  NUMBER(maxGridSize[2], MaxGridDimZ, 65535)                                   \
  NUMBER(sharedMemPerBlock, MaxSharedMemoryPerBlock, STATIC_SHARED_LIMIT)      \
  NUMBER(sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin, SHARED_LIMIT)   \
  NUMBER(sharedMemPerMultiprocessor, MaxSharedMemoryPerMultiprocessor,         \
         SHARED_LIMIT + 1024)                                                  \
  NUMBER(regsPerBlock, MaxRegistersPerBlock, 65536)                            \
  NUMBER(regsPerMultiprocessor, MaxRegistersPerMultiprocessor, 65536)          \
  NUMBER(totalConstMem, TotalConstantMemory, 65536)                            \
  NUMBER(l2CacheSize, L2CacheSize, 50 << 20)                                   \
  NUMBER(memoryBusWidth, GlobalMemoryBusWidth, 5120)                           \
  NUMBER(asyncEngineCount, AsyncEngineCount, 3)                                \
  NUMBER(unifiedAddressing, UnifiedAddressing, 1)                              \
  NUMBER(managedMemory, ManagedMemory, 1)                                      \
  NUMBER(concurrentManagedAccess, ConcurrentManagedAccess, 1)                  \
  NUMBER(concurrentKernels, ConcurrentKernels, 1)                              \
  NUMBER(canMapHostMemory, CanMapHostMemory, 1)                                \
  NUMBER(cooperativeLaunch, CooperativeLaunch, 1)

bool device_attribute(int *value, int attribute) {
  switch (attribute) {
#define ATTRIBUTE(member, name, number)                                        \
  case cudaDevAttr##name:                                                      \
    *value = number;                                                           \
    return true;
    DEVICE(ATTRIBUTE)
  default:
    return false;
  }
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device) {
  if (device != 0)
    return error_of_call(cudaErrorInvalidDevice, "cudaGetDeviceProperties",
                         CALLER);
  size_t free_bytes;
  memset(p, 0, sizeof *p);
  strcpy(p->name, "CPU executor");
#define PROPERTY(member, name, number) p->member = number;
  DEVICE(PROPERTY)
  cudaDeviceGetAttribute(&p->multiProcessorCount,
                         cudaDevAttrMultiProcessorCount, 0);
  return cudaMemGetInfo(&free_bytes, &p->totalGlobalMem);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *found,
                                  const void *kernel) {
  memset(found, 0, sizeof *found);
  found->maxThreadsPerBlock = 1024;
  found->sharedSizeBytes = symbol_static_shared(kernel);
  return error_sticky();
}

#define DOES_NOTHING(name, ...)                                                \
  cudaError_t name(__VA_ARGS__) { return error_sticky(); }
#pragma GCC diagnostic ignored "-Wunused-parameter"
DOES_NOTHING(cudaFuncSetCacheConfig, const void *k, enum cudaFuncCache c)
DOES_NOTHING(cudaDeviceSetCacheConfig, enum cudaFuncCache c)
DOES_NOTHING(cudaDeviceSetLimit, enum cudaLimit limit, size_t value)
DOES_NOTHING(cudaSetDeviceFlags, unsigned flags)
DOES_NOTHING(cudaProfilerStart, void)
DOES_NOTHING(cudaProfilerStop, void)
DOES_NOTHING(cudaMemPrefetchAsync, const void *at, size_t size,
             struct cudaMemLocation where, unsigned flags, cudaStream_t s)
DOES_NOTHING(cudaMemAdvise, const void *at, size_t size,
             enum cudaMemoryAdvise advice, struct cudaMemLocation where)

cudaError_t cudaDriverGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int *version) {
  return cudaDriverGetVersion(version);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  *least = 0;
  *greatest = -5;
  return error_sticky();
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags,
                                         int priority) {
  (void)priority;
  return cudaStreamCreateWithFlags(stream, flags);
}

/* A function of the host's, in its stream's turn: all before it is done. */
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function,
                               void *data) {
  streams_done(stream_number(stream));
  function(data);
  return error_sticky();
}

/* ---- memory ---- */

cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream) {
  (void)stream;
  return cudaMalloc(pointer, size);
}
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
  (void)stream;
  return cudaFree(pointer);
}
cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width,
                            size_t height) {
  *pitch = (width + 511) / 512 * 512;
  return cudaMalloc(pointer, *pitch * height);
}
cudaError_t cudaHostGetDevicePointer(void **device, void *host,
                                     unsigned flags) {
  (void)flags;
  *device = host;
  return error_sticky();
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                              size_t from_pitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream) {
  cudaError_t error = cudaSuccess;
  for (size_t y = 0; y < height && !error; y++)
    error = cudaMemcpyAsync((char *)to + y * to_pitch,
                            (const char *)from + y * from_pitch, width, kind,
                            stream);
  return error;
}
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from,
                         size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind) {
  const cudaError_t error = cudaMemcpy2DAsync(
      to, to_pitch, from, from_pitch, width, height, kind, 0);
  if (!error) streams_done(STREAM_DEFAULT);
  return error;
}
cudaError_t cudaMemset2D(void *at, size_t pitch, int value, size_t width,
                         size_t height) {
  cudaError_t error = cudaSuccess;
  for (size_t y = 0; y < height && !error; y++)
    error = cudaMemset((char *)at + y * pitch, value, width);
  return error;
}

/* A variable of the program is where its host would have it. */
static cudaError_t symbol(void *to, const void *from, size_t size,
                          const void *variable, cudaStream_t stream) {
  if ((uintptr_t)variable - variables_low() >= variables_size())
    return error_of_call(cudaErrorInvalidSymbol, "cudaMemcpyToSymbol", CALLER);
  return cudaMemcpyAsync(to, from, size, cudaMemcpyDefault, stream);
}
cudaError_t cudaMemcpyToSymbolAsync(const void *to, const void *from,
                                    size_t size, size_t offset,
                                    enum cudaMemcpyKind kind,
                                    cudaStream_t stream) {
  (void)kind;
  return symbol((char *)to + offset, from, size, to, stream);
}
cudaError_t cudaMemcpyToSymbol(const void *to, const void *from, size_t size,
                               size_t offset, enum cudaMemcpyKind kind) {
  const cudaError_t error =
      cudaMemcpyToSymbolAsync(to, from, size, offset, kind, 0);
  if (!error) streams_done(STREAM_DEFAULT);
  return error;
}
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *from, size_t size,
                                      size_t offset, enum cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  (void)kind;
  return symbol(to, (const char *)from + offset, size, from, stream);
}
cudaError_t cudaMemcpyFromSymbol(void *to, const void *from, size_t size,
                                 size_t offset, enum cudaMemcpyKind kind) {
  const cudaError_t error =
      cudaMemcpyFromSymbolAsync(to, from, size, offset, kind, 0);
  if (!error) streams_done(STREAM_DEFAULT);
  return error;
}
cudaError_t cudaGetSymbolAddress(void **at, const void *variable) {
  *at = (void *)variable;
  return error_sticky();
}
