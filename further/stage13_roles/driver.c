#include "common/harness/stage.h"

const stage_description this_stage = {
    .summary = "one warpgroup loads and transposes, the others compute",
    .excuses = {"zero-times-nan", "tiny-scales"},
};
