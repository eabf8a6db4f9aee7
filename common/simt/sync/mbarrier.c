/* mbarriers: barriers in shared memory that count arrivals in phases. Their
 * state is kept here; the 8 bytes of shared memory only tell them apart, and
 * let the race check see who puts something else in their place. */

#include "common/simt/race/race.h"
#include "common/simt/sync/sync.h"

enum { ARRIVE, EXPECT, WAIT };

/* A thread's latest try at an mbarrier, while it has been told false. */
typedef struct {
  uint32_t pc; /* 0 for none */
  uint32_t parity, more; /* times that it will be told so again */
} denial;

typedef struct {
  const uint64_t *address;
  uint32_t expected, pending, phase;
  uint32_t seen; /* the latest phase whose end somebody has waited for */
  int64_t bytes;   /* that this phase expects */
  int64_t missing; /* bytes of this phase; below 0 where copies came first */
  uint32_t engine;  /* 1 and up: of copies that count here; 0: none so far */
  uint32_t init_pc, init_thread, init_stamp;
  bool init_fenced; /* by fence.mbarrier_init */
  bool valid;       /* not since mbarrier.inval */
  /* What those know who have arrived until now, and until the phase ended: who
   * waits learns of all phases before as well. */
  uint32_t *arriving, *ended;
  denial *denials; /* [thread] */
} mbarrier;

typedef struct {
  mbarrier *all;
  uint32_t count, engines;
} state;

enum { COUNT_LIMIT = (1 << 20) - 1 }; /* of arrivals, and of bytes */

static state *state_of(const block *b) {
  return mechanism_state(b, &mbarriers);
}

static mbarrier *find(const block *b, const uint64_t *address) {
  const state *s = state_of(b);
  for (uint32_t i = 0; i < s->count; i++)
    if (s->all[i].address == address) return &s->all[i];
  return NULL;
}

static void start_block(block *b) {
  state *s = state_of(b);
  for (uint32_t i = 0; i < s->count; i++) {
    free(s->all[i].arriving);
    free(s->all[i].denials);
  }
  s->count = s->engines = 0;
}

static mbarrier *make(block *b, const uint64_t *address) {
  state *s = state_of(b);
  mbarrier *m = find(b, address);
  if (m) return m;
  s->all = reallocate(s->all, (s->count + 1) * sizeof *s->all);
  m = &s->all[s->count++];
  const size_t size = order_row_size(b);
  uint32_t *clocks = allocate_zeros(2, size + 1);
  *m = (mbarrier){.address = address,
                  .arriving = clocks,
                  .ended = clocks + size / sizeof *clocks,
                  .denials = allocate_zeros(b->thread_count, sizeof(denial))};
  return m;
}

/* A phase that nobody has waited for when the next one ends: whoever waits by
 * its parity may be a round off. */
static void end_phase(block *b, const thread *t, mbarrier *m) {
  if (m->pending > 0 || m->missing != 0) return;
  if (b->shadow && m->seen < m->phase)
    finding_report(b, SIMT_BARRIER_COUNT, t->request.pc, m->init_pc, t->id,
                   m->init_thread,
                   "two phases of an mbarrier have ended, and nobody has "
                   "waited for the first: does it count as many arrivals as "
                   "there are?");
  m->pending = m->expected;
  m->phase++;
  m->bytes = 0;
  memcpy(m->ended, m->arriving, order_row_size(b));
}

static void expect(block *b, const thread *t, mbarrier *m, uint64_t bytes) {
  m->bytes += (int64_t)bytes;
  m->missing += (int64_t)bytes;
  if (m->missing > COUNT_LIMIT)
    block_misused(b, t, "an mbarrier counts up to 1,048,575 bytes a phase");
}

static void arrive(block *b, thread *t, mbarrier *m, uint32_t arrivals,
                   uint64_t bytes) {
  if (m->pending < arrivals) {
    block_misused(b, t,
                  m->pending ? "more arrivals at once than the phase of the "
                               "mbarrier still expects"
                             : "one arrival too many: the phase of the "
                               "mbarrier has all its arrivals, and nobody has "
                               "waited for its bytes");
    return;
  }
  order_arrive(b, t, m->arriving);
  expect(b, t, m, bytes);
  m->pending -= arrivals;
  end_phase(b, t, m);
}

/* Copies that count here land as late as can be: who does not wait finds them
 * still under way. */
static void land(block *b, const thread *t, mbarrier *m) {
  for (mechanism *const *other = b->mechanisms; *other; other++)
    if ((*other)->land)
      m->missing -= (*other)->land(b, m->address, m->arriving);
  end_phase(b, t, m);
}

uint32_t mbarrier_new_engine(block *b, const thread *t) {
  state *s = state_of(b);
  if (s->engines < COPY_ENGINES) return s->engines++ + MAX_WARPGROUPS;
  block_misused(b, t, "the executor follows TMA loads at 64 mbarriers at most");
  return 0;
}

uint32_t mbarrier_engine(block *b, const thread *t, const uint64_t *address,
                         uint32_t pc) {
  mbarrier *m = find(b, address);
  if (!m->init_fenced &&
      !proxy_is_fenced(b, t->id, 1, m->init_thread, m->init_stamp))
    finding_report(b, SIMT_PROXY_FENCE, pc, m->init_pc, t->id, m->init_thread,
                   "a TMA load counts at an mbarrier, with no "
                   "fence.mbarrier_init or fence.proxy.async "
                   "(fence_async_proxy()) of the thread that has initialised "
                   "it");
  if (m->engine == 0) m->engine = mbarrier_new_engine(b, t);
  return m->engine;
}

/* An mbarrier that threads wait for in vain, best one whose bytes are wrong. */
static const mbarrier *culprit(const block *b) {
  const mbarrier *found = NULL;
  for (uint32_t i = 0; i < b->thread_count; i++) {
    const request *r = &b->threads[i].request;
    if (r->kind != REQUEST_CARRY_OUT || r->to != &mbarriers ||
        r->operation != WAIT)
      continue;
    const mbarrier *m = find(b, r->mbarrier.address);
    if (m->missing) return m;
    if (!found) found = m;
  }
  return found;
}

static void describe(const block *b, const request *r, char *text,
                     size_t size) {
  const mbarrier *m = find(b, r->mbarrier.address);
  char name[64], landed[32], wanted[32];
  if (r->operation != WAIT || !m) return;
  symbol_of_shared((uintptr_t)m->address - b->shared_low, name, sizeof name);
  snprintf(text, size, "%s, phase %u: %u of %u arrivals", name,
           r->mbarrier.parity, m->expected - m->pending, m->expected);
  if (m->bytes || m->missing)
    add_text(text, size, ", %s of %s bytes",
             grouped((uint64_t)(m->bytes - m->missing), landed),
             grouped((uint64_t)m->bytes, wanted));
}

static void explain(block *b, finding *f) {
  const mbarrier *m = culprit(b);
  if (!m) return;
  const char *name = f->said.where;
  finding_locate(b, f, (uintptr_t)m->address);
  if (m->missing > 0)
    add_text(f->said.sentence, sizeof f->said.sentence,
             "; %s still lacks %lld bytes", name, (long long)m->missing);
  else if (m->missing < 0)
    add_text(f->said.sentence, sizeof f->said.sentence,
             "; %s has got %lld bytes too many", name, -(long long)m->missing);
}

void mbarrier_arrive_for(block *b, thread *t, const uint64_t *address) {
  arrive(b, t, find(b, address), 1, 0);
}

/* PTX lets a try say false at any time, and here the first ones for a phase do:
 * one to three, and for each eighth phase many; in other orders than forward,
 * for each eighth none. Who does not try again until he
 * is told true goes on without knowing that the phase has ended. */
enum { MANY_TRIES = 64 };

static void tell_denial(block *b, const thread *t, denial *d) {
  finding_report(b, SIMT_TRIED_ONCE, d->pc, 0, t->id, t->id,
                 "mbarrier_try_wait() may say false at any time; this thread "
                 "was told so and did not try again: use mbarrier_wait()");
  d->pc = 0;
}

static bool is_denied(block *b, const mbarrier *m, uint32_t parity,
                      uint32_t pc) {
  const thread *t = b->running;
  denial *d = &m->denials[t->id];
  if (d->pc && d->parity != parity) tell_denial(b, t, d);
  if (d->pc) return d->more && d->more--;
  const uint64_t more = (m->phase + t->id / WARP_SIZE + b->order) % 8;
  *d = (denial){pc, parity, more == 3 ? MANY_TRIES : (uint32_t)more % 3};
  return more != 5 || b->order == 0;
}

static void thread_exit(block *b, thread *t) {
  const state *s = state_of(b);
  for (uint32_t i = 0; i < s->count; i++)
    if (s->all[i].denials[t->id].pc)
      tell_denial(b, t, &s->all[i].denials[t->id]);
}

static void carry_out(block *b, thread *t) {
  const request *r = &t->request;
  mbarrier *m = find(b, r->mbarrier.address);
  block_make_ready(b, t);
  if (r->operation == EXPECT) expect(b, t, m, r->mbarrier.bytes);
  if (r->operation == ARRIVE) {
    t->result = m->phase & 1;
    m->expected -= r->mbarrier.dropped;
    arrive(b, t, m, r->mbarrier.arrivals, r->mbarrier.bytes);
  }
  if (r->operation != WAIT) return;
  if ((m->phase & 1) == r->mbarrier.parity) land(b, t, m);
  t->result = (m->phase & 1) != r->mbarrier.parity;
  if (!t->result) return;
  m->denials[t->id].pc = 0;
  m->seen = m->phase;
  b->progress++;
  order_leave(b, t, m->ended);
}

mechanism mbarriers = {.name = "a loop that waits for an mbarrier",
                       .state_size = sizeof(state),
                       .start_block = start_block,
                       .carry_out = carry_out,
                       .thread_exit = thread_exit,
                       .describe = describe,
                       .explain = explain};

/* ---- what kernels call ---- */

void simt_mbarrier_init(uint64_t *barrier, unsigned count) {
  block *b = simt_here;
  if (!in_shared(b, barrier) || (uintptr_t)barrier % 8 || count == 0 ||
      count > COUNT_LIMIT)
    BLOCK_MISUSE(CALLER, "an mbarrier is 8 aligned bytes of shared memory and "
                         "counts from 1 to 1,048,575 arrivals");
  access_file(b, barrier, 8, ACCESS_WRITE, CALLER);
  mbarrier *m = make(b, barrier);
  if (m->valid)
    BLOCK_MISUSE(CALLER, "an mbarrier is initialised again, with no "
                         "mbarrier.inval before");
  m->valid = true;
  m->expected = m->pending = count;
  m->phase = m->seen = 0;
  m->missing = m->bytes = 0;
  m->init_pc = CALLER;
  m->init_fenced = false;
  m->init_thread = b->running->id;
  m->init_stamp = b->warps[m->init_thread / WARP_SIZE].clock;
  memset(m->arriving, 0, 2 * order_row_size(b));
}

static mbarrier *find_known(const block *b, const uint64_t *address,
                            uint32_t pc) {
  mbarrier *m = find(b, address);
  if (m) return m;
  BLOCK_MISUSE(pc, "an mbarrier is used that no thread of this block has "
                   "initialised");
}

/* The barrier's cell forgets its initialisation with the next use, which may be
 * that of the same thread. */
void mbarrier_check(uint64_t *barrier, uint32_t pc) {
  block *b = simt_here;
  const thread *t = b->running;
  const mbarrier *m = find_known(b, barrier, pc);
  if (b->shadow && order_unordered(b, m->init_stamp, m->init_thread,
                                   &b->warps[t->id / WARP_SIZE],
                                   1u << t->id % WARP_SIZE) < WARP_SIZE)
    finding_report(b, SIMT_RACE, pc, m->init_pc, t->id, m->init_thread,
                   "an mbarrier is used, with no barrier between that and its "
                   "initialisation by another thread");
  access_file(b, barrier, 8, ACCESS_MBARRIER, pc);
}

void simt_mbarrier_inval(uint64_t *barrier) {
  mbarrier *m = find(simt_here, barrier);
  if (m) m->valid = false;
}

void simt_fence_mbarrier_init(void) {
  const state *s = state_of(simt_here);
  for (uint32_t i = 0; i < s->count; i++)
    if (s->all[i].init_thread == simt_here->running->id)
      s->all[i].init_fenced = true;
}

void mbarrier_await_one_more(uint64_t *barrier) {
  find(simt_here, barrier)->pending++;
}

unsigned simt_mbarrier_arrive_by(uint64_t *barrier, unsigned arrivals,
                                 unsigned bytes, unsigned dropped) {
  const uint32_t pc = CALLER;
  mbarrier_check(barrier, pc);
  return (unsigned)BLOCK_ASK(simt_here, &mbarriers, arrivals ? ARRIVE : EXPECT,
                             pc,
                             .mbarrier = {.address = barrier,
                                          .arrivals = arrivals,
                                          .dropped = dropped,
                                          .bytes = bytes});
}

int simt_mbarrier_try_wait(uint64_t *barrier, unsigned parity) {
  const uint32_t pc = CALLER;
  const mbarrier *m = find_known(simt_here, barrier, pc);
  if (parity > 1)
    BLOCK_MISUSE(pc, "a phase of an mbarrier has the parity 0 or 1");
  if (is_denied(simt_here, m, parity, pc)) return false;
  mbarrier_check(barrier, pc);
  return (int)BLOCK_ASK(simt_here, &mbarriers, WAIT, pc, .asks = true,
                        .mbarrier = {.address = barrier, .parity = parity});
}
