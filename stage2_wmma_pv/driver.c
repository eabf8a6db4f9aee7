#include "common/harness/stage.h"

const stage_description this_stage = {
    .summary = "P.V on tensor cores too, P rounded to half",
};
