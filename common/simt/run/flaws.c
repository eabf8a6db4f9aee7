#include "common/simt/run/flaws.h"
#include "common/simt/memory/symbols.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

flaw *flaw_note(block *b, simt_finding_kind kind, uint32_t pc,
                uint32_t other_pc, uint32_t thread, uint32_t other_thread) {
  for (uint32_t i = 0; i < b->flaw_count; i++) {
    flaw *f = &b->flaws[i];
    if (f->kind != kind || f->pc != pc || f->other_pc != other_pc) continue;
    f->count++;
    return NULL;
  }
  if (b->flaw_count == MAX_FLAWS) return NULL;
  if (!b->flaws) b->flaws = calloc(MAX_FLAWS, sizeof *b->flaws);
  if (!b->flaws) return NULL;
  flaw *f = &b->flaws[b->flaw_count++];
  *f = (flaw){.kind = kind,
              .pc = pc,
              .other_pc = other_pc,
              .thread = thread,
              .other_thread = other_thread,
              .block_number = b->number,
              .block_index = b->index,
              .count = 1};
  return f;
}

void flaw_report(block *b, simt_finding_kind kind, uint32_t pc,
                 uint32_t other_pc, uint32_t thread, uint32_t other_thread,
                 const char *format, ...) {
  flaw *f = flaw_note(b, kind, pc, other_pc, thread, other_thread);
  if (!f) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(f->sentence, sizeof f->sentence, format, arguments);
  va_end(arguments);
}

void flaw_locate(block *b, flaw *f, uintptr_t address) {
  if (address - b->shared_low < b->shared_size)
    symbol_of_shared(address - b->shared_low, f->where, sizeof f->where);
  else if (f->kind == SIMT_OUTSIDE_SHARED)
    snprintf(f->where, sizeof f->where, "shared memory, in no variable");
  else
    snprintf(f->where, sizeof f->where, "global memory");
}
