/* Which shapes a kernel takes, by its driver and by its own word. */

#include "common/harness/run/takes.h"

#include <stdio.h>
#include <string.h>

#include "common/device/interface/attention_call.h"

/* "64", "64 or 128" */
static void list_head_dims(const int *head_dims, char *text, size_t size) {
  size_t used = 0;
  *text = '\0';
  for (int i = 0; head_dims[i] && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%d",
                             i ? " or " : "", head_dims[i]);
}

bool stage_takes_shape(const stage_description *stage,
                       const attention_shape *shape, const char *name,
                       reason *why) {
  const int *d = stage->head_dims;
  while (*d && *d != shape->head_dim) d++;
  if (!*d) {
    char list[64];
    list_head_dims(stage->head_dims, list, sizeof list);
    return refuse(why, "This stage takes D = %s%s, not %lld.", list,
                  stage->head_dims[1] ? "" : " only",
                  (long long)shape->head_dim);
  }
  if (shape->causal && !stage->causal)
    return refuse(why, "This stage takes no causal mask, which shape %s has.",
                  name);
  if (shape->kv_heads != shape->heads && !stage->grouped)
    return refuse(why,
                  "This stage takes K and V of their own for every head, and "
                  "shape %s shares them.",
                  name);
  return true;
}

bool object_takes_shape(const stage_object *object,
                        const attention_shape *shape, const char *name,
                        reason *why) {
  const int needs = (shape->causal ? TAKES_CAUSAL : 0) |
                    (shape->kv_heads != shape->heads ? TAKES_GROUPED : 0);
  const int lacks = needs & ~object->takes;
  if (!lacks) return true;
  return refuse(why,
                "The kernel of %s does not say that it takes %s "
                "(common/device/interface/attention_call.h), which shape %s "
                "needs.",
                object->stage,
                lacks & TAKES_CAUSAL ? "a causal mask" : "shared K/V heads",
                name);
}
