#include "common/harness/stage.h"

const stage_description this_stage = {
    .summary = "scores by wgmma, on E4M3 values as TMA stored them",
    .excuses = {"zero-times-nan", "tiny-scales"},
};
