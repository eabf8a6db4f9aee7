#include "common/harness/stage.h"

const stage_description this_stage = {
    .summary = "P by V in wgmma, too: P in E4M3, V transposed",
    .excuses = {"zero-times-nan", "tiny-scales"},
};
