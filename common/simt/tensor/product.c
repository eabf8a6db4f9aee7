/* wgmma products. The sum is computed at the issue and kept here; the thread's
 * own variable holds NaNs until the wait that covers the last product on it. */

#include "common/simt/race/race.h"
#include "common/simt/tensor/tensor.h"

#include <sys/mman.h>

/* ---- the registers that products work on: a word of memory for each word of a
 * thread's stack, who holds it, or when the thread has used it last ---- */

typedef enum {
  OPERAND_NONE,        /* gives them back */
  OPERAND_ACCUMULATOR, /* nobody may read or write it */
  OPERAND_A            /* nobody may write it */
} operand_use;

typedef struct {
  uint32_t pc;    /* of the product that holds the word, or of the access */
  uint32_t state; /* an operand_use, or the fences so far, and some */
} word;

enum { WORDS = STACK_SIZE / 4, FIRST_EPOCH = 16 };

typedef struct {
  uint32_t epoch; /* counts fences, and goes on from block to block */
  word words[WORDS];
} operand_map;

typedef struct {
  const uint8_t *stacks; /* that the maps are of */
  operand_map *maps[MAX_THREADS];
} state;

static operand_map **map_place(const block *b, const thread *t) {
  state *s = mechanism_state(b, &operand_check);
  return &s->maps[t->id];
}

static operand_map *map_of(const block *b, const thread *t) {
  operand_map **place = map_place(b, t);
  if (*place) return *place;
  *place = allocate_pages(sizeof **place, "its register check");
  (*place)->epoch = FIRST_EPOCH;
  return *place;
}

/* New threads have new stacks. */
static void prepare(block *b) {
  state *s = mechanism_state(b, &operand_check);
  if (s->stacks == b->threads[0].stack) return;
  for (uint32_t i = 0; i < MAX_THREADS; i++) {
    if (s->maps[i]) munmap(s->maps[i], sizeof *s->maps[i]);
    s->maps[i] = NULL;
  }
  s->stacks = b->threads[0].stack;
}

void operands_watch(block *b) { b->watches_own = b->checks & SIMT_RACES; }

/* The words of an operand on the stack: none where it lies elsewhere. */
static word *words_of(const block *b, const thread *t, const void *address,
                      uint32_t *count) {
  operand_map *map = *map_place(b, t);
  const uintptr_t offset = (uintptr_t)address - (uintptr_t)t->stack;
  if (!map || offset >= STACK_SIZE) *count = 0;
  return *count ? &map->words[offset / 4] : NULL;
}

__attribute__((noinline)) static void touched(block *b, const word *w,
                                              bool writes, uint32_t pc) {
  const bool a = w->state == OPERAND_A;
  const uint32_t id = b->running->id;
  finding_report(b, a ? SIMT_OPERAND : SIMT_ACCUMULATOR, pc, w->pc, id, id,
                 "%s while a product that %s it is under way: no wait for it",
                 !writes ? "the thread reads the accumulator"
                 : a     ? "the thread changes registers of A"
                         : "the thread changes the accumulator",
                 a ? "reads" : "writes");
}

static void own_access(block *b, uintptr_t address, uint32_t size, bool writes,
                       uint32_t pc) {
  const thread *t = b->running;
  uint32_t count = (uint32_t)(((address & 3) + size + 3) / 4);
  const uint32_t epoch = map_of(b, t)->epoch;
  word *first = words_of(b, t, (const void *)address, &count);
  for (uint32_t i = 0; i < count; i++) {
    word *w = &first[i];
    if (w->state == OPERAND_ACCUMULATOR || (w->state == OPERAND_A && writes))
      touched(b, w, writes, pc);
    if (w->state >= FIRST_EPOCH || w->state == 0) *w = (word){pc, epoch};
  }
}

mechanism operand_check = {.name = "operands",
                           .state_size = sizeof(state),
                           .prepare = prepare,
                           .checks = SIMT_RACES,
                           .own_access = own_access};

void operands_fence(block *b, const thread *t) {
  if (b->watches_own) map_of(b, t)->epoch++;
}

static void take(const block *b, const thread *t, const void *operand,
                 uint32_t count, operand_use use, uint32_t pc) {
  if (!b->watches_own) return;
  word *w = words_of(b, t, operand, &count);
  for (uint32_t i = 0; i < count; i++) w[i] = (word){pc, use};
}

static void give_back(const block *b, const thread *t, const void *operand,
                      uint32_t count) {
  take(b, t, operand, count, OPERAND_NONE, 0);
}

/* ---- accumulators ---- */

enum { POISON = 0x7fffdead }; /* a NaN that no computation makes */

/* An accumulator of all threads while products write it. */
typedef struct accumulator {
  struct accumulator *next;
  uint32_t columns, pc, products;
  float *c[WARPGROUP];
  float sum[PRODUCT_ROWS * PRODUCT_COLUMNS];
} accumulator;

static const product_call *call_of(const thread *t) { return t->request.call; }

/* The one that these threads' c is under way in, if any. */
static accumulator *find(block *b, const product_list *g, const thread *lanes) {
  const product_call *first = call_of(&lanes[0]);
  for (accumulator *s = g->sums; s; s = s->next) {
    uint32_t same = 0;
    for (uint32_t i = 0; i < WARPGROUP; i++) {
      const float *c = call_of(&lanes[i])->c;
      if (c == s->c[i] && first->columns == s->columns)
        same++;
      else if (c < s->c[i] + s->columns / 2 && s->c[i] < c + first->columns / 2)
        finding_report(b, SIMT_ACCUMULATOR, lanes[i].request.pc, s->pc,
                       lanes[i].id, lanes[i].id,
                       "a product writes a part of an accumulator of another "
                       "size that is under way: no wait for it");
    }
    if (same == WARPGROUP) return s;
  }
  return NULL;
}

static void check_fence(block *b, const product_list *g, const thread *t,
                        const void *operand, uint32_t words, const char *what) {
  uint32_t used = 0; /* where the thread has used it since the fence */
  const word *w = words_of(b, t, operand, &words);
  for (uint32_t i = 0; g->fenced && b->watches_own && i < words && !used; i++)
    if (w[i].state == (*map_place(b, t))->epoch) used = w[i].pc;
  if (g->fenced && !used) return;
  finding_report(b, SIMT_WGMMA_FENCE, t->request.pc, used, t->id, t->id,
                 "%s a product without a wgmma_fence() in between", what);
}

static accumulator *begin(block *b, product_list *g, const thread *lanes) {
  const product_call *first = call_of(&lanes[0]);
  accumulator *s = reallocate(NULL, sizeof *s);
  s->columns = first->columns;
  s->pc = lanes[0].request.pc;
  s->products = 0;
  s->next = g->sums;
  g->sums = s;
  const uint32_t own = s->columns / 2;
  for (uint32_t i = 0; i < WARPGROUP; i++) {
    const thread *t = &lanes[i];
    s->c[i] = call_of(t)->c;
    check_fence(b, g, t, s->c[i], own,
                "the thread uses an accumulator, and then");
    for (uint32_t k = 0; k < own; k++) {
      const uint32_t poison = POISON;
      s->sum[accumulator_at(i, k, s->columns)] = s->c[i][k];
      memcpy(&s->c[i][k], &poison, sizeof poison);
    }
    take(b, t, s->c[i], own, OPERAND_ACCUMULATOR, s->pc);
  }
  return s;
}

/* What a thread has written in the meantime stays, and is wrong. */
static void finish(block *b, accumulator *s, const thread *lanes) {
  const uint32_t own = s->columns / 2, poison = POISON;
  for (uint32_t i = 0; i < WARPGROUP; i++) {
    const thread *t = &lanes[i];
    give_back(b, t, s->c[i], own);
    bool touched = false;
    for (uint32_t k = 0; k < own; k++) {
      float *c = &s->c[i][k];
      if (!memcmp(c, &poison, sizeof poison))
        *c = s->sum[accumulator_at(i, k, s->columns)];
      else
        touched = true;
    }
    if (touched)
      finding_report(b, SIMT_ACCUMULATOR, t->request.pc, s->pc, t->id, t->id,
                     "at this wait the accumulator is not as the product left "
                     "it: the thread has changed it");
  }
}

/* ---- operands ---- */

/* Row and k of an element are so many floats apart from the next. */
static void decode_part(const tile_part *part, float *to, uint32_t row_step,
                        uint32_t k_step) {
  const simt_element e = part->tile.element;
  const uint32_t depth = element_depth(e), count = depth / 2, size = 16 / count;
  for (uint32_t i = 0; i < 2 * part->rows; i++) {
    const uint8_t *from = tile_chunk(part, i);
    const uint32_t along = part->rows / count;
    float *first = part->tile.by_columns
                       ? to + i / along * k_step + i % along * count * row_step
                       : to + i / 2 * row_step + i % 2 * count * k_step;
    const uint32_t step = part->tile.by_columns ? row_step : k_step;
    for (uint32_t k = 0; k < count; k++)
      first[k * step] = element_at(from + k * size, e);
  }
}

static void decode_registers(const thread *lanes, float *to, simt_element e) {
  const uint32_t depth = element_depth(e), count = depth / 8;
  for (uint32_t i = 0; i < WARPGROUP; i++) {
    const uint8_t *from = (const uint8_t *)call_of(&lanes[i])->a_registers;
    for (uint32_t k = 0; k < 4 * count; k++)
      to[a_at(i, k, depth)] = element_at(from + k * 4 / count, e);
  }
}

static void take_registers(block *b, const product *p, const thread *lanes) {
  for (uint32_t i = 0; p->a_registers && i < WARPGROUP; i++)
    take(b, &lanes[i], p->a_registers[i], 4, OPERAND_A, p->pc);
}

static void read_tiles(block *b, const product *p, uint32_t first, bool check) {
  const uint32_t warpgroup = first / WARPGROUP;
  const tile_part a = {p->a, PRODUCT_ROWS}, of_b = {p->b, p->columns};
  if (!p->a_registers) product_reads(b, warpgroup, p->pc, p->stamp, &a, check);
  product_reads(b, warpgroup, p->pc, p->stamp, &of_b, check);
}

void product_issue(block *b, product_list *g, const thread *lanes) {
  float a[PRODUCT_ROWS * PRODUCT_DEPTH];
  float across[PRODUCT_DEPTH * PRODUCT_COLUMNS];
  const product_call *first = call_of(&lanes[0]);
  const simt_element e = first->b.element;
  const uint32_t depth = element_depth(e);
  accumulator *s = find(b, g, lanes);
  if (!s) s = begin(b, g, lanes);
  s->products++;
  MAKE_ROOM(g->all, g->count, g->capacity);
  product *p = &g->all[g->count++];
  *p = (product){.pc = lanes[0].request.pc,
                 .stamp = proxy_start(b, lanes[0].id / WARPGROUP, lanes),
                 .group = g->committed,
                 .columns = first->columns,
                 .a = first->a,
                 .b = first->b,
                 .sum = s};
  const tile_part part_a = {p->a, PRODUCT_ROWS}, part_b = {p->b, p->columns};
  if (first->a_registers) {
    p->a_registers = reallocate(NULL, WARPGROUP * sizeof *p->a_registers);
    for (uint32_t i = 0; i < WARPGROUP; i++) {
      p->a_registers[i] = call_of(&lanes[i])->a_registers;
      check_fence(b, g, &lanes[i], p->a_registers[i], 4,
                  "the thread uses registers of A, and then");
    }
    take_registers(b, p, lanes);
    decode_registers(lanes, a, e);
  } else {
    decode_part(&part_a, a, depth, 1);
  }
  read_tiles(b, p, lanes[0].id, true);
  decode_part(&part_b, across, 1, p->columns);
  if (!first->accumulate)
    memset(s->sum, 0, PRODUCT_ROWS * s->columns * sizeof *s->sum);
  multiply_tiles(e == SIMT_E4M3   ? &multiply_by_wgmma
                 : e == SIMT_E5M2 ? &multiply_e5m2_by_wgmma
                 : e == SIMT_F16  ? &multiply_by_mma
                                  : &multiply_bfloats,
                 s->sum, a, across, PRODUCT_ROWS, depth, s->columns);
  simt_counters *counters = site_counters(b, "wgmma", p->pc);
  counters->wgmma_instructions += WARPGROUP / WARP_SIZE;
  counters->tensor_flops += 2 * PRODUCT_ROWS * depth * p->columns;
}

static void release(block *b, product *p, const thread *lanes) {
  p->sum->products--;
  for (uint32_t i = 0; p->a_registers && i < WARPGROUP; i++)
    give_back(b, &lanes[i], p->a_registers[i], 4);
  free(p->a_registers);
}

void product_wait(block *b, product_list *g, const thread *lanes,
                  uint32_t groups_left) {
  uint32_t kept = 0, stamp = 0;
  for (uint32_t i = 0; i < g->count; i++) {
    product *p = &g->all[i];
    if (p->group + groups_left >= g->committed) {
      g->all[kept++] = *p;
      continue;
    }
    stamp = p->stamp;
    release(b, p, lanes);
  }
  g->count = kept;
  /* Another product may read the same registers. */
  for (uint32_t i = 0; i < kept; i++) take_registers(b, &g->all[i], lanes);
  for (accumulator **link = &g->sums; *link;) {
    accumulator *s = *link;
    if (s->products > 0) {
      link = &s->next;
      continue;
    }
    finish(b, s, lanes);
    *link = s->next;
    free(s);
  }
  for (uint32_t i = 0; b->shadow && stamp && i < WARPGROUP; i++)
    proxy_tell(b, shadow_clocks(b->shadow, lanes[i].id),
               lanes[0].id / WARPGROUP, stamp);
}

void product_drop_all(block *b, product_list *g, const thread *lanes) {
  for (uint32_t i = 0; i < g->count; i++) release(b, &g->all[i], lanes);
  g->count = 0;
  for (accumulator *s = g->sums, *next; s; s = next) {
    for (uint32_t i = 0; i < WARPGROUP; i++)
      give_back(b, &lanes[i], s->c[i], s->columns / 2);
    next = s->next;
    free(s);
  }
  g->sums = NULL;
}

void product_read_again(block *b, product_list *g, const thread *lanes) {
  for (uint32_t i = 0; i < g->count; i++) {
    product *p = &g->all[i];
    p->stamp = proxy_start(b, lanes[0].id / WARPGROUP, lanes);
    read_tiles(b, p, lanes[0].id, false);
  }
}
