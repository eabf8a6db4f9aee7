#include "common/harness/judge/quantise_check.h"

#include <math.h>

#include "common/harness/formats/e4m3.h"

/* Magnitudes of the codes 0 to 0x7E, ascending. */
enum { MAGNITUDES = 0x7F };

static bool nearest(const float *magnitude, float x, uint8_t code) {
  const int at = code & 0x7F;
  if (isnan(x)) return code == E4M3_NAN;
  if (at >= MAGNITUDES || (at && (code & 0x80) != (x < 0.0f ? 0x80 : 0)))
    return false;
  const double value = fabsf(x), off = fabs(magnitude[at] - value);
  return (at == 0 || off <= fabs(magnitude[at - 1] - value)) &&
         (at == MAGNITUDES - 1 || off <= fabs(magnitude[at + 1] - value));
}

static bool head_well_quantised(const float *magnitude, const float *values,
                                const uint8_t *codes, float scale,
                                size_t count) {
  float amax = 0.0f;
  for (size_t i = 0; i < count; i++) amax = fmaxf(amax, fabsf(values[i]));
  if (scale != (amax > 0.0f ? amax / E4M3_MAX : 1.0f)) return false;
  for (size_t i = 0; i < count; i++)
    if (!nearest(magnitude, values[i] / scale, codes[i])) return false;
  return true;
}

bool problem_is_well_quantised(const problem *p) {
  const size_t d = (size_t)p->shape.head_dim;
  const size_t of_q = d * (size_t)p->shape.seq_len;
  const size_t of_kv = d * (size_t)attention_shape_keys(&p->shape);
  const float *const values[] = {p->q, p->k, p->v};
  const uint8_t *const codes[] = {p->q_codes, p->k_codes, p->v_codes};
  const float *const scales[] = {p->q_scale, p->k_scale, p->v_scale};
  const int64_t kv_heads = p->shape.batch * p->shape.kv_heads;
  float magnitude[MAGNITUDES];
  bool good = true;
  for (int i = 0; i < MAGNITUDES; i++) magnitude[i] = e4m3_decode((uint8_t)i);
#pragma omp parallel for reduction(&& : good)
  for (int64_t head = 0; head < p->shape.batch * p->shape.heads; head++)
    for (int t = 0; t < 3 && good && (t == 0 || head < kv_heads); t++) {
      const size_t count = t ? of_kv : of_q, start = (size_t)head * count;
      good = head_well_quantised(magnitude, values[t] + start,
                                 codes[t] + start, scales[t][head], count);
    }
  return good;
}
