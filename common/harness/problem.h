#pragma once

#include "common/harness/numbers.h"
#include "common/harness/settings.h"

typedef struct {
  attention_shape shape;
  distribution distribution;
  uint64_t seed;
  double softmax_scale; /* the shape's; else 1 / sqrt(D), of REAL its own */
  float *q, *k, *v;     /* [B][H][S][D], K, V [B][H_kv][keys][D] */
  uint8_t *q_codes, *k_codes, *v_codes;   /* the same in E4M3 */
  float *q_scale, *k_scale, *v_scale;     /* one a head: amax / 448 or 1 */
} problem;

/* Where the problem has Q, K or V: 0, 1 and 2; and the rows of its heads, which
 * are counted through the batches. */
typedef struct {
  float **values;
  uint8_t **codes;
  float **scales;
  int64_t heads, rows;
} tensor_place;
enum { TENSOR_COUNT = 3 };
tensor_place problem_tensor(problem *p, int tensor);

/* But for the scales. */
size_t problem_bytes(const attention_shape *shape);

/* The same shape, distribution and seed give the same inputs on every machine
 * and with any number of threads. The shape must come from case_parse. */
bool problem_new(problem *p, const attention_shape *shape,
                 distribution distribution, uint64_t seed, reason *why);
void problem_free(problem *p);

/* A number that its scales draw, and so whoever has them; never 0. */
uint64_t problem_draw(const problem *p);

/* Fills one head's codes and returns its scale, for which what is not finite
 * does not count: it gets the code of NaN. */
float quantise_head(const float *values, uint8_t *codes, size_t count);

typedef struct {
  char name[96]; /* "mission", or "2,3,100,64" */
  attention_shape shape;
  distribution distribution;
  uint64_t seed;
  int multiprocessors; /* that the executor's device has for it; of race, 0:
                          all numbers of settings.json in turn */
  bool axis;           /* of settings.json's "axes" */
  const char *excuse;  /* why it is not run; NULL: it is */
} check_case;

typedef struct {
  check_case *cases;
  int count;
} case_list;

/* Q, K and V of a model's layers, recorded while it read a text: the file
 * common/tensors/minilm.qkv, of which common/tensors/README.md says more. A
 * line of text, 96 bytes with blanks at its end, says how many layers, heads,
 * rows and numbers a row there are, and has a checksum of what follows: fp16
 * numbers, the low byte first, [layer][q, k, v][head][row]. */
#define RECORDED_FILE "common/tensors/minilm.qkv"
