#include "floor/run.h"

#include <math.h>
#include <stdlib.h>

#include "common/harness/numbers.h"
#include "common/harness/problem.h"

/* What each kernel should leave, in plain C. */

#pragma GCC diagnostic ignored "-Wunused-parameter"

enum { A_ROWS = 64, A_BYTES = A_ROWS * PRODUCT_DEPTH, SEED = 5,
       OTHER_SEED = 6 };

/* EXACT: -1, -0.5, 0, 0.5 or 1: sums of their products are exact in 13 bits. */
static float number(floor_inputs inputs, uint64_t stream, uint64_t index) {
  if (inputs == ZEROS) return 0.0f;
  if (inputs == RANDOM) return random_normal(SEED, stream, index);
  return (float)(random_bits(SEED, stream, index) % 5) * 0.5f - 1.0f;
}

/* Rows of codes, quantised together as a head of attention is. */
static void fill_codes(uint8_t *codes, size_t count, uint64_t stream,
                       floor_inputs inputs) {
  float *values = floor_memory(count * sizeof *values);
  for (size_t i = 0; i < count; i++) {
    values[i] = number(inputs, stream, i);
    codes[i] = e4m3_encode(values[i]);
  }
  if (inputs == RANDOM) quantise_head(values, codes, count);
  free(values);
}

static void fill_products(const floor_item *item, void *in, int blocks,
                          floor_inputs inputs) {
  fill_codes(in, A_BYTES, 0, inputs);
  fill_codes((uint8_t *)in + A_BYTES, PRODUCTS_IN - A_BYTES, 1, inputs);
}

static float product_of_codes(const floor_item *item, const void *in, int row,
                              int column) {
  const uint8_t *a = (const uint8_t *)in + row * PRODUCT_DEPTH;
  const uint8_t *b = (const uint8_t *)in + A_BYTES + column * PRODUCT_DEPTH;
  float sum = 0.0f;
  for (int k = 0; k < item->depth; k++)
    sum += e4m3_decode(a[k]) * e4m3_decode(b[k]);
  return sum;
}

/* Register i of a thread's C is this row and column, of `rows`: see wgmma.cuh
 * and mma.cuh. */
static bool verify_registers(const floor_item *item, int threads, int rows,
                             float (*right)(const floor_item *, const void *,
                                            int, int),
                             int times, const void *in, const float *out,
                             reason *why) {
  for (int thread = 0; thread < threads; thread++)
    for (int i = 0; i < item->n / 2; i++) {
      const int lane = thread % 32;
      const int row = thread / 32 * 16 % rows + lane / 4 + i / 2 % 2 * 8;
      const int column = i / 4 * 8 + lane % 4 * 2 + i % 2;
      const float wanted = (float)times * right(item, in, row, column);
      const float found = *out++;
      if (found == wanted) continue;
      return refuse(why, "row %d, column %d is %g and should be %g", row,
                    column, found, wanted);
    }
  return true;
}

static bool verify_products(const floor_item *item, const floor_call *call,
                            const void *in, const void *out, reason *why) {
  return verify_registers(item, 128 * call->blocks, A_ROWS, product_of_codes,
                          call->rounds * item->repeats, in, out, why);
}

const floor_family floor_products = {fill_products, verify_products};

/* ---- halves: A[16][16], B[64][16] ---- */

enum { HALF_K = 16, HALF_ROWS = 16 };

static void fill_halves(const floor_item *item, void *in, int blocks,
                        floor_inputs inputs) {
  for (uint64_t i = 0; i < HALVES_IN / 2; i++)
    ((uint16_t *)in)[i] = half_encode(number(inputs, 2, i));
}

static float product_of_halves(const floor_item *item, const void *in, int row,
                               int column) {
  const uint16_t *a = in, *b = a + HALF_ROWS * HALF_K;
  float sum = 0.0f;
  for (int k = 0; k < HALF_K; k++)
    sum += half_decode(a[row * HALF_K + k]) *
           half_decode(b[column * HALF_K + k]);
  return sum;
}

static bool verify_halves(const floor_item *item, const floor_call *call,
                          const void *in, const void *out, reason *why) {
  return verify_registers(item, call->blocks * item->threads, HALF_ROWS,
                          product_of_halves, call->rounds, in, out, why);
}

const floor_family floor_half_products = {fill_halves, verify_halves};

/* ---- products beside scores ---- */

enum { GROUPS = (BESIDE_THREADS - 128) / 128 };

static void fill_besides(const floor_item *item, void *in, int blocks,
                         floor_inputs inputs) {
  fill_products(item, in, blocks, inputs);
  for (int i = 0; i < GROUPS; i++)
    floor_scores.fill(item, (uint8_t *)in + PRODUCTS_IN + i * SCORES_IN, 1,
                      inputs);
}

static bool verify_besides(const floor_item *item, const floor_call *call,
                           const void *in, const void *out, reason *why) {
  const uint8_t *scores = (const uint8_t *)in + PRODUCTS_IN, *at = out;
  floor_call one = *call;
  one.blocks = 1;
  for (int block = 0; block < call->blocks; block++, at += item->out) {
    for (int i = 0; i < GROUPS; i++)
      if (!floor_scores.verify(item, &one, scores + i * SCORES_IN,
                               at + i * SCORES_OUT, why))
        return false;
    if (!verify_registers(item, 128, A_ROWS, product_of_codes,
                          (int)call->count * item->repeats, in,
                          (const float *)(at + GROUPS * SCORES_OUT), why))
      return false;
  }
  return true;
}

const floor_family floor_besides = {fill_besides, verify_besides};

/* ---- exponentials, scores and waits ---- */

/* From 0 to 1, without the ends. */
static float fraction(uint64_t stream, uint64_t index) {
  const float bits = (float)(random_bits(OTHER_SEED, stream, index) >> 48);
  return (bits + 0.5f) / 65536.0f;
}

/* ---- x becomes 2^-x, in floats, or in pairs of halves where item->n is 2 */

static void fill_exponentials(const floor_item *item, void *in, int blocks,
                              floor_inputs inputs) {
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

const floor_family floor_exponentials = {fill_exponentials,
                                         verify_exponentials};

/* ---- what softmax does with a score ---- */

/* Exact: halves from -3.5 to 0, so that 2^(2 s) and 2^(2 s - 1) are powers of
 * two that E4M3 has. */
static void fill_scores(const floor_item *item, void *in, int blocks,
                        floor_inputs inputs) {
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

const floor_family floor_scores = {fill_scores, verify_scores};

/* ---- waits: a float a thread ---- */

static void fill_steps(const floor_item *item, void *in, int blocks,
                       floor_inputs inputs) {
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

const floor_family floor_steps = {fill_steps, verify_steps};
