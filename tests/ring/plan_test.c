/* The plan: every pair that the mask lets through is computed once, by the rank
 * that has the row; and each row knows its first part and its last. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "further/stage18_ring/ring/plan.h"

enum { MOST_RANKS = 9, MOST_ROWS = 61 };

static const int64_t lengths[] = {1, 2, 3, 7, 16, 17, 18, 35, 36, 37, 59, 61};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

/* Each plan of these tests. */
typedef void plan_check(const ring_plan *plan);

static void for_all(plan_check *check) {
  for (int ranks = 1; ranks <= MOST_RANKS; ranks++)
    for (int i = 0; i < LENGTHS; i++)
      for (int causal = 0; causal < 2; causal++) {
        const ring_plan plan = {ranks, lengths[i], causal};
        check(&plan);
      }
}

static void rows_once(const ring_plan *plan) {
  int owners[MOST_ROWS] = {0};
  int64_t least = INT64_MAX, most = 0;
  for (int rank = 0; rank < plan->ranks; rank++) {
    int64_t before = -1;
    for (int64_t row = 0; row < plan_rows(plan, rank); row++) {
      const int64_t position = plan_position(plan, rank, row);
      assert_true(position > before && position < plan->seq_len);
      before = position;
      owners[position]++;
    }
    for (int which = 0; which < 2; which++) {
      const int64_t rows = plan_chunk(plan, rank, which).rows;
      if (rows < least) least = rows;
      if (rows > most) most = rows;
    }
    assert_true(plan_rows(plan, rank) <= plan_most_rows(plan));
  }
  assert_true(most - least <= 1);
  for (int64_t i = 0; i < plan->seq_len; i++) assert_int_equal(owners[i], 1);
}

/* The zigzag by hand: 4 chunks of 2 for 2 ranks. */
static void by_hand(void **state) {
  (void)state;
  const ring_plan plan = {2, 8, true};
  static const int64_t expected[2][4] = {{0, 1, 6, 7}, {2, 3, 4, 5}};
  for (int rank = 0; rank < 2; rank++)
    for (int row = 0; row < 4; row++)
      assert_int_equal(plan_position(&plan, rank, row), expected[rank][row]);
  const ring_block late = plan_block(&plan, 0, 1);
  assert_int_equal(late.source, 1);
  assert_int_equal(late.query, 2);
  assert_int_equal(late.queries, 2);
  assert_int_equal(late.keys, 4);
  const ring_block early = plan_block(&plan, 1, 1);
  assert_int_equal(early.source, 0);
  assert_int_equal(early.query, 0);
  assert_int_equal(early.queries, 4);
  assert_int_equal(early.keys, 2);
  assert_int_equal(early.done, 4);
}

static void pairs_once(const ring_plan *plan) {
  static unsigned char seen[MOST_ROWS][MOST_ROWS];
  memset(seen, 0, sizeof seen);
  for (int rank = 0; rank < plan->ranks; rank++)
    for (int step = 0; step < plan->ranks; step++) {
      const ring_block b = plan_block(plan, rank, step);
      assert_int_equal(b.source, (rank + plan->ranks - step) % plan->ranks);
      assert_true(b.query + b.queries <= plan_rows(plan, rank));
      assert_true(b.key + b.keys <= plan_rows(plan, b.source));
      if (b.causal) assert_int_equal(b.queries, b.keys);
      for (int64_t i = 0; i < b.queries; i++)
        for (int64_t j = 0; j < (b.causal ? i + 1 : b.keys); j++)
          seen[plan_position(plan, rank, b.query + i)]
              [plan_position(plan, b.source, b.key + j)]++;
    }
  for (int64_t i = 0; i < plan->seq_len; i++)
    for (int64_t j = 0; j < plan->seq_len; j++)
      assert_int_equal(seen[i][j], !plan->causal || j <= i);
}

/* What the merges may rely on: step 0 has every row, the first merge of a row
 * says so, and no row is merged into after it was said to be done. */
static void first_and_last(const ring_plan *plan) {
  for (int rank = 0; rank < plan->ranks; rank++) {
    int parts[MOST_ROWS] = {0};
    bool done[MOST_ROWS] = {false};
    const int64_t rows = plan_rows(plan, rank);
    for (int step = 0; step < plan->ranks; step++) {
      const ring_block b = plan_block(plan, rank, step);
      if (step == 0) assert_int_equal(b.queries, rows);
      for (int64_t i = 0; i < b.queries; i++) {
        const int64_t row = b.query + i;
        assert_false(done[row]);
        if (step > 0) assert_int_equal(b.first, parts[row] == 1);
        parts[row]++;
        done[row] = i < b.done;
      }
    }
    for (int64_t row = 0; row < rows; row++) assert_true(done[row]);
  }
}

/* Under the mask no rank has more than a chunk's width of pairs more than
 * another. */
static void balanced(void **state) {
  (void)state;
  for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
    const ring_plan plan = {ranks, 4096, true};
    int64_t least = INT64_MAX, most = 0;
    for (int rank = 0; rank < ranks; rank++) {
      int64_t pairs = 0;
      for (int step = 0; step < ranks; step++) {
        const ring_block b = plan_block(&plan, rank, step);
        pairs += b.causal ? b.queries * (b.queries + 1) / 2
                          : b.queries * b.keys;
      }
      if (pairs < least) least = pairs;
      if (pairs > most) most = pairs;
    }
    assert_true(most - least <= most / 100);
  }
}

static void every_row_has_one_owner(void **state) {
  (void)state;
  for_all(rows_once);
}

static void every_pair_is_computed_once(void **state) {
  (void)state;
  for_all(pairs_once);
}

static void rows_know_their_first_and_last_part(void **state) {
  (void)state;
  for_all(first_and_last);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_hand),
      cmocka_unit_test(every_row_has_one_owner),
      cmocka_unit_test(every_pair_is_computed_once),
      cmocka_unit_test(rows_know_their_first_and_last_part),
      cmocka_unit_test(balanced),
  };
  return cmocka_run_group_tests_name("ring plan", tests, NULL, NULL);
}
