#include "common/harness/run/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .name = "stage0_scalar",
      .summary = "tiles in shared memory, online softmax, scalar arithmetic",
      .head_dims = {64},
      .p_rounding = P_FP32,
  };
  return stage_main(&stage, argc, argv);
}
