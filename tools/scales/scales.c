/* What scales, means and a rotation are worth: the error of attention's output
 * where Q, K and V have gone through E4M3 in several ways.
 *   scales FOLDER [ROWS]     writes FOLDER/scales.json, of 512 rows or ROWS
 * Against attention in double on the numbers as they were, root of mean square
 * over that of the output: of all heads together (the root of their mean
 * square), and of the worst. `inputs` has exact arithmetic on the codes; `p`
 * has P rounded to E4M3 as well, and O to fp16. Beside them: what the channels
 * look like, and which key gets the most weight. */

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/judge/judge.h"
#include "common/harness/numbers.h"
#include "common/harness/program.h"
#include "common/harness/results.h"

enum { HEADS = 12, D = 64, MOST_ROWS = 4096, BLOCK_ROWS = 64 };

/* ---- the inputs ---- */

/* As the paper on FlashAttention-3 has them, section 4.3: one number in a
 * thousand gets another one that is ten times as large. */
static void add_outliers(float *values, size_t count, uint64_t stream) {
  for (size_t i = 0; i < count; i++)
    if (random_bits(0, stream, i) % 1000 == 0)
      values[i] += 10.0f * random_normal(1, stream, i);
}

static const struct {
  const char *name;
  distribution distribution;
  uint64_t seed;
  bool outliers;
} inputs[] = {{"normal", NORMAL, 0, false},
              {"outliers", NORMAL, 0, true},
              {"offset", OFFSET_VALUES, 0, false},
              {"real_1", REAL, 0, false},
              {"real_5", REAL, 1, false}};
enum { INPUTS = sizeof inputs / sizeof *inputs };

static bool inputs_new(problem *p, int which, int64_t rows, reason *why) {
  const attention_shape shape = {.batch = 1, .heads = HEADS,
                                 .seq_len = rows, .head_dim = D,
                                 .kv_heads = HEADS};
  if (!problem_new(p, &shape, inputs[which].distribution, inputs[which].seed,
                   why))
    return false;
  const size_t count = attention_shape_elements(&shape);
  if (inputs[which].outliers) {
    add_outliers(p->q, count, 3);
    add_outliers(p->k, count, 4);
    add_outliers(p->v, count, 5);
  }
  return true;
}

/* ---- what they look like ---- */

static double square_sum(const float *values, int64_t count) {
  double sum = 0.0;
  for (int64_t i = 0; i < count; i++) sum += (double)values[i] * values[i];
  return sum;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The median, the highest but a tenth, and the highest. */
static json_t *places(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, ascending);
  return json_pack("{s:f, s:f, s:f}", "median", values[count / 2], "tenth",
                   values[count - 1 - count / 10], "largest",
                   values[count - 1]);
}

/* Of all channels, columns of one head, with another number than 0:
 *   mean     |mean| over the deviation from it
 *   outlier  the largest number over the root of the mean square of its head */
static json_t *channels_json(const float *values, int64_t rows) {
  double means[HEADS * D], outliers[HEADS * D];
  int count = 0;
  for (int h = 0; h < HEADS; h++) {
    const float *head = values + h * rows * D;
    int64_t used = 0;
    for (int64_t i = 0; i < rows * D; i++) used += head[i] != 0.0f;
    const double rms = sqrt(square_sum(head, rows * D) / (double)used);
    for (int c = 0; c < D; c++) {
      double sum = 0.0, squares = 0.0, largest = 0.0;
      for (int64_t r = 0; r < rows; r++) {
        const double x = head[r * D + c];
        sum += x;
        squares += x * x;
        largest = fmax(largest, fabs(x));
      }
      if (largest == 0.0) continue;
      const double mean = sum / (double)rows;
      means[count] = fabs(mean) / sqrt(squares / (double)rows - mean * mean);
      outliers[count++] = largest / rms;
    }
  }
  return json_pack("{s:o, s:o}", "mean", places(means, count), "outlier",
                   places(outliers, count));
}

/* The key that gets the most weight, all heads and rows together, and its place
 * among the rows: {"key", "weight": its mean share of a row's weight, "value":
 * the length of its row of V over the mean length of a row, averaged over
 * heads}. */
static json_t *sink_json(const problem *p) {
  const int64_t rows = p->shape.seq_len;
  double weight[MOST_ROWS] = {0}, row[MOST_ROWS], value = 0.0;
  int64_t sink = 0;
  for (int64_t i = 0; i < HEADS * rows; i++) {
    const float *k = p->k + i / rows * rows * D;
    double top = -INFINITY, sum = 0.0;
    for (int64_t n = 0; n < rows; n++) {
      row[n] = 0.0;
      for (int c = 0; c < D; c++)
        row[n] += (double)p->q[i * D + c] * k[n * D + c];
      row[n] *= p->softmax_scale;
      top = fmax(top, row[n]);
    }
    for (int64_t n = 0; n < rows; n++) sum += row[n] = exp(row[n] - top);
    for (int64_t n = 0; n < rows; n++) weight[n] += row[n] / sum;
  }
  for (int64_t n = 0; n < rows; n++)
    if (weight[n] > weight[sink]) sink = n;
  for (int h = 0; h < HEADS; h++) {
    const float *v = p->v + h * rows * D;
    double mean = 0.0;
    for (int64_t n = 0; n < rows; n++)
      mean += sqrt(square_sum(v + n * D, D)) / (double)rows;
    value += sqrt(square_sum(v + sink * D, D)) / mean / (double)HEADS;
  }
  return json_pack("{s:I, s:f, s:f}", "key", (json_int_t)sink, "weight",
                   weight[sink] / (double)(HEADS * rows), "value", value);
}

/* ---- the ways from numbers to E4M3, and back ---- */

typedef enum { ONE_A_TENSOR, ONE_A_HEAD, ONE_A_BLOCK, NO_CODES } scale_reach;

typedef struct {
  const char *name;
  scale_reach reach; /* NO_CODES: bf16 takes the place of E4M3 */
  bool k_mean;       /* each channel's mean is taken out of K: it adds the same
                        to all scores of a row, and softmax does not see it */
  bool v_mean;       /* and out of V: rows of P sum to 1, so it is added to O */
  bool rotated;      /* Q and K times one orthogonal matrix, whose product with
                        itself falls out of Q K^T */
} scheme;

static const scheme schemes[] = {
    {"bf16", NO_CODES, false, false, false},
    {"tensor", ONE_A_TENSOR, false, false, false},
    {"head", ONE_A_HEAD, false, false, false},
    {"block", ONE_A_BLOCK, false, false, false},
    {"k_mean", ONE_A_HEAD, true, false, false},
    {"v_mean", ONE_A_HEAD, false, true, false},
    {"rotated", ONE_A_HEAD, false, false, true},
    {"means", ONE_A_HEAD, true, true, false},
    {"all", ONE_A_HEAD, true, true, true},
    {"block_all", ONE_A_BLOCK, true, true, true},
};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

/* Rounds to bfloat16, ties to even. Not for NaN. */
static float bf16(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* A row times a Hadamard matrix with signs drawn for its rows, over sqrt(D). */
static void rotate(float *row) {
  for (int c = 0; c < D; c++)
    if (random_bits(0, 0, (uint64_t)c) & 1) row[c] = -row[c];
  for (int half = 1; half < D; half *= 2)
    for (int c = 0; c < D; c++)
      if (!(c & half)) {
        const float sum = row[c] + row[c + half];
        row[c + half] = row[c] - row[c + half];
        row[c] = sum;
      }
  for (int c = 0; c < D; c++) row[c] /= sqrtf(D);
}

static void take_mean_out(float *head, int64_t rows, float *mean) {
  for (int c = 0; c < D; c++) {
    double sum = 0.0;
    for (int64_t r = 0; r < rows; r++) sum += head[r * D + c];
    mean[c] = (float)(sum / (double)rows);
    for (int64_t r = 0; r < rows; r++) head[r * D + c] -= mean[c];
  }
}

static float scale_of(const float *values, int64_t count) {
  float amax = 0.0f;
  for (int64_t i = 0; i < count; i++) amax = fmaxf(amax, fabsf(values[i]));
  return amax > 0.0f ? amax / E4M3_MAX : 1.0f;
}

/* Numbers become what their codes say. */
static void quantise(float *values, uint8_t *codes, float *scales, int64_t rows,
                     scale_reach reach) {
  const int64_t in_head = rows * D;
  const int64_t block = reach == ONE_A_BLOCK ? BLOCK_ROWS * D : in_head;
  const float of_all = scale_of(values, HEADS * in_head);
  for (int64_t at = 0, count; at < HEADS * in_head; at += count) {
    const int64_t left = in_head - at % in_head;
    count = left < block ? left : block;
    const float scale =
        reach == ONE_A_TENSOR ? of_all : scale_of(values + at, count);
    scales[at / in_head] = scale;
    for (int64_t i = at; i < at + count; i++) {
      codes[i] = e4m3_encode(values[i] / scale);
      values[i] = reach == NO_CODES ? bf16(values[i])
                                    : scale * e4m3_decode(codes[i]);
    }
  }
}

/* What a kernel makes of the numbers in `of`: q, k and v of `as`, of the same
 * shape, become the values of the codes. */
static void scheme_apply(const scheme *s, const problem *of, problem *as,
                         float v_mean[HEADS * D]) {
  const int64_t rows = of->shape.seq_len, in_head = rows * D;
  const float *from[] = {of->q, of->k, of->v};
  float *to[] = {as->q, as->k, as->v};
  float *scales[] = {as->q_scale, as->k_scale, as->v_scale};
  uint8_t *codes[] = {as->q_codes, as->k_codes, as->v_codes};
  memset(v_mean, 0, HEADS * D * sizeof *v_mean);
  for (int i = 0; i < 3; i++) {
    memcpy(to[i], from[i], (size_t)(HEADS * in_head) * sizeof *to[i]);
    for (int h = 0; h < HEADS; h++) {
      float *head = to[i] + h * in_head, k_mean[D];
      if (i == 1 && s->k_mean) take_mean_out(head, rows, k_mean);
      if (i == 2 && s->v_mean) take_mean_out(head, rows, v_mean + h * D);
      for (int64_t r = 0; r < rows && i < 2 && s->rotated; r++)
        rotate(head + r * D);
    }
    quantise(to[i], codes[i], scales[i], rows, s->reach);
  }
}

/* ---- what they cost ---- */

/* Of an output in double or, where that is NULL, in float. */
static json_t *errors_json(const double *right, const double *got,
                           const float *rounded, const float *v_mean,
                           int64_t rows) {
  double squares = 0.0, worst = 0.0;
  for (int64_t h = 0, i = 0; h < HEADS; h++) {
    double error = 0.0, size = 0.0;
    for (; i < (h + 1) * rows * D; i++) {
      const double value = (got ? got[i] : rounded[i]) + v_mean[h * D + i % D];
      error += (value - right[i]) * (value - right[i]);
      size += right[i] * right[i];
    }
    squares += error / size / HEADS;
    worst = fmax(worst, sqrt(error / size));
  }
  return json_pack("{s:f, s:f}", "all", sqrt(squares), "worst", worst);
}

/* One scheme on one input. NULL with one sentence if memory is short. */
static json_t *measure(const scheme *s, const problem *p,
                       const references *right, problem *as, reason *why) {
  references r;
  float v_mean[HEADS * D];
  scheme_apply(s, p, as, v_mean);
  if (!references_new(&r, as, P_E4M3, false, why)) return NULL;
  const int64_t rows = p->shape.seq_len;
  json_t *json = json_pack("{s:o}", "inputs", errors_json(right->exact, r.exact,
                                                          NULL, v_mean, rows));
  if (s->reach == ONE_A_TENSOR || s->reach == ONE_A_HEAD)
    json_object_set_new(json, "p", errors_json(right->exact, NULL, r.same,
                                               v_mean, rows));
  references_free(&r);
  return json;
}

typedef struct {
  json_t *schemes, *channels, *sinks; /* what is found, by input in each */
} findings;

static bool measure_all(findings *f, int which, int64_t rows, reason *why) {
  problem p, as = {0};
  references right = {0};
  bool good = inputs_new(&p, which, rows, why);
  if (!good) return false;
  good = inputs_new(&as, which, rows, why) &&
         references_new(&right, &p, P_E4M3, false, why);
  if (good && !right.complete)
    good = refuse(why, "%lld rows are too many to look at all.",
                  (long long)rows);
  if (good)
    json_object_set_new(f->channels, inputs[which].name, json_pack(
        "{s:o, s:o, s:o}", "q", channels_json(p.q, rows), "k",
        channels_json(p.k, rows), "v", channels_json(p.v, rows)));
  if (good) json_object_set_new(f->sinks, inputs[which].name, sink_json(&p));
  for (int i = 0; i < SCHEMES && good; i++) {
    json_t *errors = measure(&schemes[i], &p, &right, &as, why);
    good = errors != NULL;
    json_object_set_new(json_object_get(f->schemes, schemes[i].name),
                        inputs[which].name, errors);
  }
  references_free(&right);
  problem_free(&as);
  problem_free(&p);
  return good;
}

int main(int argc, char **argv) {
  reason why = {""};
  const long rows = argc > 2 ? strtol(argv[2], NULL, 10) : 512;
  if (argc < 2 || argc > 3 || rows < 1 || rows > MOST_ROWS)
    return give_up(NULL, EXIT_USAGE,
                   "Usage: scales FOLDER [ROWS], from 1 to 4096 rows.");
  findings f = {json_object(), json_object(), json_object()};
  for (int i = 0; i < SCHEMES; i++)
    json_object_set_new(f.schemes, schemes[i].name, json_object());
  bool good = results_ready(argv[1], "scales", &why);
  for (int i = 0; i < INPUTS && good; i++)
    good = measure_all(&f, i, rows, &why);
  json_t *json = json_pack(
      "{s:{s:i}, s:i, s:o, s:o, s:o}", "build_meta", "schema_version",
      RESULTS_SCHEMA, "rows", (int)rows, "schemes", f.schemes, "channels",
      f.channels, "sinks", f.sinks);
  good = good && results_write(json, argv[1], "scales", &why);
  json_decref(json);
  if (!good) return give_up("scales", EXIT_IMPOSSIBLE, why.text);
  printf("wrote %s/scales.json\n", argv[1]);
  return EXIT_PASS;
}
