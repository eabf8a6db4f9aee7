/* A program with its own main: every check from its start, and a report at its
 * end. */

#include "common/simt/host/host.h"
#include "common/simt/race/race.h"
#include "common/simt/report/source.h"
#include "common/simt/run/launch.h"

#include <execinfo.h>
#include <signal.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

/* Device memory is not the host's; what is both's may be a stream's just now.
 */
static void host_access(const void *address, size_t size, bool writes,
                        uint32_t pc) {
  if ((uintptr_t)address - arena_low >= arena_size) return;
  const arena_kind kind = arena_kind_of(address);
  if (kind == ARENA_PINNED || kind == ARENA_MANAGED)
    streams_host_access(pc, address, size, writes);
  else
    FINDING_OF_HOST(SIMT_ON_HOST, pc,
                    "the host %s memory of the device%s: a segmentation fault "
                    "where there is a GPU",
                    writes ? "writes" : "reads",
                    kind == ARENA_NONE ? " that is not allocated" : "");
}

static bool impossible;

_Noreturn void program_impossible(uint32_t pc, const char *why) {
  const simt_place p = source_place(pc);
  fflush(stdout);
  fprintf(stderr, "%s:%d: %s.\n", p.file, p.line, why);
  impossible = true;
  exit(EXIT_IMPOSSIBLE);
}

static void report(int status, void *unused) {
  const simt_finding *all;
  access_by_host = NULL;
  fflush(stdout);
  const bool counts = simt_checks() & SIMT_COUNTS;
  if (!counts) errors_report();
  const bool found = simt_findings(&all) > 0;
  if (counts) simt_print_counters(stdout);
  if (found || simt_notes(&all) || (simt_checks() & SIMT_RACES))
    simt_print_findings(stdout);
  if (!counts) simt_print_unchecked(stdout);
  if (launch_left_out)
    puts("BLOCKS has left out blocks, so what the kernels computed is not "
         "whole.");
  if (launch_interrupted())
    puts("It was stopped: this is what was found until then.");
  else if (status && !impossible)
    printf("The program itself ended with %d.\n", status);
  fflush(NULL);
  if (!impossible && (status || found)) _exit(EXIT_FAILED);
}

/* The program itself has failed: where, and what was found until then. */
static void crash(int number) {
  void *frames[32];
  simt_place p = {.file = ""};
  signal(number, SIG_DFL);
  const int count = backtrace(frames, 32);
  for (int i = 0; i < count && !p.line; i++)
    if ((uintptr_t)frames[i] <= UINT32_MAX) { /* in this program */
      p = source_place((uint32_t)(uintptr_t)frames[i]);
      if (!strstr(p.file, ".cu")) p.line = 0;
    }
  printf("crash: %s, in the code of the host\n", strsignal(number));
  if (p.line)
    printf("  here  %s:%d\n        %s\n", p.file, p.line,
           source_text(p.file, p.line));
  report(128 + number, NULL);
  _exit(128 + number);
}

/* Somebody has waited long enough: what was found until now. */
static void interrupt(int number) {
  if (launch_interrupt()) return;
  report(EXIT_FAILED, NULL);
  _exit(EXIT_FAILED);
}

int simt_program_begin(void) {
  static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
  static char memory[1 << 20]; /* libdw takes much */
  static bool begun;
  const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
  const struct sigaction action = {.sa_handler = crash, .sa_flags = SA_ONSTACK};
  if (begun) return 0;
  begun = true;
  const bool counts = getenv("SIMT_COUNT");
  simt_set_checks(counts ? SIMT_COUNTS : SIMT_RACES | SIMT_STREAMS);
  if (simt_is_instrumented() && !counts) access_by_host = host_access;
  const char *blocks = getenv("SIMT_BLOCKS"), *order = getenv("SIMT_ORDER");
  launch_is_of_program = true;
  if (blocks) launch_only_blocks = strtoull(blocks, NULL, 10);
  if (order && *order) simt_set_order(strtoull(order, NULL, 10));
  on_exit(report, NULL);
  sigaltstack(&stack, NULL);
  signal(SIGTERM, interrupt);
  signal(SIGINT, interrupt);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    sigaction(numbers[i], &action, NULL);
  setvbuf(stdout, NULL, _IOLBF, 0);
  return 0;
}

/* ---- CUDA's runtime functions that only such a program calls ---- */

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *found,
                                  const void *kernel) {
  memset(found, 0, sizeof *found);
  found->maxThreadsPerBlock = 1024;
  found->sharedSizeBytes = symbol_static_shared(kernel);
  return error_sticky();
}

#define DOES_NOTHING(name, ...)                                                \
  cudaError_t name(__VA_ARGS__) { return error_sticky(); }
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
  return cudaStreamCreateWithFlags(stream, flags);
}

/* A function of the host's, in its stream's turn: all before it is done. */
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function,
                               void *data) {
  streams_done(stream_number(stream));
  function(data);
  return error_sticky();
}

cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream) {
  return cudaMalloc(pointer, size);
}
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
  return cudaFree(pointer);
}
cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width,
                            size_t height) {
  *pitch = (width + 511) / 512 * 512;
  return cudaMalloc(pointer, *pitch * height);
}
cudaError_t cudaHostGetDevicePointer(void **device, void *host,
                                     unsigned flags) {
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
