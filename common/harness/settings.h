#pragma once

#include <jansson.h>

#include "common/harness/program.h"

/* How tensors lie in memory: one row behind the other; with gaps behind rows,
 * heads and batches; so, in another order in each tensor; with so many elements
 * between rows that a row's, a head's and a batch's place needs over 32 bits,
 * in memory that exists only where it is used. */
typedef enum {
  LAYOUT_CONTIGUOUS,
  LAYOUT_PADDED,
  LAYOUT_PERMUTED,
  LAYOUT_WIDE,
  LAYOUT_COUNT
} tensor_layout;

typedef struct {
  int64_t batch, heads, seq_len, head_dim; /* B, H, S, D */
  int64_t kv_heads; /* H_kv, divides H: H / H_kv heads share one of K and V */
  bool causal;      /* key j takes part in row i only where j <= i */
  int64_t key_len;  /* rows of K and V; 0: S */
  double softmax_scale; /* 0: 1 / sqrt(D) */
  tensor_layout layout;
} attention_shape;

int64_t attention_shape_keys(const attention_shape *shape); /* rows of K */
size_t attention_shape_elements(const attention_shape *shape); /* of Q, and O */
size_t attention_shape_kv_elements(const attention_shape *shape); /* of K */

/* The K/V head of a head; both are counted through the batches. */
int64_t attention_shape_kv_head(const attention_shape *shape, int64_t head);

/* Operations of both products, as the field counts them: 4 B H S S D, and half
 * of that under a causal mask. */
double attention_shape_flops(const attention_shape *shape);

typedef enum {
  NORMAL,         /* every element N(0, 1) */
  LARGE_LOGITS,   /* Q and K 8 times larger: softmax nearly picks one key */
  DOMINANT_KEY,   /* one key of each head is parallel to all its queries */
  CONSTANT_ROWS,  /* all elements of a row are equal */
  MIXED_SCALES,   /* heads whose magnitudes differ by a factor of 1000 */
  ZERO_HEAD,      /* every second head is all zeros */
  ASKED_FOR_ONLY, /* those from here on */
  OFFSET_VALUES = ASKED_FOR_ONLY, /* V around 4, so that sums of it are long */
  REAL,           /* a model's, as recorded */
  FAR_BELOW,      /* all scores around -32: a key of zeros has all the weight */
  PEAK,  /* a key with half of the weight: by K/V head the first, a late one,
            the last */
  STEP_UP,        /* of half of the keys the scores are just less than 4 or 5
                     powers of two above the others': by head, first or last */
  TINY,           /* Q and K by head down to 2^-121, and so their scales */
  FAR_SCALES,     /* Q and K by 2^20 and 2^-20, or the other way, so that scores
                     are around 1 whatever the softmax scale; V by 2^12 or
                     2^-17 */
  SUBNORMAL,      /* the same, and of all codes none above 2^-6 */
  UNSCALED,       /* all scales are 1 */
  NAN_Q, NAN_K, NAN_V, /* a NaN of either code in the middle row of each of its
                          heads, and up to two more */
  DISTRIBUTION_COUNT
} distribution;

const char *distribution_name(distribution d);

/* DISTRIBUTION_COUNT if there is no such name. */
distribution distribution_parse(const char *name);

typedef struct {
  distribution inputs; /* DISTRIBUTION_COUNT: nothing of them */
  int multiprocessors; /* 0: nothing of them */
} case_words;

/* Reads a name of settings.json, "B,H,S,D" or "B,H:H_kv,S,D", and words that
 * may stand behind the numbers: see --help. Whether a stage takes the shape is
 * takes_shape's to say. With `words` NULL none about inputs and device. */
bool case_parse(attention_shape *shape, case_words *words, const char *text,
                reason *why);

const char *layout_name(tensor_layout layout);

/* settings.json, which the compiler embeds in every program: shapes, seeds,
 * tolerances. Ends the program (exit 2) if it does not hold together,
 * because no result can then be trusted. */

enum { SETTINGS_MAX = 40, MULTIPROCESSORS_MAX = 1024 };

typedef struct {
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
