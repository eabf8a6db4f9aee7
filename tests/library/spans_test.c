/* How far tensors reach: no further than memory can, and o not into others. */

#include "tests/library/tensors.h"

#include <cuda_runtime_api.h>
#include <string.h>

static tensors t;

static int prepare(void **state) {
  (void)state;
  const fp8attention_problem sizes = {
      .batch = 2, .heads = 4, .kv_heads = 2, .seq_len = 70, .head_dim = 64};
  t = make_tensors(sizes, CONTIGUOUS);
  return 0;
}

static int release(void **state) {
  (void)state;
  free_tensors(&t);
  return 0;
}

static void returns(const fp8attention_problem *p, int wanted) {
  const int got = fp8attention_forward(p, NULL);
  if (got != wanted)
    fail_msg("returned %d (%s), wanted %d", got, fp8attention_error_text(got),
             wanted);
  assert_int_equal(guards_left(&t), t.o_size);
}

#define INPUT FP8ATTENTION_BAD_INPUT_STRIDE
#define OUTPUT FP8ATTENTION_BAD_OUTPUT_STRIDE

/* As many rows as there may be: nothing is read of what is refused. */
static fp8attention_problem many_rows(void) {
  fp8attention_problem p = t.problem;
  p.batch = p.heads = p.kv_heads = 1;
  p.seq_len = INT64_C(1) << 30;
  p.o_strides.row = 64;
  p.q_strides.row = p.k_strides.row = p.v_strides.row = 64;
  return p;
}

static void inputs(void **state) {
  (void)state;
  /* (2^30 - 1) * 2^30 + 64 elements are the first within 2^60, so that only o
   * is in the way, which they reach. */
  const int64_t over = (INT64_C(1) << 30) + 16, within = INT64_C(1) << 30;
  fp8attention_problem p = many_rows();
  p.q_strides.row = over;
  returns(&p, INPUT);
  p.q_strides.row = 64;
  p.k_strides.row = over;
  returns(&p, INPUT);
  p.k_strides.row = 64;
  p.v_strides.row = over;
  returns(&p, INPUT);
  p.v_strides.row = within;
  returns(&p, FP8ATTENTION_OVERLAP);
}

static void all_dimensions_count(void **state) {
  (void)state;
  const int64_t most = (INT64_C(1) << 40) - 16;
  fp8attention_problem p = t.problem;
  p.batch = p.heads = p.kv_heads = 1024;
  p.seq_len = 1024;
  p.o_strides = (fp8attention_strides){1 << 26, 1 << 16, 64};
  p.q_strides = p.k_strides = p.v_strides = p.o_strides;
  p.k_strides = (fp8attention_strides){most, most, most};
  returns(&p, FP8ATTENTION_OVERLAP);
  p.batch = 1 << 20;
  p.seq_len = 1;
  p.k_strides.batch = most;
  returns(&p, INPUT);
}

static void output(void **state) {
  (void)state;
  fp8attention_problem p = many_rows();
  p.o_strides.row = (INT64_C(1) << 30) + 4;
  returns(&p, OUTPUT);
}

/* Element `at` of o lies where byte `byte` of the other begins. */
static void lies(const void *other, int64_t byte, int64_t at, int wanted) {
  fp8attention_problem p = t.problem;
  p.o = (uint16_t *)((uintptr_t)other + (uintptr_t)(byte - 2 * at));
  returns(&p, wanted);
}

/* lse is so small that each of the others can lie around it, or begin at its
 * last byte. */
static void lse_overlaps(void **state) {
  (void)state;
  fp8attention_problem p = t.problem;
  const int64_t rows = p.batch * p.heads * p.seq_len, all = rows * p.head_dim;
  const struct {
    const void *begin;
    int64_t bytes;
  } others[] = {{p.q, all},       {p.k, all / 2},   {p.v, all / 2},
                {p.q_scale, 32},  {p.k_scale, 16},  {p.v_scale, 16},
                {p.o, 2 * all}};
  for (int i = 0; i < 7; i++) {
    const uintptr_t begin = (uintptr_t)others[i].begin;
    const uintptr_t last = begin + (uintptr_t)others[i].bytes - 4;
    p.lse = (float *)begin;
    returns(&p, FP8ATTENTION_OVERLAP);
    p.lse = (float *)last;
    returns(&p, FP8ATTENTION_OVERLAP);
    p.lse = (float *)(begin - (uintptr_t)(4 * rows) + 4);
    returns(&p, FP8ATTENTION_OVERLAP);
  }
}

/* k and v reach as far as their own rows do. */
static void keys_of_their_own(void **state) {
  (void)state;
  fp8attention_problem p = t.problem;
  p.key_len = 35;
  const int64_t one = 35 * 64, shared = p.batch * p.kv_heads * 35 * 64;
  p.k_strides.batch = p.v_strides.batch = p.kv_heads * one;
  p.k_strides.head = p.v_strides.head = one;
  p.lse = (float *)((uintptr_t)p.k + (uintptr_t)shared - 4);
  returns(&p, FP8ATTENTION_OVERLAP);
  fp8attention_problem many = many_rows();
  many.seq_len = 1;
  many.key_len = INT64_C(1) << 30;
  many.v_strides.row = (INT64_C(1) << 30) + 16;
  returns(&many, INPUT);
  p.lse = (float *)((uintptr_t)p.k + (uintptr_t)shared);
  assert_int_equal(fp8attention_forward(&p, NULL), FP8ATTENTION_OK);
}

static void overlaps(void **state) {
  (void)state;
  const fp8attention_problem *p = &t.problem;
  const int64_t all = p->batch * p->heads * p->seq_len * p->head_dim;
  const int64_t shared = all / 2;
  const struct {
    const void *begin;
    int64_t bytes;
  } others[] = {{p->q, all},      {p->k, shared},   {p->v, shared},
                {p->q_scale, 32}, {p->k_scale, 16}, {p->v_scale, 16}};
  for (int i = 0; i < 6; i++) {
    lies(others[i].begin, 0, 0, FP8ATTENTION_OVERLAP);
    lies(others[i].begin, others[i].bytes - 8, 0, FP8ATTENTION_OVERLAP);
    lies(others[i].begin, 0, all - 4, FP8ATTENTION_OVERLAP);
  }
}

/* Side by side, in one allocation, they are apart. */
static void neighbours(void **state) {
  (void)state;
  fp8attention_problem p = t.problem;
  const int64_t all = p.batch * p.heads * p.seq_len * p.head_dim;
  void *memory = NULL;
  assert_int_equal(cudaMalloc(&memory, (size_t)(3 * all)), cudaSuccess);
  memset(memory, 0, (size_t)(3 * all));
  p.q = memory;
  p.o = (uint16_t *)((char *)memory + all);
  assert_int_equal(fp8attention_forward(&p, NULL), FP8ATTENTION_OK);
  p.o = memory;
  p.q = (const uint8_t *)memory + 2 * all;
  assert_int_equal(fp8attention_forward(&p, NULL), FP8ATTENTION_OK);
  p.q -= 16;
  returns(&p, FP8ATTENTION_OVERLAP);
  assert_int_equal(cudaFree(memory), cudaSuccess);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, prepare, release)
  const struct CMUnitTest tests[] = {
      TEST(inputs),   TEST(all_dimensions_count), TEST(output),
      TEST(overlaps), TEST(neighbours), TEST(lse_overlaps),
      TEST(keys_of_their_own),
  };
  return cmocka_run_group_tests_name("library spans", tests, NULL, NULL);
}
