#include "common/harness/gates.h"

#include <math.h>
#include <stdlib.h>

#include "common/harness/half.h"
#include "common/harness/settings.h"

const char *gate_name(gate g) {
  static const char *const names[GATE_COUNT] = {
      "finite",  "max_abs_err", "mean_abs_err",
      "pct_bad", "rel_rms",     "signed_mean"};
  return names[g];
}

static double count_not_finite(const uint16_t *o, size_t elements) {
  int64_t bad = 0;
#pragma omp parallel for reduction(+ : bad)
  for (size_t i = 0; i < elements; i++) bad += (o[i] & 0x7C00) == 0x7C00;
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
  absolute_error kernel = {0}, format = {0};
  for (int64_t i = 0; i < r->count; i++)
    for (int64_t c = 0; c < r->head_dim; c++) {
      const double exact = r->exact[i * r->head_dim + c];
      const double value = half_decode(o[r->row[i] * r->head_dim + c]);
      const double right = r->quantised[i * r->head_dim + c];
      add_error(&kernel, fabs(value - exact), s->max_abs_err);
      add_error(&format, fabs(right - exact), s->max_abs_err);
    }
  const double values = (double)(r->count * r->head_dim);
  put_figures(g->figure, &kernel, values);
  put_figures(g->format, &format, values);
}

static double relative_rms(double squared_error, double squared_reference) {
  if (squared_error == 0.0) return 0.0;
  return sqrt(squared_error / squared_reference);
}

/* The errors of one column of one head share their causes (a value that
 * happens to round down does so in every row), so a column is one observation:
 * the noise of the mean is the deviation of the columns' means over the root of
 * their number. `columns` holds the sums, [heads][D]. */
static double noise_of_mean(const double *columns, const int64_t *rows,
                            int64_t heads, int64_t d, double mean) {
  const int64_t count = heads * d;
  if (count < 2) return 0.0;
  double squares = 0.0, weight = 0.0;
  for (int64_t i = 0; i < count; i++) weight += (double)rows[i / d];
  for (int64_t i = 0; i < count; i++) {
    const double off = columns[i] - mean * (double)rows[i / d];
    squares += off * off;
  }
  return sqrt(squares * (double)count / (double)(count - 1)) / weight;
}

/* Against the kernel's own inputs: rounding, and nothing else. */
static bool judge_relative(gates_result *g, const uint16_t *o,
                           const references *r, const problem *p,
                           const settings *s) {
  const int64_t d = r->head_dim, heads = p->shape.batch * p->shape.heads;
  double *columns = calloc((size_t)(heads * d), sizeof *columns);
  int64_t *rows = calloc((size_t)heads, sizeof *rows);
  if (!columns || !rows) {
    free(columns);
    free(rows);
    return false;
  }
  double squared = 0.0, squared_same = 0.0, squared_reference = 0.0;
  double sum = 0.0, sum_same = 0.0;
  for (int64_t i = 0; i < r->count; i++) {
    const int64_t head = r->row[i] / p->shape.seq_len;
    rows[head]++;
    for (int64_t c = 0; c < d; c++) {
      const double right = r->quantised[i * d + c];
      const double error = half_decode(o[r->row[i] * d + c]) - right;
      const double same = (double)r->same[i * d + c] - right;
      squared += error * error;
      squared_same += same * same;
      squared_reference += right * right;
      sum += error;
      sum_same += same;
      columns[head * d + c] += error;
    }
  }
  const double values = (double)(r->count * d), mean = sum / values;
  g->figure[GATE_REL_RMS] = relative_rms(squared, squared_reference);
  g->limit[GATE_REL_RMS] =
      s->rel_rms_ratio * relative_rms(squared_same, squared_reference);
  g->figure[GATE_SIGNED_MEAN] = fabs(mean);
  g->limit[GATE_SIGNED_MEAN] =
      2.0 * fabs(sum_same / values) +
      s->signed_mean_sigmas * noise_of_mean(columns, rows, heads, d, mean);
  free(columns);
  free(rows);
  return true;
}

bool gates_judge(gates_result *g, const uint16_t *o, const problem *p,
                 const references *r) {
  const settings *s = settings_get();
  *g = (gates_result){0};
  g->figure[GATE_FINITE] =
      count_not_finite(o, attention_shape_elements(&p->shape));
  g->limit[GATE_MAX_ABS_ERR] = s->max_abs_err;
  g->limit[GATE_MEAN_ABS_ERR] = s->mean_abs_err;
  g->limit[GATE_PCT_BAD] = s->pct_bad;
  judge_absolute(g, o, r, s);
  if (!judge_relative(g, o, r, p, s)) return false;
  for (int i = 0; i < GATE_COUNT; i++) {
    const bool absolute =
        i == GATE_MAX_ABS_ERR || i == GATE_MEAN_ABS_ERR || i == GATE_PCT_BAD;
    const double room = s->absolute_room * g->limit[i];
    if (absolute && (p->distribution != NORMAL || g->format[i] > room))
      continue;
    /* A comparison with NaN is false, so NaN fails. */
    g->verdict[i] = g->figure[i] <= g->limit[i] ? PASSED : FAILED;
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
