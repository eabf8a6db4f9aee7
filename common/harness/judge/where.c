/* Where outputs are wrong: the first place, and which heads, rows and columns
 * have one. What is wrong somewhere in a row counts for the row. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/formats/half.h"
#include "common/harness/judge/check.h"

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
    snprintf(text, size, "all %s%s", name, plural);
  } else if (first == last) {
    snprintf(text, size, "%s %lld", name, (long long)first);
  } else if (between == wrong) {
    snprintf(text, size, "%s%s %lld to %lld%s", name, plural, (long long)first,
             (long long)last, last == a->count - 1 ? ", the last ones" : "");
  } else {
    for (int64_t by = 2; by <= 32; by *= 2)
      if (by < a->count && has_rhythm(a, by, &from, &to)) {
        snprintf(text, size,
                 from == to ? "%s%s with %s %% %lld = %lld"
                            : "%s%s with %s %% %lld = %lld to %lld",
                 name, plural, name, (long long)by, (long long)from,
                 (long long)to);
        return;
      }
    snprintf(text, size, "%lld of %lld %s%s from %lld to %lld",
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

static bool is_wrong(double value, double right, double limit) {
  if (isnan(right)) return !isnan(value);
  return !(fabs(value - right) <= limit);
}

enum { BATCH, HEAD, ROW, COLUMN, AXES };

/* Where element i of the references is, on each axis. */
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
                    const double *limits) {
  const int64_t d = r->head_dim;
  int64_t wrong = 0;
  for (int64_t i = 0; i < r->count * d; i++) {
    const int64_t row = r->row[i / d];
    const bool is = is_wrong(half_decode(o[row * d + i % d]), r->quantised[i],
                             limits[row / s->seq_len]);
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
  int used = snprintf(
      text, size, "%s wrong: batch %lld, head %lld, row %lld, column %lld; ",
      r->complete ? "first" : "first that was looked at", (long long)at[BATCH],
      (long long)at[HEAD], (long long)at[ROW], (long long)at[COLUMN]);
  if (all < wrong * 10 / 9)
    used += snprintf(text + used, size - (size_t)used, "wrong are ");
  else
    used += snprintf(text + used, size - (size_t)used, "%.2g%% of ",
                     100.0 * (double)wrong / (double)all);
  for (int k = COLUMN; k >= BATCH && (size_t)used < size; k--) {
    if (axes[k].count == 1) continue;
    if (k < COLUMN) used += snprintf(text + used, size - (size_t)used, " of ");
    describe(&axes[k], text + used, size - (size_t)used);
    used += (int)strlen(text + used);
  }
}

void where_wrong(char *text, size_t size, const uint16_t *o, const problem *p,
                 const references *r) {
  const attention_shape *s = &p->shape;
  axis axes[AXES] = {{.name = "batch", .count = s->batch},
                     {.name = "head", .count = s->heads},
                     {.name = "row", .count = s->seq_len},
                     {.name = "column", .count = r->head_dim}};
  double *limits = limits_new(r, s);
  bool good = limits;
  for (axis *a = axes; a < axes + AXES; a++) {
    a->looked = calloc(2 * (size_t)a->count, 1);
    a->wrong = a->looked + a->count;
    good = good && a->looked;
  }
  *text = '\0';
  int64_t first = 0, at[AXES];
  const int64_t wrong = good ? look(axes, &first, o, r, s, limits) : 0;
  if (wrong) {
    place_of(at, first, r, s);
    say(text, size, axes, wrong, at, r);
  }
  for (axis *a = axes; a < axes + AXES; a++) free(a->looked);
  free(limits);
}
