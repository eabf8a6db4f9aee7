/* Matrix fragments. Lane and element of a fragment belong to these places of
 * its 16x16 matrix, on sm_80 and later. */

#include "common/simt/access/access.h"
#include "common/simt/memory/memory.h"
#include "common/simt/sync/sync.h"
#include "common/simt/tensor/tensor.h"

enum { WMMA, MMA, LDMATRIX, STMATRIX };

static const char *const names[] = {[WMMA] = "a matrix product",
                                    [MMA] = "a matrix product",
                                    [LDMATRIX] = "ldmatrix",
                                    [STMATRIX] = "stmatrix"};

/* What a lane brings: which member holds, the request's operation says. */
typedef union {
  struct {
    float *d;
    const unsigned *a, *b;
    const float *c;
    simt_element element;
  } product;
  struct {
    uint16_t *line;      /* what this lane names, */
    unsigned *registers; /* and what is its own */
    bool transposed;
    uint32_t count; /* of matrices; the lines of the first 8 * count lanes */
  } move;
} matrix_call;

static const matrix_call *call_of(const thread *t) {
  return t->request.warp.matrix;
}

/* Halves of registers, from the lines that lanes name or to them. */
static void move(const thread *lanes, bool stores) {
  for (unsigned l = 0; l < WARP_SIZE; l++) {
    const matrix_call *call = call_of(&lanes[l]);
    for (unsigned i = 0; i < 2 * call->move.count; i++) {
      const unsigned k = l % 4 * 2 + i % 2;
      const unsigned line = call->move.transposed ? k : l / 4;
      const unsigned place = call->move.transposed ? l / 4 : k;
      uint16_t *there = &call_of(&lanes[i / 2 * 8 + line])->move.line[place];
      uint16_t *own = (uint16_t *)call->move.registers + i;
      memcpy(stores ? there : own, stores ? own : there, 2);
    }
  }
}

typedef struct {
  float a[16 * 32], b[32 * 16], d[16 * 16];
  uint16_t a16[16 * 16], b16[16 * 16]; /* of halves, before */
} matrix_values;

#define INLINE static inline __attribute__((always_inline))

/* PTX, "mma.m16n8k16" and "mma.m16n8k32". WMMA has two such B side by side. */
INLINE void gather(matrix_values *m, const thread *lanes, unsigned columns,
                   simt_element e) {
  const unsigned depth = element_depth(e), each = depth / 8;
  for (unsigned l = 0; l < WARP_SIZE; l++) {
    const matrix_call *call = call_of(&lanes[l]);
#pragma GCC unroll 8
    for (unsigned i = 0; i < 4 * each; i++) {
      const unsigned place = i / each, k = l % 4 * each + i % each;
      const uint8_t *a = (const uint8_t *)call->product.a + i * 4 / each;
      const uint8_t *b = (const uint8_t *)call->product.b + i * 4 / each;
      const unsigned at_a = a_at(l, i, depth);
      const unsigned at_b =
          (k + place % 2 * (depth / 2)) * columns + place / 2 * 8 + l / 4;
      if (e == SIMT_F16)
        memcpy(&m->a16[at_a], a, 2);
      else
        m->a[at_a] = element_at(a, e);
      if (place < columns / 4 && e == SIMT_F16)
        memcpy(&m->b16[at_b], b, 2);
      else if (place < columns / 4)
        m->b[at_b] = element_at(b, e);
    }
    for (unsigned i = 0; i < columns / 2; i++)
      m->d[accumulator_at(l, i, columns)] = call->product.c[i];
  }
  if (e != SIMT_F16) return;
  /* All at once, which the compiler makes vectors of. */
  for (unsigned i = 0; i < 16 * 16; i++) m->a[i] = half_decode(m->a16[i]);
  for (unsigned i = 0; i < 16 * columns; i++) m->b[i] = half_decode(m->b16[i]);
}

/* Integers of 8 bits; C and D have integers. */
static void multiply_integers(matrix_values *m) {
  for (unsigned i = 0; i < 16 * 8; i++) {
    int32_t sum;
    memcpy(&sum, &m->d[i], 4);
    for (unsigned k = 0; k < 32; k++)
      sum += (int32_t)(m->a[i / 8 * 32 + k] * m->b[k * 8 + i % 8]);
    memcpy(&m->d[i], &sum, 4);
  }
}

/* On compute capability 9.0 two products of halves, from zero: first the lower
 * two codes of each register, then the upper two. C is added last, as a float.
 * See README.md, "The numbers". */
static void multiply_codes(matrix_values *m) {
  float d[16 * 8] = {0};
  for (unsigned upper = 0; upper < 2; upper++) {
    float a[16 * 16], b[16 * 8];
    for (unsigned i = 0; i < 16 * 16; i++)
      a[i] = m->a[i / 2 * 4 + 2 * upper + i % 2];
    for (unsigned i = 0; i < 16 * 8; i++)
      b[i] = m->b[(i / 16 * 4 + 2 * upper + i / 8 % 2) * 8 + i % 8];
    multiply_tiles(&multiply_by_mma, d, a, b, 16, 16, 8);
  }
  for (unsigned i = 0; i < 16 * 8; i++)
    m->d[i] = multiply_one_nan(m->d[i] + d[i]);
}

INLINE void multiply(const thread *lanes, unsigned columns, simt_element e) {
  matrix_values m;
  gather(&m, lanes, columns, e);
  if (e == SIMT_S8)
    multiply_integers(&m);
  else if (e == SIMT_E4M3 || e == SIMT_E5M2)
    multiply_codes(&m);
  else
    multiply_tiles(e == SIMT_F16 ? &multiply_by_mma : &multiply_bfloats, m.d,
                   m.a, m.b, 16, element_depth(e), columns);
  for (unsigned l = 0; l < WARP_SIZE; l++)
    for (unsigned i = 0; i < columns / 2; i++)
      call_of(&lanes[l])->product.d[i] = m.d[accumulator_at(l, i, columns)];
}

/* The lanes may have come at different times, but it is one instruction. */
static void access_together(block *b, warp *w, access_kind kind) {
  if (!b->checks) return;
  const uint32_t lanes = 8 * call_of(w->first)->move.count;
  instruction i = {.lanes = UINT32_MAX >> (WARP_SIZE - lanes)};
  for (uint32_t lane = 0; lane < WARP_SIZE; lane++)
    i.address[lane] = (uintptr_t)call_of(
        &w->first[lane < lanes ? lane : 0])->move.line;
  i.key = (access_key){.pc = w->first->request.pc,
                       .size = 16,
                       .kind = (uint8_t)kind,
                       .shared = in_shared(b, (void *)i.address[0])};
  log_take(b, w, &i);
}

/* WMMA's loads and stores are the whole warp's, with one address. Here each
 * lane makes them by itself: that all have made the same since they were
 * together is looked at where they are again. */
typedef struct {
  uint32_t hash, pc; /* of all; of the latest */
} wmma_moves;

static void compare_moves(block *b, const warp *w) {
  wmma_moves *all = mechanism_state(b, &matrices);
  all += w->first - b->threads;
  for (uint32_t i = 1; i < w->lanes; i++) {
    if (all[i].hash == all[0].hash) continue;
    const bool by_first = all[i].hash == 0;
    finding_report(b, SIMT_WARP_OPERATION, all[by_first ? 0 : i].pc, 0,
                   w->first[by_first ? 0 : i].id, w->first[i].id,
                   "some lanes of a warp load or store a fragment, and others "
                   "do not, or from another address, as of a thread's own "
                   "array: WMMA wants the same of all 32");
    break;
  }
  memset(all, 0, w->lanes * sizeof *all);
}

static void compare_all_moves(block *b) {
  for (uint32_t i = 0; b->checks && i < b->warp_count; i++)
    compare_moves(b, &b->warps[i]);
}

static void start_block(block *b) {
  wmma_moves *all = mechanism_state(b, &matrices);
  memset(all, 0, b->thread_count * sizeof *all);
}

static void carry_out(block *b, warp *w, uint32_t lanes) {
  const thread *first = w->first;
  if (b->checks) compare_moves(b, w);
  const uint8_t operation = first->request.operation;
  const bool wmma = operation == WMMA;
  (void)lanes; /* all */
  if (operation == LDMATRIX || operation == STMATRIX) {
    const bool stores = operation == STMATRIX;
    access_together(b, w, stores ? ACCESS_STMATRIX : ACCESS_LDMATRIX);
    move(first, stores);
    return;
  }
  const simt_element e = call_of(first)->product.element;
  if (wmma) /* what the compiler knows it computes sooner */
    multiply(first, 16, SIMT_F16);
  else if (e == SIMT_F16)
    multiply(first, 8, SIMT_F16);
  else
    multiply(first, 8, e);
  simt_counters *counters =
      site_counters(b, "tensor product", first->request.pc);
  counters->tensor_instructions += wmma ? 2 : 1;
  counters->tensor_flops += 2 * 16 * (wmma ? 16 : 8) * element_depth(e);
}

mechanism matrices = {.name = "matrices of a warp",
                      .state_size = MAX_THREADS * sizeof(wmma_moves),
                      .start_block = start_block,
                      .block_barrier = compare_all_moves,
                      .end_block = compare_all_moves,
                      .carry_out_together = carry_out,
                      .whole_warp = true,
                      .waits_in = names};

/* ---- what kernels call ---- */

void simt_load_matrix(uint16_t *fragment, const void *source, unsigned stride,
                      simt_operand operand, simt_order lines) {
  block *b = simt_here;
  const uint32_t pc = CALLER;
  const unsigned lane = b->running->lane;
  const uint16_t *from = source;
  /* ldmatrix.x4: lane l names line l % 8 of 8x8 matrix l / 8. */
  const unsigned line = lane % 16, place = lane / 16 * 8;
  access_registers(fragment, 16, ACCESS_WRITE, pc);
  if (in_shared(b, source))
    access_file(b, from + line * stride + place, 16, ACCESS_LDMATRIX, pc);
  /* The rows of A are the columns of B, whose second and third register have
   * changed places. */
  const bool is_b = operand == SIMT_MATRIX_B;
  const bool rows = lines == SIMT_LINES_ARE_ROWS;
  /* Global memory has no ldmatrix: each lane reads its own elements, two at
   * once where these are neighbours along a line. */
  const unsigned at_once = in_shared(b, source) ? 0 : is_b == rows ? 1 : 2;
  for (unsigned i = 0; i < 8; i++) {
    const unsigned of_a = is_b ? (i & 1) | (i & 2) << 1 | (i & 4) >> 1 : i;
    const unsigned at = a_at(lane, of_a, 16), row = at / 16, k = at % 16;
    const uint16_t *element =
        from + (is_b == rows ? k * stride + row : row * stride + k);
    if (at_once && i % at_once == 0)
      access_file(b, element, 2 * at_once, ACCESS_READ, pc);
    fragment[i] = *element;
  }
}

void simt_check_matrix_address(const void *address, unsigned stride_bytes) {
  block *b = simt_here;
  wmma_moves *mine = mechanism_state(b, &matrices);
  mine += b->running->id;
  mine->pc = CALLER;
  const uint32_t what = (uint32_t)(uintptr_t)address ^ stride_bytes << 24;
  mine->hash = (mine->hash ^ what) * 0x9e3779b1 + 1;
  if ((uintptr_t)address % 32 == 0 && stride_bytes % 16 == 0) return;
  FINDING_OF_RUNNING(b, SIMT_USAGE, CALLER,
                     "WMMA takes addresses that are multiples of 32 bytes and "
                     "rows that are multiples of 16 bytes long");
}

static void meet(uint8_t operation, const matrix_call *call, uint32_t pc) {
  collective_meet((request){.to = &matrices,
                            .operation = operation,
                            .pc = pc,
                            .warp = {.mask = UINT32_MAX, .matrix = call}});
}

static void meet_for_product(uint8_t operation, const matrix_call *call,
                             uint32_t pc) {
  const uint32_t size = operation == WMMA ? 32 : 16; /* of C and D */
  access_registers(call->product.a, 16, ACCESS_READ, pc);
  access_registers(call->product.b, size / 2, ACCESS_READ, pc);
  access_registers(call->product.c, size, ACCESS_READ, pc);
  meet(operation, call, pc);
  access_registers(call->product.d, size, ACCESS_WRITE, pc);
}

void simt_matrix_multiply(float *d, const uint16_t *a, const uint16_t *b,
                          const float *c) {
  const matrix_call call = {
      .product = {d, (const unsigned *)a, (const unsigned *)b, c, SIMT_F16}};
  meet_for_product(WMMA, &call, CALLER);
}

void simt_mma(float *d, const unsigned *a, const unsigned *b,
              unsigned element) {
  const matrix_call call = {.product = {d, a, b, d, (simt_element)element}};
  meet_for_product(MMA, &call, CALLER);
}

static void meet_for_lines(uint8_t operation, const void *line,
                           const unsigned *registers, bool transposed,
                           uint32_t count, uint32_t pc) {
  const bool stores = operation == STMATRIX;
  const matrix_call call = {.move = {(uint16_t *)line, (unsigned *)registers,
                                     transposed, count}};
  if (simt_here->running->lane < 8 * count) {
    if (!in_shared(simt_here, line) &&
        (arena_contains(line, 16) || is_private(simt_here, (uintptr_t)line)))
      BLOCK_REFUSE(simt_here, SIMT_USAGE, cudaErrorIllegalAddress, pc,
                   "%s takes rows in shared memory, and this one is in %s "
                   "memory", names[operation],
                   arena_contains(line, 16) ? "global" : "the thread's own");
    access_check(simt_here, line, 16,
                 stores ? ACCESS_STMATRIX : ACCESS_LDMATRIX, pc);
  }
  if (stores) access_registers(registers, 4 * count, ACCESS_READ, pc);
  meet(operation, &call, pc);
  if (!stores) access_registers(registers, 4 * count, ACCESS_WRITE, pc);
}

void simt_ldmatrix_of(unsigned *registers, const void *line, bool transposed,
                      unsigned count) {
  meet_for_lines(LDMATRIX, line, registers, transposed, count, CALLER);
}
void simt_stmatrix_of(void *line, const unsigned *registers, bool transposed,
                      unsigned count) {
  meet_for_lines(STMATRIX, line, registers, transposed, count, CALLER);
}
