#include "common/harness/stage.h"

const stage_description this_stage = {
    .summary = "K and V by ldmatrix, spread over the banks by a swizzle",
    .excuses = {"tiny-scales"},
};
