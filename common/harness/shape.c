#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/problem.h"
#include "common/harness/reference.h"
#include "common/harness/settings.h"

enum { GRID_LIMIT = 65535 }; /* blocks along y and z: CUDA's limit */

static bool supported(const int *head_dims, int64_t d) {
  for (; *head_dims; head_dims++)
    if (*head_dims == d) return true;
  return false;
}

/* Reads four numbers into `parts`; returns false unless there are four. */
static bool read_parts(int64_t *parts, const char *text, char *why,
                       size_t why_size) {
  const char *at = text;
  for (int i = 0; i < 4; i++) {
    char *end;
    parts[i] = strtoll(at, &end, 10);
    const bool last = i == 3;
    if (end == at || (*at < '0' && *at != '-') ||
        *end != (last ? '\0' : ',')) {
      snprintf(why, why_size,
               "'%s' is no shape: give small, mission, long, odd, large or "
               "four numbers B,H,S,D.", text);
      return false;
    }
    if (parts[i] > INT32_MAX) { /* strtoll stops at INT64_MAX */
      snprintf(why, why_size,
               "%c in shape %s is too large: at most 2147483647.", "BHSD"[i],
               text);
      return false;
    }
    if (parts[i] < 1) {
      snprintf(why, why_size, "%c in shape %s must be at least 1.", "BHSD"[i],
               text);
      return false;
    }
    at = end + 1;
  }
  return true;
}

static bool acceptable(const attention_shape *s, const char *text,
                       const int *head_dims, char *why, size_t why_size) {
  if (!supported(head_dims, s->head_dim)) {
    snprintf(why, why_size, "This stage takes D = %d%s, not %lld.",
             head_dims[0], head_dims[1] ? " and others" : " only",
             (long long)s->head_dim);
    return false;
  }
  if (s->batch > GRID_LIMIT || s->heads > GRID_LIMIT) {
    snprintf(why, why_size, "B and H in shape %s may be at most %d: that is "
             "the largest grid.", text, GRID_LIMIT);
    return false;
  }
  /* 128 bytes an element are more than host or device ever need. */
  const int64_t limit = INT64_MAX / 128 / s->head_dim / s->seq_len;
  if (s->batch * s->heads > limit) {
    snprintf(why, why_size, "Shape %s has more elements than memory can be "
             "addressed.", text);
    return false;
  }
  return true;
}

bool attention_shape_parse(attention_shape *shape, const char *text,
                           const int *head_dims, char *why, size_t why_size) {
  const settings *s = settings_get();
  bool named = false;
  for (int i = 0; i < s->shape_count && !named; i++)
    if (!strcmp(text, s->shapes[i].name)) {
      *shape = s->shapes[i].shape;
      named = true;
    }
  if (!named) {
    int64_t parts[4];
    if (!read_parts(parts, text, why, why_size)) return false;
    *shape = (attention_shape){parts[0], parts[1], parts[2], parts[3]};
  }
  return acceptable(shape, text, head_dims, why, why_size);
}

size_t attention_shape_elements(const attention_shape *s) {
  return (size_t)s->batch * (size_t)s->heads * (size_t)s->seq_len *
         (size_t)s->head_dim;
}

/* Three inputs as float and as code, the fp16 output, and the references. */
size_t attention_shape_host_bytes(const attention_shape *s) {
  return attention_shape_elements(s) * (3 * 4 + 3 + 2) + references_bytes(s);
}

size_t attention_shape_device_bytes(const attention_shape *s) {
  return attention_shape_elements(s) * (3 + 2) +
         (size_t)(s->batch * s->heads) * 3 * 4;
}
