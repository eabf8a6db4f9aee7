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

void where_wrong(char *text, size_t size, const uint16_t *o, const problem *p,
                 const references *r) {
  const attention_shape *s = &p->shape;
  const int64_t d = r->head_dim;
  axis axes[] = {{.name = "batch", .count = s->batch},
                 {.name = "head", .count = s->heads},
                 {.name = "row", .count = s->seq_len},
                 {.name = "column", .count = d}};
  enum { AXES = sizeof axes / sizeof *axes };
  double *limits = limits_new(r, s);
  bool good = limits;
  int64_t wrong = 0, first = 0;
  for (axis *a = axes; a < axes + AXES; a++) {
    a->looked = calloc(2 * (size_t)a->count, 1);
    a->wrong = a->looked + a->count;
    good = good && a->looked;
  }
  for (int64_t i = 0; good && i < r->count * d; i++) {
    const int64_t row = r->row[i / d], head = row / s->seq_len;
    const int64_t at[AXES] = {head / s->heads, head % s->heads,
                              row % s->seq_len, i % d};
    const bool is = is_wrong(half_decode(o[row * d + i % d]), r->quantised[i],
                             limits[head]);
    if (is && wrong++ == 0) first = i;
    for (int k = 0; k < AXES; k++) {
      axes[k].looked[at[k]] = true;
      axes[k].wrong[at[k]] |= is;
    }
  }
  *text = '\0';
  int64_t in_all = 0;
  for (axis *a = axes; good && a < axes + AXES; a++)
    in_all += number_of(a, a->wrong) == number_of(a, a->looked);
  if (good && in_all == AXES && wrong > r->count * d * 9 / 10) {
    snprintf(text, size, ALL_WRONG);
  } else if (good && wrong) {
    const int64_t row = r->row[first / d], head = row / s->seq_len;
    int used = snprintf(
        text, size, "%s wrong: batch %lld, head %lld, row %lld, column %lld; ",
        r->complete ? "first" : "first that was looked at",
        (long long)(head / s->heads), (long long)(head % s->heads),
        (long long)(row % s->seq_len), (long long)(first % d));
    int64_t all = 1;
    for (axis *a = axes; a < axes + AXES; a++) all *= number_of(a, a->wrong);
    if (all < wrong * 10 / 9) used += snprintf(text + used, size - (size_t)used,
                                               "wrong are ");
    else used += snprintf(text + used, size - (size_t)used, "%.2g%% of ",
                          100.0 * (double)wrong / (double)all);
    for (axis *a = axes + AXES - 1; a >= axes && (size_t)used < size; a--) {
      if (a->count == 1) continue;
      if (a < axes + AXES - 1)
        used += snprintf(text + used, size - (size_t)used, " of ");
      describe(a, text + used, size - (size_t)used);
      used += (int)strlen(text + used);
    }
  }
  for (axis *a = axes; a < axes + AXES; a++) free(a->looked);
  free(limits);
}
