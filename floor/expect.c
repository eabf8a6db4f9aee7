#include "floor/items.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/harness/numbers.h"
#include "common/harness/problem.h"

/* Products, in plain C. */



enum { A_ROWS = 64, A_BYTES = A_ROWS * PRODUCT_DEPTH, B_ROWS = 128,
       B_BYTES = B_ROWS * PRODUCT_DEPTH, SEED = 5, OTHER_SEED = 6 };

/* -1, -0.5, 0, 0.5 or 1: sums of their products are exact in 13 bits. */
static float small_number(uint64_t stream, uint64_t index) {
  return (float)(random_bits(SEED, stream, index) % 5) * 0.5f - 1.0f;
}

/* Rows of codes, quantised together as a head of attention is. */
static void fill_codes(uint8_t *codes, size_t count, uint64_t stream,
                       floor_inputs inputs) {
  float *values = malloc(count * sizeof *values);
  if (!values) return;
  for (size_t i = 0; i < count; i++)
    values[i] = inputs == RANDOM ? random_normal(SEED, stream, i)
                                 : small_number(stream, i);
  if (inputs == RANDOM)
    quantise_head(values, codes, count);
  else
    for (size_t i = 0; i < count; i++)
      codes[i] = inputs == ZEROS ? 0 : e4m3_encode(values[i]);
  free(values);
}

static void fill_products(const floor_item *item, void *in, int blocks,
                          floor_inputs inputs) {
  (void)item, (void)blocks;
  fill_codes(in, A_BYTES, 0, inputs);
  fill_codes((uint8_t *)in + A_BYTES, B_BYTES, 1, inputs);
}

static size_t products_in(const floor_item *item, int blocks) {
  (void)item, (void)blocks;
  return A_BYTES + B_BYTES;
}

static size_t products_out(const floor_item *item, int blocks) {
  return (size_t)blocks * A_ROWS * (size_t)item->n * sizeof(float);
}

/* One element of A * B^T over item->depth codes. */
static float element(const floor_item *item, const uint8_t *in, int row,
                     int column) {
  const uint8_t *a = in + row * PRODUCT_DEPTH;
  const uint8_t *b = in + A_BYTES + column * PRODUCT_DEPTH;
  float sum = 0.0f;
  for (int k = 0; k < item->depth; k++)
    sum += e4m3_decode(a[k]) * e4m3_decode(b[k]);
  return sum;
}

/* A thread's register i of C is this row and column: see wgmma.cuh. */
static bool verify_block(const floor_item *item, int rounds, const uint8_t *in,
                         const float *out, reason *why) {
  for (int thread = 0; thread < 128; thread++)
    for (int i = 0; i < item->n / 2; i++) {
      const int lane = thread % 32;
      const int row = thread / 32 * 16 + lane / 4 + i / 2 % 2 * 8;
      const int column = i / 4 * 8 + lane % 4 * 2 + i % 2;
      const float wanted = (float)(rounds * item->repeats) *
                           element(item, in, row, column);
      const float found = out[thread * (item->n / 2) + i];
      if (found == wanted) continue;
      return refuse(why, "row %d, column %d is %g and should be %g", row,
                    column, found, wanted);
    }
  return true;
}

static bool verify_products(const floor_item *item, const floor_call *call,
                            const void *in, const void *out, reason *why) {
  for (int block = 0; block < call->blocks; block++)
    if (!verify_block(item, call->rounds, in,
                      (const float *)out + (ptrdiff_t)block * A_ROWS * item->n,
                      why))
      return false;
  return true;
}

const floor_family floor_products = {products_in, products_out, fill_products,
                                     verify_products};

/* ---- halves: A[16][16], B[64][16] ---- */

enum { HALF_K = 16, HALF_ROWS = 16, HALF_COLUMNS = 64 };

static void fill_halves(const floor_item *item, void *in, int blocks,
                        floor_inputs inputs) {
  (void)item, (void)blocks;
  uint16_t *halves = in;
  for (int i = 0; i < (HALF_ROWS + HALF_COLUMNS) * HALF_K; i++) {
    const uint64_t at = (uint64_t)i;
    halves[i] = half_encode(inputs == ZEROS    ? 0.0f
                            : inputs == RANDOM ? random_normal(SEED, 2, at)
                                               : small_number(2, at));
  }
}

static size_t halves_in(const floor_item *item, int blocks) {
  (void)item, (void)blocks;
  return (HALF_ROWS + HALF_COLUMNS) * HALF_K * sizeof(uint16_t);
}

static size_t halves_out(const floor_item *item, int blocks) {
  return (size_t)(blocks * item->threads) * 32 * sizeof(float);
}

/* Lanes as in mma.cuh: register i of product n of a warp. */
static bool verify_halves(const floor_item *item, const floor_call *call,
                          const void *in, const void *out, reason *why) {
  const uint16_t *a = in, *b = a + HALF_ROWS * HALF_K;
  for (int t = 0; t < call->blocks * item->threads; t++)
    for (int i = 0; i < 32; i++) {
      const int lane = t % 32, row = lane / 4 + i / 2 % 2 * 8;
      const int column = i / 4 * 8 + lane % 4 * 2 + i % 2;
      float wanted = 0.0f;
      for (int k = 0; k < HALF_K; k++)
        wanted += half_decode(a[row * HALF_K + k]) *
                  half_decode(b[column * HALF_K + k]);
      wanted *= (float)call->rounds;
      const float found = ((const float *)out)[t * 32 + i];
      if (found == wanted) continue;
      return refuse(why, "row %d, column %d is %g and should be %g", row,
                    column, found, wanted);
    }
  return true;
}

const floor_family floor_half_products = {halves_in, halves_out, fill_halves,
                                          verify_halves};

/* ---- products beside scores ---- */

enum { SOFTENERS = BESIDE_THREADS - 128,
       RESULT_BYTES = SOFTENERS * sizeof(score_result),
       BLOCK_BYTES = RESULT_BYTES + A_ROWS * B_ROWS * sizeof(float) };

static void fill_besides(const floor_item *item, void *in, int blocks,
                         floor_inputs inputs) {
  fill_products(item, in, blocks, inputs);
  for (int i = 0; i < SOFTENERS / 128; i++)
    floor_scores.fill(item, (uint8_t *)in + products_in(item, 1) +
                      (size_t)i * floor_scores.in_bytes(item, 1), 1, inputs);
}

static size_t besides_in(const floor_item *item, int blocks) {
  return products_in(item, blocks) + SOFTENERS * SCORES * sizeof(float);
}

static size_t besides_out(const floor_item *item, int blocks) {
  (void)item;
  return (size_t)blocks * BLOCK_BYTES;
}

static bool verify_besides(const floor_item *item, const floor_call *call,
                           const void *in, const void *out, reason *why) {
  const uint8_t *scores = (const uint8_t *)in + products_in(item, 1);
  const uint8_t *at = out;
  floor_call one = *call;
  one.blocks = 1;
  for (int block = 0; block < call->blocks; block++, at += BLOCK_BYTES) {
    for (int i = 0; i < SOFTENERS / 128; i++)
      if (!floor_scores.verify(
              item, &one, scores + (size_t)i * floor_scores.in_bytes(item, 1),
              at + (size_t)i * 128 * sizeof(score_result), why))
        return false;
    if (!verify_block(item, (int)call->count, in,
                      (const float *)(at + RESULT_BYTES), why))
      return false;
  }
  return true;
}

const floor_family floor_besides = {besides_in, besides_out, fill_besides,
                                    verify_besides};

/* Exponentials, scores and waits, in plain C. */



/* From 0 to 1, without the ends. */
static float fraction(uint64_t stream, uint64_t index) {
  const float bits = (float)(random_bits(OTHER_SEED, stream, index) >> 48);
  return (bits + 0.5f) / 65536.0f;
}

/* ---- x becomes 2^-x, in floats, or in pairs of halves where item->n is 2 */

static size_t exponentials_bytes(const floor_item *item, int blocks) {
  return (size_t)(blocks * item->threads) * CHAINS * sizeof(float);
}

static void fill_exponentials(const floor_item *item, void *in, int blocks,
                              floor_inputs inputs) {
  (void)inputs;
  const int count = blocks * item->threads * CHAINS * item->n;
  for (int i = 0; i < count; i++) {
    const float x = fraction(0, (uint64_t)i);
    if (item->n == 2)
      ((uint16_t *)in)[i] = half_encode(x);
    else
      ((float *)in)[i] = x;
  }
}

static bool verify_exponentials(const floor_item *item, const floor_call *call,
                                const void *in, const void *out, reason *why) {
  const int count = call->blocks * item->threads * CHAINS * item->n;
  for (int i = 0; i < count; i++) {
    const bool halves = item->n == 2;
    float x = halves ? half_decode(((const uint16_t *)in)[i])
                     : ((const float *)in)[i];
    const float found = halves ? half_decode(((const uint16_t *)out)[i])
                               : ((const float *)out)[i];
    for (int round = 0; round < call->rounds; round++) x = exp2f(-x);
    if (fabsf(found - x) <= item->tolerance) continue;
    return refuse(why, "number %d is %.7g and should be %.7g", i, found, x);
  }
  return true;
}

const floor_family floor_exponentials = {
    exponentials_bytes, exponentials_bytes, fill_exponentials,
    verify_exponentials};

/* ---- what softmax does with a score ---- */

static size_t scores_in(const floor_item *item, int blocks) {
  (void)item, (void)blocks;
  return 128 * SCORES * sizeof(float);
}

static size_t scores_out(const floor_item *item, int blocks) {
  (void)item;
  return (size_t)blocks * 128 * sizeof(score_result);
}

/* Exact: halves from -3.5 to 0, so that 2^(2 s) and 2^(2 s - 1) are powers of
 * two that E4M3 has. */
static void fill_scores(const floor_item *item, void *in, int blocks,
                        floor_inputs inputs) {
  (void)item, (void)blocks;
  float *scores = in;
  for (uint64_t i = 0; i < 128 * SCORES; i++)
    scores[i] = inputs == ZEROS ? 0.0f
                : inputs == RANDOM
                    ? random_normal(OTHER_SEED, 1, i) - 1.0f
                    : -0.5f * (float)(random_bits(OTHER_SEED, 1, i) % 8);
}

static uint32_t narrow(const float *p) {
  return e4m3_encode(p[0]) | (uint32_t)e4m3_encode(p[1]) << 8 |
         (uint32_t)e4m3_encode(p[4]) << 16 | (uint32_t)e4m3_encode(p[5]) << 24;
}

static score_result soften(const float *s, int rounds) {
  score_result r = {-INFINITY, {0.0f, 0.0f}, 0};
  float shift = 0.0f;
  for (int round = 0; round < rounds; round++) {
    float p[SCORES];
    for (int j = 0; j < SCORES; j++) {
      const float x = 2.0f * s[j] + shift;
      r.highest = fmaxf(r.highest, x);
      p[j] = exp2f(x);
      r.row_sum[j / 2 % 2] += p[j];
    }
    for (int j = 0; j < SCORES; j += 8)
      r.codes ^= narrow(p + j) ^ narrow(p + j + 2);
    shift = -1.0f - shift;
  }
  return r;
}

/* The unit may be off in the last places of a power of two; of codes, that
 * changes none. */
static bool near(float found, float wanted) {
  return fabsf(found - wanted) <= 1e-6f * wanted;
}

static bool verify_scores(const floor_item *item, const floor_call *call,
                          const void *in, const void *out, reason *why) {
  (void)item;
  const score_result *found = out;
  for (int t = 0; t < call->blocks * 128; t++, found++) {
    const score_result wanted =
        soften((const float *)in + t % 128 * SCORES, call->rounds);
    if (found->highest == wanted.highest && found->codes == wanted.codes &&
        near(found->row_sum[0], wanted.row_sum[0]) &&
        near(found->row_sum[1], wanted.row_sum[1]))
      continue;
    return refuse(why,
                  "thread %d has maximum %g, sums %.7g and %.7g, codes %08x, "
                  "and should have %g, %.7g, %.7g, %08x",
                  t, found->highest, found->row_sum[0], found->row_sum[1],
                  found->codes, wanted.highest, wanted.row_sum[0],
                  wanted.row_sum[1], wanted.codes);
  }
  return true;
}

const floor_family floor_scores = {scores_in, scores_out, fill_scores,
                                   verify_scores};

/* ---- waits: a float a thread ---- */

static size_t steps_bytes(const floor_item *item, int blocks) {
  (void)blocks;
  return (size_t)item->threads * sizeof(float);
}

static void fill_steps(const floor_item *item, void *in, int blocks,
                       floor_inputs inputs) {
  (void)blocks, (void)inputs;
  for (int t = 0; t < item->threads; t++)
    ((float *)in)[t] = fraction(2, (uint64_t)t);
}

/* A shuffle hands a value on to the lane below, an exponential is 2^-x, and a
 * barrier leaves all as it was. */
static bool verify_steps(const floor_item *item, const floor_call *call,
                         const void *in, const void *out, reason *why) {
  const int steps = call->rounds * WAITS_UNROLL;
  const float *from = in, *found = out;
  for (int t = 0; t < item->threads; t++) {
    float x = from[t];
    if (item->kernel == floor_shuffle) x = from[(t + steps) % 32];
    if (item->kernel == floor_exp2_wait)
      for (int i = 0; i < steps; i++) x = exp2f(-x);
    if (fabsf(found[t] - x) <= 1e-6f) continue;
    return refuse(why, "thread %d has %.7g and should have %.7g", t, found[t],
                  x);
  }
  return true;
}

const floor_family floor_steps = {steps_bytes, steps_bytes, fill_steps,
                                  verify_steps};
