/* What the library computes: beside the stage's own entry bit by bit, in every
 * layout; and against attention in double, where keys are more or fewer than
 * the queries, with the log-sum-exp of each row, by which parts are merged. */

#include "common/device/interface/attention.h"
#include "tests/library/tensors.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/problem/e4m3.h"
#include "common/harness/problem/half.h"
#include "common/simt/simt.h"

/* Twice what rounding P to E4M3 costs, as in example.py. */
static const double LARGEST_RELATIVE_ERROR = 0.04;
enum { MARGIN = 32, LSE_GUARD = 0x5a };

/* stage_launch of the kernel that does not promote. */
cudaError_t drifting_launch(const attention_args *args, cudaStream_t s);

#define SHAPE(b, h, kv, s, d, ...)                                             \
  {.batch = (b), .heads = (h), .kv_heads = (kv), .seq_len = (s),               \
   .head_dim = (d), __VA_ARGS__}
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static void forward(const fp8attention_problem *p) {
  const simt_finding *all;
  simt_clear();
  simt_set_checks(SIMT_RACES);
  const int code = fp8attention_forward(p, NULL);
  if (code) fail_msg("%s", fp8attention_error_text(code));
  assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
  if (simt_findings(&all)) fail_msg("%s: %s", all->name, all->sentence);
}

/* ---- beside the stage ---- */

/* The stage on contiguous tensors. */
static tensors expected(fp8attention_problem of) {
  tensors t = make_tensors(of, CONTIGUOUS);
  const fp8attention_problem *p = &t.problem;
  const attention_args args = {
      .q = p->q, .k = p->k, .v = p->v, .q_scale = p->q_scale,
      .k_scale = p->k_scale, .v_scale = p->v_scale, .o = p->o,
      .batch = p->batch, .heads = p->heads, .seq_len = p->seq_len,
      .head_dim = p->head_dim, .softmax_scale = p->softmax_scale,
      .kv_heads = p->kv_heads, .causal = p->causal};
  const cudaError_t error =
      p->drift ? drifting_launch(&args, NULL) : stage_launch(&args, NULL);
  assert_int_equal(error, cudaSuccess);
  assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
  return t;
}

static void assert_same(const tensors *t, const tensors *wanted) {
  const fp8attention_problem *p = &t->problem;
  const int64_t rows = p->batch * p->heads * p->seq_len;
  for (int64_t i = 0; i < rows * p->head_dim; i++) {
    const int64_t row = i / p->head_dim, head = row / p->seq_len;
    const int64_t b = head / p->heads, h = head % p->heads;
    const int64_t s = row % p->seq_len, d = i % p->head_dim;
    const uint16_t got = output_at(t, b, h, s, d);
    const uint16_t want = output_at(wanted, b, h, s, d);
    if (got != want || (got & 0x7c00) == 0x7c00)
      fail_msg("o[%d][%d][%d][%d] is %04x, wanted %04x", (int)b, (int)h,
               (int)s, (int)d, got, want);
  }
  /* An output may look like the guard, but then it does so in both. */
  const size_t elements = (size_t)(rows * p->head_dim);
  const size_t looks = guards_left(wanted) + elements - wanted->o_size;
  assert_int_equal(guards_left(t), t->o_size - elements + looks);
}

static void assert_as(const tensors *wanted, fp8attention_problem of,
                      layout layout) {
  tensors t = make_tensors(of, layout);
  forward(&t.problem);
  assert_same(&t, wanted);
  free_tensors(&t);
}

/* A length that is short of a tile, in both head_dims; heads that share; masks.
 * The last are the cases of one batch, one head, one row. */
static void every_layout(void **state) {
  (void)state;
  static const fp8attention_problem shapes[] = {
      SHAPE(2, 4, 2, 97, 64, .causal = 0), SHAPE(2, 4, 2, 97, 128, .causal = 1),
      SHAPE(3, 2, 2, 33, 64, .causal = 1), SHAPE(1, 4, 4, 201, 64, .causal = 0),
      SHAPE(2, 1, 1, 65, 128, .causal = 0),
      SHAPE(1, 6, 1, 130, 64, .causal = 1), SHAPE(2, 2, 1, 1, 64, .causal = 0),
      SHAPE(1, 1, 1, 1, 128, .causal = 1)};
  for (int i = 0; i < COUNT(shapes); i++) {
    tensors wanted = expected(shapes[i]);
    for (layout layout = CONTIGUOUS; layout < LAYOUTS; layout++)
      if (layout != PACKED || shapes[i].heads == shapes[i].kv_heads)
        assert_as(&wanted, shapes[i], layout);
    free_tensors(&wanted);
  }
}

/* Each tensor on its own may have another layout than the others. */
static void mixed_layouts(void **state) {
  (void)state;
  const fp8attention_problem of = SHAPE(2, 4, 2, 97, 64, .causal = 0);
  tensors wanted = expected(of), t = make_tensors(of, PADDED_ROWS);
  tensors other = make_tensors(of, SEQUENCE_FIRST);
  t.problem.k = other.problem.k;
  t.problem.k_strides = other.problem.k_strides;
  forward(&t.problem);
  assert_same(&t, &wanted);
  free_tensors(&other);
  free_tensors(&t);
  free_tensors(&wanted);
}

/* PyTorch leaves anything there where a size is 1. */
static void strides_of_single_things(void **state) {
  (void)state;
  static const int64_t odd[] = {0, 1, -7, INT64_MAX, INT64_MIN};
  const fp8attention_problem of[] = {SHAPE(1, 1, 1, 70, 64, .causal = 0),
                                     SHAPE(2, 2, 2, 1, 64, .causal = 0)};
  for (int i = 0; i < 10; i++) {
    tensors wanted = expected(of[i / 5]);
    tensors t = make_tensors(of[i / 5], CONTIGUOUS);
    fp8attention_strides *all[] = {&t.problem.q_strides, &t.problem.k_strides,
                                   &t.problem.v_strides, &t.problem.o_strides};
    for (int k = 0; k < 4; k++)
      if (i < 5) all[k]->batch = all[k]->head = odd[i];
      else all[k]->row = odd[i - 5];
    forward(&t.problem);
    assert_same(&t, &wanted);
    free_tensors(&t);
    free_tensors(&wanted);
  }
}

static void contiguous_is_filled_in(void **state) {
  (void)state;
  const fp8attention_problem of[] = {
      SHAPE(2, 6, 3, 50, 128, .causal = 0),
      SHAPE(2, 6, 3, 50, 128, .key_len = 31)};
  for (int i = 0; i < 2; i++) {
    tensors t = make_tensors(of[i], CONTIGUOUS);
    const fp8attention_problem before = t.problem;
    fp8attention_problem *p = &t.problem;
    p->q_strides = p->k_strides = p->v_strides = p->o_strides =
        (fp8attention_strides){0, 0, 0};
    fp8attention_contiguous(p);
    assert_memory_equal(p, &before, sizeof before);
    p->seq_len = INT64_MAX;
    fp8attention_contiguous(p); /* no size is too large for it */
    free_tensors(&t);
  }
  fp8attention_contiguous(NULL);
}

/* ---- attention in double ---- */

/* Of codes and scales as they are, and by how much the log-sum-exp of tensor
 * cores may differ from it. */
typedef struct {
  double *o;   /* [batch][heads][seq_len][head_dim] */
  double *lse; /* [batch][heads][seq_len], as the one below */
  double *room;
} reference;

/* wgmma keeps 13 bits below the largest of 32 products and the sum before them:
 * each of these, and the sum after them, loses less than this share of it. The
 * rest is for the logarithm itself. */
static const double SHARE = 0x1p-13, REST = 0x1p-18;
enum { AT_ONCE = 32 };

static double *numbers(int64_t count) {
  double *memory = calloc((size_t)count, sizeof *memory);
  assert_non_null(memory);
  return memory;
}

/* One row; score and largest, the largest number on the way to it, have room
 * for its keys. */
static void row(const fp8attention_problem *p, const uint8_t *q,
                const uint8_t *k, const uint8_t *v, double scale,
                double v_scale, int64_t keys, double *score, double *largest,
                double *o, double *lse, double *room) {
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
  for (int64_t d = 0; d < p->head_dim; d++) o[d] /= l;
  *lse = m + log(l);
  const double cuts = (double)(p->head_dim + 2 * p->head_dim / AT_ONCE);
  *room = cuts * SHARE * reach / l + REST;
}

static reference new_reference(const fp8attention_problem *p) {
  const int64_t rows = p->batch * p->heads * p->seq_len;
  return (reference){numbers(rows * p->head_dim), numbers(rows), numbers(rows)};
}

static reference reference_of(const fp8attention_problem *p) {
  const int64_t rows = p->batch * p->heads * p->seq_len;
  const int64_t all = p->key_len ? p->key_len : p->seq_len;
  reference r = new_reference(p);
  double *score = numbers(all), *largest = numbers(all);
  for (int64_t i = 0; i < rows; i++) {
    const int64_t at = i % p->seq_len, head = i / p->seq_len;
    const int64_t b = head / p->heads, h = head % p->heads;
    const int64_t shared = h / (p->heads / p->kv_heads);
    const int64_t kv_head = b * p->kv_heads + shared;
    row(p, p->q + b * p->q_strides.batch + h * p->q_strides.head +
               at * p->q_strides.row,
        p->k + b * p->k_strides.batch + shared * p->k_strides.head,
        p->v + b * p->v_strides.batch + shared * p->v_strides.head,
        (double)p->softmax_scale * p->q_scale[head] * p->k_scale[kv_head],
        p->v_scale[kv_head], p->causal ? at + 1 : all, score, largest,
        r.o + i * p->head_dim, r.lse + i, r.room + i);
  }
  free(score);
  free(largest);
  return r;
}

static void free_reference(reference *r) {
  free(r->o);
  free(r->lse);
  free(r->room);
}

/* ---- against the reference ---- */

/* A problem, and room for lse between guards. */
typedef struct {
  tensors t;
  float *room;
  size_t rows;
} bench;

/* Small codes, so that many keys have a share in each row. */
static void make_small(tensors *t) {
  for (int i = 0; i < 3; i++)
    for (size_t n = 0; n < t->codes_size[i]; n++)
      if (t->codes[i][n] != NOT_A_NUMBER) t->codes[i][n] &= 0xbf;
  t->problem.softmax_scale = 4.0f;
}

static bench make_bench(fp8attention_problem sizes, layout layout) {
  bench b = {.t = make_tensors(sizes, layout),
             .rows = (size_t)(sizes.batch * sizes.heads * sizes.seq_len)};
  const size_t bytes = (b.rows + 2 * MARGIN) * sizeof(float);
  make_small(&b.t);
  assert_int_equal(cudaMalloc((void **)&b.room, bytes), cudaSuccess);
  memset(b.room, LSE_GUARD, bytes);
  b.t.problem.lse = b.room + MARGIN;
  return b;
}

static void free_bench(bench *b) {
  free_tensors(&b->t);
  assert_int_equal(cudaFree(b->room), cudaSuccess);
}

static void assert_near(const reference *got, const reference *wanted,
                        size_t rows, int64_t width) {
  double off = 0.0, all = 0.0;
  for (size_t i = 0; i < rows * (size_t)width; i++) {
    off += (got->o[i] - wanted->o[i]) * (got->o[i] - wanted->o[i]);
    all += wanted->o[i] * wanted->o[i];
  }
  if (!(sqrt(off / all) <= LARGEST_RELATIVE_ERROR))
    fail_msg("the output is off by %g", sqrt(off / all));
  for (size_t i = 0; i < rows; i++)
    if (!(fabs(got->lse[i] - wanted->lse[i]) <= wanted->room[i]))
      fail_msg("lse of row %zu is %.7g, wanted %.7g within %.2g", i,
               got->lse[i], wanted->lse[i], wanted->room[i]);
}

/* What came out, as a reference has it. */
static reference read_out(const bench *b) {
  const fp8attention_problem *p = &b->t.problem;
  reference r = new_reference(p);
  for (int64_t i = 0; i < (int64_t)b->rows; i++) {
    const int64_t head = i / p->seq_len;
    r.lse[i] = p->lse[i];
    for (int64_t d = 0; d < p->head_dim; d++)
      r.o[i * p->head_dim + d] = half_decode(output_at(
          &b->t, head / p->heads, head % p->heads, i % p->seq_len, d));
  }
  return r;
}

static void assert_right(const bench *b) {
  unsigned char guard[MARGIN * sizeof(float)];
  reference wanted = reference_of(&b->t.problem), got = read_out(b);
  memset(guard, LSE_GUARD, sizeof guard);
  assert_near(&got, &wanted, b->rows, b->t.problem.head_dim);
  assert_memory_equal(b->room, guard, sizeof guard);
  assert_memory_equal(b->room + MARGIN + b->rows, guard, sizeof guard);
  free_reference(&wanted);
  free_reference(&got);
}

/* Fewer keys, more, one; tiles that are full and tiles that are not; one query;
 * with a mask as many as rows, said and not said. On 132 multiprocessors
 * warpgroups share out the keys, on 2 they do not. */
static void numbers_of_keys(void **state) {
  (void)state;
  static const fp8attention_problem shapes[] = {
      SHAPE(1, 2, 1, 97, 64, .key_len = 40),
      SHAPE(1, 2, 2, 33, 64, .key_len = 300),
      SHAPE(2, 2, 1, 65, 64, .key_len = 1),
      SHAPE(1, 2, 1, 70, 128, .key_len = 129),
      SHAPE(2, 4, 2, 1, 128, .key_len = 200),
      SHAPE(1, 1, 1, 130, 128, .key_len = 64),
      SHAPE(1, 2, 1, 70, 128, .key_len = 1),
      SHAPE(1, 4, 2, 97, 64, .causal = 1),
      SHAPE(1, 2, 1, 66, 128, .causal = 1, .key_len = 66),
      SHAPE(1, 1, 1, 200, 64, .key_len = 256)};
  for (int i = 0; i < 2 * COUNT(shapes); i++) {
    simt_set_multiprocessors(i % 2 ? 2 : 132);
    bench b = make_bench(shapes[i / 2], i % 2 ? PADDED_HEADS : SEQUENCE_FIRST);
    forward(&b.t.problem);
    assert_right(&b);
    free_bench(&b);
  }
}

/* More keys than a chain has: the output's bits tell who added it up. They are
 * the same where nobody wants an lse. */
static void long_sums(void **state) {
  (void)state;
  simt_set_multiprocessors(2); /* so that one warpgroup has all keys */
  fp8attention_problem plain = SHAPE(1, 1, 1, 1200, 64, .causal = 0);
  fp8attention_problem keys = SHAPE(1, 1, 1, 5, 64, .key_len = 1100);
  tensors promoted = expected(plain);
  for (int drift = 0; drift < 2; drift++) {
    plain.drift = keys.drift = drift;
    tensors wanted = expected(plain);
    assert_as(&wanted, plain, SEQUENCE_FIRST);
    const size_t size = wanted.o_size * sizeof *wanted.o;
    assert_int_equal(memcmp(wanted.o, promoted.o, size) != 0, drift);
    free_tensors(&wanted);
    bench b = make_bench(keys, CONTIGUOUS);
    tensors without = make_tensors(keys, CONTIGUOUS);
    make_small(&without);
    forward(&b.t.problem);
    forward(&without.problem);
    assert_right(&b);
    assert_memory_equal(b.t.o, without.o, b.t.o_size * sizeof *b.t.o);
    free_tensors(&without);
    free_bench(&b);
  }
  free_tensors(&promoted);
}

/* The first keys in one call, the others in a second. */
static void merged(int64_t first, fp8attention_problem sizes) {
  bench a = make_bench(sizes, CONTIGUOUS), b = make_bench(sizes, CONTIGUOUS);
  const int64_t width = sizes.head_dim;
  reference wanted = reference_of(&a.t.problem);
  a.t.problem.key_len = first;
  b.t.problem.key_len = sizes.key_len - first;
  b.t.problem.k += first * width;
  b.t.problem.v += first * width;
  forward(&a.t.problem);
  forward(&b.t.problem);
  assert_right(&a);
  assert_right(&b);
  reference all = read_out(&a), rest = read_out(&b);
  for (size_t i = 0; i < a.rows; i++) {
    const double share = 1.0 / (1.0 + exp(all.lse[i] - rest.lse[i]));
    for (size_t k = i * (size_t)width; k < (i + 1) * (size_t)width; k++)
      all.o[k] -= share * (all.o[k] - rest.o[k]);
    all.lse[i] += log1p(exp(rest.lse[i] - all.lse[i]));
  }
  assert_near(&all, &wanted, a.rows, width);
  free_reference(&wanted);
  free_reference(&all);
  free_reference(&rest);
  free_bench(&a);
  free_bench(&b);
}

static void two_parts(void **state) {
  (void)state;
  const fp8attention_problem long_ones = SHAPE(1, 2, 2, 33, 64, .key_len = 300);
  simt_set_multiprocessors(132);
  merged(100, long_ones);
  merged(1, long_ones);
  merged(128, (fp8attention_problem)SHAPE(1, 2, 1, 70, 128, .key_len = 129));
  merged(77, (fp8attention_problem)SHAPE(2, 4, 2, 1, 128, .key_len = 200));
}

/* Which rows have no finite lse: those of `head` from `first` on, or none. */
static void assert_lost(const bench *b, int64_t head, int64_t first,
                        int64_t end) {
  const fp8attention_problem *p = &b->t.problem;
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
    const fp8attention_problem *p = &b.t.problem;
    uint8_t *q = b.t.codes[0] + (p->q - b.t.codes[0]);
    uint8_t *k = b.t.codes[1] + (p->k - b.t.codes[1]);
    uint8_t *v = b.t.codes[2] + (p->v - b.t.codes[2]);
    memset(v + 7 * 64, NOT_A_NUMBER, 64);
    forward(p);
    assert_lost(&b, 0, 0, 0);
    memset(q + (97 + 13) * 64, NOT_A_NUMBER, 64);
    forward(p);
    assert_lost(&b, 1, 13, 14);
    memset(q + (97 + 13) * 64, 0, 64);
    k[39 * 64 + 5] = 0xff;
    forward(p);
    assert_lost(&b, 0, 0, 97);
    free_bench(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_layout),
      cmocka_unit_test(mixed_layouts),
      cmocka_unit_test(strides_of_single_things),
      cmocka_unit_test(contiguous_is_filled_in),
      cmocka_unit_test(numbers_of_keys),
      cmocka_unit_test(long_sums),
      cmocka_unit_test(two_parts),
      cmocka_unit_test(codes_that_are_nan),
  };
  return cmocka_run_group_tests_name("library forward", tests, NULL, NULL);
}
