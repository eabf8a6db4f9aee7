#include "common/harness/stage.h"

const stage_description this_stage = {
    .summary = "tiles in shared memory, online softmax, scalar arithmetic",
};
