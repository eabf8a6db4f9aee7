/* What rank 0 makes of the ranks' reports: who is blamed, and when. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "further/stage18_ring/ranks/verdict.h"

enum { RANKS = 3 };
static rank_report ranks[RANKS];
static reason why;

static int begin(void **state) {
  (void)state;
  for (int i = 0; i < RANKS; i++) verdict_begins(&ranks[i], 100.0);
  return 0;
}

static void says(int rank, rank_kind kind, int64_t progress, double now) {
  rank_report heard = {.kind = kind, .progress = progress};
  snprintf(heard.what, sizeof heard.what, "step %d of %d", (int)progress, rank);
  verdict_heard(&ranks[rank], &heard, now);
}

static void all_say(rank_kind kind, int64_t progress, double now) {
  for (int i = 0; i < RANKS; i++) says(i, kind, progress, now);
}

static void well(double now) {
  if (!verdict_all_well(ranks, RANKS, now, &why))
    fail_msg("at %g: %s", now, why.text);
}

static void ill(double now, const char *words) {
  assert_false(verdict_all_well(ranks, RANKS, now, &why));
  if (!strstr(why.text, words))
    fail_msg("'%s' does not say '%s'", why.text, words);
}

static void who_gets_on_is_well(void **state) {
  (void)state;
  for (int i = 1; i < 100; i++) {
    all_say(RANK_DEVICE, i, 100.0 + 5.0 * i);
    well(101.0 + 5.0 * i);
  }
}

static void silence_has_a_name(void **state) {
  (void)state;
  all_say(RANK_WORKS, 1, 104.0);
  says(0, RANK_WORKS, 2, 111.0);
  says(2, RANK_WORKS, 2, 111.0);
  well(111.9);
  ill(112.1, "rank 1 is silent since 8 seconds (its last word: step 1 of 1)");
}

/* One works for long while the others wait: as long as it gets on. */
static void waiting_for_one_that_works(void **state) {
  (void)state;
  all_say(RANK_WAITS, 1, 100.0);
  for (int i = 0; i < 50; i++) {
    const double now = 101.0 + 4.0 * i;
    says(0, RANK_WAITS, 1, now);
    says(1, RANK_WORKS, 2 + i, now);
    says(2, RANK_WAITS, 1, now);
    well(now + 1.0);
  }
}

static void keep_saying(rank_kind of_0, rank_kind of_1, rank_kind of_2) {
  for (double now = 101.0; now <= 125.0; now += 4.0) {
    says(0, of_0, 1, now);
    says(1, of_1, 1, now);
    says(2, of_2, 1, now);
  }
}

static void the_one_that_hangs_is_blamed(void **state) {
  (void)state;
  keep_saying(RANK_WAITS, RANK_DEVICE, RANK_WORKS);
  ill(126.0, "rank 2 (step 1 of 2) does not get on since 15 seconds");
  assert_null(strstr(why.text, "rank 1"));
  keep_saying(RANK_WAITS, RANK_DEVICE, RANK_WAITS);
  ill(126.0, "rank 1 (step 1 of 1) does not get on");
}

static void all_are_named_where_all_wait(void **state) {
  (void)state;
  keep_saying(RANK_WAITS, RANK_WAITS, RANK_WAITS);
  ill(126.0, "rank 0 (step 1 of 0), rank 1 (step 1 of 1), rank 2");
}

static void within_thirty_seconds(void **state) {
  (void)state;
  assert_true(SILENCE + 5 <= 30 && PATIENCE + 5 <= 30);
}

static void who_has_gone_is_not_missed(void **state) {
  (void)state;
  all_say(RANK_WORKS, 1, 101.0);
  ranks[1].gone = true;
  says(0, RANK_WORKS, 2, 120.0);
  says(2, RANK_WORKS, 2, 120.0);
  well(121.0);
  for (int i = 0; i < RANKS; i++) ranks[i].gone = true;
  well(1000.0);
}

static void death_has_a_name(void **state) {
  (void)state;
  says(1, RANK_WORKS, 7, 101.0);
  verdict_died(ranks, 1, &why);
  assert_non_null(strstr(why.text, "rank 1 has died (its last word: step 7"));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup(name, begin)
  const struct CMUnitTest tests[] = {
      TEST(who_gets_on_is_well),
      TEST(silence_has_a_name),
      TEST(waiting_for_one_that_works),
      TEST(the_one_that_hangs_is_blamed),
      TEST(all_are_named_where_all_wait),
      TEST(within_thirty_seconds),
      TEST(who_has_gone_is_not_missed),
      TEST(death_has_a_name),
  };
  return cmocka_run_group_tests_name("ring verdict", tests, NULL, NULL);
}
