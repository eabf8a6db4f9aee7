#ifndef FLAWS_H
#define FLAWS_H

#include "common/simt/run/executor.h"

/* What went wrong, as the block saw it: program counters, not yet lines. */
typedef struct flaw {
  simt_finding_kind kind;
  uint32_t pc, other_pc;
  uint32_t caller_pc; /* in the kernel, where pc may be in the executor; or 0 */
  uint32_t thread, other_thread;
  uint64_t block_number;
  uint3 block_index;
  uint64_t count;
  char where[96], sentence[192];
} flaw;

enum { MAX_FLAWS = 256 };

/* Counts the flaw. Returns it where it is new in this block's OS thread, for
 * the caller to describe; null where it was seen before or there are too many
 * kinds. other_pc is 0 where there is no second place. */
flaw *flaw_note(block *b, simt_finding_kind kind, uint32_t pc,
                uint32_t other_pc, uint32_t thread, uint32_t other_thread);

/* The same, with its sentence. */
__attribute__((format(printf, 7, 8))) void
flaw_report(block *b, simt_finding_kind kind, uint32_t pc, uint32_t other_pc,
            uint32_t thread, uint32_t other_thread, const char *format, ...);

/* Puts the name of the shared variable at `address` into f->where. */
void flaw_locate(block *b, flaw *f, uintptr_t address);

#endif
