#include "common/harness/timing.h"

void order_of_round(int round, int *order, int count) {
  for (int i = 0; i < count; i++) { /* Fisher and Yates, from inside out */
    const int j = (int)(random_bits(0, (uint64_t)round, (uint64_t)i) %
                        (uint64_t)(i + 1));
    order[i] = order[j];
    order[j] = i;
  }
}

samples samples_new(int count) {
  return (samples){.count = count, .us = calloc((size_t)count, sizeof(float))};
}

void samples_free(samples *s) {
  free(s->us);
  *s = (samples){0};
}

static int ascending(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

static double percentile(const float *sorted, int count, double share) {
  const int rank = (int)ceil(share * count);
  return sorted[rank > 0 ? rank - 1 : 0];
}

static float *sorted_copy(const float *us, int count) {
  float *copy = malloc((size_t)count * sizeof *copy);
  if (!copy) return NULL;
  memcpy(copy, us, (size_t)count * sizeof *copy);
  qsort(copy, (size_t)count, sizeof *copy, ascending);
  return copy;
}

void samples_summarise(samples *s) {
  s->p50 = s->p90 = s->p99 = s->mean = s->deviation = NAN;
  float *sorted = s->count > 0 ? sorted_copy(s->us, s->count) : NULL;
  if (!sorted) return;
  s->p50 = percentile(sorted, s->count, 0.50);
  s->p90 = percentile(sorted, s->count, 0.90);
  s->p99 = percentile(sorted, s->count, 0.99);
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < s->count; i++) sum += sorted[i];
  s->mean = sum / s->count;
  for (int i = 0; i < s->count; i++)
    squares += (sorted[i] - s->mean) * (sorted[i] - s->mean);
  s->deviation = s->count > 1 ? sqrt(squares / (s->count - 1)) : 0.0;
  free(sorted);
}

static json_int_t ns_of(const samples *s, int index) {
  return llround(1000.0 * s->us[index]);
}

json_t *samples_json(const samples *s) {
  json_t *above = json_array();
  json_int_t least = INT64_MAX, step = 0;
  for (int i = 0; i < s->count; i++)
    if (ns_of(s, i) < least) least = ns_of(s, i);
  for (int i = 0; i < s->count; i++) /* Euclid's, over all */
    for (json_int_t ns = ns_of(s, i) - least, rest; ns; step = ns, ns = rest)
      rest = step % ns;
  for (int i = 0; i < s->count; i++)
    json_array_append_new(
        above, json_integer(step ? (ns_of(s, i) - least) / step : 0));
  return json_pack("{s:I, s:I, s:o}", "least_ns", least, "step_ns", step,
                   "steps_above", above);
}

double samples_median(const float *us, int count) {
  float *sorted = sorted_copy(us, count);
  const double middle = sorted ? percentile(sorted, count, 0.5) : NAN;
  free(sorted);
  return middle;
}

double samples_noise(const samples *a, const samples *b, int batches) {
  const int size = (a->count < b->count ? a->count : b->count) / batches;
  if (size < 1) return NAN;
  double noise = 0.0;
  for (int i = 0; i < batches; i++)
    noise = fmax(noise, fabs(samples_median(a->us + i * size, size) -
                             samples_median(b->us + i * size, size)));
  return noise;
}

const char *clocks_throttle_text(unsigned long long reasons, char *text,
                                 int size) {
  static const struct {
    unsigned long long bit;
    const char *name;
  } names[] = {{0x2, "application clocks"}, {0x4, "power cap"},
               {0x8, "hardware slowdown"},  {0x20, "thermal"},
               {0x40, "hardware thermal"},  {0x80, "hardware power brake"}};
  *text = '\0';
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (reasons & names[i].bit)
      add_text(text, (size_t)size, "%s%s", *text ? ", " : "", names[i].name);
  if (!*text) snprintf(text, (size_t)size, "none");
  return text;
}

json_t *clocks_json(const clock_log *log) {
  char text[128];
  if (log->count == 0) return json_null();
  return json_pack("{s:i, s:i, s:i, s:f, s:f, s:f, s:s}", "samples", log->count,
                   "clock_min_mhz", log->clock_min, "clock_max_mhz",
                   log->clock_max, "clock_mean_mhz", log->clock_mean,
                   "power_mean_w", log->power_mean, "power_max_w",
                   log->power_max, "limited_by",
                   clocks_throttle_text(log->throttle, text, sizeof text));
}
