#include "common/harness/judge/judge.h"

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
    const double limit = s->rel_rms_ratio * relative_rms(q->same, q->reference);
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

/* Beside the codes 0 and 0x7E lies one of NaN, which is nearer to nothing. */
static bool nearest(float x, uint8_t code) {
  const uint8_t at = code & 0x7F;
  const double value = fabsf(x), off = fabs(e4m3_decode(at) - value);
  if (isnan(x)) return code == E4M3_NAN;
  if (at == E4M3_NAN || (at && (code & 0x80) != (x < 0.0f ? 0x80 : 0)))
    return false;
  return !(fabs(e4m3_decode((uint8_t)(at - 1)) - value) < off) &&
         !(fabs(e4m3_decode(at + 1) - value) < off);
}

static bool head_well_quantised(const float *values, const uint8_t *codes,
                                float scale, size_t count) {
  float amax = 0.0f;
  for (size_t i = 0; i < count; i++) amax = fmaxf(amax, fabsf(values[i]));
  if (scale != (amax > 0.0f ? amax / E4M3_MAX : 1.0f)) return false;
  for (size_t i = 0; i < count; i++)
    if (!nearest(values[i] / scale, codes[i])) return false;
  return true;
}

bool problem_is_well_quantised(const problem *p) {
  bool good = true;
  for (int t = 0; t < TENSOR_COUNT; t++) {
    const tensor_place of = problem_tensor((problem *)p, t);
    const size_t count = (size_t)(of.rows * p->shape.head_dim);
#pragma omp parallel for reduction(&& : good)
    for (int64_t head = 0; head < of.heads; head++)
      good = good && head_well_quantised(*of.values + (size_t)head * count,
                                         *of.codes + (size_t)head * count,
                                         (*of.scales)[head], count);
  }
  return good;
}

/* Where outputs are wrong: the first place, and which heads, rows and columns
 * have one. What is wrong somewhere in a row counts for the row. */

/* An error beyond so many times what rounding makes of this head is one. */
static const double FAR = 12.0;

typedef struct {
  const char *name;
  int64_t count;
  bool *looked, *wrong; /* [count] */
} axis;

static int64_t number_of(const axis *a, const bool *set) {
  int64_t sum = 0;
  for (int64_t i = 0; i < a->count; i++) sum += set[i];
  return sum;
}

/* Is what is wrong all whose number modulo `by` lies from `first` to `last`? */
static bool has_rhythm(const axis *a, int64_t by, int64_t *first,
                       int64_t *last) {
  bool of[32] = {false};
  for (int64_t i = 0; i < a->count; i++) of[i % by] |= a->wrong[i];
  for (*first = 0; !of[*first];) ++*first;
  for (*last = by - 1; !of[*last];) --*last;
  for (int64_t i = 0; i < a->count; i++) {
    const bool in = i % by >= *first && i % by <= *last;
    if (a->looked[i] && a->wrong[i] != in) return false;
  }
  return *last - *first < by - 1;
}

static void describe(const axis *a, char *text, size_t size) {
  const int64_t wrong = number_of(a, a->wrong);
  const int64_t looked = number_of(a, a->looked);
  int64_t first = 0, last = a->count - 1, from, to;
  const char *name = a->name, *plural = strcmp(name, "batch") ? "s" : "es";
  while (!a->wrong[first]) first++;
  while (!a->wrong[last]) last--;
  int64_t between = 0;
  for (int64_t i = first; i <= last; i++) between += a->looked[i];
  if (wrong == looked) {
    add_text(text, size, "all %s%s", name, plural);
  } else if (first == last) {
    add_text(text, size, "%s %lld", name, (long long)first);
  } else if (between == wrong) {
    add_text(text, size, "%s%s %lld to %lld%s", name, plural, (long long)first,
             (long long)last, last == a->count - 1 ? ", the last ones" : "");
  } else {
    for (int64_t by = 2; by <= 32; by *= 2)
      if (by < a->count && has_rhythm(a, by, &from, &to)) {
        add_text(text, size,
                 from == to ? "%s%s with %s %% %lld = %lld"
                            : "%s%s with %s %% %lld = %lld to %lld",
                 name, plural, name, (long long)by, (long long)from,
                 (long long)to);
        return;
      }
    add_text(text, size, "%lld of %lld %s%s from %lld to %lld",
             (long long)wrong, (long long)looked, name, plural,
             (long long)first, (long long)last);
  }
}

/* Of each head, the largest error that is none. */
static double *limits_new(const references *r, const attention_shape *s) {
  const int64_t heads = s->batch * s->heads, d = r->head_dim;
  double *limits = calloc((size_t)heads, sizeof *limits);
  for (int64_t i = 0; limits && i < r->count * d; i++) {
    const double error = r->same[i] - r->quantised[i];
    if (isfinite(error)) limits[r->row[i / d] / s->seq_len] += error * error;
  }
  const double count = (double)(r->count * d) / (double)heads;
  for (int64_t h = 0; limits && h < heads; h++)
    limits[h] = FAR * sqrt(limits[h] / count);
  return limits;
}

enum { BATCH, HEAD, ROW, COLUMN, AXES };

static void place_of(int64_t at[AXES], int64_t i, const references *r,
                     const attention_shape *s) {
  const int64_t row = r->row[i / r->head_dim], head = row / s->seq_len;
  at[BATCH] = head / s->heads;
  at[HEAD] = head % s->heads;
  at[ROW] = row % s->seq_len;
  at[COLUMN] = i % r->head_dim;
}

/* Looks at each element. Returns how many are wrong; *first is the first. */
static int64_t look(axis axes[AXES], int64_t *first, const uint16_t *o,
                    const references *r, const attention_shape *s,
                    const double *limits, bool beyond) {
  const int64_t d = r->head_dim;
  int64_t wrong = 0;
  for (int64_t i = 0; i < r->count * d; i++) {
    const int64_t row = r->row[i / d];
    const double value = half_decode(o[row * d + i % d]);
    const double off = fabs(value - r->quantised[i]);
    const double limit = beyond ? r->reach[i] : limits[row / s->seq_len];
    const bool is = isnan(r->quantised[i]) ? !isnan(value) : !(off <= limit);
    int64_t at[AXES];
    place_of(at, i, r, s);
    if (is && wrong++ == 0) *first = i;
    for (int k = 0; k < AXES; k++) {
      axes[k].looked[at[k]] = true;
      axes[k].wrong[at[k]] |= is;
    }
  }
  return wrong;
}

static void say(char *text, size_t size, const axis axes[AXES], int64_t wrong,
                const int64_t at[AXES], const references *r) {
  int64_t all = 1, whole = 0; /* all: in the rows, columns ... that have one */
  for (const axis *a = axes; a < axes + AXES; a++) {
    all *= number_of(a, a->wrong);
    whole += number_of(a, a->wrong) == number_of(a, a->looked);
  }
  if (whole == AXES && wrong > r->count * r->head_dim * 9 / 10) {
    snprintf(text, size, ALL_WRONG);
    return;
  }
  snprintf(
      text, size, "%s wrong: batch %lld, head %lld, row %lld, column %lld; ",
      r->complete ? "first" : "first that was looked at", (long long)at[BATCH],
      (long long)at[HEAD], (long long)at[ROW], (long long)at[COLUMN]);
  if (all <= wrong * 10 / 9)
    add_text(text, size, "wrong are ");
  else
    add_text(text, size, "%.2g%% of ", 100.0 * (double)wrong / (double)all);
  for (int k = COLUMN; k >= BATCH; k--) {
    if (axes[k].count == 1) continue;
    if (k < COLUMN) add_text(text, size, " of ");
    describe(&axes[k], text, size);
  }
}

void where_wrong(char *text, size_t size, const uint16_t *o, const problem *p,
                 const references *r, bool beyond) {
  const attention_shape *s = &p->shape;
  axis axes[AXES] = {{.name = "batch", .count = s->batch},
                     {.name = "head", .count = s->heads},
                     {.name = "row", .count = s->seq_len},
                     {.name = "column", .count = r->head_dim}};
  double *limits = beyond ? NULL : limits_new(r, s);
  bool good = beyond || limits;
  for (axis *a = axes; a < axes + AXES; a++) {
    a->looked = calloc(2 * (size_t)a->count, 1);
    a->wrong = a->looked + a->count;
    good = good && a->looked;
  }
  int64_t first = 0, at[AXES];
  const int64_t wrong = good ? look(axes, &first, o, r, s, limits, beyond) : 0;
  if (wrong) {
    place_of(at, first, r, s);
    say(text, size, axes, wrong, at, r);
  }
  for (axis *a = axes; a < axes + AXES; a++) free(a->looked);
  free(limits);
}
