#include "common/harness/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .summary = "scores by wgmma, on E4M3 values as TMA stored them",
      .excuses = {"zero-times-nan", "tiny-scales"},
  };
  return stage_main(&stage, argc, argv);
}
