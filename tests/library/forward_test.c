/* What the library computes: contiguous tensors against attention in double,
 * with the log-sum-exp of each row; other layouts beside these, bit by bit. */

#include "tests/library/memory.h"

#include <math.h>
#include <string.h>

#include "common/harness/numbers.h"
#include "common/simt/simt.h"

/* Twice what rounding P to E4M3 costs, as in example.py. */
static const double LARGEST_RELATIVE_ERROR = 0.04;
/* wgmma keeps 13 bits below the largest of 32 products and the sum before them:
 * each of these, and the sum after them, loses less than this share of it. The
 * rest is for the logarithm itself. */
static const double SHARE = 0x1p-13, REST = 0x1p-18;
enum { AT_ONCE = 32, MARGIN = 32, LSE_GUARD = 0x5a, MOST_KEYS = 1200 };
enum { ONE = 0x38, FIFTEEN = 0x57 }; /* in E4M3 */

#define SHAPE(b, h, kv, s, d, ...)                                             \
  {.batch = (b), .heads = (h), .kv_heads = (kv), .seq_len = (s),               \
   .head_dim = (d), __VA_ARGS__}
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/* A problem in "device" memory, which on the executor the host sees, too. The
 * tensors lie in memory as `layout` says; between their rows are codes that are
 * NaN, and in o a guard. */
typedef enum {
  CONTIGUOUS,
  SEQUENCE_FIRST, /* [batch][seq_len][heads][head_dim] */
  PADDED, /* rows, heads and batches */
  MIXED,  /* k as SEQUENCE_FIRST, the others as PADDED */
  PACKED, /* q, k, v in one tensor [batch][seq_len][3][heads][head_dim] */
  LAYOUTS
} layout;

typedef struct {
  fp8attention_problem problem;
  uint8_t *allocated[3], *codes[3]; /* from here on q, k and v */
  float *scales[3];
  uint16_t *o;
  size_t o_size; /* elements */
  float *lse;    /* between guards */
  size_t rows;
} bench;

enum { GUARD = 0xa5a5, NOT_A_NUMBER = 0x7f };

/* Room before and after a tensor that nobody may touch; it keeps 16 bytes'
 * alignment and no more. */
enum { ROOM = 16 + 256 };

/* Rows of k and v. */
static int64_t keys_of(const fp8attention_problem *p) {
  if (p->key_len == FP8ATTENTION_NO_KEYS) return 0;
  return p->key_len ? p->key_len : p->seq_len;
}

static fp8attention_strides strides_of(const fp8attention_problem *p,
                                       layout layout, int64_t heads,
                                       int64_t rows) {
  const bool padded = layout == PADDED || layout == MIXED;
  const int64_t width = p->head_dim + (padded ? 16 : 0);
  const int64_t head = rows * width + (padded ? 48 : 0);
  const int64_t batch = heads * head + (padded ? 4096 : 0);
  const int64_t parts = layout == PACKED ? 3 : 1;
  if (layout == SEQUENCE_FIRST || layout == PACKED)
    return (fp8attention_strides){parts * batch, width, parts * heads * width};
  return (fp8attention_strides){batch, head, width};
}

static uint8_t code_at(int tensor, int64_t index) {
  uint32_t x = (uint32_t)(3 * index + tensor + 1) * 2654435761u;
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  return (uint8_t)((x >> 8 & 0x3f) | (x >> 24 & 0x80));
}

static void fill(uint8_t *codes, int tensor, const fp8attention_problem *p,
                 const fp8attention_strides *s, int64_t heads, int64_t rows) {
  int64_t index = 0;
  for (int64_t b = 0; b < p->batch; b++)
    for (int64_t h = 0; h < heads; h++)
      for (int64_t row = 0; row < rows; row++)
        for (int64_t d = 0; d < p->head_dim; d++)
          codes[place(s, b, h, row) + d] = code_at(tensor, index++);
}

/* The sizes of `shape` and the codes that belong to it, always the same; small
 * ones, so that many keys have a share in each row. */
static bench make_bench(fp8attention_problem shape, layout layout) {
  bench t = {.problem = shape,
             .rows = (size_t)(shape.batch * shape.heads * shape.seq_len)};
  fp8attention_problem *p = &t.problem;
  const int64_t heads[3] = {p->heads, p->kv_heads, p->kv_heads};
  const int64_t keys = keys_of(p);
  const int64_t rows[3] = {p->seq_len, keys, keys};
  fp8attention_strides *strides[3] = {&p->q_strides, &p->k_strides,
                                      &p->v_strides};
  const uint8_t **pointers[3] = {&p->q, &p->k, &p->v};
  const float **scales[3] = {&p->q_scale, &p->k_scale, &p->v_scale};
  p->o_strides = strides_of(p, layout == PACKED ? SEQUENCE_FIRST : layout,
                            p->heads, p->seq_len);
  t.o_size = (size_t)(p->batch * (p->o_strides.batch + 16 * p->seq_len)) +
             2 * ROOM;
  t.o = memory(t.o_size * sizeof *t.o, 0);
  for (size_t i = 0; i < t.o_size; i++) t.o[i] = GUARD;
  p->o = t.o + ROOM;
  for (int i = 0; i < 3; i++) {
    *strides[i] = strides_of(p, layout == MIXED && i == 1 ? SEQUENCE_FIRST
                                                          : layout,
                             heads[i], rows[i]);
    if (layout != PACKED || i == 0)
      t.allocated[i] = memory(
          (size_t)(p->batch * (strides[i]->batch + 16 * rows[i])) + 2 * ROOM,
          NOT_A_NUMBER);
    t.codes[i] = layout == PACKED
                     ? t.allocated[0] + ROOM + i * p->heads * p->head_dim
                     : t.allocated[i] + ROOM;
    fill(t.codes[i], i, p, strides[i], heads[i], rows[i]);
    *pointers[i] = t.codes[i];
    t.scales[i] = memory((size_t)(p->batch * heads[i]) * sizeof(float), 0);
    for (int64_t h = 0; h < p->batch * heads[i]; h++)
      t.scales[i][h] = 0.25f + 0.03125f * (float)(h + i);
    *scales[i] = t.scales[i];
  }
  p->softmax_scale = 4.0f;
  t.lse = memory((t.rows + 2 * MARGIN) * sizeof *t.lse, LSE_GUARD);
  p->lse = t.lse + MARGIN;
  return t;
}

static void free_bench(bench *t) {
  for (int i = 0; i < 3; i++) {
    if (t->allocated[i])
      assert_int_equal(cudaFree(t->allocated[i]), cudaSuccess);
    assert_int_equal(cudaFree(t->scales[i]), cudaSuccess);
  }
  assert_int_equal(cudaFree(t->o), cudaSuccess);
  assert_int_equal(cudaFree(t->lse), cudaSuccess);
}

/* An element of o in this row of all batches and heads. */
static uint16_t output_at(const bench *t, size_t row, int64_t d) {
  const fp8attention_problem *p = &t->problem;
  const int64_t head = (int64_t)row / p->seq_len;
  return p->o[place(&p->o_strides, head / p->heads, head % p->heads,
                    (int64_t)row % p->seq_len) + d];
}

/* Around lse and in o between rows, the guards are as they were. */
static void forward(const bench *b) {
  const fp8attention_problem *p = &b->problem;
  const simt_finding *all;
  unsigned char guard[MARGIN * sizeof(float)];
  simt_clear();
  simt_set_checks(SIMT_RACES);
  const int code = fp8attention_forward(p, NULL);
  if (code) fail_msg("%s", fp8attention_error_text(code));
  assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
  if (simt_findings(&all)) fail_msg("%s: %s", all->name, all->sentence);
  memset(guard, LSE_GUARD, sizeof guard);
  assert_memory_equal(b->lse, guard, sizeof guard);
  assert_memory_equal(b->lse + MARGIN + b->rows, guard, sizeof guard);
  size_t guards = 0, written = 0;
  for (size_t i = 0; i < b->o_size; i++) guards += b->o[i] == GUARD;
  for (size_t row = 0; row < b->rows; row++)
    for (int64_t d = 0; d < p->head_dim; d++)
      written += output_at(b, row, d) != GUARD;
  assert_int_equal(guards + written, b->o_size);
}

static void assert_same(const bench *got, const bench *wanted) {
  const fp8attention_problem *p = &got->problem;
  for (size_t row = 0; row < got->rows; row++)
    for (int64_t d = 0; d < p->head_dim; d++)
      if (output_at(got, row, d) != output_at(wanted, row, d))
        fail_msg("o of row %zu is %04x at %d, wanted %04x", row,
                 output_at(got, row, d), (int)d, output_at(wanted, row, d));
  if (p->lse)
    assert_memory_equal(p->lse, wanted->problem.lse,
                        got->rows * sizeof *p->lse);
}

/* ---- attention in double ---- */

/* One row of codes and scales as they are. Returns its log-sum-exp; that of
 * tensor cores may differ by `room`. */
static double attend(const fp8attention_problem *p, const uint8_t *q,
                     const uint8_t *k, const uint8_t *v, double scale,
                     double v_scale, int64_t keys, double *o, double *room) {
  static double score[MOST_KEYS], largest[MOST_KEYS]; /* on the way to it */
  double m = -INFINITY, l = 0.0, reach = 0.0;
  for (int64_t j = 0; j < keys; j++) {
    score[j] = largest[j] = 0.0;
    for (int64_t d = 0; d < p->head_dim; d++) {
      const double x = scale * e4m3_decode(q[d]) *
                       e4m3_decode(k[j * p->k_strides.row + d]);
      score[j] += x;
      largest[j] = fmax(largest[j], fabs(x));
      if (d % AT_ONCE == AT_ONCE - 1)
        largest[j] = fmax(largest[j], fabs(score[j]));
    }
    m = fmax(m, score[j]);
  }
  for (int64_t j = 0; j < keys; j++) {
    const double e = exp(score[j] - m);
    l += e;
    reach += e * largest[j];
    for (int64_t d = 0; d < p->head_dim; d++)
      o[d] += e * v_scale * e4m3_decode(v[j * p->v_strides.row + d]);
  }
  *room = REST;
  if (keys <= 0) return -INFINITY;
  for (int64_t d = 0; d < p->head_dim; d++) o[d] /= l;
  const double cuts = (double)(p->head_dim + 2 * p->head_dim / AT_ONCE);
  *room = cuts * SHARE * reach / l + REST;
  return m + log(l);
}

static double output_decoded(const bench *b, size_t row, int64_t d) {
  const uint16_t bits = output_at(b, row, d);
  if (b->problem.o_format != FP8ATTENTION_BF16) return half_decode(bits);
  const uint32_t word = (uint32_t)bits << 16;
  float number;
  memcpy(&number, &word, sizeof number);
  return number;
}

static void assert_right(const bench *b) {
  const fp8attention_problem *p = &b->problem;
  const int64_t all = keys_of(p);
  double off = 0.0, whole = 0.0;
  for (size_t i = 0; i < b->rows; i++) {
    const int64_t at = (int64_t)i % p->seq_len, head = (int64_t)i / p->seq_len;
    const int64_t batch = head / p->heads, h = head % p->heads;
    const int64_t shared = h / (p->heads / p->kv_heads);
    const int64_t kv_head = batch * p->kv_heads + shared;
    double o[128] = {0}, room;
    const double lse = attend(
        p, p->q + place(&p->q_strides, batch, h, at),
        p->k + place(&p->k_strides, batch, shared, 0),
        p->v + place(&p->v_strides, batch, shared, 0),
        (double)p->softmax_scale * p->q_scale[head] * p->k_scale[kv_head],
        p->v_scale[kv_head], p->causal ? at + 1 + all - p->seq_len : all, o,
        &room);
    if (p->lse[i] != lse && !(fabs(p->lse[i] - lse) <= room))
      fail_msg("lse of row %zu is %.7g, wanted %.7g within %.2g", i, p->lse[i],
               lse, room);
    for (int64_t d = 0; d < p->head_dim; d++) {
      off += pow(output_decoded(b, i, d) - o[d], 2);
      whole += o[d] * o[d];
    }
  }
  if (!(sqrt(off) <= LARGEST_RELATIVE_ERROR * sqrt(whole)))
    fail_msg("the output is off by %g", sqrt(off / whole));
}

/* ---- the tests ---- */

/* A length that is short of a tile, in both head_dims; heads that share; masks;
 * one batch, one head, one row. Fewer keys, more, one, none; full tiles and
 * others; with a mask as many as rows, said and not said, more and fewer. On
 * 132 multiprocessors warpgroups share out the keys, on 2 they do not. */
static void every_layout(void **state) {
  (void)state;
  static const fp8attention_problem shapes[] = {
      SHAPE(2, 4, 2, 97, 128, .causal = 1),
      SHAPE(3, 2, 2, 33, 64, .causal = 1),
      SHAPE(1, 4, 4, 201, 64, .causal = 0),
      SHAPE(2, 1, 1, 65, 128, .causal = 0),
      SHAPE(1, 1, 1, 1, 128, .causal = 1),
      SHAPE(1, 2, 1, 97, 64, .key_len = 40),
      SHAPE(1, 2, 2, 33, 64, .key_len = 300),
      SHAPE(2, 2, 1, 65, 64, .key_len = 1),
      SHAPE(1, 2, 1, 70, 128, .key_len = 129),
      SHAPE(2, 4, 2, 1, 128, .key_len = 200),
      SHAPE(1, 1, 1, 130, 128, .key_len = 64),
      SHAPE(1, 2, 1, 66, 128, .causal = 1, .key_len = 66),
      SHAPE(1, 1, 1, 200, 64, .key_len = 256),
      SHAPE(1, 2, 1, 65, 64, .causal = 1, .key_len = 300),
      SHAPE(1, 2, 2, 300, 128, .causal = 1, .key_len = 97,
            .o_format = FP8ATTENTION_BF16),
      SHAPE(2, 1, 1, 450, 64, .causal = 1, .key_len = 1),
      SHAPE(1, 1, 1, 1, 128, .causal = 1, .key_len = 130,
            .o_format = FP8ATTENTION_BF16, .max_multiprocessors = 1),
      SHAPE(2, 2, 1, 33, 64, .causal = 1, .key_len = FP8ATTENTION_NO_KEYS),
      SHAPE(2, 2, 1, 70, 64, .o_format = FP8ATTENTION_BF16,
            .size = sizeof(fp8attention_problem), .batch_invariant = 1)};
  for (int i = 0; i < 2 * COUNT(shapes); i++) {
    const fp8attention_problem shape = shapes[i / 2];
    simt_set_multiprocessors(i % 2 ? 2 : 132);
    bench wanted = make_bench(shape, CONTIGUOUS);
    forward(&wanted);
    assert_right(&wanted);
    for (layout layout = CONTIGUOUS + 1; layout < LAYOUTS; layout++) {
      if (layout == PACKED &&
          (shape.heads != shape.kv_heads || shape.key_len))
        continue;
      bench b = make_bench(shape, layout);
      forward(&b);
      assert_same(&b, &wanted);
      free_bench(&b);
    }
    free_bench(&wanted);
  }
}

/* More keys than a chain has: the output's bits tell who added it up. They are
 * the same where nobody wants an lse. */
static void long_sums(void **state) {
  (void)state;
  simt_set_multiprocessors(2); /* so that one warpgroup has all keys */
  bench all[2];
  for (int drift = 0; drift < 2; drift++) {
    const fp8attention_problem shape =
        SHAPE(1, 1, 1, 1200, 64, .drift = drift);
    bench without = make_bench(shape, CONTIGUOUS);
    all[drift] = make_bench(shape, CONTIGUOUS);
    without.problem.lse = NULL;
    all[drift].problem.softmax_scale = 0.125f;
    without.problem.softmax_scale = 0.125f;
    forward(&all[drift]);
    forward(&without);
    assert_right(&all[drift]);
    assert_same(&without, &all[drift]);
    free_bench(&without);
  }
  assert_memory_not_equal(all[0].o, all[1].o, all[0].o_size * sizeof *all[0].o);
  free_bench(&all[0]);
  free_bench(&all[1]);
}

/* Which rows have no finite lse: those of `head` from `first` on, or none. */
static void assert_lost(const bench *b, int64_t head, int64_t first,
                        int64_t end) {
  const fp8attention_problem *p = &b->problem;
  for (int64_t i = 0; i < (int64_t)b->rows; i++) {
    const int64_t row = i % p->seq_len;
    const int lost = i / p->seq_len == head && row >= first && row < end;
    if ((isnan(p->lse[i]) != 0) != lost || isinf(p->lse[i]))
      fail_msg("lse of row %d is %g", (int)i, (double)p->lse[i]);
  }
}

static void codes_that_are_nan(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    simt_set_multiprocessors(i ? 2 : 132);
    bench b = make_bench((fp8attention_problem)SHAPE(1, 2, 2, 97, 64,
                                                     .key_len = 40),
                         CONTIGUOUS);
    uint8_t *const q = b.codes[0], *const k = b.codes[1];
    uint8_t *const v = b.codes[2];
    memset(v + 7 * 64, NOT_A_NUMBER, 64);
    forward(&b);
    assert_lost(&b, 0, 0, 0);
    memset(q + (97 + 13) * 64, NOT_A_NUMBER, 64);
    forward(&b);
    assert_lost(&b, 1, 13, 14);
    memset(q + (97 + 13) * 64, 0, 64);
    k[39 * 64 + 5] = 0xff;
    forward(&b);
    assert_lost(&b, 0, 0, 97);
    free_bench(&b);
  }
}

/* A score is one product here, so that it is exact, and many are equal. Where
 * scores are too large for floats, all is NaN. */
static void numbers_at_their_ends(void **state) {
  (void)state;
  static const struct {
    float q_scale, k_scale, softmax_scale, v_scale;
    bool lost;
  } of[] = {{1e-23f, 1e-23f, 0.125f, 1.0f, false},
            {1e-23f, 1e-23f, 1e-40f, 1.0f, false},
            {1.0f, 1.0f, 1e-45f, 1.0f, false},
            {1.0f, 1.0f, 1e3f, 1e30f, false},
            {1.0f, 1.0f, 1e4f, 1.0f, false},
            {1.0f, 1.0f, 1e6f, 1e6f, false},
            {297.142857f, 297.142857f, 0.125f, 1.0f, false},
            {1e-30f, 1e30f, 3.0f, 1.0f, false},
            {1e18f, 1e17f, 0.125f, 1.0f, false},
            {1e30f, 1e30f, 0.125f, 1.0f, true}};
  for (int i = 0; i < 4 * COUNT(of); i++) {
    simt_set_multiprocessors(i % 2 ? 2 : 132);
    const int64_t width = i / 2 % 2 ? 128 : 64;
    bench b = make_bench((fp8attention_problem)SHAPE(
                             1, 1, 1, of[i / 4].lost ? 70 : 150, width,
                             .causal = 1, .o_format = FP8ATTENTION_BF16),
                         CONTIGUOUS);
    fp8attention_problem *p = &b.problem;
    uint8_t *const q = b.codes[0];
    for (int64_t k = 0; k < p->seq_len * width; k++)
      if (k % width) q[k] = 0;
    b.scales[0][0] = of[i / 4].q_scale;
    b.scales[1][0] = of[i / 4].k_scale;
    b.scales[2][0] = of[i / 4].v_scale;
    p->softmax_scale = of[i / 4].softmax_scale;
    forward(&b);
    if (!of[i / 4].lost) assert_right(&b);
    for (size_t row = 0; row < b.rows && of[i / 4].lost; row++)
      if (isfinite(p->lse[row]) || isfinite(output_decoded(&b, row, 0)))
        fail_msg("row %zu of %d is %g, its lse %g", row, i,
                 output_decoded(&b, row, 0), p->lse[row]);
    free_bench(&b);
  }
}

/* With 200 keys it is another block that a batch gets than a sequence alone. */
static void alone_and_in_a_batch(void **state) {
  (void)state;
  for (int same = 0; same < 2; same++) {
    bench b[2];
    size_t differ = 0;
    simt_set_multiprocessors(132);
    for (int batch = 1; batch <= 2; batch++) {
      b[batch - 1] = make_bench(
          (fp8attention_problem)SHAPE(batch, 2, 2, 200, 64,
                                      .batch_invariant = same,
                                      .max_multiprocessors = 4 * (batch - 1)),
          CONTIGUOUS);
      forward(&b[batch - 1]);
    }
    for (size_t row = 0; row < b[0].rows; row++)
      for (int64_t d = 0; d < 64; d++)
        differ += output_at(&b[0], row, d) != output_at(&b[1], row, d);
    assert_int_equal(differ == 0, same);
    free_bench(&b[0]);
    free_bench(&b[1]);
  }
}

/* One key weighs 2^15 times as much as each other: all of them together keep
 * their share, but for those of its own chain. */
static void a_heavy_key(void **state) {
  (void)state;
  enum { KEYS = 6000, CHAIN = 672 };
  static const int64_t at[] = {0, 3000, KEYS - 1};
  for (int i = 0; i < 2 * COUNT(at); i++) {
    simt_set_multiprocessors(1);
    const int64_t width = i % 2 ? 128 : 64, heavy = at[i / 2];
    bench b = make_bench((fp8attention_problem)SHAPE(1, 1, 1, 1, width,
                                                     .key_len = KEYS),
                         CONTIGUOUS);
    fp8attention_problem *p = &b.problem;
    for (int k = 0; k < 3; k++) {
      uint8_t *const codes = b.codes[k];
      memset(codes, k == 2 ? ONE : 0, (size_t)((k ? KEYS : 1) * width));
      if (k == 0) codes[0] = ONE;
      if (k == 1) codes[heavy * width] = FIFTEEN;
      if (k == 2) memset(codes + heavy * width, 0, (size_t)width);
      b.scales[k][0] = 1.0f;
    }
    p->softmax_scale = 0.69314718f; /* 2 to the power of a score */
    forward(&b);
    const double all = KEYS - 1 + 0x1p15, others = (KEYS - 1) / all;
    const double got = output_decoded(&b, 0, 3);
    if (!(got >= others - CHAIN / all - 0.002 && got <= others + 0.002))
      fail_msg("beside key %d the others have %g, not %g", (int)heavy, got,
               others);
    free_bench(&b);
  }
}

/* The last turn has one tile or two for five blocks: with a workspace they
 * share its keys. */
static void blocks_that_share_keys(void **state) {
  (void)state;
  static const fp8attention_problem of[] = {
      SHAPE(1, 6, 3, 180, 128, .key_len = 1150),
      SHAPE(1, 6, 6, 128, 128, .key_len = 1150, .drift = 1),
      SHAPE(2, 3, 3, 180, 64, .key_len = 1190, .o_format = FP8ATTENTION_BF16),
      SHAPE(1, 6, 1, 100, 64, .key_len = 1001)};
  for (int i = 0; i < COUNT(of); i++) {
    simt_set_multiprocessors(5);
    bench alone = make_bench(of[i], CONTIGUOUS);
    forward(&alone);
    bench b = make_bench(of[i], PADDED);
    fp8attention_problem *p = &b.problem;
    p->size = sizeof *p;
    const int64_t bytes = fp8attention_forward_workspace(p);
    assert_true(bytes > 0);
    uint8_t *space = memory((size_t)bytes + 1, LSE_GUARD);
    p->workspace = space;
    forward(&b);
    assert_int_equal(space[bytes], LSE_GUARD);
    assert_int_not_equal(space[bytes - 1], LSE_GUARD);
    assert_right(&b);
    size_t differ = 0;
    for (size_t row = 0; row < b.rows; row++)
      differ += output_at(&b, row, 0) != output_at(&alone, row, 0);
    assert_int_not_equal(differ, 0);
    p->workspace = NULL; /* without it, all is as it was */
    forward(&b);
    assert_same(&b, &alone);
    assert_int_equal(cudaFree(space), cudaSuccess);
    free_bench(&b);
    free_bench(&alone);
  }
}

/* A code of V that is NaN is so for rows to which its key hardly matters. */
static void nan_in_a_sum_that_shrinks(void **state) {
  (void)state;
  for (int64_t width = 64; width <= 128; width += 64) {
    simt_set_multiprocessors(2);
    bench b = make_bench((fp8attention_problem)SHAPE(1, 1, 1, 900, width),
                         CONTIGUOUS);
    fp8attention_problem *p = &b.problem;
    uint8_t *const k = b.codes[1], *const v = b.codes[2];
    for (int64_t d = 0; d < width; d++) k[d] = (uint8_t)((k[d] & 0x80) | 0x60);
    p->softmax_scale = 64.0f;
    memset(v + 899 * width, NOT_A_NUMBER, (size_t)width);
    forward(&b);
    for (size_t row = 0; row < b.rows; row++)
      if (!isnan(output_decoded(&b, row, 0)))
        fail_msg("row %zu is %g", row, output_decoded(&b, row, 0));
    free_bench(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_layout),
      cmocka_unit_test(long_sums),
      cmocka_unit_test(codes_that_are_nan),
      cmocka_unit_test(nan_in_a_sum_that_shrinks),
      cmocka_unit_test(a_heavy_key),
      cmocka_unit_test(blocks_that_share_keys),
      cmocka_unit_test(numbers_at_their_ends),
      cmocka_unit_test(alone_and_in_a_batch),
  };
  return cmocka_run_group_tests_name("library forward", tests, NULL, NULL);
}
