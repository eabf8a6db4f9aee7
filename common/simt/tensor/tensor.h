#pragma once

#include "common/simt/memory/memory.h"

/* WMMA, mma.sync, ldmatrix and stmatrix. */
extern mechanism matrices;

/* TMA, and fence_async_proxy. */
extern mechanism tma_loads;
extern bool tma_is_used;

/* Four warps that make products together, wgmma; and setmaxnreg. A thread files
 * what it wants, and when all 128 have come it happens for all of them. */
extern mechanism warpgroups;

/* Products of a warpgroup that are under way. `lanes` are its 128 threads. */

/* What the request of a thread that issues one calls. */
typedef struct {
  simt_wgmma_operand a, b;
  const unsigned *a_registers; /* null: a is in shared memory */
  float *c;
  uint32_t columns;
  bool accumulate;
} product_call;

/* One m64nNk32 that has not been waited for. */
typedef struct {
  uint32_t pc, stamp, group, columns;
  simt_wgmma_operand a, b;
  const unsigned **a_registers; /* of each thread; or null */
  struct accumulator *sum;
} product;

typedef struct {
  bool fenced;        /* a wgmma_fence has been executed */
  uint32_t committed; /* groups */
  product *all;
  uint32_t count, capacity;
  struct accumulator *sums; /* list */
} product_list;

void product_issue(block *b, product_list *g, const thread *lanes);
void product_wait(block *b, product_list *g, const thread *lanes,
                  uint32_t groups_left);
void product_drop_all(block *b, product_list *g, const thread *lanes);

/* A barrier of the block has passed: those under way read now as well. */
void product_read_again(block *b, product_list *g, const thread *lanes);

/* How a tensor core adds the products of one instruction and C: README.md, "The
 * numbers". */
typedef struct {
  float least_normal; /* of the operands' format: a subnormal has its exponent,
                         and a zero has none */
  uint32_t below, kept; /* bits, below the largest label and of the sum */
} multiply_rule;

extern const multiply_rule multiply_by_wgmma; /* E4M3, depth 32 */
extern const multiply_rule multiply_by_mma;   /* halves, depth 16 */
/* Nobody has held these against a card. */
extern const multiply_rule multiply_e5m2_by_wgmma, multiply_bfloats;

/* sum[row][column] += a[row][k] * b[k][column], all k from 0 to depth - 1 at
 * once: rows a multiple of 4, columns of 8, at most those below. What is not
 * finite gives infinity or the NaN 0x7fffffff. */
void multiply_tiles(const multiply_rule *rule, float *sum, const float *a,
                    const float *b, uint32_t rows, uint32_t depth,
                    uint32_t columns);

/* Every NaN that a GPU computes has the same bits. */
static inline float multiply_one_nan(float x) {
  const uint32_t nan = 0x7fffffff;
  if (isnan(x)) memcpy(&x, &nan, sizeof x);
  return x;
}

/* The most that a product of a warpgroup has; its columns vary. */
enum { PRODUCT_ROWS = 64, PRODUCT_DEPTH = 32, PRODUCT_COLUMNS = 256 };

extern const float *const multiply_e4m3;

/* How many elements an instruction adds up: 32 bytes of them. */
static inline uint32_t element_depth(simt_element e) {
  return e == SIMT_TF32 ? 8 : e == SIMT_F16 || e == SIMT_BF16 ? 16 : 32;
}

/* Where 16 rows a warp of so many columns have element i of an accumulator; */
static inline uint32_t accumulator_at(uint32_t thread, uint32_t i,
                                      uint32_t columns) {
  const uint32_t lane = thread % WARP_SIZE, row = lane / 4 + i / 2 % 2 * 8;
  return (thread / WARP_SIZE * 16 + row) * columns + i / 4 * 8 +
         lane % 4 * 2 + i % 2;
}

/* and, of so many k, that of A in registers. A register holds neighbours in k,
 * the second one is 8 rows down, the next two are half of k further. */
static inline uint32_t a_at(uint32_t thread, uint32_t i, uint32_t depth) {
  const uint32_t lane = thread % WARP_SIZE, each = depth / 8, place = i / each;
  const uint32_t row = thread / WARP_SIZE * 16 + lane / 4 + place % 2 * 8;
  return row * depth + place / 2 * (depth / 2) + lane % 4 * each + i % each;
}

static inline float element_at(const uint8_t *from, simt_element e) {
  uint16_t half;
  uint32_t bits;
  float value;
  if (e == SIMT_E4M3) return multiply_e4m3[*from];
  if (e == SIMT_E5M2) return half_decode((uint16_t)(*from << 8));
  if (e == SIMT_S8) return (int8_t)*from;
  if (e == SIMT_TF32) {
    memcpy(&bits, from, 4);
    bits &= ~0x1fffu;
    memcpy(&value, &bits, 4);
    return value;
  }
  memcpy(&half, from, 2);
  return e == SIMT_F16 ? half_decode(half) : bfloat_decode(half);
}

/* Registers that products of a warpgroup work on: variables of the thread, of
 * which the instrumented build sees each access. */
extern mechanism operand_check;

/* The block uses a warpgroup. Where it checks for races, operands are looked at
 * from now on until its end; else nothing below happens. */
void operands_watch(block *b);

/* wgmma_fence: what the thread has used until now is known to be ready. */
void operands_fence(block *b, const thread *t);
