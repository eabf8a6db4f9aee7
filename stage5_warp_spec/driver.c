#include "common/harness/stage.h"

const stage_description this_stage = {
    .summary = "producer warps copy and convert, consumer warps compute",
};
