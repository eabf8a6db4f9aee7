/* Memory and devices: the part of CUDA's runtime interface that a program of
 * this project calls. */

#include "common/simt/host/host.h"
#include "common/simt/memory/memory.h"
#include "common/simt/race/race.h"
#include "common/simt/run/finding.h"
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

/* What a copy to the host takes along that nobody has written. */
static void look_at_fresh(const void *source, size_t size, uint32_t pc) {
  const fresh_bytes f = arena_find_fresh(source, size);
  if (f.bytes)
    finding_of_host(f.padding ? SIMT_PADDING : SIMT_UNINITIALISED, pc,
                    "a copy of %zu bytes to the host: nobody has written %zu "
                    "of them, from byte %zu on",
                    size, f.bytes, f.first);
}

static cudaError_t copy(void *destination, const void *source, size_t size,
                        enum cudaMemcpyKind kind, const char *name,
                        uint32_t stream, uint32_t pc) {
  if (error_sticky()) return error_sticky();
  const bool to_device =
      kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device =
      kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (kind > cudaMemcpyDefault || !device_side(destination, size, to_device) ||
      !device_side(source, size, from_device))
    return error_of_call(cudaErrorInvalidValue, name, pc);
  streams_begin(stream, name);
  streams_range(pc, source, size, false);
  streams_range(pc, destination, size, true);
  if (arena_kind_of(destination) != ARENA_DEVICE)
    look_at_fresh(source, size, pc);
  memmove(destination, source, size);
  arena_copy_fresh(destination, source, size);
  return cudaSuccess;
}

/* Of two pieces of memory of the device the host does not see the end. */
cudaError_t cudaMemcpy(void *destination, const void *source, size_t size,
                       enum cudaMemcpyKind kind) {
  const cudaError_t error = copy(destination, source, size, kind, "cudaMemcpy",
                                 STREAM_DEFAULT, CALLER);
  if (!error && (arena_kind_of(destination) != ARENA_DEVICE ||
                 arena_kind_of(source) != ARENA_DEVICE))
    streams_done(STREAM_DEFAULT);
  return error;
}

/* To memory that is not pinned it returns when the copy is done. */
cudaError_t cudaMemcpyAsync(void *destination, const void *source, size_t size,
                            enum cudaMemcpyKind kind, cudaStream_t stream) {
  const uint32_t number = stream_number(stream);
  const cudaError_t error = copy(destination, source, size, kind,
                                 "cudaMemcpyAsync", number, CALLER);
  if (!error && arena_kind_of(destination) == ARENA_NONE) streams_done(number);
  return error;
}

static cudaError_t fill(void *pointer, int value, size_t size, const char *name,
                        uint32_t stream, uint32_t pc) {
  if (error_sticky()) return error_sticky();
  if (!arena_contains(pointer, size))
    return error_of_call(cudaErrorInvalidValue, name, pc);
  streams_begin(stream, name);
  streams_range(pc, pointer, size, true);
  arena_reach(true);
  memset(pointer, value, size);
  arena_reach(false);
  arena_written(pointer, size);
  return cudaSuccess;
}

cudaError_t cudaMemset(void *pointer, int value, size_t size) {
  return fill(pointer, value, size, "cudaMemset", STREAM_DEFAULT, CALLER);
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t size,
                            cudaStream_t stream) {
  return fill(pointer, value, size, "cudaMemsetAsync", stream_number(stream),
              CALLER);
}

cudaError_t cudaMalloc(void **pointer, size_t size) {
  return error_of_call(arena_give(pointer, size, ARENA_DEVICE), "cudaMalloc",
                       CALLER);
}

/* Is there only where it is used, and so may be larger than memory. */
cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned flags) {
  (void)flags;
  return error_of_call(arena_give(pointer, size, ARENA_MANAGED),
                       "cudaMallocManaged", CALLER);
}

cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned flags) {
  (void)flags;
  return error_of_call(arena_give(pointer, size, ARENA_PINNED),
                       "cudaHostAlloc", CALLER);
}

cudaError_t cudaMallocHost(void **pointer, size_t size) {
  return error_of_call(arena_give(pointer, size, ARENA_PINNED),
                       "cudaMallocHost", CALLER);
}

/* Waits for the device, as CUDA's does. */
static cudaError_t give_back(void *pointer, const char *name, uint32_t pc) {
  streams_all_done();
  return error_of_call(arena_take(pointer), name, pc);
}

cudaError_t cudaFree(void *pointer) {
  return give_back(pointer, "cudaFree", CALLER);
}

cudaError_t cudaFreeHost(void *pointer) {
  return give_back(pointer, "cudaFreeHost", CALLER);
}

/* ---- devices ---- */

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
  if (attribute == cudaDevAttrMultiProcessorCount)
    *value = tell_multiprocessors();
  else if (!device_attribute(value, attribute))
    return told(cudaErrorInvalidValue);
  return error_sticky();
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, const void *kernel, int threads, size_t dynamic_shared) {
  (void)kernel, (void)threads, (void)dynamic_shared;
  *blocks = RESIDENT_BLOCKS;
  return error_sticky();
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *kernel, int threads, size_t dynamic_shared,
    unsigned flags) {
  (void)flags;
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads,
                                                       dynamic_shared);
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
