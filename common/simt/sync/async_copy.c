/* cp.async. The bytes move when the thread waits for them, and not before: who
 * reads early reads what was there, as can happen on a GPU. */

#include "common/simt/race/race.h"
#include "common/simt/sync/sync.h"

typedef struct {
  void *destination;
  const void *source;
  uint32_t size, source_size, group, pc;
  const uint64_t *mbarrier; /* no copy, but an arrival after those before */
} async_copy;

/* A thread's, under way. */
typedef struct {
  async_copy *copies;
  uint32_t count, capacity, committed;
} copy_list;

typedef struct {
  copy_list lists[MAX_THREADS];
  bool has_arrivals; /* a thread has asked for an arrival after its copies */
} state;

static state *state_of(const block *b) {
  return mechanism_state(b, &async_copies);
}

static copy_list *list_of(const block *b, const thread *t) {
  return &state_of(b)->lists[t->id];
}

static void start_block(block *b) {
  state *s = state_of(b);
  for (uint32_t i = 0; i < b->thread_count; i++)
    s->lists[i].count = s->lists[i].committed = 0;
  s->has_arrivals = false;
}

static void add(copy_list *l, async_copy c) {
  MAKE_ROOM(l->copies, l->count, l->capacity);
  l->copies[l->count++] = c;
}

static void move(const async_copy *c) {
  memcpy(c->destination, c->source, c->source_size);
  memset((char *)c->destination + c->source_size, 0, c->size - c->source_size);
}

static void happen(block *b, thread *t, uint32_t count) {
  copy_list *l = list_of(b, t);
  for (uint32_t i = 0; i < count; i++) {
    const async_copy *c = &l->copies[i];
    if (c->mbarrier) {
      mbarrier_arrive_for(b, t, c->mbarrier);
      continue;
    }
    move(c);
    race_copy_landed(b, c->destination, c->size);
  }
  l->count -= count;
  memmove(l->copies, l->copies + count, l->count * sizeof *l->copies);
}

/* The mbarrier counts arrivals here, and no bytes. */
static uint32_t land(block *b, const uint64_t *mbarrier, uint32_t *clocks) {
  (void)clocks;
  const state *s = state_of(b);
  for (uint32_t n = 0; s->has_arrivals && n < b->thread_count; n++) {
    const copy_list *l = &s->lists[n];
    uint32_t count = l->count;
    while (count > 0 && l->copies[count - 1].mbarrier != mbarrier) count--;
    if (count > 0) happen(b, &b->threads[n], count);
  }
  return 0;
}

static void thread_exit(block *b, thread *t) {
  const copy_list *l = list_of(b, t);
  uint32_t count = l->count;
  while (count > 0 && !l->copies[count - 1].mbarrier) count--;
  if (count > 0) happen(b, t, count);
  if (l->count == 0) return;
  finding_report(b, SIMT_NEVER_WAITED, l->copies[0].pc, 0, t->id, t->id,
                 "the thread returned without waiting for its cp.async copies");
}

mechanism async_copies = {.name = "cp.async",
                          .state_size = sizeof(state),
                          .start_block = start_block,
                          .thread_exit = thread_exit,
                          .land = land};

/* ---- what kernels call ---- */

void simt_async_copy(void *destination, const void *source, size_t size,
                     size_t source_size) {
  block *b = simt_here;
  const uint32_t pc = CALLER;
  const uint32_t bytes = (uint32_t)size;
  if (source_size > size)
    BLOCK_REFUSE(b, SIMT_USAGE, cudaErrorInvalidValue, pc,
                 "cp.async fills no more bytes with zeros than the %u that it "
                 "writes", bytes);
  if (!in_shared(b, destination))
    BLOCK_REFUSE(b, SIMT_USAGE, cudaErrorInvalidValue, pc,
                 "cp.async copies to shared memory, and this address is in "
                 "none of the block's");
  if ((size != 4 && size != 8 && size != 16) ||
      (uintptr_t)destination % size || (uintptr_t)source % size)
    BLOCK_REFUSE(b, SIMT_USAGE, cudaErrorMisalignedAddress, pc,
                 "cp.async copies 4, 8 or 16 bytes, and both addresses are "
                 "multiples of that");
  const char *space = access_space(b, source);
  if (space)
    BLOCK_REFUSE(b, SIMT_USAGE, cudaErrorIllegalAddress, pc,
                 "cp.async copies from global memory, and this source is in "
                 "%s memory",
                 space);
  if (source_size > 0)
    access_file(b, source, (uint32_t)source_size, ACCESS_COPY_READ, pc);
  access_file(b, destination, bytes, ACCESS_COPY_WRITE, pc);
  copy_list *l = list_of(b, b->running);
  add(l, (async_copy){.destination = destination,
                      .source = source,
                      .size = bytes,
                      .source_size = (uint32_t)source_size,
                      .group = l->committed,
                      .pc = pc});
}

void simt_async_commit(void) {
  list_of(simt_here, simt_here->running)->committed++;
}

void simt_async_wait(size_t groups_left) {
  block *b = simt_here;
  copy_list *l = list_of(b, b->running);
  simt_counters *counters = site_counters(b, "cp.async wait", CALLER);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < l->count; i++) {
    const async_copy c = l->copies[i];
    if (c.mbarrier || c.group + groups_left >= l->committed) {
      counters->async_bytes_left += c.size;
      l->copies[kept++] = c;
      continue;
    }
    move(&c);
    access_file(b, c.destination, c.size, ACCESS_COPY_DONE, c.pc);
  }
  l->count = kept;
}

static void arrive_later(uint64_t *barrier, uint32_t pc) {
  mbarrier_check(barrier, pc);
  add(list_of(simt_here, simt_here->running),
      (async_copy){.mbarrier = barrier, .pc = pc});
  state_of(simt_here)->has_arrivals = true;
}

void simt_async_arrive(uint64_t *barrier) { arrive_later(barrier, CALLER); }

void simt_async_arrive_added(uint64_t *barrier) {
  arrive_later(barrier, CALLER);
  mbarrier_await_one_more(barrier);
}
