/* cp.async. The bytes move when the thread waits for them, and not before: who
 * reads early reads what was there, as can happen on a GPU. */

#include "common/simt/run/flaws.h"
#include "common/simt/race/race.h"

#include <stdlib.h>
#include <string.h>

static async_copy *new_copy(thread *t) {
  if (t->copy_count == t->copy_capacity) {
    const uint32_t capacity = t->copy_capacity ? 2 * t->copy_capacity : 16;
    async_copy *more = realloc(t->copies, capacity * sizeof *more);
    if (!more) abort();
    t->copies = more;
    t->copy_capacity = capacity;
  }
  return &t->copies[t->copy_count++];
}

void simt_async_copy(void *destination, const void *source, size_t size,
                     size_t source_size) {
  block *b = simt_here;
  thread *t = b->running;
  const uint32_t pc = CALLER;
  const uint32_t bytes = (uint32_t)size;
  if ((size != 4 && size != 8 && size != 16) || source_size > size ||
      (uintptr_t)destination % size || (uintptr_t)source % size ||
      !in_shared(b, destination)) {
    flaw_report(b, SIMT_USAGE, pc, 0, t->id, t->id,
                "cp.async copies 4, 8 or 16 bytes to shared memory, and both "
                "addresses are multiples of that");
    block_abort(b, cudaErrorMisalignedAddress);
  }
  if (source_size > 0)
    trace_access(b, source, (uint32_t)source_size, ACCESS_COPY_READ, pc);
  trace_access(b, destination, bytes, ACCESS_COPY_WRITE, pc);
  *new_copy(t) = (async_copy){.destination = destination,
                              .source = source,
                              .size = bytes,
                              .source_size = (uint32_t)source_size,
                              .group = t->committed,
                              .pc = pc};
}

void simt_async_commit(void) { simt_here->running->committed++; }

static void land(const async_copy *c) {
  memcpy(c->destination, c->source, c->source_size);
  memset((char *)c->destination + c->source_size, 0, c->size - c->source_size);
}

void simt_async_wait(size_t groups_left) {
  block *b = simt_here;
  thread *t = b->running;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < t->copy_count; i++) {
    const async_copy c = t->copies[i];
    if (c.mbarrier || c.group + groups_left >= t->committed) {
      t->copies[kept++] = c;
      continue;
    }
    land(&c);
    trace_access(b, c.destination, c.size, ACCESS_COPY_DONE, c.pc);
  }
  t->copy_count = kept;
}

/* ---- arrivals at an mbarrier once copies have landed ---- */

void simt_async_arrive(uint64_t *barrier) {
  block *b = simt_here;
  mbarrier_check(barrier, CALLER);
  *new_copy(b->running) = (async_copy){.mbarrier = barrier, .pc = CALLER};
  b->has_arrivals = true;
}

/* Lets the first `count` entries of the thread's list happen. */
static void happen(block *b, thread *t, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const async_copy *c = &t->copies[i];
    if (c->mbarrier) {
      mbarrier_arrive_for(b, t, c->mbarrier);
      continue;
    }
    land(c);
    race_copy_landed(b, c->destination, c->size);
  }
  t->copy_count -= count;
  memmove(t->copies, t->copies + count, t->copy_count * sizeof *t->copies);
}

/* As late as can be, when somebody waits for them: who does not wait finds the
 * copies still under way. */
void async_arrivals(block *b, const uint64_t *mbarrier) {
  if (!b->has_arrivals) return;
  for (uint32_t n = 0; n < b->thread_count; n++) {
    thread *t = &b->threads[n];
    uint32_t count = t->copy_count;
    while (count > 0 && t->copies[count - 1].mbarrier != mbarrier) count--;
    if (count > 0) happen(b, t, count);
  }
}

void async_exit(block *b, thread *t) {
  uint32_t count = t->copy_count;
  while (count > 0 && !t->copies[count - 1].mbarrier) count--;
  if (count > 0) happen(b, t, count);
  if (t->copy_count == 0) return;
  const async_copy *c = &t->copies[0];
  flaw_report(b, SIMT_NEVER_WAITED, c->pc, 0, t->id, t->id,
              "the thread returned without waiting for its cp.async copies");
}
