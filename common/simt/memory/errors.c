/* CUDA's errors, who asked for them, and which launches it refuses. */

#include "common/simt/memory/memory.h"

static cudaError_t last_error, lost;

static map raised; /* limits of dynamic memory, one more, by kernel */

enum { MAX_UNASKED = 32 };
static struct {
  char sentence[192];
  uint32_t pc;
  simt_finding_kind kind;
} unasked[MAX_UNASKED];
static uint32_t unasked_count;

void error_set(cudaError_t error) { last_error = error; }
void error_set_sticky(cudaError_t error) { last_error = lost = error; }
cudaError_t error_sticky(void) { return lost; }

__attribute__((format(printf, 3, 4))) static void
remember(simt_finding_kind kind, uint32_t pc, const char *format, ...) {
  if (unasked_count == MAX_UNASKED) return;
  unasked[unasked_count].kind = kind;
  unasked[unasked_count].pc = pc;
  va_list values;
  va_start(values, format);
  vsnprintf(unasked[unasked_count++].sentence, sizeof unasked->sentence, format,
            values);
  va_end(values);
}

void error_of_launch(cudaError_t error, const simt_kernel_launch *l,
                     uint32_t pc) {
  error_set(error);
  remember(SIMT_NOT_LAUNCHED, pc,
           "%.40s did not run: %s, for %llu blocks of %llu threads and %zu "
           "bytes; nobody has asked cudaGetLastError()",
           l->name, cudaGetErrorString(error),
           (unsigned long long)l->grid.x * l->grid.y * l->grid.z,
           (unsigned long long)l->block.x * l->block.y * l->block.z,
           l->dynamic_shared);
}

cudaError_t error_of_call(cudaError_t error, const char *name, uint32_t pc) {
  if (!error || error == lost) return error;
  error_set(error);
  remember(SIMT_FAILED_CALL, pc,
           "%s() has returned \"%s\": did the program look?", name,
           cudaGetErrorString(error));
  return error;
}

void errors_report(void) {
  for (uint32_t i = 0; i < unasked_count; i++)
    FINDING_OF_HOST(unasked[i].kind, unasked[i].pc, "%s", unasked[i].sentence);
  unasked_count = 0;
}

cudaError_t cudaGetLastError(void) {
  unasked_count = 0;
  const cudaError_t error = last_error;
  last_error = lost;
  return error;
}

cudaError_t cudaPeekAtLastError(void) {
  unasked_count = 0;
  return last_error;
}

cudaError_t cudaDeviceReset(void) {
  last_error = lost = cudaSuccess;
  unasked_count = 0;
  map_clear(&raised, false);
  return cudaSuccess;
}

static const struct {
  cudaError_t error;
  const char *name, *text;
} errors[] = {
#define ERROR(name, text) {name, #name, text},
    ERROR(cudaSuccess, "no error")
    ERROR(cudaErrorInvalidValue, "invalid argument")
    ERROR(cudaErrorMemoryAllocation, "out of memory")
    ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument")
    ERROR(cudaErrorInvalidDevice, "invalid device ordinal")
    ERROR(cudaErrorInvalidDeviceFunction, "invalid device function")
    ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered")
    ERROR(cudaErrorMisalignedAddress, "misaligned address")
    ERROR(cudaErrorIllegalInstruction,
          "an illegal instruction was encountered")
    ERROR(cudaErrorLaunchTimeout, "the launch timed out and was terminated")
    ERROR(cudaErrorLaunchFailure, "unspecified launch failure")
    ERROR(cudaErrorUnknown, "unknown error")
    ERROR(cudaErrorNotSupported, "operation not supported")
    ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle")
    ERROR(cudaErrorInitializationError, "initialization error")
    ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected")
    ERROR(cudaErrorNoKernelImageForDevice,
          "no kernel image is available for execution on the device")
    ERROR(cudaErrorLaunchOutOfResources,
          "too many resources requested for launch")
    ERROR(cudaErrorCooperativeLaunchTooLarge,
          "too many blocks in cooperative launch")
    ERROR(cudaErrorInvalidPtx, "a PTX JIT compilation failed")
    ERROR(cudaErrorInsufficientDriver,
          "CUDA driver version is insufficient for CUDA runtime version")
};

static const char *words_of(cudaError_t error, bool name) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].error == error) return name ? errors[i].name : errors[i].text;
  return "unrecognized error code";
}

const char *cudaGetErrorName(cudaError_t error) {
  return words_of(error, true);
}

const char *cudaGetErrorString(cudaError_t error) {
  return words_of(error, false);
}

/* ---- what a kernel may use ---- */

cudaError_t cudaFuncSetAttribute(const void *kernel,
                                 enum cudaFuncAttribute attribute, int value) {
  const size_t own = symbol_static_shared(kernel);
  if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout &&
      value >= -1 && value <= 100) /* percent, or -1 for CUDA's own choice */
    return cudaSuccess;
  const bool enough = value >= 0 && own + (size_t)value <= SHARED_LIMIT;
  if (!enough)
    fprintf(stderr,
            "The kernel is to have %d bytes of dynamic shared memory beside "
            "%zu of static; the limit is %d.\n",
            value, own, SHARED_LIMIT);
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || !enough) {
    error_set(cudaErrorInvalidValue);
    return cudaErrorInvalidValue;
  }
  map_put(&raised, (uint64_t)(uintptr_t)kernel, (void *)((size_t)value + 1));
  return cudaSuccess;
}

static bool fits(uint3 extent, unsigned x, unsigned y, unsigned z) {
  return extent.x >= 1 && extent.x <= x && extent.y >= 1 && extent.y <= y &&
         extent.z >= 1 && extent.z <= z;
}

/* gcc lists where it has put such instructions. At most 32 blocks are named. */
enum { MOST_NOPS = MAX_THREADS + 32 * 1024 };
extern const uintptr_t __start___patchable_function_entries[]
    __attribute__((weak));
extern const uintptr_t __stop___patchable_function_entries[]
    __attribute__((weak));

launch_bounds limits_bounds(const void *kernel) {
#ifdef __x86_64__
  static const uint8_t nop[] = {0x90};
#else
  static const uint8_t nop[] = {0x1f, 0x20, 0x03, 0xd5};
#endif
  const uintptr_t *entry = __start___patchable_function_entries;
  for (; entry < __stop___patchable_function_entries; entry++) {
    const uintptr_t bytes = (uintptr_t)kernel - *entry;
    const uint8_t *code = (const uint8_t *)*entry;
    if (bytes - 1 >= MOST_NOPS * sizeof nop) continue;
    uintptr_t at = 0;
    while (at < bytes && code[at] == nop[at % sizeof nop]) at++;
    if (at < bytes) continue;
    const uint32_t last = (uint32_t)(bytes / sizeof nop) - 1;
    return (launch_bounds){last % 1024 + 1, last / 1024};
  }
  return (launch_bounds){0};
}

/* Beside so many bytes of its own. */
static size_t dynamic_shared_beside(size_t own, const void *kernel) {
  const size_t one_more = (size_t)map_get(&raised, (uint64_t)kernel);
  if (one_more) return one_more - 1;
  return own < STATIC_SHARED_LIMIT ? STATIC_SHARED_LIMIT - own : 0;
}

size_t limits_dynamic_shared(const void *kernel) {
  return dynamic_shared_beside(symbol_static_shared(kernel), kernel);
}

cudaError_t limits_judge(const simt_kernel_launch *l) {
  if (!fits(l->grid, INT32_MAX, 65535, 65535) ||
      !fits(l->block, MAX_THREADS, MAX_THREADS, 64) ||
      l->block.x * l->block.y * l->block.z > MAX_THREADS)
    return cudaErrorInvalidConfiguration;
  const uint32_t threads = l->block.x * l->block.y * l->block.z;
  const uint32_t bounds = limits_bounds(l->kernel).threads;
  if (bounds && threads > bounds) {
    fprintf(stderr,
            "The kernel %s has __launch_bounds__ of %u threads, and is "
            "launched with %u.\n",
            l->name, bounds, threads);
    return cudaErrorInvalidValue;
  }
  const size_t own = symbol_static_shared(l->kernel);
  if (own > STATIC_SHARED_LIMIT) {
    fprintf(stderr,
            "The kernel %s declares %zu bytes of static shared memory; the "
            "limit is %d.\n",
            l->name, own, STATIC_SHARED_LIMIT);
    return cudaErrorInvalidValue;
  }
  const size_t most = dynamic_shared_beside(own, l->kernel);
  if (l->dynamic_shared <= most) return cudaSuccess;
  fprintf(stderr,
          "The kernel %s is launched with %zu bytes of dynamic shared memory; "
          "the limit beside its %zu of static is %zu.\n",
          l->name, l->dynamic_shared, own, most);
  return cudaErrorInvalidValue;
}
