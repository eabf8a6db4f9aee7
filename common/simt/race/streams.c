/* Races outside a kernel: what streams and the host do to one word of global,
 * managed or pinned memory, where no event and no synchronisation says which
 * comes first. Kernels run at their launch here, so it is by vector clocks that
 * we know what a GPU might have done at the same time. The host and each stream
 * are an actor; its clock counts its operations. A word keeps the latest write
 * and two reads: that forgets some accesses, so a race may be missed, but none
 * is made up. */

#include "common/simt/race/race.h"
#include "common/simt/run/launch.h"

#include <stdatomic.h>

/* From the lowest bit: 4 of the bytes, 1 for an atomic, 6 of the actor, 21 of
 * its operation, 32 of the program counter. */
typedef _Atomic uint64_t mark;
enum { MAX_OPERATION = (1 << 21) - 1 };

typedef struct {
  mark write, reads[2];
} word;
static word *words;

static uint32_t clocks[MAX_STREAMS][MAX_STREAMS];
static bool is_blocking[MAX_STREAMS] = {[STREAM_DEFAULT] = true};
static uint32_t stream_count = STREAM_DEFAULT + 1;
bool streams_overflowed;

static struct {
  const char **names;
  uint32_t count;
} operations[MAX_STREAMS];

static uint32_t now; /* the actor whose operation runs */

static bool wanted(void) { return launch_wanted_checks & SIMT_STREAMS; }

static void reserve(void) {
  const size_t count = variables_size() / 4 + 4 + arena_size / 4 + 1;
  if (!words)
    words = allocate_pages(count * sizeof *words, "its check of streams");
}

static void join(uint32_t *into, const uint32_t *from) {
  clocks_join(into, from, MAX_STREAMS);
}

uint32_t streams_new(bool blocking) {
  if (stream_count == MAX_STREAMS) {
    streams_overflowed = true;
    return STREAM_DEFAULT;
  }
  is_blocking[stream_count] = blocking;
  return stream_count++;
}

/* The default stream waits for all blocking ones, and they for it. */
static void meet_default(uint32_t stream) {
  if (stream != STREAM_DEFAULT) {
    if (is_blocking[stream]) join(clocks[stream], clocks[STREAM_DEFAULT]);
    return;
  }
  for (uint32_t i = STREAM_DEFAULT + 1; i < stream_count; i++)
    if (is_blocking[i]) join(clocks[STREAM_DEFAULT], clocks[i]);
}

void streams_begin(uint32_t stream, const char *name) {
  meet_default(stream);
  join(clocks[stream], clocks[STREAM_HOST]);
  clocks[STREAM_HOST][STREAM_HOST]++; /* what the host does from now on */
  const uint32_t number = ++clocks[stream][stream];
  now = stream;
  streams_overflowed |= wanted() && number > MAX_OPERATION;
  if (!wanted() || streams_overflowed) return;
  reserve();
  if (operations[stream].count <= number) {
    operations[stream].count = 2 * number;
    operations[stream].names =
        reallocate(operations[stream].names, 2 * number * sizeof(char *));
  }
  operations[stream].names[number] = name;
}

void streams_done(uint32_t stream) {
  meet_default(stream);
  join(clocks[STREAM_HOST], clocks[stream]);
}

void streams_all_done(void) {
  for (uint32_t i = STREAM_DEFAULT; i < stream_count; i++) streams_done(i);
}

void streams_record(uint32_t stream, uint32_t *clock) {
  meet_default(stream);
  memcpy(clock, clocks[stream], sizeof clocks[stream]);
}

void streams_learn(uint32_t actor, const uint32_t *clock) {
  join(clocks[actor], clock);
}

static uint32_t actor_of(uint64_t m) { return m >> 5 & (MAX_STREAMS - 1); }
static uint32_t number_of(uint64_t m) { return m >> 11 & MAX_OPERATION; }

static const char *name(uint64_t m, char text[60]) {
  const uint32_t actor = actor_of(m);
  if (actor == STREAM_HOST) return "the host";
  snprintf(text, 60, "%.30s in ", operations[actor].names[number_of(m)]);
  if (actor == STREAM_DEFAULT)
    add_text(text, 60, "the default stream");
  else
    add_text(text, 60, "stream %u", actor - STREAM_DEFAULT);
  return text;
}

__attribute__((noinline)) static void tell(block *b, uint32_t thread,
                                           uintptr_t address, uint64_t mine,
                                           uint64_t other, bool writes,
                                           bool other_writes) {
  char one[60], two[60];
  const bool host = actor_of(mine) == STREAM_HOST;
  const bool other_host = actor_of(other) == STREAM_HOST;
  /* A call of cudaMemset looks as if it waited, and is mostly over in time. */
  const bool is_memset =
      !host && !other_host &&
      !strcmp(operations[actor_of(other)].names[number_of(other)],
              "cudaMemset");
  finding *f = finding_note(b,
                            host || other_host ? SIMT_HOST_RACE
                            : is_memset        ? SIMT_MEMSET
                                               : SIMT_STREAM_RACE,
                            (uint32_t)(mine >> 32), (uint32_t)(other >> 32),
                            thread, other_host ? SIMT_HOST : SIMT_NO_THREAD);
  if (!f) return;
  finding_locate(b, f, address);
  snprintf(f->said.sentence, sizeof f->said.sentence, "%s %s what %s %s%s",
           name(mine, one), writes ? "writes" : "reads", name(other, two),
           other_writes ? "writes" : "reads",
           host         ? ", and has not waited for it"
           : other_host ? " meanwhile"
                        : ": no event and no wait between the two");
}

static bool is_known(uint64_t m) {
  return actor_of(m) == now || number_of(m) <= clocks[now][actor_of(m)];
}

static bool is_foreign(uint64_t m, uint64_t mine) {
  return m && m & mine & 15 && !(m & mine & 16) && !is_known(m);
}

void streams_access(block *b, uint32_t thread, uint32_t pc, uintptr_t address,
                    uint32_t size, bool writes, bool atomic) {
  if (streams_overflowed) return;
  word *w = &words[global_word(address)];
  const uint32_t bytes = ((1u << size) - 1) << address % 4;
  const uint64_t mine = (uint64_t)pc << 32 | (uint64_t)clocks[now][now] << 11 |
                        now << 5 | (uint64_t)atomic << 4 | bytes;
  const uint64_t write = atomic_load_explicit(&w->write, memory_order_relaxed);
  if (is_foreign(write, mine))
    tell(b, thread, address, mine, write, writes, true);
  for (int i = 0; i < 2; i++) {
    const uint64_t m = atomic_load_explicit(&w->reads[i], memory_order_relaxed);
    if (writes && is_foreign(m, mine))
      tell(b, thread, address, mine, m, true, false);
    if (writes || (m && !is_known(m))) continue;
    const bool same = m >> 5 << 43 == mine >> 5 << 43;
    atomic_store_explicit(&w->reads[i], same ? mine | (m & 15) : mine,
                          memory_order_relaxed);
    return;
  }
  if (writes) atomic_store_explicit(&w->write, mine, memory_order_relaxed);
}

void streams_range(uint32_t pc, const void *memory, size_t size, bool writes) {
  uintptr_t address = (uintptr_t)memory;
  if (!wanted() || streams_overflowed || address - arena_low >= arena_size)
    return;
  reserve();
  while (size > 0) {
    uint32_t piece = 4 - address % 4;
    if (piece > size) piece = (uint32_t)size;
    streams_access(&finding_host, SIMT_HOST, pc, address, piece, writes, false);
    address += piece;
    size -= piece;
  }
}

void streams_host_access(uint32_t pc, const void *memory, size_t size,
                         bool writes) {
  const uint32_t before = now;
  now = STREAM_HOST;
  streams_range(pc, memory, size, writes);
  now = before;
}
