#include "common/harness/judge/gates.h"

#include <math.h>
#include <stdlib.h>

#include "common/harness/formats/half.h"
#include "common/harness/judge/quantise_check.h"
#include "common/harness/problem/settings.h"

const char *gate_name(gate g) {
  static const char *const names[GATE_COUNT] = {
      "finite",  "max_abs_err", "mean_abs_err",
      "pct_bad", "rel_rms",     "signed_mean"};
  return names[g];
}

/* And not NaN where that is right. */
static double count_not_finite(const uint16_t *o, size_t elements,
                               const references *r) {
  int64_t bad = 0;
#pragma omp parallel for reduction(+ : bad)
  for (size_t i = 0; i < elements; i++) bad += (o[i] & 0x7C00) == 0x7C00;
  for (int64_t i = 0; i < r->count * r->head_dim; i++) {
    const int64_t row = r->row[i / r->head_dim];
    if (isnan(r->quantised[i]))
      bad += (o[row * r->head_dim + i % r->head_dim] & 0x7FFF) > 0x7C00 ? -1
                                                                        : 1;
  }
  return (double)bad;
}

/* Error against the unquantised inputs, of the kernel or of the format. */
typedef struct {
  double largest, sum, bad;
} absolute_error;

/* Written so that NaN is carried along and counted, never lost. */
static void add_error(absolute_error *a, double error, double limit) {
  if (!isnan(a->largest) && !(error <= a->largest)) a->largest = error;
  a->sum += error;
  a->bad += !(error <= limit);
}

static void put_figures(double *figure, const absolute_error *a,
                        double values) {
  figure[GATE_MAX_ABS_ERR] = a->largest;
  figure[GATE_MEAN_ABS_ERR] = a->sum / values;
  figure[GATE_PCT_BAD] = 100.0 * a->bad / values;
}

/* Against the unquantised inputs: what a user sees. */
static void judge_absolute(gates_result *g, const uint16_t *o,
                           const references *r, const settings *s) {
  absolute_error kernel = {0}, codes = {0}, rounded = {0};
  for (int64_t i = 0; i < r->count; i++)
    for (int64_t c = 0; c < r->head_dim; c++) {
      const double exact = r->exact[i * r->head_dim + c];
      if (isnan(exact)) continue;
      const double value = half_decode(o[r->row[i] * r->head_dim + c]);
      const double right = r->quantised[i * r->head_dim + c];
      add_error(&kernel, fabs(value - exact), s->max_abs_err);
      const double same = r->same[i * r->head_dim + c];
      add_error(&codes, fabs(right - exact), s->max_abs_err);
      add_error(&rounded, fabs(same - exact), s->max_abs_err);
    }
  const double values = (double)(r->count * r->head_dim);
  put_figures(g->figure, &kernel, values);
  double of_rounded[GATE_COUNT];
  put_figures(g->format, &codes, values);
  put_figures(of_rounded, &rounded, values);
  for (int i = GATE_MAX_ABS_ERR; i <= GATE_PCT_BAD; i++)
    g->format[i] = fmax(g->format[i], of_rounded[i]);
}

/* The sums over one head that its relative RMS is made of. */
typedef struct {
  double error, same, reference; /* squared */
} head_squares;

static double relative_rms(double squared_error, double squared_reference) {
  if (squared_error == 0.0) return 0.0;
  return sqrt(squared_error / squared_reference);
}

/* Head by head, so that a large head cannot hide what happens in a small one.
 * The figure and the limit are those of the head with the largest quotient. */
static void judge_rms(gates_result *g, const head_squares *squares,
                      int64_t heads, const settings *s) {
  double worst = -1.0;
  for (int64_t h = 0; h < heads; h++) {
    const head_squares *q = &squares[h];
    const double figure = relative_rms(q->error, q->reference);
    const double limit =
        s->rel_rms_ratio * relative_rms(q->same, q->reference);
    const double quotient = figure == 0.0 ? 0.0 : figure / limit;
    if (isnan(worst) || quotient <= worst) continue;
    worst = quotient;
    g->figure[GATE_REL_RMS] = figure;
    g->limit[GATE_REL_RMS] = limit;
  }
}

/* Sums of groups of errors, and what they say about the sum of all. */
typedef struct {
  double sum, squares;
  int64_t count;
} groups;

static void add_group(groups *g, double sum) {
  g->sum += sum;
  g->squares += sum * sum;
  g->count++;
}

/* The standard error of the sum of all groups, if the groups are independent
 * and the errors within one are not. */
static double noise_of_sum(const groups *g) {
  if (g->count < 2) return 0.0;
  const double count = (double)g->count;
  const double scatter = g->squares - g->sum * g->sum / count;
  return sqrt(fmax(scatter, 0.0) * count / (count - 1.0));
}

/* Against the kernel's own inputs: rounding, and nothing else. Errors share
 * causes within a column of a head (a value of V that happens to round down)
 * and within a row (its probabilities; with constant rows, everything), so the
 * noise of their mean is the larger of what columns and rows give. */
static bool judge_relative(gates_result *g, const uint16_t *o,
                           const references *r, const problem *p,
                           const settings *s) {
  const int64_t d = r->head_dim, heads = p->shape.batch * p->shape.heads;
  head_squares *squares = calloc((size_t)heads, sizeof *squares);
  double *column = calloc((size_t)(heads * d), sizeof *column);
  if (!squares || !column) {
    free(squares);
    free(column);
    return false;
  }
  groups rows = {0}, columns = {0};
  double sum_same = 0.0;
  for (int64_t i = 0; i < r->count; i++) {
    const int64_t head = r->row[i] / p->shape.seq_len;
    double row = 0.0;
    for (int64_t c = 0; c < d; c++) {
      const double right = r->quantised[i * d + c];
      if (isnan(right)) continue;
      const double error = half_decode(o[r->row[i] * d + c]) - right;
      const double same = (double)r->same[i * d + c] - right;
      squares[head].error += error * error;
      squares[head].same += same * same;
      squares[head].reference += right * right;
      row += error;
      column[head * d + c] += error;
      sum_same += same;
    }
    add_group(&rows, row);
  }
  /* The sample has equally many rows of every head. */
  for (int64_t i = 0; i < heads * d; i++) add_group(&columns, column[i]);
  judge_rms(g, squares, heads, s);
  const double values = (double)(r->count * d);
  const double noise = fmax(noise_of_sum(&rows), noise_of_sum(&columns));
  g->figure[GATE_SIGNED_MEAN] = fabs(rows.sum) / values;
  g->limit[GATE_SIGNED_MEAN] =
      (2.0 * fabs(sum_same) + s->signed_mean_sigmas * noise) / values;
  free(squares);
  free(column);
  return true;
}

bool gates_judge(gates_result *g, const uint16_t *o, const problem *p,
                 const references *r) {
  const settings *s = settings_get();
  *g = (gates_result){0};
  g->figure[GATE_FINITE] =
      count_not_finite(o, attention_shape_elements(&p->shape), r);
  g->limit[GATE_MAX_ABS_ERR] = s->max_abs_err;
  g->limit[GATE_MEAN_ABS_ERR] = s->mean_abs_err;
  g->limit[GATE_PCT_BAD] = s->pct_bad;
  judge_absolute(g, o, r, s);
  if (!judge_relative(g, o, r, p, s)) return false;
  for (int i = 0; i < GATE_COUNT; i++) {
    const bool absolute =
        i == GATE_MAX_ABS_ERR || i == GATE_MEAN_ABS_ERR || i == GATE_PCT_BAD;
    const double room = s->absolute_room * g->limit[i];
    if (absolute && p->distribution != NORMAL) continue;
    if (absolute && g->format[i] > room && problem_is_well_quantised(p))
      continue;
    /* A comparison with NaN is false, so NaN fails; infinity must fail even
     * where the limit is infinite too. */
    const bool good = isfinite(g->figure[i]) && g->figure[i] <= g->limit[i];
    g->verdict[i] = good ? PASSED : FAILED;
  }
  return true;
}

bool gates_passed(const gates_result *g) {
  bool judged = false;
  for (int i = 0; i < GATE_COUNT; i++) {
    if (g->verdict[i] == FAILED) return false;
    judged = judged || g->verdict[i] == PASSED;
  }
  return judged;
}
