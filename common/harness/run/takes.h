#ifndef TAKES_H
#define TAKES_H

#include "common/harness/judge/reference.h"
#include "common/harness/object/object.h"
#include "common/harness/program/reason.h"

/* What a stage's driver.c tells the harness about its kernel. */
typedef struct {
  const char *name;    /* the stage's folder */
  const char *summary; /* half a sentence for --help */
  int head_dims[4];    /* the D that the kernel takes, ended by 0 */
  bool causal, grouped; /* it takes a causal mask; fewer K/V heads than heads */
  p_rounding p_rounding; /* what the kernel rounds P to before P.V */
} stage_description;

/* Does the stage take the shape `name`? If not, false with one sentence. */
bool stage_takes_shape(const stage_description *stage,
                       const attention_shape *shape, const char *name,
                       reason *why);

/* Does this kernel, which may be another stage's, say that it reads what the
 * shape needs of an attention_call? If not, false with one sentence. */
bool object_takes_shape(const stage_object *object,
                        const attention_shape *shape, const char *name,
                        reason *why);

#endif
