#include "floor/model/model.h"

#include <math.h>
#include <stdlib.h>

#include "common/harness/results.h"

enum { MOST_MULTIPROCESSORS = 100000 };

/* ---- reading ---- */

typedef struct {
  const json_t *floor;
  const char *missing; /* the first path that is not there */
} reader;

static double number(reader *r, const char *path, double factor) {
  const double value = results_number(r->floor, path);
  if (!(value > 0) && !r->missing) r->missing = path;
  return value * factor;
}

static int whole(reader *r, const char *path, int most) {
  const double value = number(r, path, 1);
  if (value >= 1 && value <= most) return (int)value;
  if (!r->missing) r->missing = path;
  return 1;
}

static double either(reader *r, const char *path, const char *other) {
  const double value = results_number(r->floor, path);
  return value > 0 ? value * 1e6 : number(r, other, 1e6);
}

bool floor_model_read(floor_model *m, const json_t *floor, bool sustained,
                      const char *file, reason *why) {
  reader r = {.floor = floor};
  m->launch = number(&r, "launch/empty/graph/us", 1);
  m->dram = number(&r, "rates/dram_read/tera_s", 1e6);
  m->l2 = number(&r, "rates/l2_read/tera_s", 1e6);
  /* Before Hopper the fastest products are those of halves. */
  m->products =
      either(&r,
             sustained ? "rates/wgmma_shared_128_random_sustained/tera_s"
                       : "rates/wgmma_shared_128_random/tera_s",
             "rates/mma_half_random/tera_s");
  m->exponentials = number(&r, "rates/ex2/tera_s", 1e6);
  m->scores = number(&r, sustained ? "rates/softmax_sustained/tera_s"
                                   : "rates/softmax/tera_s", 1e6);
  m->scores_alone = number(&r, "rates/softmax_one_warpgroup/tera_s", 1e6);
  m->l2_bytes = number(&r, "l2_bytes", 1);
  m->multiprocessors =
      whole(&r, "build_meta/device/multiprocessors", MOST_MULTIPROCESSORS);
  m->load_l2 = number(&r, "waits/l2_hit/ns", 1e-3);
  m->load_dram = number(&r, "waits/dram_near/ns", 1e-3);
  m->shuffle = number(&r, "waits/shuffle/ns", 1e-3);
  m->exponential = number(&r, "waits/ex2_chain/ns", 1e-3);
  static const char *const both[2][2] = {
      {"beside/d64/scores_in_all", "beside/d64/both/us"},
      {"beside/d128/scores_in_all", "beside/d128/both/us"}};
  for (int n = 0; n < 2; n++)
    m->together[n] = results_number(floor, both[n][0]) /
                     results_number(floor, both[n][1]);
  static const char *const waits[2][2] = {
      {"waits/wgmma_64_1/ns", "waits/wgmma_64_4/ns"},
      {"waits/wgmma_128_1/ns", "waits/wgmma_128_4/ns"}};
  for (int n = 0; n < 2; n++)
    for (int count = 0; count < 2; count++)
      m->product[n][count] = 1e-3 * results_number(floor, waits[n][count]);
  if (!r.missing) return true;
  return refuse(why,
                "%s has no figure %s: it is no complete result of 'make "
                "floor'.",
                file, r.missing);
}

/* ---- the floor ---- */

double floor_model_scores(const attention_shape *s) {
  const double length = (double)s->seq_len;
  return (double)s->batch * (double)s->heads *
         (s->causal ? length * (length + 1) / 2 : length * length);
}

double floor_model_bytes(const attention_shape *s) {
  return (double)attention_shape_device_bytes(s);
}

static double longest(const double *part) {
  double most = 0;
  for (int i = 0; i < FLOOR_PARTS; i++) most = fmax(most, part[i]);
  return most;
}

floor_parts floor_model_parts(const floor_model *m, const attention_shape *s) {
  static const char *const names[] = {"memory", "products", "exponentials",
                                      "softmax"};
  const double scores = floor_model_scores(s), bytes = floor_model_bytes(s);
  floor_parts p = {.launch = m->launch, .from_l2 = bytes <= m->l2_bytes};
  p.part[FLOOR_MEMORY] = bytes / (p.from_l2 ? m->l2 : m->dram);
  p.part[FLOOR_PRODUCTS] = 4.0 * scores * (double)s->head_dim / m->products;
  p.part[FLOOR_EXPONENTIALS] = scores / m->exponentials;
  p.part[FLOOR_SOFTMAX] = scores / m->scores;
  const double most = longest(p.part);
  p.us = p.launch + most;
  p.binding = "launch";
  for (int i = 0; i < FLOOR_PARTS; i++)
    if (p.part[i] == most && most >= p.launch) p.binding = names[i];
  p.together = s->head_dim == 64    ? scores / m->together[0]
               : s->head_dim == 128 ? scores / m->together[1]
                                    : NAN;
  p.ceiling_us = p.launch + fmax(most, p.together);
  p.binds = p.together > fmax(most, p.launch) ? "products beside softmax"
                                              : p.binding;
  return p;
}

/* ---- whole tiles on whole multiprocessors ---- */

static int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* Scores of tile i of a head, masked and past the end included. */
static double tile_scores(const attention_shape *s, const floor_tile *t,
                          int64_t i) {
  int64_t keys = s->seq_len;
  if (s->causal && (i + 1) * t->rows < keys) keys = (i + 1) * t->rows;
  return (double)t->rows * (double)(divide_up(keys, t->keys) * t->keys);
}

floor_whole floor_model_whole(const floor_model *m, const attention_shape *s,
                              const floor_tile *t) {
  const int64_t in_head = divide_up(s->seq_len, t->rows);
  const int64_t heads = s->batch * s->heads;
  floor_whole w = {.tiles = in_head * heads};
  w.busy = w.tiles < m->multiprocessors ? w.tiles : m->multiprocessors;
  w.waves = (double)divide_up(w.tiles, m->multiprocessors);
  const double largest = tile_scores(s, t, in_head - 1);
  double busiest = w.waves * largest;
  if (s->causal) {
    /* Tiles differ: at best the sum is shared evenly. */
    double sum = 0;
    for (int64_t i = 0; i < in_head; i++) sum += tile_scores(s, t, i);
    busiest = fmax(largest, sum * (double)heads / m->multiprocessors);
    w.waves = busiest / largest;
  }
  const double stretched = busiest * m->multiprocessors;
  const floor_parts exact = floor_model_parts(m, s);
  double part[FLOOR_PARTS] = {
      exact.part[FLOOR_MEMORY],
      4.0 * stretched * (double)s->head_dim / m->products,
      stretched / m->exponentials, stretched / m->scores};
  w.us = m->launch + longest(part);
  return w;
}

/* ---- one after the other ---- */

/* `count` products of 32 codes and N columns, started together. */
static double products_wait(const floor_model *m, int64_t n, int64_t count) {
  if (n != 64 && n != 128) return NAN;
  const double *wait = m->product[n == 128];
  return wait[0] + (double)(count - 1) * (wait[1] - wait[0]) / 3.0;
}

double floor_model_chain(const floor_model *m, const attention_shape *s,
                         const floor_tile *t) {
  const int64_t steps = divide_up(divide_up(s->seq_len, t->keys), t->groups);
  const double warpgroups = (double)(t->rows / 64 * t->groups);
  const double rate =
      fmin(m->scores_alone, m->scores / warpgroups) / m->multiprocessors;
  const bool from_l2 = floor_model_bytes(s) <= m->l2_bytes;
  const double step = products_wait(m, t->keys, divide_up(s->head_dim, 32)) +
                      2 * m->shuffle + m->exponential +
                      64.0 * (double)t->keys / rate +
                      products_wait(m, s->head_dim, divide_up(t->keys, 32));
  return m->launch + (from_l2 ? m->load_l2 : m->load_dram) +
         floor_model_whole(m, s, t).waves * (double)steps * step;
}

bool floor_tile_parse(floor_tile *tile, const char *text, reason *why) {
  long long rows = 0, keys = 0, groups = 1;
  int end = 0;
  const int read =
      sscanf(text, "%9lld,%9lld%n,%9lld%n", &rows, &keys, &end, &groups, &end);
  if (read >= 2 && !text[end] && rows > 0 && rows % 64 == 0 &&
      (keys == 64 || keys == 128) && groups > 0) {
    *tile = (floor_tile){rows, keys, groups};
    return true;
  }
  return refuse(why,
                "'%s' is no tile: give ROWS,KEYS or ROWS,KEYS,GROUPS with rows "
                "a multiple of 64 and 64 or 128 keys.",
                text);
}
