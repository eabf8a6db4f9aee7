#include "common/harness/stage.h"

const stage_description this_stage = {
    .summary = "softmax in the fragment: scores never visit shared memory",
};
