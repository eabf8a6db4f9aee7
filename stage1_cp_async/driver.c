#include "common/harness/run/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .name = "stage1_cp_async",
      .summary = "Q.K^T on tensor cores, K and V copied by cp.async",
      .head_dims = {64},
      .p_rounding = P_FP32,
  };
  return stage_main(&stage, argc, argv);
}
