/* Which shapes a kernel takes, by its stage_support. */

#include "common/harness/run/stage.h"

#include <stdio.h>

/* "64", "64 or 128" */
static void list_head_dims(const int *head_dims, char *text, size_t size) {
  size_t used = 0;
  *text = '\0';
  for (int i = 0; head_dims[i] && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%d",
                             i ? " or " : "", head_dims[i]);
}

bool takes_shape(const attention_support *support, const char *who,
                 const attention_shape *shape, const char *name, reason *why) {
  const int *d = support->head_dims;
  while (*d && *d != shape->head_dim) d++;
  if (!*d) {
    char list[64];
    list_head_dims(support->head_dims, list, sizeof list);
    return refuse(why, "%s takes D = %s%s, not %lld.", who, list,
                  support->head_dims[1] ? "" : " only",
                  (long long)shape->head_dim);
  }
  if (shape->causal && !(support->takes & TAKES_CAUSAL))
    return refuse(why, "%s takes no causal mask, which shape %s has.", who,
                  name);
  if (shape->kv_heads != shape->heads && !(support->takes & TAKES_GROUPED))
    return refuse(why,
                  "%s takes K and V of their own for every head, and shape %s "
                  "shares them.",
                  who, name);
  const bool other_keys = attention_shape_keys(shape) != shape->seq_len;
  if (other_keys && (shape->causal || !(support->takes & TAKES_KEY_LEN)))
    return refuse(why, "%s takes as many keys as rows%s, and shape %s has %lld "
                  "of %lld.", who,
                  support->takes & TAKES_KEY_LEN ? " under a causal mask" : "",
                  name, (long long)attention_shape_keys(shape),
                  (long long)shape->seq_len);
  if (shape->layout && !(support->takes & TAKES_STRIDES))
    return refuse(why, "%s takes tensors without gaps, and shape %s has other "
                  "strides.", who, name);
  return true;
}
