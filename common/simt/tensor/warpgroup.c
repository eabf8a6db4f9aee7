#include "common/simt/access/access.h"
#include "common/simt/memory/memory.h"
#include "common/simt/run/launch.h"
#include "common/simt/tensor/tensor.h"

enum { LEAST_REGISTERS = 24, MOST_REGISTERS = 256, ALL_REGISTERS = 65536 };

/* What a request calls: a product_call, nothing, nothing, the number of groups
 * that a wait leaves, a register_call. */
enum { PRODUCT, FENCE, COMMIT, WAIT, REGISTERS };

static const char *const names[] = {
    [PRODUCT] = "wgmma",         [FENCE] = "wgmma_fence()",
    [COMMIT] = "wgmma_commit()", [WAIT] = "wgmma_wait()",
    [REGISTERS] = "setmaxnreg",
};

typedef struct {
  uint32_t count; /* of each thread */
  bool more;      /* setmaxnreg.inc */
} register_call;

typedef struct {
  uint32_t arrived;
  uint32_t registers; /* of each thread */
  product_list products;
} warpgroup;

typedef struct {
  uint32_t registers; /* of each thread at launch */
  warpgroup all[MAX_WARPGROUPS];
} state;

static state *state_of(const block *b) {
  return mechanism_state(b, &warpgroups);
}

static warpgroup *all_of(const block *b) { return state_of(b)->all; }

static uint32_t number_of(const block *b, const warpgroup *g) {
  return (uint32_t)(g - all_of(b));
}

static thread *lanes_of(block *b, const warpgroup *g) {
  return &b->threads[number_of(b, g) * WARPGROUP];
}

/* ---- a block's beginning, its barriers, its end ---- */

/* What a kernel gets for as many blocks a multiprocessor as its
 * __launch_bounds__ name, and of as many threads; or for one as it is. */
static void prepare(block *b) {
  const launch_bounds bounds = limits_bounds(b->launch->kernel);
  const uint32_t threads = bounds.threads ? bounds.threads : b->thread_count;
  const uint32_t blocks = bounds.blocks ? bounds.blocks : 1;
  const uint32_t count = ALL_REGISTERS / threads / blocks / 8 * 8;
  state_of(b)->registers = count < MOST_REGISTERS ? count : MOST_REGISTERS;
}

static void start_block(block *b) {
  warpgroup *all = all_of(b);
  for (warpgroup *g = all; g < all + MAX_WARPGROUPS; g++) {
    g->arrived = 0;
    g->registers = state_of(b)->registers;
    g->products.committed = 0;
    g->products.fenced = false;
  }
}

/* Products under way still read. */
static void block_barrier(block *b) {
  warpgroup *all = all_of(b);
  for (warpgroup *g = all; g < all + MAX_WARPGROUPS; g++)
    if (g->products.count) product_read_again(b, &g->products, lanes_of(b, g));
}

static void thread_exit(block *b, thread *t) {
  warpgroup *g = &all_of(b)[t->id / WARPGROUP];
  if (g->products.count == 0) return;
  const product *p = &g->products.all[0];
  finding_report(b, SIMT_NEVER_WAITED, p->pc, 0, t->id, t->id,
                 p->group < g->products.committed
                     ? "the thread returned without waiting for its products"
                     : "the thread returned with products that no "
                       "wgmma_commit() covers");
  product_drop_all(b, &g->products, lanes_of(b, g));
}

static void end_block(block *b) {
  warpgroup *all = all_of(b);
  for (warpgroup *g = all; g < all + MAX_WARPGROUPS; g++)
    if (g->products.count) product_drop_all(b, &g->products, lanes_of(b, g));
}

/* ---- setmaxnreg ---- */

/* True when done; else the warpgroup waits for registers. */
static bool set_registers(block *b, warpgroup *g, const thread *t) {
  const register_call *call = t->request.call;
  if (call->count % 8 || call->count < LEAST_REGISTERS ||
      call->count > MOST_REGISTERS)
    block_misused(b, t, "setmaxnreg takes a multiple of 8 from 24 to 256");
  else if (call->more && call->count < g->registers)
    block_misused(b, t,
                  "more_registers() asks for fewer than the threads have");
  else if (!call->more && call->count > g->registers)
    block_misused(b, t,
                  "fewer_registers() asks for more than the threads have");
  if (b->error) return true;
  int left = (int)g->registers; /* and what nobody has, for each thread */
  for (uint32_t i = 0; i < b->thread_count / WARPGROUP; i++)
    left += (int)state_of(b)->registers - (int)all_of(b)[i].registers;
  if ((int)call->count > left) return false;
  g->registers = call->count;
  return true;
}

/* ---- meeting ---- */

static bool same_tile(simt_wgmma_operand a, simt_wgmma_operand b) {
  return a.tile == b.tile && a.row_bytes == b.row_bytes &&
         a.column == b.column && a.leading == b.leading && a.stride == b.stride;
}

static bool same_call(const request *one, const request *two) {
  if (one->operation == PRODUCT) {
    const product_call *x = one->call, *y = two->call;
    return x->columns == y->columns && x->accumulate == y->accumulate &&
           !x->a_registers == !y->a_registers && same_tile(x->a, y->a) &&
           same_tile(x->b, y->b);
  }
  if (one->operation == WAIT)
    return *(const uint32_t *)one->call == *(const uint32_t *)two->call;
  if (one->operation == REGISTERS) {
    const register_call *x = one->call, *y = two->call;
    return x->count == y->count && x->more == y->more;
  }
  return true;
}

/* Its warps must come by the same instruction. */
static void check_one_place(block *b, const thread *lanes) {
  uint32_t places[2];
  for (uint32_t i = WARP_SIZE; i < WARPGROUP && b->shadow; i += WARP_SIZE) {
    if (!came_otherwise(b, lanes, &lanes[i], places)) continue;
    finding_report(b, SIMT_BARRIER_LINES, places[0], places[1], lanes->id,
                   lanes[i].id,
                   "warps of one warpgroup meet in %s from two places",
                   names[lanes->request.operation]);
    return;
  }
}

static bool agree(block *b, const thread *lanes) {
  const request *one = &lanes[0].request;
  const warp *w = &b->warps[lanes->id / WARP_SIZE], *end = w + 4;
  while (w < end && check_one_instruction(b, w, w->first, UINT32_MAX))
    w++;
  if (one->operation == PRODUCT || one->operation == REGISTERS)
    check_one_place(b, lanes);
  for (uint32_t i = 1; i < WARPGROUP; i++) {
    const request *two = &lanes[i].request;
    const bool same = one->operation == two->operation;
    if (same && same_call(one, two)) continue;
    finding_report(b, SIMT_WARP_OPERATION, one->pc, two->pc, lanes[0].id,
                   lanes[i].id,
                   "threads of one warpgroup meet in %s and in %s%s",
                   names[one->operation], names[two->operation],
                   same ? " of other arguments" : "");
    b->error = cudaErrorLaunchFailure;
    return false;
  }
  return true;
}

static void all_do(block *b, warpgroup *g) {
  thread *lanes = lanes_of(b, g);
  const request *r = &lanes[0].request;
  switch (r->operation) {
  case PRODUCT:
    product_issue(b, &g->products, lanes);
    break;
  case FENCE:
    g->products.fenced = true;
    for (uint32_t i = 0; i < WARPGROUP; i++) operands_fence(b, &lanes[i]);
    break;
  case COMMIT:
    g->products.committed++;
    break;
  case WAIT:
    product_wait(b, &g->products, lanes, *(const uint32_t *)r->call);
    break;
  default:
    if (!set_registers(b, g, lanes)) return;
    b->progress++;
  }
  g->arrived = 0;
  warp *first = &b->warps[number_of(b, g) * (WARPGROUP / WARP_SIZE)];
  for (uint32_t i = 0; i < WARPGROUP / WARP_SIZE; i++)
    first[i].ready = first[i].exists;
}

static void carry_out(block *b, thread *t) {
  warpgroup *all = all_of(b), *g = &all[t->id / WARPGROUP];
  operands_watch(b);
  t->request.filed = true;
  if (++g->arrived < WARPGROUP) return;
  if (!agree(b, lanes_of(b, g))) return;
  const bool registers = t->request.operation == REGISTERS;
  all_do(b, g);
  /* Others may have waited for what this one has given back. */
  for (uint32_t i = 0; registers && i < b->thread_count / WARPGROUP; i++)
    if (all[i].arrived == WARPGROUP &&
        lanes_of(b, &all[i])->request.operation == REGISTERS)
      all_do(b, &all[i]);
}

mechanism warpgroups = {.name = "a warpgroup",
                        .state_size = sizeof(state),
                        .prepare = prepare,
                        .start_block = start_block,
                        .carry_out = carry_out,
                        .waits_in = names,
                        .thread_exit = thread_exit,
                        .block_barrier = block_barrier,
                        .end_block = end_block};

/* ---- what kernels call ---- */

static void meet(uint8_t operation, const void *call, uint32_t pc) {
  block *b = simt_here;
  const thread *t = b->running;
  if (t->id / WARPGROUP * WARPGROUP + WARPGROUP > b->thread_count)
    BLOCK_MISUSE(pc, "wgmma and setmaxnreg take warpgroups of 128 threads");
  BLOCK_ASK(b, &warpgroups, operation, pc, .call = call);
}

static bool begins_in_row(simt_wgmma_operand part) {
  return part.column % 16 == 0 && part.column < part.row_bytes;
}

/* It lies in shared memory, where the swizzle begins anew. */
static bool is_good_part(const block *b, simt_wgmma_operand part,
                         uint32_t rows) {
  const uint32_t bytes = part.row_bytes;
  const size_t groups = rows / 8, across = part.by_columns ? bytes / 16 : 1;
  const size_t leading = bytes == 16       ? part.leading
                         : part.by_columns ? (groups + across - 1) / across *
                                                 part.leading - part.leading
                                           : 0;
  const size_t stride = part.by_columns && bytes > 16 ? 1 : groups - 1;
  return bytes % 16 == 0 && begins_in_row(part) &&
         (uintptr_t)part.tile % (bytes > 16 ? 8 * bytes : 16) == 0 &&
         shared_allows(b, part.tile,
                       leading + stride * part.stride + 8 * bytes);
}

static void product_of(float *c, unsigned columns, simt_wgmma_operand a,
                       const unsigned *a_registers, simt_wgmma_operand of_b,
                       bool accumulate, uint32_t pc) {
  block *b = simt_here;
  const simt_wgmma_operand late = begins_in_row(of_b) ? a : of_b;
  if (columns == 0 || columns % 8 || columns > PRODUCT_COLUMNS)
    BLOCK_REFUSE(b, SIMT_USAGE, cudaErrorIllegalAddress, pc,
                 "a product of wgmma has N = 8 to 256, a multiple of 8");
  if (!begins_in_row(of_b) || (!a_registers && !begins_in_row(a)))
    BLOCK_REFUSE(b, SIMT_USAGE, cudaErrorIllegalAddress, pc,
                 "a product of wgmma begins at byte %u of a tile's rows, which "
                 "have %u: at a multiple of 16 below that it should",
                 late.column, late.row_bytes);
  if (!is_on_stack(b->running, c) ||
      (a_registers && !is_on_stack(b->running, a_registers)))
    BLOCK_MISUSE(pc, "a product of wgmma has variables of the thread in "
                     "registers, and not memory that others can use");
  if (!is_good_part(b, of_b, columns) ||
      (!a_registers && !is_good_part(b, a, PRODUCT_ROWS)))
    BLOCK_REFUSE(b, SIMT_USAGE, cudaErrorIllegalAddress, pc,
                 "all rows of a tile of wgmma lie in shared memory, and begin "
                 "at a multiple of 8 rows' bytes");
  const product_call call = {.a = a,
                             .b = of_b,
                             .a_registers = a_registers,
                             .c = c,
                             .columns = columns,
                             .accumulate = accumulate};
  meet(PRODUCT, &call, pc);
}

static simt_wgmma_operand operand_of(simt_wgmma_tile t) {
  return (simt_wgmma_operand){t.tile, t.row_bytes, t.column,       SIMT_E4M3,
                              false,  0,           8 * t.row_bytes};
}

/* A whole operand by value would make a kernel's lambdas too large for g++ to
 * inline, and their callers would not be named. */
void simt_wgmma_product(float *c, unsigned columns, simt_wgmma_tile a,
                        const unsigned *a_registers, simt_wgmma_tile b,
                        bool accumulate) {
  product_of(c, columns, operand_of(a), a_registers, operand_of(b), accumulate,
             CALLER);
}

void simt_wgmma_of(float *c, unsigned columns, const simt_wgmma_operand *a,
                   const unsigned *a_registers, const simt_wgmma_operand *b,
                   bool accumulate) {
  product_of(c, columns, *a, a_registers, *b, accumulate, CALLER);
}

void simt_refuse(const char *why) {
  BLOCK_MISUSE(CALLER, "%s", why);
}

void simt_wgmma_fence(void) { meet(FENCE, NULL, CALLER); }

void simt_wgmma_commit(void) { meet(COMMIT, NULL, CALLER); }

void simt_wgmma_wait(unsigned groups_left) {
  const uint32_t left = groups_left;
  meet(WAIT, &left, CALLER);
}

void simt_setmaxnreg(unsigned count, bool more) {
  const register_call call = {.count = count, .more = more};
  meet(REGISTERS, &call, CALLER);
}
