#include "common/harness/run/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .name = "stage6_mma_registers",
      .summary = "scores and P never leave registers: mma.sync",
  };
  return stage_main(&stage, argc, argv);
}
