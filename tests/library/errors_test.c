/* Each refusal of the library: its code, its sentence, and an output that
 * nobody has touched. */

#include "tests/library/tensors.h"

#include <cuda_runtime_api.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum { FP8ATTENTION_LAST = FP8ATTENTION_CAUSAL_KEY_LEN };

/* What CUDA says here is up to the linker's --wrap: a device of another kind,
 * or of less shared memory. */
static int major = 9, minor = 0;
static bool too_much;

cudaError_t __real_cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr which,
                                          int device);
cudaError_t __wrap_cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr which,
                                          int device);
cudaError_t __wrap_cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr which,
                                          int device) {
  const cudaError_t error = __real_cudaDeviceGetAttribute(value, which, device);
  if (which == cudaDevAttrComputeCapabilityMajor) *value = major;
  if (which == cudaDevAttrComputeCapabilityMinor) *value = minor;
  return error;
}

cudaError_t __real_cudaFuncSetAttribute(const void *function,
                                        enum cudaFuncAttribute which,
                                        int value);
cudaError_t __wrap_cudaFuncSetAttribute(const void *function,
                                        enum cudaFuncAttribute which,
                                        int value);
cudaError_t __wrap_cudaFuncSetAttribute(const void *function,
                                        enum cudaFuncAttribute which,
                                        int value) {
  return __real_cudaFuncSetAttribute(function, which,
                                     too_much ? INT_MAX : value);
}

/* ---- one problem that is right, and what makes it wrong ---- */

static tensors t;

static int prepare(void **state) {
  (void)state;
  const fp8attention_problem sizes = {
      .batch = 2, .heads = 4, .kv_heads = 2, .seq_len = 70, .head_dim = 64};
  t = make_tensors(sizes, SEQUENCE_FIRST);
  return 0;
}

static int release(void **state) {
  (void)state;
  free_tensors(&t);
  return 0;
}

/* The changed problem is refused so, and the right one is not. */
static void refused(const fp8attention_problem *changed, int code) {
  const int got = fp8attention_forward(changed, NULL);
  if (got != code)
    fail_msg("returned %d (%s), wanted %d", got, fp8attention_error_text(got),
             code);
  assert_int_equal(guards_left(&t), t.o_size);
  assert_int_equal(cudaPeekAtLastError(), cudaSuccess);
}

#define REFUSED(code, member, value)                                           \
  do {                                                                         \
    fp8attention_problem changed = t.problem;                                  \
    changed.member = value;                                                    \
    refused(&changed, code);                                                   \
  } while (0)

static void the_right_one_runs(void **state) {
  (void)state;
  assert_int_equal(fp8attention_forward(&t.problem, NULL), FP8ATTENTION_OK);
  assert_true(guards_left(&t) < t.o_size);
}

static void null_pointers(void **state) {
  (void)state;
  refused(NULL, FP8ATTENTION_NULL_POINTER);
  REFUSED(FP8ATTENTION_NULL_POINTER, q, NULL);
  REFUSED(FP8ATTENTION_NULL_POINTER, k, NULL);
  REFUSED(FP8ATTENTION_NULL_POINTER, v, NULL);
  REFUSED(FP8ATTENTION_NULL_POINTER, o, NULL);
  REFUSED(FP8ATTENTION_NULL_POINTER, q_scale, NULL);
  REFUSED(FP8ATTENTION_NULL_POINTER, k_scale, NULL);
  REFUSED(FP8ATTENTION_NULL_POINTER, v_scale, NULL);
}

static void sizes(void **state) {
  (void)state;
  static const int64_t bad[] = {0, -1, INT64_MIN, INT64_MAX, INT64_C(1) << 31};
  for (int i = 0; i < 5; i++) {
    REFUSED(FP8ATTENTION_BAD_SIZE, batch, bad[i]);
    REFUSED(FP8ATTENTION_BAD_SIZE, heads, bad[i]);
    REFUSED(FP8ATTENTION_BAD_SIZE, seq_len, bad[i]);
  }
  for (int i = 0; i < 3; i++) REFUSED(FP8ATTENTION_BAD_SIZE, kv_heads, bad[i]);
  REFUSED(FP8ATTENTION_BAD_SIZE, seq_len, (INT64_C(1) << 30) + 1);
  REFUSED(FP8ATTENTION_BAD_SIZE, batch, (INT64_C(1) << 27) + 1);
  REFUSED(FP8ATTENTION_BAD_SIZE, key_len, (INT64_C(1) << 30) + 1);
  static const int64_t lengths[] = {-1, INT64_MIN, INT64_MAX};
  for (int i = 0; i < 3; i++)
    REFUSED(FP8ATTENTION_BAD_SIZE, key_len, lengths[i]);
  static const int64_t dims[] = {0, -64, 32, 63, 65, 96, 256, INT64_MAX};
  for (int i = 0; i < 8; i++)
    REFUSED(FP8ATTENTION_BAD_HEAD_DIM, head_dim, dims[i]);
  static const int64_t shared[] = {3, 5, 8, INT64_MAX};
  for (int i = 0; i < 4; i++)
    REFUSED(FP8ATTENTION_BAD_KV_HEADS, kv_heads, shared[i]);
  static const float scales[] = {0.0f, -0.125f, INFINITY, -INFINITY, NAN};
  for (int i = 0; i < 5; i++)
    REFUSED(FP8ATTENTION_BAD_SOFTMAX_SCALE, softmax_scale, scales[i]);
}

static void alignment(void **state) {
  (void)state;
  for (int by = 1; by < 16; by++) {
    REFUSED(FP8ATTENTION_MISALIGNED, q, t.problem.q + by);
    REFUSED(FP8ATTENTION_MISALIGNED, k, t.problem.k + by);
    REFUSED(FP8ATTENTION_MISALIGNED, v, t.problem.v + by);
  }
  for (int by = 1; by < 4; by++)
    REFUSED(FP8ATTENTION_MISALIGNED, o, t.problem.o + by);
  const float *scales = (const float *)((const char *)t.problem.q_scale + 2);
  REFUSED(FP8ATTENTION_MISALIGNED, q_scale, scales);
  REFUSED(FP8ATTENTION_MISALIGNED, k_scale, scales);
  REFUSED(FP8ATTENTION_MISALIGNED, v_scale, scales);
  for (int by = 1; by < 4; by++)
    REFUSED(FP8ATTENTION_MISALIGNED, lse,
            (float *)(void *)((char *)t.scales[0] + by));
}

/* A mask says which keys a row sees by their numbers: of a part, nobody could
 * tell which part. */
static void masked_parts(void **state) {
  (void)state;
  static const int64_t parts[] = {1, 69, 71, 140};
  t.problem.causal = 1;
  for (int i = 0; i < 4; i++)
    REFUSED(FP8ATTENTION_CAUSAL_KEY_LEN, key_len, parts[i]);
  t.problem.key_len = 70;
  assert_int_equal(fp8attention_forward(&t.problem, NULL), FP8ATTENTION_OK);
}

static void input_strides(void **state) {
  (void)state;
  static const int64_t bad[] = {
      0, -64, 16, 48, 65, 72, 136, INT64_C(1) << 40, INT64_MAX, INT64_MIN};
  for (int i = 0; i < 10; i++) {
    REFUSED(FP8ATTENTION_BAD_INPUT_STRIDE, q_strides.row, bad[i]);
    REFUSED(FP8ATTENTION_BAD_INPUT_STRIDE, q_strides.head, bad[i]);
    REFUSED(FP8ATTENTION_BAD_INPUT_STRIDE, q_strides.batch, bad[i]);
    REFUSED(FP8ATTENTION_BAD_INPUT_STRIDE, k_strides.row, bad[i]);
    REFUSED(FP8ATTENTION_BAD_INPUT_STRIDE, k_strides.head, bad[i]);
    REFUSED(FP8ATTENTION_BAD_INPUT_STRIDE, k_strides.batch, bad[i]);
    REFUSED(FP8ATTENTION_BAD_INPUT_STRIDE, v_strides.row, bad[i]);
    REFUSED(FP8ATTENTION_BAD_INPUT_STRIDE, v_strides.head, bad[i]);
    REFUSED(FP8ATTENTION_BAD_INPUT_STRIDE, v_strides.batch, bad[i]);
  }
}

/* o is [2][70][4][64]: strides of 17920, 64 and 256. */
#define MOST (INT64_MAX - 3)
static void output_strides(void **state) {
  (void)state;
  static const int64_t row[] = {0, -256, 64, 128, 252, 258, 259, MOST};
  for (int i = 0; i < 8; i++)
    REFUSED(FP8ATTENTION_BAD_OUTPUT_STRIDE, o_strides.row, row[i]);
  static const int64_t head[] = {0, -64, 60, 65, 66, 68, 256, 17920, MOST};
  for (int i = 0; i < 9; i++)
    REFUSED(FP8ATTENTION_BAD_OUTPUT_STRIDE, o_strides.head, head[i]);
  static const int64_t batch[] = {0, -1, 64, 256, 17916, 17922, MOST};
  for (int i = 0; i < 7; i++)
    REFUSED(FP8ATTENTION_BAD_OUTPUT_STRIDE, o_strides.batch, batch[i]);
}

static void other_devices(void **state) {
  (void)state;
  static const int others[][2] = {{8, 0}, {8, 9}, {9, 1}, {10, 0}, {12, 0}};
  for (int i = 0; i < 5; i++) {
    major = others[i][0], minor = others[i][1];
    refused(&t.problem, FP8ATTENTION_WRONG_DEVICE);
  }
  major = 9, minor = 0;
}

/* CUDA's own errors come through, with CUDA's words, and are over then. */
static void cuda_refuses(void **state) {
  (void)state;
  too_much = true;
  refused(&t.problem, FP8ATTENTION_CUDA + cudaErrorInvalidValue);
  too_much = false;
  assert_int_equal(cudaSetDevice(7), cudaErrorInvalidDevice);
  assert_int_equal(fp8attention_forward(&t.problem, NULL),
                   FP8ATTENTION_CUDA + cudaErrorInvalidDevice);
  assert_int_equal(guards_left(&t), t.o_size);
  assert_int_equal(cudaGetLastError(), cudaErrorInvalidDevice);
  assert_string_equal(
      fp8attention_error_text(FP8ATTENTION_CUDA + cudaErrorInvalidDevice),
      cudaGetErrorString(cudaErrorInvalidDevice));
  assert_int_equal(fp8attention_forward(&t.problem, NULL), FP8ATTENTION_OK);
}

static void sentences(void **state) {
  (void)state;
  const char *unknown = fp8attention_error_text(-1);
  assert_string_equal(unknown, fp8attention_error_text(FP8ATTENTION_CUDA));
  assert_string_equal(unknown,
                      fp8attention_error_text(FP8ATTENTION_LAST + 1));
  for (int i = FP8ATTENTION_OK; i <= FP8ATTENTION_LAST; i++) {
    const char *text = fp8attention_error_text(i);
    assert_string_not_equal(text, unknown);
    /* One sentence: it ends with the only full stop that a blank may follow. */
    assert_int_equal(text[strlen(text) - 1], '.');
    assert_null(strstr(text, ". "));
    for (int k = FP8ATTENTION_OK; k < i; k++)
      assert_string_not_equal(text, fp8attention_error_text(k));
  }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, prepare, release)
  const struct CMUnitTest tests[] = {
      TEST(the_right_one_runs), TEST(null_pointers), TEST(sizes),
      TEST(alignment),          TEST(input_strides), TEST(output_strides),
      TEST(other_devices),      TEST(cuda_refuses),  TEST(sentences),
      TEST(masked_parts),
  };
  return cmocka_run_group_tests_name("library errors", tests, NULL, NULL);
}
