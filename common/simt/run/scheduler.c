/* Runs one block: its threads in turn, warp by warp, until all have returned.
 * A warp's lanes run one after the other, each up to its next request.
 *
 * How a block that hangs is known. A request that only asks, one look at a flag
 * or at an mbarrier in a loop, changes nothing by itself; every other one is a
 * step on. There are two cases.
 *   Nobody is ready: all threads wait for each other, and will for ever.
 *   Some are ready, and all that they do is to ask. What they ask for may come
 *   from a thread whose turn is later, or from another block, so they may ask
 *   often. After PATIENCE rounds in which no lane did anything else, and nobody
 *   was granted what he asked for, and some time in which no other OS thread
 *   did more than ask, it will not come any more.
 * The finding is a livelock where a thread loops over a flag of the kernel's,
 * and a deadlock where all wait in the hardware's own ways.
 *
 * In the code, `moved` says that in this round a lane did more than ask, if
 * only to let others catch up, and b->progress counts the requests that were a
 * step on, and those granted. `idle` counts the rounds that had neither. A
 * thread that runs for ever without any request keeps the scheduler from its
 * next round: signals.c sees that b->progress stands still. */

#include "common/harness/numbers.h"
#include "common/simt/run/launch.h"
#include "common/simt/run/mechanism.h"

#include <unistd.h>

/* ---- fibres: one begins in `entry`, which must not return, at its first
 * switch, on a stack whose end is 16-byte aligned ---- */

_Thread_local block *simt_here;
void fibre_switch(fibre *from, fibre *to);

/* Ends in a jump, for a `ret` after the switch would be predicted wrong. */
void block_stop(block *b) {
  fibre_switch(&b->running->fibre, &b->scheduler);
}

_Noreturn void block_abort(block *b, cudaError_t error) {
  b->error = error;
  for (;;) block_request(b, (request){.kind = REQUEST_EXIT});
}

#ifdef __x86_64__

/* Only the registers that a called function must keep are saved. The last jump
 * is not a `ret`: the processor would predict the wrong place to return to. */
__asm__(".text\n"
        ".globl fibre_switch\n"
        ".type fibre_switch, @function\n"
        "fibre_switch:\n"
        "  pushq %rbp\n"
        "  pushq %rbx\n"
        "  pushq %r12\n"
        "  pushq %r13\n"
        "  pushq %r14\n"
        "  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq (%rsi), %rsp\n"
        "  popq %r15\n"
        "  popq %r14\n"
        "  popq %r13\n"
        "  popq %r12\n"
        "  popq %rbx\n"
        "  popq %rbp\n"
        "  popq %rcx\n"
        "  jmp *%rcx\n"
        ".size fibre_switch, . - fibre_switch\n");

static const uintptr_t *fibre_frame(const fibre *f) {
  return ((uintptr_t **)f->stack_pointer)[5]; /* rbp */
}

static void fibre_prepare(fibre *f, void *stack, size_t size,
                          void (*entry)(void)) {
  /* Six registers, where to start, and a return address that is never used:
   * with it, the stack is aligned as after a call. */
  enum { REGISTERS = 6, WORDS = REGISTERS + 2 };
  void **top = (void **)((char *)stack + size) - WORDS;
  memset(top, 0, WORDS * sizeof *top);
  memcpy(&top[REGISTERS], &entry, sizeof entry);
  f->stack_pointer = top;
}

#else

static const uintptr_t *fibre_frame(const fibre *f) {
#ifdef __aarch64__
  return (uintptr_t *)f->context.uc_mcontext.regs[29];
#else
  (void)f;
  return NULL;
#endif
}

static void fibre_prepare(fibre *f, void *stack, size_t size,
                          void (*entry)(void)) {
  getcontext(&f->context);
  f->context.uc_stack.ss_sp = stack;
  f->context.uc_stack.ss_size = size;
  f->context.uc_link = NULL;
  makecontext(&f->context, entry, 0);
}

void fibre_switch(fibre *from, fibre *to) {
  swapcontext(&from->context, &to->context);
}

#endif

/* ---- in which order blocks begin and warps run: SIMT_FORWARD, SIMT_BACKWARD,
 * or at random from a seed, with which each block runs the same way ---- */

static uint64_t random_number(uint64_t *state) {
  return random_mix(*state += 0x9e3779b97f4a7c15);
}

static uint64_t common_divisor(uint64_t a, uint64_t b) {
  while (b) {
    const uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

uint64_t turns_block(uint64_t order, uint64_t n, uint64_t total) {
  if (order == SIMT_FORWARD) return n;
  if (order == SIMT_BACKWARD) return total - 1 - n;
  /* Steps that have no factor in common with the total reach each block. */
  uint64_t state = order;
  const uint64_t start = random_number(&state) % total;
  uint64_t step = random_number(&state) % total;
  while (common_divisor(step, total) != 1) step++;
  return (start + n * (step % total)) % total;
}

static bool is_random(const block *b) {
  return b->order != SIMT_FORWARD && b->order != SIMT_BACKWARD;
}

static void turns_next(block *b, uint8_t list[MAX_WARPS]) {
  const uint32_t count = b->warp_count;
  for (uint32_t i = 0; i < count; i++)
    list[i] = (uint8_t)(b->order == SIMT_BACKWARD ? count - 1 - i : i);
  if (!is_random(b)) return;
  for (uint32_t i = count; i > 1; i--) {
    const uint32_t k = (uint32_t)(random_number(&b->random) % i);
    const uint8_t kept = list[k];
    list[k] = list[i - 1];
    list[i - 1] = kept;
  }
}

/* In a random order a warp is some steps ahead of the others, and then another
 * one; and so are, at times, lanes of a warp. */
static uint32_t steps_ahead(block *b) {
  enum { MOST = 8 };
  return is_random(b) ? 1 + (uint32_t)(random_number(&b->random) % MOST) : 1;
}

static uint32_t lanes_ahead(block *b) {
  if (!is_random(b)) return UINT32_MAX;
  const uint64_t drawn = random_number(&b->random);
  return drawn % 2 ? UINT32_MAX : (uint32_t)(drawn >> 32);
}

/* ---- where lanes of a warp meet: they may go on when every lane of the mask
 * that has not returned waits with the same mask for the same operation ---- */

static bool is_together(const request *r) {
  return r->kind == REQUEST_CARRY_OUT && r->to->carry_out_together;
}

/* A lane of the mask that waits in something else, now and for ever. */
static void mismatch(block *b, const thread *t, const thread *other) {
  if (other->request.warp.mask != t->request.warp.mask)
    finding_report(b, SIMT_WARP_MASK, t->request.pc, other->request.pc, t->id,
                   other->id, "lanes of one warp wait with masks %08x and %08x",
                   t->request.warp.mask, other->request.warp.mask);
  else
    finding_report(b, SIMT_WARP_OPERATION, t->request.pc, other->request.pc,
                   t->id, other->id, "lanes of one mask wait in %s and in %s",
                   mechanism_waits_in(&t->request),
                   mechanism_waits_in(&other->request));
  b->error = cudaErrorLaunchFailure;
}

static bool complete(block *b, warp *w, const thread *t) {
  const request *r = &t->request;
  const uint32_t needed = r->warp.mask & w->alive;
  if (needed & w->ready) return false;
  FOR_EACH_LANE(lane, needed) {
    const thread *other = &w->first[lane];
    const request *q = &other->request;
    if (!is_together(q)) return false;
    if (q->to != r->to || q->operation != r->operation ||
        q->warp.mask != r->warp.mask) {
      /* In a random order it may be the other's own lanes that are late. */
      if (!is_random(b)) mismatch(b, t, other);
      return false;
    }
  }
  return true;
}

enum { MAX_CALLS = 32 };

/* Where the calls return to in which the thread is, the innermost first. */
static int calls_of(const thread *t, uint32_t calls[MAX_CALLS]) {
  const uintptr_t *frame = fibre_frame(&t->fibre), *below = NULL;
  int count = 0;
  while (count < MAX_CALLS && frame > below &&
         (uintptr_t)frame - (uintptr_t)t->stack < STACK_SIZE - sizeof *frame &&
         (uintptr_t)frame % sizeof *frame == 0) {
    calls[count++] = (uint32_t)frame[1];
    below = frame;
    frame = (const uintptr_t *)frame[0];
  }
  return count;
}

bool came_otherwise(const block *b, const thread *one, const thread *other,
                    uint32_t places[2]) {
  uint32_t calls[2][MAX_CALLS];
  places[0] = one->request.pc;
  places[1] = other->request.pc;
  if (places[0] != places[1]) return true;
  if (!b->shadow) return false;
  int i = calls_of(one, calls[0]), n = calls_of(other, calls[1]);
  while (i-- > 0 && n-- > 0) {
    if (calls[0][i] == calls[1][n]) continue;
    places[0] = calls[0][i];
    places[1] = calls[1][n];
    return true;
  }
  return false;
}

bool check_one_instruction(block *b, const warp *w, const thread *one,
                           uint32_t lanes) {
  uint32_t places[2];
  FOR_EACH_LANE(lane, b->shadow ? lanes : 0) {
    const thread *t = &w->first[lane];
    if (!came_otherwise(b, one, t, places)) continue;
    finding_report(b, SIMT_BARRIER_LINES, places[0], places[1], one->id, t->id,
                   "lanes of one warp meet in %s from two places",
                   mechanism_waits_in(&t->request));
    return false;
  }
  return true;
}

static void carry_out_together(block *b, warp *w, const thread *one,
                               uint32_t lanes) {
  const request *r = &one->request;
  if (r->to->whole_warp) check_one_instruction(b, w, one, lanes);
  if (lanes == UINT32_MAX || !r->to->whole_warp) {
    r->to->carry_out_together(b, w, lanes);
    return;
  }
  finding_report(b, SIMT_USAGE, r->pc, 0, w->first->id, w->first->id,
                 "%s needs all 32 lanes of the warp", mechanism_waits_in(r));
  b->error = cudaErrorIllegalInstruction;
}

static void warp_requests(block *b, warp *w) {
  uint32_t done = 0;
  FOR_EACH_LANE(lane, w->alive & ~w->ready) {
    thread *t = &w->first[lane];
    if (!is_together(&t->request) || done >> t->lane & 1) continue;
    if (!complete(b, w, t)) continue;
    const uint32_t needed = t->request.warp.mask & w->alive;
    carry_out_together(b, w, t, needed);
    done |= needed;
  }
  w->ready |= done;
}

enum { PATIENCE = 20000 };

static void thread_main(void) {
  block *b = simt_here;
  b->launch->call(b->launch->kernel, b->launch->arguments);
  for (;;) block_request(b, (request){.kind = REQUEST_EXIT});
}

static void start(block *b) {
  b->alive = b->thread_count;
  b->steps = 0;
  b->block_ticks = 0;
  b->progress++;
  b->random = b->order ^ b->number * 0x9e3779b97f4a7c15;
  for (warp *w = b->warps; w < b->warps + b->warp_count; w++) {
    w->alive = w->ready = w->exists;
    w->held = 0;
  }
  for (thread *t = b->threads; t < b->threads + b->thread_count; t++) {
    t->request = (request){.kind = REQUEST_YIELD};
    /* Stacks that began alike would fight for the same lines of the cache. */
    const size_t size = STACK_SIZE - t->id % 64 * 1024;
    fibre_prepare(&t->fibre, t->stack, size, thread_main);
  }
  FOR_EACH_MECHANISM(b, start_block, b);
}

/* One pass over the lanes that can run. True when one of them moved. */
static bool warp_run(block *b, warp *w) {
  bool moved = false;
  FOR_EACH_LANE(lane, w->ready & ~w->held & lanes_ahead(b)) {
    /* What one has done for too long, the next would do as well. */
    if (b->error == cudaErrorLaunchTimeout) break;
    thread *t = &w->first[lane];
    b->running = t;
    fibre_switch(&b->scheduler, &t->fibre);
    b->steps++;
    if (b->lane_stopped) b->lane_stopped(b, t->lane);
    const request *r = &t->request;
    if (!r->asks) moved = true;
    if (r->kind == REQUEST_YIELD || r->kind == REQUEST_SPIN) continue;
    w->ready &= ~(1u << t->lane);
    if (!r->asks) b->progress++;
  }
  b->running = NULL;
  return moved;
}

/* Only checks look at what lanes do between their requests. */
static bool must_run_again(block *b, warp *w) {
  bool again = false;
  if (!b->checks) return false;
  for (mechanism *const *m = b->mechanisms; *m; m++)
    if ((*m)->warp_stopped) again |= (*m)->warp_stopped(b, w);
  return again;
}

/* Nobody can go on: names the first place where threads wait, and a second
 * that differs from it. */
static void stuck(block *b) {
  simt_finding_kind kind = SIMT_DEADLOCK;
  const thread *first = NULL, *other = NULL;
  uint32_t first_count = 0, other_count = 0;
  for (thread *t = b->threads; t < b->threads + b->thread_count; t++) {
    if (t->request.kind == REQUEST_EXIT) continue;
    if (t->request.kind == REQUEST_SPIN) kind = SIMT_LIVELOCK;
    if (!first) first = t;
    if (t->request.pc == first->request.pc) {
      first_count++;
      continue;
    }
    if (!other) other = t;
    if (t->request.pc == other->request.pc) other_count++;
  }
  finding *f = finding_note(b, kind, first->request.pc,
                            other ? other->request.pc : 0, first->id,
                            other ? other->id : first->id);
  b->error = cudaErrorLaunchTimeout;
  if (!f) return;
  if (other)
    snprintf(f->said.sentence, sizeof f->said.sentence,
             "%u thread%s in %s, %u in %s, for ever", first_count,
             first_count == 1 ? " waits" : "s wait",
             mechanism_waits_in(&first->request), other_count,
             mechanism_waits_in(&other->request));
  else
    snprintf(f->said.sentence, sizeof f->said.sentence,
             "%u of %u threads wait in %s for ever", first_count,
             b->thread_count, mechanism_waits_in(&first->request));
  if (kind == SIMT_LIVELOCK && b->launch->grid.x > 1)
    add_text(f->said.sentence, sizeof f->said.sentence,
             "; if it is for another block, nobody promises that it runs");
  waiting_list(b, f);
  FOR_EACH_MECHANISM(b, explain, b, f);
}

static void exits(block *b, warp *w) {
  FOR_EACH_LANE(lane, w->alive & ~w->ready) {
    thread *t = &w->first[lane];
    if (t->request.kind != REQUEST_EXIT) continue;
    w->alive &= ~(1u << t->lane);
    b->alive--;
    if (!b->error) FOR_EACH_MECHANISM(b, thread_exit, b, t);
  }
}

/* Requests that a thread makes for itself; the warp's come after them. */
static void requests(block *b, warp *w) {
  FOR_EACH_LANE(lane, w->alive & ~w->ready) {
    thread *t = &w->first[lane];
    const request *r = &t->request;
    if (r->kind == REQUEST_CARRY_OUT && !r->filed && r->to->carry_out)
      r->to->carry_out(b, t);
  }
}

/* What a warp does up to its lanes' next requests, and what they ask for. */
static bool warp_step(block *b, warp *w) {
  const uint32_t before = w->ready;
  bool moved = false;
  do
    moved |= warp_run(b, w);
  while (must_run_again(b, w));
  /* Nobody has filed a request; or a lane has been stopped, and what the others
   * miss of it is no mistake of theirs. */
  if (w->ready == before || b->error) return moved;
  exits(b, w);
  requests(b, w);
  warp_requests(b, w);
  return moved;
}

static uint64_t moves_of_others(const block *b) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < launch_worker_count; i++)
    if (launch_workers[i] != b)
      sum += __atomic_load_n(&launch_workers[i]->moves, __ATOMIC_RELAXED);
  return sum;
}

/* Another OS thread, which the system may have kept waiting, goes on with a
 * block that this one may wait for. */
static bool others_move(const block *b) {
  enum { STEPS = 300 };
  const uint64_t before = moves_of_others(b);
  for (int i = 0; i < STEPS && launch_worker_count > 1; i++) {
    usleep(1000);
    if (moves_of_others(b) != before) return true;
  }
  return false;
}

static void run(block *b) {
  uint32_t idle = 0; /* rounds without a step on: see above */
  /* In a random order a round is four steps or so of each warp. */
  const uint32_t patience = is_random(b) ? PATIENCE / 4 : PATIENCE;
  uint64_t progress = b->progress;
  uint8_t turns[MAX_WARPS];
  while (b->alive && !b->error) {
    bool ran = false, moved = false;
    turns_next(b, turns);
    for (uint32_t i = 0; i < b->warp_count; i++) {
      warp *w = &b->warps[turns[i]];
      if (!w->ready) continue;
      ran = true;
      for (uint32_t left = steps_ahead(b); w->ready && left > 0; left--) {
        moved |= warp_step(b, w);
        if (b->error) return;
      }
    }
    idle = moved || b->progress != progress ? 0 : idle + 1;
    progress = b->progress;
    if (idle) b->watched_ticks = 0; /* its rounds are counted here */
    if (moved) b->moves++;
    if (!ran || (idle > patience && !others_move(b))) stuck(b);
    if (idle > patience) idle = 0;
  }
}

void scheduler_run(block *b) {
  simt_here = b;
  start(b);
  run(b);
  FOR_EACH_MECHANISM(b, end_block, b);
}
