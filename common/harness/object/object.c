#include "common/device/interface/attention_call.h"
#include "common/harness/object/object.h"

/* Absent in a kernel that reads attention_args alone; hidden, so that it is
 * never found in another object. */
extern const int stage_takes __attribute__((weak, visibility("hidden")));

/* Compiled once for each arm; the Makefile defines the five names. */
const stage_object *stage_object_get(void) {
  static stage_object object = {
      .stage = STAGE,
      .arm = ARM,
      .kernel_hash = KERNEL_HASH,
      .compiler = COMPILER,
      .flags = FLAGS,
      .launch = stage_launch,
  };
  object.toggles = stage_toggles;
  object.takes = &stage_takes ? stage_takes : 0;
  return &object;
}
