#include "common/harness/run/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .name = "stage10_hopper",
      .summary = "FP8 tensor cores of Hopper: TMA, wgmma, three warpgroups",
  };
  return stage_main(&stage, argc, argv);
}
