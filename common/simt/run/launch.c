/* A launch: is it allowed, and then its blocks over the OS threads. */

#include "common/simt/count/arithmetic.h"
#include "common/simt/access/counting.h"
#include "common/simt/run/fault.h"
#include "common/simt/run/flaws.h"
#include "common/simt/tensor/operands.h"
#include "common/simt/memory/symbols.h"
#include "common/simt/run/watch.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_WORKERS = 256, MAX_KERNELS = 64 };

block *simt_workers[MAX_WORKERS];
uint32_t simt_worker_count;
static unsigned wanted_checks, wanted_threads;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint_fast64_t next_block;
static atomic_bool stop;

void simt_set_checks(unsigned checks) { wanted_checks = checks; }
void simt_set_threads(unsigned threads) { wanted_threads = threads; }

/* ---- what kernels may use ---- */

static struct {
  const void *kernel;
  size_t dynamic_limit;
} raised[MAX_KERNELS];
static uint32_t raised_count;

size_t launch_dynamic_limit(const void *kernel) {
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

static cudaError_t judge(const simt_kernel_launch *l) {
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
  return l->dynamic_shared > launch_dynamic_limit(l->kernel)
             ? cudaErrorInvalidValue
             : cudaSuccess;
}

/* ---- an OS thread's own memory, kept for the next launch ---- */

static void *reserve(size_t size) {
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory != MAP_FAILED) return memory;
  fputs("The executor has no memory left for the stacks of its threads.\n",
        stderr);
  exit(3);
}

static void make_threads(block *b, uint32_t count) {
  if (b->thread_capacity >= count) return;
  for (uint32_t i = 0; i < b->thread_capacity; i++) {
    free(b->threads[i].copies);
    operands_release_memory(&b->threads[i]);
  }
  if (b->threads)
    munmap(b->threads[0].stack, (size_t)STACK_SIZE * b->thread_capacity);
  free(b->threads);
  b->threads = calloc(count, sizeof *b->threads);
  if (!b->threads) abort();
  b->thread_capacity = count;
  uint8_t *stacks = reserve((size_t)STACK_SIZE * count);
  for (uint32_t i = 0; i < count; i++) {
    thread *t = &b->threads[i];
    t->id = i;
    t->lane = i % WARP_SIZE;
    t->stack = stacks + (size_t)i * STACK_SIZE;
    mprotect(t->stack, PAGE, PROT_NONE);
  }
}

static void prepare(block *b, const simt_kernel_launch *l, unsigned checks) {
  const uint32_t count = l->block.x * l->block.y * l->block.z;
  make_threads(b, count);
  if (!b->log) b->log = reserve(WARP_SIZE * LOG_STRIDE * sizeof *b->log);
  if (checks & SIMT_COUNTS && !b->passes) b->passes = arithmetic_reserve();
  b->launch = l;
  b->checks = checks;
  b->error = cudaSuccess;
  b->warp_count = (count + WARP_SIZE - 1) / WARP_SIZE;
  for (uint32_t i = 0; i < b->warp_count; i++) {
    const uint32_t lanes = count - i * WARP_SIZE;
    b->warps[i] =
        (warp){.id = i,
               .lanes = lanes < WARP_SIZE ? lanes : WARP_SIZE,
               .first = &b->threads[i * WARP_SIZE],
               .exists = lanes < WARP_SIZE ? (1u << lanes) - 1 : UINT32_MAX};
  }
  for (uint32_t i = 0; i < count; i++)
    b->threads[i].index =
        (uint3){i % l->block.x, i / l->block.x % l->block.y,
                i / l->block.x / l->block.y};
  const bool same_size = b->thread_count == count;
  b->thread_count = count;
  shared_find(b);
  if (!(checks & SIMT_RACES) || !same_size) race_release_memory(b);
  if (checks & SIMT_RACES && !b->shadow) race_prepare(b);
}

/* ---- running ---- */

static uint64_t block_total(const simt_kernel_launch *l) {
  return (uint64_t)l->grid.x * l->grid.y * l->grid.z;
}

/* What a worker needs to know of the launch. */
typedef struct {
  block *block;
  const simt_kernel_launch *launch;
  unsigned checks;
} job;

static void *work(void *argument) {
  const job *j = argument;
  block *b = j->block;
  const uint3 grid = j->launch->grid;
  prepare(b, j->launch, j->checks);
  fault_thread_begin();
  const watch watched = watch_begin();
  while (!atomic_load(&stop)) {
    b->number = atomic_fetch_add(&next_block, 1);
    if (b->number >= block_total(j->launch)) break;
    b->index = (uint3){(unsigned)(b->number % grid.x),
                       (unsigned)(b->number / grid.x % grid.y),
                       (unsigned)(b->number / grid.x / grid.y)};
    race_start_block(b);
    mbarrier_start_block(b);
    block_run(b);
    if (b->error) atomic_store(&stop, true);
  }
  watch_end(watched);
  simt_here = NULL;
  fault_thread_end();
  return NULL;
}

static uint32_t thread_total(uint64_t blocks) {
  unsigned threads = wanted_threads;
  const char *setting = getenv("SIMT_THREADS");
  if (threads == 0 && setting) threads = (unsigned)strtoul(setting, NULL, 10);
  if (threads == 0) threads = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
  if (threads == 0) threads = 1;
  if (threads > MAX_WORKERS) threads = MAX_WORKERS;
  return threads < blocks ? threads : (uint32_t)blocks;
}

static cudaError_t run(const simt_kernel_launch *l) {
  const uint32_t total = thread_total(block_total(l));
  const unsigned checks = simt_is_instrumented() ? wanted_checks : 0;
  pthread_t threads[MAX_WORKERS];
  job jobs[MAX_WORKERS];
  atomic_store(&next_block, 0);
  atomic_store(&stop, false);
  if (checks) shared_read_map();
  fault_begin();
  for (uint32_t i = 0; i < total; i++) {
    if (!simt_workers[i]) simt_workers[i] = calloc(1, sizeof(block));
    if (!simt_workers[i]) abort();
    if (i >= simt_worker_count) simt_worker_count = i + 1;
    jobs[i] = (job){simt_workers[i], l, checks};
    if (pthread_create(&threads[i], NULL, work, &jobs[i])) {
      fputs("The executor cannot start its OS threads.\n", stderr);
      exit(3);
    }
  }
  cudaError_t error = cudaSuccess;
  for (uint32_t i = 0; i < total; i++) {
    pthread_join(threads[i], NULL);
    if (simt_workers[i]->error) error = simt_workers[i]->error;
  }
  fault_end();
  return error;
}

void simt_launch(const simt_kernel_launch *l) {
  if (error_sticky()) return;
  pthread_mutex_lock(&lock);
  const cudaError_t refused = judge(l);
  if (refused)
    error_set(refused);
  else {
    const cudaError_t error = run(l);
    if (error) error_set_sticky(error);
  }
  pthread_mutex_unlock(&lock);
}

void simt_clear(void) {
  for (uint32_t i = 0; i < simt_worker_count; i++) {
    block *b = simt_workers[i];
    for (uint32_t n = 0; n < b->site_capacity; n++) free(b->sites[n]);
    free(b->sites);
    b->sites = NULL;
    b->site_capacity = b->site_count = 0;
    free(b->passes);
    b->passes = NULL;
    b->flaw_count = 0;
  }
}

/* ---- what kernels ask ---- */

uint3 simt_thread_index(void) { return simt_here->running->index; }
uint3 simt_block_index(void) { return simt_here->index; }
uint3 simt_block_size(void) { return simt_here->launch->block; }
uint3 simt_grid_size(void) { return simt_here->launch->grid; }

uint64_t simt_clock(void) { return ++simt_here->steps; }

void simt_trap(void) {
  block *b = simt_here;
  flaw_report(b, SIMT_USAGE, CALLER, 0, b->running->id, b->running->id,
              "the kernel called __trap()");
  block_abort(b, cudaErrorLaunchFailure);
}
