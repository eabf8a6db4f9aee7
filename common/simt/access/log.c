/* Turns the logs of a warp's lanes into warp instructions. The lanes of a real
 * warp run together; the fibres ran one after the other, so their logs are
 * laid side by side again here. */

#include "common/harness/program.h"
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

/* Numbers that differ for values that do, but for one in 65,536. */
static uint64_t tell_word_apart(uint32_t word) {
  return word * UINT32_C(0x9e3779b1) >> 16;
}

static uint64_t tell_apart(const lane_access *a) {
  const uint32_t *words = (const uint32_t *)a->address;
  uint64_t all = 0;
  if (a->key.size == 1) return *(const uint8_t *)words;
  if (a->key.size == 2) return tell_word_apart(*(const uint16_t *)words);
  for (int i = a->key.size / 4 - 1; i >= 0; i--)
    all = all << 16 | tell_word_apart(words[i]);
  return all;
}

void log_settle(access_log_memory *l, uint32_t lane) {
  const uint32_t at = lane * LOG_STRIDE + l->unknown[lane] - 1;
  l->values[at] = tell_apart(&l->entries[at]);
  l->unknown[lane] = 0;
}

void log_forget(access_log_memory *l, uint32_t lane) {
  if (!l->unknown[lane]) return;
  l->values[lane * LOG_STRIDE + l->unknown[lane] - 1] = UINT64_MAX;
  l->unknown[lane] = 0;
}

uint32_t log_latest_read(const block *b, uintptr_t address, uint32_t size) {
  const uint32_t lane = b->running->lane;
  const lane_access *first = &b->log->entries[lane * LOG_STRIDE];
  for (const lane_access *a = first + b->log->count[lane]; a-- > first;)
    if (a->key.kind == ACCESS_READ && a->address == address &&
        a->key.size == size)
      return a->key.pc;
  return 0;
}

static void lane_stopped(block *b, uint32_t lane) {
  if (b->log->unknown[lane]) log_settle(b->log, lane);
}

/* Gathers the lanes that are at `key` and moves them on. False when one of
 * them has nothing left. */
static bool step(const block *b, logs *l, access_key key, instruction *i) {
  const bool stores = is_store(key.kind) && b->lane_stopped;
  uint32_t ended = 0, taken = 0;
  uint64_t some = 0;
  for (uint32_t rest = l->lanes; rest; rest &= rest - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(rest);
    const lane_access *a = l->next[lane];
    if (a->key.bits != key.bits) continue;
    some = i->address[lane] = a->address;
    if (stores) i->value[lane] = b->log->values[a - b->log->entries];
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
    memmove(&b->log->values[lane * LOG_STRIDE],
            &b->log->values[l->next[lane] - b->log->entries],
            left * sizeof *b->log->values);
    b->log->count[lane] = (uint32_t)left;
    if (left == LOG_LENGTH && b->log->cut >> lane & 1) w->held |= 1u << lane;
  }
  b->log->cut = w->held;
  return l->lanes != 0;
}

/* True where accesses are left over that wait for other lanes. */
static bool digest(block *b, warp *w) {
  logs l = {.lanes = 0};
  for (uint32_t lane = 0; lane < w->lanes; lane++) {
    const uint32_t count = b->log->count[lane];
    l.next[lane] = &b->log->entries[lane * LOG_STRIDE];
    l.end[lane] = l.next[lane] + count;
    if (count > 0) l.lanes |= 1u << lane;
  }
  instruction i;
  while (l.lanes) {
    const access_key key =
        together(&l) ? l.next[__builtin_ctz(l.lanes)]->key : turn(&l);
    const bool all_go_on = step(b, &l, key, &i);
    log_take(b, w, &i);
    /* What comes next for a lane that was cut is not known yet. */
    if (!all_go_on && b->log->cut & ~l.lanes) break;
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
  b->lane_stopped = b->checks & SIMT_RACES ? lane_stopped : NULL;
  for (mechanism *const *m = b->mechanisms; *m; m++) {
    if (!((*m)->checks & b->checks)) continue;
    if ((*m)->instruction) l->look[l->look_count++] = (*m)->instruction;
    if ((*m)->own_access)
      l->look_at_own[l->look_at_own_count++] = (*m)->own_access;
  }
}

static void start_block(block *b) {
  memset(b->log->count, 0, sizeof b->log->count);
  memset(b->log->unknown, 0, sizeof b->log->unknown);
  b->log->cut = 0;
  b->watches_own = false;
}

/* The latest entry may be half written, as may what the log says of it. */
static uint32_t interrupted(block *b, thread *t) {
  const uint32_t count = b->log->count[t->lane];
  b->log->count[t->lane] = b->log->unknown[t->lane] = 0;
  return count < 2 ? 0
                   : b->log->entries[t->lane * LOG_STRIDE + count - 2].key.pc;
}

mechanism access_log = {.name = "accesses",
                        .prepare = prepare,
                        .start_block = start_block,
                        .clear = sites_clear,
                        .warp_stopped = digest,
                        .interrupted = interrupted};
