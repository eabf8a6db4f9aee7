/* Turns the logs of a warp's lanes into warp instructions. The lanes of a real
 * warp run together; the fibres ran one after the other, so their logs are
 * laid side by side again here. */

#include "common/harness/program/reason.h"
#include "common/simt/access/access.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LOOK_AHEAD = 128 };

typedef struct {
  const lane_access *next[WARP_SIZE], *end[WARP_SIZE];
  uint32_t lanes; /* that have accesses left */
} logs;

void log_take(block *b, warp *w, const instruction *i) {
  site *s = site_find(b, SITE_MEMORY, i->key);
  const pattern *p = pattern_find(&s->pattern, i);
  const access_log_memory *l = b->log;
  for (uint32_t n = 0; n < l->look_count; n++) l->look[n](b, w, i, s, p);
}

/* The number of accesses until the log of `lane` reaches `key`. */
static uint32_t distance(const logs *l, uint32_t lane, access_key key) {
  const lane_access *a = l->next[lane];
  uint32_t steps = 0;
  while (a + steps < l->end[lane] && steps < LOOK_AHEAD) {
    if (a[steps].key.bits == key.bits) return steps;
    steps++;
  }
  return LOOK_AHEAD;
}

/* Lanes have diverged: whose turn is it? The hardware lets the lanes that are
 * behind catch up where the paths meet again. A lane is behind another when it
 * gets to the other's place sooner than the other gets to its own. */
static access_key turn(const logs *l) {
  uint32_t chosen = (uint32_t)__builtin_ctz(l->lanes);
  for (uint32_t rest = l->lanes & (l->lanes - 1); rest; rest &= rest - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(rest);
    const access_key mine = l->next[lane]->key, other = l->next[chosen]->key;
    if (mine.bits == other.bits) continue;
    const uint32_t to_other = distance(l, lane, other);
    const uint32_t to_mine = distance(l, chosen, mine);
    if (to_other < to_mine || (to_other == to_mine && mine.pc < other.pc))
      chosen = lane;
  }
  return l->next[chosen]->key;
}

/* Gathers the lanes that are at `key` and moves them on. False when one of
 * them has nothing left. */
static bool step(logs *l, access_key key, instruction *i) {
  uint32_t ended = 0, taken = 0;
  uint64_t some = 0;
  for (uint32_t rest = l->lanes; rest; rest &= rest - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(rest);
    const lane_access *a = l->next[lane];
    if (a->key.bits != key.bits) continue;
    some = i->address[lane] = a->address;
    taken |= 1u << lane;
    l->next[lane] = a + 1;
    if (a + 1 == l->end[lane]) ended |= 1u << lane;
  }
  i->key = key;
  i->lanes = taken;
  if (taken != UINT32_MAX)
    for (uint32_t lane = 0; lane < WARP_SIZE; lane++)
      if (!(taken >> lane & 1)) i->address[lane] = some;
  l->lanes &= ~ended;
  return ended == 0;
}

static bool together(const logs *l) {
  uint64_t different = 0;
  const uint64_t key = l->next[__builtin_ctz(l->lanes)]->key.bits;
  for (uint32_t rest = l->lanes; rest; rest &= rest - 1)
    different |= l->next[__builtin_ctz(rest)]->key.bits ^ key;
  return different == 0;
}

static bool keep_rest(block *b, warp *w, const logs *l) {
  w->held = 0;
  for (uint32_t lane = 0; lane < w->lanes; lane++) {
    const size_t left = (size_t)(l->end[lane] - l->next[lane]);
    memmove(&b->log->entries[lane * LOG_STRIDE], l->next[lane],
            left * sizeof(lane_access));
    b->log->count[lane] = (uint32_t)left;
    if (left == LOG_LENGTH) w->held |= 1u << lane;
  }
  return l->lanes != 0;
}

/* True where accesses are left over that wait for other lanes. */
static bool digest(block *b, warp *w) {
  logs l = {.lanes = 0};
  uint32_t cut = 0; /* lanes that stopped in the middle, for want of space */
  for (uint32_t lane = 0; lane < w->lanes; lane++) {
    const uint32_t count = b->log->count[lane];
    l.next[lane] = &b->log->entries[lane * LOG_STRIDE];
    l.end[lane] = l.next[lane] + count;
    if (count > 0) l.lanes |= 1u << lane;
    if (count == LOG_LENGTH) cut |= 1u << lane;
  }
  instruction i;
  while (l.lanes) {
    const access_key key =
        together(&l) ? l.next[__builtin_ctz(l.lanes)]->key : turn(&l);
    const bool all_go_on = step(&l, key, &i);
    log_take(b, w, &i);
    /* What comes next for a lane that was cut is not known yet. */
    if (!all_go_on && cut & ~l.lanes) break;
  }
  return keep_rest(b, w, &l);
}

/* ---- a block's ---- */

static access_log_memory *reserve(void) {
  void *memory = mmap(NULL, sizeof(access_log_memory), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory != MAP_FAILED) return memory;
  fputs("The executor has no memory left for its log of accesses.\n", stderr);
  exit(EXIT_IMPOSSIBLE);
}

static void prepare(block *b) {
  if (!b->log) b->log = reserve();
  access_log_memory *l = b->log;
  l->look_count = l->look_at_own_count = 0;
  for (mechanism *const *m = b->mechanisms; *m; m++) {
    if (!((*m)->checks & b->checks)) continue;
    if ((*m)->instruction) l->look[l->look_count++] = (*m)->instruction;
    if ((*m)->own_access)
      l->look_at_own[l->look_at_own_count++] = (*m)->own_access;
  }
}

static void start_block(block *b) {
  memset(b->log->count, 0, sizeof b->log->count);
  b->watches_own = false;
}

/* The latest entry may be half written, as may what the log says of it. */
static uint32_t interrupted(block *b, thread *t) {
  const uint32_t count = b->log->count[t->lane];
  b->log->count[t->lane] = 0;
  return count < 2 ? 0
                   : b->log->entries[t->lane * LOG_STRIDE + count - 2].key.pc;
}

mechanism access_log = {.name = "accesses",
                        .prepare = prepare,
                        .start_block = start_block,
                        .clear = sites_clear,
                        .warp_stopped = digest,
                        .interrupted = interrupted};
