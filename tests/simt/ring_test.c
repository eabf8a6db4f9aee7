/* TMA loads, products from tiles and from registers, and mbarriers in a ring: a
 * kernel as a whole, and what the executor says where it is written wrongly. */

#include "tests/simt/support.h"

#include <cuda_runtime_api.h>
#include <string.h>

static const char *const file = "ring.cu";

static void a_ring_works(void **state) {
  (void)state;
  assert_int_equal(run_checked(run_tma_ring, codes, 0, 0), cudaSuccess);
  assert_finding_count(0);
  const uint8_t *q = codes, *k = q + 128 * 64, *v = k + 3 * 64 * 64;
  const float *out = (const float *)(codes + RESULTS);
  for (int row = 0; row < 128; row++) {
    float o[64] = {0};
    for (int tile = 0; tile < 3; tile++)
      for (int key = 0; key < 64; key++) {
        float s = 0;
        for (int i = 0; i < 64; i++)
          s += small_value(q[64 * row + i]) *
               small_value(k[64 * (64 * tile + key) + i]);
        const float p = 0.5f * (float)((int)(s < 0 ? -s : s) % 8);
        /* The place of the key among those of V: see make_p. */
        const int n = key / 8 % 4, c = key % 8 / 2;
        const int place = key / 32 * 32 + n / 2 * 16 + 4 * c + n % 2 * 2 +
                          key % 2;
        for (int i = 0; i < 64; i++)
          o[i] += p * small_value(v[64 * (64 * tile + i) + place]);
      }
    for (int i = 0; i < 64; i++) {
      const int t = row / 16 * 32 + row % 8 * 4 + i % 8 / 2;
      const int element = i / 8 * 4 + row / 8 % 2 * 2 + i % 2;
      assert_true(out[32 * t + element] == o[i]);
    }
  }
}

static void ring_bugs(void **state) {
  (void)state;
#define FIND(bug, kind, here, there, count)                                    \
  find_bug(file, run_tma_ring, bug, 0, kind, here, there, count)
  FIND(1, SIMT_READ_IN_FLIGHT, "ring-s", "ring-k", 4);
  FIND(2, SIMT_RACE, "ring-k", "ring-s", 2);
  FIND(3, SIMT_RACE, "ring-k", "ring-s", 1);
  FIND(4, SIMT_READ_IN_FLIGHT, "ring-s", "ring-k", 2);
  FIND(5, SIMT_DEADLOCK, "ring-k-empty", "ring-wait", 1);
  FIND(6, SIMT_DEADLOCK, "ring-v-empty", "ring-v-wait", 1);
  FIND(7, SIMT_OPERAND, "ring-p", "ring-o", 1);
  FIND(8, SIMT_WGMMA_FENCE, "ring-o", "ring-p", 1);
  FIND(9, SIMT_RACE, "ring-k", "ring-s", 2);
#undef FIND
}

static void a_deadlock_names_what_is_wrong(void **state) {
  (void)state;
  const simt_finding *all;
  run_checked(run_tma_ring, codes, 5, 0);
  assert_int_equal(simt_findings(&all), 1);
  assert_non_null(strstr(all[0].sentence, "has got 64 bytes too many"));
  assert_int_equal(all[0].waiter_count, 2);
  const simt_waiter *producer = &all[0].waiters[0];
  const simt_waiter *consumers = &all[0].waiters[1];
  assert_string_equal(producer->who, "warp 0, lane 0");
  assert_non_null(strstr(producer->what, ", phase 0: 0 of 2 arrivals"));
  assert_int_equal(producer->place.via, marked_line(file, "ring-k-empty"));
  assert_int_equal(producer->place.line, marked_line(file, "ring-load"));
  assert_string_equal(consumers->who, "warps 4 to 11");
  assert_non_null(strstr(consumers->what,
                         ": 1 of 1 arrivals, 4,096 of 4,032 bytes"));
}

int main(void) {
#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, prepare_codes, release_codes)
  const struct CMUnitTest tests[] = {
      TEST(a_ring_works),
      TEST(ring_bugs),
      TEST(a_deadlock_names_what_is_wrong),
  };
  return cmocka_run_group_tests_name("simt ring", tests, NULL, NULL);
}
