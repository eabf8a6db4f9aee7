#include "further/stage18_ring/ring/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/numbers.h"

/* One number of 16 random bits: entry i is the code of the normal
 * distribution's quantile (i + 1/2) / 65536. */
enum { ENTRIES = 1 << 16 };

inputs inputs_of_problem(const problem *p) {
  return (inputs){.shape = p->shape, .whole = p, .seed = p->seed};
}

/* x with P(N(0, 1) < x) = share, by halving. */
static double quantile(double share) {
  double low = -6.0, high = 6.0;
  while (high - low > 1e-9) {
    const double middle = 0.5 * (low + high);
    if (0.5 * erfc(-middle / sqrt(2.0)) < share)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* What the largest of them, which gets the code of 448, is. */
static double largest(void) { return quantile((ENTRIES - 0.5) / ENTRIES); }

bool inputs_new(inputs *in, const attention_shape *shape, uint64_t seed,
                reason *why) {
  *in = (inputs){.shape = *shape, .seed = seed, .table = malloc(ENTRIES)};
  if (!in->table) return refuse(why, "Too little memory for the inputs.");
  const double unit = E4M3_MAX / largest();
#pragma omp parallel for
  for (int i = 0; i < ENTRIES; i++)
    in->table[i] = e4m3_encode((float)(unit * quantile((i + 0.5) / ENTRIES)));
  return true;
}

void inputs_free(inputs *in) {
  free(in->table);
  in->table = NULL;
}

void inputs_row(const inputs *in, int tensor, int64_t head, int64_t position,
                uint8_t *codes) {
  const int64_t d = in->shape.head_dim;
  const int64_t row = head * in->shape.seq_len + position;
  if (in->whole) {
    const uint8_t *const all[] = {in->whole->q_codes, in->whole->k_codes,
                                  in->whole->v_codes};
    memcpy(codes, all[tensor] + row * d, (size_t)d);
    return;
  }
  for (int64_t c = 0; c < d; c += 4) {
    const uint64_t bits = random_bits(in->seed, (uint64_t)tensor,
                                      (uint64_t)(row * d + c));
    for (int i = 0; i < 4; i++)
      codes[c + i] = in->table[bits >> 16 * i & (ENTRIES - 1)];
  }
}

/* Neighbouring heads get different scales: one of another head shows. */
float inputs_scale(const inputs *in, int tensor, int64_t head) {
  if (in->whole) {
    const float *const all[] = {in->whole->q_scale, in->whole->k_scale,
                                in->whole->v_scale};
    return all[tensor][head];
  }
  return (float)(largest() / E4M3_MAX * (1.0 + 0.125 * (double)(head % 3)));
}
