#include "common/harness/run/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .name = "stage9_variants",
      .summary = "one thread a row, for the harness's own test",
      .head_dims = {64, 128},
      .causal = true,
      .grouped = true,
      .p_rounding = P_FP32,
  };
  return stage_main(&stage, argc, argv);
}
