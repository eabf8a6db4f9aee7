/* Device memory: one range of addresses, so that a pointer can be told from
 * every other, with a table of the bytes that are allocated. Allocations lie
 * at least a guard apart: a small overrun hits no neighbour. */

#include "common/simt/memory/memory.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>

enum { GRAIN = 256, GUARD = 4096 };

typedef struct {
  uintptr_t start;
  size_t size;
} allocation;

uintptr_t arena_low, arena_size, arena_high;
static uint16_t *grains; /* how many bytes of each grain are allocated */
static allocation *allocations; /* sorted */
static size_t count, capacity;
static size_t used;
static uintptr_t next; /* where to look first: freed memory rests a while */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t total_memory(void) {
  struct sysinfo info;
  return sysinfo(&info) ? 0 : (size_t)info.totalram * info.mem_unit;
}

/* What the system could still give: more than its free pages, which sysinfo
 * names, for it also keeps files in memory that it can drop. */
static size_t available_memory(void) {
  struct sysinfo info;
  size_t kib = 0;
  FILE *file = fopen("/proc/meminfo", "r");
  char line[128];
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "MemAvailable: %zu", &kib) == 1) break;
  if (file) fclose(file);
  if (kib > 0) return kib * 1024;
  return sysinfo(&info) ? 0 : (size_t)info.freeram * info.mem_unit;
}

static bool reserve(void) {
  if (arena_low) return true;
  const size_t size = 2 * total_memory() + ((size_t)96 << 30);
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *low = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
  void *table = mmap(NULL, size / GRAIN * sizeof *grains,
                     PROT_READ | PROT_WRITE, flags, -1, 0);
  if (low == MAP_FAILED || table == MAP_FAILED) {
    if (low != MAP_FAILED) munmap(low, size);
    if (table != MAP_FAILED) munmap(table, size / GRAIN * sizeof *grains);
    return false;
  }
  grains = table;
  arena_low = next = (uintptr_t)low;
  arena_size = size;
  return true;
}

bool arena_allows(uintptr_t address, uint32_t size) {
  const uintptr_t offset = address - arena_low;
  return offset % GRAIN + size <= grains[offset / GRAIN];
}

static void mark(const allocation *a, bool allocated) {
  size_t grain = (a->start - arena_low) / GRAIN;
  for (size_t left = a->size; left > 0; grain++) {
    const size_t here = left < GRAIN ? left : GRAIN;
    grains[grain] = allocated ? (uint16_t)here : 0;
    left -= here;
  }
}

static size_t footprint(size_t size) {
  return (size + GUARD + GRAIN - 1) / GRAIN * GRAIN;
}

/* The first gap at or after `from`; its place in the sorted list to *index. */
static uintptr_t find_gap(uintptr_t from, size_t size, size_t *index) {
  uintptr_t start = from;
  for (*index = 0; *index < count; ++*index) {
    const allocation *a = &allocations[*index];
    if (a->start + footprint(a->size) <= start) continue;
    if (a->start >= start + footprint(size)) break;
    start = a->start + footprint(a->size);
  }
  return start + footprint(size) <= arena_low + arena_size ? start : 0;
}

static const allocation *find(uintptr_t address) {
  for (size_t i = 0; i < count; i++)
    if (address - allocations[i].start < allocations[i].size)
      return &allocations[i];
  return NULL;
}

bool arena_contains(const void *address, size_t size) {
  const uintptr_t start = (uintptr_t)address;
  if (!arena_low || size == 0) return size == 0;
  pthread_mutex_lock(&lock);
  const allocation *a = find(start);
  const bool inside = a && size <= a->start + a->size - start;
  pthread_mutex_unlock(&lock);
  return inside;
}

static void *allocate(size_t size, bool fill) {
  if (count == capacity) {
    capacity = capacity ? 2 * capacity : 64;
    allocations = realloc(allocations, capacity * sizeof *allocations);
    if (!allocations) abort();
  }
  size_t index;
  uintptr_t start = find_gap(next, size, &index);
  if (!start) start = find_gap(arena_low, size, &index);
  if (!start) return NULL;
  memmove(&allocations[index + 1], &allocations[index],
          (count++ - index) * sizeof *allocations);
  allocations[index] = (allocation){.start = start, .size = size};
  mark(&allocations[index], true);
  used += size;
  next = start + footprint(size);
  if (next - arena_low > arena_high) arena_high = next - arena_low;
  if (fill) memset((void *)start, 0xff, size);
  return (void *)start;
}

static cudaError_t give(void **pointer, size_t size, bool managed) {
  cudaError_t error = error_sticky();
  if (error) return error;
  *pointer = NULL;
  if (size == 0) return cudaSuccess;
  pthread_mutex_lock(&lock);
  if ((managed || size < available_memory()) && reserve())
    *pointer = allocate(size, !managed);
  pthread_mutex_unlock(&lock);
  if (!*pointer) error_set(error = cudaErrorMemoryAllocation);
  return error;
}

cudaError_t cudaMalloc(void **pointer, size_t size) {
  return give(pointer, size, false);
}

/* Is there only where it is used, and so may be larger than memory. */
cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned flags) {
  (void)flags;
  return give(pointer, size, true);
}

cudaError_t cudaFree(void *pointer) {
  cudaError_t error = error_sticky();
  if (error || !pointer) return error;
  pthread_mutex_lock(&lock);
  const allocation *a = find((uintptr_t)pointer);
  if (a && a->start == (uintptr_t)pointer) {
    mark(a, false);
    madvise(pointer, a->size / GUARD * GUARD, MADV_DONTNEED);
    used -= a->size;
    const size_t index = (size_t)(a - allocations);
    memmove(&allocations[index], &allocations[index + 1],
            (--count - index) * sizeof *allocations);
  } else {
    error = cudaErrorInvalidValue;
  }
  pthread_mutex_unlock(&lock);
  if (error) error_set(error);
  return error;
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
  *total = total_memory();
  *free = available_memory();
  return *total ? cudaSuccess : cudaErrorUnknown;
}
