#include "common/harness/stage.h"

const stage_description this_stage = {
    .summary = "exponentials beside the products; a maximum that may be late",
    .excuses = {"zero-times-nan", "tiny-scales"},
};
