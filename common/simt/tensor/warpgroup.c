#include "common/simt/tensor/warpgroup.h"
#include "common/simt/run/flaws.h"
#include "common/simt/tensor/operands.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_REGISTERS = 24, MOST_REGISTERS = 256, ALL_REGISTERS = 65536 };

static const char *const names[] = {
    [WARPGROUP_PRODUCT] = "wgmma",
    [WARPGROUP_FENCE] = "wgmma_fence()",
    [WARPGROUP_COMMIT] = "wgmma_commit()",
    [WARPGROUP_WAIT] = "wgmma_wait()",
    [WARPGROUP_REGISTERS] = "setmaxnreg",
};

const char *warpgroup_waits_in(const warpgroup_call *call) {
  return names[call->operation];
}

static thread *lanes_of(block *b, const warpgroup *g) {
  return &b->threads[(g - b->warpgroups) * WARPGROUP];
}

/* ---- a block's beginning, its barriers, its end ---- */

/* What a kernel gets whose __launch_bounds__ name its number of threads and
 * one block a multiprocessor. */
static uint32_t registers_at_launch(const block *b) {
  const uint32_t count = ALL_REGISTERS / b->thread_count / 8 * 8;
  return count < MOST_REGISTERS ? count : MOST_REGISTERS;
}

void warpgroup_start_block(block *b) {
  for (uint32_t i = 0; b->warpgroups && i < MAX_WARPGROUPS; i++) {
    warpgroup *g = &b->warpgroups[i];
    if (g->product_count) product_drop_all(b, g, lanes_of(b, g));
    g->arrived = g->committed = 0;
    g->fenced = false;
    g->registers = registers_at_launch(b);
  }
  b->tracks_operands = false;
}

static warpgroup *find(block *b, const thread *t) {
  if (!b->warpgroups) {
    b->warpgroups = calloc(MAX_WARPGROUPS, sizeof *b->warpgroups);
    if (!b->warpgroups) abort();
    warpgroup_start_block(b);
  }
  b->tracks_operands = b->checks & SIMT_RACES;
  return &b->warpgroups[t->id / WARPGROUP];
}

void warpgroup_read_again(block *b) {
  for (uint32_t i = 0; b->warpgroups && i < MAX_WARPGROUPS; i++) {
    warpgroup *g = &b->warpgroups[i];
    if (g->product_count) product_read_again(b, g, lanes_of(b, g));
  }
}

void warpgroup_exit(block *b, const thread *t) {
  if (!b->warpgroups) return;
  warpgroup *g = &b->warpgroups[t->id / WARPGROUP];
  if (g->product_count == 0) return;
  const product *p = &g->products[0];
  flaw_report(b, SIMT_NEVER_WAITED, p->pc, 0, t->id, t->id,
              p->group < g->committed
                  ? "the thread returned without waiting for its products"
                  : "the thread returned with products that no wgmma_commit() "
                    "covers");
  product_drop_all(b, g, lanes_of(b, g));
}

/* ---- setmaxnreg ---- */

static void refuse(block *b, const thread *t, const char *why) {
  flaw_report(b, SIMT_USAGE, t->request.pc, 0, t->id, t->id, "%s", why);
  b->error = cudaErrorIllegalInstruction;
}

/* Registers that are in nobody's hands. */
static uint32_t free_registers(const block *b) {
  uint32_t pool = b->thread_count * registers_at_launch(b);
  for (uint32_t i = 0; i < b->thread_count / WARPGROUP; i++)
    pool -= WARPGROUP * b->warpgroups[i].registers;
  return pool - b->thread_count % WARPGROUP * registers_at_launch(b);
}

/* True when done; else the warpgroup waits for registers. */
static bool set_registers(block *b, warpgroup *g, const thread *t) {
  const warpgroup_call *call = t->request.call;
  if (call->count % 8 || call->count < LEAST_REGISTERS ||
      call->count > MOST_REGISTERS)
    refuse(b, t, "setmaxnreg takes a multiple of 8 from 24 to 256");
  else if (call->more && call->count < g->registers)
    refuse(b, t, "more_registers() asks for fewer than the threads have");
  else if (!call->more && call->count > g->registers)
    refuse(b, t, "fewer_registers() asks for more than the threads have");
  if (b->error) return true;
  if (call->count > g->registers &&
      (call->count - g->registers) * WARPGROUP > free_registers(b))
    return false;
  g->registers = call->count;
  return true;
}

/* ---- meeting ---- */

static void go_on(block *b, warpgroup *g) {
  g->arrived = 0;
  warp *first = &b->warps[(g - b->warpgroups) * (WARPGROUP / WARP_SIZE)];
  for (uint32_t i = 0; i < WARPGROUP / WARP_SIZE; i++)
    first[i].ready = first[i].exists;
}

static bool same_tile(simt_wgmma_tile a, simt_wgmma_tile b) {
  return a.tile == b.tile && a.row_bytes == b.row_bytes &&
         a.column == b.column;
}

/* Threads that want different things. */
static bool agree(block *b, const thread *lanes) {
  const warpgroup_call *one = lanes[0].request.call;
  for (uint32_t i = 1; i < WARPGROUP; i++) {
    const warpgroup_call *two = lanes[i].request.call;
    if (one->operation == two->operation && one->columns == two->columns &&
        one->accumulate == two->accumulate && one->count == two->count &&
        one->more == two->more && !one->a_registers == !two->a_registers &&
        same_tile(one->a, two->a) && same_tile(one->b, two->b))
      continue;
    flaw_report(b, SIMT_WARP_OPERATION, lanes[0].request.pc,
                lanes[i].request.pc, lanes[0].id, lanes[i].id,
                "threads of one warpgroup meet in %s and in %s%s",
                warpgroup_waits_in(one), warpgroup_waits_in(two),
                one->operation == two->operation ? " of other arguments" : "");
    b->error = cudaErrorLaunchFailure;
    return false;
  }
  return true;
}

static void carry_out(block *b, warpgroup *g) {
  thread *lanes = lanes_of(b, g);
  const warpgroup_call *call = lanes[0].request.call;
  switch (call->operation) {
  case WARPGROUP_PRODUCT:
    product_issue(b, g, lanes);
    break;
  case WARPGROUP_FENCE:
    g->fenced = true;
    for (uint32_t i = 0; i < WARPGROUP; i++) operands_fence(b, &lanes[i]);
    break;
  case WARPGROUP_COMMIT:
    g->committed++;
    break;
  case WARPGROUP_WAIT:
    product_wait(b, g, lanes, call->count);
    break;
  case WARPGROUP_REGISTERS:
    if (!set_registers(b, g, lanes)) return;
    b->progress++;
  }
  go_on(b, g);
}

static bool waits_for_registers(const block *b, const warpgroup *g) {
  const thread *first = &b->threads[(g - b->warpgroups) * WARPGROUP];
  return g->arrived == WARPGROUP &&
         first->request.call->operation == WARPGROUP_REGISTERS;
}

void warpgroup_request(block *b, thread *t) {
  warpgroup *g = find(b, t);
  t->request.filed = true;
  if (++g->arrived < WARPGROUP) return;
  if (!agree(b, lanes_of(b, g))) return;
  const bool registers =
      t->request.call->operation == WARPGROUP_REGISTERS;
  carry_out(b, g);
  /* Others may have waited for what this one has given back. */
  for (uint32_t i = 0; registers && i < b->thread_count / WARPGROUP; i++)
    if (waits_for_registers(b, &b->warpgroups[i]))
      carry_out(b, &b->warpgroups[i]);
}

/* ---- what kernels call ---- */

static void meet(const warpgroup_call *call, uint32_t pc) {
  block *b = simt_here;
  const thread *t = b->running;
  if (t->id / WARPGROUP * WARPGROUP + WARPGROUP > b->thread_count) {
    refuse(b, t, "wgmma and setmaxnreg take warpgroups of 128 threads");
    block_abort(b, cudaErrorIllegalInstruction);
  }
  block_request(b, (request){.kind = REQUEST_WARPGROUP,
                             .pc = pc,
                             .call = call});
}

/* A part of a tile as wgmma_tile_at describes it. */
static bool is_good_part(const block *b, simt_wgmma_tile part, uint32_t rows) {
  const uint32_t bytes = part.row_bytes;
  return (bytes == 64 || bytes == 128) && part.column % PRODUCT_DEPTH == 0 &&
         part.column < bytes && (uintptr_t)part.tile % (8 * bytes) == 0 &&
         shared_allows(b, part.tile, (size_t)rows * bytes);
}

void simt_wgmma_product(float *c, unsigned columns, simt_wgmma_tile a,
                        const unsigned *a_registers, simt_wgmma_tile tile_b,
                        bool accumulate) {
  block *b = simt_here;
  if (columns == 0 || columns % 8 || columns > PRODUCT_COLUMNS ||
      !is_good_part(b, tile_b, columns) ||
      (!a_registers && !is_good_part(b, a, PRODUCT_ROWS))) {
    flaw_report(b, SIMT_USAGE, CALLER, 0, b->running->id, b->running->id,
                "a tile of wgmma lies in shared memory at a multiple of 8 "
                "rows' bytes; a product begins at a multiple of 32 in a row, "
                "and has N = 8 to 256");
    block_abort(b, cudaErrorIllegalAddress);
  }
  const warpgroup_call call = {.operation = WARPGROUP_PRODUCT,
                               .a = a,
                               .b = tile_b,
                               .a_registers = a_registers,
                               .c = c,
                               .columns = columns,
                               .accumulate = accumulate};
  meet(&call, CALLER);
}

void simt_wgmma_fence(void) {
  meet(&(const warpgroup_call){.operation = WARPGROUP_FENCE}, CALLER);
}

void simt_wgmma_commit(void) {
  meet(&(const warpgroup_call){.operation = WARPGROUP_COMMIT}, CALLER);
}

void simt_wgmma_wait(unsigned groups_left) {
  meet(&(const warpgroup_call){.operation = WARPGROUP_WAIT,
                               .count = groups_left},
       CALLER);
}

void simt_setmaxnreg(unsigned count, bool more) {
  meet(&(const warpgroup_call){.operation = WARPGROUP_REGISTERS,
                               .count = count,
                               .more = more},
       CALLER);
}
