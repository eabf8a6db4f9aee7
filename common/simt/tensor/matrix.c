/* Matrix fragments. Lane and element of a fragment belong to these places of
 * its 16x16 matrix, on sm_80 and later. */

#include "common/simt/access/access.h"
#include "common/simt/memory/memory.h"
#include "common/simt/sync/sync.h"
#include "common/simt/tensor/tensor.h"

#include <string.h>

enum { WMMA, MMA, LDMATRIX, STMATRIX };

static const char *const names[] = {[WMMA] = "a matrix product",
                                    [MMA] = "a matrix product",
                                    [LDMATRIX] = "ldmatrix",
                                    [STMATRIX] = "stmatrix"};

/* What a lane brings: which member holds, the request's operation says. */
typedef union {
  struct {
    float *d;
    const uint16_t *a, *b;
    const float *c;
  } wmma;
  struct {
    float *d;
    const unsigned *a, *b;
    simt_element element;
  } mma;
  struct {
    const uint16_t *line; /* what this lane names, */
    unsigned *registers;  /* what it gets */
    bool transposed;
    uint32_t count; /* of matrices; the lines of the first 8 * count lanes */
  } load;
  struct {
    uint16_t *line;
    const unsigned *registers;
    bool transposed;
    uint32_t count;
  } store; /* as in load */
} matrix_call;

static const matrix_call *call_of(const thread *t) {
  return t->request.warp.matrix;
}

static inline unsigned low_index(unsigned lane, unsigned i, unsigned bit) {
  return lane / 4 + (i & bit ? 8 : 0);
}
static inline unsigned pair_index(unsigned lane, unsigned i, unsigned bit) {
  return lane % 4 * 2 + (i & 1) + (i & bit ? 8 : 0);
}

/* All of a matrix at once, which the compiler makes vectors of. */
static void halves_to_floats(float *to, const uint16_t *halves, size_t count) {
  for (size_t i = 0; i < count; i++)
    to[i] = half_to_float(halves[i]);
}

static void multiply_wmma(const thread *lanes) {
  uint16_t a16[16][16], b16[16][16];
  float a[16][16], b[16][16], d[16][16];
  for (unsigned l = 0; l < WARP_SIZE; l++) {
    const matrix_call *call = call_of(&lanes[l]);
    for (unsigned i = 0; i < 8; i++) {
      const unsigned row = low_index(l, i, 2), column = pair_index(l, i, 4);
      a16[row][column] = call->wmma.a[i];
      d[row][column] = call->wmma.c[i];
      b16[pair_index(l, i, 2)][low_index(l, i, 4)] = call->wmma.b[i];
    }
  }
  halves_to_floats(a[0], a16[0], 16 * 16);
  halves_to_floats(b[0], b16[0], 16 * 16);
  multiply_tiles(&multiply_by_mma, d[0], a[0], b[0], 16, 16, 16);
  for (unsigned l = 0; l < WARP_SIZE; l++)
    for (unsigned i = 0; i < 8; i++)
      call_of(&lanes[l])->wmma.d[i] =
          d[low_index(l, i, 2)][pair_index(l, i, 4)];
}

static void load(const thread *lanes) {
  for (unsigned l = 0; l < WARP_SIZE; l++) {
    const matrix_call *call = call_of(&lanes[l]);
    for (unsigned i = 0; i < call->load.count; i++) {
      uint16_t pair[2];
      for (unsigned k = 0; k < 2; k++) {
        const bool transposed = call->load.transposed;
        const unsigned line = transposed ? l % 4 * 2 + k : l / 4;
        const unsigned place = transposed ? l / 4 : l % 4 * 2 + k;
        pair[k] = call_of(&lanes[8 * i + line])->load.line[place];
      }
      memcpy(&call->load.registers[i], pair, sizeof pair);
    }
  }
}

static void store(const thread *lanes) {
  for (unsigned l = 0; l < WARP_SIZE; l++) {
    const matrix_call *call = call_of(&lanes[l]);
    for (unsigned i = 0; i < 2 * call->store.count; i++) {
      const unsigned k = l % 4 * 2 + i % 2;
      const unsigned line = call->store.transposed ? k : l / 4;
      const unsigned place = call->store.transposed ? l / 4 : k;
      memcpy(&call_of(&lanes[i / 2 * 8 + line])->store.line[place],
             (const uint16_t *)call->store.registers + i, 2);
    }
  }
}

/* Of 16 rows of 8 columns, element i of a lane. */
static inline unsigned result_at(unsigned lane, unsigned i) {
  return (lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2;
}

/* PTX, "mma.m16n8k16" and "mma.m16n8k32": a register holds neighbours in k, the
 * second register of A is 8 rows down, the next two are half of k further. */
static inline unsigned row_of_a(unsigned lane, unsigned place) {
  return lane / 4 + place % 2 * 8;
}

static void multiply_halves(const thread *lanes, bool bfloats) {
  uint16_t a16[16 * 16], b16[16 * 8];
  float a[16 * 16], b[16 * 8], d[16 * 8];
  for (unsigned l = 0; l < WARP_SIZE; l++) {
    const matrix_call *call = call_of(&lanes[l]);
    for (unsigned i = 0; i < 8; i++) {
      const unsigned place = i / 2, k = l % 4 * 2 + i % 2;
      memcpy(&a16[row_of_a(l, place) * 16 + k + place / 2 * 8],
             (const char *)call->mma.a + 2 * i, 2);
      if (i < 4)
        memcpy(&b16[(k + place * 8) * 8 + l / 4],
               (const char *)call->mma.b + 2 * i, 2);
      if (i < 4) d[result_at(l, i)] = call->mma.d[i];
    }
  }
  for (unsigned i = 0; bfloats && i < 16 * 16; i++)
    a[i] = bfloat_to_float(a16[i]);
  for (unsigned i = 0; bfloats && i < 16 * 8; i++)
    b[i] = bfloat_to_float(b16[i]);
  if (!bfloats) halves_to_floats(a, a16, 16 * 16);
  if (!bfloats) halves_to_floats(b, b16, 16 * 8);
  multiply_tiles(bfloats ? &multiply_bfloats : &multiply_by_mma, d, a, b, 16,
                 16, 8);
  for (unsigned l = 0; l < WARP_SIZE; l++)
    for (unsigned i = 0; i < 4; i++)
      call_of(&lanes[l])->mma.d[i] = d[result_at(l, i)];
}

/* Of TF32, 8 deep: a register is one element. */
static void multiply_tf32(const thread *lanes) {
  float a[16 * 8], b[8 * 8], d[16 * 8];
  for (unsigned l = 0; l < WARP_SIZE; l++) {
    const matrix_call *call = call_of(&lanes[l]);
    for (unsigned i = 0; i < 4; i++) {
      const uint32_t x = call->mma.a[i] & ~0x1fffu;
      memcpy(&a[row_of_a(l, i) * 8 + l % 4 + i / 2 * 4], &x, 4);
      const uint32_t y = call->mma.b[i % 2] & ~0x1fffu;
      memcpy(&b[(l % 4 + i % 2 * 4) * 8 + l / 4], &y, 4);
      d[result_at(l, i)] = call->mma.d[i];
    }
  }
  multiply_tiles(&multiply_bfloats, d, a, b, 16, 8, 8);
  for (unsigned l = 0; l < WARP_SIZE; l++)
    for (unsigned i = 0; i < 4; i++)
      call_of(&lanes[l])->mma.d[i] = d[result_at(l, i)];
}

/* Integers of 8 bits, 32 deep; d has integers. */
static void multiply_s8(const thread *lanes) {
  int8_t a[16][32], b[32][8];
  for (unsigned l = 0; l < WARP_SIZE; l++)
    for (unsigned i = 0; i < 16; i++) {
      const unsigned k = l % 4 * 4 + i % 4, place = i / 4;
      const matrix_call *call = call_of(&lanes[l]);
      a[row_of_a(l, place)][k + place / 2 * 16] = ((int8_t *)call->mma.a)[i];
      if (i < 8) b[k + place * 16][l / 4] = ((int8_t *)call->mma.b)[i];
    }
  for (unsigned l = 0; l < WARP_SIZE; l++)
    for (unsigned i = 0; i < 4; i++) {
      int32_t sum;
      float *d = &call_of(&lanes[l])->mma.d[i];
      memcpy(&sum, d, 4);
      for (unsigned k = 0; k < 32; k++)
        sum += a[result_at(l, i) / 8][k] * b[k][result_at(l, i) % 8];
      memcpy(d, &sum, 4);
    }
}

static float code_value(uint8_t code, bool e5m2) {
  return e5m2 ? half_to_float((uint16_t)(code << 8)) : multiply_e4m3[code];
}

/* On compute capability 9.0 two products of halves, from zero: first the lower
 * two codes of each register, then the upper two. C is added last, as a float.
 * See README.md, "The numbers". */
static void multiply_codes(const thread *lanes, bool e5m2) {
  float a[2][16 * 16], b[2][16 * 8], d[16 * 8] = {0};
  for (unsigned l = 0; l < WARP_SIZE; l++) {
    const matrix_call *call = call_of(&lanes[l]);
    const uint8_t *codes_a = (const uint8_t *)call->mma.a;
    const uint8_t *codes_b = (const uint8_t *)call->mma.b;
    for (unsigned i = 0; i < 16; i++) {
      const unsigned place = i / 4, upper = i / 2 % 2;
      const unsigned k = l % 4 * 2 + i % 2;
      a[upper][row_of_a(l, place) * 16 + k + place / 2 * 8] =
          code_value(codes_a[i], e5m2);
      if (i < 8)
        b[upper][(k + place * 8) * 8 + l / 4] = code_value(codes_b[i], e5m2);
    }
  }
  for (unsigned upper = 0; upper < 2; upper++)
    multiply_tiles(&multiply_by_mma, d, a[upper], b[upper], 16, 16, 8);
  for (unsigned l = 0; l < WARP_SIZE; l++)
    for (unsigned i = 0; i < 4; i++) {
      float *own = &call_of(&lanes[l])->mma.d[i];
      *own = multiply_one_nan(*own + d[result_at(l, i)]);
    }
}

/* The lanes may have come at different times, but it is one instruction. */
static void access_together(block *b, warp *w, access_kind kind) {
  if (!b->checks) return;
  instruction i = {.lanes = UINT32_MAX};
  for (uint32_t lane = 0; lane < WARP_SIZE; lane++) {
    const matrix_call *call = call_of(&w->first[lane]);
    i.address[lane] = (uintptr_t)call->load.line;
  }
  const uint32_t lanes = 8 * call_of(w->first)->load.count;
  i.lanes = UINT32_MAX >> (WARP_SIZE - lanes);
  for (uint32_t lane = lanes; lane < WARP_SIZE; lane++)
    i.address[lane] = i.address[0];
  i.key = (access_key){.pc = w->first->request.pc,
                       .size = 16,
                       .kind = (uint8_t)kind,
                       .shared = in_shared(b, (void *)i.address[0])};
  log_take(b, w, &i);
}

static void count(block *b, uint32_t pc, uint32_t instructions,
                  uint32_t flops) {
  simt_counters *counters = site_counters(b, SITE_TENSOR, pc);
  if (!counters) return;
  counters->tensor_instructions += instructions;
  counters->tensor_flops += flops;
}

static void carry_out(block *b, warp *w, uint32_t lanes) {
  const thread *first = w->first;
  const simt_element e = call_of(first)->mma.element; /* of MMA */
  (void)lanes; /* all */
  switch (first->request.operation) {
  case LDMATRIX:
    access_together(b, w, ACCESS_LDMATRIX);
    load(first);
    break;
  case STMATRIX:
    access_together(b, w, ACCESS_STMATRIX);
    store(first);
    break;
  case MMA:
    if (e == SIMT_E4M3 || e == SIMT_E5M2)
      multiply_codes(first, e == SIMT_E5M2);
    else if (e == SIMT_S8)
      multiply_s8(first);
    else if (e == SIMT_TF32)
      multiply_tf32(first);
    else
      multiply_halves(first, e == SIMT_BF16);
    count(b, first->request.pc, 1,
          2 * 16 * 8 * (e == SIMT_TF32                      ? 8
                        : e == SIMT_F16 || e == SIMT_BF16 ? 16
                                                            : 32));
    break;
  default:
    multiply_wmma(first);
    count(b, first->request.pc, 2, 2 * 16 * 16 * 16);
  }
}

static const char *waits_in(const request *r) {
  return names[r->operation];
}

mechanism matrices = {.name = "matrices of a warp",
                      .carry_out_together = carry_out,
                      .whole_warp = true,
                      .waits_in = waits_in};

/* ---- what kernels call ---- */

void simt_load_matrix(uint16_t *fragment, const void *source, unsigned stride,
                      simt_operand operand, simt_order lines) {
  block *b = simt_here;
  const uint32_t pc = CALLER;
  const unsigned lane = b->running->lane;
  const uint16_t *from = source;
  /* ldmatrix.x4: lane l names line l % 8 of 8x8 matrix l / 8. */
  const unsigned line = lane % 16, place = lane / 16 * 8;
  if (in_shared(b, source))
    access_file(b, from + line * stride + place, 16, ACCESS_LDMATRIX, pc);
  for (unsigned i = 0; i < 8; i++) {
    unsigned row = low_index(lane, i, 2), column = pair_index(lane, i, 4);
    if (operand == SIMT_MATRIX_B) {
      row = pair_index(lane, i, 2);
      column = low_index(lane, i, 4);
    }
    const unsigned along = lines == SIMT_LINES_ARE_ROWS ? column : row;
    const unsigned across = lines == SIMT_LINES_ARE_ROWS ? row : column;
    const uint16_t *element = from + across * stride + along;
    if (!in_shared(b, source)) access_file(b, element, 2, ACCESS_READ, pc);
    fragment[i] = *element;
  }
}

void simt_check_matrix_address(const void *address, unsigned stride_bytes) {
  block *b = simt_here;
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

void simt_matrix_multiply(float *d, const uint16_t *a, const uint16_t *b,
                          const float *c) {
  const matrix_call call = {.wmma = {d, a, b, c}};
  meet(WMMA, &call, CALLER);
}

void simt_mma(float *d, const unsigned *a, const unsigned *b,
              unsigned element) {
  const matrix_call call = {.mma = {d, a, b, (simt_element)element}};
  meet(MMA, &call, CALLER);
}

static void meet_for_lines(uint8_t operation, const matrix_call *call,
                           access_kind kind, uint32_t pc) {
  if (simt_here->running->lane < 8 * call->load.count) {
    if (arena_contains(call->load.line, 16))
      BLOCK_REFUSE(simt_here, SIMT_USAGE, cudaErrorIllegalAddress, pc,
                   "%s takes rows in shared memory, and this one is in global "
                   "memory", operation == LDMATRIX ? "ldmatrix" : "stmatrix");
    access_check(simt_here, call->load.line, 16, kind, pc);
  }
  meet(operation, call, pc);
}

void simt_ldmatrix_of(unsigned *registers, const void *line, bool transposed,
                      unsigned count) {
  const matrix_call call = {.load = {line, registers, transposed, count}};
  meet_for_lines(LDMATRIX, &call, ACCESS_LDMATRIX, CALLER);
}

void simt_ldmatrix(unsigned *registers, const void *line, bool transposed) {
  const matrix_call call = {.load = {line, registers, transposed, 4}};
  meet_for_lines(LDMATRIX, &call, ACCESS_LDMATRIX, CALLER);
}

void simt_stmatrix_of(void *line, const unsigned *registers, bool transposed,
                      unsigned count) {
  const matrix_call call = {.store = {line, registers, transposed, count}};
  meet_for_lines(STMATRIX, &call, ACCESS_STMATRIX, CALLER);
}

void simt_stmatrix(void *line, const unsigned *registers) {
  const matrix_call call = {.store = {line, registers, false, 4}};
  meet_for_lines(STMATRIX, &call, ACCESS_STMATRIX, CALLER);
}
