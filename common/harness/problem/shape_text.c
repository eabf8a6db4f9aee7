#include "common/harness/problem/shape_text.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/problem/settings.h"

enum { GRID_LIMIT = 65535 }; /* blocks along y and z: CUDA's limit */

static const char *const layouts[LAYOUT_COUNT] = {"contiguous", "padded",
                                                  "permuted", "wide"};

const char *layout_name(tensor_layout layout) { return layouts[layout]; }

/* B,H,S,D or B,H:KV,S,D; *rest is what stands behind them. */
static bool read_parts(attention_shape *s, const char *text, const char **rest,
                       reason *why) {
  static const char *const names[] = {"B", "H", "KV", "S", "D"};
  int64_t *const parts[] = {&s->batch, &s->heads, &s->kv_heads, &s->seq_len,
                            &s->head_dim};
  enum { HEADS = 1, LAST = 4 };
  const char *at = text;
  *s = (attention_shape){0};
  for (int i = 0; i <= LAST; i++) {
    char *end;
    *parts[i] = strtoll(at, &end, 10);
    const bool shared = i == HEADS && *end == ':';
    const bool ends = shared || *end == ',' || (i == LAST && !*end);
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
    *rest = end;
    at = end + 1;
  }
  return true;
}

/* All of it, a whole number from 1 to `most`; else 0. */
static int64_t count_in(const char *text, int64_t most) {
  char *end;
  const int64_t count = strtoll(text, &end, 10);
  return *end || *text < '0' || *text > '9' || count > most ? 0 : count;
}

/* A decimal number above 0 that is a float; else 0. */
static double scale_in(const char *text) {
  char *end;
  const double scale = strtod(text, &end);
  return *end || strspn(text, "0123456789.e-") != strlen(text) ||
                 !(scale > 0.0 && scale <= FLT_MAX)
             ? 0.0
             : scale;
}

static bool read_word(attention_shape *s, case_words *words, const char *word) {
  const char *value = strchr(word, '=');
  if (!strcmp(word, "causal")) return s->causal = true;
  if (!value++) return false;
  if (!strncmp(word, "keys=", 5))
    return (s->key_len = count_in(value, INT32_MAX)) > 0;
  if (!strncmp(word, "scale=", 6))
    return (s->softmax_scale = scale_in(value)) > 0.0;
  if (!strncmp(word, "strides=", 8)) {
    s->layout = LAYOUT_PADDED;
    while (s->layout < LAYOUT_COUNT && strcmp(value, layouts[s->layout]))
      s->layout++;
    return s->layout < LAYOUT_COUNT;
  }
  if (words && !strncmp(word, "inputs=", 7))
    return (words->inputs = distribution_parse(value)) < DISTRIBUTION_COUNT;
  if (words && !strncmp(word, "multiprocessors=", 16))
    return (words->multiprocessors =
                (int)count_in(value, MULTIPROCESSORS_MAX)) > 0;
  return false;
}

static bool read_words(attention_shape *s, case_words *words, const char *at,
                       const char *text, reason *why) {
  char word[48];
  while (*at++) {
    const size_t length = strcspn(at, ",");
    snprintf(word, sizeof word, "%.*s", (int)length, at);
    if (length >= sizeof word || !read_word(s, words, word))
      return refuse(why,
                    "'%s' is no shape: behind the numbers may stand causal, "
                    "keys=700, scale=0.3, strides=padded, permuted or wide%s, "
                    "not '%s'.",
                    text,
                    words ? ", inputs=NAME and multiprocessors=2" : "", word);
    at += length;
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
  const int64_t keys = attention_shape_keys(s);
  const int64_t limit = INT64_MAX / 128 / s->head_dim /
                        (keys > s->seq_len ? keys : s->seq_len);
  if (s->batch * s->heads > limit)
    return refuse(
        why, "Shape %s has more elements than memory can be addressed.", text);
  return true;
}

bool case_parse(attention_shape *shape, case_words *words, const char *text,
                reason *why) {
  const settings *s = settings_get();
  const char *rest = text;
  if (words) *words = (case_words){.inputs = DISTRIBUTION_COUNT};
  for (int i = 0; i < s->shape_count; i++)
    if (!strcmp(text, s->shapes[i].name)) {
      *shape = s->shapes[i].shape;
      return acceptable(shape, text, why);
    }
  return read_parts(shape, text, &rest, why) &&
         read_words(shape, words, rest, text, why) &&
         acceptable(shape, text, why);
}

bool attention_shape_parse(attention_shape *shape, const char *text,
                           reason *why) {
  return case_parse(shape, NULL, text, why);
}
