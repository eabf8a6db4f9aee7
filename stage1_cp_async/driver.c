#include "common/harness/stage.h"

const stage_description this_stage = {
    .summary = "Q.K^T on tensor cores, K and V copied by cp.async",
};
