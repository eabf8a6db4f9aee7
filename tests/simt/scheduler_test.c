/* The ground floor of the executor alone, run/, with a table of this file's: it
 * knows no instruction by name, and a new one is a row. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/simt/run/launch.h"
#include "common/simt/run/mechanism.h"

#include <string.h>

enum { THREADS = 96 };

/* What the threads of one block, of one OS thread, have done. */
static char story[256];
static uint32_t ends, exits_seen, met;

/* ---- a meeting of pairs: a thread waits for the next one to come ---- */

typedef struct {
  thread *waiting;
  uint32_t starts;
} pair_state;

static mechanism pairs;

static void pair_start(block *b) {
  pair_state *s = mechanism_state(b, &pairs);
  s->waiting = NULL;
  s->starts++;
}

static void pair_carry_out(block *b, thread *t) {
  pair_state *s = mechanism_state(b, &pairs);
  if (!s->waiting) {
    s->waiting = t;
    t->request.filed = true;
    return;
  }
  t->result = s->waiting->id;
  s->waiting->result = t->id;
  block_make_ready(b, s->waiting);
  block_make_ready(b, t);
  s->waiting = NULL;
  met++;
}

static void pair_exit(block *b, thread *t) {
  (void)b, (void)t;
  exits_seen++;
}

static void pair_explain(block *b, finding *f) {
  const pair_state *s = mechanism_state(b, &pairs);
  if (!s->waiting) return;
  char *end = f->sentence + strlen(f->sentence);
  snprintf(end, sizeof f->sentence - strlen(f->sentence),
           "; thread %u is alone", s->waiting->id);
}

static mechanism pairs = {.name = "a pair",
                          .state_size = sizeof(pair_state),
                          .start_block = pair_start,
                          .carry_out = pair_carry_out,
                          .thread_exit = pair_exit,
                          .explain = pair_explain};

static uint32_t pair_up(uint32_t pc) {
  block_request(simt_here, (request){.kind = REQUEST_CARRY_OUT,
                                     .pc = pc,
                                     .to = &pairs});
  return (uint32_t)simt_here->running->result;
}

/* ---- a gate that opens when it has been asked often enough ---- */

typedef struct {
  uint32_t asked, opens_after;
} gate_state;

static mechanism gate;
static uint32_t opens_after;

static void gate_start(block *b) {
  *(gate_state *)mechanism_state(b, &gate) =
      (gate_state){.opens_after = opens_after};
}

static void gate_carry_out(block *b, thread *t) {
  gate_state *s = mechanism_state(b, &gate);
  block_make_ready(b, t);
  t->result = ++s->asked > s->opens_after;
  if (t->result) b->progress++;
}

static const char *gate_waits_in(const request *r) {
  return r->operation ? "a locked gate" : "a gate";
}

static mechanism gate = {.name = "never said",
                         .state_size = sizeof(gate_state),
                         .start_block = gate_start,
                         .carry_out = gate_carry_out,
                         .waits_in = gate_waits_in};

static void wait_at_gate(uint8_t operation) {
  do
    block_request(simt_here, (request){.kind = REQUEST_CARRY_OUT,
                                       .pc = 7,
                                       .to = &gate,
                                       .operation = operation,
                                       .asks = true});
  while (!simt_here->running->result);
}

/* ---- what a warp does together ---- */

static void sum_carry_out(block *b, warp *w, uint32_t lanes) {
  (void)b;
  uint32_t sum = 0;
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    sum += w->first[__builtin_ctz(rest)].id;
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    w->first[__builtin_ctz(rest)].result = sum;
}

static mechanism sums = {
    .name = "a sum", .carry_out_together = sum_carry_out, .whole_warp = true};

static mechanism other_sums = {.name = "another sum",
                               .carry_out_together = sum_carry_out};

static uint32_t sum_over(const mechanism *to, uint32_t mask) {
  block_request(simt_here, (request){.kind = REQUEST_CARRY_OUT,
                                     .pc = 9,
                                     .to = to,
                                     .warp = {.mask = mask}});
  return (uint32_t)simt_here->running->result;
}

/* ---- two rows with the same functions ---- */

static void first_ends(block *b) { (void)b, strcat(story, "first "), ends++; }
static void then_ends(block *b) { (void)b, strcat(story, "then "), ends++; }
static mechanism first = {.name = "first", .end_block = first_ends};
static mechanism then = {.name = "then", .end_block = then_ends};

static mechanism *const table[] = {&first, &pairs, &gate, &sums, &other_sums,
                                   &then, NULL};

/* ---- running ---- */

static void call(void *kernel, void *arguments) {
  (void)kernel;
  (*(void (**)(void))arguments)();
}

/* A block of so many threads, and what its one OS thread has found. */
static cudaError_t run(void (*kernel)(void), unsigned threads) {
  const simt_kernel_launch launch = {.name = "kernel",
                                     .call = call,
                                     .arguments = &kernel,
                                     .arguments_size = sizeof kernel,
                                     .grid = {1, 1, 1},
                                     .block = {threads, 1, 1}};
  story[0] = '\0';
  ends = exits_seen = met = 0;
  simt_set_threads(1);
  if (launch_worker_count) launch_workers[0]->finding_count = 0;
  return launch_run(&launch, table, 0);
}

static const finding *only_finding(simt_finding_kind kind) {
  assert_int_equal(launch_workers[0]->finding_count, 1);
  assert_int_equal(launch_workers[0]->findings[0].kind, kind);
  return &launch_workers[0]->findings[0];
}

/* ---- the tests ---- */

static uint32_t partners[THREADS];
static void find_partner(void) {
  const uint32_t id = simt_here->running->id;
  partners[id] = pair_up(1);
}

static void requests_are_carried_out(void **state) {
  (void)state;
  assert_int_equal(run(find_partner, THREADS), cudaSuccess);
  assert_int_equal(launch_workers[0]->finding_count, 0);
  for (uint32_t id = 0; id < THREADS; id++)
    assert_int_equal(partners[id], id ^ 1);
  assert_int_equal(met, THREADS / 2);
  assert_int_equal(exits_seen, THREADS);
}

static void rows_are_called_in_order(void **state) {
  (void)state;
  assert_int_equal(run(find_partner, THREADS), cudaSuccess);
  assert_string_equal(story, "first then ");
  assert_int_equal(ends, 2);
}

static void rows_keep_states(void **state) {
  (void)state;
  run(find_partner, 2);
  const pair_state *s = mechanism_state(launch_workers[0], &pairs);
  const uint32_t before = s->starts;
  run(find_partner, THREADS);
  assert_ptr_equal(mechanism_state(launch_workers[0], &pairs), s);
  assert_int_equal(s->starts, before + 1);
}

static void nobody_is_ready(void **state) {
  (void)state;
  assert_int_equal(run(find_partner, 3), cudaErrorLaunchTimeout);
  const finding *f = only_finding(SIMT_DEADLOCK);
  assert_string_equal(f->sentence, "1 of 3 threads wait in a pair for ever; "
                                   "thread 2 is alone");
  assert_int_equal(f->pc, 1);
  assert_int_equal(f->thread, 2);
  assert_string_equal(story, "first then "); /* an end, all the same */
}

static void ask(void) { wait_at_gate(simt_here->running->id == 0); }

static void askers_may_ask_often(void **state) {
  (void)state;
  opens_after = 64 * 15000; /* rounds */
  assert_int_equal(run(ask, 64), cudaSuccess);
  assert_int_equal(launch_workers[0]->finding_count, 0);
}

static void askers_are_stuck(void **state) {
  (void)state;
  opens_after = UINT32_MAX;
  assert_int_equal(run(ask, 64), cudaErrorLaunchTimeout);
  assert_string_equal(only_finding(SIMT_DEADLOCK)->sentence,
                      "64 of 64 threads wait in a locked gate for ever");
}

static void spin(void) {
  if (simt_here->running->id) wait_at_gate(0);
  for (;;)
    block_request(simt_here, (request){.kind = REQUEST_SPIN,
                                       .pc = 5,
                                       .asks = true,
                                       .spins_in = "a loop of its own"});
}

static void spinners_are_stuck(void **state) {
  (void)state;
  opens_after = UINT32_MAX;
  assert_int_equal(run(spin, 3), cudaErrorLaunchTimeout);
  assert_string_equal(only_finding(SIMT_LIVELOCK)->sentence,
                      "1 thread waits in a loop of its own, 2 in a gate, for "
                      "ever");
}

static void sum_all(void) {
  partners[simt_here->running->id] = sum_over(&sums, UINT32_MAX);
}
static void sum_half(void) {
  const thread *t = simt_here->running;
  if (t->lane < 16) partners[t->id] = sum_over(&other_sums, 0xffff);
}
static void sum_half_of_a_whole(void) {
  if (simt_here->running->lane < 16) sum_over(&sums, 0xffff);
}
static void sum_two_ways(void) {
  sum_over(simt_here->running->lane < 16 ? &sums : &other_sums, UINT32_MAX);
}

static void warps_meet(void **state) {
  (void)state;
  assert_int_equal(run(sum_all, 64), cudaSuccess);
  assert_int_equal(partners[0], 31 * 32 / 2);
  assert_int_equal(partners[63], 31 * 32 / 2 + 32 * 32);
  assert_int_equal(run(sum_half, 32), cudaSuccess);
  assert_int_equal(partners[15], 15 * 16 / 2);
  assert_int_equal(launch_workers[0]->finding_count, 0);
}

static void warps_do_not_meet(void **state) {
  (void)state;
  assert_int_equal(run(sum_half_of_a_whole, 32), cudaErrorIllegalInstruction);
  assert_string_equal(only_finding(SIMT_USAGE)->sentence,
                      "a sum needs all 32 lanes of the warp");
  assert_int_equal(run(sum_two_ways, 32), cudaErrorLaunchFailure);
  assert_string_equal(only_finding(SIMT_WARP_OPERATION)->sentence,
                      "lanes of one mask wait in a sum and in another sum");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(requests_are_carried_out),
      cmocka_unit_test(rows_are_called_in_order),
      cmocka_unit_test(rows_keep_states),
      cmocka_unit_test(nobody_is_ready),
      cmocka_unit_test(askers_may_ask_often),
      cmocka_unit_test(askers_are_stuck),
      cmocka_unit_test(spinners_are_stuck),
      cmocka_unit_test(warps_meet),
      cmocka_unit_test(warps_do_not_meet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
