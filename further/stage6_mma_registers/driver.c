#include "common/harness/stage.h"

const stage_description this_stage = {
    .summary = "scores and P never leave registers: mma.sync",
    .excuses = {"tiny-scales"},
};
