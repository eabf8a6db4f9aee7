#ifndef SETTINGS_H
#define SETTINGS_H

#include <jansson.h>

#include "common/harness/problem/shape.h"

/* settings.json, which the compiler embeds in every program: shapes, seeds,
 * tolerances. Ends the program (exit 2) if it does not hold together,
 * because no result can then be trusted. */

enum { SETTINGS_MAX = 40, MULTIPROCESSORS_MAX = 1024 };

typedef struct {
  char name[24];
  attention_shape shape;
} named_shape;

typedef struct {
  named_shape shapes[SETTINGS_MAX];
  int shape_count;
  const char *check_shapes[SETTINGS_MAX]; /* NULL-terminated, as the next */
  const char *bench_shapes_gpu[SETTINGS_MAX];
  const char *bench_shapes_cpu[SETTINGS_MAX];
  const char *check_variants[SETTINGS_MAX]; /* for stages that take them */
  const char *check_real[SETTINGS_MAX];     /* for REAL inputs, and no others */
  /* Cases that move one thing of the contract each: as the next, for stages
   * that take them, with the first seed alone. */
  const char *check_axes[SETTINGS_MAX];
  const char *race_shapes[SETTINGS_MAX];
  const char *race_variants[SETTINGS_MAX];
  /* In how many orders of warps and blocks race runs a shape, where q has fewer
   * elements than that; larger ones it runs in one. */
  int64_t race_orders, race_orders_below;
  /* How many the executor's device has: by seed, and in race one by one. */
  int multiprocessors[SETTINGS_MAX], multiprocessor_count;
  const char *count_shapes[SETTINGS_MAX];
  int64_t check_batch, check_heads, check_head_dim;
  int64_t check_seq_lens[SETTINGS_MAX];
  int check_seq_len_count;
  uint64_t seeds[SETTINGS_MAX];
  int seed_count;
  double max_abs_err, mean_abs_err, pct_bad;    /* the original gates, which */
  double absolute_room; /* judge if the format alone stays below this share */
  double rel_rms_ratio, signed_mean_sigmas, lse_rms; /* our own */
  attention_shape drift_shape_cpu, drift_shape_gpu;
  double drift_limit; /* the relative error above which a kernel drifts */
  int warmup, timed;                            /* launches */
  json_t *root; /* the names above point into it */
} settings;

const settings *settings_get(void);

/* Why a stage that has these excuses, NULL-terminated, is not asked for this
 * case of check_axes; NULL: it is. */
const char *settings_excuse(const settings *s, const char *const *excuses,
                            const char *name);

/* The same from any text: for a test. */
void settings_read(settings *s, const char *text, size_t size);

#endif
