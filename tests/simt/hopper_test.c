/* TMA loads, wgmma, stmatrix and setmaxnreg: what they compute, and what the
 * executor says where they are used wrongly. */

#include "common/simt/tensor/multiply.h"
#include "tests/simt/support.h"

#include <cuda_runtime_api.h>
#include <string.h>

static const char *const file = "hopper.cu";

static void run_clean(kernel_run *run, int second) {
  assert_int_equal(run_checked(run, codes, 0, second), cudaSuccess);
  assert_finding_count(0);
}

/* ---- TMA ---- */

static void tiles_are_loaded(void **state) {
  (void)state;
  static const int starts[2][2] = {{30, 1}, {-8, 3}};
  static const uint8_t zeros[16];
  for (int row_bytes = 64; row_bytes <= 128; row_bytes += 64) {
    run_clean(run_tma_tile, row_bytes);
    const uint8_t *tile = codes + RESULTS;
    for (int n = 0; n < 2; n++, tile += 48 * row_bytes)
      for (int row = 0; row < 48; row++)
        for (int chunk = 0; chunk < row_bytes / 16; chunk++) {
          const int swizzle = row_bytes == 128 ? row % 8 : row / 2 % 4;
          const int from = starts[n][0] + row, head = starts[n][1];
          const bool inside = from >= 0 && from < 50 && head < 3;
          const int index = (head * 50 + from) * row_bytes + 16 * chunk;
          assert_memory_equal(tile + row * row_bytes + (chunk ^ swizzle) * 16,
                              inside ? codes + index : zeros, 16);
        }
    simt_counters total;
    simt_total(&total);
    assert_int_equal(total.tma_loads, 2);
    assert_int_equal(total.tma_bytes, 2 * 48 * row_bytes);
  }
}

/* Each head of each batch, from its first row, its tenth and one before it; the
 * fourth head and the third batch are none. */
static void tiles_have_strides(void **state) {
  (void)state;
  static const uint8_t zeros[16];
  for (int n = 0; n < 12; n++)
    for (int row = -1; row < 20; row += row < 0 ? 1 : 10) {
      assert_int_equal(run_checked(run_strided_tile, codes, n, row),
                       cudaSuccess);
      assert_finding_count(0);
      const int head = n % 4, batch = n / 4;
      for (int i = 0; i < 48 * 4; i++) {
        const int from = row + i / 4, place = i / 4 * 4 + (i % 4 ^ i / 8 % 4);
        const bool inside = from >= 0 && from < 20 && head < 3 && batch < 2;
        assert_memory_equal(codes + RESULTS + 16 * place,
                            inside ? codes + batch * STRIDED_BATCH + head * 64 +
                                         from * STRIDED_ROW + i % 4 * 16
                                   : zeros,
                            16);
      }
    }
}

static void tma_bugs(void **state) {
  (void)state;
  find_bug(file, run_tma_tile, 4, 128, SIMT_READ_IN_FLIGHT, "tma-read",
           "tma-load", 5);
  /* The second load overwrites what was read, or written, too early. */
  find_bug(file, run_tma_tile, 1, 128, SIMT_READ_IN_FLIGHT, "tma-early",
           "tma-load", 2);
  find_bug(file, run_tma_tile, 2, 128, SIMT_WRITE_IN_FLIGHT, "tma-write",
           "tma-load", 3);
#define FIND(bug, kind, here, there)                                           \
  find_bug(file, run_tma_tile, bug, 128, kind, here, there, 1)
  FIND(3, SIMT_PROXY_FENCE, "tma-load", "tma-init");
  FIND(5, SIMT_DEADLOCK, "tma-wait", "");
  FIND(6, SIMT_NEVER_WAITED, "tma-load", "");
  FIND(7, SIMT_USAGE, "tma-load", "");
  FIND(8, SIMT_RACE, "tma-load", "tma-read");
  FIND(9, SIMT_PROXY_FENCE, "tma-load", "tma-store");
  FIND(10, SIMT_USAGE, "tma-again", "");
  FIND(11, SIMT_USAGE, "tma-load", "");
  FIND(12, SIMT_OUTSIDE_GLOBAL, "tma-load", "");
#undef FIND
}

static void a_deadlock_names_what_lacks(void **state) {
  (void)state;
  const simt_finding *all;
  run_checked(run_tma_tile, codes, 5, 128);
  assert_int_equal(simt_findings(&all), 1);
  assert_non_null(strstr(all[0].sentence, "full + 0 still lacks 16 bytes"));
}

static void one_thread_for_all(void **state) {
  (void)state;
  for (int how = 0; how < 2; how++) {
    assert_int_equal(run_checked(run_one_waits, codes, how, 0), cudaSuccess);
    assert_finding_count(0);
  }
  find_bug(file, run_one_waits, 2, 0, SIMT_RACE, "one-load", "one-read", 2);
  run_clean(run_one_arrives, 0);
  find_bug(file, run_one_arrives, 1, 0, SIMT_PROXY_FENCE, "arrive-use",
           "arrive-store", 1);
  find_bug(file, run_one_arrives, 2, 0, SIMT_RACE, "arrive-use", "arrive-store",
           1);
}

static void maps_are_checked(void **state) {
  (void)state;
  assert_int_equal(run_bad_map(codes, 0, 0), cudaSuccess);
  for (int bug = 1; bug <= 7; bug++)
    assert_int_equal(run_bad_map(codes, bug, 0), cudaErrorInvalidValue);
}

/* ---- products ---- */

static void products(void **state) {
  (void)state;
  for (int second = 0; second < 8; second++) {
    const int n = second & 1 ? 128 : 64, row_bytes = second & 2 ? 128 : 64;
    run_clean(run_wgmma_product, second);
    const uint8_t *a = codes, *b = codes + 64 * row_bytes;
    const float *out = (const float *)(codes + RESULTS);
    for (int t = 0; t < 128; t++)
      for (int i = 0; i < n / 2; i++) {
        const int row = t / 32 * 16 + t % 32 / 4 + (i & 2 ? 8 : 0);
        const int column = i / 4 * 8 + t % 4 * 2 + i % 2;
        float expected = 0;
        for (int k = 0; k < row_bytes; k++)
          expected += small_value(a[row * row_bytes + k]) *
                      small_value(b[column * row_bytes + k]);
        for (int k = 0; k < 32; k++)
          expected += small_value(a[row * row_bytes + 32 + k]) *
                      small_value(b[column * row_bytes + k]);
        assert_true(out[n / 2 * t + i] == expected);
      }
    simt_counters total;
    simt_total(&total);
    const int count = row_bytes / 32 + 1;
    assert_int_equal(total.wgmma_instructions, 4 * count);
    assert_int_equal(total.tensor_flops, count * 2 * 64 * n * 32);
  }
}

static void operands_out_of_scope(void **state) {
  (void)state;
  run_clean(run_out_of_scope, 0);
  const float *out = (const float *)(codes + RESULTS);
  for (int t = 0; t < 128; t++)
    for (int i = 0; i < 32; i++) {
      float expected = 0;
      const uint8_t *row = codes + 64 * (i / 4 * 8 + t % 4 * 2 + i % 2);
      for (int k = 0; k < 64; k++) expected += small_value(row[k]);
      assert_true(out[32 * t + i] == expected);
    }
}

/* Widths that the wrappers have no product for. */
static void products_of_other_widths(void **state) {
  (void)state;
  static float a[PRODUCT_ROWS][PRODUCT_DEPTH], b[PRODUCT_DEPTH * 256],
      sum[PRODUCT_ROWS * 256];
  for (int row = 0; row < PRODUCT_ROWS; row++)
    for (int k = 0; k < PRODUCT_DEPTH; k++) a[row][k] = (float)(row - k);
  for (int columns = 8; columns <= 256; columns += columns < 48 ? 8 : 104) {
    for (int i = 0; i < PRODUCT_DEPTH * columns; i++) b[i] = (float)(i % 11);
    for (int i = 0; i < PRODUCT_ROWS * columns; i++) sum[i] = 1;
    multiply_tiles(&multiply_by_mma, sum, a[0], b, PRODUCT_ROWS, PRODUCT_DEPTH,
                   (uint32_t)columns);
    for (int i = 0; i < PRODUCT_ROWS * columns; i++) {
      float expected = 1;
      for (int k = 0; k < PRODUCT_DEPTH; k++)
        expected += a[i / columns][k] * b[k * columns + i % columns];
      assert_true(sum[i] == expected);
    }
  }
}

static void product_bugs(void **state) {
  (void)state;
  enum { TILES = 3, REGISTERS = 7 };
#define FIND(bug, second, kind, here, there, count)                            \
  find_bug(file, run_wgmma_product, bug, second, kind, here, there, count)
  FIND(1, TILES, SIMT_PROXY_FENCE, "mma", "mma-store", 4);
  FIND(2, TILES, SIMT_ACCUMULATOR, "mma-read", "mma", 1);
  FIND(3, TILES, SIMT_ACCUMULATOR, "mma-change", "mma", 2);
  FIND(3, TILES, SIMT_ACCUMULATOR, "mma-wait", "mma", 2);
  FIND(4, REGISTERS, SIMT_OPERAND, "mma-change-a", "mma-registers", 1);
  FIND(5, TILES, SIMT_WGMMA_FENCE, "mma", "mma-unfenced", 1);
  FIND(6, TILES, SIMT_ACCUMULATOR, "mma-left", "mma", 1);
  FIND(7, TILES, SIMT_WRITE_IN_FLIGHT, "mma-overwrite", "mma", 2);
  FIND(8, TILES, SIMT_DEADLOCK, "mma", "", 1);
  FIND(9, TILES, SIMT_USAGE, "mma", "", 1);
  FIND(10, TILES, SIMT_WARP_OPERATION, "mma", "mma", 1);
  FIND(11, TILES, SIMT_ACCUMULATOR, "mma-left", "mma", 1);
  FIND(12, TILES, SIMT_RACE, "mma", "mma-store", 4);
  FIND(13, TILES, SIMT_WRITE_IN_FLIGHT, "mma-overwrite-later", "mma", 2);
  FIND(14, REGISTERS, SIMT_WGMMA_FENCE, "mma-registers", "mma-unfenced-a", 1);
  FIND(15, TILES, SIMT_WGMMA_FENCE, "mma", "", 2);
  FIND(16, TILES, SIMT_UNINITIALISED, "mma", "", 2);
#undef FIND
}

/* ---- the rest ---- */

static void registers_are_a_budget(void **state) {
  (void)state;
  run_clean(run_registers, 0);
  const int *out = (const int *)(codes + RESULTS);
  for (int t = 0; t < 384; t++) assert_int_equal(out[t], t / 128);
#define FIND(bug, kind, here, there)                                           \
  find_bug(file, run_registers, bug, 0, kind, here, there, 1)
  FIND(1, SIMT_DEADLOCK, "registers-many", "");
  FIND(2, SIMT_USAGE, "registers-fewer", "");
  FIND(3, SIMT_USAGE, "registers-more", "");
  FIND(4, SIMT_DEADLOCK, "registers", "registers-most");
#undef FIND
}

static void stmatrix(void **state) {
  (void)state;
  run_clean(run_stmatrix_lines, 0);
  const uint32_t *in = (const uint32_t *)codes;
  const uint32_t *out = (const uint32_t *)(codes + RESULTS);
  /* Line l of matrix i has a word from each of four lanes' register i. */
  for (int lane = 0; lane < 32; lane++) {
    const int line = (31 - lane) ^ 5;
    for (int k = 0; k < 4; k++)
      assert_int_equal(out[4 * lane + k],
                       in[4 * (line % 8 * 4 + k) + line / 8]);
  }
  const simt_counters c = counters_at(file, "st-store");
  assert_int_equal(c.shared_stores, 1);
  assert_int_equal(c.shared_wavefronts, 4);
  find_bug(file, run_stmatrix_lines, 1, 0, SIMT_RACE, "st-read", "st-store", 1);
}

int main(void) {
#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, prepare_codes, release_codes)
  const struct CMUnitTest tests[] = {
      TEST(tiles_are_loaded),
      TEST(tiles_have_strides),
      TEST(tma_bugs),
      TEST(a_deadlock_names_what_lacks),
      TEST(one_thread_for_all),
      TEST(maps_are_checked),
      TEST(products),
      TEST(operands_out_of_scope),
      TEST(products_of_other_widths),
      TEST(product_bugs),
      TEST(registers_are_a_budget),
      TEST(stmatrix),
  };
  return cmocka_run_group_tests_name("simt Hopper", tests, NULL, NULL);
}
