/* Codes and scales from the library's kernels, bit by bit those of the host's
 * quantiser, in every layout. What is refused: test_refusals.py. */

#include "tests/harness/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/numbers.h"
#include "common/simt/simt.h"
#include "libfp8attention/fp8attention.h"

enum { GUARD_BYTE = 0xa5, MARGIN = 64, TENSORS = 3 };

/* "Device" memory, which on the executor the host sees, too: each byte of this
 * value. */
static void *memory(size_t size, int value) {
  void *pointer = NULL;
  assert_int_equal(cudaMalloc(&pointer, size), cudaSuccess);
  assert_int_equal(cudaMemset(pointer, value, size), cudaSuccess);
  return pointer;
}

/* How far a row is from a tensor's first element. */
static int64_t place(const fp8attention_strides *s, int64_t b, int64_t h,
                     int64_t row) {
  return b * s->batch + h * s->head + row * s->row;
}

/* A tensor whose memory has room around it and between rows. */
typedef struct {
  fp8attention_tensor tensor;
  uint16_t *values;
  uint8_t *codes;
  size_t values_size, codes_size; /* elements */
} made;

/* [batch][heads][seq_len] with `between` elements behind each row, or the same
 * with seq_len before heads, as models have it. */
static fp8attention_strides strides_of(const fp8attention_tensor *t,
                                       bool sequence_first, int64_t between) {
  const int64_t width = t->head_dim + between;
  const int64_t all = t->heads * t->seq_len * width;
  if (sequence_first)
    return (fp8attention_strides){all, width, t->heads * width};
  return (fp8attention_strides){all, t->seq_len * width, width};
}

static float decode(int format, uint16_t bits) {
  float x;
  const uint32_t wide = (uint32_t)bits << 16;
  if (format == FP8ATTENTION_FP16) return half_decode(bits);
  memcpy(&x, &wide, sizeof x);
  return x;
}

static uint16_t encode(int format, float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return format == FP8ATTENTION_FP16 ? half_encode(x) : (uint16_t)(bits >> 16);
}

typedef struct {
  int64_t batch, heads, seq_len, head_dim;
  bool sequence_first;
  int64_t between;
} spec;

static made make(spec s, int format) {
  made m = {.tensor = {s.batch, s.heads, s.seq_len, s.head_dim, format, NULL,
                       NULL, NULL, {0, 0, 0}, {0, 0, 0}}};
  fp8attention_tensor *t = &m.tensor;
  t->values_strides = strides_of(t, s.sequence_first, s.between);
  t->codes_strides = strides_of(t, !s.sequence_first, 2 * s.between);
  m.values_size = (size_t)(s.batch * t->values_strides.batch) + 2 * MARGIN;
  m.codes_size = (size_t)(s.batch * t->codes_strides.batch) + 2 * MARGIN;
  m.values = memory(m.values_size * sizeof *m.values, 0xff);
  m.codes = memory(m.codes_size, GUARD_BYTE);
  t->values = m.values + MARGIN;
  t->codes = m.codes + MARGIN;
  t->scale = memory((size_t)(s.batch * s.heads) * sizeof(float), 0xff);
  return m;
}

/* Where element i of a head lies. */
static int64_t element(const fp8attention_tensor *t,
                       const fp8attention_strides *s, int64_t b, int64_t h,
                       size_t i) {
  return place(s, b, h, (int64_t)i / t->head_dim) + (int64_t)i % t->head_dim;
}

static void set(const made *m, int64_t b, int64_t h, int64_t row, int64_t d,
                uint16_t bits) {
  m->values[MARGIN + place(&m->tensor.values_strides, b, h, row) + d] = bits;
}

/* Normal numbers, a size for each head. */
static void fill(const made *m, uint64_t seed, float size) {
  const fp8attention_tensor *t = &m->tensor;
  uint64_t at = 0;
  for (int64_t head = 0; head < t->batch * t->heads; head++)
    for (int64_t i = 0; i < t->seq_len * t->head_dim; i++) {
      const int64_t h = head % t->heads;
      const float x = random_normal(seed, 9, at++) * size * (float)(1 + h * h);
      set(m, head / t->heads, h, i / t->head_dim, i % t->head_dim,
          encode(t->format, x));
    }
}

static void release(made *m) {
  assert_int_equal(cudaFree(m->values), cudaSuccess);
  assert_int_equal(cudaFree(m->codes), cudaSuccess);
  assert_int_equal(cudaFree(m->tensor.scale), cudaSuccess);
}

/* Each head as the host makes it of the same values; between rows and around
 * all, the guard is as it was. */
static void compare(const made *m) {
  const fp8attention_tensor *t = &m->tensor;
  const size_t count = (size_t)(t->seq_len * t->head_dim);
  float *values = malloc(count * sizeof *values);
  uint8_t *codes = malloc(count);
  size_t inside = 0, guards = 0;
  for (int64_t head = 0; head < t->batch * t->heads; head++) {
    const int64_t b = head / t->heads, h = head % t->heads;
    for (size_t i = 0; i < count; i++)
      values[i] = decode(t->format,
                         t->values[element(t, &t->values_strides, b, h, i)]);
    const float scale = quantise_head(values, codes, count);
    if (memcmp(&t->scale[head], &scale, sizeof scale))
      fail_msg("the scale of head %d is %a, wanted %a", (int)h, t->scale[head],
               scale);
    for (size_t i = 0; i < count; i++) {
      const uint8_t code = t->codes[element(t, &t->codes_strides, b, h, i)];
      inside += code == GUARD_BYTE;
      if (code != codes[i])
        fail_msg("code %d of head %d is %02x, wanted %02x (%a)", (int)i, (int)h,
                 code, codes[i], values[i]);
    }
  }
  for (size_t i = 0; i < m->codes_size; i++)
    guards += m->codes[i] == GUARD_BYTE;
  assert_int_equal(guards - inside, m->codes_size -
                                        count * (size_t)(t->batch * t->heads));
  free(values);
  free(codes);
}

static void quantise(made *all, int count) {
  fp8attention_tensor tensors[4];
  for (int i = 0; i < count; i++) tensors[i] = all[i].tensor;
  const int64_t bytes = fp8attention_workspace(tensors, count);
  assert_true(bytes > 0);
  uint8_t *workspace = memory((size_t)bytes + 1, GUARD_BYTE);
  simt_clear();
  simt_set_checks(SIMT_RACES);
  const int code = fp8attention_quantise(tensors, count, workspace, NULL);
  if (code) fail_msg("%s", fp8attention_error_text(code));
  assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
  const simt_finding *found;
  if (simt_findings(&found))
    fail_msg("%s: %s", found->name, found->sentence);
  assert_int_equal(workspace[bytes], GUARD_BYTE); /* it was large enough */
  assert_int_equal(cudaFree(workspace), cudaSuccess);
  for (int i = 0; i < count; i++) compare(&all[i]);
}

static void as_the_host(const spec *of, int count, int format, uint64_t seed) {
  made all[TENSORS];
  for (int t = 0; t < count; t++) {
    all[t] = make(of[t], format);
    fill(&all[t], seed + (uint64_t)t, t ? 0.01f : 1.0f);
  }
  quantise(all, count);
  for (int t = 0; t < count; t++) release(&all[t]);
}

/* Lengths around the rows of an item, 64 and 32; heads that share; orders and
 * numbers of blocks. At last so many heads that items are of the largest size,
 * and a tensor of whole ones, with a part behind them. */
static void formats_and_strides(void **state) {
  static const int lengths[] = {1, 64, 65, 600};
  for (int format = FP8ATTENTION_FP16; format <= FP8ATTENTION_BF16; format++) {
    for (int i = 0; i < 16; i++) {
      const bool first = i % 2;
      const int64_t n = lengths[i / 4], d = i / 2 % 2 ? 128 : 64;
      const int64_t between = first ? 8 * format : 0;
      const spec three[] = {{2, 3, n, d, first, between},
                            {2, 1, n, d, first, between},
                            {2, 1, n, d, !first, between}};
      simt_set_multiprocessors(i / 4 % 2 ? 1 : 8);
      simt_set_order((uint64_t)(i < 8 ? i / 4 : i / 4 + 3));
      as_the_host(three, TENSORS, format, (uint64_t)(i / 4 * 3));
    }
    const spec many[] = {{4, 128, 2, 64, format == FP8ATTENTION_FP16, 0},
                         {1, 2, 300, 128, true, 16},
                         {2, 1, 300, 64, false, 0}};
    simt_set_multiprocessors(format == FP8ATTENTION_FP16 ? 3 : 1);
    simt_set_order(SIMT_FORWARD);
    as_the_host(many, TENSORS, format, 7);
  }
}

/* Each of the 65,536 values, beside one that is the largest: NaN, infinities,
 * zeros of both signs and subnormal numbers are among them. From the third on
 * the quotient is a division. The fast one would be wrong from the fourth on,
 * and only beside these mantissas; the last one's scale has no inverse. */
static void every_value(void **state) {
  static const float largest[] = {448.0f,      3.0f,        0x1.8p-70f,
                                  0x1.54p-105f, 0x1.fp-117f, 0x1.8p-122f};
  const int count = sizeof largest / sizeof *largest;
  for (int format = FP8ATTENTION_FP16; format <= FP8ATTENTION_BF16; format++)
    for (int i = 0; i < count; i++) {
      if (format == FP8ATTENTION_FP16 && i > 1) continue;
      made m = make((spec){1, 1, 1025, 64, false, 0}, format);
      for (int n = 0; n < 65536; n++) {
        const float x = decode(format, (uint16_t)n);
        const bool over = isfinite(x) && fabsf(x) > largest[i];
        set(&m, 0, 0, n / 64, n % 64, over ? 0x8000 : (uint16_t)n);
      }
      for (int d = 0; d < 64; d++)
        set(&m, 0, 0, 1024, d, encode(format, largest[i]));
      quantise(&m, 1);
      release(&m);
    }
}

/* Heads of zeros, whose scale is 1, of one value, whose code is that of 448, of
 * infinities, as of zeros, and of normal numbers among which some are not
 * finite: they get the code of NaN, and the scale is that of the others. */
static void special_heads(void **state) {
  for (int format = FP8ATTENTION_FP16; format <= FP8ATTENTION_BF16; format++) {
    const uint16_t infinity = format == FP8ATTENTION_FP16 ? 0x7c00 : 0x7f80;
    const uint16_t bad[] = {infinity, infinity | 0x8000, infinity | 1, 0xffff};
    made m = make((spec){1, 4, 70, 64, true, 0}, format);
    const fp8attention_tensor *t = &m.tensor;
    fill(&m, 5, 1.0f);
    for (int i = 0; i < 70 * 64; i++) {
      set(&m, 0, 0, i / 64, i % 64, 0);
      set(&m, 0, 1, i / 64, i % 64, encode(format, -3.5f));
      set(&m, 0, 2, i / 64, i % 64, infinity);
    }
    set(&m, 0, 3, 0, 1, encode(format, -100.0f)); /* the largest, beside one */
    for (int i = 0; i < 4; i++) set(&m, 0, 3, 10 * i, i, bad[i]);
    quantise(&m, 1);
    const float scale[] = {1.0f, 3.5f / 448.0f, 1.0f, 100.0f / 448.0f};
    assert_memory_equal(t->scale, scale, sizeof scale);
    assert_int_equal(t->codes[place(&t->codes_strides, 0, 1, 7)], 0xfe);
    for (int i = 0; i < 4; i++)
      assert_int_equal(t->codes[place(&t->codes_strides, 0, 3, 10 * i) + i],
                       0x7f);
    release(&m);
  }
}

/* More items than all slots hold, for one block or two: some are left, and read
 * again. One block alone takes all of a head that is small enough. */
static void large_heads(void **state) {
  static const spec of[] = {
      {1, 1, 3600, 64, true, 8}, {1, 2, 3600, 64, true, 8},
      {1, 9, 96, 64, true, 8}};
  simt_set_multiprocessors(1);
  for (int i = 0; i < 6; i++) {
    setenv("SIMT_THREADS", i % 2 ? "2" : "1", 1);
    as_the_host(&of[i / 2], 1, FP8ATTENTION_BF16, (uint64_t)i);
  }
  unsetenv("SIMT_THREADS");
}

/* More items than the clerk asks for at once, 256, and the largest value among
 * the first of them or the last. */
static void largest_first_or_last(void **state) {
  enum { ROWS = 260 * 64 };
  made m = make((spec){1, 2, ROWS, 64, false, 0}, FP8ATTENTION_BF16);
  fill(&m, 4, 0.01f);
  set(&m, 0, 0, 0, 5, encode(FP8ATTENTION_BF16, 9.0f));
  set(&m, 0, 1, ROWS - 1, 63, encode(FP8ATTENTION_BF16, -7.0f));
  simt_set_multiprocessors(1);
  quantise(&m, 1);
  assert_true(m.tensor.scale[0] == 9.0f / 448.0f);
  assert_true(m.tensor.scale[1] == 7.0f / 448.0f);
  release(&m);
}

MAIN(cmocka_unit_test(formats_and_strides),
     cmocka_unit_test(every_value),
     cmocka_unit_test(special_heads),
     cmocka_unit_test(large_heads),
     cmocka_unit_test(largest_first_or_last))
