/* The merge of two parts, on the executor: against double, where exponentials
 * overflow, at both ends of a row's life, and next to rows that are not its. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/harness/problem/half.h"
#include "common/harness/problem/random.h"
#include "common/simt/simt.h"
#include "further/stage18_ring/merge.h"

enum { HEADS = 3, ALL_ROWS = 41, FIRST_ROW = 7, ROWS = 29, DONE = 11 };
enum { GUARD = 0x5A };

typedef struct {
  merge_args args;
  uint16_t *part, *out, *out_before;
  float *part_lse, *sum, *sum_before, *lse, *lse_before;
} merging;

static void *memory(size_t bytes) {
  void *pointer = NULL;
  assert_int_equal(cudaMalloc(&pointer, bytes), cudaSuccess);
  memset(pointer, GUARD, bytes);
  return pointer;
}

/* `reach` is how far logarithms lie from 0. */
static merging make(int64_t d, int first, float reach) {
  merging m;
  const size_t part = HEADS * ROWS * (size_t)d;
  const size_t all = HEADS * ALL_ROWS * (size_t)d;
  m.part = memory(2 * part);
  m.part_lse = memory(4 * HEADS * ROWS);
  m.out = memory(2 * all);
  m.sum = memory(4 * all);
  m.lse = memory(4 * HEADS * ALL_ROWS);
  for (size_t i = 0; i < part; i++)
    m.part[i] = half_encode(random_normal(1, 0, i));
  for (size_t i = 0; i < HEADS * ROWS; i++)
    m.part_lse[i] = reach * random_normal(1, 1, i);
  for (size_t i = 0; i < all; i++) {
    m.sum[i] = random_normal(1, 2, i);
    m.out[i] = half_encode(random_normal(1, 3, i));
  }
  for (size_t i = 0; i < HEADS * ALL_ROWS; i++)
    m.lse[i] = reach * random_normal(1, 4, i);
  m.out_before = memory(2 * all);
  m.sum_before = memory(4 * all);
  m.lse_before = memory(4 * HEADS * ALL_ROWS);
  memcpy(m.out_before, m.out, 2 * all);
  memcpy(m.sum_before, m.sum, 4 * all);
  memcpy(m.lse_before, m.lse, 4 * HEADS * ALL_ROWS);
  m.args = (merge_args){m.part,    m.part_lse, m.out, m.sum, m.lse, HEADS, ROWS,
                        ALL_ROWS, FIRST_ROW,  d,     DONE,  first};
  return m;
}

static void release(merging *m) {
  void *const all[] = {m->part, m->part_lse, m->out,        m->sum,
                       m->lse,  m->out_before, m->sum_before, m->lse_before};
  for (int i = 0; i < 8; i++)
    assert_int_equal(cudaFree(all[i]), cudaSuccess);
}

/* What a row's number and its lse must be, by definition. */
static double right_lse(double a, double b) {
  const double most = fmax(a, b);
  return most + log(exp(a - most) + exp(b - most));
}

static void check_row(const merging *m, int64_t head, int64_t row) {
  const int64_t d = m->args.head_dim;
  const int64_t here = head * ALL_ROWS + row;
  const bool own = row >= FIRST_ROW && row < FIRST_ROW + ROWS;
  const int64_t of_part = head * ROWS + row - FIRST_ROW;
  const double a = (double)m->lse_before[here];
  const double b = own ? (double)m->part_lse[of_part] : 0.0;
  const double lse = own ? right_lse(a, b) : a;
  assert_true(fabs((double)m->lse[here] - lse) <= 1e-6 * (1.0 + fabs(lse)));
  for (int64_t c = 0; c < d; c++) {
    const int64_t i = here * d + c;
    const bool done = own && row - FIRST_ROW < DONE;
    if (!done) assert_int_equal(m->out[i], m->out_before[i]);
    if (!own || done) assert_true(m->sum[i] == m->sum_before[i]);
    if (!own) continue;
    const double before = m->args.first
                              ? (double)half_decode(m->out_before[i])
                              : (double)m->sum_before[i];
    const double part = (double)half_decode(m->part[of_part * d + c]);
    const double right =
        exp(a - lse) * before + exp(b - lse) * part;
    const double got =
        done ? (double)half_decode(m->out[i]) : (double)m->sum[i];
    const double limit = done ? 0x1p-10 : 1e-5;
    assert_true(fabs(got - right) <=
                limit * (0.01 + fabs(before) + fabs(part)));
  }
}

static void check(int64_t d, int first, float reach) {
  const simt_finding *found;
  merging m = make(d, first, reach);
  simt_clear();
  simt_set_checks(SIMT_RACES);
  assert_int_equal(merge_launch(&m.args, NULL), cudaSuccess);
  assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
  simt_set_checks(0);
  assert_int_equal(simt_findings(&found), 0);
  for (int64_t head = 0; head < HEADS; head++)
    for (int64_t row = 0; row < ALL_ROWS; row++) check_row(&m, head, row);
  release(&m);
}

static void near_zero(void **state) {
  (void)state;
  for (int first = 0; first < 2; first++) {
    check(64, first, 1.0f);
    check(128, first, 1.0f);
  }
}

/* exp of these is infinite, or 0, in float. */
static void far_from_zero(void **state) {
  (void)state;
  for (int first = 0; first < 2; first++) {
    check(64, first, 300.0f);
    check(128, first, 5000.0f);
  }
}

/* Many parts in fp32: the error must not grow with them. */
static void many_parts(void **state) {
  (void)state;
  enum { PARTS = 64, D = 64 };
  merging m = make(D, 0, 1.0f);
  double right = 0.0;
  m.args.done = 0;
  m.args.heads = 1;
  m.args.rows = 1;
  m.args.first_row = 0;
  m.lse[0] = 0.0f;
  m.sum[0] = 1.0f;
  m.part_lse[0] = 0.0f;
  right = 1.0;
  for (int i = 0; i < PARTS; i++) {
    m.part[0] = half_encode(random_normal(2, 0, (uint64_t)i));
    right += (double)half_decode(m.part[0]);
    assert_int_equal(merge_launch(&m.args, NULL), cudaSuccess);
  }
  assert_true(fabs((double)m.lse[0] - log(PARTS + 1.0)) < 1e-5);
  assert_true(fabs((double)m.sum[0] - right / (PARTS + 1.0)) < 1e-5);
  release(&m);
}

static void refuses(void **state) {
  (void)state;
  merging m = make(64, 0, 1.0f);
  m.args.head_dim = 96;
  assert_int_equal(merge_launch(&m.args, NULL), cudaErrorInvalidValue);
  m.args.head_dim = 64;
  m.args.heads = 65536;
  assert_int_equal(merge_launch(&m.args, NULL), cudaErrorInvalidValue);
  release(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(near_zero),
      cmocka_unit_test(far_from_zero),
      cmocka_unit_test(many_parts),
      cmocka_unit_test(refuses),
  };
  return cmocka_run_group_tests_name("ring merge", tests, NULL, NULL);
}
