#ifndef FINDING_H
#define FINDING_H

/* What is wrong, as the block saw it: program counters, not yet lines. */

#include "common/simt/run/block.h"
#include "common/simt/simt.h"

/* Threads that wait for the same at the same place, in a block that hangs. */
typedef struct {
  uint32_t pc;
  char who[128], what[112]; /* "warps 4 to 7", "k_full + 8, phase 0 ..." */
} waiter;
enum { MAX_WAITERS = SIMT_WAITERS };

typedef struct finding {
  simt_finding_kind kind;
  uint32_t pc, other_pc;
  uint32_t caller_pc; /* in the kernel, where pc may be in the executor; or 0 */
  /* One of the two accesses, where these may be an idiom: a plain read of what
   * an atomic changes, or a volatile read of what is stored after a fence. */
  uint32_t look_pc, flag_pc;
  uint32_t thread, other_thread;
  uint64_t block_number;
  uint3 block_index;
  uint64_t count;
  enum { WHERE_NONE, WHERE_SHARED, WHERE_NO_VARIABLE, WHERE_GLOBAL } where;
  size_t offset; /* in shared memory */
  char sentence[192];
  uint32_t waiter_count;
  waiter waiters[MAX_WAITERS];
} finding;

enum { MAX_FINDINGS = 256 };

/* What is no block's: findings of the host's own doing. */
extern block finding_host;

/* At `pc` a thread has read what it then gave to an atomicCAS. */
void finding_cas_look(block *b, uint32_t pc);
bool finding_is_cas_look(const block *b, uint32_t pc);

/* Counts the finding. Returns it where it is new in this block's OS thread, for
 * the caller to describe; null where it was seen before or there are too many
 * kinds. other_pc is 0 where there is no second place. */
finding *finding_note(block *b, simt_finding_kind kind, uint32_t pc,
                      uint32_t other_pc, uint32_t thread,
                      uint32_t other_thread);

/* The same, with its sentence. */
__attribute__((format(printf, 7, 8))) void
finding_report(block *b, simt_finding_kind kind, uint32_t pc,
               uint32_t other_pc, uint32_t thread, uint32_t other_thread,
               const char *format, ...);

/* Of one thread, and of one place: the running thread's at `pc`. */
__attribute__((format(printf, 4, 5))) void
finding_of_running(block *b, simt_finding_kind kind, uint32_t pc,
                   const char *format, ...);

/* Of the host, at `pc`. */
__attribute__((format(printf, 3, 4))) void
finding_of_host(simt_finding_kind kind, uint32_t pc, const char *format, ...);

/* Says which memory it is about. */
void finding_locate(const block *b, finding *f, uintptr_t address);

#endif
