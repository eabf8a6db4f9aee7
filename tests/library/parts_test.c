/* Keys that are more or fewer than the queries, the log-sum-exp of each row,
 * and two parts of the keys merged by it. */

#include "tests/library/reference.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/problem/half.h"
#include "common/simt/simt.h"

/* Twice what rounding P to E4M3 costs, as in example.py. */
static const double LARGEST_RELATIVE_ERROR = 0.04;
enum { MARGIN = 32, LSE_GUARD = 0x5a };

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

static void forward(const fp8attention_problem *p) {
  const simt_finding *all;
  simt_clear();
  simt_set_checks(SIMT_RACES);
  const int code = fp8attention_forward(p, NULL);
  if (code) fail_msg("%s", fp8attention_error_text(code));
  assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
  if (simt_findings(&all)) fail_msg("%s: %s", all->name, all->sentence);
}

static void assert_guarded(const bench *b) {
  unsigned char guard[MARGIN * sizeof(float)];
  memset(guard, LSE_GUARD, sizeof guard);
  assert_memory_equal(b->room, guard, sizeof guard);
  assert_memory_equal(b->room + MARGIN + b->rows, guard, sizeof guard);
}

static void assert_near(const double *o, const double *lse,
                        const reference *wanted, size_t rows, int64_t width) {
  double off = 0.0, all = 0.0;
  for (size_t i = 0; i < rows * (size_t)width; i++) {
    off += (o[i] - wanted->o[i]) * (o[i] - wanted->o[i]);
    all += wanted->o[i] * wanted->o[i];
  }
  if (!(sqrt(off / all) <= LARGEST_RELATIVE_ERROR))
    fail_msg("the output is off by %g", sqrt(off / all));
  for (size_t i = 0; i < rows; i++)
    if (!(fabs(lse[i] - wanted->lse[i]) <= wanted->room[i]))
      fail_msg("lse of row %zu is %.7g, wanted %.7g within %.2g", i, lse[i],
               wanted->lse[i], wanted->room[i]);
}

/* What came out, [batch][heads][seq_len][head_dim], in double. */
static void read_out(const bench *b, double *o, double *lse) {
  const fp8attention_problem *p = &b->t.problem;
  for (int64_t i = 0; i < (int64_t)b->rows; i++) {
    const int64_t head = i / p->seq_len;
    lse[i] = p->lse[i];
    for (int64_t d = 0; d < p->head_dim; d++)
      o[i * p->head_dim + d] = half_decode(output_at(
          &b->t, head / p->heads, head % p->heads, i % p->seq_len, d));
  }
}

static double *numbers(size_t count) {
  double *memory = malloc(count * sizeof *memory);
  assert_non_null(memory);
  return memory;
}

static void assert_right(const bench *b) {
  const int64_t width = b->t.problem.head_dim;
  double *o = numbers(b->rows * (size_t)width), *lse = numbers(b->rows);
  reference wanted = reference_of(&b->t.problem);
  read_out(b, o, lse);
  assert_near(o, lse, &wanted, b->rows, width);
  assert_guarded(b);
  free_reference(&wanted);
  free(o);
  free(lse);
}

/* Fewer keys, more, one; tiles that are full and tiles that are not; one query;
 * with a mask as many as rows, said and not said. */
static const struct {
  int batch, heads, kv_heads, seq_len, key_len, head_dim, causal;
} shapes[] = {
    {1, 2, 1, 97, 40, 64, 0},   {1, 2, 2, 33, 300, 64, 0},
    {2, 2, 1, 65, 1, 64, 0},    {1, 2, 1, 70, 129, 128, 0},
    {2, 4, 2, 1, 200, 128, 0},  {1, 1, 1, 130, 64, 128, 0},
    {1, 2, 1, 70, 1, 128, 0},   {1, 4, 2, 97, 0, 64, 1},
    {1, 2, 1, 66, 66, 128, 1},  {1, 1, 1, 200, 256, 64, 0},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static fp8attention_problem shape_at(int i) {
  return (fp8attention_problem){
      .batch = shapes[i].batch, .heads = shapes[i].heads,
      .kv_heads = shapes[i].kv_heads, .seq_len = shapes[i].seq_len,
      .head_dim = shapes[i].head_dim, .causal = shapes[i].causal,
      .key_len = shapes[i].key_len};
}

/* On 132 multiprocessors warpgroups share out the keys, on 2 they do not. */
static void against_the_reference(int multiprocessors, layout layout) {
  simt_set_multiprocessors(multiprocessors);
  for (int i = 0; i < SHAPES; i++) {
    bench b = make_bench(shape_at(i), layout);
    forward(&b.t.problem);
    assert_right(&b);
    free_bench(&b);
  }
}

static void keys_split(void **state) {
  (void)state;
  against_the_reference(132, SEQUENCE_FIRST);
}

static void keys_together(void **state) {
  (void)state;
  against_the_reference(2, PADDED_HEADS);
}

/* With promotion, without, and where nobody wants an lse. */
static void long_sums(void **state) {
  (void)state;
  simt_set_multiprocessors(2);
  fp8attention_problem sizes = shape_at(1);
  sizes.heads = sizes.kv_heads = 1;
  sizes.seq_len = 5;
  sizes.key_len = 1100;
  for (int drift = 0; drift < 2; drift++) {
    sizes.drift = drift;
    bench b = make_bench(sizes, CONTIGUOUS);
    tensors without = make_tensors(sizes, CONTIGUOUS);
    make_small(&without);
    forward(&b.t.problem);
    forward(&without.problem);
    assert_right(&b);
    assert_memory_equal(b.t.o, without.o, b.t.o_size * sizeof *b.t.o);
    free_tensors(&without);
    free_bench(&b);
  }
}

/* The first keys in one call, the others in a second. */
static void merged(int64_t first, fp8attention_problem sizes) {
  bench a = make_bench(sizes, CONTIGUOUS), b = make_bench(sizes, CONTIGUOUS);
  const int64_t width = sizes.head_dim;
  const size_t values = a.rows * (size_t)width;
  double *o = numbers(values), *lse = numbers(a.rows);
  double *o_b = numbers(values), *lse_b = numbers(a.rows);
  reference wanted = reference_of(&a.t.problem);
  a.t.problem.key_len = first;
  b.t.problem.key_len = sizes.key_len - first;
  b.t.problem.k += first * width;
  b.t.problem.v += first * width;
  forward(&a.t.problem);
  forward(&b.t.problem);
  assert_right(&a);
  assert_right(&b);
  read_out(&a, o, lse);
  read_out(&b, o_b, lse_b);
  for (size_t i = 0; i < a.rows; i++) {
    const double share = 1.0 / (1.0 + exp(lse[i] - lse_b[i]));
    for (int64_t d = 0; d < width; d++) {
      const size_t at = i * (size_t)width + (size_t)d;
      o[at] -= share * (o[at] - o_b[at]);
    }
    lse[i] += log1p(exp(lse_b[i] - lse[i]));
  }
  assert_near(o, lse, &wanted, a.rows, width);
  free_reference(&wanted);
  free(o);
  free(lse);
  free(o_b);
  free(lse_b);
  free_bench(&a);
  free_bench(&b);
}

static void two_parts(void **state) {
  (void)state;
  simt_set_multiprocessors(132);
  merged(100, shape_at(1));
  merged(1, shape_at(1));
  merged(128, shape_at(3));
  merged(77, shape_at(4));
}

/* Which rows have no finite lse: those of `head` from `row` on, or none. */
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
  fp8attention_problem sizes = shape_at(0);
  sizes.kv_heads = 2;
  for (int i = 0; i < 2; i++) {
    simt_set_multiprocessors(i ? 2 : 132);
    bench b = make_bench(sizes, CONTIGUOUS);
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

/* The tensors of a part are contiguous by their own length. */
static void contiguous_parts(void **state) {
  (void)state;
  fp8attention_problem p = {.batch = 2, .heads = 6, .kv_heads = 3,
                            .seq_len = 50, .head_dim = 128, .key_len = 31};
  fp8attention_contiguous(&p);
  assert_int_equal(p.q_strides.batch, 6 * 50 * 128);
  assert_int_equal(p.o_strides.head, 50 * 128);
  assert_int_equal(p.k_strides.batch, 3 * 31 * 128);
  assert_int_equal(p.v_strides.head, 31 * 128);
  assert_int_equal(p.k_strides.row, 128);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys_split),       cmocka_unit_test(keys_together),
      cmocka_unit_test(long_sums),        cmocka_unit_test(two_parts),
      cmocka_unit_test(codes_that_are_nan),
      cmocka_unit_test(contiguous_parts),
  };
  return cmocka_run_group_tests_name("library parts", tests, NULL, NULL);
}
