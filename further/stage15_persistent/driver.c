#include "common/harness/stage.h"

const stage_description this_stage = {
    .summary = "blocks that stay and take one tile of rows after another",
    .excuses = {"zero-times-nan", "tiny-scales"},
};
