/* Shared memory. A __shared__ variable is a thread-local variable of the
 * program, so the thread-local block of an OS thread is the shared memory of
 * the CUDA block that it runs. The executor's own two thread-local variables
 * lie in there too. */

#include "common/simt/memory/memory.h"

#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Its name is also that of a program's `extern __shared__` array. */
_Thread_local _Alignas(1024) uint8_t simt_dynamic_memory[SHARED_LIMIT];
uint8_t *shared_map;

/* The program itself comes first; what follows are libraries. */
static int first_program(struct dl_phdr_info *info, size_t size, void *found) {
  (void)size;
  block *b = found;
  b->shared_low = (uintptr_t)info->dlpi_tls_data;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_TLS)
      b->shared_size = info->dlpi_phdr[i].p_memsz;
  return 1;
}

static void add_to_map(const char *name, size_t offset, size_t size,
                       void *map_size) {
  (void)name;
  if (offset + size <= *(const size_t *)map_size)
    memset(shared_map + offset, (int)(offset / 4 % 255 + 1), size);
}

static void read_map(void) {
  block b = {0};
  dl_iterate_phdr(first_program, &b);
  size_t size = b.shared_size;
  shared_map = calloc(1, size);
  if (!shared_map) abort();
  symbols_for_each_shared(add_to_map, &size);
  memset(shared_map + ((uintptr_t)&simt_here - b.shared_low), 0,
         sizeof simt_here);
}

static void prepare(block *b) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  dl_iterate_phdr(first_program, b);
  b->unused_low = (uintptr_t)simt_dynamic_memory + b->launch->dynamic_shared;
  b->unused_size = SHARED_LIMIT - b->launch->dynamic_shared;
  if (b->checks) pthread_once(&once, read_map);
}

/* Bytes of ones: a NaN in every floating-point type, and never a good index.
 * The executor's own variable is left out, for a signal may look at it. */
static void fill(uintptr_t from, uintptr_t to) {
  const uintptr_t own = (uintptr_t)&simt_here;
  if (own >= from && own < to) {
    memset((void *)from, 0xff, own - from);
    from = own + sizeof simt_here;
  }
  if (from < to) memset((void *)from, 0xff, to - from);
}

/* The block is exactly p_memsz long: what follows belongs to the C library. */
static void poison(block *b) {
  fill(b->shared_low, b->unused_low);
  fill(b->unused_low + b->unused_size, b->shared_low + b->shared_size);
}

mechanism shared_memory = {
    .name = "shared memory", .prepare = prepare, .start_block = poison};

bool shared_allows(const block *b, const void *address, size_t size) {
  const uintptr_t offset = (uintptr_t)address - b->shared_low;
  const uintptr_t unused = b->unused_low - b->shared_low;
  return offset < b->shared_size && size <= b->shared_size - offset &&
         (offset + size <= unused || offset >= unused + b->unused_size) &&
         !is_own_variable((uintptr_t)address, size);
}

void *simt_dynamic_shared(void) { return simt_dynamic_memory; }

int simt_is_shared(const void *address) {
  return in_shared(simt_here, address);
}

unsigned simt_shared_offset(const void *address) {
  return (unsigned)((uintptr_t)address - simt_here->shared_low);
}

void *simt_shared_pointer(uint64_t offset) {
  return (void *)(simt_here->shared_low + offset);
}
