/* Device memory: one range of addresses, so that a pointer can be told from
 * every other, with a table of the bytes that are allocated. Allocations lie
 * at least a guard apart: a small overrun hits no neighbour. */

#include "common/simt/memory/memory.h"

#include <pthread.h>
#include <sys/mman.h>

enum { GRAIN = 256, GUARD = 4096 };

typedef struct {
  uintptr_t start;
  size_t size;
  arena_kind kind;
  bool is_input; /* that kernels may only read */
} allocation;

uintptr_t arena_low, arena_size, arena_high;
static uint16_t *grains; /* how many bytes of each grain are allocated */
static allocation *allocations; /* sorted */
static size_t count, capacity;
static uintptr_t next; /* where to look first: freed memory rests a while */
static bool used_kinds[ARENA_MANAGED + 1];
static bool any_fresh; /* since everything was written */
static bool any_inputs;
uint8_t *arena_fresh;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Available is more than free pages: the system also keeps files in memory that
 * it can drop. */
static const char *const TOTAL = "MemTotal: %zu";
static const char *const AVAILABLE = "MemAvailable: %zu";

static size_t memory(const char *which) {
  size_t kib = 0;
  FILE *file = fopen("/proc/meminfo", "r");
  char line[128];
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, which, &kib) == 1) break;
  if (file) fclose(file);
  return kib * 1024;
}

bool arena_allows(uintptr_t address, uint32_t size) {
  const uintptr_t offset = address - arena_low;
  return offset % GRAIN + size <= grains[offset / GRAIN];
}

static void mark(const allocation *a, bool allocated) {
  uint16_t *const first = grains + (a->start - arena_low) / GRAIN;
  const size_t whole = a->size / GRAIN, rest = a->size % GRAIN;
  for (size_t i = 0; i < whole; i++) first[i] = allocated ? GRAIN : 0;
  if (rest) first[whole] = allocated ? (uint16_t)rest : 0;
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

static allocation *find(uintptr_t address) {
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

static void *allocate(size_t size, arena_kind kind) {
  MAKE_ROOM(allocations, count, capacity);
  size_t index;
  uintptr_t start = find_gap(next, size, &index);
  if (!start) start = find_gap(arena_low, size, &index);
  if (!start) return NULL;
  memmove(&allocations[index + 1], &allocations[index],
          (count++ - index) * sizeof *allocations);
  allocations[index] = (allocation){.start = start, .size = size, .kind = kind};
  mark(&allocations[index], true);
  next = start + footprint(size);
  if (next - arena_low > arena_high) arena_high = next - arena_low;
  if (kind == ARENA_DEVICE) memset((void *)start, 0xff, size);
  if (arena_fresh) {
    const size_t offset = start - arena_low;
    memset(arena_fresh + offset / 8, kind == ARENA_DEVICE ? 0xff : 0,
           (size + 7) / 8);
    any_fresh |= kind == ARENA_DEVICE;
  }
  return (void *)start;
}

cudaError_t arena_give(void **pointer, size_t size, arena_kind kind) {
  cudaError_t error = error_sticky();
  if (error) return error;
  *pointer = NULL;
  if (size == 0) return cudaSuccess;
  pthread_mutex_lock(&lock);
  if (!arena_low) {
    static const char *const what = "what cudaMalloc hands out";
    arena_size = 2 * memory(TOTAL) + ((size_t)96 << 30);
    arena_low = next = (uintptr_t)allocate_pages(arena_size, what);
    grains = allocate_pages(arena_size / GRAIN * sizeof *grains, what);
    if (simt_is_instrumented())
      arena_fresh = allocate_pages(arena_size / 8, what);
  }
  if (kind == ARENA_MANAGED || size < memory(AVAILABLE))
    *pointer = allocate(size, kind);
  if (*pointer) used_kinds[kind] = true;
  pthread_mutex_unlock(&lock);
  return *pointer ? error : cudaErrorMemoryAllocation;
}

cudaError_t arena_take(void *pointer) {
  cudaError_t error = error_sticky();
  if (error || !pointer) return error;
  pthread_mutex_lock(&lock);
  const allocation *a = find((uintptr_t)pointer);
  if (a && a->start == (uintptr_t)pointer) {
    mark(a, false);
    madvise(pointer, a->size / GUARD * GUARD, MADV_DONTNEED);
    const size_t index = (size_t)(a - allocations);
    memmove(&allocations[index], &allocations[index + 1],
            (--count - index) * sizeof *allocations);
  } else {
    error = cudaErrorInvalidValue;
  }
  pthread_mutex_unlock(&lock);
  return error;
}

arena_kind arena_kind_of(const void *address) {
  if ((uintptr_t)address - arena_low >= arena_size) return ARENA_NONE;
  pthread_mutex_lock(&lock);
  const allocation *a = find((uintptr_t)address);
  const arena_kind kind = a ? a->kind : ARENA_NONE;
  pthread_mutex_unlock(&lock);
  return kind;
}

/* ---- inputs: the system refuses to let a kernel write there. No page has
 * bytes of two allocations, for a guard is as long as one ---- */

void simt_input(const void *memory, bool is) {
  pthread_mutex_lock(&lock);
  allocation *a = find((uintptr_t)memory);
  if (a) a->is_input = is;
  any_inputs |= is;
  pthread_mutex_unlock(&lock);
}

bool arena_is_input(const void *address) {
  if (!any_inputs) return false;
  pthread_mutex_lock(&lock);
  const allocation *a = find((uintptr_t)address);
  const bool is = a && a->is_input;
  pthread_mutex_unlock(&lock);
  return is;
}

void arena_keep_inputs(bool keep) {
  for (const allocation *a = allocations; any_inputs && a < allocations + count;
       a++) {
    const uintptr_t first = a->start / GUARD * GUARD;
    if (a->is_input && mprotect((void *)first, a->start + a->size - first,
                                keep ? PROT_READ : PROT_READ | PROT_WRITE))
      abort();
  }
}

bool arena_used(arena_kind kind) { return used_kinds[kind]; }

/* ---- bytes that nobody has written ---- */

static bool is_fresh(size_t offset) {
  return arena_fresh[offset / 8] >> offset % 8 & 1;
}

static void set_fresh(size_t offset, bool fresh) {
  const uint8_t bit = (uint8_t)(1u << offset % 8);
  if (fresh)
    arena_fresh[offset / 8] |= bit;
  else
    arena_fresh[offset / 8] &= (uint8_t)~bit;
}

/* Where it lies in the arena, or SIZE_MAX where there is nothing to do. */
static size_t offset_of(const void *address, size_t size) {
  const uintptr_t offset = (uintptr_t)address - arena_low;
  return arena_fresh && any_fresh && size && offset < arena_size ? offset
                                                                 : SIZE_MAX;
}

void arena_all_written(void) {
  if (!any_fresh) return;
  for (size_t i = 0; i < count; i++)
    memset(arena_fresh + (allocations[i].start - arena_low) / 8, 0,
           (allocations[i].size + 7) / 8);
  any_fresh = false;
}

void simt_written(const void *address, size_t size) {
  size_t from = offset_of(address, size);
  if (from == SIZE_MAX) return;
  const size_t to = from + size;
  for (; from < to && from % 8; from++) set_fresh(from, false);
  if (to > from) memset(arena_fresh + from / 8, 0, (to - from) / 8);
  for (from += (to - from) / 8 * 8; from < to; from++) set_fresh(from, false);
}

fresh_bytes arena_find_fresh(const void *address, size_t size) {
  fresh_bytes f = {.padding = true};
  const size_t from = offset_of(address, size);
  if (from == SIZE_MAX) return f;
  size_t runs = 0, run = 0, written = 0;
  for (size_t i = 0; i < size; i++) {
    while ((from + i) % 8 == 0 && i + 8 <= size && !arena_fresh[(from + i) / 8])
      i += 8, written += 8, run = 0;
    if (i == size) break;
    if (!is_fresh(from + i)) {
      written++;
      run = 0;
      continue;
    }
    if (f.bytes++ == 0) f.first = i;
    if (run++ == 0) {
      f.padding &= runs++ == 0 || written > 3;
      written = 0;
    }
    f.padding &= run < 8;
  }
  f.padding &= runs > 1;
  return f;
}

void arena_copy_fresh(void *to, const void *from, size_t size) {
  const size_t source = offset_of(from, size), target = offset_of(to, size);
  simt_written(to, size);
  if (source == SIZE_MAX || target == SIZE_MAX) return;
  for (size_t i = 0; i < size; i++)
    if (is_fresh(source + i)) set_fresh(target + i, true);
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
  *total = memory(TOTAL);
  *free = memory(AVAILABLE);
  return *total ? cudaSuccess : cudaErrorUnknown;
}
