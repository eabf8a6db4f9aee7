#include "common/harness/stage.h"

const stage_description this_stage = {
    .summary = "K and V come by TMA, one instruction a tile",
    .excuses = {"zero-times-nan", "tiny-scales"},
};
