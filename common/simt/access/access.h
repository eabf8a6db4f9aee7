#ifndef ACCESS_H
#define ACCESS_H

#include "common/simt/access/instruction.h"
#include "common/simt/run/mechanism.h"

/* An access of the running thread at `pc`. Stops the kernel where it may not do
 * that. True where the access is one to file: to shared or global memory, and
 * the block makes checks. */
bool access_check(block *b, const void *address, uint32_t size,
                  access_kind kind, uint32_t pc);

/* The same, and files it. */
void access_file(block *b, const void *address, uint32_t size,
                 access_kind kind, uint32_t pc);

enum {
  LOG_LENGTH = 512, /* accesses of a lane between two looks at them */
  LOG_STRIDE = LOG_LENGTH + 4 /* spreads the lanes over the cache's sets */
};

/* What the lanes of the running warp have done since they last stopped, and the
 * checks of this launch that look at it. */
typedef struct access_log {
  void (*look[MAX_MECHANISMS])(block *b, warp *w, const instruction *i,
                               struct site *s, const struct pattern *p);
  void (*look_at_own[MAX_MECHANISMS])(block *b, uintptr_t address,
                                      uint32_t size, bool writes, uint32_t pc);
  uint32_t look_count, look_at_own_count;
  uint32_t count[WARP_SIZE];
  lane_access entries[WARP_SIZE * LOG_STRIDE];
} access_log_memory;

extern mechanism access_log;

/* Shows an instruction that all lanes make together to the checks. */
void log_take(block *b, warp *w, const instruction *i);

#endif
