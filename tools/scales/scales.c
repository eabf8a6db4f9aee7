/* What scales, means and a rotation are worth: the error of attention's output
 * where Q, K and V have gone through E4M3 in several ways.
 *   scales FOLDER [ROWS]     writes FOLDER/scales.json, of 512 rows or ROWS
 * Against attention in double on the numbers as they were, root of mean square
 * over that of the output: of all heads together (the root of their mean
 * square), and of the worst. `inputs` has exact arithmetic on the codes; `p`
 * has P rounded to E4M3 as well, and O to fp16. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/judge.h"
#include "common/harness/numbers.h"
#include "common/harness/program.h"
#include "common/harness/results.h"
#include "tools/scales/scales.h"

enum { HEADS = 12, HEAD_DIM = 64, MOST_ROWS = 4096 };

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
                                 .seq_len = rows, .head_dim = HEAD_DIM,
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

/* One head's squares, summed over rows and columns. */
static double relative(const double *right, const double *got,
                       const float *rounded, const float *added,
                       int64_t rows) {
  double error = 0.0, size = 0.0;
  for (int64_t i = 0; i < rows * HEAD_DIM; i++) {
    const double value = (got ? got[i] : rounded[i]) + added[i % HEAD_DIM];
    error += (value - right[i]) * (value - right[i]);
    size += right[i] * right[i];
  }
  return sqrt(error / size);
}

static json_t *errors_json(const double *right, const double *got,
                           const float *rounded, const float *v_mean,
                           int64_t rows) {
  double squares = 0.0, worst = 0.0;
  for (int64_t h = 0; h < HEADS; h++) {
    const int64_t at = h * rows * HEAD_DIM;
    const double error =
        relative(right + at, got ? got + at : NULL,
                 rounded ? rounded + at : NULL, v_mean + h * HEAD_DIM, rows);
    squares += error * error / HEADS;
    worst = fmax(worst, error);
  }
  return json_pack("{s:f, s:f}", "all", sqrt(squares), "worst", worst);
}

/* One scheme on one input. NULL with one sentence if memory is short. */
static json_t *measure(const scheme *s, const problem *p,
                       const references *right, problem *as, reason *why) {
  references r;
  float v_mean[HEADS * HEAD_DIM];
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
    json_object_set_new(f->channels, inputs[which].name, channels_json(&p));
  if (good) json_object_set_new(f->sinks, inputs[which].name, sink_json(&p));
  for (int i = 0; i < scheme_count && good; i++) {
    json_t *errors = measure(&schemes[i], &p, &right, &as, why);
    json_t *of_scheme = json_object_get(f->schemes, schemes[i].name);
    good = errors != NULL;
    if (!of_scheme) {
      of_scheme = json_object();
      json_object_set_new(f->schemes, schemes[i].name, of_scheme);
    }
    if (errors) json_object_set_new(of_scheme, inputs[which].name, errors);
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
