#include "common/harness/object.h"

/* Compiled once for each arm; the Makefile defines the five names. */
const stage_object *stage_object_get(void) {
  static stage_object object = {
      .stage = STAGE,
      .arm = ARM,
      .kernel_hash = KERNEL_HASH,
      .compiler = COMPILER,
      .flags = FLAGS,
      .launch = stage_launch,
      .support = &stage_support,
  };
  object.toggles = stage_toggles;
  return &object;
}
