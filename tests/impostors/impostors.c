#include "tests/impostors/impostors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/launch.h"
#include "common/harness/numbers.h"
#include "common/harness/program.h"
#include "common/harness/settings.h"

p_rounding impostors_rounding = P_FP32;

/* A launch function that attends with these faults. */
#define ATTEND(name, ...)                                                      \
  static cudaError_t name(const attention_args *a, cudaStream_t stream) {      \
    (void)stream;                                                              \
    const faults f = {__VA_ARGS__, .rounding = impostors_rounding};            \
    return attend(a, &f);                                                      \
  }

ATTEND(control, .softmax_scale_error = 0.0f)
ATTEND(half_written, .half_written = true)
ATTEND(drop_last_tile, .drop_last_tile = true)
ATTEND(no_rescale, .no_rescale = true)
ATTEND(half_step, .half_step = true)
ATTEND(neighbours_scale, .neighbours_scale = true)
ATTEND(k_untransposed, .k_untransposed = true)
ATTEND(row_shifted, .row_shifted = true)
ATTEND(half_table, .half_table = true)
ATTEND(scale_off, .softmax_scale_error = 0.01f)
ATTEND(biased_result, .result_bias = 1.0f / 3.0f)
ATTEND(mask_too_wide, .mask_too_wide = true)
ATTEND(wrong_group, .wrong_group = true)
ATTEND(stale, .untouched = true)
ATTEND(zeros, .filled = true)
ATTEND(nans, .filled = true, .fill = NAN)
ATTEND(infinities, .filled = true, .fill = INFINITY)

/* What softmax gives if all scores are equal. */
static cudaError_t mean_v(const attention_args *a, cudaStream_t stream) {
  (void)stream;
  const int64_t s = a->seq_len, d = a->head_dim;
  const int64_t in_group = a->heads / a->kv_heads;
  for (int64_t i = 0; i < a->batch * a->heads; i++)
    for (int64_t c = 0; c < d; c++) {
      const uint8_t *v = a->v + i / in_group * s * d + c;
      const float scale = a->v_scale[i / in_group];
      double sum = 0.0;
      for (int64_t row = 0, keys = 0; row < s; row++) {
        for (; keys < (a->causal ? row + 1 : s); keys++)
          sum += e4m3_decode(v[keys * d]);
        a->o[(i * s + row) * d + c] =
            half_encode((float)(sum / (double)keys) * scale);
      }
    }
  return cudaSuccess;
}

/* The code of the next larger value; 448 stays. */
static uint8_t next_up(uint8_t code) {
  if (code == 0x7E) return code;
  if (code == 0x80) return 0x01;
  return (uint8_t)(code & 0x80 ? code - 1 : code + 1);
}

/* An encoder that rounds up where it should round to nearest: half a step too
 * much on average. The kernel is blameless. */
static void round_up(problem *p) {
  const int64_t in_head = p->shape.seq_len * p->shape.head_dim;
  const size_t count = attention_shape_kv_elements(&p->shape);
  for (size_t i = 0; i < count; i++) {
    const float value = p->v[i] / p->v_scale[(int64_t)i / in_head];
    if (e4m3_decode(p->v_codes[i]) < value)
      p->v_codes[i] = next_up(p->v_codes[i]);
  }
}

const impostor impostors[] = {
    {.name = "control", .launch = control},
    {.name = "zeros", .launch = zeros},
    {.name = "NaN", .launch = nans},
    {.name = "infinity", .launch = infinities},
    {.name = "stale output", .launch = stale},
    {.name = "half written", .launch = half_written},
    {.name = "mean of V", .launch = mean_v},
    {.name = "last tile dropped", .launch = drop_last_tile},
    {.name = "no rescale", .launch = no_rescale},
    {.name = "half-step bias", .launch = half_step},
    {.name = "half-step bias of the encoder",
     .launch = control,
     .spoil = round_up},
    {.name = "scale of the wrong head", .launch = neighbours_scale},
    {.name = "K untransposed", .launch = k_untransposed},
    {.name = "one row shifted", .launch = row_shifted},
    {.name = "half-filled table", .launch = half_table},
    {.name = "softmax scale 1 % off", .launch = scale_off},
    {.name = "result a third of a step high", .launch = biased_result},
    {.name = "mask one key too wide", .launch = mask_too_wide},
    {.name = "K/V head of another group", .launch = wrong_group},
};
const int impostor_count = sizeof impostors / sizeof *impostors;

static void require(bool good, const char *why) {
  if (good) return;
  fprintf(stderr, "impostors: %s\n", why);
  exit(EXIT_IMPOSSIBLE);
}

/* Judges those that need the inputs spoiled so. */
static void run_some(const attention_shape *shape, distribution d, float scale,
                     uint64_t seed, void (*spoil)(problem *),
                     gates_result *results) {
  reason why = {""};
  problem p;
  references r;
  upload u;
  uint16_t *o = malloc(2 * attention_shape_elements(shape));
  require(o != NULL, "too little memory");
  require(problem_new(&p, shape, d, seed, &why), why.text);
  /* Codes do not change with the deviation, scales do. */
  float *const all[] = {p.q, p.k, p.v, p.q_scale, p.k_scale, p.v_scale};
  for (size_t t = 0; t < 6 && scale != 1.0f; t++)
    for (size_t i = 0; i < (t < 3 ? attention_shape_elements(shape)
                                  : (size_t)(shape->batch * shape->heads)); i++)
      all[t][i] *= scale;
  if (spoil) spoil(&p);
  require(references_new(&r, &p, impostors_rounding, false, &why), why.text);
  require(upload_new(&u, &p, &why), why.text);
  for (int i = 0; i < impostor_count; i++) {
    if (impostors[i].spoil != spoil) continue;
    require(upload_run(&u, impostors[i].launch, o, &why), why.text);
    require(gates_judge(&results[i], o, &p, &r), "too little memory");
  }
  upload_free(&u);
  references_free(&r);
  problem_free(&p);
  free(o);
}

void impostors_run(const char *text, distribution d, float scale,
                   uint64_t seed, gates_result *results) {
  reason why = {""};
  attention_shape shape = {0};
  require(case_parse(&shape, NULL, text, &why), why.text);
  run_some(&shape, d, scale, seed, NULL, results);
  run_some(&shape, d, scale, seed, round_up, results);
}
