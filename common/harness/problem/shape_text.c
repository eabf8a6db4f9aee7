#include "common/harness/problem/shape_text.h"

#include <stdlib.h>
#include <string.h>

#include "common/harness/problem/settings.h"

enum { GRID_LIMIT = 65535 }; /* blocks along y and z: CUDA's limit */

/* B,H,S,D or B,H:KV,S,D, with ",causal" behind it or not. */
static bool read_parts(attention_shape *s, const char *text, reason *why) {
  static const char *const names[] = {"B", "H", "KV", "S", "D"};
  int64_t *const parts[] = {&s->batch, &s->heads, &s->kv_heads, &s->seq_len,
                            &s->head_dim};
  enum { HEADS = 1, LAST = 4 };
  const char *at = text;
  for (int i = 0; i <= LAST; i++) {
    char *end;
    *parts[i] = strtoll(at, &end, 10);
    s->causal = i == LAST && !strcmp(end, ",causal");
    const bool shared = i == HEADS && *end == ':';
    const bool ends = i == LAST ? s->causal || !*end : shared || *end == ',';
    if (end == at || (*at != '-' && (*at < '0' || *at > '9')) || !ends)
      return refuse(why,
                    "'%s' is no shape: give small, mission, long, odd, large "
                    "or B,H,S,D, as in 1,8,512,64 or 2,8:2,100,128,causal.",
                    text);
    if (*parts[i] > INT32_MAX) { /* strtoll stops at INT64_MAX */
      return refuse(why, "%s in shape %s is too large: at most 2147483647.",
                    names[i], text);
    }
    if (*parts[i] < 1)
      return refuse(why, "%s in shape %s must be at least 1.", names[i], text);
    if (i == HEADS && !shared) *parts[++i] = s->heads;
    at = end + 1;
  }
  return true;
}

static bool acceptable(const attention_shape *s, const char *text,
                       reason *why) {
  if (s->heads % s->kv_heads != 0)
    return refuse(why,
                  "H in shape %s must be a multiple of its %lld K/V heads.",
                  text, (long long)s->kv_heads);
  if (s->batch > GRID_LIMIT || s->heads > GRID_LIMIT)
    return refuse(why,
                  "B and H in shape %s may be at most %d: that is the largest "
                  "grid.",
                  text, GRID_LIMIT);
  /* 128 bytes an element are more than host or device ever need. */
  const int64_t limit = INT64_MAX / 128 / s->head_dim / s->seq_len;
  if (s->batch * s->heads > limit)
    return refuse(
        why, "Shape %s has more elements than memory can be addressed.", text);
  return true;
}

bool attention_shape_parse(attention_shape *shape, const char *text,
                           reason *why) {
  const settings *s = settings_get();
  for (int i = 0; i < s->shape_count; i++)
    if (!strcmp(text, s->shapes[i].name)) {
      *shape = s->shapes[i].shape;
      return acceptable(shape, text, why);
    }
  return read_parts(shape, text, why) && acceptable(shape, text, why);
}
