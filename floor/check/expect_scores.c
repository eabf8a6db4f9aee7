/* Exponentials, scores and waits, in plain C. */

#include <math.h>
#include <stdio.h>

#include "common/harness/numbers.h"
#include "floor/items.h"

enum { SEED = 6 };

/* From 0 to 1, without the ends. */
static float fraction(uint64_t stream, uint64_t index) {
  return ((float)(random_bits(SEED, stream, index) >> 48) + 0.5f) / 65536.0f;
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
                    ? random_normal(SEED, 1, i) - 1.0f
                    : -0.5f * (float)(random_bits(SEED, 1, i) % 8);
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
