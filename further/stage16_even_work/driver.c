#include "common/harness/stage.h"

const stage_description this_stage = {
    .summary = "even work: snake order, masked tiles, block by shape",
    .excuses = {"zero-times-nan", "tiny-scales"},
};
