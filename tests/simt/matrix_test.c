/* WMMA: what it computes, which lane holds what, and what memory sees of it. */

#include "tests/simt/support.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const file = "matrix.cu";

/* Memory of a product: A, B and D. */
typedef struct {
  uint16_t a[256], b[256];
  float d[256];
} product_memory;

/* A half for x in eighths, -31 to 31 of them: exact. */
static uint16_t half_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  const uint32_t sign = bits >> 16 & 0x8000;
  if ((bits & 0x7fffffff) == 0) return (uint16_t)sign;
  return (uint16_t)(sign | (((bits & 0x7fffffff) - (112u << 23)) >> 13));
}

static void check_product(kernel_run *run, int order) {
  product_memory *memory = device_memory(sizeof *memory);
  float a[16][16], b[16][16];
  srand(1);
  for (int i = 0; i < 16; i++)
    for (int k = 0; k < 16; k++) {
      a[i][k] = (float)(rand() % 63 - 31) / 8;
      b[i][k] = (float)(rand() % 63 - 31) / 8;
      memory->a[order & 1 ? 16 * k + i : 16 * i + k] = half_of(a[i][k]);
      memory->b[order & 2 ? 16 * k + i : 16 * i + k] = half_of(b[i][k]);
    }
  assert_int_equal(run_checked(run, memory, order, 0), cudaSuccess);
  assert_finding_count(0);
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 16; j++) {
      float expected = 1;
      for (int k = 0; k < 16; k++) expected += a[i][k] * b[k][j];
      const float d = memory->d[order & 4 ? 16 * j + i : 16 * i + j];
      assert_true(d == expected);
    }
  assert_int_equal(cudaFree(memory), cudaSuccess);
}

static void products_in_every_layout(void **state) {
  (void)state;
  for (int order = 0; order < 8; order++) check_product(run_product, order);
}

static void products_from_global_memory(void **state) {
  (void)state;
  for (int order = 0; order < 8; order++)
    check_product(run_global_product, order);
}

static void rows_rescaled_in_registers(void **state) {
  (void)state;
  product_memory *memory = device_memory(sizeof *memory);
  for (int i = 0; i < 256; i++) {
    memory->a[i] = half_of(i % 17 == 0); /* the unit matrix */
    memory->b[i] = half_of((float)(i % 7));
    memory->d[i] = (float)i;
  }
  assert_int_equal(run_checked(run_rescaled, memory, 3, 0), cudaSuccess);
  assert_finding_count(0);
  for (int i = 0; i < 256; i++)
    assert_true(memory->d[i] == (float)(3 * (i / 16) * i + i % 7));
  assert_int_equal(cudaFree(memory), cudaSuccess);
}

static void special_halves(void **state) {
  (void)state;
  product_memory *memory = device_memory(sizeof *memory);
  /* D[i][0] = A[i][0] * 1 + 1, for a subnormal, infinity, NaN, the largest. */
  static const uint16_t values[] = {0x0001, 0x7c00, 0x7e00, 0x7bff, 0xfc00};
  for (int i = 0; i < 5; i++) memory->a[16 * i] = values[i];
  memory->b[0] = 0x3c00;
  run_checked(run_product, memory, 0, 0);
  assert_true(memory->d[0] == 1 + 0x1p-24f);
  assert_true(memory->d[16] == INFINITY);
  assert_true(isnan(memory->d[32]));
  assert_true(memory->d[48] == 65505);
  assert_true(memory->d[64] == -INFINITY);
  assert_int_equal(cudaFree(memory), cudaSuccess);
}

/* PTX: mma.m16n8k16's fragments, two of them side by side for n = 16. */
static void lane_map(void **state) {
  (void)state;
  float *out = device_memory(3 * 512 * sizeof *out);
  assert_int_equal(run_checked(run_lane_map, out, 0, 0), cudaSuccess);
  assert_finding_count(0);
  for (int lane = 0; lane < 32; lane++)
    for (int i = 0; i < 16; i++) {
      const int e = i % 8, group = lane / 4, pair = lane % 4 * 2 + e % 2;
      const int far = e / 4 * 8, near = e / 2 % 2 * 8;
      const float *mine = out + 16 * lane;
      assert_true(mine[i] == 16 * (group + near) + pair + far);
      assert_true(mine[512 + i] == 16 * (pair + near) + group + far);
      if (i < 8)
        assert_true(mine[1024 + i] == 16 * (group + near) + pair + far);
    }
  assert_int_equal(cudaFree(out), cudaSuccess);
}

/* Rows of 48 bytes: the 8 rows of an 8x8 matrix lie on different banks. Rows
 * of 32 bytes: rows 0 and 4 share banks, and so on. A store is four 8-byte
 * stores, each of 8 rows with 16 floats between their starts: 4 rows at a
 * time, 0 and 2 on the same banks. With 24 floats the four rows of a phase
 * start on banks 0, 24, 16 and 8: no conflict. */
static void memory_traffic(void **state) {
  (void)state;
  product_memory *memory = device_memory(sizeof *memory);
  static const int stride[] = {24, 16};
  static const uint64_t load[] = {4, 8}, store[] = {8, 16};
  for (int i = 0; i < 2; i++) {
    run_checked(run_matrix_traffic, memory, stride[i], 0);
    assert_finding_count(0);
    const simt_counters a = counters_at(file, "load-a");
    const simt_counters b = counters_at(file, "load-b");
    assert_int_equal(a.ldmatrix, 1);
    assert_int_equal(b.ldmatrix, 1);
    assert_int_equal(a.shared_wavefronts, load[i]);
    assert_int_equal(b.shared_wavefronts, load[i]);
    const simt_counters product = counters_at(file, "product");
    assert_int_equal(product.tensor_instructions, 2);
    assert_int_equal(product.tensor_flops, 2 * 16 * 16 * 16);
    const simt_counters d = counters_at(file, "store-d");
    assert_int_equal(d.shared_stores, 4);
    assert_int_equal(d.shared_wavefronts, store[i]);
    assert_int_equal(d.shared_wavefronts_ideal, 8);
  }
  assert_int_equal(cudaFree(memory), cudaSuccess);
}

/* Ones times ones over a half of k; tests/device/fragments.cu has the maps. */
static void products_of_registers(void **state) {
  (void)state;
  float *d = device_memory(128 * sizeof *d);
  static const char *const line[] = {"halves", "codes"};
  for (int e4m3 = 0; e4m3 < 2; e4m3++) {
    assert_int_equal(run_checked(run_of_registers, d, e4m3, 0), cudaSuccess);
    assert_finding_count(0);
    for (int i = 0; i < 128; i++)
      assert_true(d[i] == (i % 4 < 2 ? (e4m3 ? 16 : 8) : 0));
    const simt_counters product = counters_at(file, line[e4m3]);
    assert_int_equal(product.tensor_instructions, 1);
    assert_int_equal(product.tensor_flops, 2 * 16 * 8 * (e4m3 ? 32 : 16));
  }
  assert_int_equal(cudaFree(d), cudaSuccess);
}

enum { CODE_448 = 0x7e, CODE_MINUS_448 = 0xfe, CODE_LEAST = 1 /* 2^-9 */ };

typedef struct {
  uint8_t a[32];
  float d, unused[7];
  uint8_t b[32];
} sum_of_codes;

/* D + 448 * 448 at k = plus, - 448 * 448 at k = minus, 2^-18 at k = least and
 * the two behind it of its four. */
static float codes_sum(sum_of_codes *memory, float d, int plus, int minus,
                       int least) {
  memset(memory, 0, sizeof *memory);
  memory->d = d;
  memory->a[plus] = memory->a[minus] = memory->b[plus] = CODE_448;
  memory->b[minus] = CODE_MINUS_448;
  for (int k = least; k < (least | 3) && least >= 0; k++)
    memory->a[k] = memory->b[k] = CODE_LEAST;
  assert_int_equal(run_checked(run_one_sum, memory, 0, 0), cudaSuccess);
  assert_finding_count(0);
  return memory->d;
}

/* Two sums of 16, from zero: codes 0 and 1 of each four, then 2 and 3. Beside
 * 448 * 448, 2^-18 is lost; C is added last, and rounded to the nearest. */
static void codes_in_two_sums(void **state) {
  (void)state;
  sum_of_codes *memory = device_memory(sizeof *memory);
  assert_true(codes_sum(memory, 0, 0, 1, 22) == 0x1p-18f);
  assert_true(codes_sum(memory, 0, 16, 29, 6) == 0x1p-18f);
  assert_true(codes_sum(memory, 0, 0, 1, 21) == 0x1p-18f);
  assert_true(codes_sum(memory, 0, 0, 2, 22) == 0);
  assert_true(codes_sum(memory, 0, 2, 3, 22) == 0);
  assert_true(codes_sum(memory, 0, 2, 3, 20) == 0);
  assert_true(codes_sum(memory, 200704, 1, 4, 6) == 200704);
  const uint32_t nan = 0x7fffffff;
  codes_sum(memory, -NAN, 0, 1, 22);
  assert_memory_equal(&memory->d, &nan, sizeof nan);
  /* Units of 128 are 2^-16: three times 2^-18 are rounded up. */
  memset(memory, 0, sizeof *memory);
  memory->d = 128;
  for (int k = 0; k < 3; k++) memory->a[k] = memory->b[k] = CODE_LEAST;
  assert_int_equal(run_checked(run_one_sum, memory, 0, 0), cudaSuccess);
  assert_true(memory->d == 128 + 0x1p-16f);
  assert_int_equal(cudaFree(memory), cudaSuccess);
}

/* A fragment that nobody has filled counts for no number. */
static void unfilled_fragments(void **state) {
  (void)state;
  float *d = device_memory(256 * sizeof *d);
  for (int which = 0; which <= 3; which++) {
    assert_int_equal(run_checked(run_unfilled, d, which, 0), cudaSuccess);
    for (int i = 0; i < 256; i++)
      assert_true(which == 3 ? d[i] == 16 : isnan(d[i]));
  }
  assert_int_equal(cudaFree(d), cudaSuccess);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_in_every_layout),
      cmocka_unit_test(products_from_global_memory),
      cmocka_unit_test(rows_rescaled_in_registers),
      cmocka_unit_test(special_halves),
      cmocka_unit_test(lane_map),
      cmocka_unit_test(memory_traffic),
      cmocka_unit_test(products_of_registers),
      cmocka_unit_test(codes_in_two_sums),
      cmocka_unit_test(unfilled_fragments),
  };
  return cmocka_run_group_tests_name("simt matrix", tests, NULL, NULL);
}
