/* The merge of two parts, on the executor: against double, where exponentials
 * overflow, at both ends of a row's life, and next to rows that are not its. */

#include "tests/harness/unit.h"

#include <math.h>
#include <string.h>

#include "common/harness/numbers.h"
#include "common/simt/simt.h"
#include "further/stage18_ring/merge.h"

enum { HEADS = 3, ALL_ROWS = 41, FIRST_ROW = 7, ROWS = 29, DONE = 11 };
enum { GUARD = 0x5A, ARRAYS = 8 };

/* What args points to, the part's and the rank's, and what the rank's were. */
typedef struct {
  merge_args args;
  uint16_t *part, *out, *out_before;
  float *part_lse, *sum, *sum_before, *lse, *lse_before;
  void *all[ARRAYS];
  int count;
} merging;

static void *memory(merging *m, size_t bytes) {
  void **pointer = &m->all[m->count++];
  assert_int_equal(cudaMalloc(pointer, bytes), cudaSuccess);
  assert_int_equal(cudaMemset(*pointer, GUARD, bytes), cudaSuccess);
  return *pointer;
}

static float *normals(merging *m, size_t count, float reach) {
  float *x = memory(m, 4 * count);
  for (size_t i = 0; i < count; i++)
    x[i] = reach * random_normal(1, (uint64_t)m->count, i);
  return x;
}

static uint16_t *halves(merging *m, size_t count) {
  uint16_t *x = memory(m, 2 * count);
  for (size_t i = 0; i < count; i++)
    x[i] = half_encode(random_normal(1, (uint64_t)m->count, i));
  return x;
}

/* `reach` is how far logarithms lie from 0. */
static merging make(int64_t d, int first, float reach) {
  merging m = {.count = 0};
  const size_t all = HEADS * ALL_ROWS * (size_t)d;
  m.part = halves(&m, HEADS * ROWS * (size_t)d);
  m.part_lse = normals(&m, HEADS * ROWS, reach);
  m.out = halves(&m, all);
  m.sum = normals(&m, all, 1.0f);
  m.lse = normals(&m, HEADS * ALL_ROWS, reach);
  m.out_before = memcpy(memory(&m, 2 * all), m.out, 2 * all);
  m.sum_before = memcpy(memory(&m, 4 * all), m.sum, 4 * all);
  m.lse_before = memcpy(memory(&m, 4 * HEADS * ALL_ROWS), m.lse,
                        4 * HEADS * ALL_ROWS);
  m.args = (merge_args){m.part,   m.part_lse, m.out, m.sum, m.lse, HEADS, ROWS,
                        ALL_ROWS, FIRST_ROW,  d,     DONE,  first};
  return m;
}

static void release(merging *m) {
  for (int i = 0; i < m->count; i++)
    assert_int_equal(cudaFree(m->all[i]), cudaSuccess);
}

/* What a row's numbers and its lse must be, by definition. */
static void check_row(const merging *m, int64_t head, int64_t row) {
  const int64_t d = m->args.head_dim, here = head * ALL_ROWS + row;
  const bool own = row >= FIRST_ROW && row < FIRST_ROW + ROWS;
  const bool done = own && row - FIRST_ROW < DONE;
  const int64_t of_part = head * ROWS + row - FIRST_ROW;
  const double a = (double)m->lse_before[here];
  const double b = own ? (double)m->part_lse[of_part] : -INFINITY;
  const double most = fmax(a, b);
  const double lse = most + log(exp(a - most) + exp(b - most));
  assert_true(fabs((double)m->lse[here] - lse) <= 1e-6 * (1.0 + fabs(lse)));
  for (int64_t c = 0; c < d; c++) {
    const int64_t i = here * d + c;
    if (!done) assert_int_equal(m->out[i], m->out_before[i]);
    if (!own || done) assert_true(m->sum[i] == m->sum_before[i]);
    if (!own) continue;
    const double before = m->args.first
                              ? (double)half_decode(m->out_before[i])
                              : (double)m->sum_before[i];
    const double part = (double)half_decode(m->part[of_part * d + c]);
    const double right = exp(a - lse) * before + exp(b - lse) * part;
    const double got =
        done ? (double)half_decode(m->out[i]) : (double)m->sum[i];
    assert_true(fabs(got - right) <= (done ? 0x1p-10 : 1e-5) *
                                         (0.01 + fabs(before) + fabs(part)));
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

/* exp of what lies far from zero is infinite, or 0, in float. */
static void near_zero_and_far(void **state) {
  for (int first = 0; first < 2; first++) {
    check(64, first, 1.0f);
    check(128, first, 1.0f);
    check(64, first, 300.0f);
    check(128, first, 5000.0f);
  }
}

MAIN(cmocka_unit_test(near_zero_and_far))
