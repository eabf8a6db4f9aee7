#include "common/simt/run/launch.h"
#include "common/simt/run/mechanism.h"

block finding_host;

/* What is a note, or may turn out to be one, takes no room from what is not:
 * see verdict() in report/results.c. */
static bool is_sure(const finding *f) {
  return f->said.kind < SIMT_NOTES && f->said.kind != SIMT_BARRIER_LINES &&
         !f->look_pc && !f->flag_pc;
}

static bool has_room(block *b) {
  uint32_t sure = 0;
  if (b->finding_count % MAX_FINDINGS || b->findings_full)
    return !b->findings_full;
  for (uint32_t i = 0; i < b->finding_count; i++)
    sure += is_sure(b->findings[i]);
  b->findings_full = sure >= MAX_FINDINGS;
  return !b->findings_full;
}

static uint64_t key_of(uint32_t pc, uint32_t other_pc) {
  return (uint64_t)pc << 32 | other_pc;
}

finding *finding_before(block *b, simt_finding_kind kind, uint32_t pc,
                        uint32_t other_pc) {
  finding *f = map_get(&b->finding_at, key_of(pc, other_pc));
  while (f && f->said.kind != kind) f = f->before;
  return f;
}

finding *finding_note(block *b, simt_finding_kind kind, uint32_t pc,
                      uint32_t other_pc, uint32_t thread,
                      uint32_t other_thread) {
  const uint64_t key = key_of(pc, other_pc);
  finding *f = finding_before(b, kind, pc, other_pc);
  if (f) f->said.count++;
  if (f || !has_room(b)) return NULL;
  MAKE_ROOM(b->findings, b->finding_count, b->finding_capacity);
  f = allocate_zeros(1, sizeof *f);
  b->findings[b->finding_count++] = f;
  *f = (finding){.said = {.kind = kind,
                          .thread = thread,
                          .other_thread = other_thread,
                          .block = {b->index.x, b->index.y, b->index.z},
                          .block_number = b->number,
                          .count = 1},
                 .pc = pc,
                 .other_pc = other_pc,
                 .before = map_get(&b->finding_at, key)};
  map_put(&b->finding_at, key, f);
  return f;
}

void findings_clear(block *b) {
  for (uint32_t i = 0; i < b->finding_count; i++) free(b->findings[i]);
  map_clear(&b->finding_at, false);
  b->finding_count = 0;
  b->findings_full = false;
}

finding *finding_report(block *b, simt_finding_kind kind, uint32_t pc,
                        uint32_t other_pc, uint32_t thread,
                        uint32_t other_thread, const char *format, ...) {
  finding *f = finding_note(b, kind, pc, other_pc, thread, other_thread);
  if (!f) return NULL;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(f->said.sentence, sizeof f->said.sentence, format, arguments);
  va_end(arguments);
  return f;
}

void block_misused(block *b, const thread *t, const char *why) {
  FINDING_OF_THREAD(b, SIMT_USAGE, t, "%s", why);
  b->error = cudaErrorIllegalInstruction;
}

const char *grouped(uint64_t n, char text[32]) {
  char *at = text + 31;
  *at = '\0';
  for (int i = 0; i == 0 || n; i++, n /= 10) {
    if (i && i % 3 == 0) *--at = ',';
    *--at = (char)('0' + n % 10);
  }
  return at;
}

/* ---- who waits in a block that hangs ---- */

/* Those with one request, or requests that read alike. */
typedef struct {
  uint32_t pc;
  char what[sizeof((simt_waiter *)0)->what];
  uint32_t lanes[MAX_WARPS];
} group;

static void add(const block *b, const thread *t, group *all, uint32_t *count) {
  const request *r = &t->request;
  group new = {.pc = r->pc};
  snprintf(new.what, sizeof new.what, "%s", mechanism_waits_in(r));
  if (r->kind == REQUEST_CARRY_OUT && r->to->describe)
    r->to->describe(b, r, new.what, sizeof new.what);
  uint32_t i = 0;
  while (i < *count && (all[i].pc != new.pc || strcmp(all[i].what, new.what)))
    i++;
  if (i == SIMT_WAITERS) return;
  if (i == *count) all[(*count)++] = new;
  all[i].lanes[t->id / WARP_SIZE] |= 1u << t->lane;
}

/* "warp 0, lane 0", "warps 4 to 7" */
static void name_warps(const block *b, const group *g, uint32_t first,
                       uint32_t last, char *text, size_t size) {
  const uint32_t lanes = g->lanes[first];
  const uint32_t from = (uint32_t)__builtin_ctz(lanes);
  const uint32_t count = (uint32_t)__builtin_popcount(lanes);
  if (first < last)
    add_text(text, size, "warps %u %s %u", first,
             last > first + 1 ? "to" : "and", last);
  else
    add_text(text, size, "warp %u", first);
  if (lanes == b->warps[first].exists) return;
  if (count == 1)
    add_text(text, size, ", lane %u", from);
  else if (lanes >> from == (1ull << count) - 1)
    add_text(text, size, ", lanes %u to %u", from, from + count - 1);
  else
    add_text(text, size, ", %u lanes", count);
}

static void name_all(const block *b, const group *g, char *text, size_t size) {
  for (uint32_t w = 0; w < b->warp_count && strlen(text) + 48 < size; w++) {
    if (!g->lanes[w]) continue;
    uint32_t last = w;
    while (last + 1 < b->warp_count && g->lanes[last + 1] == g->lanes[w])
      last++;
    if (*text) add_text(text, size, "; ");
    name_warps(b, g, w, last, text, size);
    w = last;
  }
}

void waiting_list(const block *b, finding *f) {
  group all[SIMT_WAITERS];
  uint32_t count = 0;
  for (const thread *t = b->threads; t < b->threads + b->thread_count; t++) {
    const request *r = &t->request;
    /* It waits for nobody, and what it has filed is done. */
    const bool goes_on = b->warps[t->id / WARP_SIZE].ready >> t->lane & 1 &&
                         r->kind != REQUEST_SPIN && !r->asks;
    if (r->kind != REQUEST_EXIT && !goes_on) add(b, t, all, &count);
  }
  for (uint32_t i = 0; i < count; i++) {
    simt_waiter *w = &f->said.waiters[i];
    w->pc = all[i].pc;
    name_all(b, &all[i], w->who, sizeof w->who);
    memcpy(w->what, all[i].what, sizeof w->what);
  }
  f->said.waiter_count = count;
}
