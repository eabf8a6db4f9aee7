#include "common/harness/run/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .name = "stage7_hopper",
      .summary = "FP8 tensor cores of Hopper: TMA, wgmma, three warpgroups",
      .head_dims = {64, 128},
      .causal = true,
      .grouped = true,
      .p_rounding = P_E4M3,
  };
  return stage_main(&stage, argc, argv);
}
