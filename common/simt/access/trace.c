/* What gcc's -fsanitize=thread calls before each load and store of a kernel.
 * It is our own code that answers, not the ThreadSanitizer library. */

#include "common/simt/run/flaws.h"
#include "common/simt/tensor/operands.h"

static bool instrumented;
bool simt_is_instrumented(void) { return instrumented; }

extern char __executable_start, end; /* of the program, from the linker */

/* Memory that is neither shared nor global: the thread's own variables, its
 * arguments, and the constants of the program. */
static bool is_private(const block *b, uintptr_t address) {
  return address - (uintptr_t)b->running->stack < STACK_SIZE ||
         address - (uintptr_t)b->launch->arguments <
             b->launch->arguments_size ||
         (address >= (uintptr_t)&__executable_start &&
          address < (uintptr_t)&end);
}

/* What lies close to the block's variables was meant to be one of them. */
static bool is_near_shared(const block *b, uintptr_t address) {
  const uintptr_t margin = STATIC_SHARED_LIMIT;
  return address - (b->shared_low - margin) < b->shared_size + 2 * margin;
}

__attribute__((noinline)) static _Noreturn void
outside(block *b, simt_finding_kind kind, uintptr_t address, uint32_t size,
        uint32_t pc) {
  const uint32_t id = b->running->id;
  flaw *f = flaw_note(b, kind, pc, 0, id, id);
  if (f) {
    flaw_locate(b, f, address);
    snprintf(f->sentence, sizeof f->sentence,
             kind == SIMT_OUTSIDE_GLOBAL
                 ? "%u bytes at %#lx, in no allocation of this device"
                 : "%u bytes at %#lx, outside the block's shared memory",
             size, (unsigned long)address);
  }
  block_abort(b, cudaErrorIllegalAddress);
}

__attribute__((noinline)) static _Noreturn void
misaligned(block *b, uintptr_t address, uint32_t size, uint32_t pc) {
  const uint32_t id = b->running->id;
  flaw *f = flaw_note(b, SIMT_MISALIGNED, pc, 0, id, id);
  if (f) {
    flaw_locate(b, f, address);
    snprintf(f->sentence, sizeof f->sentence,
             "%u bytes at %#lx, which is not a multiple of %u", size,
             (unsigned long)address, size);
  }
  block_abort(b, cudaErrorMisalignedAddress);
}

bool trace_check(block *b, const void *pointer, uint32_t size,
                 access_kind kind, uint32_t pc) {
  if (!b->checks) return false;
  const uintptr_t address = (uintptr_t)pointer;
  const bool shared = address - b->shared_low < b->shared_size;
  if (shared) {
    if (address + size - 1 - b->unused_low < b->unused_size)
      outside(b, SIMT_OUTSIDE_SHARED, address, size, pc);
  } else if (address - arena_low < arena_size) {
    if (!arena_allows(address, size))
      outside(b, SIMT_OUTSIDE_GLOBAL, address, size, pc);
  } else {
    if (!is_private(b, address))
      outside(b,
              is_near_shared(b, address) ? SIMT_OUTSIDE_SHARED
                                         : SIMT_OUTSIDE_GLOBAL,
              address, size, pc);
    if (b->tracks_operands) operands_access(b, address, size, kind, pc);
    return false;
  }
  if (address & (size - 1) && kind != ACCESS_COPY_READ)
    misaligned(b, address, size, pc);
  return true;
}

void trace_access(block *b, const void *pointer, uint32_t size,
                  access_kind kind, uint32_t pc) {
  if (!trace_check(b, pointer, size, kind, pc)) return;
  thread *t = b->running;
  b->log[t->lane * LOG_STRIDE + t->logged++] =
      (lane_access){.key = {.pc = pc,
                       .size = (uint8_t)size,
                       .kind = (uint8_t)kind,
                       .shared = in_shared(b, pointer)},
               .address = (uintptr_t)pointer};
  if (t->logged == LOG_LENGTH)
    block_request(b, (request){.kind = REQUEST_NONE, .pc = pc});
}

static inline void see(const void *address, uint32_t size, access_kind kind,
                       uint32_t pc) {
  block *b = simt_here;
  if (b && b->checks) trace_access(b, address, size, kind, pc);
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
 * looking at it, let the others run. */
static void see_volatile(const void *address, uint32_t size, access_kind kind,
                         uint32_t pc) {
  block *b = simt_here;
  if (!b) return;
  see(address, size, kind, pc);
  if (kind == ACCESS_VOLATILE_READ)
    block_request(
        b, (request){.kind = REQUEST_SPIN,
                     .pc = pc,
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
void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void) {}
/* Called once for each instrumented file, before main. */
void __tsan_init(void) { instrumented = true; }
