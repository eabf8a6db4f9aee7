/* Memory and devices: the part of CUDA's runtime interface that a program of
 * this project calls. */

#include "common/simt/host/host.h"
#include "common/simt/race/race.h"
#include "common/simt/run/launch.h"
#include "common/simt/tensor/tensor.h"

#include <cuda.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

static cudaError_t told(cudaError_t error) {
  if (error) error_set(error);
  return error;
}

/* ---- memory ---- */

/* What a copy to the host takes along that nobody has written. */
static void look_at_fresh(const void *source, size_t size, uint32_t pc) {
  const fresh_bytes f = arena_find_fresh(source, size);
  if (f.bytes)
    FINDING_OF_HOST(f.padding ? SIMT_PADDING : SIMT_UNINITIALISED, pc,
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
  if (kind > cudaMemcpyDefault ||
      (to_device && !arena_contains(destination, size)) ||
      (from_device && !arena_contains(source, size)))
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
  simt_written(pointer, size);
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

#define ALLOCATES(name, kind, ...)                                             \
  cudaError_t name(void **pointer, size_t size, ##__VA_ARGS__) {               \
    return error_of_call(arena_give(pointer, size, kind), #name, CALLER);      \
  }
ALLOCATES(cudaMalloc, ARENA_DEVICE)
ALLOCATES(cudaMallocHost, ARENA_PINNED)
ALLOCATES(cudaHostAlloc, ARENA_PINNED, unsigned flags)
/* Is there only where it is used, and so may be larger than memory. */
ALLOCATES(cudaMallocManaged, ARENA_MANAGED, unsigned flags)

/* They wait for the device, as CUDA's do. */
#define FREES(name)                                                            \
  cudaError_t name(void *pointer) {                                            \
    streams_all_done();                                                        \
    return error_of_call(arena_take(pointer), #name, CALLER);                  \
  }
FREES(cudaFree)
FREES(cudaFreeHost)

/* ---- devices ---- */

cudaError_t cudaGetDeviceCount(int *count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
  *device = 0;
  return error_sticky();
}

static int multiprocessors = 2;
static bool multiprocessors_asked;

void simt_set_multiprocessors(int count) {
  multiprocessors = count;
  multiprocessors_asked = false;
}

bool simt_multiprocessors_asked(void) { return multiprocessors_asked; }

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
         ALL_SHARED)                                                           \
  NUMBER(reservedSharedMemPerBlock, ReservedSharedMemoryPerBlock,              \
         SHARED_RESERVED)                                                      \
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

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute,
                                   int device) {
  if (device != 0) return told(cudaErrorInvalidDevice);
  switch (attribute) {
#define ATTRIBUTE(member, name, number)                                        \
  case cudaDevAttr##name:                                                      \
    *value = number;                                                           \
    break;
    DEVICE(ATTRIBUTE)
  case cudaDevAttrMultiProcessorCount:
    multiprocessors_asked = true;
    *value = multiprocessors;
    break;
  default:
    return told(cudaErrorInvalidValue);
  }
  return error_sticky();
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

/* At most two, for so many run at once here; of 1,024 threads, more do not fit.
 * Registers are not known: bounds that name one block leave none to another. */
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, const void *kernel, int threads, size_t dynamic_shared) {
  const bool fits = threads > 0 && threads <= MAX_THREADS &&
                    dynamic_shared <= limits_dynamic_shared(kernel);
  const size_t shared =
      symbol_static_shared(kernel) + dynamic_shared + SHARED_RESERVED;
  const bool alone =
      2 * shared > ALL_SHARED || limits_bounds(kernel).blocks == 1;
  *blocks = !fits ? 0 : alone ? 1 : 2;
  return error_sticky();
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *kernel, int threads, size_t dynamic_shared,
    unsigned flags) {
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

/* ---- streams and events: kernels and copies run at once, in the order of the
 * program, so that streams are always idle; what they would have been free to
 * do at the same time, race/streams.c keeps ---- */

enum { FIRST_HANDLE = 16 }; /* of stream 0; those below mean something else */

typedef struct {
  uint32_t clock[MAX_STREAMS];
  struct timespec time;
} event;

uint32_t stream_number(void *handle) {
  static uint32_t own;
  if (!handle || handle == (void *)cudaStreamLegacy) return STREAM_DEFAULT;
  if (handle != (void *)cudaStreamPerThread)
    return ((uintptr_t)handle - FIRST_HANDLE) % MAX_STREAMS;
  return own ? own : (own = streams_new(true));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *handle, unsigned flags) {
  const uintptr_t number = streams_new(!(flags & cudaStreamNonBlocking));
  *handle = (cudaStream_t)(void *)(FIRST_HANDLE + number);
  return error_sticky();
}

cudaError_t cudaStreamCreate(cudaStream_t *handle) {
  return cudaStreamCreateWithFlags(handle, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) { return error_sticky(); }

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  streams_done(stream_number(handle));
  return error_sticky();
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return cudaStreamSynchronize(handle);
}

cudaError_t cudaDeviceSynchronize(void) {
  streams_all_done();
  return error_sticky();
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *handle, unsigned flags) {
  event *e = allocate_zeros(1, sizeof *e);
  *handle = (cudaEvent_t)(void *)e;
  return error_sticky();
}

cudaError_t cudaEventCreate(cudaEvent_t *handle) {
  return cudaEventCreateWithFlags(handle, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  free((void *)handle);
  return error_sticky();
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t of) {
  event *e = (event *)(void *)handle;
  clock_gettime(CLOCK_MONOTONIC, &e->time);
  streams_record(stream_number(of), e->clock);
  return error_sticky();
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t of,
                                unsigned flags) {
  streams_learn(stream_number(handle), ((event *)(void *)of)->clock);
  return error_sticky();
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  streams_learn(STREAM_HOST, ((event *)(void *)handle)->clock);
  return error_sticky();
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return cudaEventSynchronize(handle);
}

/* The executor's own time, which says nothing of a GPU's. */
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start,
                                 cudaEvent_t end) {
  const event *from = (event *)(void *)start, *to = (event *)(void *)end;
  *milliseconds = 1e3f * (float)(to->time.tv_sec - from->time.tv_sec) +
                  1e-6f * (float)(to->time.tv_nsec - from->time.tv_nsec);
  return error_sticky();
}

/* ---- of the driver, which tma.c has ---- */

cudaError_t
cudaGetDriverEntryPointByVersion(const char *name, void **found,
                                 unsigned version, unsigned long long flags,
                                 enum cudaDriverEntryPointQueryResult *result) {
  const bool known = !strcmp(name, "cuTensorMapEncodeTiled");
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

/* ---- device memory out of the host's reach, as on a GPU ---- */

static bool hides;

void arena_reach(bool reachable) {
  const size_t size = (arena_high + PAGE - 1) / PAGE * PAGE;
  if (hides && size &&
      mprotect((void *)arena_low, size,
               reachable ? PROT_READ | PROT_WRITE : PROT_NONE))
    abort();
}

/* In memset and its like: where they were called from. */
static uint32_t place_of_host(registers r) {
  const uintptr_t caller = *(const uintptr_t *)r.stack_pointer;
  return r.pc > (uintptr_t)&etext && caller < (uintptr_t)&etext
             ? (uint32_t)caller
             : place_of_instruction(r.pc);
}

static void on_fault(int number, siginfo_t *info, void *context) {
  signal(number, SIG_DFL);
  if ((uintptr_t)info->si_addr - arena_low >= arena_size) return;
  FINDING_OF_HOST(SIMT_ON_HOST, place_of_host(registers_of(context)),
                  "the host reads or writes memory of the device: a "
                  "segmentation fault where there is a GPU");
  simt_print_findings(stdout);
  fflush(stdout);
  _exit(EXIT_FAILURE);
}

void simt_hide_memory(bool hide) {
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
  hides = true;
  arena_reach(!hide);
  hides = hide;
  if (!hide) signal(SIGSEGV, SIG_DFL);
  else sigaction(SIGSEGV, &action, NULL);
}
