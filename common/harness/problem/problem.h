#ifndef PROBLEM_H
#define PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  int64_t batch, heads, seq_len, head_dim; /* B, H, S, D */
  int64_t kv_heads; /* H_kv, divides H: H / H_kv heads share one of K and V */
  bool causal;      /* key j takes part in row i only where j <= i */
} attention_shape;

typedef enum {
  NORMAL,         /* every element N(0, 1) */
  LARGE_LOGITS,   /* Q and K 8 times larger: softmax nearly picks one key */
  DOMINANT_KEY,   /* one key of each head is parallel to all its queries */
  CONSTANT_ROWS,  /* all elements of a row are equal */
  MIXED_SCALES,   /* heads whose magnitudes differ by a factor of 1000 */
  ZERO_HEAD,      /* every second head is all zeros */
  ASKED_FOR_ONLY, /* those from here on */
  OFFSET_VALUES = ASKED_FOR_ONLY, /* V around 4, so that sums of it are long */
  DISTRIBUTION_COUNT
} distribution;

/* Inputs, as the user has them and as the kernel gets them. */
typedef struct {
  attention_shape shape;
  distribution distribution;
  uint64_t seed;
  double softmax_scale;                   /* 1 / sqrt(D) */
  float *q, *k, *v;                       /* [B][H][S][D], K, V [B][H_kv] */
  uint8_t *q_codes, *k_codes, *v_codes;   /* the same in E4M3 */
  float *q_scale, *k_scale, *v_scale;     /* one a head: amax / 448 or 1 */
} problem;

/* Reads a name of settings.json, "B,H,S,D" or "B,H:H_kv,S,D"; a causal mask is
 * a ",causal" behind the numbers. On failure returns false with one sentence.
 * Whether a stage takes the shape is stage_takes_shape's to say. */
bool attention_shape_parse(attention_shape *shape, const char *text, char *why,
                           size_t why_size);

size_t attention_shape_elements(const attention_shape *shape); /* of Q, and O */
size_t attention_shape_kv_elements(const attention_shape *shape); /* of K */

/* The K/V head of a head; both are counted through the batches. */
int64_t attention_shape_kv_head(const attention_shape *shape, int64_t head);

/* Operations of both products, as the field counts them: 4 B H S S D, and half
 * of that under a causal mask. */
double attention_shape_flops(const attention_shape *shape);

size_t attention_shape_host_bytes(const attention_shape *shape);
size_t attention_shape_device_bytes(const attention_shape *shape);

const char *distribution_name(distribution d);

/* DISTRIBUTION_COUNT if there is no such name. */
distribution distribution_parse(const char *name);

/* The same shape, distribution and seed give the same inputs on every machine
 * and with any number of threads. The shape must come from
 * attention_shape_parse. Returns false with one sentence if memory is short. */
bool problem_new(problem *p, const attention_shape *shape,
                 distribution distribution, uint64_t seed, char *why,
                 size_t why_size);
void problem_free(problem *p);

/* The normal distribution with the deviation `factor` in place of 1. */
bool problem_new_scaled(problem *p, const attention_shape *shape, float factor,
                        uint64_t seed, char *why, size_t why_size);

/* Quantises one head: fills `codes` and returns the scale. `count` values. */
float quantise_head(const float *values, uint8_t *codes, size_t count);

/* True if every scale is amax / 448, or 1, and no code has a nearer neighbour.
 * Looks at the values of the codes only, so that it can judge the encoder. */
bool problem_is_well_quantised(const problem *p);

#endif
