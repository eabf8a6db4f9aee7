/* What gcc's -fsanitize=thread calls before each load and store of a kernel.
 * It is our own code that answers, not the ThreadSanitizer library. */

#include "common/simt/access/access.h"
#include "common/simt/simt.h"

#include <string.h>

static bool instrumented;
bool simt_is_instrumented(void) { return instrumented; }

void (*access_by_host)(const void *, size_t, bool, uint32_t);

static inline void see(const void *address, uint32_t size, access_kind kind,
                       uint32_t pc) {
  block *b = simt_here;
  if (b && b->checks)
    access_file(b, address, size, kind, pc);
  else if (!b && access_by_host)
    access_by_host(address, size, is_store(kind), pc);
}

/* The compiler does not know the alignment: nvcc would use pieces that are
 * aligned for sure, so pieces that are aligned here come nearest. */
static void see_pieces(const char *address, size_t size, access_kind kind,
                       uint32_t pc) {
  while (size > 0) {
    uint32_t piece = 16;
    while (piece > size || (uintptr_t)address % piece) piece /= 2;
    see(address, piece, kind, pc);
    address += piece;
    size -= piece;
  }
}

/* A volatile variable may be a flag that another thread will set: after
 * looking at it, let the others run. Before it is set, what came before must be
 * known to the check. */
static void see_volatile(const void *address, uint32_t size, access_kind kind,
                         uint32_t pc) {
  block *b = simt_here;
  see(address, size, kind, pc);
  if (!b) return;
  if (kind == ACCESS_VOLATILE_WRITE && b->fenced && b->shadow) {
    log_forget(b->log, b->running->lane);
    block_request(b, (request){.kind = REQUEST_YIELD, .pc = pc});
  }
  if (kind == ACCESS_VOLATILE_READ)
    block_request(
        b, (request){.kind = REQUEST_SPIN,
                     .pc = pc,
                     .asks = true,
                     .spins_in = "a loop that reads a volatile variable"});
}

/* __tsan_read4(address) and its kin. */
#define CALLBACK(name, size, answer, kind)                                     \
  void __tsan_##name##size(void *p) { answer(p, size, kind, CALLER); }
#define CALLBACKS(size)                                                        \
  CALLBACK(read, size, see, ACCESS_READ)                                       \
  CALLBACK(write, size, see, ACCESS_WRITE)                                     \
  CALLBACK(unaligned_read, size, see_pieces, ACCESS_READ)                      \
  CALLBACK(unaligned_write, size, see_pieces, ACCESS_WRITE)                    \
  CALLBACK(volatile_read, size, see_volatile, ACCESS_VOLATILE_READ)            \
  CALLBACK(volatile_write, size, see_volatile, ACCESS_VOLATILE_WRITE)

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
CALLBACKS(1)
CALLBACKS(2)
CALLBACKS(4)
CALLBACKS(8)
CALLBACKS(16)

void __tsan_read_range(void *p, size_t size) {
  see_pieces(p, size, ACCESS_READ, CALLER);
}
void __tsan_write_range(void *p, size_t size) {
  see_pieces(p, size, ACCESS_WRITE, CALLER);
}

/* A kernel's; what the host does by them nobody looks at. */
static void see_range(const void *address, size_t size, access_kind kind,
                      uint32_t pc) {
  if (simt_here) see_pieces(address, size, kind, pc);
}
static void *move(void *to, const void *from, size_t size, uint32_t pc) {
  see_range(from, size, ACCESS_READ, pc);
  see_range(to, size, ACCESS_WRITE, pc);
  return memmove(to, from, size);
}
void *simt_memcpy(void *to, const void *from, size_t size) {
  return move(to, from, size, CALLER);
}
void *simt_memmove(void *to, const void *from, size_t size) {
  return move(to, from, size, CALLER);
}
void *simt_memset(void *to, int byte, size_t size) {
  see_range(to, size, ACCESS_WRITE, CALLER);
  return memset(to, byte, size);
}
void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void) {}
/* Called once for each instrumented file, before main. */
void __tsan_init(void) { instrumented = true; }
