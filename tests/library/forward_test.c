/* What the library computes, beside the stage's own entry. */

#include "common/device/interface/attention.h"
#include "common/simt/simt.h"
#include "tests/library/tensors.h"

#include <cuda_runtime_api.h>
#include <string.h>

static fp8attention_problem shape(int64_t batch, int64_t heads,
                                  int64_t kv_heads, int64_t seq_len,
                                  int64_t head_dim, int causal) {
  return (fp8attention_problem){.batch = batch,
                                .heads = heads,
                                .kv_heads = kv_heads,
                                .seq_len = seq_len,
                                .head_dim = head_dim,
                                .causal = causal};
}

/* stage_launch of the kernel that does not promote. */
cudaError_t drifting_launch(const attention_args *args, cudaStream_t s);

/* A length that is short of a tile, in both head_dims; heads that share; masks.
 * The last are the cases of one batch, one head, one row. */
static const struct {
  int batch, heads, kv_heads, seq_len, head_dim, causal;
} shapes[] = {
    {2, 4, 2, 97, 64, 0},  {2, 4, 2, 97, 128, 1}, {3, 2, 2, 33, 64, 1},
    {1, 4, 4, 201, 64, 0}, {2, 1, 1, 65, 128, 0}, {1, 6, 1, 130, 64, 1},
    {2, 2, 1, 1, 64, 0},   {1, 1, 1, 1, 128, 1},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static fp8attention_problem shape_at(int i) {
  return shape(shapes[i].batch, shapes[i].heads, shapes[i].kv_heads,
               shapes[i].seq_len, shapes[i].head_dim, shapes[i].causal);
}

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

static void assert_no_findings(void) {
  const simt_finding *all;
  if (simt_findings(&all)) fail_msg("%s: %s", all->name, all->sentence);
}

static void assert_same(const tensors *t, const tensors *wanted) {
  const fp8attention_problem *p = &t->problem;
  const int64_t elements = p->batch * p->heads * p->seq_len * p->head_dim;
  for (int64_t b = 0; b < p->batch; b++)
    for (int64_t h = 0; h < p->heads; h++)
      for (int64_t s = 0; s < p->seq_len; s++)
        for (int64_t d = 0; d < p->head_dim; d++) {
          const uint16_t got = output_at(t, b, h, s, d);
          const uint16_t want = output_at(wanted, b, h, s, d);
          if (got != want || (got & 0x7c00) == 0x7c00)
            fail_msg("o[%d][%d][%d][%d] is %04x, wanted %04x", (int)b, (int)h,
                     (int)s, (int)d, got, want);
        }
  /* An output may look like the guard, but then it does so in both. */
  const size_t looks = guards_left(wanted) + (size_t)elements - wanted->o_size;
  assert_int_equal(guards_left(t), t->o_size - (size_t)elements + looks);
}

static void forward(tensors *t) {
  simt_clear();
  simt_set_checks(SIMT_RACES);
  const int code = fp8attention_forward(&t->problem, NULL);
  if (code) fail_msg("%s", fp8attention_error_text(code));
  assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
  assert_no_findings();
}

static void as_the_stage(layout layout) {
  for (int i = 0; i < SHAPES; i++) {
    if (layout == PACKED && shapes[i].heads != shapes[i].kv_heads) continue;
    tensors wanted = expected(shape_at(i));
    tensors t = make_tensors(shape_at(i), layout);
    forward(&t);
    assert_same(&t, &wanted);
    free_tensors(&t);
    free_tensors(&wanted);
  }
}

static void contiguous_tensors(void **state) {
  (void)state;
  as_the_stage(CONTIGUOUS);
}
static void sequence_first(void **state) {
  (void)state;
  as_the_stage(SEQUENCE_FIRST);
}
static void padded_rows(void **state) {
  (void)state;
  as_the_stage(PADDED_ROWS);
}
static void padded_heads(void **state) {
  (void)state;
  as_the_stage(PADDED_HEADS);
}
static void padded_batches(void **state) {
  (void)state;
  as_the_stage(PADDED_BATCHES);
}
static void packed(void **state) {
  (void)state;
  as_the_stage(PACKED);
}

/* More keys than a chain has: the output's bits tell who added it up. */
static void long_sums(void **state) {
  (void)state;
  simt_set_multiprocessors(2); /* so that one warpgroup has all keys */
  fp8attention_problem sizes = shape(1, 1, 1, 1200, 64, 0);
  tensors promoted = expected(sizes);
  for (int drift = 0; drift < 2; drift++) {
    sizes.drift = drift;
    tensors wanted = expected(sizes);
    tensors t = make_tensors(sizes, SEQUENCE_FIRST);
    forward(&t);
    assert_same(&t, &wanted);
    const size_t size = wanted.o_size * sizeof *wanted.o;
    assert_int_equal(memcmp(wanted.o, promoted.o, size) != 0, drift);
    free_tensors(&t);
    free_tensors(&wanted);
  }
  free_tensors(&promoted);
}

/* Each tensor on its own may have another layout than the others. */
static void mixed_layouts(void **state) {
  (void)state;
  tensors wanted = expected(shape_at(0));
  tensors t = make_tensors(shape_at(0), PADDED_ROWS);
  tensors other = make_tensors(shape_at(0), SEQUENCE_FIRST);
  t.problem.k = other.problem.k;
  t.problem.k_strides = other.problem.k_strides;
  forward(&t);
  assert_same(&t, &wanted);
  free_tensors(&other);
  free_tensors(&t);
  free_tensors(&wanted);
}

/* PyTorch leaves anything there where a size is 1. */
static void strides_of_single_things(void **state) {
  (void)state;
  const fp8attention_problem sizes = shape(1, 1, 1, 70, 64, 0);
  static const int64_t odd[] = {0, 1, -7, INT64_MAX, INT64_MIN};
  tensors wanted = expected(sizes);
  for (int i = 0; i < 5; i++) {
    tensors t = make_tensors(sizes, CONTIGUOUS);
    fp8attention_strides *all[] = {&t.problem.q_strides, &t.problem.k_strides,
                                   &t.problem.v_strides, &t.problem.o_strides};
    for (int k = 0; k < 4; k++) all[k]->batch = all[k]->head = odd[i];
    forward(&t);
    assert_same(&t, &wanted);
    free_tensors(&t);
  }
  free_tensors(&wanted);
  tensors row = make_tensors(shape(2, 2, 2, 1, 64, 0), CONTIGUOUS);
  row.problem.q_strides.row = row.problem.o_strides.row = 3;
  row.problem.k_strides.row = row.problem.v_strides.row = -1;
  forward(&row);
  free_tensors(&row);
}

static void contiguous_is_filled_in(void **state) {
  (void)state;
  tensors t = make_tensors(shape(2, 6, 3, 50, 128, 0), CONTIGUOUS);
  const fp8attention_problem before = t.problem;
  fp8attention_problem *p = &t.problem;
  p->q_strides = p->k_strides = p->v_strides = p->o_strides =
      (fp8attention_strides){0, 0, 0};
  fp8attention_contiguous(p);
  assert_memory_equal(p, &before, sizeof before);
  fp8attention_contiguous(NULL);
  p->seq_len = INT64_MAX;
  fp8attention_contiguous(p); /* no size is too large for it */
  free_tensors(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contiguous_tensors),
      cmocka_unit_test(sequence_first),
      cmocka_unit_test(padded_rows),
      cmocka_unit_test(padded_heads),
      cmocka_unit_test(padded_batches),
      cmocka_unit_test(packed),
      cmocka_unit_test(long_sums),
      cmocka_unit_test(mixed_layouts),
      cmocka_unit_test(strides_of_single_things),
      cmocka_unit_test(contiguous_is_filled_in),
  };
  return cmocka_run_group_tests_name("library forward", tests, NULL, NULL);
}
