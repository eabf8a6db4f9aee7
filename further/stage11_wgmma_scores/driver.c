#include "common/harness/run/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .name = "stage11_wgmma_scores",
      .summary = "scores by wgmma, on E4M3 values as TMA stored them",
  };
  return stage_main(&stage, argc, argv);
}
