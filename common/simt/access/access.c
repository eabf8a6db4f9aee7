/* One access of one thread: whether it may, and a line in the log. */

#include "common/simt/access/access.h"
#include "common/simt/memory/memory.h"
#include "common/simt/run/finding.h"

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
  finding *f = finding_note(b, kind, pc, 0, id, id);
  if (f) {
    finding_locate(b, f, address);
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
  finding *f = finding_note(b, SIMT_MISALIGNED, pc, 0, id, id);
  if (f) {
    finding_locate(b, f, address);
    snprintf(f->sentence, sizeof f->sentence,
             "%u bytes at %#lx, which is not a multiple of %u", size,
             (unsigned long)address, size);
  }
  block_abort(b, cudaErrorMisalignedAddress);
}

static void own_access(block *b, uintptr_t address, uint32_t size,
                       access_kind kind, uint32_t pc) {
  const access_log_memory *l = b->log;
  for (uint32_t n = 0; n < l->look_at_own_count; n++)
    l->look_at_own[n](b, address, size, kind != ACCESS_READ, pc);
}

/* Inlined, for it is what every load and store goes through. */
__attribute__((always_inline)) static inline bool
check(block *b, const void *pointer, uint32_t size, access_kind kind,
      uint32_t pc) {
  const uintptr_t address = (uintptr_t)pointer;
  const bool shared = address - b->shared_low < b->shared_size;
  if (shared) {
    if (address + size - 1 - b->unused_low < b->unused_size ||
        is_own_variable(address, size))
      outside(b, SIMT_OUTSIDE_SHARED, address, size, pc);
  } else if (b->shadow && address - variables_low() < variables_size()) {
    /* of the kernel's, with __device__ */
  } else if (address - arena_low < arena_size) {
    if (!arena_allows(address, size))
      outside(b, SIMT_OUTSIDE_GLOBAL, address, size, pc);
  } else {
    if (!is_private(b, address))
      outside(b,
              is_near_shared(b, address) ? SIMT_OUTSIDE_SHARED
                                         : SIMT_OUTSIDE_GLOBAL,
              address, size, pc);
    if (b->watches_own) own_access(b, address, size, kind, pc);
    return false;
  }
  if (address & (size - 1) && kind != ACCESS_COPY_READ)
    misaligned(b, address, size, pc);
  return true;
}

bool access_check(block *b, const void *pointer, uint32_t size,
                  access_kind kind, uint32_t pc) {
  return b->checks && check(b, pointer, size, kind, pc);
}

void access_file(block *b, const void *pointer, uint32_t size, access_kind kind,
                 uint32_t pc) {
  if (!b->checks || !check(b, pointer, size, kind, pc)) return;
  const uint32_t lane = b->running->lane;
  access_log_memory *l = b->log;
  if (l->count[lane] == LOG_LENGTH) {
    l->cut |= 1u << lane;
    block_request(b, (request){.kind = REQUEST_YIELD, .pc = pc});
  }
  if (is_store(kind) && b->lane_stopped) {
    if (l->unknown[lane]) log_settle(l, lane);
    l->unknown[lane] = l->count[lane] + 1;
  }
  l->entries[lane * LOG_STRIDE + l->count[lane]++] =
      (lane_access){.key = {.pc = pc,
                            .size = (uint8_t)size,
                            .kind = (uint8_t)kind,
                            .shared = in_shared(b, pointer)},
                    .address = (uintptr_t)pointer};
}
