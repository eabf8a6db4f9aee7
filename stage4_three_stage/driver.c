#include "common/harness/stage.h"

const stage_description this_stage = {
    .summary = "a ring of three slots: copies run two tiles ahead",
};
