#include "tools/labs/judge/launched.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/simt/include/simt_abi.h"
#include "common/simt/memory/memory.h"
#include "common/simt/simt.h"

static cudaStream_t own; /* that every launch is to be on; or the default */
static bool inside;      /* the launch function that is tried */
static const char *astray; /* says what was on another stream or device */
static int current;         /* device, as the function is told */

/* Which launch of the function CUDA now refuses, or which call, and with what
 * error; no launch runs. */
enum { RUN_ALL = -2, REFUSE_ALL = -1, REFUSE_NONE = 1 << 30 };
static int refused = RUN_ALL, refused_call = REFUSE_NONE;
static cudaError_t refusal;
static int launches, memsets, calls; /* so far */
static const char *called;  /* the call that is refused */

/* CUDA's errors have numbers up to that. Each is tried in one of so many
 * inputs. */
enum { LARGEST_ERROR = 999, TURNS = 8 };

enum { MAX_KERNELS = 64 };
static struct {
  const void *kernel;
  unsigned threads;         /* of a block, at most */
  size_t dynamic, raised;   /* bytes, and what the limit of them was set to */
} seen[MAX_KERNELS];

static void note(const simt_kernel_launch *l) {
  const unsigned threads = l->block.x * l->block.y * l->block.z;
  int i = 0;
  while (i < MAX_KERNELS - 1 && seen[i].kernel && seen[i].kernel != l->kernel)
    i++;
  seen[i].kernel = l->kernel;
  if (threads > seen[i].threads) seen[i].threads = threads;
  if (l->dynamic_shared < seen[i].dynamic) return;
  const size_t limit = limits_dynamic_shared(l->kernel);
  const bool unset =
      limit + symbol_static_shared(l->kernel) == STATIC_SHARED_LIMIT;
  seen[i].dynamic = l->dynamic_shared;
  seen[i].raised = unset ? 0 : limit;
}

int launched_so_far(void) {
  return launches + memsets;
}

bool launched_right(bool taken, int before, cudaError_t said) {
  const bool starts = launched_so_far() > before;
  return said == (taken ? refusal : cudaErrorInvalidValue) && starts == taken;
}

void launched_print(void) {
  for (int i = 0; i < MAX_KERNELS && seen[i].kernel; i++)
    printf("Launched %p %u %zu %zu\n", seen[i].kernel, seen[i].threads,
           seen[i].dynamic, seen[i].raised);
}

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
/* The linker's --wrap */
cudaError_t __real_cudaMemsetAsync(void *, int, size_t, cudaStream_t);
static bool refuses(const char *name) {
  if (!inside || calls++ != refused_call) return false;
  called = name;
  error_set(refusal);
  return true;
}
cudaError_t __wrap_cudaMemsetAsync(void *memory, int byte, size_t size,
                                   cudaStream_t stream) {
  if (inside && stream != own)
    astray = "its cudaMemsetAsync is not on the stream that is handed in";
  memsets++;
  if (refuses("cudaMemsetAsync")) return refusal;
  if (refused != RUN_ALL) return cudaSuccess; /* of other sizes, perhaps */
  const cudaError_t error = __real_cudaMemsetAsync(memory, byte, size, stream);
  if (error && inside)
    printf("launch: CUDA refuses its cudaMemsetAsync of %zu bytes: %s\n", size,
           cudaGetErrorString(error));
  return error;
}
cudaError_t __real_cudaFuncSetAttribute(const void *, enum cudaFuncAttribute,
                                        int);
cudaError_t __wrap_cudaFuncSetAttribute(const void *kernel,
                                        enum cudaFuncAttribute what,
                                        int value) {
  if (refuses("cudaFuncSetAttribute")) return refusal;
  return __real_cudaFuncSetAttribute(kernel, what, value);
}
cudaError_t __real_cudaGetDevice(int *);
cudaError_t __wrap_cudaGetDevice(int *device) {
  if (refuses("cudaGetDevice")) return refusal;
  const cudaError_t error = __real_cudaGetDevice(device);
  if (!error && inside) *device = current;
  return error;
}
cudaError_t __real_cudaDeviceGetAttribute(int *, enum cudaDeviceAttr, int);
cudaError_t __wrap_cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr what,
                                          int device) {
  if (refuses("cudaDeviceGetAttribute")) return refusal;
  if (inside && device != current)
    astray = "it asks for an attribute of a device that is not the current one";
  return __real_cudaDeviceGetAttribute(value, what, inside ? 0 : device);
}
void __real_simt_launch(const simt_kernel_launch *l);
void __wrap_simt_launch(const simt_kernel_launch *l) {
  const int number = launches++;
  if (inside && l->stream != own)
    astray = "it is not on the stream that is handed in";
  if (refused == REFUSE_ALL || number == refused) error_set(refusal);
  if (refused != RUN_ALL) return;
  note(l);
  __real_simt_launch(l);
}

/* What is wrong where one launch is refused; NULL: nothing. False through
 * *there where there are not so many launches. */
static const char *when_refused(cudaError_t (*launch)(const void *args,
                                                      cudaStream_t),
                                const void *args, bool *there) {
  launches = 0;
  cudaGetLastError();
  const cudaError_t said = launch(args, own);
  *there = launches > refused;
  const bool stays = cudaGetLastError();
  if (!*there) return NULL;
  if (!said) return "CUDA refuses it, and cudaSuccess is returned";
  if (said != refusal) return "CUDA refuses it, and another error is returned";
  return stays ? "CUDA refuses it, and the error stays: cudaGetLastError() "
                 "takes it"
               : NULL;
}

/* The same of one call. Its error may stay. */
static const char *when_call_refused(cudaError_t (*launch)(const void *args,
                                                           cudaStream_t),
                                     const void *args, bool *there) {
  static char wrong[120];
  calls = 0;
  cudaGetLastError();
  const cudaError_t said = launch(args, own);
  *there = calls > refused_call;
  cudaGetLastError();
  if (!*there || said == refusal) return NULL;
  snprintf(wrong, sizeof wrong, "CUDA refuses %s, and %s is returned", called,
           said ? "another error" : "cudaSuccess");
  return wrong;
}

cudaError_t launched(cudaError_t (*launch)(const void *args, cudaStream_t),
                     const void *args, size_t size,
                     const char *(*others)(const void *args, cudaStream_t)) {
  static int turn;
  static cudaStream_t created;
  void *before = malloc(size);
  if (!before) return cudaErrorMemoryAllocation;
  memcpy(before, args, size);
  if (!created) cudaStreamCreate(&created);
  cudaDeviceReset();
  simt_hide_memory(true);
  inside = true;
  const char *wrong = NULL;
  current = ++turn % 2;
  own = turn % TURNS == 3 ? NULL : created;
  for (int i = 1 + turn % TURNS; i <= LARGEST_ERROR && !wrong; i += TURNS) {
    bool there = true;
    refusal = (cudaError_t)i;
    for (refused = 0; there && !wrong; refused++)
      wrong = when_refused(launch, args, &there);
    refused = REFUSE_NONE;
    there = true;
    for (refused_call = 0; there && !wrong; refused_call++)
      wrong = when_call_refused(launch, args, &there);
    refused_call = REFUSE_NONE;
  }
  refused = REFUSE_ALL;
  refusal = cudaErrorInvalidConfiguration;
  if (others && !wrong) wrong = others(args, own);
  refused = RUN_ALL;
  if (turn % TURNS != 1) cudaDeviceReset();
  simt_fill_shared(turn % 2 ? 0xff : 0);
  cudaError_t error = cudaSuccess;
  if (!memcmp(args, before, size)) error = launch(args, own);
  simt_hide_memory(false);
  inside = false;
  if (astray) wrong = astray;
  if (memcmp(args, before, size)) wrong = "it has changed its own argument";
  free(before);
  if (error || !wrong) return error;
  printf("launch: %s\n", wrong);
  return cudaErrorUnknown;
}
