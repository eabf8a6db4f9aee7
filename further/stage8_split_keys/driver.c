#include "common/harness/stage.h"

const stage_description this_stage = {
    .summary = "two tiles of rows a warp; in a small grid keys are split",
    .excuses = {"tiny-scales"},
};
