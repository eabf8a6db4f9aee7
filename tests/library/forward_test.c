/* What the library computes: contiguous tensors against a textbook's attention,
 * with the log-sum-exp of each row; other layouts beside these, bit by bit. */

#include "tests/harness/unit.h"

#include <stdlib.h>

#include "common/harness/launch.h"
#include "common/simt/simt.h"
#include "libfp8attention/fp8attention.h"
#include "tests/harness/textbook.h"

/* Twice what rounding P to E4M3 costs, as in example.py. */
static const double LARGEST_RELATIVE_ERROR = 0.04;
/* wgmma keeps 13 bits below the largest of 32 products and the sum before them:
 * each of these, and the sum after them, loses less than this share of it. The
 * rest is for the logarithm itself. */
static const double SHARE = 0x1p-13, REST = 0x1p-18;
enum { GUARD = 0x5a };
enum { ONE = 0x38, FIFTEEN = 0x57, NOT_A_NUMBER = 0x7f }; /* in E4M3 */

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/* A problem, what the library is told beside it, and what it makes of it. */
typedef struct {
  problem p;
  fp8attention_problem told;
  bool no_lse, shares; /* with a workspace, blocks may share keys */
  int64_t rows, columns;
  uint16_t *o;
  float *lse;
} call;

/* Codes are small ones, so that many keys have a share in each row. */
static void make_call(call *c, const char *text, fp8attention_problem told) {
  *c = (call){.told = told};
  make_problem(&c->p, text, NORMAL, 1);
  const attention_shape *s = &c->p.shape;
  for (int i = 0; i < TENSOR_COUNT; i++) {
    const tensor_place t = problem_tensor(&c->p, i);
    for (int64_t n = 0; n < t.heads * t.rows * s->head_dim; n++)
      (*t.codes)[n] &= 0xbf;
    for (int64_t h = 0; h < t.heads; h++)
      (*t.scales)[h] = 0.25f + 0.03125f * (float)(h + i);
  }
  c->p.softmax_scale = 4.0;
  c->rows = s->batch * s->heads * s->seq_len;
  c->columns = s->head_dim;
  c->o = malloc((size_t)(c->rows * c->columns) * sizeof *c->o);
  c->lse = malloc((size_t)c->rows * sizeof *c->lse);
  assert_true(c->o && c->lse);
}

static void free_call(call *c) {
  problem_free(&c->p);
  free(c->o);
  free(c->lse);
}

static fp8attention_strides strides_of(tensor_strides s) {
  return (fp8attention_strides){s.batch, s.head, s.row};
}

static const call *current;

static cudaError_t launch(const attention_args *a, cudaStream_t stream) {
  const attention_strides contiguous = contiguous_strides(a);
  const attention_strides *s = a->strides ? a->strides : &contiguous;
  fp8attention_problem p = current->told;
  p.batch = a->batch, p.heads = a->heads, p.kv_heads = a->kv_heads;
  p.seq_len = a->seq_len, p.head_dim = a->head_dim;
  p.q = a->q, p.k = a->k, p.v = a->v, p.o = a->o;
  p.q_strides = strides_of(s->q), p.k_strides = strides_of(s->k);
  p.v_strides = strides_of(s->v), p.o_strides = strides_of(s->o);
  p.q_scale = a->q_scale, p.k_scale = a->k_scale, p.v_scale = a->v_scale;
  p.softmax_scale = a->softmax_scale, p.causal = a->causal, p.lse = a->lse;
  if (!p.key_len) p.key_len = a->key_len;
  uint8_t *space = NULL;
  if (current->shares) p.size = sizeof p;
  const int64_t bytes =
      current->shares ? fp8attention_forward_workspace(&p) : -1;
  assert_int_equal(bytes > 0, current->shares);
  assert_int_equal(cudaMalloc((void **)&space, (size_t)(bytes + 1)), 0);
  assert_int_equal(cudaMemset(space, GUARD, (size_t)(bytes + 1)), 0);
  if (current->shares) p.workspace = space;
  const int code = fp8attention_forward(&p, stream);
  if (code) fail_msg("%s", fp8attention_error_text(code));
  const cudaError_t error = cudaDeviceSynchronize();
  if (current->shares && !error) {
    assert_int_equal(space[bytes], GUARD);
    assert_int_not_equal(space[bytes - 1], GUARD);
  }
  cudaFree(space);
  return error;
}

/* Around and between the tensors' rows nothing is read or written. */
static void forward(call *c) {
  const attention_support with_lse = {.takes = RETURNS_LSE};
  const simt_finding *found;
  reason why = {""};
  upload u;
  simt_clear();
  simt_set_checks(SIMT_RACES);
  current = c;
  if (!upload_new(&u, &c->p, 0, &why)) fail_msg("%s", why.text);
  if (!c->no_lse) upload_ask(&u, &with_lse);
  const bool ran = upload_run(&u, launch, c->o, &why) &&
                   (c->no_lse || upload_lse(&u, c->lse, &why));
  if (simt_findings(&found)) fail_msg("%s: %s", found->name, found->sentence);
  if (!ran) fail_msg("%s", why.text);
  upload_free(&u);
}

static void assert_same(const call *got, const call *wanted) {
  assert_memory_equal(got->o, wanted->o,
                      (size_t)(got->rows * got->columns) * sizeof *got->o);
  if (!got->no_lse)
    assert_memory_equal(got->lse, wanted->lse,
                        (size_t)got->rows * sizeof *got->lse);
}

static double output(const call *c, int64_t row, int64_t d) {
  const uint16_t bits = c->o[row * c->columns + d];
  if (c->told.o_format != FP8ATTENTION_BF16) return half_decode(bits);
  const uint32_t word = (uint32_t)bits << 16;
  float number;
  memcpy(&number, &word, sizeof number);
  return number;
}

/* Output and log-sum-exp against the textbook's. */
static void assert_right(const call *c) {
  const double cuts = (double)(c->columns + 2 * c->columns / AT_ONCE);
  double off = 0.0, whole = 0.0;
  for (int64_t row = 0; row < c->rows; row++) {
    long double o[128] = {0}, reach = 0;
    const double lse = c->told.key_len
                           ? -INFINITY
                           : (double)textbook(&c->p, true, row, 0, o, &reach);
    const double room = cuts * SHARE * (double)reach + REST;
    if (c->lse[row] != lse && !(fabs(c->lse[row] - lse) <= room))
      fail_msg("lse of row %d is %.7g, wanted %.7g within %.2g", (int)row,
               c->lse[row], lse, room);
    for (int64_t d = 0; d < c->columns; d++) {
      off += pow(output(c, row, d) - (double)o[d], 2);
      whole += (double)(o[d] * o[d]);
    }
  }
  if (!(sqrt(off) <= LARGEST_RELATIVE_ERROR * sqrt(whole)))
    fail_msg("the output is off by %g", sqrt(off / whole));
}

/* A length that is short of a tile, in both head_dims; heads that share; masks;
 * one batch, one head, one row. Fewer keys, more, one, none; full tiles and
 * others; with a mask as many as rows, said and not said, more and fewer. On
 * 132 multiprocessors warpgroups share out the keys, on 2 they do not. */
static void every_layout(void **state) {
  static const struct {
    const char *shape;
    fp8attention_problem told;
  } of[] = {{"2,4:2,97,128,causal", {0}},
            {"3,2,33,64,causal", {0}},
            {"1,4,201,64", {0}},
            {"2,1,65,128", {0}},
            {"1,1,1,128,causal", {0}},
            {"1,2:1,97,64,keys=40", {0}},
            {"1,2,33,64,keys=300", {0}},
            {"2,2:1,65,64,keys=1", {0}},
            {"1,2:1,70,128,keys=129", {0}},
            {"2,4:2,1,128,keys=200", {0}},
            {"1,1,130,128,keys=64", {0}},
            {"1,2:1,66,128,causal,keys=66", {0}},
            {"1,1,200,64,keys=256", {0}},
            {"1,2:1,65,64,causal,keys=300", {0}},
            {"1,2,300,128,causal,keys=97", {.o_format = FP8ATTENTION_BF16}},
            {"2,1,450,64,causal,keys=1", {0}},
            {"1,1,1,128,causal,keys=130",
             {.o_format = FP8ATTENTION_BF16, .max_multiprocessors = 1}},
            {"2,2:1,33,64,causal", {.key_len = FP8ATTENTION_NO_KEYS}},
            {"2,2:1,70,64",
             {.o_format = FP8ATTENTION_BF16,
              .size = sizeof(fp8attention_problem),
              .batch_invariant = 1}}};
  for (int i = 0; i < 2 * COUNT(of); i++) {
    call wanted;
    make_call(&wanted, of[i / 2].shape, of[i / 2].told);
    simt_set_multiprocessors(i % 2 ? 2 : 132);
    forward(&wanted);
    assert_right(&wanted);
    for (int layout = LAYOUT_PADDED; layout <= LAYOUT_PERMUTED; layout++) {
      call c;
      make_call(&c, of[i / 2].shape, of[i / 2].told);
      c.p.shape.layout = (tensor_layout)layout;
      forward(&c);
      assert_same(&c, &wanted);
      free_call(&c);
    }
    free_call(&wanted);
  }
}

/* More keys than a chain has: the output's bits tell who added it up. They are
 * the same where nobody wants an lse. */
static void long_sums(void **state) {
  simt_set_multiprocessors(2); /* so that one warpgroup has all keys */
  call all[2], without;
  for (int drift = 0; drift < 2; drift++) {
    const fp8attention_problem told = {.drift = drift};
    make_call(&all[drift], "1,1,1200,64", told);
    make_call(&without, "1,1,1200,64", told);
    all[drift].p.softmax_scale = without.p.softmax_scale = 0.125;
    without.no_lse = true;
    forward(&all[drift]);
    forward(&without);
    assert_right(&all[drift]);
    assert_same(&without, &all[drift]);
    free_call(&without);
  }
  assert_memory_not_equal(all[0].o, all[1].o, 1200 * 64 * sizeof *all[0].o);
  free_call(&all[0]);
  free_call(&all[1]);
}

/* Which rows have no finite lse: those from `first` on, before `end`. */
static void assert_lost(const call *c, int64_t first, int64_t end) {
  for (int64_t row = 0; row < c->rows; row++)
    if ((isnan(c->lse[row]) != 0) != (row >= first && row < end) ||
        isinf(c->lse[row]))
      fail_msg("lse of row %d is %g", (int)row, (double)c->lse[row]);
}

static void codes_that_are_nan(void **state) {
  for (int i = 0; i < 2; i++) {
    simt_set_multiprocessors(i ? 2 : 132);
    call c;
    make_call(&c, "1,2,97,64,keys=40", (fp8attention_problem){0});
    memset(c.p.v_codes + 7 * 64, NOT_A_NUMBER, 64);
    forward(&c);
    assert_lost(&c, 0, 0);
    memset(c.p.q_codes + (97 + 13) * 64, NOT_A_NUMBER, 64);
    forward(&c);
    assert_lost(&c, 97 + 13, 97 + 14);
    memset(c.p.q_codes + (97 + 13) * 64, 0, 64);
    c.p.k_codes[39 * 64 + 5] = 0xff;
    forward(&c);
    assert_lost(&c, 0, 97);
    free_call(&c);
  }
}

/* A score is one product here, so that it is exact, and many are equal. Where
 * scores are too large for floats, all is NaN. */
static void numbers_at_their_ends(void **state) {
  static const struct {
    float q_scale, k_scale, softmax_scale, v_scale;
    bool lost;
  } of[] = {{1e-23f, 1e-23f, 0.125f, 1.0f, false},
            {1e-23f, 1e-23f, 1e-40f, 1.0f, false},
            {1.0f, 1.0f, 1e-45f, 1.0f, false},
            {1.0f, 1.0f, 1e3f, 1e30f, false},
            {1.0f, 1.0f, 1e4f, 1.0f, false},
            {1.0f, 1.0f, 1e6f, 1e6f, false},
            {297.142857f, 297.142857f, 0.125f, 1.0f, false},
            {1e-30f, 1e30f, 3.0f, 1.0f, false},
            {1e18f, 1e17f, 0.125f, 1.0f, false},
            {1e30f, 1e30f, 0.125f, 1.0f, true}};
  for (int i = 0; i < 4 * COUNT(of); i++) {
    const bool lost = of[i / 4].lost;
    simt_set_multiprocessors(i % 2 ? 2 : 132);
    call c;
    make_call(&c, i / 2 % 2 ? lost ? "1,1,70,128,causal" : "1,1,150,128,causal"
                  : lost    ? "1,1,70,64,causal"
                            : "1,1,150,64,causal",
              (fp8attention_problem){.o_format = FP8ATTENTION_BF16});
    for (int64_t k = 0; k < c.rows * c.columns; k++)
      if (k % c.columns) c.p.q_codes[k] = 0;
    c.p.q_scale[0] = of[i / 4].q_scale;
    c.p.k_scale[0] = of[i / 4].k_scale;
    c.p.v_scale[0] = of[i / 4].v_scale;
    c.p.softmax_scale = of[i / 4].softmax_scale;
    forward(&c);
    if (!lost) assert_right(&c);
    for (int64_t row = 0; row < c.rows && lost; row++)
      if (isfinite(c.lse[row]) || isfinite(output(&c, row, 0)))
        fail_msg("row %d of %d is %g, its lse %g", (int)row, i,
                 output(&c, row, 0), c.lse[row]);
    free_call(&c);
  }
}

/* With 200 keys it is another block that a batch gets than a sequence alone. */
static void alone_and_in_a_batch(void **state) {
  simt_set_multiprocessors(132);
  for (int same = 0; same < 2; same++) {
    call alone, both;
    make_call(&alone, "1,2,200,64",
              (fp8attention_problem){.batch_invariant = same});
    make_call(&both, "2,2,200,64",
              (fp8attention_problem){.batch_invariant = same,
                                     .max_multiprocessors = 4});
    forward(&alone);
    forward(&both);
    assert_int_equal(!memcmp(alone.o, both.o, 2 * 200 * 64 * sizeof *both.o),
                     same);
    free_call(&alone);
    free_call(&both);
  }
}

/* One key weighs 2^15 times as much as each other: all of them together keep
 * their share, but for those of its own chain. */
static void a_heavy_key(void **state) {
  enum { KEYS = 6000, CHAIN = 672 };
  static const int64_t at[] = {0, 3000, KEYS - 1};
  simt_set_multiprocessors(1);
  for (int i = 0; i < 2 * COUNT(at); i++) {
    const int64_t heavy = at[i / 2];
    call c;
    make_call(&c, i % 2 ? "1,1,1,128,keys=6000" : "1,1,1,64,keys=6000",
              (fp8attention_problem){0});
    problem *p = &c.p;
    memset(p->q_codes, 0, (size_t)c.columns);
    memset(p->k_codes, 0, (size_t)(KEYS * c.columns));
    memset(p->v_codes, ONE, (size_t)(KEYS * c.columns));
    p->q_codes[0] = ONE;
    p->k_codes[heavy * c.columns] = FIFTEEN;
    memset(p->v_codes + heavy * c.columns, 0, (size_t)c.columns);
    *p->q_scale = *p->k_scale = *p->v_scale = 1.0f;
    p->softmax_scale = 0.69314718; /* 2 to the power of a score */
    forward(&c);
    const double all = KEYS - 1 + 0x1p15, others = (KEYS - 1) / all;
    const double got = output(&c, 0, 3);
    if (!(got >= others - CHAIN / all - 0.002 && got <= others + 0.002))
      fail_msg("beside key %d the others have %g, not %g", (int)heavy, got,
               others);
    free_call(&c);
  }
}

/* The last turn has one tile or two for five blocks: with a workspace they
 * share its keys. Without it, all is as it was. */
static void blocks_that_share_keys(void **state) {
  static const struct {
    const char *shape;
    fp8attention_problem told;
  } of[] = {{"1,6:3,180,128,keys=1150", {0}},
            {"1,6,128,128,keys=1150", {.drift = 1}},
            {"2,3,180,64,keys=1190", {.o_format = FP8ATTENTION_BF16}},
            {"1,6:1,100,64,keys=1001", {0}}};
  simt_set_multiprocessors(5);
  for (int i = 0; i < COUNT(of); i++) {
    call alone, c;
    make_call(&alone, of[i].shape, of[i].told);
    make_call(&c, of[i].shape, of[i].told);
    c.p.shape.layout = LAYOUT_PADDED;
    c.shares = true;
    forward(&alone);
    forward(&c);
    assert_right(&c);
    assert_memory_not_equal(c.o, alone.o,
                            (size_t)(c.rows * c.columns) * sizeof *c.o);
    c.shares = false;
    forward(&c);
    assert_same(&c, &alone);
    free_call(&c);
    free_call(&alone);
  }
}

/* A code of V that is NaN is so for rows to which its key hardly matters. */
static void nan_in_a_sum_that_shrinks(void **state) {
  simt_set_multiprocessors(2);
  for (int wide = 0; wide < 2; wide++) {
    call c;
    make_call(&c, wide ? "1,1,900,128" : "1,1,900,64",
              (fp8attention_problem){0});
    uint8_t *const k = c.p.k_codes, *const v = c.p.v_codes;
    for (int64_t d = 0; d < c.columns; d++)
      k[d] = (uint8_t)((k[d] & 0x80) | 0x60);
    c.p.softmax_scale = 64.0;
    memset(v + 899 * c.columns, NOT_A_NUMBER, (size_t)c.columns);
    forward(&c);
    for (int64_t row = 0; row < c.rows; row++)
      if (!isnan(output(&c, row, 0)))
        fail_msg("row %d is %g", (int)row, output(&c, row, 0));
    free_call(&c);
  }
}

MAIN(cmocka_unit_test(every_layout),
     cmocka_unit_test(long_sums),
     cmocka_unit_test(codes_that_are_nan),
     cmocka_unit_test(nan_in_a_sum_that_shrinks),
     cmocka_unit_test(a_heavy_key),
     cmocka_unit_test(blocks_that_share_keys),
     cmocka_unit_test(numbers_at_their_ends),
     cmocka_unit_test(alone_and_in_a_batch))
