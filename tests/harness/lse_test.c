/* The judge of log-sum-exp, and who is asked for one. */

#include "tests/harness/unit.h"

#include <stdlib.h>

#include "tests/harness/textbook.h"

/* A problem, its sample, and the log-sum-exp that is judged. */
typedef struct {
  problem p;
  references r;
  float *lse, *right;
  int64_t rows;
} bench;

static float right_row(const problem *p, int64_t row, int64_t skipped) {
  long double o[64], reach;
  return (float)textbook(p, true, row, skipped, o, &reach);
}

static void make_bench(bench *b, const char *shape, distribution d) {
  make_problem(&b->p, shape, d, 1);
  make_references(&b->r, &b->p, P_FP32);
  b->rows = b->p.shape.batch * b->p.shape.heads * b->p.shape.seq_len;
  b->lse = malloc((size_t)b->rows * sizeof *b->lse);
  b->right = malloc((size_t)b->rows * sizeof *b->right);
  for (int64_t i = 0; i < b->rows; i++)
    b->lse[i] = b->right[i] = right_row(&b->p, i, 0);
}

static void free_bench(bench *b) {
  problem_free(&b->p);
  references_free(&b->r);
  free(b->lse);
  free(b->right);
}

/* Judges, and puts the right numbers back. */
static void assert_judged(bench *b, bool passes, const char *what) {
  const lse_result result = lse_judge(b->lse, &b->p, &b->r);
  if (!result.judged || lse_passed(&result) != passes)
    fail_msg("%s: %g, limit %g", what, result.figure, result.limit);
  memcpy(b->lse, b->right, (size_t)b->rows * sizeof *b->lse);
}

/* All rows changed alike, as a wrong constant would. */
static void test_wrong_constants(void **state) {
  const struct {
    const char *what;
    double factor, added;
    bool passes;
  } changes[] = {{"right", 1.0, 0.0, true},
                 {"in base 2", 1.0 / log(2.0), 0.0, false},
                 {"P's shift left in", 1.0, 4.0 * log(2.0), false},
                 {"zeros", 0.0, 0.0, false},
                 {"0.001 too large", 1.0, 0.001, false},
                 {"0.0001 too large", 1.0, 0.0001, true}};
  bench b;
  make_bench(&b, "2,4:2,65,64,causal", NORMAL);
  for (int i = 0; i < 6; i++) {
    for (int64_t row = 0; row < b.rows; row++)
      b.lse[row] =
          (float)(changes[i].factor * b.right[row] + changes[i].added);
    assert_judged(&b, changes[i].passes, changes[i].what);
  }
  free_bench(&b);
}

/* What is wrong in a few rows only; outside of the sample what is not finite
 * shows. */
static void test_wrong_rows(void **state) {
  bench b;
  make_bench(&b, "1,2,130,64", NORMAL);
  for (int64_t i = 0; i < b.rows; i++)
    b.lse[i] = right_row(&b.p, i, 1);
  assert_judged(&b, false, "a key left out");
  memmove(b.lse, b.lse + 1, (size_t)(b.rows - 1) * sizeof *b.lse);
  assert_judged(&b, false, "one row shifted");
  memset(b.lse, 0xFF, (size_t)b.rows * sizeof *b.lse);
  assert_judged(&b, false, "stale");
  const float bad[] = {NAN, INFINITY, -INFINITY, b.right[200] + 0.1f};
  for (int outside = 0; outside < 2; outside++) {
    for (int i = 0; i < 4; i++) {
      b.lse[200] = bad[i];
      assert_judged(&b, outside && i == 3, "one row wrong");
    }
    b.r.count = 40;
  }
  free_bench(&b);
}

/* ---- the harness asks who returns it, and nobody else ---- */

enum { ROWS = 2 * 33 };
static float returned[ROWS];
static bool asked, poisoned, writes;

static cudaError_t launch(const attention_args *args, cudaStream_t stream) {
  (void)stream;
  asked = poisoned = args->lse != NULL;
  for (int i = 0; asked && i < ROWS; i++)
    poisoned = poisoned && !(fabsf(args->lse[i]) < 1e20f);
  if (asked && writes) memcpy(args->lse, returned, sizeof returned);
  return cudaSuccess;
}

static void assert_checked(int takes, bool judged, bool passes) {
  const attention_support support = {{64}, takes, P_FP32, 0};
  const stage_object object = {
      .stage = "stage99_x", .launch = launch, .support = &support};
  const stage_object *const objects[] = {&object};
  check_case c = {.name = "x", .shape = {.batch = 1, .heads = 2, .seq_len = 33,
                  .head_dim = 64, .kv_heads = 2}, .seed = 1};
  check_result result;
  reason why = {""};
  assert_int_equal(check_case_run(objects, 1, &c, &result, &why), 0);
  assert_true(result.ran);
  assert_true(asked == judged && poisoned == judged);
  assert_true(result.lse.judged == judged);
  assert_true(lse_passed(&result.lse) == passes);
}

static void test_who_is_asked_and_that_it_decides(void **state) {
  bench b;
  make_bench(&b, "1,2,33,64", NORMAL);
  memcpy(returned, b.lse, sizeof returned);
  free_bench(&b);
  writes = true;
  assert_checked(0, false, true);
  assert_checked(TAKES_CAUSAL, false, true);
  assert_checked(RETURNS_LSE, true, true);
  writes = false;
  assert_checked(RETURNS_LSE, true, false);
  /* A right output with a wrong log-sum-exp is a failure. */
  check_result result = {.ran = true};
  result.gates.verdict[GATE_FINITE] = PASSED;
  assert_true(check_passed(&result));
  result.lse = (lse_result){.judged = true, .figure = 0.4, .limit = 0.5};
  assert_true(check_passed(&result));
  result.lse.figure = NAN;
  assert_false(check_passed(&result));
}

MAIN(cmocka_unit_test(test_wrong_constants),
     cmocka_unit_test(test_wrong_rows),
     cmocka_unit_test(test_who_is_asked_and_that_it_decides))
