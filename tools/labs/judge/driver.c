#include "common/harness/stage.h"

/* Of a lab's kernel. */
const stage_description this_stage = {
    .summary = "the kernel that you are building",
};
